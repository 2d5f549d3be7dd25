"""The search index after kill -9 and under many processes: no error, no wrong or missing hit."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from agent_journal.search.vector_files import read_extent
from tests.support.journals import aj, aj_json, open_journal, variables
from tests.support.talks import hits, record, write

SECONDS = float(os.environ.get("AJ_STRESS_SECONDS", "5"))
# Small batches, so that a kill falls between them.
SLOW_SYNC = (
    "import agent_journal.search.vectors as v, agent_journal.search.lexical as l, time\n"
    "v._BATCH = 20\n"
    "v._SAVE_SECONDS = 0.0; add = l.add_document\n"
    "l.add_document = lambda *a: (time.sleep(0.0005), add(*a))\n"
    "from agent_journal.cli.main import main; import sys\n"
    "sys.argv = ['aj', 'sync', *sys.argv[1:]]; main()"
)


def write_sessions(home: Path, count: int, size: int, word: str) -> None:
    for number in range(count):
        name = f"{word}{number}"
        records = [
            {
                **record("user", f"{name}-{line}", f"{word} question {number} {line}"),
                "sessionId": name,
            }
            for line in range(size)
        ]
        write(home, records, f".claude/projects/-w/{name}.jsonl")


@pytest.mark.parametrize("seed", range(2))
def test_kill_9_while_indexing_loses_and_doubles_nothing(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    write_sessions(tmp_path, 30, 10, "first")
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    for turn in range(6):
        child = subprocess.Popen(
            [sys.executable, "-c", SLOW_SYNC, *(["--rebuild"] if turn % 3 == 2 else [])],
            env=variables(tmp_path),
            stderr=subprocess.PIPE,
        )
        time.sleep(rng.uniform(0.15, 0.8))
        child.send_signal(signal.SIGKILL)
        _, complaint = child.communicate()
        assert child.returncode in (0, -signal.SIGKILL), complaint
        asked = aj(tmp_path, "search", "--no-sync", "--mode", "lexical", "question")
        assert asked.returncode == 0, asked.stderr
        write_sessions(tmp_path, 2, 3, f"turn{turn}")
    assert aj(tmp_path, "sync").returncode == 0
    verified = aj(tmp_path, "verify")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    messages = 30 * 10 + 6 * 2 * 3
    titles = 30 + 6 * 2
    found_ids = [
        item["message"]["id"]
        for item in hits(
            tmp_path, "--flat", "-n", "1000", "--mode", "lexical", "question is:prompt"
        )
    ]
    assert len(found_ids) == len(set(found_ids)) == messages
    with open_journal(tmp_path) as journal:
        assert journal.db is not None
        assert read_extent(journal.db).rows == messages + titles


class _Crowd:
    """Processes that sync and search at the same time, and what went wrong."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.ends = time.monotonic() + SECONDS
        self.known = ["start0"]  # words that a finished sync has read
        self.wrong: list[str] = []
        self.searches = 0

    def is_over(self) -> bool:
        is_busy_enough = self.searches > 8 and len(self.known) > 3
        return is_busy_enough and time.monotonic() > self.ends

    def sync(self, name: str) -> None:
        turn = 0
        while not self.is_over():
            word = f"{name}{turn}"
            line = {**record("user", word, f"the word {word} of everyone"), "sessionId": name}
            with (self.home / f".claude/projects/-w/{name}.jsonl").open("a") as log:
                log.write(json.dumps(line) + "\n")
            done = aj(self.home, "sync")
            if done.returncode or "Traceback" in done.stderr:
                self.wrong.append(done.stderr)
            self.known.append(word)
            turn += 1

    def search(self, mode: str) -> None:
        rng = random.Random(mode)
        while not self.is_over():
            word = rng.choice(self.known)
            found = aj_json(self.home, "search", "--no-sync", "--mode", mode, f'"{word}"')
            texts = [item["snippet"]["text"] for item in found.get("items", [])]
            if not texts or not all(word in text for text in texts[:1]):
                self.wrong.append(f"{word}: {found}")
            self.searches += 1


def test_two_sync_and_four_search_without_error_or_missing_hit(tmp_path: Path) -> None:
    prompt = {**record("user", "start0", "the word start0 of everyone"), "sessionId": "start"}
    write(tmp_path, [prompt], ".claude/projects/-w/start.jsonl")
    assert aj(tmp_path, "sync").returncode == 0
    crowd = _Crowd(tmp_path)
    work = [(crowd.sync, name) for name in ("left", "right")]
    work += [(crowd.search, mode) for mode in ("lexical", "hybrid", "lexical", "hybrid")]
    threads = [threading.Thread(target=target, args=(name,)) for target, name in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert crowd.wrong == []
    assert aj(tmp_path, "verify").returncode == 0


def test_lists_of_deletions_of_a_killed_sync_are_in_nobodys_way(tmp_path: Path) -> None:
    """Tantivy numbers them by its last commit, so the next sync takes the same number again."""
    path = ".claude/projects/-w/s1.jsonl"
    said = [record("user", f"m{number}", f"word{number}", cwd="/w") for number in range(6)]
    write(tmp_path, said, path)
    assert aj(tmp_path, "sync").returncode == 0
    for folder in (tmp_path / ".agent-journal" / "index").glob("lexical-v*/**/meta.json"):
        for segment in json.loads(folder.read_bytes())["segments"]:
            stem = segment["segment_id"].replace("-", "")
            for number in range(100):
                (folder.parent / f"{stem}.{number}.del").write_bytes(b"half")
    (tmp_path / path).unlink()
    write(tmp_path, [said[0], *said[3:]], path)
    synced = aj(tmp_path, "sync")
    assert synced.returncode == 0, synced.stderr
    assert aj(tmp_path, "verify").returncode == 0
    assert hits(tmp_path, "word5", "--mode", "lexical")
    assert not hits(tmp_path, "word2", "--mode", "lexical")
