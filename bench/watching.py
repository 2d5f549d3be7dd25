"""`aj watch`: what it costs while nothing happens and while agents write, how late it is, and
whether a journal is complete after it was killed again and again.

CPU time is that of the process and of those it waited for, from /proc (Linux only). How late a line
is: the seconds from the write to the line of `aj watch --json` that counts it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import corpus
from lab import AJ, Failed, Lab, Row

SESSIONS = 20  # that are written to; one of them gets half of the lines
TICK = os.sysconf("SC_CLK_TCK")


def measure_watch(lab: Lab) -> Iterator[Row]:
    """Idle, busy, killed."""
    home, journal = _home(lab)
    seconds = lab.sizes.watch_seconds
    files = sum(len(names) for _, _, names in os.walk(home))
    with Watched(lab, home, journal) as watched:
        time.sleep(5)  # its second look at everything
        share = _share_of_core(watched, seconds)
        name = f"aj watch over {files:,} files, nothing happens, {seconds} s"
        yield Row("watch", name, share, "%", 0.5, beside=f"{watched.memory():.0f} MB")
        yield from _busy(watched, home, seconds)
    yield from _killed(lab, home, journal)


def _home(lab: Lab) -> tuple[str, str]:
    """A copy of the home with many files, and its journal."""
    sessions = lab.sizes.small_sessions
    source = corpus.cached(corpus.Parameters(max(1, sessions // 125), files=sessions))
    home, journal = os.path.join(lab.scratch, "watched"), tempfile.mkdtemp(dir=lab.scratch)
    shutil.copytree(source, home)
    lab.aj("sync", home=home, journal=journal)
    return home, journal


class Watched:
    """A running `aj watch --json`, and when it told how many messages each session has."""

    def __init__(self, lab: Lab, home: str, journal: str) -> None:
        self._process = subprocess.Popen(
            lab.command((AJ, "watch", "--json")),
            env=lab.environment(home, journal),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=home,
        )
        self.told: list[tuple[float, str, int]] = []  # when, the session, its messages
        assert self._process.stderr is not None
        line = self._process.stderr.readline()
        if not line.startswith("watching"):
            raise Failed(f"aj watch said {line!r}")
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        self.end(signal.SIGTERM)

    def end(self, number: signal.Signals) -> None:
        """Ends the process with a signal."""
        self._process.send_signal(number)
        self._process.wait()
        self._thread.join()

    def cpu(self) -> float:
        """The seconds of CPU time so far."""
        with open(f"/proc/{self._process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / TICK

    def memory(self) -> float:
        """The megabytes of memory that are its own."""
        with open(f"/proc/{self._process.pid}/status", encoding="ascii") as file:
            [line] = [line for line in file if line.startswith("VmRSS")]
        return int(line.split()[1]) / 1000

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            now = time.monotonic()
            for item in json.loads(line)["items"]:
                self.told.append((now, item["id"], item["message_count"]))


def _share_of_core(watched: Watched, seconds: float) -> float:
    before = watched.cpu()
    time.sleep(seconds)
    return 100 * (watched.cpu() - before) / seconds


def _busy(watched: Watched, home: str, seconds: int) -> Iterator[Row]:
    count = 1000 * seconds // 60
    rng = random.Random("watch")
    written: dict[str, list[float]] = {}
    before = watched.cpu()
    started = time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, started + number * seconds / count - time.monotonic()))
        session = f"watched-{max(0, rng.randrange(2 * SESSIONS) - SESSIONS):02d}"
        times = written.setdefault(session, [])
        append(home, session, len(times))
        times.append(time.monotonic())
    share = 100 * (watched.cpu() - before) / seconds
    deadline = time.monotonic() + 10
    while _missing(written, watched) and time.monotonic() < deadline:
        time.sleep(0.1)
    late = sorted(_lateness(written, watched))
    name = f"{count:,} lines written in {seconds} s"
    yield Row("watch", f"{name}: not in the journal", _missing(written, watched), "lines", 0)
    beside = f"median {late[len(late) // 2]:.2f} s"
    yield Row("watch", f"{name}: the latest", late[-1], "s", 1.5, beside=beside)
    yield Row("watch", f"{name}: CPU", share, "% of a core", 25)


def append(home: str, session: str, number: int) -> None:
    """Writes one more line of a session of Claude Code."""
    folder = os.path.join(home, ".claude", "projects", "-watched")
    os.makedirs(folder, exist_ok=True)
    record = {
        "parentUuid": None,
        "sessionId": session,
        "type": "user",
        "uuid": f"{session}-{number}",
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
        "cwd": "/watched",
        "message": {"role": "user", "content": f"line {number} of {session}"},
    }
    with open(os.path.join(folder, f"{session}.jsonl"), "a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def _missing(written: dict[str, list[float]], watched: Watched) -> int:
    told: dict[str, int] = {}
    for _, session, messages in list(watched.told):
        told[session] = max(messages, told.get(session, 0))
    return sum(len(times) - told.get(session, 0) for session, times in written.items())


def _lateness(written: dict[str, list[float]], watched: Watched) -> Iterator[float]:
    """How late each line was that was told."""
    done = dict.fromkeys(written, 0)
    for when, session, messages in watched.told:
        for line in range(done.get(session, 0), messages):
            yield when - written[session][line]
        done[session] = messages


def _killed(lab: Lab, home: str, journal: str) -> Iterator[Row]:
    """Kills it at random moments while lines are written; what the journal lacks afterwards."""
    rng = random.Random("kills")
    count = 0
    kills = lab.sizes.watch_kills
    for _ in range(kills):
        with _writing(home, count) as lines:
            watched = Watched(lab, home, journal)
            time.sleep(rng.uniform(0, 1.5))
            watched.end(signal.SIGKILL)
        count += len(lines)
    lab.aj("sync", home=home, journal=journal)
    lab.aj("verify", home=home, journal=journal)
    shown = json.loads(lab.output((AJ, "ls", "--all", "--json"), home, journal))
    kept = {item["id"]: item["message_count"] for item in shown["items"]}
    name = f"killed {kills} times while {count:,} lines were written: lines that are missing"
    yield Row(
        "watch", name, count - kept.get("killed", 0), "lines", 0, beside="aj verify is content"
    )


@contextmanager
def _writing(home: str, first: int) -> Iterator[list[int]]:
    """A thread that writes line after line."""
    lines: list[int] = []
    is_over = threading.Event()

    def write() -> None:
        while not is_over.wait(0.02):
            append(home, "killed", first + len(lines))
            lines.append(first + len(lines))

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield lines
    finally:
        is_over.set()
        thread.join()
