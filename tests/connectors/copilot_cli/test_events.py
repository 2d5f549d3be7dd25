"""Every kind of event: recorded streams, missing and odd data."""

from __future__ import annotations

import pytest

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.copilot_cli import CONNECTOR
from agent_journal.connectors.copilot_cli.notices import EPHEMERAL, TEMPLATES
from agent_journal.model import Event
from tests.connectors.copilot_cli.cases import case, messages, pieces, read_pieces
from tests.connectors.copilot_cli.counting import totals
from tests.support.assemble import BytesContent


def test_a_recorded_stream() -> None:
    assembly = case("stream")
    assert [(message.text, message.reasoning) for message in messages(assembly, "recorded")] == [
        ("hello", ""),
        ("Hello", "greet"),
        ("", "another"),
        ("Done", ""),
    ]
    assert [event.text for event in pieces(assembly, Event)] == ["run ended, exit code 0"]
    reasons = {
        (entry.kind, entry.reason)
        for entry in assembly.ledgers["session-state/recorded.jsonl"].counts
    }
    assert ("assistant.message_delta", "live stream only") in reasons
    assert totals(assembly, "recorded") == (0, 0, 0, 6, 2)


def test_each_type_of_event_is_either_mapped_or_skipped() -> None:
    assert not EPHEMERAL & set(TEMPLATES)
    lines = [
        f'{{"type":"{kind}","data":{{}},"id":"x{n}"}}'
        for n, kind in enumerate([*TEMPLATES, *EPHEMERAL])
    ]
    reader = CONNECTOR.reader(FileIdentity("session-state/s/events.jsonl", "", "log", "s"), None)
    assert len(read_pieces(reader, BytesContent("\n".join(lines).encode()))) == len(TEMPLATES)
    assert {entry.status for entry in reader.ledger.counts} == {"mapped", "skipped"}


READ_TYPES = """
    abort assistant.message assistant.reasoning assistant.turn_end hook.end hook.start
    human_response.recorded permission.completed permission.requested result
    session.binary_asset session.compaction_complete session.error session.import_legacy
    session.model_change session.resume session.shutdown session.start session.usage_record
    skill.invoked skill.invoked_ref subagent.completed subagent.failed subagent.started
    system.message system.notification tool.execution_complete tool.execution_start
    tool.user_requested user.message
"""


@pytest.mark.parametrize(
    "data", ["", ',"data":{}', ',"data":null', ',"data":[1]', ',"data":"x"', ',"data":7']
)
def test_events_without_their_data_are_read(data: str) -> None:
    for kind in READ_TYPES.split():
        reader = CONNECTOR.reader(
            FileIdentity("session-state/s/events.jsonl", "", "log", "s"), None
        )
        read_pieces(reader, BytesContent(f'{{"type":"{kind}"{data}}}\n'.encode()))
        assert {entry.status for entry in reader.ledger.counts} <= {"mapped", "skipped"}, (
            kind,
            data,
        )
        assert len(list(reader.sessions())) == 1


def test_broken_text_in_rare_events_is_read() -> None:
    line = b'{"type":"session.warning","data":{"message":"a\xffb \\ud800","x":"\xff"},"id":"i"}'
    reader = CONNECTOR.reader(FileIdentity("session-state/s/events.jsonl", "", "log", "s"), None)
    (event,) = read_pieces(reader, BytesContent(line + b"\n"))
    assert event.text == "a\ufffdb \ufffd"


ODD_VALUES = ["null", "7", '"text"', "[]", "[7]", "{}", '{"a":[1]}', "true"]


ODD_FIELDS = """
    content attachments toolRequests result error shellExecution fileEdits toolUsage usage
    arguments source modelMetrics context response permissionRequest compactionTokensUsed
    legacySession accountingSnapshot data
"""


@pytest.mark.parametrize("value", ODD_VALUES)
def test_events_with_odd_values_are_read(value: str) -> None:
    for kind in READ_TYPES.split():
        for field in ODD_FIELDS.split():
            data = f'{{"toolCallId":"c","success":true,"{field}":{value}}}'
            line = f'{{"type":"{kind}","data":{data},"id":"i"}}\n'
            reader = CONNECTOR.reader(
                FileIdentity("session-state/s/events.jsonl", "", "log", "s"), None
            )
            read_pieces(reader, BytesContent(line.encode()))
            assert {entry.status for entry in reader.ledger.counts} <= {"mapped", "skipped"}, line
