"""GitHub Copilot CLI: what each kind of record and file becomes. The numbers are those of the
format notes' cases.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors.base import Env, FileIdentity, FoundFile, Pause, Unlisted
from agent_journal.connectors.copilot_cli import CONNECTOR
from agent_journal.connectors.copilot_cli.notices import EPHEMERAL, TEMPLATES
from agent_journal.connectors.copilot_cli.workspace import read_flat_yaml
from agent_journal.model import (
    Document,
    Event,
    FileEdit,
    HistoryEntry,
    Message,
    Plan,
    Session,
    TodoList,
    ToolCall,
    Usage,
)
from tests.support.assemble import Assembly, BytesContent, DiskContent, read_root

HERE = Path(__file__).parent / "copilot_cli"
CASES = sorted(path.parent.name for path in HERE.glob("*/home"))
TALK = "11111111-0000-4000-8000-000000000001"
SUB = "22222222-0000-4000-8000-000000000002"
OLD_SUB = "22222222-0000-4000-8000-000000000003"
PNG = hashlib.sha256(b"PNG").hexdigest()


def home(case: str, root: str = ".copilot") -> Path:
    return HERE / case / "home" / root


@pytest.fixture(scope="module")
def talk() -> Assembly:
    return read_root(CONNECTOR, home("conversation"))


def found(case: str) -> list[FoundFile]:
    return [file for file in CONNECTOR.discover(str(home(case))) if isinstance(file, FoundFile)]


def of(assembly: Assembly, kind: type[Any], session_id: str | None = None) -> list[Any]:
    return [
        piece
        for piece in assembly.others
        if isinstance(piece, kind) and (session_id is None or piece.session_id == session_id)
    ]


def messages(assembly: Assembly, session_id: str) -> list[Message]:
    return [message for (session, _), message in assembly.messages.items() if session == session_id]


def session(assembly: Assembly, session_id: str) -> list[Session]:
    return [one for one in assembly.sessions if one.id == session_id]


def title(assembly: Assembly, session_id: str) -> str | None:
    return max(session(assembly, session_id), key=lambda one: one.title_rank).title


def counted(assembly: Assembly, session_id: str) -> list[Usage]:
    """The catalog's rule: per segment the highest rank; a compaction counts unless the database's
    rows do.
    """
    borders = [
        event.timestamp
        for event in of(assembly, Event, session_id)
        if event.type == "session.shutdown"
    ]
    segments: dict[int, dict[str, Usage]] = {}
    for row in of(assembly, Usage):
        if row.session_id.partition("/")[0] == session_id:
            segment = row.segment
            if segment is None:
                segment = sum(row.timestamp > border for border in borders)
            segments.setdefault(segment, {})[row.key] = row
    rows = []
    for segment_rows in segments.values():
        top = max(
            (row.rank for row in segment_rows.values() if row.origin != "compaction"), default=0
        )
        rows += [
            row
            for row in segment_rows.values()
            if row.rank == top or (row.origin == "compaction" and top <= 30)
        ]
    return rows


def totals(assembly: Assembly, session_id: str) -> tuple[int, int, int, int, int]:
    rows = counted(assembly, session_id)
    fields = (
        "input_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "output_tokens",
        "requests",
    )
    return tuple(sum(getattr(row, field) or 0 for row in rows) for field in fields)  # type: ignore[return-value]


# -- the list of files -------------------------------------------------------------------------


def test_roots_follow_the_environment() -> None:
    assert CONNECTOR.roots(Env("/h", {}, "linux")) == [
        "/h/.copilot",
        "/h/.config/.copilot",
        "/h/.copilot-cli",
    ]
    env = Env("/h", {"COPILOT_HOME": "/else", "XDG_CONFIG_HOME": "/x"}, "linux")
    assert CONNECTOR.roots(env) == [
        "/else",
        "/x/.copilot",
        "/h/.config/.copilot",
        "/h/.copilot-cli",
    ]


@pytest.mark.parametrize(
    ("path", "root"),
    [
        ("/h/.copilot/session-state", "/h/.copilot"),
        ("/h/.copilot/session-state/", "/h/.copilot"),
        ("/h/.copilot-cli/sessions", "/h/.copilot-cli"),
        ("/h/sessions", "/h/sessions"),
        ("/h/.copilot", "/h/.copilot"),
    ],
)
def test_settled_root(path: str, root: str) -> None:
    assert CONNECTOR.normalize_root(path) == root


def test_discover_lists_only_session_files() -> None:
    assert {file.name: (file.role, file.session_id, file.rank) for file in found("layouts")} == {
        "session-state/both/events.jsonl": ("log", "both", 1),
        "session-state/both.jsonl": ("log", "both", 0),
        "session-state/flat.jsonl": ("log", "flat", 0),
        "session-state/old-1/events.jsonl": ("log", "old-1", 1),
        "session-state/only-yaml/workspace.yaml": ("document", None, 0),
        "session-state/rewind-old/rewind-snapshots/index.json": ("document", None, 0),
        "history-session-state/session_old-1.json": ("document", None, 0),
        "command-history-state/one.json": ("document", None, 0),
    }
    (file,) = CONNECTOR.discover(str(home("layouts", ".copilot-cli")))
    assert isinstance(file, FoundFile)
    assert (file.name, file.role, file.session_id, file.rank) == (
        "sessions/seed/events.jsonl",
        "log",
        "seed",
        1,
    )


def test_discover_keeps_files_of_a_session_and_skips_locks() -> None:
    files = {
        file.name.removeprefix(f"session-state/{TALK}/"): file.role
        for file in found("conversation")
    }
    backup = hashlib.sha256(b"old\n").hexdigest()
    assert files == {
        "events.jsonl": "log",
        "workspace.yaml": "document",
        "vscode.metadata.json": "document",
        "plan.md": "document",
        "checkpoints/index.md": "document",
        "checkpoints/001-half-way.md": "document",
        "rewind-file-snapshots/index.json": "document",
        "rewind-file-snapshots/tracking.json": "document",
        f"rewind-file-snapshots/backups/{backup}": "kept",
        "files/paste-1.txt": "kept",
        "research/report.md": "kept",
        "command-history-state.json": "document",
    }


def test_discover_databases_with_their_wal(tmp_path: Path) -> None:
    (tmp_path / "session-state" / "s").mkdir(parents=True)
    for name in (
        "session-store.db",
        "session-store.db-wal",
        "session-store.db-shm",
        "session-state/s/session.db",
    ):
        (tmp_path / name).write_bytes(b"")
    files = [file for file in CONNECTOR.discover(str(tmp_path)) if isinstance(file, FoundFile)]
    assert [(file.name, file.role, file.companions) for file in files] == [
        ("session-state/s/session.db", "database", ("-wal",)),
        ("session-store.db", "database", ("-wal",)),
    ]


def test_discover_does_not_follow_links_out_of_a_session(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("x")
    files = tmp_path / "root" / "session-state" / "s" / "files"
    files.mkdir(parents=True)
    (files / "link").symlink_to(tmp_path / "secret")
    (files / "key").symlink_to(tmp_path / "secret" / "key")
    assert list(CONNECTOR.discover(str(tmp_path / "root"))) == []


def test_discover_of_nothing() -> None:
    assert list(CONNECTOR.discover("/does/not/exist")) == []


def test_discover_reports_what_it_cannot_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "session-state" / "s").mkdir(parents=True)
    import os

    real = os.scandir

    def scandir(path: str) -> Any:
        if path.endswith("/s"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert list(CONNECTOR.discover(str(tmp_path))) == [
        Unlisted(str(tmp_path / "session-state" / "s"), "Permission denied")
    ]


def test_listing_imports_nothing_heavy() -> None:
    code = (
        "import sys; from agent_journal.connectors.copilot_cli import CONNECTOR; list(CONNECTOR.discover('.'));"
        "print([m for m in ('msgspec', 'json', 'sqlite3', 'pathlib') if m in sys.modules])"
    )
    src = Path(__file__).parents[2] / "src"
    done = subprocess.run(
        [sys.executable, "-ISc", f"import sys; sys.path.insert(0, {str(src)!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


# -- the account -------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_every_byte_is_accounted_for(case: str) -> None:
    for file in found(case):
        assembly = Assembly()
        assembly.read(CONNECTOR, file)
        pending = (
            len(b'{"type":"assistant.message","data":{"cont') if "/half-line/" in file.name else 0
        )
        assert assembly.ledgers[file.name].total_bytes + pending == file.size, file.name


def pieces_of(reader: Any, content: Any) -> list[Any]:
    return [piece for piece in reader.read(content) if not isinstance(piece, Pause)]


@pytest.mark.parametrize("case", CASES)
def test_reading_in_two_parts_is_reading_at_once(case: str) -> None:
    for file in found(case):
        if file.role != "log":
            continue
        identity = FileIdentity(file.name, file.path, file.role, file.session_id)
        data = Path(file.path).read_bytes()
        whole = CONNECTOR.reader(identity, None)
        expected = pieces_of(whole, BytesContent(data))
        cuts = [at + 1 for at, byte in enumerate(data) if byte == 10]
        for cut in cuts:
            first = CONNECTOR.reader(identity, None)
            pieces = pieces_of(first, BytesContent(data[:cut]))
            second = CONNECTOR.reader(identity, first.save())
            pieces += pieces_of(second, BytesContent(data))
            assert pieces == expected, (file.name, cut)
            assert list(second.sessions()) == list(whole.sessions())
            assert second.offset == whole.offset
            assert first.ledger.total_bytes + second.ledger.total_bytes == whole.ledger.total_bytes


def test_saving_after_every_chunk_changes_nothing() -> None:
    file = next(file for file in found("conversation") if file.role == "log")
    identity = FileIdentity(file.name, file.path, file.role, file.session_id)
    expected = pieces_of(CONNECTOR.reader(identity, None), DiskContent(file.path))
    reader = CONNECTOR.reader(identity, None)
    states = [
        reader.save()
        for piece in reader.read(DiskContent(file.path, 700))
        if isinstance(piece, Pause)
    ]
    assert len(states) > 10
    for state in states:
        rest = pieces_of(CONNECTOR.reader(identity, state), DiskContent(file.path))
        assert rest == expected[len(expected) - len(rest) :]
        assert len(state) < 4096


def test_the_account_of_a_conversation(talk: Assembly) -> None:
    counts = talk.ledgers[f"session-state/{TALK}/events.jsonl"].counts
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
    assert not talk.ledgers[f"session-state/{TALK}/events.jsonl"].troubles


# -- the conversation --------------------------------------------------------------------------


def test_the_conversation_in_order(talk: Assembly) -> None:
    assert [(message.role, message.kind, message.text) for message in messages(talk, TALK)] == [
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


def test_a_prompt_has_its_id_time_and_place(talk: Assembly) -> None:
    prompt = talk.messages[TALK, "e2"]
    assert prompt.timestamp == datetime(2026, 3, 1, 10, 0, 2, tzinfo=UTC)
    assert prompt.record_ids == ("e2",)
    data = (home("conversation") / "session-state" / TALK / "events.jsonl").read_bytes()
    assert prompt.offset is not None
    assert prompt.length is not None
    assert data[prompt.offset :][: prompt.length].startswith(
        b'{"type":"user.message","data":{"content":"fix it"'
    )
    assert data[prompt.offset + prompt.length : prompt.offset + prompt.length + 1] == b"\n"


def test_attachments(talk: Assembly) -> None:
    file, selection, reference = talk.messages[TALK, "e2"].attachments
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
    seen = next(message for message in messages(talk, TALK) if message.text == "see").attachments
    assert [(one.kind, one.mime_type, one.size, one.sha256, one.note) for one in seen] == [
        ("blob", "image/png", 3, PNG, None),
        ("blob", "image/gif", 3, PNG, None),
        ("blob", "image/png", 99, None, "too_large"),
    ]
    asset = next(event for event in of(talk, Event) if event.type == "session.binary_asset")
    assert asset.text == "image image/png, 3 bytes"


def test_answers_reasoning_and_chunks(talk: Assembly) -> None:
    first = talk.messages[TALK, "m1"]
    assert (first.reasoning, first.model, first.api_id) == ("I should look.", "model-a", "api-1")
    assert talk.messages[TALK, "m2"].reasoning == "hmm"
    assert talk.messages[TALK, "m3"].record_ids == ("e16", "e17")


def test_reasoning_written_twice_is_kept_once(talk: Assembly) -> None:
    assert talk.messages[TALK, "r-1"].reasoning == "Old style thought."
    assert talk.messages[TALK, "m5"].reasoning == ""
    assert talk.messages[TALK, "m6"].reasoning == "New thought."
    assert (TALK, "r-2") not in talk.messages


def test_tool_calls_are_joined_and_counted_once(talk: Assembly) -> None:
    assert list(talk.calls) == [
        (TALK, call) for call in ("c1", "c2", "c3", "u1", "c4", "c5", "c6", "c7", "c8")
    ]
    assert {call.id: call.status for call in talk.calls.values()} == {
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


def test_a_failed_command(talk: Assembly) -> None:
    call = talk.calls[TALK, "c1"]
    assert (call.message_id, call.name, call.kind, call.title) == ("m1", "bash", "shell", "say hi")
    assert call.arguments == '{"command":"echo hi && false"}'
    assert call.exit_code == 1
    assert call.display is None  # the same text without the trailer
    assert (call.started_at, call.ended_at) == (
        datetime(2026, 3, 1, 10, 0, 6, tzinfo=UTC),
        datetime(2026, 3, 1, 10, 0, 11, tzinfo=UTC),
    )


def test_results_of_calls(talk: Assembly) -> None:
    assert talk.calls[TALK, "c2"].result == "Path does not exist"
    patch = talk.calls[TALK, "c3"].arguments
    assert patch is not None
    assert patch.startswith('"*** Begin Patch\\n')
    assert talk.calls[TALK, "c4"].spilled_to == "/tmp/1-copilot-tool-output-2-x.txt"
    assert (talk.calls[TALK, "c5"].kind, talk.calls[TALK, "c5"].server) == ("mcp", "github")
    assert talk.calls[TALK, "c5"].attachments[0].sha256 == PNG
    assert talk.calls[TALK, "c5"].arguments is None
    assert (talk.calls[TALK, "u1"].kind, talk.calls[TALK, "u1"].exit_code) == ("shell", 0)
    assert talk.calls[TALK, "u1"].message_id == "e20"


def test_file_edits(talk: Assembly) -> None:
    edits = [edit for edit in of(talk, FileEdit) if edit.origin == "tool"]
    assert [
        (edit.path, edit.kind, edit.call_id, edit.message_id, edit.lines_added, edit.lines_removed)
        for edit in edits
    ] == [
        ("new.txt", "create", "c3", "e2", 1, 0),
        ("old.txt", "edit", "c3", "e2", 1, 1),
        ("/work/demo/a.py", "edit", "c6", "e30", 2, 1),
    ]
    assert edits[1].diff.startswith("diff --git a/old.txt b/old.txt\n")


def test_file_edits_of_rewind_indexes(talk: Assembly) -> None:
    edits = [edit for edit in of(talk, FileEdit) if edit.origin == "rewind"]
    backup = hashlib.sha256(b"old\n").hexdigest()
    name = f"session-state/{TALK}/rewind-file-snapshots/backups/{backup}"
    assert [
        (edit.path, edit.kind, edit.message_id, edit.lines_added, edit.backup) for edit in edits
    ] == [
        ("/work/demo/new.txt", "create", "e2", 1, None),
        ("/work/demo/old.txt", "edit", "e2", 1, name),
        ("/work/demo/gone.txt", "delete", "e2", None, None),
    ]
    old = of(read_root(CONNECTOR, home("layouts")), FileEdit)
    assert [(edit.session_id, edit.path, edit.kind, edit.backup) for edit in old] == [
        (
            "rewind-old",
            "/work/demo/a.py",
            "edit",
            "session-state/rewind-old/rewind-snapshots/backups/h1",
        )
    ]


def test_plans_and_answers_of_the_person(talk: Assembly) -> None:
    plans = of(talk, Plan)
    assert [(plan.kind, plan.name, plan.approved, plan.feedback) for plan in plans] == [
        ("checkpoint", "Half way", None, None),
        ("exit_plan_mode", "P", False, "smaller"),
        ("exit_plan_mode", "P2", True, None),
        ("plan", "plan", None, None),
    ]
    assert plans[1].text == "# P\n\n1. do"
    assert [event.text for event in of(talk, Event) if event.type == "human_response.recorded"] == [
        "answered: autopilot"
    ]


def test_checklists_are_a_weak_todo_list(talk: Assembly) -> None:
    lists = of(talk, TodoList)
    assert [
        (todos.origin, todos.rank, [(item.content, item.status) for item in todos.items])
        for todos in lists
    ] == [
        ("markdown", 0, [("third", "pending")]),
        ("markdown", 1, [("first", "done"), ("second", "pending")]),
    ]


def test_events_have_a_text_for_people(talk: Assembly) -> None:
    texts = {(event.type, event.text) for event in of(talk, Event)}
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


def test_an_unknown_event_is_kept_raw(talk: Assembly) -> None:
    event = next(event for event in of(talk, Event) if event.type == "session.future")
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
    assert [one.ended_at for one in assembly.sessions] == [
        datetime(2026, 3, 1, 10, 0, 50, tzinfo=UTC)
    ]


def test_session_facts(talk: Assembly) -> None:
    log, custom, named = session(talk, TALK)
    assert (log.title, log.title_rank) == ("fix it", 10)
    assert (log.project_path, log.repository, log.git_branch) == ("/work/demo", "octo/demo", "main")
    assert log.agent_version == "1.0.102"
    assert log.models == ("model-a", "model-b", "model-c")
    assert log.started_at == datetime(2026, 3, 1, 10, 0, 0, 500000, tzinfo=UTC)
    assert log.ended_at == datetime(2026, 3, 1, 10, 1, 4, tzinfo=UTC)
    assert (custom.title, custom.title_rank, custom.host_app) == ("From VS Code", 45, "vscode")
    assert (named.title, named.title_rank, named.host_app) == ("My title", 50, "github/cli")
    assert title(talk, TALK) == "My title"


def test_history_is_oldest_first(talk: Assembly) -> None:
    assert [(entry.text, entry.position) for entry in of(talk, HistoryEntry)] == [
        ("a", 0),
        ("b", 1),
    ]
    entries = of(read_root(CONNECTOR, home("layouts")), HistoryEntry)
    assert [entry.text for entry in entries] == ["first", "second", "/exit"]


def test_kept_files_are_documents(talk: Assembly) -> None:
    names = {
        document.name.rpartition("/")[2]: document.kind for document in of(talk, Document, TALK)
    }
    assert names == {
        hashlib.sha256(b"old\n").hexdigest(): "file-backup",
        "paste-1.txt": "session-file",
        "report.md": "research",
    }


# -- sub-agents --------------------------------------------------------------------------------


def test_a_sub_agent_is_a_session_of_its_own() -> None:
    assembly = read_root(CONNECTOR, home("subagents"))
    parent, child = (session(assembly, name)[0] for name in (SUB, f"{SUB}/a1"))
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
    (edit,) = of(assembly, FileEdit, child.id)
    assert (edit.path, edit.kind, edit.message_id) == ("/n.txt", "create", "e7")
    (used,) = of(assembly, Usage, child.id)
    assert (used.input_tokens, used.is_sidechain, used.premium_requests) == (30, True, None)


def test_a_sub_agent_before_there_was_an_agent_id() -> None:
    assembly = read_root(CONNECTOR, home("subagents"))
    child = session(assembly, f"{OLD_SUB}/t1")[0]
    assert [message.text for message in messages(assembly, child.id)] == ["inside"]
    assert [message.text for message in messages(assembly, OLD_SUB)] == ["", "outside"]
    assert assembly.calls[OLD_SUB, "t1"].child_session_id == child.id
    texts = [event.text for event in of(assembly, Event, child.id)]
    assert texts == ["sub-agent Explore Agent started", "sub-agent Explore Agent failed: boom"]


# -- damage ------------------------------------------------------------------------------------


def test_damaged_lines_cost_only_themselves() -> None:
    assembly = read_root(CONNECTOR, home("damage"))
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
    raw = [event.raw for event in of(assembly, Event, "glued") if event.raw]
    assert raw == ['{"data":{"content":"no type"}}']


def test_tails() -> None:
    assembly = read_root(CONNECTOR, home("damage"))
    assert [message.text for message in messages(assembly, "nul-tail")] == ["kept"]
    assert [message.text for message in messages(assembly, "half-line")] == ["whole"]
    assert [message.text for message in messages(assembly, "no-start")] == ["no start"]
    assert not assembly.ledgers["session-state/half-line/events.jsonl"].troubles
    assert session(assembly, "empty") == []


def test_a_half_line_is_read_when_it_is_whole() -> None:
    file = next(file for file in found("damage") if "/half-line/" in file.name)
    identity = FileIdentity(file.name, file.path, file.role, file.session_id)
    data = Path(file.path).read_bytes()
    first = CONNECTOR.reader(identity, None)
    pieces_of(first, BytesContent(data))
    second = CONNECTOR.reader(identity, first.save())
    (message,) = pieces_of(
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
    ledger = read_root(CONNECTOR, home("damage")).ledgers[name]
    (trouble,) = ledger.troubles
    assert trouble.reason.startswith(reason)
    assert [entry.status for entry in ledger.counts] == ["malformed"]


# -- layouts -----------------------------------------------------------------------------------


def test_layouts() -> None:
    assembly = read_root(CONNECTOR, home("layouts"))
    assert [message.text for message in messages(assembly, "flat")] == ["flat only"]
    guess = read_root(CONNECTOR, home("layouts", ".copilot-cli"))
    assert [message.text for message in messages(guess, "seed")] == ["old guess"]
    assert {message.text for message in messages(assembly, "both")} >= {"in the folder"}
    (empty,) = session(assembly, "only-yaml")
    assert (empty.title, empty.title_rank, empty.project_path) == (
        "First line and more: text",
        30,
        "C:\\src\\a: b",
    )


def test_legacy_sessions_and_their_import_are_one() -> None:
    assembly = read_root(CONNECTOR, home("layouts"))
    assert [(message.kind, message.text) for message in messages(assembly, "old-1")] == [
        ("system_prompt", "You are."),
        ("prompt", "hi"),
        ("answer", ""),
        ("answer", "one file"),
        ("prompt", "go on"),
    ]
    assert assembly.messages["old-1", "legacy:1"].timestamp == datetime(
        2025, 9, 1, 10, 0, 1, tzinfo=UTC
    )
    call = assembly.calls["old-1", "k1"]
    assert (call.name, call.arguments, call.result) == ("bash", '{"command":"ls"}', "a.py")
    by_log, by_document = session(assembly, "old-1")
    assert by_log.title == by_document.title == "hi"
    assert by_document.started_at == datetime(2025, 9, 1, 10, 0, tzinfo=UTC)
    assert (by_log.is_hint, by_document.is_hint) == (False, True)
    document = assembly.ledgers["history-session-state/session_old-1.json"]
    assert list(document.counts) == [
        ("skipped", "legacy session", "repeated in the log of the session")
    ]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a: 1\nb:\nc: null\nd: ~\n", {"a": "1"}),
        ("name: 'it''s'\r\ncwd: C:\\a\\b: c\r\n", {"name": "it's", "cwd": "C:\\a\\b: c"}),
        ('name: "a: \\"b\\" \\u00e9"', {"name": 'a: "b" é'}),
        ('name: "folded\n  over lines"\nx: y', {"name": "folded over lines", "x": "y"}),
        (
            "s: |-\n  one\n\n  two: three\n    four\nx: y",
            {"s": "one\n\ntwo: three\n  four", "x": "y"},
        ),
        ("s: >-\n  one\n  two\n\n  three\n", {"s": "one two\nthree"}),
        ("s: plain\n  goes on\n# comment\nnot a pair\n", {"s": "plain goes on"}),
        ("name: Fix #12 and: that\n", {"name": "Fix #12 and: that"}),
        ('\ufeffname: "bad \\q escape"', {"name": "bad \\q escape"}),
        ("url: http://x/y\nhttp://no: thing", {"url": "http://x/y"}),
    ],
)
def test_flat_yaml(text: str, values: dict[str, str]) -> None:
    assert read_flat_yaml(text) == values


def test_a_recorded_stream() -> None:
    assembly = read_root(CONNECTOR, home("stream"))
    assert [(message.text, message.reasoning) for message in messages(assembly, "recorded")] == [
        ("hello", ""),
        ("Hello", "greet"),
        ("", "another"),
    ]
    assert [event.text for event in of(assembly, Event)] == ["run ended, exit code 0"]
    reasons = {
        (entry.kind, entry.reason)
        for entry in assembly.ledgers["session-state/recorded.jsonl"].counts
    }
    assert ("assistant.message_delta", "live stream only") in reasons
    assert totals(assembly, "recorded") == (0, 0, 0, 4, 1)


def test_every_kind_of_event_has_one_treatment() -> None:
    assert not EPHEMERAL & set(TEMPLATES)
    lines = [
        f'{{"type":"{kind}","data":{{}},"id":"x{n}"}}'
        for n, kind in enumerate([*TEMPLATES, *EPHEMERAL])
    ]
    reader = CONNECTOR.reader(FileIdentity("session-state/s/events.jsonl", "", "log", "s"), None)
    assert len(pieces_of(reader, BytesContent("\n".join(lines).encode()))) == len(TEMPLATES)
    assert {entry.status for entry in reader.ledger.counts} == {"mapped", "skipped"}


HANDLED = """abort assistant.message assistant.reasoning assistant.turn_end hook.end hook.start human_response.recorded
permission.completed permission.requested result session.binary_asset session.compaction_complete session.error
session.import_legacy session.model_change session.resume session.shutdown session.start session.usage_record
skill.invoked skill.invoked_ref subagent.completed subagent.failed subagent.started system.message
system.notification tool.execution_complete tool.execution_start tool.user_requested user.message"""


@pytest.mark.parametrize(
    "data", ["", ',"data":{}', ',"data":null', ',"data":[1]', ',"data":"x"', ',"data":7']
)
def test_events_without_their_data_are_read(data: str) -> None:
    for kind in HANDLED.split():
        reader = CONNECTOR.reader(
            FileIdentity("session-state/s/events.jsonl", "", "log", "s"), None
        )
        pieces_of(reader, BytesContent(f'{{"type":"{kind}"{data}}}\n'.encode()))
        assert {entry.status for entry in reader.ledger.counts} <= {"mapped", "skipped"}, (
            kind,
            data,
        )
        assert len(list(reader.sessions())) == 1


def test_broken_text_in_rare_events_is_read() -> None:
    line = b'{"type":"session.warning","data":{"message":"a\xffb \\ud800","x":"\xff"},"id":"i"}'
    reader = CONNECTOR.reader(FileIdentity("session-state/s/events.jsonl", "", "log", "s"), None)
    (event,) = pieces_of(reader, BytesContent(line + b"\n"))
    assert event.text == "a\ufffdb \ufffd"


ODD_VALUES = ["null", "7", '"text"', "[]", "[7]", "{}", '{"a":[1]}', "true"]
ODD_FIELDS = """content attachments toolRequests result error shellExecution fileEdits toolUsage usage arguments source
modelMetrics context response permissionRequest compactionTokensUsed legacySession accountingSnapshot data"""


@pytest.mark.parametrize("value", ODD_VALUES)
def test_events_with_odd_values_are_read(value: str) -> None:
    for kind in HANDLED.split():
        for field in ODD_FIELDS.split():
            line = f'{{"type":"{kind}","data":{{"toolCallId":"c","success":true,"{field}":{value}}},"id":"i"}}\n'
            reader = CONNECTOR.reader(
                FileIdentity("session-state/s/events.jsonl", "", "log", "s"), None
            )
            pieces_of(reader, BytesContent(line.encode()))
            assert {entry.status for entry in reader.ledger.counts} <= {"mapped", "skipped"}, line


# -- usage -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("session_id", "expected"),
    [  # fresh input, cache read, cache write, output, requests
        ("segments", (140, 0, 0, 13, 2)),  # 25: each shutdown stands for itself
        ("cumulative", (140, 0, 0, 0, 2)),  # 26: the second goes on from the first
        ("mixed", (190, 0, 0, 0, 3)),  # 27
        ("snapshot", (130, 0, 0, 0, 2)),  # no resume, but an accountingSnapshot
        ("smaller", (140, 0, 0, 0, 4)),  # not what went before plus something: counted whole
        ("records", (60, 120, 20, 14, 2)),  # 28: the same sequence once
        ("compacted", (30 + 30, 60 + 20, 10, 7 + 3, 2)),  # 29: not in the shutdown's totals
        ("compacted-old", (100 + 30, 20, 0, 9 + 3, 2)),
        ("messages", (0, 0, 0, 13, 2)),
        ("count-only", (0, 0, 0, 9, 1)),
        ("strange", (0, 0, 0, 3, 2)),
    ],
)
def test_usage(session_id: str, expected: tuple[int, ...]) -> None:
    assert totals(read_root(CONNECTOR, home("usage")), session_id) == expected


def test_usage_in_detail() -> None:
    assembly = read_root(CONNECTOR, home("usage"))
    first, second = counted(assembly, "records")
    assert (first.key, first.rank, first.segment, first.origin) == (
        "records:1",
        30,
        0,
        "usage_record",
    )
    assert (first.reasoning_tokens, first.cost_micro_usd, first.premium_requests) == (
        2,
        20_000,
        1.0,
    )
    assert second.premium_requests is None  # the agent's own calls are not billed as requests
    costs = [
        (row.segment, row.cost_micro_usd, row.premium_requests) for row in counted(assembly, "cost")
    ]
    assert costs == [(0, 30_000, 1.0), (1, 20_000, 1.0)]
    partial = counted(assembly, "snapshot")[1]
    assert partial.cost_micro_usd is None
    message = counted(assembly, "messages")[0]
    assert (message.key, message.message_id, message.input_tokens) == (
        "messages-m1",
        "messages-m1",
        None,
    )
    compaction = next(row for row in counted(assembly, "compacted") if row.origin == "compaction")
    assert (compaction.key, compaction.segment, compaction.rank) == ("compaction:att", 1, 30)


def test_nothing_is_made_of_what_was_not_recorded() -> None:
    assembly = read_root(CONNECTOR, home("usage"))
    rows = of(assembly, Usage, "strange")
    assert [(row.model, row.input_tokens, row.output_tokens) for row in rows] == [
        (None, None, 3),
        (None, None, None),
    ]


# -- databases ---------------------------------------------------------------------------------

USAGE_TABLE = """CREATE TABLE assistant_usage_events (id INTEGER PRIMARY KEY, session_id TEXT, agent_id TEXT,
    model TEXT, input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER,
    reasoning_tokens INTEGER, total_nano_aiu INTEGER, request_multiplier REAL, initiator TEXT, created_at TEXT)"""


def read_database(path: Path, name: str, content: Any = None) -> Assembly:
    assembly = Assembly()
    assembly.read(
        CONNECTOR, FoundFile(str(path), name, "database", path.stat().st_size, 0, 0), content
    )
    return assembly


def test_rows_that_are_only_in_the_wal(tmp_path: Path) -> None:
    path = tmp_path / "session-store.db"
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA wal_autocheckpoint=0")
    database.execute(USAGE_TABLE)
    database.execute(
        "CREATE TABLE session_refs (id INTEGER, session_id TEXT, ref_type TEXT, ref_value TEXT)"
    )
    database.execute("CREATE TABLE turns (session_id TEXT, user_message TEXT)")
    database.execute("INSERT INTO turns VALUES ('s', 'the second prompt')")
    database.execute(
        "INSERT INTO assistant_usage_events VALUES"
        " (1,'s',NULL,'m',100,5.0,60,10,2,2000000000,1.0,'user','2026-03-01T10:00:00.000Z'),"
        " (2,'s','a1','m',50,3,NULL,NULL,NULL,NULL,0.0,'sub-agent','2026-03-01 10:00:01')"
    )
    database.execute("INSERT INTO session_refs VALUES (1,'s','pr','octo/demo#7')")
    database.commit()
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assembly = read_database(path, "session-store.db")
    first, second = of(assembly, Usage)
    assert (first.session_id, first.key, first.rank, first.segment) == ("s", "store:s:1", 40, None)
    assert (first.input_tokens, first.cache_read_tokens, first.cache_write_tokens) == (30, 60, 10)
    assert (first.output_tokens, first.cost_micro_usd, first.premium_requests) == (5, 20_000, 1.0)
    assert (second.session_id, second.input_tokens, second.cache_read_tokens) == ("s/a1", 50, None)
    assert second.timestamp == datetime(2026, 3, 1, 10, 0, 1, tzinfo=UTC)
    assert [event.text for event in of(assembly, Event)] == ["pr octo/demo#7"]
    assert not assembly.messages
    assert not assembly.sessions
    kinds = {
        entry.kind
        for entry in assembly.ledgers["session-store.db"].counts
        if entry.status == "skipped"
    }
    assert kinds == {"table turns"}
    assert assembly.ledgers["session-store.db"].total_bytes == path.stat().st_size
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    without = read_database(path, "session-store.db", BytesContent(path.read_bytes()))
    assert without.others == []
    database.close()


def test_the_database_is_better_than_the_log(tmp_path: Path) -> None:
    path = tmp_path / "session-store.db"
    with sqlite3.connect(path) as database:
        database.execute(USAGE_TABLE)
        rows = "INSERT INTO assistant_usage_events VALUES (?,'compacted',NULL,'m',?,1,0,0,0,NULL,0,'user',?)"
        database.execute(rows, (1, 1000, "2026-03-01T10:00:02.000Z"))
        database.execute(rows, (2, 500, "2026-03-01T10:00:05.000Z"))
    database.close()
    assembly = read_root(CONNECTOR, home("usage"))
    assembly.read(
        CONNECTOR, FoundFile(str(path), "session-store.db", "database", path.stat().st_size, 0, 0)
    )
    assert totals(assembly, "compacted") == (1500, 0, 0, 2, 2)


def make_session_db(path: Path, *statements: str) -> Path:
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return path


TODOS = "CREATE TABLE todos (id TEXT PRIMARY KEY, title TEXT, description TEXT, status TEXT, created_at TEXT)"


def test_todos(tmp_path: Path) -> None:
    path = make_session_db(
        tmp_path / "session.db",
        TODOS,
        "CREATE TABLE todo_deps (todo_id TEXT, depends_on TEXT)",
        "CREATE TABLE my_notes (x)",
        "INSERT INTO todos VALUES ('t1','Title',NULL,'done','2026-11-15 18:07:33'), ('t2','Next','d','pending',NULL)",
        "INSERT INTO todo_deps VALUES ('t2','t1')",
    )
    (todos,) = read_database(path, "session-state/s/session.db").others
    assert (todos.session_id, todos.origin, todos.rank) == ("s", "sql", 2)
    first, second = todos.items
    assert (first.id, first.content, first.status, first.description) == (
        "t1",
        "Title",
        "done",
        None,
    )
    assert first.created_at == datetime(2026, 11, 15, 18, 7, 33, tzinfo=UTC)
    assert (second.depends_on, second.description) == (("t1",), "d")


@pytest.mark.parametrize(
    ("statements", "problem"),
    [
        ((TODOS,), None),
        (("CREATE TABLE mine (x)",), None),
        ((), None),
        (("CREATE TABLE todos (x INTEGER)",), "table todos has no title column"),
        (("CREATE VIEW todos AS SELECT 1 AS title",), None),
    ],
)
def test_session_databases_without_todos(
    tmp_path: Path, statements: tuple[str, ...], problem: str | None
) -> None:
    path = make_session_db(tmp_path / "session.db", *statements)
    assembly = read_database(path, "session-state/s/session.db")
    assert assembly.others == []
    assert [
        trouble.reason for trouble in assembly.ledgers["session-state/s/session.db"].troubles
    ] == ([problem] if problem else [])


def test_a_cut_database_is_a_problem(tmp_path: Path) -> None:
    path = make_session_db(
        tmp_path / "session.db", TODOS, "CREATE TABLE todo_deps (todo_id TEXT, depends_on TEXT)"
    )
    data = path.read_bytes()
    for cut in (1, 100, 4096, len(data) - 1):
        assembly = read_database(path, "session-state/s/session.db", BytesContent(data[:cut]))
        ledger = assembly.ledgers["session-state/s/session.db"]
        assert assembly.others == []
        assert ledger.total_bytes == cut


def test_altered_todos_are_read(tmp_path: Path) -> None:
    path = make_session_db(
        tmp_path / "session.db",
        "CREATE TABLE todos (id INTEGER, task TEXT)",
        "INSERT INTO todos VALUES (1, 'x')",
    )
    (todos,) = read_database(path, "session-state/s/session.db").others
    assert [(item.id, item.content, item.status) for item in todos.items] == [("1", "x", None)]


def test_pieces_name_known_sessions_only() -> None:
    for case in CASES:
        assembly = read_root(CONNECTOR, home(case))
        known = {one.id for one in assembly.sessions}
        for piece in (*assembly.messages.values(), *assembly.calls.values()):
            assert piece.session_id in known
            assert isinstance(piece, (Message, ToolCall))
