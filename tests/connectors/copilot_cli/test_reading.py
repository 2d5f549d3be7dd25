"""Every file of the cases: growth, damage, and the account of bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.connectors.base import FileIdentity, Pause
from agent_journal.connectors.copilot_cli import CONNECTOR
from agent_journal.model import Event, Message, ToolCall
from tests.connectors.copilot_cli.cases import (
    CASES,
    CONVERSATION,
    case,
    found,
    messages,
    pieces,
    read_pieces,
    sessions,
)
from tests.support.assemble import Assembly, BytesContent, DiskContent


@pytest.fixture(scope="module")
def conversation() -> Assembly:
    return case("conversation")


@pytest.mark.parametrize("name", CASES)
def test_every_byte_is_accounted_for(name: str) -> None:
    for file in found(name):
        assembly = Assembly()
        assembly.read(CONNECTOR, file)
        pending = (
            len(b'{"type":"assistant.message","data":{"cont') if "/half-line/" in file.name else 0
        )
        assert assembly.ledgers[file.name].total_bytes + pending == file.size, file.name


@pytest.mark.parametrize("name", CASES)
def test_reading_in_two_parts_is_reading_at_once(name: str) -> None:
    for file in found(name):
        if file.role != "log":
            continue
        identity = FileIdentity(file.name, file.path, file.role, file.session_id)
        data = Path(file.path).read_bytes()
        whole = CONNECTOR.reader(identity, None)
        expected = read_pieces(whole, BytesContent(data))
        cuts = [at + 1 for at, byte in enumerate(data) if byte == 10]
        for cut in cuts:
            first = CONNECTOR.reader(identity, None)
            pieces = read_pieces(first, BytesContent(data[:cut]))
            second = CONNECTOR.reader(identity, first.save())
            pieces += read_pieces(second, BytesContent(data))
            assert pieces == expected, (file.name, cut)
            assert list(second.sessions()) == list(whole.sessions())
            assert second.offset == whole.offset
            assert first.ledger.total_bytes + second.ledger.total_bytes == whole.ledger.total_bytes


def test_saving_after_every_chunk_changes_nothing() -> None:
    file = next(file for file in found("conversation") if file.role == "log")
    identity = FileIdentity(file.name, file.path, file.role, file.session_id)
    expected = read_pieces(CONNECTOR.reader(identity, None), DiskContent(file.path))
    reader = CONNECTOR.reader(identity, None)
    states = [
        reader.save()
        for piece in reader.read(DiskContent(file.path, 700))
        if isinstance(piece, Pause)
    ]
    assert len(states) > 10
    for state in states:
        rest = read_pieces(CONNECTOR.reader(identity, state), DiskContent(file.path))
        assert rest == expected[len(expected) - len(rest) :]
        assert len(state) < 4096


def test_the_account_of_a_conversation(conversation: Assembly) -> None:
    counts = conversation.ledgers[f"session-state/{CONVERSATION}/events.jsonl"].counts
    by_status = {
        (entry.status, entry.kind, entry.reason): count for entry, (count, _) in counts.items()
    }
    assert {
        key: count
        for key, count in by_status.items()
        if key[0] != "mapped" and key[1] != "separator"
    } == {
        ("skipped", "assistant.turn_start", "turn marker"): 2,
        ("skipped", "assistant.turn_end", "turn marker"): 2,
        ("skipped", "model.turn_started", "repeats the conversation"): 1,
        ("skipped", "model.model_call_success", "repeats the conversation"): 1,
        ("skipped", "model.messages_snapshot", "repeats the conversation"): 1,
        ("skipped", "assistant.reasoning", "empty, or in the message beside it"): 1,
        ("unknown", "session.future", ""): 1,
    }
    assert by_status["mapped", "user.message", ""] == 8
    assert not conversation.ledgers[f"session-state/{CONVERSATION}/events.jsonl"].troubles


def test_damaged_lines_lose_only_themselves() -> None:
    assembly = case("damage")
    assert [message.text for message in messages(assembly, "glued")] == [
        "x",
        "after",
        "crlf",
        "one",
        "two",
        "",
    ]
    ledger = assembly.ledgers["session-state/glued/events.jsonl"]
    assert [(trouble.kind, trouble.reason) for trouble in ledger.troubles] == [
        ("line", "not JSON"),
        ("line", "not JSON"),
        ("field", "unexpected value in 'data.toolName'"),
        ("line", "not a JSON object"),
    ]
    assert assembly.calls["glued", "c1"].status == "running"
    raw = [event.raw for event in pieces(assembly, Event, "glued") if event.raw]
    assert raw == ['{"data":{"content":"no type"}}']


def test_ends_of_files() -> None:
    assembly = case("damage")
    assert [message.text for message in messages(assembly, "nul-tail")] == ["kept"]
    assert [message.text for message in messages(assembly, "half-line")] == ["whole"]
    assert [message.text for message in messages(assembly, "no-start")] == ["no start"]
    assert not assembly.ledgers["session-state/half-line/events.jsonl"].troubles
    assert sessions(assembly, "empty") == []


def test_a_half_line_is_read_when_it_is_whole() -> None:
    file = next(file for file in found("damage") if "/half-line/" in file.name)
    identity = FileIdentity(file.name, file.path, file.role, file.session_id)
    data = Path(file.path).read_bytes()
    first = CONNECTOR.reader(identity, None)
    read_pieces(first, BytesContent(data))
    second = CONNECTOR.reader(identity, first.save())
    (message,) = read_pieces(
        second, BytesContent(data + b'ent":"late","messageId":"m"},"id":"e3"}\n')
    )
    assert (message.id, message.text) == ("m", "late")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("session-state/bad-documents/workspace.yaml", "no key: value line in it"),
        ("session-state/bad-documents/vscode.metadata.json", "not JSON: "),
        (
            "session-state/bad-documents/session.db",
            "not a readable SQLite database: file is not a database",
        ),
        ("command-history-state.json", "no list of commands in it"),
        ("history-session-state/bad.json", "no chatMessages in it"),
    ],
)
def test_bad_documents_are_problems(name: str, reason: str) -> None:
    ledger = case("damage").ledgers[name]
    (trouble,) = ledger.troubles
    assert trouble.reason.startswith(reason)
    assert [entry.status for entry in ledger.counts] == ["malformed"]


def test_pieces_name_known_sessions_only() -> None:
    for name in CASES:
        assembly = case(name)
        known = {session.id for session in assembly.sessions}
        for piece in (*assembly.messages.values(), *assembly.calls.values()):
            assert piece.session_id in known
            assert isinstance(piece, (Message, ToolCall))
