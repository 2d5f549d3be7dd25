"""A sync of named files reads these as a full sync would, and leaves everything else alone."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_journal.connectors.base import Connector, FoundFile, Unlisted
from agent_journal.errors import UsageError
from agent_journal.store.catalog.store import last_sync
from agent_journal.sync import discovery, named_files
from tests.support.arrivals import all_cases, build, cases_with_several_files
from tests.support.journals import journal_digest, open_journal, texts, write_claude


def _sync(home: Path, *files: Path, **options: bool) -> int:
    with open_journal(home, AJ_AIDER_PATH=str(home)) as journal:
        return journal.sync(files=files, **options).changed_files


def test_only_the_named_file_is_read(tmp_path: Path) -> None:
    first = write_claude(tmp_path, "s1")
    write_claude(tmp_path, "s2")
    assert _sync(tmp_path, first) == 1
    with open_journal(tmp_path) as journal:
        assert [session.id for session in journal.sessions()] == ["s1"]
        assert last_sync(journal.config.index_path) is None
    write_claude(tmp_path, "s1", count=2, start=4)
    assert _sync(tmp_path, first) == 1
    assert _sync(tmp_path, first) == 0
    assert len(texts(tmp_path)) == 6
    with open_journal(tmp_path) as journal:
        assert journal.sync().new_sessions == 1


def test_a_known_file_needs_no_discovery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_claude(tmp_path)
    _sync(tmp_path, path)
    write_claude(tmp_path, count=2, start=4)

    def fail(*_: object) -> None:
        raise AssertionError("a folder was listed")

    monkeypatch.setattr(discovery, "found_files", fail)
    monkeypatch.setattr(named_files, "found_files", fail)
    assert _sync(tmp_path, path) == 1
    assert len(texts(tmp_path)) == 6


def test_a_path_that_no_agent_knows_is_named(tmp_path: Path) -> None:
    known = write_claude(tmp_path)
    other = tmp_path / ".claude/settings.json"
    other.write_text("{}")
    with pytest.raises(UsageError, match=r"no agent has a file .*settings\.json"):
        _sync(tmp_path, known, other)
    with pytest.raises(UsageError, match="nowhere"):
        _sync(tmp_path, tmp_path / "nowhere.jsonl")


def test_a_file_that_is_gone_is_marked_and_kept(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    write_claude(tmp_path, "s2")
    with open_journal(tmp_path) as journal:
        journal.sync()
        path.unlink()
        assert journal.sync(files=[path]).vanished_files == 1
        assert journal.sync().vanished_files == 0
    assert len(texts(tmp_path)) == 4


def test_a_path_through_a_link_is_the_same_file(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    link = tmp_path / "link"
    link.symlink_to(path.parent)
    assert _sync(tmp_path, link / path.name) == 1
    assert len(texts(tmp_path)) == 4


def test_problems_of_other_places_stay(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    write_claude(tmp_path, "s2").with_name("s3.jsonl").symlink_to("nowhere.jsonl")
    with open_journal(tmp_path) as journal:
        before = journal.sync().problems
        write_claude(tmp_path, count=2, start=4)
        assert before == journal.sync(files=[path]).problems == 1


def test_a_lost_catalog_is_rebuilt_with_everything(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    write_claude(tmp_path, "s2")
    with open_journal(tmp_path) as journal:
        journal.sync()
        journal.close()
        shutil.rmtree(journal.config.index_path)
        journal.sync(files=[path])
        assert len(journal.sessions()) == 2


@pytest.mark.parametrize("case", cases_with_several_files(), ids=lambda case: case.name)
def test_all_files_one_by_one_give_the_journal_of_a_full_sync(tmp_path: Path, case: Path) -> None:
    home = tmp_path / "home"
    names = build(case, home)
    with open_journal(home, AJ_AIDER_PATH=str(home)) as journal:
        journal.sync(index=False)
    at_once = journal_digest(home, AJ_AIDER_PATH=str(home))
    with open_journal(home, AJ_AIDER_PATH=str(home)) as journal:
        paths = [file for (file,) in journal.db.execute("SELECT path FROM files ORDER BY id DESC")]
    shutil.rmtree(home / ".agent-journal")
    on_disk = [path for path in paths if os.path.exists(path)]
    assert len(on_disk) <= len(names)
    for path in on_disk:
        _sync(home, Path(path), index=False)
    assert journal_digest(home, AJ_AIDER_PATH=str(home)) == at_once


def test_unknown_files_can_be_left_out(tmp_path: Path) -> None:
    known = write_claude(tmp_path)
    other = tmp_path / ".claude/settings.json"
    other.write_text("{}")
    with open_journal(tmp_path) as journal:
        report = journal.sync(files=[other, known, tmp_path / "no"], skip_unknown=True)
    assert report.changed_files == 1
    assert report.unknown_files == (str(other), str(tmp_path / "no"))
    assert len(texts(tmp_path)) == 4


def test_new_files_need_one_listing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [write_claude(tmp_path, f"s{number}") for number in range(5)]
    listed: list[str] = []

    def counted(connector: Connector, root: str) -> Iterator[FoundFile | Unlisted]:
        listed.append(root)
        return discovery.found_files(connector, root)

    monkeypatch.setattr(named_files, "found_files", counted)
    with open_journal(tmp_path, AJ_AIDER_PATH=str(tmp_path)) as journal:
        assert journal.sync(files=paths).changed_files == 5
    assert listed.count(str(tmp_path / ".claude")) == 1


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("case", all_cases(), ids=lambda case: f"{case.parent.name}-{case.name}")
def test_growing_files_give_the_journal_of_a_full_sync(
    tmp_path: Path, case: Path, seed: int
) -> None:
    """What a watcher does: after each step only the files that it changed are named."""
    whole = tmp_path / "whole"
    names = build(case, whole)
    home = tmp_path / "home"
    rng = random.Random(f"grow {case.parent.name} {case.name} {seed}")
    for name in rng.sample(names, len(names)):
        for part in _steps(whole / name, rng):
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(part)
            shutil.copystat(whole / name, path)
            with open_journal(home, AJ_AIDER_PATH=str(home)) as journal:
                journal.sync(files=[path], skip_unknown=True, index=False)
    grown = journal_digest(home, AJ_AIDER_PATH=str(home))
    with open_journal(home, AJ_AIDER_PATH=str(home)) as journal:
        assert journal.sync(index=False).changed_files == 0
    shutil.rmtree(home / ".agent-journal")
    with open_journal(home, AJ_AIDER_PATH=str(home)) as journal:
        journal.sync(index=False)
    assert journal_digest(home, AJ_AIDER_PATH=str(home)) == grown


def _steps(path: Path, rng: random.Random) -> list[bytes]:
    """The states of a file while it is written: logs grow, others appear whole."""
    data = path.read_bytes()
    if path.suffix not in (".jsonl", ".md"):
        return [data]
    cuts = sorted(rng.sample(range(1, max(2, len(data))), min(2, max(0, len(data) - 1))))
    return [*(data[:cut] for cut in cuts), data]
