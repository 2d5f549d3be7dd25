"""What hostile or damaged sources may cost: values of databases, odd lines, wrong types."""

from __future__ import annotations

import datetime
import tracemalloc
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_journal.connectors import get_connector, json_repair, jsonl, sqlite
from agent_journal.connectors.base import ROWS_MARK, Extract, FileIdentity
from agent_journal.connectors.json_repair import salvage
from tests.support.assemble import BytesContent
from tests.support.cursor_home import write_database
from tests.support.journals import aj_json, claude_line, texts, write_claude
from tests.support.vscode import case, state_db

LIMIT = 50_000


@pytest.fixture
def small_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "MAX_VALUE", LIMIT)


# -- values of databases -----------------------------------------------------------------------


@pytest.mark.usefixtures("small_values")
def test_a_value_of_vscode_that_is_too_large_is_named_and_the_others_are_kept(
    tmp_path: Path,
) -> None:
    rows = {"interactive.sessions": case(12), "memento/interactive-session": "x" * 2 * LIMIT}
    path = state_db(tmp_path / "state.vscdb", rows)
    extracts, damage = get_connector("vscode-chat").extract(str(path))  # type: ignore[attr-defined]
    assert [extract.role for extract in extracts] == ["session"]
    assert damage == f"the value of memento/interactive-session is {sqlite.TOO_LARGE}"


def cursor_extracts(path: Path) -> tuple[dict[str, bytes], list[str]]:
    """The bytes of the extracts of a database by name, and the problems."""
    found: dict[str, bytes] = {}
    problems: list[str] = []
    connector = get_connector("cursor")
    for extract in connector.extract_changes(str(path), {}):  # type: ignore[attr-defined]
        if isinstance(extract, Extract):
            data = extract.data or b""
            found[extract.name] = data if isinstance(data, bytes) else b"".join(data)
        else:
            problems.append(extract)
    return found, problems


@pytest.mark.usefixtures("small_values")
def test_values_of_cursor_that_are_too_large_are_named_and_the_others_are_kept(
    tmp_path: Path,
) -> None:
    path = tmp_path / "state.vscdb"
    rows = [
        ["composerData:c1", {"fullConversationHeadersOnly": [{"bubbleId": "b1"}]}],
        ["bubbleId:c1:b1", {"type": 1, "text": "hello"}],
        ["bubbleId:c1:b2", {"type": 1, "text": "x" * 2 * LIMIT}],
        ["composerData:c2", {"text": "x" * 2 * LIMIT}],
        ["bubbleId:c2:b1", {"type": 1, "text": "of a large one"}],
    ]
    items = [["aiService.prompts", "x" * 2 * LIMIT]]
    write_database(path, {"cursorDiskKV": rows, "ItemTable": items})
    found, problems = cursor_extracts(path)
    assert problems == [f"the value of aiService.prompts is {sqlite.TOO_LARGE}"]
    assert b"hello" in found["conversation-c1.jsonl"]
    assert b'{"key":"bubbleId:c1:b2","too_large":true}\n' in found["conversation-c1.jsonl"]
    assert b"of a large one" in found["conversation-c2.jsonl"]
    assert b'{"key":"composerData:c2","too_large":true}\n' in found["conversation-c2.jsonl"]
    name = f"globalStorage/state.vscdb{ROWS_MARK}conversation-c1.jsonl"
    reader = get_connector("cursor").reader(FileIdentity(name, f"/{name}", "session", "c1"), None)
    list(reader.read(BytesContent(found["conversation-c1.jsonl"])))
    assert [sqlite.TOO_LARGE in trouble.reason for trouble in reader.ledger.troubles] == [True]


@pytest.mark.usefixtures("small_values")
def test_a_blob_of_a_store_that_is_too_large_is_named(tmp_path: Path) -> None:
    path = tmp_path / "chats/s/store.db"
    blobs = [["m1", {"role": "user", "content": "hi"}], ["m2", {"content": "x" * 2 * LIMIT}]]
    write_database(path, {"blobs": blobs, "meta": [["0", {"agentId": "a"}]]})
    found, problems = cursor_extracts(path)
    assert not problems
    lines = found["store.jsonl"].splitlines()
    assert [b"too_large" in line for line in lines] == [False, True, False]


