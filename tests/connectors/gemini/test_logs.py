"""What the records of a log become; whole cases are compared with their expected.json."""

from __future__ import annotations

import pytest

from agent_journal.connectors.gemini import CONNECTOR
from agent_journal.connectors.jsonl import QUOTED_FROM
from agent_journal.model import Event, FileEdit, HistoryEntry, Plan, TodoList
from tests.support.assemble import Assembly, read_root
from tests.support.gemini_sessions import TALK, home, of, read_lines, session, user


@pytest.fixture(scope="module")
def talk() -> Assembly:
    return read_root(CONNECTOR, home("log"))


@pytest.fixture(scope="module")
def document() -> Assembly:
    return read_root(CONNECTOR, home("document"))


def test_the_last_record_of_a_message_counts(talk: Assembly) -> None:
    answer = talk.messages[TALK, "g1"]
    assert (answer.text, answer.reasoning, answer.model) == (
        "I run it.",
        "Looking\nThe test is red.",
        "gemini-3-pro",
    )
    assert answer.usage is not None
    usage = answer.usage
    tokens = (
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.output_tokens,
        usage.reasoning_tokens,
    )
    assert tokens == (605, 400, 50, 30)
    ledger = talk.ledgers["tmp/pear/chats/session-2026-11-15T18-00-6f0c11e2.jsonl"]
    assert (
        ledger.counts["skipped", "gemini", "a later record of the same message replaces it"][0] == 2
    )


def test_a_message_keeps_its_place_when_it_is_written_again() -> None:
    found = read_lines(user("a", "first"), user("b", "second"), user("a", "first, again"))
    assert [message.text for message in found.messages.values()] == ["first, again", "second"]


def test_rewound_messages_are_hidden(talk: Assembly) -> None:
    assert [name for (_, name), message in talk.messages.items() if message.state == "hidden"] == [
        "u2",
        "g4",
    ]
    assert [event.text for event in of(talk, Event) if event.type == "rewind"] == [
        "back to before message u2"
    ]


def test_a_rewind_to_an_unknown_message_takes_all_back() -> None:
    found = read_lines(user("a", "x"), user("b", "y"), {"$rewindTo": "nobody"}, user("c", "z"))
    assert [message.state for message in found.messages.values()] == ["hidden", "hidden", None]


def test_tool_calls(talk: Assembly) -> None:
    calls = {name: call for (_, name), call in talk.calls.items()}
    assert {name: (call.kind, call.status) for name, call in calls.items()} == {
        "sh-1": ("shell", "failed"),
        "ed-1": ("edit", "ok"),
        "no-1": ("edit", "denied"),
        "td-1": ("todo", "ok"),
        "mc-1": ("mcp", "ok"),
        "wa-1": ("shell", "running"),
        "ag-1": ("agent", "ok"),
    }
    assert calls["sh-1"].exit_code == 1
    assert calls["mc-1"].server == "tracker"
    assert calls["mc-1"].display == "one hit"
    assert calls["ag-1"].child_session_id == f"{TALK}/scout-1"
    assert session(talk, f"{TALK}/scout-1").parent_id == TALK


def test_edits_of_diffs(talk: Assembly) -> None:
    (edit,) = of(talk, FileEdit)  # the refused one changed nothing
    assert (edit.path, edit.kind, edit.before, edit.after) == (
        "/home/sam/pear/app.py",
        "edit",
        "a = 1\n",
        "a = 2\n",
    )
    assert (edit.lines_added, edit.lines_removed, edit.call_id) == (1, 1, "ed-1")


def test_edits_of_arguments(document: Assembly) -> None:
    created, edited = of(document, FileEdit)
    assert (created.path, created.kind, created.after, created.lines_added) == (
        "b.md",
        "create",
        "# B\n",
        1,
    )
    assert (edited.path, edited.kind, edited.diff) == ("a.md", "edit", "@@ @@\n-A\n+B\n+C")


def test_todos_plans_and_histories(talk: Assembly) -> None:
    (todos,) = of(talk, TodoList)
    assert [(todo.content, todo.status) for todo in todos.items] == [
        ("run it", "completed"),
        ("fix it", "in_progress"),
    ]
    assert {plan.name: plan.session_id for plan in of(talk, Plan)} == {
        "Ripen the pears": None,
        "today": TALK,
    }
    assert [entry.text for entry in of(talk, HistoryEntry)] == [
        "Make the test pass",
        "/help",
        "ls -la",
        "git add . \\\n  && git commit",
    ]


