"""The word index follows whatever happens to the files."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from agent_journal.search.lexical import NAME
from agent_journal.search.terms import humps, prepared
from tests.support.journals import aj, aj_json
from tests.support.search_records import EVERYWHERE, RECORDS
from tests.support.talks import hits, record, write


def test_the_index_follows_the_files(tmp_path: Path) -> None:
    path = write(tmp_path, RECORDS[:1])
    assert aj(tmp_path, "sync").returncode == 0
    assert not hits(tmp_path, "gammaanswer")
    write(tmp_path, RECORDS)
    assert aj(tmp_path, "sync").returncode == 0
    assert hits(tmp_path, "gammaanswer")
    write(tmp_path, [record("user", "q1", "omegarewrite")])
    assert aj(tmp_path, "sync").returncode == 0
    assert hits(tmp_path, "omegarewrite")
    assert not hits(tmp_path, "gammaanswer")
    path.unlink()
    assert aj(tmp_path, "sync").returncode == 0
    assert hits(tmp_path, "omegarewrite")


def test_a_stale_search_reads_what_is_new(tmp_path: Path) -> None:
    write(tmp_path, RECORDS[:1])
    assert aj_json(tmp_path, "search", "alphaprompt")["items"]


@pytest.mark.parametrize("harm", ["gone", "garbage", "no watermark"])
def test_a_damaged_index_is_rebuilt(tmp_path: Path, harm: str) -> None:
    write(tmp_path, RECORDS)
    assert aj(tmp_path, "sync").returncode == 0
    index = tmp_path / f".agent-journal/index/{NAME}"
    if harm == "gone":
        shutil.rmtree(index)
    elif harm == "garbage":
        (index / "meta.json").write_text("{}")
    if harm == "no watermark":
        with sqlite3.connect(tmp_path / ".agent-journal/index/journal.db") as catalog:
            catalog.execute("DELETE FROM watermarks")
        catalog.close()
    assert aj(tmp_path, "sync", "--rebuild" if harm == "garbage" else "--full").returncode == 0
    assert len(hits(tmp_path, "--flat", "alphaprompt")) == 1
    assert all(hits(tmp_path, word) for word in EVERYWHERE if word != "nuhistory")


def test_only_what_is_needed_takes_space(tmp_path: Path) -> None:
    write(tmp_path, RECORDS)
    assert aj(tmp_path, "sync").returncode == 0
    meta = json.loads((tmp_path / f".agent-journal/index/{NAME}/meta.json").read_text())
    options = {field["name"]: field["options"] for field in meta["schema"]}
    indexing = {name: given["indexing"] for name, given in options.items() if "indexing" in given}
    assert [name for name in indexing if indexing[name]["fieldnorms"]] == ["body", "parts"]
    with_positions = [name for name in indexing if indexing[name]["record"] == "position"]
    assert with_positions == ["body", "command"]
    assert [name for name in options if options[name].get("indexed")] == ["id", "session"]
    assert not any(given["stored"] for given in options.values())


def test_text_for_the_index() -> None:
    assert prepared("ab検索cd") == "ab 検  索 cd"
    assert sorted(humps("getUserName HTTPServer lower Title UPPER").split()) == [
        "HTTP",
        "Name",
        "Server",
        "User",
        "get",
    ]


def test_verify_knows_the_index(tmp_path: Path) -> None:
    write(tmp_path, RECORDS)
    assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "verify").returncode == 0
    with sqlite3.connect(tmp_path / ".agent-journal/index/journal.db") as catalog:
        catalog.execute("UPDATE watermarks SET item_id = item_id + 1")
        catalog.execute("UPDATE meta SET value = value + 1 WHERE key = 'last item'")
        catalog.execute(
            "UPDATE messages SET id = (SELECT value FROM meta WHERE key = 'last item') "
            "WHERE uid = 'p1'"
        )
    catalog.close()
    done = aj(tmp_path, "verify")
    assert done.returncode == 1
    assert "1 items are missing" in done.stdout


def test_an_unfinished_index_is_rebuilt(tmp_path: Path) -> None:
    write(tmp_path, RECORDS)
    assert aj(tmp_path, "sync").returncode == 0
    # As after a kill in the middle of making it
    (tmp_path / f".agent-journal/index/{NAME}/finished").unlink()
    assert aj(tmp_path, "sync").returncode == 0
    assert hits(tmp_path, "alphaprompt")


def test_a_damaged_index_is_reported_with_a_hint(tmp_path: Path) -> None:
    write(tmp_path, RECORDS)
    assert aj(tmp_path, "sync").returncode == 0
    (tmp_path / f".agent-journal/index/{NAME}/meta.json").write_text("garbage")
    done = aj(tmp_path, "search", "--no-sync", "alphaprompt")
    assert done.returncode == 1
    assert "the next 'aj sync' rebuilds it" in done.stderr
    assert aj(tmp_path, "sync").returncode == 0
    assert hits(tmp_path, "alphaprompt")


def test_a_search_of_an_empty_journal_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "search", "x").returncode == 0
