"""Cursor: what is extracted from a database, and when."""

from __future__ import annotations

import base64
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_journal.connectors.cursor.changes import Fingerprint
from tests.support.cursor_home import (
    CONVERSATION,
    GLOBAL,
    WORKSPACE,
    build,
    extracts,
    write_database,
)


def test_only_known_keys_of_the_item_table_are_extracted(tmp_path: Path) -> None:
    home = build("editor", tmp_path)
    data = b"".join(
        data or b""
        for place in (GLOBAL, f"{WORKSPACE}/state.vscdb")
        for _, data in extracts(home / place)
    )
    assert b"secret" not in data
    assert b"checkpointId" not in data


def test_values_that_are_not_json_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    rows = [
        ["bubbleId:c:1", b"\xff\xfe"],
        ["bubbleId:c:2", '{\n"type":1,\n"text":"two lines"}'],
        ["bubbleId:c:3", 7],
    ]
    write_database(path, {"cursorDiskKV": rows})
    ((extract, data),) = extracts(path)
    assert extract.session_id == "c"
    assert data == (
        b'{"key":"bubbleId:c:1","base64":"//4="}\n'
        b'{"key":"bubbleId:c:2","text":"{\\n\\"type\\":1,\\n\\"text\\":\\"two lines\\"}"}\n'
        b'{"key":"bubbleId:c:3","value":7}\n'
    )


def test_a_conversation_with_a_byte_that_is_not_utf8_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    value = b'{"name":"a \xff","fullConversationHeadersOnly":[]}'
    rows = [("composerData:c", value), ("bubbleId:c:1", b'{"type":1}')]
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
        db.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", rows)
    ((extract, data),) = extracts(path)
    assert extract.session_id == "c"
    assert base64.b64encode(value) in (data or b"")
    assert b'"type":1' in (data or b"")


def test_only_changed_conversations_are_read(tmp_path: Path) -> None:
    path = build("editor", tmp_path) / GLOBAL
    kept = {extract.name: extract.stamp for extract, _ in extracts(path) if extract.stamp}
    assert len(kept) == 11
    assert [data for _, data in extracts(path, kept)] == [None] * 11
    name = f"conversation-{CONVERSATION}.jsonl"
    rows = [[f"bubbleId:{CONVERSATION}:a1", {"type": 2, "text": "Another"}]]
    write_database(path, {"cursorDiskKV": rows})
    assert [extract.name for extract, data in extracts(path, kept) if data is not None] == [name]


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM cursorDiskKV WHERE key = 'bubbleId:{0}:r1'",
        "UPDATE cursorDiskKV SET value = value || ' ' WHERE key = 'composerData:{0}'",
        "INSERT OR REPLACE INTO cursorDiskKV "
        "SELECT key, value FROM cursorDiskKV WHERE key = 'bubbleId:{0}:u1'",
        "INSERT INTO cursorDiskKV VALUES ('bubbleId:{0}:new', NULL)",
        "UPDATE composerHeaders SET lastUpdatedAt = 7",
    ],
)
def test_what_the_stamp_sees(tmp_path: Path, change: str) -> None:
    composer_id = CONVERSATION
    if "composerHeaders" in change:
        composer_id = "c0000000-0000-4000-8000-000000000003"
    path = build("editor", tmp_path) / GLOBAL
    kept = {extract.name: extract.stamp for extract, _ in extracts(path) if extract.stamp}
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(change.format(composer_id))
    assert [extract.name for extract, data in extracts(path, kept) if data is not None] == [
        f"conversation-{composer_id}.jsonl"
    ]


def test_no_value_is_read_to_see_what_changed(tmp_path: Path) -> None:
    path = build("editor", tmp_path) / GLOBAL
    with closing(sqlite3.connect(path)) as db:
        for query in (
            "key >= 'bubbleId:' AND key < 'bubbleId;'",
            "key >= 'composerData:' AND key < 'composerData;'",
        ):
            plan = db.execute(
                f"EXPLAIN QUERY PLAN SELECT key, rowid FROM cursorDiskKV WHERE {query}"
            ).fetchall()
            assert "COVERING INDEX" in plan[0][3]


def test_a_table_without_rowids_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE cursorDiskKV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID")
        db.execute("""INSERT INTO cursorDiskKV VALUES ('bubbleId:c:1', '{"type":1,"text":"hi"}')""")
    ((extract, data),) = extracts(path)
    assert extract.stamp is None
    assert data == b'{"key":"bubbleId:c:1","value":{"type":1,"text":"hi"}}\n'


def test_stamps_stay_the_same_from_version_to_version() -> None:
    """Another stamp for the same rows would make every journal read all conversations again."""
    fingerprint = Fingerprint((7, 20), (2, 15, "bubbleId:c:1", 8, 30), (b"w", 1700000000000, 1))
    assert fingerprint.stamp() == (2, 20801693432232678, 27800435948220602)
    assert Fingerprint().stamp() == (0, 21918093935580775, 16693832051617613)
