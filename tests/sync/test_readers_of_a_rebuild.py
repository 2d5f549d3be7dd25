"""While the catalog is rebuilt, others read the old one or the new one, and find what is there."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from agent_journal.cli.main import run
from agent_journal.search.lexical import Lexical
from agent_journal.store.catalog import replacing
from agent_journal.sync import run as syncing
from tests.support.journals import aj, aj_json, open_journal, variables, write_claude


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A journal whose items have other ids after a rebuild, for its sessions grew."""
    for start in (0, 10, 20):
        write_claude(tmp_path, "s1", start=start)
        write_claude(tmp_path, "s2", start=start)
        with open_journal(tmp_path) as journal:
            journal.sync()
    for name, value in variables(tmp_path).items():
        monkeypatch.setenv(name, value)
    return tmp_path


def rebuild(home: Path) -> None:
    with open_journal(home) as journal:
        journal.sync(rebuild=True)


def sessions(home: Path) -> list[str]:
    with open_journal(home) as journal:
        return sorted(row.id for row in journal.rows())


def found(capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    """What a search for a message of the first session finds."""
    capsys.readouterr()
    assert run(["search", "--no-sync", "--json", "--flat", *options, '"user text 20 of s1"']) == 0
    hits = json.loads(capsys.readouterr().out)["items"]
    return [hit["snippet"]["text"] for hit in hits]


def test_there_is_a_whole_catalog_at_any_moment(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []

    class Watched(sqlite3.Connection):
        """Others read before and after each copy."""

        def backup(self, target: sqlite3.Connection, **_: Any) -> None:
            def read(*_: object) -> None:
                seen.append(sessions(home))

            super().backup(target, pages=5, progress=read)

    connect = sqlite3.connect

    def watched(*args: Any, **options: Any) -> sqlite3.Connection:
        return connect(*args, factory=Watched, **options)

    with open_journal(home) as reader:  # who keeps the log from being removed
        assert reader.exists
        write_claude(home, "s3")
        with open_journal(home) as journal:
            journal.sync()
        monkeypatch.setattr(replacing.sqlite3, "connect", watched)
        rebuild(home)
    assert len(seen) > 4
    assert all(ids == ["s1", "s2", "s3"] for ids in seen)
    assert sessions(home) == ["s1", "s2", "s3"]


def test_who_reads_the_old_catalog_goes_on(home: Path) -> None:
    with open_journal(home) as reader:
        before = [message.text for message in reader.session("s1").messages]
        rebuild(home)
        assert [message.text for message in reader.session("s1").messages] == before
        reader.refresh()
        assert [message.text for message in reader.session("s1").messages] == before


@pytest.mark.parametrize("mode", ["lexical", "hybrid", "semantic"])
def test_a_search_mixes_no_catalog_with_the_index_of_another(
    home: Path, mode: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = found(capsys, "--mode", mode)
    searcher = Lexical.searcher
    calls = []

    def after_a_rebuild(self: Lexical) -> Any:
        calls.append(1)
        if len(calls) == 1:
            rebuild(home)
        return searcher(self)

    monkeypatch.setattr(Lexical, "searcher", after_a_rebuild)
    assert found(capsys, "--mode", mode) == expected
    assert len(calls) == 2


def test_a_list_mixes_no_catalog_with_the_index_of_another(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searcher = Lexical.searcher
    calls = []

    def after_a_rebuild(self: Lexical) -> Any:
        calls.append(1)
        if len(calls) == 1:
            rebuild(home)
        return searcher(self)

    monkeypatch.setattr(Lexical, "searcher", after_a_rebuild)
    assert run(["ls", '"user text 20 of s1"']) == 0
    assert len(calls) == 2


def test_indexes_of_the_old_catalog_are_not_used_with_the_new_one(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = found(capsys)
    count = "SELECT count(*) AS n, count(DISTINCT id) AS ids FROM messages"
    rows = aj_json(home, "sql", "--json", count)["items"]

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(syncing, "drop_others", killed)
        with pytest.raises(KeyboardInterrupt):
            rebuild(home)
    assert found(capsys) == expected
    assert aj_json(home, "sql", "--json", count)["items"] == rows
    assert aj(home, "verify").returncode == 0
