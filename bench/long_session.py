"""A session of 50,000 messages: what one more line costs, and how long a window of it takes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator

import messages
from lab import Lab, Row, fastest, logs

APPENDS = 5
CONTEXT = 5  # messages before and after the one that is shown


def measure_append(lab: Lab) -> Iterator[Row]:
    """One more line, with everything on."""
    home, journal = _synced(lab)
    path = _log(home)
    lab.aj("sync", home=home, journal=journal)
    idle = fastest([lab.aj("sync", home=home, journal=journal) for _ in range(APPENDS)])
    runs = []
    for number in range(APPENDS):
        with open(path, "ab") as file:
            file.write(one_more_line(path, number))
        runs.append(lab.aj("sync", home=home, journal=journal))
    appended = fastest(runs)
    name = f"one line appended to {lab.sizes.long_session:,} messages, CPU over a no-op"
    beside = (
        f"no-op {idle.cpu * 1000:.0f} ms; wall {(appended.wall - idle.wall) * 1000:.0f} ms over "
        f"{idle.wall * 1000:.0f} ms"
    )
    yield Row("append", name, (appended.cpu - idle.cpu) * 1000, "ms", 60, beside=beside)


def measure_show(lab: Lab) -> Iterator[Row]:
    """A window in the middle of the session."""
    home, journal = _synced(lab)
    session = os.path.basename(_log(home)).removesuffix(".jsonl")
    middle = str(lab.sizes.long_session // 2)
    bare = lab.bare()
    asked = ("show", session, "-m", middle, "-C", str(CONTEXT))
    run = fastest([lab.aj(*asked, home=home, journal=journal) for _ in range(lab.sizes.repeats)])
    name = f"aj show of a window of {lab.sizes.long_session:,} messages / bare Python, wall"
    beside = f"{run.wall * 1000:.0f} ms, Python {bare.wall * 1000:.0f} ms"
    yield Row("show", name, run.wall / bare.wall, "x", 12, beside=beside)


def one_more_line(path: str, number: int) -> bytes:
    """A prompt that continues the session: its first prompt with an id of its own."""
    with open(path, "rb") as file:
        record = next(record for record in map(json.loads, file) if record["type"] == "user")
    record |= {
        "uuid": f"00000000-0000-4000-8000-{number:012d}",
        "timestamp": "2026-11-02T10:00:00.000Z",
    }
    record["message"]["content"] = f"One more prompt, number {number}."
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _synced(lab: Lab) -> tuple[str, str]:
    """A copy of the home with the session, and its journal; made once."""
    home, journal = os.path.join(lab.scratch, "long"), os.path.join(lab.scratch, "long-journal")
    if not os.path.isdir(home):
        shutil.copytree(messages.cached_flood(lab.sizes.long_session), home)
        os.mkdir(journal)
        lab.aj("sync", home=home, journal=journal)
    return home, journal


def _log(home: str) -> str:
    [path] = [path for path in logs(home) if messages.FLOOD_PROJECT in path]
    return path
