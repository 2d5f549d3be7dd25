"""What every connector must survive: each fixture cut at every byte, random damage, and foreign files."""

from __future__ import annotations

import atexit
import functools
import random
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_journal.connectors import NAMES, get_connector, jsonl
from agent_journal.connectors.base import GROWING, Connector, FileIdentity, FoundFile, Pause
from agent_journal.joining import join_messages
from agent_journal.model import Message, ToolCall
from agent_journal.quotes import text_at
from assemble import BytesContent
from cursor_home import build, files_of

CASES = Path(__file__).parent
FOLDERS = {
    "claude-code": ("claude_code", ".claude"),
    "copilot-cli": ("copilot_cli", ".copilot"),
    "vscode-chat": ("vscode_chat", ".config/Code/User"),
    "cursor": ("cursor", ""),
    "vscode-export": ("vscode_export", ""),
}


@functools.cache
def cursor_homes() -> list[Path]:
    """The cases of Cursor, with their databases."""
    cases = sorted(path.parent.name for path in (CASES / "cursor").glob("*/home"))
    folder = Path(tempfile.mkdtemp(prefix="aj-cursor-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return [build(case, folder / case) for case in cases]


def fixtures(agent: str) -> Iterator[FoundFile]:
    """All files of all cases of an agent, small ones first."""
    folder, root = FOLDERS[agent]
    if agent == "vscode-export":  # they are handed over by name
        path = CASES / folder / "chat.json"
        yield FoundFile(str(path), path.name, "session", path.stat().st_size, 0, 0, "export")
        return
    if agent == "cursor":  # with what is taken out of its databases
        yield from sorted((file for home in cursor_homes() for file in files_of(home)), key=lambda file: file.size)
        return
    found = [
        file
        for home in sorted((CASES / folder).glob("*/home"))
        for file in get_connector(agent).discover(str(home / root))
        if isinstance(file, FoundFile)
    ]
    assert found, f"no fixtures for {agent}"
    yield from sorted(found, key=lambda file: file.size)


def read(connector: Connector, file: FoundFile, data: bytes, chunk_size: int = 1 << 16) -> list[object]:
    """Reads bytes as that file; fails when a byte is not accounted for."""
    reader = connector.reader(FileIdentity(file.name, file.path, file.role, file.session_id), None)
    pieces: list[object] = []
    messages: dict[tuple[str, str], Message] = {}
    for piece in reader.read(BytesContent(data, chunk_size)):
        if isinstance(piece, Message):
            key = (piece.session_id, piece.id)
            messages[key] = join_messages((messages[key], piece)) if key in messages else piece
        elif not isinstance(piece, Pause):
            pieces.append(piece)
        if isinstance(piece, ToolCall) and piece.result_at is not None:
            quote = piece.result_at
            assert text_at(data[quote.offset : quote.offset + quote.length], quote.path) == piece.result
    list(reader.sessions())
    reader.save()
    pending = len(data) - reader.offset
    assert reader.ledger.total_bytes + pending == len(data), (file.name, len(data))
    assert pending == 0 or file.role in GROWING
    return [*messages.values(), *pieces]


@pytest.fixture(autouse=True)
def quotes_of_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small fixtures have short results: here they are quoted, too."""
    monkeypatch.setattr(jsonl, "QUOTED_FROM", 1)


@pytest.mark.parametrize("agent", ["claude-code", "copilot-cli"])
def test_results_are_quoted(agent: str) -> None:
    connector = get_connector(agent)
    pieces = [p for f in fixtures(agent) if f.role == "log" for p in read(connector, f, Path(f.path).read_bytes())]
    results = [piece for piece in pieces if isinstance(piece, ToolCall) and piece.result]
    assert sum(call.result_at is not None for call in results) > len(results) / 2


@pytest.mark.parametrize("agent", NAMES)
def test_cut_at_every_byte(agent: str) -> None:
    connector = get_connector(agent)
    for file in fixtures(agent):
        if file.role in ("kept", "rows"):
            continue
        data = Path(file.path).read_bytes()
        whole = len(read(connector, file, data))
        for cut in range(len(data)):
            # One more: a cut that leaves half an object may turn one record into a problem, never into more.
            assert len(read(connector, file, data[:cut])) <= whole + 1, (file.name, cut)


@pytest.mark.parametrize("agent", NAMES)
def test_random_damage(agent: str) -> None:
    """Two thousand corruptions: flipped bits, holes, zeros, repeated and exchanged parts."""
    connector = get_connector(agent)
    files = [file for file in fixtures(agent) if file.size > 0 and file.role not in ("kept", "rows")]
    rng = random.Random(20261115)
    for _ in range(2000):
        file = rng.choice(files)
        read(connector, file, damaged(Path(file.path).read_bytes(), rng), rng.choice((7, 100, 1 << 16)))


def test_databases_cut_and_damaged(tmp_path: Path) -> None:
    """What SQLite makes of half a database is a problem, never an exception."""
    connector = get_connector("copilot-cli")
    rng = random.Random(3)
    for name, table in (
        ("session-state/s/session.db", "CREATE TABLE todos (id TEXT PRIMARY KEY, title TEXT, status TEXT)"),
        ("session-store.db", "CREATE TABLE assistant_usage_events (id INTEGER, session_id TEXT, input_tokens INTEGER)"),
    ):
        path = tmp_path / name.rpartition("/")[2]
        with sqlite3.connect(path) as db:
            db.execute(table)
            table_name = table.split()[2]
            db.executemany(f"INSERT INTO {table_name} VALUES (?, ?, ?)", [(n, f"s{n}", n) for n in range(60)])
        db.close()
        data = path.read_bytes()
        file = FoundFile(str(path), name, "database", len(data), 0, 0)
        assert read(connector, file, data)
        for cut in range(0, len(data), 61):
            read(connector, file, data[:cut])
        for _ in range(300):
            read(connector, file, damaged(data, rng))


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The bytes with one to four random accidents."""
    for _ in range(rng.randint(1, 4)):
        if not data:
            return data
        start = rng.randrange(len(data))
        end = min(len(data), start + rng.randint(1, 60))
        accident = rng.randrange(6)
        if accident == 0:
            data = data[:start] + bytes([data[start] ^ (1 << rng.randrange(8))]) + data[start + 1 :]
        elif accident == 1:
            data = data[:start] + data[end:]
        elif accident == 2:
            data = data[:start] + b"\0" * (end - start) + data[end:]
        elif accident == 3:
            data = data[:end] + data[start:end] + data[end:]
        elif accident == 4:
            data = data[:start] + rng.randbytes(end - start) + data[end:]
        else:
            data = data[:start] + rng.choice((b"null", b"[]", b"{}", b'"x"', b"-1", b"1e999", b"\n")) + data[end:]
    return data


@pytest.mark.parametrize("agent", NAMES)
def test_files_of_another_shape_under_every_name(agent: str) -> None:
    """Every kind of value where an object, a string or a number is expected."""
    connector = get_connector(agent)
    odd = [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"3",
        b'"text"',
        b"[null]",
        b'{"type":null}',
        b'{"type":{}}',
        b"\xff\xfe",
        b"\0\0",
    ]
    for file in fixtures(agent):
        for data in odd:
            read(connector, file, data)
            read(connector, file, data + b"\n" + data + b"\n")


@pytest.mark.parametrize("agent", NAMES)
def test_every_field_with_every_kind_of_value(agent: str) -> None:
    """Each value of each record of each fixture, replaced by values of other types."""
    import json

    connector = get_connector(agent)
    rng = random.Random(7)
    for file in fixtures(agent):
        if file.role != "log":
            continue
        for line in Path(file.path).read_bytes().split(b"\n"):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if not isinstance(record, dict):
                continue
            places = list(_places(record))
            for place in rng.sample(places, min(len(places), 12)):
                for value in (None, 7, -1.5, "text", [], {}, [{}], {"a": [1]}, True):
                    changed = json.dumps(_replaced(record, place, value)).encode() + b"\n"
                    read(connector, file, changed)


def _places(value: object, path: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in items:
        yield (*path, key)
        yield from _places(below, (*path, key))


def _replaced(value: object, path: tuple[object, ...], new: object) -> object:
    if not path:
        return new
    if isinstance(value, dict):
        return {key: _replaced(below, path[1:], new) if key == path[0] else below for key, below in value.items()}
    assert isinstance(value, list)
    return [_replaced(below, path[1:], new) if key == path[0] else below for key, below in enumerate(value)]
