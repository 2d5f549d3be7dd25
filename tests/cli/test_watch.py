"""`aj watch` as a command."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import pytest

from agent_journal.answers.shapes import ITEMS
from tests.support.journals import aj, aj_json, texts, variables, wait_until, write_claude
from tests.support.shapes import faults


@contextmanager
def watch(home: Path, *args: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "agent_journal", "watch", *args],
        env=variables(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    watchdog = Timer(60, process.kill)  # a line that never comes must not hang the tests
    watchdog.start()
    try:
        yield process
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    return process.stderr.readline().strip()


def next_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_line_for_what_it_watches_and_one_for_each_change(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1")
    with watch(tmp_path) as process:
        assert re.match(r"watching 1 folder of agents.*Ctrl-C ends it$", first_line(process))
        write_claude(tmp_path, "s1", count=2, start=4)
        line = next_line(process)
        assert re.match(r"\d\d:\d\d:\d\d  claude-code  user text 0 of s1  6 messages$", line)
        write_claude(tmp_path, "s2", count=1)
        assert next_line(process).endswith("user text 0 of s2  new, 1 message")


def test_json_is_one_answer_a_line(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1")
    with watch(tmp_path, "--json") as process:
        first_line(process)
        write_claude(tmp_path, "s1", count=1, start=4)
        answer = json.loads(next_line(process))
        assert (answer["schema"], answer["kind"]) == (1, "changes")
        [item] = answer["items"]
        assert (item["id"], item["message_count"], item["is_new"]) == ("s1", 5, False)
        assert answer["is_whole"] is True
        assert list(faults(item, ITEMS["changes"])) == []
        write_claude(tmp_path, "s2", count=1)
        after = json.loads(next_line(process))
        assert after["after"] == answer["position"]
        assert [item["id"] for item in after["items"]] == ["s2"]


def test_what_another_process_reads_is_shown(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1")
    with watch(tmp_path) as first:
        first_line(first)
        with watch(tmp_path) as second:
            assert first_line(second) == f"aj watch (process {first.pid}) watches this journal"
            write_claude(tmp_path, "s1", count=2, start=4)
            assert next_line(second).endswith("6 messages")
            first.terminate()
            assert first_line(second).startswith("watching 1 folder")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)], ids=["TERM", "INT"]
)
def test_it_ends_at_once(tmp_path: Path, number: signal.Signals, code: int) -> None:
    write_claude(tmp_path, "s1")
    with watch(tmp_path) as process:
        first_line(process)
        started = time.monotonic()
        process.send_signal(number)
        assert process.wait(20) == code
        assert time.monotonic() - started < 10
    assert not (tmp_path / ".agent-journal/watch.json").exists()
    assert aj(tmp_path, "verify").returncode == 0


def test_doctor_says_what_watches(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1")
    aj(tmp_path, "sync")
    assert "nothing keeps it up to date" in aj(tmp_path, "doctor").stdout
    assert aj_json(tmp_path, "doctor")["watching"] is None
    with watch(tmp_path, "--poll") as process:
        first_line(process)
        assert f"aj watch watches (process {process.pid})" in aj(tmp_path, "doctor").stdout
        watching = aj_json(tmp_path, "doctor")["watching"]
        assert watching["pid"] == process.pid
        assert watching["why_polled"] == "as asked for"


def test_a_kill_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    """bench/watching.py does so fifty times."""
    rng = random.Random("kills")
    path = write_claude(tmp_path, "s1", count=1)
    count = 1
    for _ in range(5):
        with watch(tmp_path) as process:
            first_line(process)
            end = time.monotonic() + rng.uniform(0, 1.0)
            while time.monotonic() < end:
                write_claude(tmp_path, "s1", count=1, start=count)
                count += 1
                time.sleep(0.03)
            process.kill()
            process.wait()
    with watch(tmp_path) as process:
        first_line(process)
        wait_until(lambda: len(texts(tmp_path)) == count)
    assert aj(tmp_path, "verify").returncode == 0
    assert len(path.read_text().splitlines()) == count
