"""Sub-agents of Copilot CLI."""

from __future__ import annotations

from agent_journal.model import Event, FileEdit, Usage
from tests.connectors.copilot_cli.cases import case, messages, pieces, sessions

SUB = "22222222-0000-4000-8000-000000000002"


OLD_SUB = "22222222-0000-4000-8000-000000000003"


def test_a_sub_agent_is_a_child_session() -> None:
    assembly = case("subagents")
    parent, child = (sessions(assembly, name)[0] for name in (SUB, f"{SUB}/a1"))
    assert [message.text for message in messages(assembly, SUB)] == ["delegate", "", "done"]
    assert [(message.kind, message.text) for message in messages(assembly, child.id)] == [
        ("injected", "look"),
        ("system_prompt", "You explore."),
        ("answer", "sub step"),
        ("answer", "found"),
    ]
    assert parent.models == ("model-a",)
    assert parent.title == "delegate"
    assert child.models == ("model-small",)
    assert (child.title, child.agent_name) == ("look-around", "explore")
    assert (child.parent_id, child.parent_call_id) == (SUB, "t1")
    call = assembly.calls[SUB, "t1"]
    assert (call.child_session_id, call.kind, call.result, call.status) == (
        child.id,
        "agent",
        "found",
        "ok",
    )
    assert (child.id, "s1") in assembly.calls
    (edit,) = pieces(assembly, FileEdit, child.id)
    assert (edit.path, edit.kind, edit.message_id) == ("/n.txt", "create", "e7")
    (used,) = pieces(assembly, Usage, child.id)
    assert (used.input_tokens, used.is_sidechain, used.premium_requests) == (30, True, None)


def test_a_sub_agent_before_there_was_an_agent_id() -> None:
    assembly = case("subagents")
    child = sessions(assembly, f"{OLD_SUB}/t1")[0]
    assert [message.text for message in messages(assembly, child.id)] == ["inside"]
    assert [message.text for message in messages(assembly, OLD_SUB)] == ["", "outside"]
    assert assembly.calls[OLD_SUB, "t1"].child_session_id == child.id
    texts = [event.text for event in pieces(assembly, Event, child.id)]
    assert texts == ["sub-agent Explore Agent started", "sub-agent Explore Agent failed: boom"]
