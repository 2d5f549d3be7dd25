"""What happens during a sync or during `aj verify` is no damage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_journal.cli.main import run
from agent_journal.health import verify as verifying
from agent_journal.journal import Journal
from agent_journal.sync import capture
from tests.support.journals import (
    aj,
    flip_a_byte_of_the_archive,
    open_journal,
    variables,
    write_claude,
)


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


def test_what_a_sync_adds_meanwhile_is_no_difference(tmp_path: Path, calls: list[int]) -> None:
    assert run(["verify"]) == 0
    assert len(calls) == 2
    index = tmp_path / ".agent-journal/index"
    assert not {"damaged", "compare"} & {path.name for path in index.iterdir()}


def test_nor_is_what_a_sync_adds_before_anything_is_read(
    tmp_path: Path, calls: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls.append(1)  # no other sync comes
    syncs: list[int] = []
    find_db = Journal.find_db

    def followed_by_a_sync(journal: Journal) -> Any:
        found = find_db(journal)
        if not syncs:
            write_claude(tmp_path, "s2")
            syncs.append(aj(tmp_path, "sync").returncode)
        return found

    monkeypatch.setattr(Journal, "find_db", followed_by_a_sync)
    assert run(["verify"]) == 0
    assert syncs == [0]


def test_nor_are_the_indexes_of_a_catalog_that_is_rebuilt_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for start in (0, 10):  # so that items have other ids then
        write_claude(tmp_path, start=start)
        assert aj(tmp_path, "sql", "SELECT count(*) FROM messages").returncode == 0
        assert aj(tmp_path, "sync").returncode == 0
    rebuilds: list[int] = []
    faults = verifying.index_faults

    def after_a_rebuild(*args: Any) -> Any:
        if not rebuilds:
            rebuilds.append(aj(tmp_path, "sync", "--rebuild").returncode)
        return faults(*args)

    for name, value in variables(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(verifying, "index_faults", after_a_rebuild)
    assert run(["verify"]) == 0
    assert rebuilds == [0]


def test_damage_is_found_all_the_same(tmp_path: Path, calls: list[int]) -> None:
    flip_a_byte_of_the_archive(tmp_path)
    assert run(["verify"]) == 1
    assert len(calls) == 2


def test_without_a_sync_it_is_verified_once(tmp_path: Path, calls: list[int]) -> None:
    flip_a_byte_of_the_archive(tmp_path)
    calls.append(1)  # no sync comes
    assert run(["verify"]) == 1
    assert len(calls) == 2


def test_a_file_that_is_gone_before_it_can_be_kept_is_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_claude(tmp_path)
    assert aj(tmp_path, "sync").returncode == 0
    path = write_claude(tmp_path, "s2")
    open_regular = capture._open_regular
    monkeypatch.setattr(capture, "_open_regular", lambda found: open_regular(f"{found}-gone"))
    with open_journal(tmp_path) as journal:
        journal.sync()
        query = "SELECT status, version_id FROM files WHERE path = ?"
        assert journal.db.execute(query, (str(path),)).fetchone() == ("unreadable", None)
    assert aj(tmp_path, "verify").returncode == 0
