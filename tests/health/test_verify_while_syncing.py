"""A sync during `aj verify` is no damage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_journal.cli.main import run
from agent_journal.health import verify as verifying
from tests.support.journals import aj, flip_a_byte_of_the_archive, variables, write_claude


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often the journal is verified; the first time, another process syncs in the middle."""
    counted: list[int] = []
    verify = verifying.verify

    def interrupted(*args: Any, **options: Any) -> Any:
        counted.append(1)
        if len(counted) == 1:
            options["progress"] = lambda _: sync_more()
        return verify(*args, **options)

    def sync_more() -> None:
        write_claude(tmp_path, "s2")
        assert aj(tmp_path, "sync").returncode == 0

    write_claude(tmp_path)
    assert aj(tmp_path, "sync").returncode == 0
    for name, value in variables(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(verifying, "verify", interrupted)
    return counted


def test_what_a_sync_adds_meanwhile_is_no_difference(calls: list[int]) -> None:
    assert run(["verify"]) == 0
    assert len(calls) == 2


def test_damage_is_found_all_the_same(tmp_path: Path, calls: list[int]) -> None:
    flip_a_byte_of_the_archive(tmp_path)
    assert run(["verify"]) == 1
    assert len(calls) == 2


def test_without_a_sync_it_is_verified_once(tmp_path: Path, calls: list[int]) -> None:
    flip_a_byte_of_the_archive(tmp_path)
    calls.append(1)  # no sync comes
    assert run(["verify"]) == 1
    assert len(calls) == 2
