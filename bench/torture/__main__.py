"""Tortures agent-journal, and prints a table of tries and failures.

    make torture                                        all disciplines, five minutes
    make torture TORTURE_S=1800 TORTURE_SEED=7
    make torture TORTURE=kills,damage
    make torture TORTURE_SEED=7 TORTURE_TRIAL=damage:123   repeats exactly one trial

Exits with 1 if any trial failed. bench/README.md says what is tried.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from typing import Any

from bench.torture import hook
from bench.torture.arrival import Arrival
from bench.torture.changes import Changes
from bench.torture.damage import Damage
from bench.torture.full_disk import FullDisk
from bench.torture.imports import Imports
from bench.torture.kills import Kills
from bench.torture.load import Load
from bench.torture.mutations import Mutations
from bench.torture.sandbox import import_everything, make_everything_small
from bench.torture.schedule import Makers, one_trial, run_all
from bench.torture.trials import Failed, Report

_ALL = (Kills, FullDisk, Changes, Damage, Mutations, Imports, Arrival, Load)
DISCIPLINES: dict[str, Any] = {discipline.name: discipline for discipline in _ALL}
_FOLDER = "AJ_TORTURE_FOLDER"  # set in the process that has the hook
_FEW = 20  # failures that are printed in full for each discipline


class Table:
    """Tries and failures, by discipline and row."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rows: dict[tuple[str, str], dict[str, int]] = {}
        self.failures: list[Failed] = []

    def add(self, discipline: str, result: Report | Failed) -> None:
        """Count a trial; a failure is printed at once."""
        row = self.rows.setdefault((discipline, result.row), {"tries": 0, "failures": 0})
        row["tries"] += 1
        if isinstance(result, Failed):
            row["failures"] += 1
            self.failures.append(result)
            self._print_failure(result)
            return
        for name, count in result.counts.items():
            row[name] = row.get(name, 0) + count

    def _print_failure(self, failed: Failed) -> None:
        same = sum(other.discipline == failed.discipline for other in self.failures)
        if same <= _FEW:
            print(f"FAILED {failed.discipline}, {failed.row}: {failed.what}")
            trial = f"{failed.discipline}:{failed.number}"
            print(f"    make torture TORTURE_SEED={self.seed} TORTURE_TRIAL={trial}", flush=True)

    def print(self) -> None:
        """Print the table, with the sum of each discipline."""
        order = list(DISCIPLINES)
        print("\n| discipline | of | tries | failures | |\n|---|---|---:|---:|---|")
        for discipline in order:
            rows = {key[1]: row for key, row in sorted(self.rows.items()) if key[0] == discipline}
            for name, row in rows.items():
                print(_line(discipline, name, row))
            if len(rows) > 1:
                print(_line(discipline, "**all**", _sum(list(rows.values()))))


def _sum(rows: list[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for row in rows:
        for name, count in row.items():
            total[name] = total.get(name, 0) + count
    return total


def _line(discipline: str, name: str, row: dict[str, int]) -> str:
    more = [f"{count:,} {what}" for what, count in row.items() if what not in ("tries", "failures")]
    cells = (discipline, name, f"{row['tries']:,}", f"{row['failures']:,}", ", ".join(more))
    return f"| {' | '.join(cells)} |"


def main() -> None:
    asked = _arguments()
    if _FOLDER not in os.environ:
        sys.exit(_run_with_hook())
    folder = os.environ[_FOLDER]
    import_everything()
    make_everything_small()
    table = Table(asked.seed)
    started = time.monotonic()
    if asked.trial:
        name, _, number = asked.trial.partition(":")
        discipline = DISCIPLINES[name](os.path.join(folder, "one"))
        table.add(name, one_trial(discipline, asked.seed, int(number)))
    else:
        makers: Makers = [DISCIPLINES[name] for name in asked.only]
        for name, result in run_all(makers, folder, asked.seed, asked.seconds, asked.workers):
            table.add(name, result)
    table.print()
    failures = len(table.failures)
    print(f"\nseed {asked.seed}, {time.monotonic() - started:.0f} s, {failures:,} failures")
    sys.stdout.flush()
    os._exit(int(failures > 0))  # DuckDB would report what was never freed


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.torture",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=float, default=_setting("TORTURE_S", "300"))
    parser.add_argument("--seed", type=int, default=_setting("TORTURE_SEED", "1"))
    parser.add_argument("--only", type=_names, default=_setting("TORTURE", ""))
    parser.add_argument("--workers", type=int, default=min(4, os.cpu_count() or 1))
    parser.add_argument(
        "--trial", metavar="DISCIPLINE:NUMBER", default=_setting("TORTURE_TRIAL", "")
    )
    return parser.parse_args()


def _setting(name: str, default: str) -> str:
    """A variable of make, which may be empty."""
    return os.environ.get(name) or default


def _names(text: str) -> list[str]:
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in DISCIPLINES:
            raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(DISCIPLINES)}")
    return names or list(DISCIPLINES)


def _run_with_hook() -> int:
    """Run this program again, with the hook loaded where there is one."""
    folder = tempfile.mkdtemp(prefix="aj-torture-", dir=_memory())
    try:
        variables = dict(os.environ)
        built = hook.build(folder)
        if built is not None:
            variables = hook.preloaded(built)
        variables |= {_FOLDER: folder, "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "bench.torture", *sys.argv[1:]]
        return os.spawnve(os.P_WAIT, sys.executable, command, variables)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _memory() -> str | None:
    """A folder in memory where there is one: trials write much and keep nothing."""
    folder = "/dev/shm"
    if os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > 2**30:
        return folder
    return None


if __name__ == "__main__":
    main()