# -- lines -------------------------------------------------------------------------------------


def read_claude(data: bytes) -> jsonl.LogReader[Any, Any]:
    identity = FileIdentity("projects/-w/s1.jsonl", "/x/s1.jsonl", "log", "s1")
    reader: Any = get_connector("claude-code").reader(identity, None)
    list(reader.read(BytesContent(data)))
    return reader  # type: ignore[no-any-return]


def test_a_line_without_an_object_is_not_looked_at_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "segments", None)
    reader = read_claude(b'1\n"a"\n\n  \n[2]\nnull\r\n')
    assert reader.ledger.counts["malformed", "line", "not a JSON object"] == [4, 11]
    assert reader.ledger.total_bytes == reader.offset
    assert [trouble.offset for trouble in reader.ledger.troubles] == [0, 2, 10, 14]


def test_a_record_with_wrong_types_is_parsed_twice_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once as a record, once as any JSON; the values are fitted without writing them again."""
    calls: list[bytes] = []
    decode_any = json_repair.decode_any

    def counted(data: bytes) -> Any:
        calls.append(data)
        return decode_any(data)

    monkeypatch.setattr(jsonl, "decode_any", counted)
    monkeypatch.setattr(json_repair, "decode_any", counted)
    line = msgspec.json.encode({**claude_line("user", 0, "hello"), "timestamp": {"a": 1}})
    reader = read_claude((line + b"\n") * 10)
    assert len(calls) == 10
    assert [trouble.reason for trouble in reader.ledger.troubles] == [
        "unexpected value in 'timestamp'"
    ] * 10


class Inner(msgspec.Struct, rename="camel"):
    some_count: int | None = None
    kept: msgspec.Raw = msgspec.Raw(b"")
    when: datetime.datetime | None = None


class Outer(msgspec.Struct, rename="camel"):
    inner: Inner | None = None
    by_number: dict[int, str] = {}
    a_text: str = ""
    some_items: list[Inner] = []
    anything: Any = None


def test_what_fits_is_salvaged_also_where_parts_stay_json() -> None:
    inner = {"someCount": 3, "kept": {"a": [1]}, "when": "2026-11-01T00:00:00Z"}
    value = {
        "inner": {**inner, "someCount": "3"},
        "byNumber": {"1": "one"},
        "aText": 5,
        "someItems": [inner],
        "anything": {"x": None},
        "unknown": 1,
    }
    record, dropped = salvage(value, Outer)
    assert isinstance(record, Outer)
    assert dropped == ["inner.someCount", "aText"]
    assert record.inner is not None
    assert bytes(record.inner.kept) == b'{"a":[1]}'
    assert record.inner.when == datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)
    assert (record.by_number, record.anything) == ({1: "one"}, {"x": None})
    assert record.some_items[0].some_count == 3


def test_lines_of_ones_cost_the_neighbours_nothing(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=2)
    with path.open("ab") as out:
        out.write(b"1\n" * 1_000)
    write_claude(tmp_path, count=2, start=2)
    assert aj_json(tmp_path, "sync")["items"][0]["problems"] == 100
    assert len(texts(tmp_path)) == 4


# -- memory ------------------------------------------------------------------------------------


def test_a_huge_line_is_in_memory_once_beside_what_it_says() -> None:
    text = "x" * 2**24
    line = f'{{"kind":0,"v":{{"sessionId":"s","requests":[],"note":"{text}"}}}}\n'
    content = BytesContent(line.encode(), 2**18)
    reader = get_connector("vscode-chat").reader(FileIdentity("s", "/s", "replay", "s"), None)
    tracemalloc.start()
    list(reader.read(content))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2.5 * len(text)
