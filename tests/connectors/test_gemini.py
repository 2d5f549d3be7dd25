"""Gemini CLI: what each kind of record and file becomes. What cases can say stands in their
expected.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors.base import Env, FileIdentity, FoundFile, Unlisted
from agent_journal.connectors.gemini import CONNECTOR
from agent_journal.connectors.jsonl import QUOTED_FROM
from agent_journal.model import Event, FileEdit, HistoryEntry, Plan, Session, TodoList, ToolCall
from tests.support.assemble import Assembly, BytesContent, read_root
from tests.support.journals import aj, aj_json, open_journal

HERE = Path(__file__).parent / "gemini"
TALK = "6f0c11e2-0000-4000-8000-000000000001"


def home(case: str) -> Path:
    return HERE / case / "home" / ".gemini"


def of(assembly: Assembly, kind: type[Any]) -> list[Any]:
    return [piece for piece in assembly.others if isinstance(piece, kind)]


def session(assembly: Assembly, session_id: str) -> Session:
    return next(one for one in assembly.sessions if one.id == session_id)


@pytest.fixture(scope="module")
def talk() -> Assembly:
    return read_root(CONNECTOR, home("log"))


@pytest.fixture(scope="module")
def document() -> Assembly:
    return read_root(CONNECTOR, home("document"))


def read_lines(*records: dict[str, Any]) -> Assembly:
    data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    assembly = Assembly()
    file = FoundFile(
        "/x/tmp/p/chats/session-x.jsonl", "tmp/p/chats/session-x.jsonl", "replay", len(data), 0, 0
    )
    assembly.read(CONNECTOR, file, BytesContent(data))
    return assembly


def user(name: str, text: str) -> dict[str, Any]:
    return {"id": name, "type": "user", "content": text}


# -- the list of files -------------------------------------------------------------------------


def test_roots_follow_the_environment() -> None:
    assert CONNECTOR.roots(Env("/h", {}, "linux")) == ["/h/.gemini"]
    assert CONNECTOR.roots(Env("/h", {"GEMINI_CLI_HOME": "/else"}, "darwin")) == ["/else/.gemini"]


def test_settled_root(tmp_path: Path) -> None:
    (tmp_path / ".gemini").mkdir()
    assert CONNECTOR.normalize_root("/h/.gemini/tmp/") == "/h/.gemini"
    assert CONNECTOR.normalize_root("/h/.gemini") == "/h/.gemini"
    assert CONNECTOR.normalize_root(str(tmp_path)) == str(tmp_path / ".gemini")


def test_discover_lists_only_session_files() -> None:
    found = [file for file in CONNECTOR.discover(str(home("log"))) if isinstance(file, FoundFile)]
    assert {
        file.name.removeprefix("tmp/pear/"): (file.role, file.session_id) for file in found
    } == {
        "projects.json": ("document", None),
        "chats/session-2026-11-15T18-00-6f0c11e2.jsonl": ("replay", None),
        f"chats/{TALK}/scout-1.jsonl": ("replay", f"{TALK}/scout-1"),
        "logs.json": ("document", None),
        "shell_history": ("document", None),
        "plans/pears.md": ("document", None),
        f"{TALK}/plans/today.md": ("document", None),
        "checkpoints/2026-11-15T18-00-20.json": ("kept", None),
        "checkpoint-before%20lunch.json": ("kept", None),
        f"tool-outputs/session-{TALK}/run_shell_command_1.txt": ("kept", None),
    }


def test_a_later_file_of_a_session_is_no_copy_of_it() -> None:
    found = [file for file in CONNECTOR.discover(str(home("both"))) if isinstance(file, FoundFile)]
    assert [file.session_id for file in found if "chats" in file.name] == [
        None,
        None,
        "session-2026-11-15T18-30-b07h0000",
        "session-2026-11-15T18-40-b07h0000",
    ]


def test_folders_with_too_many_files_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_journal.connectors.gemini._MAX_KEPT", 2)
    folder = tmp_path / "tmp/p/checkpoints"
    folder.mkdir(parents=True)
    for number in range(3):
        (folder / f"{number}.json").write_text("{}")
    *kept, last = CONNECTOR.discover(str(tmp_path))
    assert len(kept) == 2
    assert isinstance(last, Unlisted)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ('{"general":{"sessionRetention":{"enabled":true,"maxAge":"2w"}}}', 14),
        ('{"general":{"sessionRetention":{"enabled":false,"maxAge":"2w"}}}', None),
        ('{"general":{"sessionRetention":{"maxAge":"48h"}}}', 2),
        ('{"general":{"sessionRetention":{"maxAge":"soon"}}}', 30),
        ('{"general":{"sessionRetention":{"maxAge":7}}}', 30),
        ('{"general":[]}', 30),
        ("{", 30),
        (None, 30),
    ],
)
def test_retention(tmp_path: Path, text: str | None, days: int | None) -> None:
    if text is not None:
        (tmp_path / "settings.json").write_text(text)
    assert CONNECTOR.retention_days(str(tmp_path)) == days


# -- logs --------------------------------------------------------------------------------------


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
    found = read_lines(user("a", "first"), user("b", "second"), user("a", "first, mended"))
    assert [message.text for message in found.messages.values()] == ["first, mended", "second"]


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


def test_a_session_is_told_by_its_head_and_its_updates(talk: Assembly) -> None:
    one = session(talk, TALK)
    assert (one.title, one.title_source, one.project_path) == (
        "Making the pear test pass",
        "summary",
        "/home/sam/pear",
    )
    assert one.models == ("gemini-3-pro", "gemini-3-flash")


def test_what_only_a_checkpoint_tells_is_read_from_it() -> None:
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


def test_long_results_are_quoted() -> None:
    text = "x" * QUOTED_FROM
    result = [{"functionResponse": {"id": "c", "name": "ls", "response": {"output": text}}}]
    call = {"id": "c", "name": "ls", "args": {}, "status": "success", "result": result}
    alone = {"id": "a", "type": "gemini", "content": "", "toolCalls": [call]}
    inside = {"$set": {"messages": [{**alone, "id": "b", "toolCalls": [{**call, "id": "d"}]}]}}
    found = read_lines({"sessionId": "s", "projectHash": "p"}, alone, inside)
    places = {name: one.result_at and one.result_at.path for (_, name), one in found.calls.items()}
    way = (0, "functionResponse", "response", "output")
    assert places["c"] == ("toolCalls", 0, "result", *way)
    assert places["d"] == ("$set", "messages", 0, "toolCalls", 0, "result", *way)


# -- documents ---------------------------------------------------------------------------------


def test_parts_of_content(document: Assembly) -> None:
    messages = {name: message for (_, name), message in document.messages.items()}
    assert messages["u1"].text == "What is in @plum.png and @a.md?"
    assert [(one.kind, one.path, one.size) for one in messages["u1"].attachments] == [
        ("file", "a.md", None),
        ("image", None, 3),
    ]
    assert (messages["c1"].text, messages["c1"].attachments[0].text) == (
        "/review",
        "Review the diff as a pirate: …",
    )
    assert messages["c2"].kind == "injected"
    assert messages["line-5"].text == "no id"
    assert messages["m1"].text == "Arr, matey"


def test_more_cached_than_sent_is_not_part_of_it(document: Assembly) -> None:
    (usage,) = [message.usage for message in document.messages.values() if message.usage]
    assert (usage.input_tokens, usage.cache_read_tokens, usage.reasoning_tokens) == (100, 250, None)


def test_a_project_is_known_by_its_hash(document: Assembly) -> None:
    assert document.sessions[0].project_path == "/home/sam/plum"


def test_results_of_every_shape(document: Assembly) -> None:
    calls: dict[str, ToolCall] = {name: call for (_, name), call in document.calls.items()}
    assert (calls["g1#0"].result, calls["er"].result, calls["er"].exit_code) == (
        "# A\n",
        "not found",
        127,
    )
    assert [one.kind for one in calls["im"].attachments] == ["image", "document"]


def test_damage_costs_what_is_damaged() -> None:
    found = read_root(CONNECTOR, home("damage"))
    assert [message.text for message in found.messages.values()] == [
        "Half a line follows",
        "Glued",
        "after the crash",
        "caf\u2028e",
        "\ufffd",
        "The head is lost",
        "Pity.",
        "a number as id",
        "no id",
        "",
    ]


# -- the journal -------------------------------------------------------------------------------


@pytest.fixture
def journal_of(tmp_path: Path) -> Callable[[str], Path]:
    def make(case: str) -> Path:
        import shutil

        shutil.copytree(HERE / case / "home", tmp_path, dirs_exist_ok=True)
        assert aj(tmp_path, "sync").returncode == 0
        return tmp_path

    return make


def test_a_session_in_two_formats_is_read_once(journal_of: Callable[[str], Path]) -> None:
    place = journal_of("both")
    with open_journal(place) as journal:
        one = journal.session("b07h0000-0000-4000-8000-000000000003")
        assert [message.text for message in one.messages] == [
            "First question",
            "First answer",
            "Second question",
            "Second answer",
        ]
        assert sum(usage.input_tokens or 0 for usage in one.usage) == 30
        assert journal.session("session-2026-11-15T18-30-b07h0000").fork_of == one.id
        assert journal.session("session-2026-11-15T18-40-b07h0000").parent_id == one.id
    assert aj(place, "verify").returncode == 0


@pytest.mark.parametrize(
    ("ids", "when", "expected"),
    [
        ((None, None), None, 20),  # without ids and times
        (("1", "2"), "2026-11-15T18:00:00.000Z", 20),  # with ids of somebody else's
        (
            ("7e0c11e2-0000-4000-8000-00000000000a", "7e0c11e2-0000-4000-8000-00000000000b"),
            "2026-11-15T18:00:00Z",
            10,
        ),
    ],
)
def test_tokens_of_unrelated_sessions_all_count(
    tmp_path: Path, ids: tuple[str | None, str | None], when: str | None, expected: int
) -> None:
    chats = tmp_path / ".gemini/tmp/pear/chats"
    chats.mkdir(parents=True)
    for number in (1, 2):
        ask, said = (
            {"type": "user", "content": "hi"},
            {"type": "gemini", "content": "yes", "tokens": {"output": 10}},
        )
        messages = [
            {**message, **({"id": name} if name else {}), **({"timestamp": when} if when else {})}
            for name, message in zip(ids, (ask, said), strict=True)
        ]
        told = {"sessionId": f"6f0c11e2-0000-4000-8000-00000000010{number}", "messages": messages}
        (chats / f"session-2026-11-15T18-0{number}-6f0c11e2.json").write_text(json.dumps(told))
    assert aj(tmp_path, "sync").returncode == 0
    (total,) = aj_json(tmp_path, "usage", "agent")["items"]
    assert total["output_tokens"] == expected


def test_a_log_that_grows_is_read_anew(journal_of: Callable[[str], Path]) -> None:
    place = journal_of("log")
    log = next(place.rglob(f"session-*{TALK[:8]}.jsonl"))
    data = log.read_bytes()
    log.write_bytes(
        data + b'{"$rewindTo":"u3"}\n{"id":"u4","type":"user","content":"Really the end"}\n'
    )
    assert aj(place, "sync").returncode == 0
    with open_journal(place) as journal:
        shown = [
            message.text for message in journal.session(TALK).messages if message.state != "hidden"
        ]
        assert shown[-1] == "Really the end"
        assert "Thanks" not in shown
    assert aj(place, "verify").returncode == 0


def test_a_project_that_becomes_known_later_is_told(journal_of: Callable[[str], Path]) -> None:
    place = journal_of("checkpoint")
    (place / ".gemini/tmp/quince/.project_root").write_text("/home/sam/quince-2")
    assert aj(place, "sync").returncode == 0
    with open_journal(place) as journal:
        assert journal.session("c4ec0000").project_path == "/home/sam/quince-2"


def test_a_whole_folder_is_imported_with_its_projects(tmp_path: Path) -> None:
    found = aj_json(tmp_path, "import", str(home("log")))
    assert found["problems"] == 0
    with open_journal(tmp_path) as journal:
        assert journal.session(TALK).project_path == "/home/sam/pear"


def test_a_sub_agent_is_recognised_by_its_folder(tmp_path: Path) -> None:
    aj(tmp_path, "import", str(next(home("log").rglob("scout-1.jsonl"))))
    with open_journal(tmp_path) as journal:
        assert journal.session(f"{TALK}/scout-1").messages[0].text == "find the caller"


def test_the_reader_knows_its_files_by_role() -> None:
    identity = FileIdentity("tmp/p/strange", "/x/tmp/p/strange", "document", None)
    reader = CONNECTOR.reader(identity, None)
    assert list(reader.read(BytesContent(b"x"))) == []
    assert reader.ledger.total_bytes == 1
