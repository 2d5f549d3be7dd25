"""Shares the time between disciplines, in several processes."""

from __future__ import annotations

import os
import pickle
import select
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from bench.torture.sandbox import Broken
from bench.torture.trials import Discipline, Failed, Report, random_of

Makers = list[Callable[[str], Discipline]]
Result = tuple[str, Report | Failed]


def run_all(
    makers: Makers, folder: str, seed: int, seconds: float, workers: int
) -> Iterator[Result]:
    """Have every worker do its share of the trials; yields results as they come."""
    deadline = time.monotonic() + seconds
    pipes: dict[int, int] = {}
    for worker in range(workers):
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            place = os.path.join(folder, f"worker{worker}")
            _work(_trials(makers, place, seed, deadline, worker, workers), writing)
        os.close(writing)
        pipes[reading] = pid
    while pipes:
        ready, _, _ = select.select(list(pipes), [], [])
        for reading in ready:
            result = _receive(reading)
            if result is None:
                os.close(reading)
                _, status = os.waitpid(pipes.pop(reading), 0)
                if status:
                    yield "schedule", Failed("schedule", 0, "a process", f"it ended with {status}")
            else:
                yield result


def _work(results: Iterator[Result], writing: int) -> None:
    """Send the results of all trials of this process, which then ends."""
    code = 1
    try:
        for result in results:
            _send(writing, result)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _trials(
    makers: Makers, folder: str, seed: int, deadline: float, worker: int, workers: int
) -> Iterator[Result]:
    """Run trials until the time is up; every discipline has at least one."""
    disciplines = [maker(folder) for maker in makers]
    numbers = [worker] * len(disciplines)
    spent = [0.0] * len(disciplines)
    while True:
        share = [spent[at] / discipline.weight for at, discipline in enumerate(disciplines)]
        at = share.index(min(share))
        is_first = numbers[at] == worker
        if time.monotonic() > deadline and not is_first:
            return
        started = time.monotonic()
        yield disciplines[at].name, one_trial(disciplines[at], seed, numbers[at])
        spent[at] += time.monotonic() - started
        numbers[at] += workers


def one_trial(discipline: Discipline, seed: int, number: int) -> Report | Failed:
    """Run one trial."""
    rng = random_of(seed, discipline.name, number)
    try:
        counts = discipline.trial(number, rng)
    except Broken as broken:
        return Failed(discipline.name, number, discipline.row(number), str(broken))
    except Exception:  # of this program: a trial that could not be made
        what = " / ".join(traceback.format_exc().splitlines()[-3:])
        return Failed(discipline.name, number, "not tried", what)
    return Report(discipline.row(number), counts)


def _send(writing: int, result: Any) -> None:
    data = pickle.dumps(result)
    data = len(data).to_bytes(4, "big") + data
    while data:
        data = data[os.write(writing, data) :]


def _receive(reading: int) -> Any:
    size = _read(reading, 4)
    if len(size) < 4:
        return None
    return pickle.loads(_read(reading, int.from_bytes(size, "big")))


def _read(reading: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = os.read(reading, size - len(data))
        if not part:
            break
        data += part
    return data
