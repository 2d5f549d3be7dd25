"""How soon a recent session can be used while a first sync is running: after how many seconds
`aj ls` lists it, and `aj search` finds it by a word.

A session of the last week gets a prompt with a word that is nowhere else. Then `aj sync` starts
with an empty journal, and other processes ask for the session until it is there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import corpus
from lab import AJ, Failed, Lab, Row, logs
from long_session import one_more_line

WORD = "quicksilverfish"
WEEK = 7 * 86_400  # seconds
LIMIT = 2  # seconds
PAUSE = 0.1  # seconds between an answer and the next question


def measure_newest(lab: Lab) -> Iterator[Row]:
    """A first sync of the real home, watched from outside."""
    home = os.path.join(lab.scratch, "newest")
    shutil.copytree(corpus.cached(corpus.scaled(corpus.REAL_HOME, lab.sizes.home_share)), home)
    session = _mark(home)
    journal = tempfile.mkdtemp(dir=lab.scratch)
    asked = {
        "listed": ("ls", "--json"),
        "found by a word": ("search", "--no-sync", "--json", WORD),
    }
    started = time.perf_counter()
    with _syncing(lab, home, journal) as sync, ThreadPoolExecutor() as pool:
        # Each question has a thread: one that has to wait must not delay the other.
        answers = {
            name: pool.submit(
                _time_until, session, sync, partial(_answer, lab, arguments, home, journal)
            )
            for name, arguments in asked.items()
        }
        sync.wait()
        whole = time.perf_counter() - started
        seen = {name: answer.result() - started for name, answer in answers.items()}
    shutil.rmtree(home)
    for name in asked:
        title = f"first sync: a session of the last week is {name} after"
        yield Row("newest", title, seen[name], "s", LIMIT, beside=f"the sync takes {whole:.1f} s")


def _time_until(session: str, sync: subprocess.Popen[bytes], ask: Callable[[], str]) -> float:
    """Asks until the session is in the answer; when that was."""
    while True:
        # What the sync had not shown when it ended is asked for once more.
        is_over = sync.poll() is not None
        if session in ask():
            return time.perf_counter()
        if is_over:
            raise Failed(f"the sync ended without the session {session}")
        time.sleep(PAUSE)


def _syncing(lab: Lab, home: str, journal: str) -> subprocess.Popen[bytes]:
    null = subprocess.DEVNULL
    return subprocess.Popen(
        lab.command((AJ, "sync")), env=lab.environment(home, journal), stdout=null, stderr=null
    )


def _answer(lab: Lab, arguments: tuple[str, ...], home: str, journal: str) -> str:
    """What a command prints, even if it fails: at first there is no journal."""
    done = subprocess.run(
        lab.command((AJ, *arguments)),
        env=lab.environment(home, journal),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def _mark(home: str) -> str:
    """Adds the word to the session in the middle of the last week; the id of the session."""
    times = {path: os.path.getmtime(path) for path in logs(home)}
    newest = max(times.values())
    recent = sorted(
        (when, path)
        for path, when in times.items()
        if when > newest - WEEK and ".claude" in path and "subagents" not in path
    )
    when, path = recent[len(recent) // 2]
    record = json.loads(one_more_line(path, 0))
    record["message"]["content"] = f"Please look at the {WORD} again."
    record["timestamp"] = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(when))
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    os.utime(path, (when, when))
    return os.path.basename(path).removesuffix(".jsonl")
