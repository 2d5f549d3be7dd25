"""Every file of the cases: damage, growth, odd values, and the account of bytes."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors.base import FileIdentity, FoundFile, Pause
from agent_journal.connectors.claude_code import CONNECTOR
from agent_journal.model import Event
from tests.connectors.claude_code.cases import CASES, case, found, pieces
from tests.support.assemble import BytesContent


def test_damage_loses_only_what_is_damaged() -> None:
    texts = [m.text for m in case("damage").messages.values() if m.session_id == "damaged"]
    assert texts == [
        "line\u2028separator and NUL \0 inside",
        "two on one line",
        "glued",
        "seen",
        "lone surrogate \ufffd",
        "odd fields",
        "odd usage",
        "",
        "no time",
        "the last whole line",
    ]
    ledger = case("damage").ledgers["projects/-home-u-app/damaged.jsonl"]
    assert {
        (e.kind, e.reason): n for e, (n, _) in ledger.counts.items() if e.status == "malformed"
    } == {
        ("line", "not JSON"): 2,
        ("line", "not a JSON object"): 3,
    }
    assert {e.kind: n for e, (n, _) in ledger.counts.items() if e.status == "unknown"} == {
        "future-root": 1,
        "system/quantum_leap": 1,
        "attachment/hologram": 1,
        "assistant/telepathy": 1,
        "user/smell": 1,
    }
    assert [t.reason for t in ledger.troubles if t.kind == "field"] == [
        "unexpected value in 'cwd'",
        "unexpected value in 'version'",
        "unexpected value in 'message.usage.output_tokens'",
        "unexpected value in 'message'",
    ]
    assert [e.type for e in pieces("damage", Event)] == [
        "future-root",
        "system/quantum_leap",
        "attachment/hologram",
        "assistant/telepathy",
        "user/smell",
    ]
    assert all(e.raw for e in pieces("damage", Event))
    assert [s.title for s in case("damage").sessions if s.id == "damaged"] == ["Shared line"]
    assert case("damage").messages["damaged", "m2"].parent_id == "u3"


def test_a_transcript_without_lines_is_an_empty_session() -> None:
    times = {s.id: s.started_at for s in case("damage").sessions}
    assert set(times) == {"damaged", "unended", "empty", "padding"}
    assert (times["empty"], times["padding"]) == (None, None)
    assert len(case("damage").ledgers["todos/broken-agent-broken.json"].troubles) == 1
    assert len(case("damage").ledgers["stats-cache.json"].troubles) == 1


@pytest.mark.parametrize("name", CASES)
def test_every_byte_is_accounted_for(name: str) -> None:
    for file in found(name).values():
        reader = CONNECTOR.reader(
            FileIdentity(file.name, file.path, file.role, file.session_id), None
        )
        data = Path(file.path).read_bytes()
        for _ in reader.read(BytesContent(data)):
            pass
        assert reader.ledger.total_bytes == reader.offset
        pending = data[reader.offset :]
        assert pending == b"" or (
            file.name.endswith("damaged.jsonl") and pending.endswith(b"half writ")
        )


@pytest.mark.parametrize("name", CASES)
def test_reading_in_parts_gives_the_same(name: str) -> None:
    chance = random.Random(name)
    for file in found(name).values():
        if file.role != "log":
            continue
        data = Path(file.path).read_bytes()
        whole = _read(file, [data])
        ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
        for cut in [*ends, *(chance.randrange(len(data) + 1) for _ in range(40))]:
            assert _read(file, [data[:cut], data]) == whole, (file.name, cut)
        assert _read(file, [data[:end] for end in [*ends, len(data)]]) == whole


def _read(file: FoundFile, versions: list[bytes]) -> tuple[list[Any], list[Any]]:
    """The pieces and sessions of a file that grows through these versions, saved and continued
    between them.
    """
    state: bytes | None = None
    pieces: list[Any] = []
    sessions: list[Any] = []
    for data in versions:
        reader = CONNECTOR.reader(
            FileIdentity(file.name, file.path, file.role, file.session_id), state
        )
        pieces += [p for p in reader.read(BytesContent(data, 97)) if not isinstance(p, Pause)]
        sessions, state = list(reader.sessions()), reader.save()
    return pieces, sessions


HOSTILE = [
    '{"type":"user","uuid":"a","message":{"content":[{"type":"image","source":5},{"type":"image"}]}}',
    '{"type":"user","uuid":"b","message":{"content":[{"type":"tool_result","content":[{"type":"image"},7,null]}]}}',
    '{"type":"user","uuid":"c","message":{"content":[null,5]}}',
    '{"type":"user","uuid":"d","message":{"content":[{"type":"tool_result","tool_use_id":"T"}]},"toolUseResult":[1]}',
    '{"type":"assistant","uuid":"e","message":{"id":5,"model":{},"usage":[],"content":{"a":1}}}',
    '{"type":"attachment","attachment":{"type":"queued_command","prompt":5}}',
    '{"type":"attachment","attachment":{"type":"hook_additional_context","content":{"a":1}}}',
    '{"type":"system","subtype":"compact_boundary","compactMetadata":"x","uuid":"f"}',
    '{"type":"system","subtype":"api_error","error":{"error":{"error":{"error":{}}}}}',
    '{"type":"file-history-snapshot","snapshot":{"trackedFileBackups":{"a":null,"b":{"backupFileName":3}}}}',
    '{"type":"custom-title","customTitle":null}',
    '{"type":"cost-state","totalCostUSD":"much"}',
    '{"type":"summary"}',
    '{"type":["x"]}',
    "{}",
]


@pytest.mark.parametrize("line", HOSTILE)
def test_odd_values_never_lose_the_record(line: str) -> None:
    identity = FileIdentity("projects/-x/s.jsonl", "s.jsonl", "log", "s")
    reader = CONNECTOR.reader(identity, None)
    data = line.encode() + b"\n"
    for _ in reader.read(BytesContent(data)):
        pass
    assert "malformed" not in {entry.status for entry in reader.ledger.counts}
    assert reader.ledger.total_bytes == len(data)
    assert list(reader.sessions()) is not None


def test_a_png_is_never_text() -> None:
    everything = repr([case(name).messages for name in CASES]) + repr(
        [case(name).calls for name in CASES]
    )
    assert "iVBORw0KGgo" not in everything