def test_events(talk: Assembly) -> None:
    events = [
        (event.type, event.text, event.raw is not None)
        for event in of(talk, Event)
        if event.type != "rewind"
    ]
    assert events == [
        ("info", "Request cancelled.", False),
        ("error", "[API Error: quota]", False),
        ("warning", "Hook failed.", False),
        ("quantum", "", True),
        ("record", "", True),
    ]


def test_a_session_is_described_by_its_header_and_updates(talk: Assembly) -> None:
    found = session(talk, TALK)
    assert (found.title, found.title_source, found.project_path) == (
        "Making the pear test pass",
        "summary",
        "/home/sam/pear",
    )
    assert found.models == ("gemini-3-pro", "gemini-3-flash")


def test_messages_that_are_only_in_a_checkpoint_are_read_from_it() -> None:
    found = read_root(CONNECTOR, home("checkpoint"))
    texts = {
        name: (m.kind, m.text[:16])
        for (_, name), m in found.messages.items()
        if name in ("sum", "g2")
    }
    assert texts == {"sum": ("compaction", "<state_snapshot>"), "g2": ("answer", "And now this.")}
    calls = {name: (call.message_id, call.result) for (_, name), call in found.calls.items()}
    # Not what was masked later
    assert calls == {"r1": ("g1", "the whole file"), "f2": ("g2", "q.txt")}


def _said(found: Assembly) -> list[tuple[str, str]]:
    return [(message.kind, message.text) for message in found.messages.values()]


def test_a_conversation_that_is_written_again_under_new_ids_is_read_once() -> None:
    call = {"id": "c", "name": "ls", "args": {}}
    result = {"functionResponse": {"id": "c", "name": "ls", "response": {"output": "whole"}}}
    masked = {"functionResponse": {"id": "c", "name": "ls", "response": {"output": "cut"}}}
    asked = {"id": "g1", "type": "gemini", "content": "Looking."}
    talk = [
        user("u1", "look"),
        {**asked, "toolCalls": [{**call, "status": "success", "result": [result]}]},
        user("u2", "and now"),
    ]
    copies = [
        user("x0", "<session_context>\nThis is the Gemini CLI.\n</session_context>look"),
        {**asked, "id": "x1", "content": [{"text": "Looking."}, {"functionCall": call}]},
        {"id": "x2", "type": "user", "content": [masked]},
        user("x3", "and now"),
    ]
    head = {"sessionId": "s", "projectHash": "p"}
    more = user("u3", "go on")
    found = read_lines(head, *talk, *copies, {"$set": {"messages": copies}}, more)
    assert _said(found) == [
        ("prompt", "look"),
        ("answer", "Looking."),
        ("prompt", "and now"),
        ("prompt", "go on"),
    ]
    assert [call.result for call in found.calls.values()] == ["whole"]


def test_a_compaction_among_messages_that_are_written_again_is_read() -> None:
    copies = [
        user("x0", "<session_context>\nThis is the Gemini CLI.\n</session_context>"),
        user("x1", "<state_snapshot>all of it</state_snapshot>"),
        {"id": "x2", "type": "gemini", "content": "Got it."},
    ]
    head = {"sessionId": "s", "projectHash": "p"}
    found = read_lines(head, user("u1", "look"), *copies, {"$set": {"messages": copies}})
    assert [kind for kind, _ in _said(found)] == ["prompt", "compaction"]


def test_a_conversation_that_begins_with_its_context_is_no_copy() -> None:
    talk = [user("u0", "<session_context>\n</session_context>"), user("u1", "look")]
    head = {"sessionId": "s", "projectHash": "p"}
    found = read_lines(head, *talk, {"$set": {"messages": talk}})
    assert [kind for kind, _ in _said(found)] == ["injected", "prompt"]


def test_long_results_are_quoted() -> None:
    text = "x" * QUOTED_FROM
    result = [{"functionResponse": {"id": "c", "name": "ls", "response": {"output": text}}}]
    call = {"id": "c", "name": "ls", "args": {}, "status": "success", "result": result}
    alone = {"id": "a", "type": "gemini", "content": "", "toolCalls": [call]}
    inside = {"$set": {"messages": [{**alone, "id": "b", "toolCalls": [{**call, "id": "d"}]}]}}
    found = read_lines({"sessionId": "s", "projectHash": "p"}, alone, inside)
    places = {
        name: call.result_at and call.result_at.path for (_, name), call in found.calls.items()
    }
    way = (0, "functionResponse", "response", "output")
    assert places["c"] == ("toolCalls", 0, "result", *way)
    assert places["d"] == ("$set", "messages", 0, "toolCalls", 0, "result", *way)
