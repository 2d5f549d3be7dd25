"""Large sessions of VS Code, whose requests stay JSON until they are read."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Raw

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.vscode_chat import packed
from agent_journal.connectors.vscode_chat.document import ReplayReader
from tests.support.assemble import BytesContent

LOGS = sorted(Path(__file__).parent.rglob("chatSessions/*.jsonl"))
CHUNK = 2**20


class Chunks(BytesContent):
    """A file that is given out in chunks, as the archive has it."""

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        for whole in super().chunks(start):
            for place in range(0, len(whole), CHUNK):
                yield whole[place : place + CHUNK]


def reader() -> ReplayReader:
    name = "workspaceStorage/w/chatSessions/s.jsonl"
    return ReplayReader(FileIdentity(name, f"/h/Code/User/{name}", "replay", "s"))


def read(data: bytes) -> dict[str, Any]:
    used = reader()
    pieces = list(used.read(BytesContent(data)))
    return {
        "pieces": pieces,
        "sessions": list(used.sessions()),
        "completeness": used.completeness,
        "counts": used.ledger.counts,
        "troubles": used.ledger.troubles,
        "document": used.document,
    }


def lines(*values: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def request(number: int, **more: Any) -> dict[str, Any]:
    return {"requestId": f"r{number}", "message": f"prompt {number}", **more}


REQUESTS = [request(number, response=[{"value": f"answer {number}"}]) for number in range(3)]
DECIDED = {"uri": {"scheme": "file", "path": "/w/a.py"}, "eventKind": 2}
ODD_LOGS = {
    "changes": lines(
        {"kind": 0, "v": {"requests": REQUESTS}},
        {"kind": 1, "k": ["requests", 1, "message"], "v": "changed"},
        {"kind": 2, "k": ["requests", 2, "response"], "v": [{"value": "and more"}]},
        {"kind": 2, "k": ["requests"], "v": [request(3, editedFileEvents=[DECIDED])]},
        {"kind": 3, "k": ["requests", 0]},
    ),
    "no objects": lines({"kind": 0, "v": {"requests": [None, 1, "text", [], REQUESTS[0]]}}),
    "no list": lines({"kind": 0, "v": {"requests": {"a": 1}}}),
    "no session": lines({"kind": 0, "v": [1, 2]}, {"kind": 0}, {"kind": 7, "v": REQUESTS}),
    "requests elsewhere": lines(
        {"kind": 0, "v": {"requests": []}},
        {"kind": 1, "k": ["inputState"], "v": {"requests": REQUESTS}},
    ),
    "a number out of range": lines({"kind": 0, "v": {"requests": [request(0, x=0.5)]}}).replace(
        b"0.5", b"1e999"
    ),
    "broken text": lines({"kind": 0, "v": {"requests": REQUESTS}}).replace(b"er 1", b"er \xff"),
    "a request that is cut": lines({"kind": 0, "v": {"requests": REQUESTS}})[:-20] + b"\n",
}


@pytest.mark.parametrize("path", LOGS, ids=lambda path: "/".join(path.parts[-5:]))
def test_a_log_is_read_alike_when_its_requests_stay_json(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = read(path.read_bytes())
    monkeypatch.setattr(packed, "LARGE", 0)
    assert read(path.read_bytes()) == expected


@pytest.mark.parametrize("name", ODD_LOGS)
def test_an_odd_log_is_read_alike_when_its_requests_stay_json(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = read(ODD_LOGS[name])
    monkeypatch.setattr(packed, "LARGE", 0)
    assert read(ODD_LOGS[name]) == expected


def test_requests_of_a_large_line_stay_json(monkeypatch: pytest.MonkeyPatch) -> None:
    line = lines({"kind": 0, "v": {"version": 3, "requests": REQUESTS}})
    assert packed.decode_line(line).v["requests"] == REQUESTS
    monkeypatch.setattr(packed, "LARGE", 0)
    value = packed.decode_line(line).v
    assert value["version"] == 3
    assert [type(each) for each in value["requests"]] == [Raw] * 3
    assert list(packed.each_request(value["requests"])) == REQUESTS


def test_a_large_session_takes_little_more_memory_than_its_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packed, "LARGE", 2**20)
    many = [request(number, response=[{"value": "word " * 20_000}]) for number in range(200)]
    data = lines({"kind": 0, "v": {"requests": many}})
    content = Chunks(data)
    tracemalloc.start()
    try:
        used = reader()
        count = sum(1 for _ in used.read(content))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 400
    assert peak < 1.4 * len(data)
