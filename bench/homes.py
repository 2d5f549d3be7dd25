"""The first sync of two homes, with everything on: a home as it was measured, and one of short
chats, which has four times the messages in a megabyte.

Each figure is the least of several runs. `json.loads` of every line runs in turn with them, so that
both meet the same weather.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

import corpus
from lab import Lab, Row, Run, all_bytes, fastest, log_bytes

# The baseline reads each line of each log as the simplest reader would, and throws the result away.
LOADS = """
import json, os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        if name.endswith(".jsonl"):
            with open(os.path.join(folder, name), "rb") as file:
                for line in file:
                    json.loads(line)
"""


class Limits(NamedTuple):
    """The targets of a home."""

    cpu: float  # times json.loads
    disk: float  # times the sources
    wall: float | None = None  # times json.loads
    peak: float | None = None  # megabytes


class Cost(NamedTuple):
    """What first syncs of a home cost."""

    sync: Run
    loads: Run
    alone: Run  # on one core
    megabytes: float
    disk: float  # bytes of the journal / bytes of the home


HOME_LIMITS = Limits(cpu=5, wall=3, peak=450, disk=0.33)
DENSE_LIMITS = Limits(cpu=10, disk=0.5)


def measure_home(lab: Lab) -> Iterator[Row]:
    """A home with the figures of a real one."""
    yield from _rows("home", _cost(lab, corpus.REAL_HOME), HOME_LIMITS)


def measure_dense(lab: Lab) -> Iterator[Row]:
    """A home of short chats."""
    yield from _rows("dense", _cost(lab, corpus.DENSE_HOME), DENSE_LIMITS)


def _cost(lab: Lab, given: corpus.Parameters) -> Cost:
    home = corpus.cached(corpus.scaled(given, lab.sizes.home_share))
    bare = lab.bare()
    lab.run(("-c", LOADS, home), home, lab.scratch)  # fills the page cache
    syncs, loads, disk = [], [], 0.0
    for _ in range(lab.sizes.first_syncs):
        loads.append(lab.run(("-c", LOADS, home), home, lab.scratch))
        journal = tempfile.mkdtemp(dir=lab.scratch)
        syncs.append(lab.aj("sync", home=home, journal=journal, watched=True))
        disk = all_bytes(journal) / all_bytes(home)
        shutil.rmtree(journal)
    journal = tempfile.mkdtemp(dir=lab.scratch)
    alone = lab.aj("sync", home=home, journal=journal, watched=True, core=_a_core())
    shutil.rmtree(journal)
    read = fastest(loads)
    read = Run(read.wall - bare.wall, read.cpu - bare.cpu, read.peak)
    return Cost(fastest(syncs), read, alone, log_bytes(home) / 1e6, disk)


def _rows(part: str, cost: Cost, limits: Limits) -> Iterator[Row]:
    sync, loads = cost.sync, cost.loads
    what = f"{part}: first sync of {cost.megabytes:.0f} MB"
    beside = f"{sync.cpu:.2f} s, json.loads {loads.cpu:.2f} s"
    yield Row(
        part, f"{what}, CPU / json.loads", sync.cpu / loads.cpu, "x", limits.cpu, beside=beside
    )
    beside = f"{sync.wall:.2f} s, json.loads {loads.wall:.2f} s"
    times = sync.wall / loads.wall
    yield Row(part, f"{what}, wall / json.loads", times, "x", limits.wall, beside=beside)
    beside = f"json.loads {cost.megabytes / loads.wall:.0f} MB/s"
    yield Row(part, f"{what}, speed", cost.megabytes / sync.wall, "MB/s", None, beside=beside)
    beside = f"of all its processes; json.loads {loads.peak / 1e6:.0f} MB"
    yield Row(part, f"{what}, peak memory", sync.peak / 1e6, "MB", limits.peak, beside=beside)
    beside = f"{cost.disk * cost.megabytes:.1f} MB"
    yield Row(
        part, f"{part}: journal / sources on disk", cost.disk, "x", limits.disk, beside=beside
    )
    alone = cost.alone
    beside = f"{alone.wall:.2f} s, {alone.cpu:.2f} s CPU, {alone.peak / 1e6:.0f} MB"
    times = alone.wall / loads.wall
    yield Row(part, f"{what}, on one core, wall / json.loads", times, "x", None, beside=beside)


def _a_core() -> int:
    """One of the processors that this process may use."""
    if not hasattr(os, "sched_getaffinity"):
        return 0
    return min(os.sched_getaffinity(0))
