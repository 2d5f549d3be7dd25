"""A conversation with Copilot CLI: messages, calls, edits, plans, sessions."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

import pytest

from agent_journal.connectors.base import FoundFile
from agent_journal.connectors.copilot_cli import CONNECTOR
from agent_journal.model import Document, Event, FileEdit, HistoryEntry, Plan, TodoList
from tests.connectors.copilot_cli.cases import (
    CONVERSATION,
    PNG,
    case,
    home,
    messages,
    pieces,
    sessions,
)
from tests.support.assemble import Assembly, BytesContent


@pytest.fixture(scope="module")
def conversation() -> Assembly:
    return case("conversation")


def test_the_conversation_in_order(conversation: Assembly) -> None:
    assert [
        (message.role, message.kind, message.text)
        for message in messages(conversation, CONVERSATION)
    ] == [
        ("user", "prompt", "fix it"),
        ("system", "system_prompt", "You are an agent."),
        ("assistant", "answer", "Looking."),
        ("user", "prompt", "also tests"),
        ("assistant", "answer", ""),
        ("assistant", "answer", "One long answer."),
        ("user", "prompt", "a\u2028b"),
        ("user", "shell", "ls"),
        ("user", "skill", '<skill-context name="pdf">'),
        ("system", "skill", "# PDF skill"),
        ("user", "injected", "go on"),
        ("user", "injected", "AGENTS.md found"),
        ("user", "shell", "make test"),
        ("user", "prompt", "see"),
        ("assistant", "answer", ""),
        ("user", "prompt", "smaller"),
        ("user", "prompt", "the second"),
        ("user", "prompt", "name: demo"),
        ("system", "compaction", "S"),
        ("system", "error", "Model error"),
        ("user", "interrupt", "user_initiated"),
        ("system", "notification", "Shell 3 completed"),
        ("assistant", "answer", ""),
        ("assistant", "answer", "Done."),
        ("assistant", "answer", "Really."),
    ]


def test_a_prompt_has_its_id_time_and_place(conversation: Assembly) -> None:
    prompt = conversation.messages[CONVERSATION, "e2"]
    assert prompt.timestamp == datetime(2026, 3, 1, 10, 0, 2, tzinfo=UTC)
    assert prompt.record_ids == ("e2",)
    data = (home("conversation") / "session-state" / CONVERSATION / "events.jsonl").read_bytes()
    assert prompt.offset is not None
    assert prompt.length is not None
    assert data[prompt.offset :][: prompt.length].startswith(
        b'{"type":"user.message","data":{"content":"fix it"'
    )
    assert data[prompt.offset + prompt.length : prompt.offset + prompt.length + 1] == b"\n"


def test_attachments(conversation: Assembly) -> None:
    file, selection, reference = conversation.messages[CONVERSATION, "e2"].attachments
    assert (file.kind, file.name, file.path, file.note) == (
        "file",
        "a.py",
        "/work/demo/a.py",
        "lines 3-9",
    )
    assert (selection.kind, selection.path, selection.text) == (
        "selection",
        "/work/demo/b.py",
        "x = 1",
    )
    assert selection.note == "lines 1-2"
    assert (reference.kind, reference.name) == ("github_reference", "Broken")
    assert reference.note == "https://example.invalid/7"
    seen = next(
        message for message in messages(conversation, CONVERSATION) if message.text == "see"
    ).attachments
    assert [
        (attachment.kind, attachment.mime_type, attachment.size, attachment.sha256, attachment.note)
        for attachment in seen
    ] == [
        ("blob", "image/png", 3, PNG, None),
        ("blob", "image/gif", 3, PNG, None),
        ("blob", "image/png", 99, None, "too_large"),
    ]
    asset = next(
        event for event in pieces(conversation, Event) if event.type == "session.binary_asset"
    )
    assert asset.text == "image image/png, 3 bytes"


def test_answers_reasoning_and_chunks(conversation: Assembly) -> None:
    first = conversation.messages[CONVERSATION, "m1"]
    assert (first.reasoning, first.model, first.api_id) == ("I should look.", "model-a", "api-1")
    assert conversation.messages[CONVERSATION, "m2"].reasoning == "hmm"
    assert conversation.messages[CONVERSATION, "m3"].record_ids == ("e16", "e17")


def test_reasoning_written_twice_is_kept_once(conversation: Assembly) -> None:
    assert conversation.messages[CONVERSATION, "r-1"].reasoning == "Old style thought."
    assert conversation.messages[CONVERSATION, "m5"].reasoning == ""
    assert conversation.messages[CONVERSATION, "m6"].reasoning == "New thought."
    assert (CONVERSATION, "r-2") not in conversation.messages


def test_tool_calls_are_joined_and_counted_once(conversation: Assembly) -> None:
    assert list(conversation.calls) == [
        (CONVERSATION, call) for call in ("c1", "c2", "c3", "u1", "c4", "c5", "c6", "c7", "c8")
    ]
    assert {call.id: call.status for call in conversation.calls.values()} == {
        "c1": "failed",
        "c2": "error",
        "c3": "ok",
        "u1": "ok",
        "c4": "ok",
        "c5": "ok",
        "c6": "ok",
        "c7": "denied",
        "c8": "interrupted",
    }


def test_a_failed_command(conversation: Assembly) -> None:
    call = conversation.calls[CONVERSATION, "c1"]
    assert (call.message_id, call.name, call.kind, call.title) == ("m1", "bash", "shell", "say hi")
    assert call.arguments == '{"command":"echo hi && false"}'
    assert call.exit_code == 1
    assert call.display is None  # the same text without the trailer
    assert (call.started_at, call.ended_at) == (
        datetime(2026, 3, 1, 10, 0, 6, tzinfo=UTC),
        datetime(2026, 3, 1, 10, 0, 11, tzinfo=UTC),
    )


def test_results_of_calls(conversation: Assembly) -> None:
    assert conversation.calls[CONVERSATION, "c2"].result == "Path does not exist"
    patch = conversation.calls[CONVERSATION, "c3"].arguments
    assert patch is not None
    assert patch.startswith('"*** Begin Patch\\n')
    assert conversation.calls[CONVERSATION, "c4"].spilled_to == "/tmp/1-copilot-tool-output-2-x.txt"
    assert (
        conversation.calls[CONVERSATION, "c5"].kind,
        conversation.calls[CONVERSATION, "c5"].server,
    ) == (
        "mcp",
        "github",
    )
    assert conversation.calls[CONVERSATION, "c5"].attachments[0].sha256 == PNG
    assert conversation.calls[CONVERSATION, "c5"].arguments is None
    assert (
        conversation.calls[CONVERSATION, "u1"].kind,
        conversation.calls[CONVERSATION, "u1"].exit_code,
    ) == (
        "shell",
        0,
    )
    assert conversation.calls[CONVERSATION, "u1"].message_id == "e20"


def test_file_edits(conversation: Assembly) -> None:
    edits = [edit for edit in pieces(conversation, FileEdit) if edit.origin == "tool"]
    assert [
        (edit.path, edit.kind, edit.call_id, edit.message_id, edit.lines_added, edit.lines_removed)
        for edit in edits
    ] == [
        ("new.txt", "create", "c3", "e2", 1, 0),
        ("old.txt", "edit", "c3", "e2", 1, 1),
        ("/work/demo/a.py", "edit", "c6", "e30", 2, 1),
    ]
    assert edits[1].diff.startswith("diff --git a/old.txt b/old.txt\n")


def test_file_edits_of_rewind_indexes(conversation: Assembly) -> None:
    edits = [edit for edit in pieces(conversation, FileEdit) if edit.origin == "rewind"]
    backup = hashlib.sha256(b"old\n").hexdigest()
    name = f"session-state/{CONVERSATION}/rewind-file-snapshots/backups/{backup}"
    assert [
        (edit.path, edit.kind, edit.message_id, edit.lines_added, edit.backup) for edit in edits
    ] == [
        ("/work/demo/new.txt", "create", "e2", 1, None),
        ("/work/demo/old.txt", "edit", "e2", 1, name),
        ("/work/demo/gone.txt", "delete", "e2", None, None),
    ]
    old = pieces(case("layouts"), FileEdit)
    assert [(edit.session_id, edit.path, edit.kind, edit.backup) for edit in old] == [
        (
            "rewind-old",
            "/work/demo/a.py",
            "backup",
            "session-state/rewind-old/rewind-snapshots/backups/h1",
        )
    ]
    name = "session-state/bad-documents/rewind-file-snapshots/index.json"
    none = case("damage").ledgers[name]
    assert list(none.counts) == [("skipped", "rewind index", "it lists no file")]


def test_plans_and_answers_of_the_person(conversation: Assembly) -> None:
    plans = pieces(conversation, Plan)
    assert [(plan.kind, plan.name, plan.approved, plan.feedback) for plan in plans] == [
        ("checkpoint", "Half way", None, None),
        ("exit_plan_mode", "P", False, "smaller"),
        ("exit_plan_mode", "P2", True, None),
        ("plan", "plan", None, None),
    ]
    assert plans[1].text == "# P\n\n1. do"
    assert [
        event.text
        for event in pieces(conversation, Event)
        if event.type == "human_response.recorded"
    ] == ["answered: autopilot"]


def test_checklists_are_a_weak_todo_list(conversation: Assembly) -> None:
    lists = pieces(conversation, TodoList)
    assert [
        (todos.origin, todos.rank, [(item.content, item.status) for item in todos.items])
        for todos in lists
    ] == [
        ("markdown", 0, [("third", "pending")]),
        ("markdown", 1, [("first", "done"), ("second", "pending")]),
    ]


def test_events_have_a_text_for_people(conversation: Assembly) -> None:
    texts = {(event.type, event.text) for event in pieces(conversation, Event)}
    assert texts >= {
        ("session.start", "session started, version 1.0.102"),
        ("session.resume", "session resumed"),
        ("session.warning", "1 tool call(s) had no recorded result"),
        ("session.compaction_complete", "compaction not applied: no room"),
        ("hook.start", "hook preToolUse"),
        ("hook.end", "hook preToolUse failed: code 1"),
        ("permission.requested", "permission requested: shell rm x"),
        ("permission.completed", "permission denied-interactively-by-user: no"),
        ("session.model_change", "model changed to model-c"),
        ("session.context_changed", "working folder changed to /work/demo/sub"),
        ("skill.invoked_ref", "skill pdf used again, text in message e23"),
        ("skill.invoked_ref", "skill doc used again, text sha256:00"),
    }


def test_an_unknown_event_is_kept_raw(conversation: Assembly) -> None:
    event = next(event for event in pieces(conversation, Event) if event.type == "session.future")
    assert event.raw.startswith('{"type":"session.future","data":{"x":1}')


def test_a_session_ends_at_its_latest_time() -> None:
    lines = [
        {
            "type": "user.message",
            "id": str(second),
            "timestamp": f"2026-03-01T10:00:{second}Z",
            "data": {"content": "x"},
        }
        for second in (10, 50, 20)
    ]
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    assembly = Assembly()
    file = FoundFile("", "session-state/x/events.jsonl", "log", len(data), 0, 0, "x")
    assembly.read(CONNECTOR, file, BytesContent(data))
    assert [session.ended_at for session in assembly.sessions] == [
        datetime(2026, 3, 1, 10, 0, 50, tzinfo=UTC)
    ]


def test_session_facts(conversation: Assembly) -> None:
    log, custom, named = sessions(conversation, CONVERSATION)
    assert (log.title, log.title_rank) == ("fix it", 10)
    assert (log.project_path, log.repository, log.git_branch) == ("/work/demo", "octo/demo", "main")
    assert log.agent_version == "1.0.102"
    assert log.models == ("model-a", "model-b", "model-c")
    assert log.started_at == datetime(2026, 3, 1, 10, 0, 0, 500000, tzinfo=UTC)
    assert log.ended_at == datetime(2026, 3, 1, 10, 1, 4, tzinfo=UTC)
    assert (custom.title, custom.title_rank, custom.host_app) == ("From VS Code", 45, "vscode")
    assert (named.title, named.title_rank, named.host_app) == ("My title", 50, "github/cli")
    assert max(log, custom, named, key=lambda session: session.title_rank).title == "My title"


def test_history_is_oldest_first(conversation: Assembly) -> None:
    assert [(entry.text, entry.position) for entry in pieces(conversation, HistoryEntry)] == [
        ("a", 0),
        ("b", 1),
    ]
    entries = pieces(case("layouts"), HistoryEntry)
    assert [entry.text for entry in entries] == ["first", "second", "/exit"]


def test_kept_files_are_documents(conversation: Assembly) -> None:
    names = {
        document.name.rpartition("/")[2]: document.kind
        for document in pieces(conversation, Document, CONVERSATION)
    }
    assert names == {
        hashlib.sha256(b"old\n").hexdigest(): "file-backup",
        "paste-1.txt": "session-file",
        "report.md": "research",
    }
