"""The Claude Code connector: tools and what they leave behind, the other stores, damage, discovery
and growth.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors.base import Env, FileIdentity, FoundFile, Pause
from agent_journal.connectors.claude_code import CONNECTOR
from agent_journal.model import (
    Attachment,
    DailyStat,
    Document,
    Event,
    FileEdit,
    HistoryEntry,
    Plan,
    Todo,
    TodoList,
    ToolCall,
)
from tests.support.assemble import Assembly, BytesContent, read_root

HOMES = Path(__file__).parent / "claude_code"
CASES = sorted(path.name for path in HOMES.iterdir())
PNG_SHA256 = "4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6"


def root(case: str) -> str:
    return str(HOMES / case / "home" / ".claude")


@cache
def case(name: str) -> Assembly:
    return read_root(CONNECTOR, root(name))


@cache
def found(name: str) -> dict[str, FoundFile]:
    return {
        file.name: file for file in CONNECTOR.discover(root(name)) if isinstance(file, FoundFile)
    }


def of(name: str, kind: type) -> list[Any]:
    return [piece for piece in case(name).others if isinstance(piece, kind)]


def tool(n: int | str) -> ToolCall:
    return case("tool-results").calls["tools", f"T{n}"]


# -- tools -------------------------------------------------------------------------------------


def test_results_of_every_shape() -> None:
    assert (tool(1).status, tool(1).result) == ("error", "File not found")
    assert (tool(2).status, tool(2).result, tool(2).kind, tool(2).server) == (
        "ok",
        "x",
        "mcp",
        "github",
    )
    image = Attachment(kind="image", mime_type="image/png", size=8, sha256=PNG_SHA256)
    assert (tool(3).result, tool(3).attachments) == ("a", (image,))
    assert tool(4).result == "WebFetch"
    assert (tool(8).status, tool(8).exit_code) == ("error", 2)
    assert (tool(9).status, tool(9).result) == ("interrupted", "partial")
    assert (tool(10).status, tool(11).status) == ("denied", "interrupted")
    assert (tool(22).status, tool(22).result) == ("ok", "")
    assert (tool(23).status, tool(23).result) == (None, None)
    search = case("tool-results").calls["tools", "W1"]
    assert (search.kind, search.status, search.result) == (
        "web",
        "ok",
        "T\nhttps://example.invalid/",
    )
    interrupt = case("tool-results").messages["tools", "r22"]
    assert (interrupt.kind, interrupt.text) == (
        "interrupt",
        "[Request interrupted by user for tool use]",
    )


def test_long_output_is_followed_only_into_the_own_folder() -> None:
    assert [tool(n).spilled_to for n in (5, 6, 7)] == ["tool-results/b1.txt", None, None]
    assert of("tool-results", Document) == [
        Document(session_id="tools", name="tool-results/b1.txt", kind="tool-result")
    ]


def test_edits_have_a_diff_and_their_message() -> None:
    edits = {edit.call_id: edit for edit in of("tool-results", FileEdit)}
    told = {
        call: (e.path.rpartition("/")[2], e.kind, e.diff, e.lines_added, e.lines_removed)
        for call, e in edits.items()
    }
    assert told == {
        "T12": ("a.py", "edit", "@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d", 2, 1),
        "T13": ("n.py", "create", "@@ -0,0 +1,2 @@\n+one\n+two", 2, 0),
        "T14": ("n.py", "edit", "@@ -2,1 +2,0 @@\n-two", 0, 1),
        "T15": ("n.ipynb", "edit", "@@ @@\n+x = 1", 1, 0),
        "T16": ("b.py", "edit", "@@ @@\n-old\n+new\n+more", 2, 1),
        "lost": ("lost.py", "edit", "@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d", 2, 1),
    }
    assert (edits["T12"].message_id, edits["lost"].message_id) == ("m12", None)


def test_todos_count_when_the_tool_took_them() -> None:
    items = (
        Todo(content="one", status="in_progress", active_form="Doing one"),
        Todo(content="two", status="pending", id="2"),
    )
    assert of("tool-results", TodoList) == [
        TodoList(session_id="tools", origin="todowrite", items=items, rank=1)
    ]


def test_plans_know_what_was_said_about_them() -> None:
    big, small = of("tool-results", Plan)
    assert (big.text, big.name, big.approved, big.feedback) == (
        "# Big plan",
        "T19",
        False,
        "smaller",
    )
    assert (small.text, small.name, small.approved, small.feedback) == (
        "# Small plan",
        "calm-moth",
        True,
        None,
    )
    assert small.kind == "exit_plan_mode"


# -- stores ------------------------------------------------------------------------------------


def test_backups_are_told_when_they_are_new() -> None:
    edits = [(e.path, e.backup, e.message_id, e.origin, e.kind) for e in of("stores", FileEdit)]
    assert edits == [
        ("/home/u/app/w.txt", None, "u1", "file-history", "backup"),
        ("/home/u/app/w.txt", "file-history/139d@v2", "u2", "file-history", "backup"),
        ("/home/u/app/v.txt", "file-history/2222@v1", "u2", "file-history", "backup"),
    ]
    assert of("stores", Document) == [
        Document(session_id="kept", name="file-history/139d@v2", kind="file-backup")
    ]


def test_todo_files() -> None:
    first = Todo(
        content="First", status="in_progress", id="1", description="Do it", active_form="Doing it"
    )
    second = Todo(content="Second", status="pending", id="2", depends_on=("1",))
    dig = Todo(content="dig", status="completed", id="1")
    deeper = Todo(content="deeper", status="pending", active_form="Digging deeper")
    assert of("stores", TodoList) == [
        TodoList(session_id="older", origin="todos_json", items=(deeper,), agent_id="a1"),
        TodoList(session_id="older", origin="todos_json", items=(dig,)),
        TodoList(session_id="kept", origin="tasks", items=(first,), rank=2),
        TodoList(session_id="kept", origin="tasks", items=(second,), rank=2),
    ]


def test_history_plans_and_statistics() -> None:
    history = [(e.position, e.text, e.pasted, e.session_id) for e in of("stores", HistoryEntry)]
    assert history == [
        (0, "change w", None, "kept"),
        (1, "[Pasted text #1 +2 lines]", "one\ntwo", None),
        (
            2,
            "look [Pasted text #2 +900 lines] [Image #3]",
            "[paste-cache/ab12cd34ef56ab78.txt]",
            None,
        ),
        (3, "/exit", None, None),
    ]
    assert [(p.name, p.text, p.kind) for p in of("stores", Plan)] == [
        ("calm-moth", "# Calm plan\n", "plan")
    ]
    assert of("stores", DailyStat) == [
        DailyStat(
            date="2026-02-02",
            message_count=5,
            session_count=1,
            tool_call_count=2,
            tokens_by_model={"claude-opus-5": 99},
        ),
        DailyStat(date="2026-02-03", tokens_by_model={"claude-opus-5": 1}),
    ]
    assert [e.type for e in of("stores", Event)] == ["worktree-state", "marble-origami-commit"]


# -- damage ------------------------------------------------------------------------------------


def test_damage_costs_what_is_damaged() -> None:
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
    assert [e.type for e in of("damage", Event)] == [
        "future-root",
        "system/quantum_leap",
        "attachment/hologram",
        "assistant/telepathy",
        "user/smell",
    ]
    assert all(e.raw for e in of("damage", Event))
    assert [s.title for s in case("damage").sessions if s.id == "damaged"] == ["Shared line"]
    assert case("damage").messages["damaged", "m2"].parent_id == "u3"


def test_a_transcript_without_a_word_is_an_empty_session() -> None:
    times = {s.id: s.started_at for s in case("damage").sessions}
    assert set(times) == {"damaged", "unended", "empty", "padding"}
    assert (times["empty"], times["padding"]) == (None, None)
    assert len(case("damage").ledgers["todos/broken-agent-broken.json"].troubles) == 1
    assert len(case("damage").ledgers["stats-cache.json"].troubles) == 1


# -- discovery ---------------------------------------------------------------------------------


def test_only_session_files_are_looked_at() -> None:
    roles = {name: (file.role, file.session_id) for name, file in found("stores").items()}
    project = "projects/-home-u-app/"
    assert roles == {
        project + ".session-aliases": ("kept", None),
        project + "kept.jsonl": ("log", "kept"),
        project + "memory/MEMORY.md": ("kept", None),
        project + "sessions-index.json": ("kept", None),
        "history.jsonl": ("log", None),
        "stats-cache.json": ("document", None),
        "paste-cache/0011223344556677.txt": ("kept", None),
        "todos/kept-agent-kept.json": ("document", None),
        "todos/older-agent-a1.json": ("document", None),
        "todos/older-agent-older.json": ("document", None),
        "plans/calm-moth.md": ("document", None),
        "tasks/kept/1.json": ("document", None),
        "tasks/kept/2.json": ("document", None),
        "file-history/kept/139d@v2": ("kept", None),
    }
    agents = {
        name.removeprefix(project): f.session_id
        for name, f in found("subagents").items()
        if f.role == "log"
    }
    assert agents == {
        "agent-a7.jsonl": None,
        "agent-a8.jsonl": None,
        "parent.jsonl": "parent",
        "parent/subagents/agent-a1.jsonl": "parent/agent-a1",
        "parent/subagents/agent-a2.jsonl": "parent/agent-a2",
        "parent/subagents/agent-acompact-0123456789abcdef.jsonl": "parent/agent-acompact-0123456789abcdef",
        "parent/subagents/workflows/wf_1/agent-a9.jsonl": "parent/agent-a9",
        "parent/subagents/workflows/wf_1/journal.jsonl": None,
    }


def test_the_same_session_in_two_folders_is_one_session() -> None:
    copies = {name: f.size for name, f in found("forks").items() if f.session_id == "origin"}
    assert copies["projects/-home-u-old/origin.jsonl"] == 0
    assert copies["projects/-home-u-app/origin.jsonl"] > 0
    assert sorted(s.started_at is not None for s in case("forks").sessions if s.id == "origin") == [
        False,
        True,
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")
def test_links_and_pipes_do_not_hang(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-p"
    project.mkdir(parents=True)
    (project / "s.jsonl").write_text("")
    (project / "loop").symlink_to(tmp_path)
    (project / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (project / "s").mkdir()
    (project / "s" / "subagents").symlink_to(project)
    (project / "s" / "tool-results").mkdir()
    (project / "s" / "tool-results" / "secret.txt").symlink_to("/etc/passwd")
    os.mkfifo(project / "pipe.jsonl")
    (project / "folder.jsonl").mkdir()
    assert [
        file.name for file in CONNECTOR.discover(str(tmp_path)) if isinstance(file, FoundFile)
    ] == ["projects/-p/s.jsonl"]


def test_roots(tmp_path: Path) -> None:
    home = str(tmp_path)
    desktop = (
        tmp_path
        / ".config"
        / "Claude"
        / "local-agent-mode-sessions"
        / "account"
        / "org"
        / "local_1"
        / ".claude"
    )
    desktop.mkdir(parents=True)
    defaults = [str(tmp_path / ".claude"), str(tmp_path / ".config" / "claude")]
    assert CONNECTOR.roots(Env(home, {}, "linux")) == [*defaults, str(desktop)]
    listed = {"CLAUDE_CONFIG_DIR": "~/work, /srv/claude,"}
    assert CONNECTOR.roots(Env(home, listed, "linux")) == [
        f"{home}/work",
        "/srv/claude",
        str(desktop),
    ]
    assert CONNECTOR.roots(Env(home, {"XDG_CONFIG_HOME": "/x"}, "linux"))[1:] == ["/x/claude"]
    assert CONNECTOR.roots(Env(home, {}, "darwin")) == defaults


def test_a_configured_path_may_point_deeper_or_higher(tmp_path: Path) -> None:
    (tmp_path / ".claude" / "projects").mkdir(parents=True)
    inner = str(tmp_path / ".claude")
    for path in (inner, inner + "/projects", inner + "/projects/", str(tmp_path)):
        assert CONNECTOR.normalize_root(path).rstrip("/") == inner
    assert CONNECTOR.normalize_root("/srv/elsewhere") == "/srv/elsewhere"


def test_listing_imports_nothing_heavy() -> None:
    code = (
        "import sys; from agent_journal.connectors.claude_code import CONNECTOR; list(CONNECTOR.discover('/nowhere'));"
        "print([m for m in ('msgspec', 'json', 'pathlib', 'agent_journal.model') if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=_env()
    )
    assert run.stdout.strip() == "[]"


def _env() -> dict[str, str]:
    import agent_journal

    return {**os.environ, "PYTHONPATH": str(Path(agent_journal.__file__).parents[1])}


# -- every file --------------------------------------------------------------------------------


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
def test_odd_values_never_cost_the_record(line: str) -> None:
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
