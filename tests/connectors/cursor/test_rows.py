"""Cursor: conversations in the rows of `state.vscdb`."""

from __future__ import annotations

import pytest

from agent_journal.connectors.cursor.bubbles import rich_text
from agent_journal.model import Event, FileEdit, HistoryEntry, Message, Session
from tests.support.assemble import Assembly
from tests.support.cursor_home import CONVERSATION, assembled, build

CHILD = "c0000000-0000-4000-8000-000000000003"
ASKED = "70000000-0000-4000-8000-000000000007"
READER = "80000000-0000-4000-8000-000000000008"
EXPLORER = "task-call_explore"


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    return assembled(build("editor", tmp_path_factory.mktemp("editor")))


def message(assembly: Assembly, key: str) -> Message:
    return assembly.messages[CONVERSATION, key]


def sessions(assembly: Assembly, session_id: str) -> list[Session]:
    return [session for session in assembly.sessions if session.id == session_id]


def edits(assembly: Assembly, call_id: str) -> list[FileEdit]:
    return [
        edit for edit in assembly.others if isinstance(edit, FileEdit) and edit.call_id == call_id
    ]


def test_messages_come_in_the_order_of_the_headers(editor: Assembly) -> None:
    said = [key for session_id, key in editor.messages if session_id == CONVERSATION]
    assert said == [
        "u1",
        "t1",
        "r1",
        "w1",
        "d1",
        "s1",
        "m1",
        "n1",
        "x1",
        "a1",
        "u2",
        "k1",
        "p1",
        "f1",
        f"{CONVERSATION}/summary",
        "left",
    ]


def test_a_message_the_headers_do_not_name_is_hidden(editor: Assembly) -> None:
    assert message(editor, "left").state == "hidden"
    assert message(editor, "a1").state is None


def test_a_missing_row_is_a_gap(editor: Assembly) -> None:
    (gap,) = [event for event in editor.others if isinstance(event, Event) and event.type == "gap"]
    assert (gap.session_id, gap.id) == (CONVERSATION, "gone")


def test_zero_tokens_are_unknown(editor: Assembly) -> None:
    assert message(editor, "t1").usage is None
    usage = message(editor, "a1").usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == (120, 34)


def test_outcomes_of_tools(editor: Assembly) -> None:
    found = {
        call.id: (call.kind, call.status, call.approval, call.exit_code, call.result)
        for call in editor.calls.values()
        if call.session_id == CONVERSATION and call.id not in ("call_edit", "call_diff")
    }
    assert found == {
        "call_read": ("read", "ok", None, None, "x = 1\n"),
        "call_shell": ("shell", "failed", None, 2, "1 failed\n"),
        "call_mcp": ("mcp", "ok", None, None, "[]"),
        "call_no": ("shell", "denied", "denied", None, ""),
        "call_err": ("read", "error", None, None, "no such folder"),
        "call_task": (
            "agent",
            "ok",
            None,
            None,
            '{"agentId":"c0000000-0000-4000-8000-000000000003"}',
        ),
        "call_patch": ("edit", "ok", None, None, '{"ok":true}'),
    }
    assert editor.calls[CONVERSATION, "call_no"].arguments == "{not json"
    assert editor.calls[CONVERSATION, "call_mcp"].server == "linear"


def test_edits_with_both_texts(editor: Assembly) -> None:
    (edit,) = edits(editor, "call_edit")
    assert (edit.path, edit.before, edit.after) == ("/home/u/app/a.py", "x = 1\n", "x = 2\n")
    assert (edit.lines_added, edit.lines_removed) == (1, 1)
    assert [(edit.kind, edit.path) for edit in edits(editor, "call_patch")] == [
        ("create", "n.py"),
        ("delete", "o.py"),
    ]


def test_the_folder_comes_from_the_workspace(editor: Assembly) -> None:
    """By the header of a conversation, or by the list in the database of a workspace."""
    (child,) = (session for session in sessions(editor, CHILD) if not session.is_hint)
    assert child.project_path == "/home/u/app"
    inline = sessions(editor, "b0000000-0000-4000-8000-000000000002")
    assert [(session.is_hint, session.project_path, session.title) for session in inline] == [
        (True, "/home/u/app", "Sidebar"),
        (False, None, "Add a sidebar"),
    ]


def test_a_sub_agent_has_its_parent(editor: Assembly) -> None:
    found = sessions(editor, CHILD)
    assert {(session.is_hint, session.parent_id) for session in found} == {
        (True, CONVERSATION),
        (False, CONVERSATION),
    }


def test_nobody_typed_the_task_of_a_sub_agent(editor: Assembly) -> None:
    """Known by its own row, its id, the list of conversations, or the row of its parent."""
    typed = {
        session_id for (session_id, _), said in editor.messages.items() if said.kind == "prompt"
    }
    assert {CONVERSATION, ASKED} <= typed
    assert not typed & {CHILD, EXPLORER, READER}
    (explorer,) = sessions(editor, EXPLORER)
    assert (explorer.parent_id, explorer.parent_call_id) == (ASKED, "call_explore")
    assert (explorer.agent_name, explorer.title) == ("explore", "find the callers")


def test_harness_text_is_no_prompt(editor: Assembly) -> None:
    found = [said for (session_id, _), said in editor.messages.items() if session_id == ASKED]
    assert [(said.kind, said.text) for said in found[1:3]] == [
        ("prompt", "continue"),
        ("prompt", "Split the long <b>function</b>"),
    ]
    assert found[0].kind == "injected"
    (session,) = (session for session in sessions(editor, ASKED))
    assert session.title == "Split the long <b>function</b>"


def test_times_and_folders_of_messages(editor: Assembly) -> None:
    (session,) = sessions(editor, ASKED)
    assert session.project_path == "/home/u/tool"
    found = [said for (session_id, _), said in editor.messages.items() if session_id == ASKED]
    assert [said.timestamp and said.timestamp.second for said in found] == [0, 1, 2, 3, 4]


def test_prompts_are_history(editor: Assembly) -> None:
    found = [entry for entry in editor.others if isinstance(entry, HistoryEntry)]
    assert [(entry.text, entry.timestamp is not None) for entry in found] == [
        ("How?", True),
        ("Only typed", False),
    ]


def test_rich_text_of_any_shape() -> None:
    assert rich_text(7) == rich_text("[") == rich_text("[]") == rich_text('{"root":3}') == ""
