"""`make torture` reports what goes wrong, and repeats a trial exactly."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bench.torture import __main__ as torture
from bench.torture.mutate import mutate_lines
from bench.torture.sandbox import Done, Home
from bench.torture.schedule import one_trial
from bench.torture.trials import Failed

WRONG = {
    "a traceback": Done(1, "", "Traceback (most recent call last):\nValueError"),
    "an exit code": Done(1, "", "1 difference found"),
    "a signal": Done(-9, "", ""),
}


def answering(answers: Iterator[Done]) -> Any:
    return lambda home, *args, **options: next(answers)


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("discipline", ["mutations", "imports", "arrival"])
def test_a_command_that_fails_is_a_failed_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, discipline: str, wrong: str
) -> None:
    monkeypatch.setattr(Home, "aj", answering(iter([WRONG[wrong]])))
    found = one_trial(torture.DISCIPLINES[discipline](str(tmp_path)), 1, 0)
    assert isinstance(found, Failed)
    assert found.row != "not tried", found.what


def test_a_failure_is_printed_with_the_command_that_repeats_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = torture.Table(7)
    table.add("damage", Failed("damage", 123, "journal.db", "verify: exit 0"))
    table.print()
    said = capsys.readouterr().out
    assert "FAILED damage, journal.db: verify: exit 0" in said
    assert "make torture TORTURE_SEED=7 TORTURE_TRIAL=damage:123" in said
    assert "| damage | journal.db | 1 | 1 |" in said


def test_the_same_seed_makes_the_same_mutations() -> None:
    lines = b'{"type":"user","message":{"content":"hello"}}\n' * 40
    first, second, other = (mutate_lines(lines, 0.5, random.Random(seed)) for seed in (1, 1, 2))
    assert first == second
    assert first != other
