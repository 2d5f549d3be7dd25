"""OpenAI Codex CLI: what each kind of record and file becomes; `summary.json` of each case tells
the whole of it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_journal.connectors.base import Env, FileIdentity, FoundFile, Pause
from agent_journal.connectors.codex import CONNECTOR, session_of
from agent_journal.connectors.codex.conversation import kind_of
from agent_journal.connectors.codex.notices import REPEATED, TEMPLATES
from agent_journal.connectors.codex.outcomes import outcome_of
from agent_journal.connectors.codex.patches import patch_in, planned
from agent_journal.model import FileEdit, Message, Session, Usage
from agent_journal.model.diffs import apply_diff
from tests.support.assemble import Assembly, BytesContent, read_root
from tests.support.journals import aj, aj_json

HERE = Path(__file__).parent / "codex"
CASES = sorted(path.parent.name for path in HERE.glob("*/home"))
PNG = hashlib.sha256(b"PNG").hexdigest()
_PLACES = ("record_ids", "offset", "length", "session_id")


def sid(number: int) -> str:
    return f"019a4389-{0x1000 + number:04x}-7000-8000-{number:012d}"


def home(case: str) -> Path:
    return HERE / case / "home/.codex"


def plain(piece: Any) -> dict[str, Any]:
    values = msgspec.to_builtins(piece)
    return {"is": type(piece).__name__} | {
        key: value for key, value in values.items() if key not in _PLACES
    }


def told(assembly: Assembly) -> dict[str, Any]:
    """Everything an assembly says, by session."""
    found: dict[str, Any] = {}
    for session in assembly.sessions:
        found.setdefault(session.id, {"about": [], "says": []})["about"].append(plain(session))
    for piece in (*assembly.messages.values(), *assembly.calls.values(), *assembly.others):
        session_id = getattr(piece, "session_id", None) or "-"
        found.setdefault(session_id, {"about": [], "says": []})["says"].append(plain(piece))
    ledgers = {
        name.rpartition("/")[2]: sorted(
            [*entry, count] for entry, (count, _) in ledger.counts.items()
        )
        for name, ledger in assembly.ledgers.items()
    }
    return {"sessions": found, "ledgers": ledgers}


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    found = json.loads(json.dumps(told(read_root(CONNECTOR, home(case)))))
    path = HERE / case / "summary.json"
    assert found == json.loads(path.read_text())


def messages(assembly: Assembly, session_id: str) -> list[Message]:
    return [message for (session, _), message in assembly.messages.items() if session == session_id]


def of(assembly: Assembly, kind: type[Any], session_id: str) -> list[Any]:
    return [
        piece
        for piece in assembly.others
        if isinstance(piece, kind) and piece.session_id == session_id
    ]


def session(assembly: Assembly, session_id: str) -> Session:
    found: Session = next(
        one for one in assembly.sessions if one.id == session_id and not one.is_hint
    )
    return found


def tokens(assembly: Assembly, session_id: str) -> tuple[int, int, int, int]:
    rows: list[Usage] = of(assembly, Usage, session_id)
    fields = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
    return tuple(sum(getattr(row, field) or 0 for row in rows) for field in fields)  # type: ignore[return-value]


def read_lines(*records: Any, name: str = "sessions/rollout-x.jsonl") -> Assembly:
    data = "".join(json.dumps(record) + "\n" for record in records).encode()
    assembly = Assembly()
    assembly.read(CONNECTOR, FoundFile("", name, "log", len(data), 0, 0), BytesContent(data))
    return assembly


# -- the list of files -------------------------------------------------------------------------


def test_roots_follow_the_environment() -> None:
    assert CONNECTOR.roots(Env("/h", {}, "linux")) == ["/h/.codex"]
    assert CONNECTOR.roots(Env("/h", {"CODEX_HOME": "/else"}, "darwin")) == ["/else"]


@pytest.mark.parametrize(
    ("path", "root"),
    [
        ("/h/.codex/sessions/", "/h/.codex"),
        ("/h/.codex/archived_sessions", "/h/.codex"),
        ("/h/.codex", "/h/.codex"),
    ],
)
def test_settled_root(path: str, root: str) -> None:
    assert CONNECTOR.normalize_root(path) == root


@pytest.mark.parametrize(
    ("name", "session_id"),
    [
        (f"rollout-2026-11-02T09-00-00-{sid(1)}.jsonl", sid(1)),
        (f"rollout-2026-11-02T09-00-00-{sid(1)}.jsonl.zst", sid(1)),
        (f"rollout-{sid(1)}.jsonl", sid(1)),
        ("rollout-2026-01-02T03-04-05-codex-abc.jsonl", "codex-abc"),
        ("rollout-x.jsonl", "x"),
        ("rollout-.jsonl", None),
        ("rollout-2026.json", None),
        ("history.jsonl", None),
        (f"rollout-{sid(1)}.jsonl.zst.tmp", None),
    ],
)
def test_the_session_of_a_file(name: str, session_id: str | None) -> None:
    assert session_of(name) == session_id


def test_discover_lists_only_session_files() -> None:
    found = [
        file for file in CONNECTOR.discover(str(home("compressed"))) if isinstance(file, FoundFile)
    ]
    assert [(file.name.partition("/")[0], file.role, file.session_id) for file in found] == [
        ("sessions", "session", sid(50)),
        ("sessions", "log", sid(51)),
        ("sessions", "session", sid(51)),
        ("archived_sessions", "log", sid(52)),
    ]
    names = {
        file.name
        for file in CONNECTOR.discover(str(home("conversation")))
        if isinstance(file, FoundFile)
    }
    assert {"history.jsonl", "session_index.jsonl"} <= names


# -- the conversation --------------------------------------------------------------------------


def test_each_text_is_told_once() -> None:
    talk = messages(read_root(CONNECTOR, home("conversation")), sid(1))
    assert [
        (one.kind, one.text[:30], one.reasoning) for one in talk if one.kind in ("prompt", "answer")
    ] == [
        ("prompt", "# Context from my IDE setup:\n\n", ""),
        ("answer", "I look at the pump.", "**Looking**"),
        ("answer", "", ""),
        ("answer", "Done.", ""),
        ("answer", "Done.", ""),
    ]
    assert [one.kind for one in talk if one.kind not in ("prompt", "answer")] == [
        "system_prompt",
        "injected",
        "injected",
        "injected",
    ]


def test_what_is_known_of_a_session() -> None:
    assembly = read_root(CONNECTOR, home("conversation"))
    first = session(assembly, sid(1))
    assert (first.title, first.title_source, first.git_branch) == ("fix the pump", "prompt", "main")
    assert (first.repository, first.project_path, first.host_app) == (
        "sam/orchard",
        "/home/sam/orchard",
        "codex_cli_rs",
    )
    assert first.models == ("gpt-5.2-codex",)
    names = {one.id: one.title for one in assembly.sessions if one.is_hint}
    assert names == {sid(2): "Picture of a pump", "gone": "x"}


def test_pictures_are_attachments_by_hash() -> None:
    assembly = read_root(CONNECTOR, home("conversation"))
    (prompt,) = (one for one in messages(assembly, sid(2)) if one.kind == "prompt")
    assert prompt.text == "what is this?"
    assert [(one.mime_type, one.size, one.sha256) for one in prompt.attachments] == [
        ("image/png", 3, PNG)
    ]
    assert [one.sha256 for one in assembly.calls[sid(2), "c4"].attachments] == [PNG]


def test_calls_of_every_kind() -> None:
    calls = read_root(CONNECTOR, home("conversation")).calls
    shell = calls[sid(1), "c1"]
    assert (shell.kind, shell.status, shell.exit_code, shell.result, shell.duration_ms) == (
        "shell",
        "ok",
        0,
        "pump.py\n",
        250,
    )
    failed = calls[sid(1), "c2"]
    assert (failed.status, failed.exit_code, failed.duration_ms) == ("failed", 2, 500)
    mcp = calls[sid(2), "c2"]
    assert (mcp.kind, mcp.server, mcp.name, mcp.status, mcp.duration_ms) == (
        "mcp",
        "docs",
        "ask",
        "error",
        1500,
    )
    assert (calls[sid(2), "c1"].name, calls[sid(2), "c6"].status) == ("local_shell", "interrupted")
    searches = [
        call for (owner, _), call in calls.items() if owner == sid(2) and call.kind == "web"
    ]
    assert len(searches) == 2
    assert all(call.message_id for call in calls.values())


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("fix it", "prompt"),
        ("<div>what is this?</div>", "prompt"),
        ("<my_tag> is odd", "prompt"),
        ("<environment_context>\n<cwd>/r</cwd>\n</environment_context>", "injected"),
        ("<environment_context> cut off", "injected"),
        ("# AGENTS.md instructions for /r\n\nx", "injected"),
        ("# AGENTS is a file", "prompt"),
        ("<user_action>\n<context>review</context>\n</user_action>", "injected"),
        ('<goal_context source="x">\nx\n</goal_context>', "injected"),
        ("<skill>\n<name>x</name>\n</skill>", "skill"),
        ("<subagent_notification>\n{}\n</subagent_notification>", "notification"),
        ("", "prompt"),
    ],
)
def test_who_speaks(text: str, kind: str) -> None:
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    ("output", "status", "exit_code", "text"),
    [
        ('{"output":"a","metadata":{"exit_code":1}}', "failed", 1, "a"),
        ('{"output":"a"}', "ok", None, "a"),
        ('{"output":7}', "ok", None, '{"output":7}'),
        ('{"output":"a', "ok", None, '{"output":"a'),
        ("Exit code: 0\nOutput:\nExit code: 3", "ok", 0, None),
        ("Output:\nExit code: 3", "ok", None, None),
        ("exec command rejected by user", "denied", None, None),
        ("aborted", "interrupted", None, None),
        (
            "Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n",
            "running",
            None,
            None,
        ),
        ({"content": "x", "success": False}, "error", None, "x"),
        ({"output": "x", "metadata": {"exit_code": 0}}, "ok", 0, "x"),
        ({"name": "x"}, "ok", None, '{"name":"x"}'),
        ([{"type": "input_text", "text": "x"}], "ok", None, "x"),
        (None, None, None, None),
        (7, "ok", None, "7"),
    ],
)
def test_results(
    output: object, status: str | None, exit_code: int | None, text: str | None
) -> None:
    found = outcome_of(output)
    assert (found.status, found.exit_code) == (status, exit_code)
    assert found.text == (output if text is None else text)


# -- edits -------------------------------------------------------------------------------------


def test_each_change_counts_once() -> None:
    edits: list[FileEdit] = of(read_root(CONNECTOR, home("patches")), FileEdit, sid(10))
    assert [
        (one.call_id, one.path, one.kind, one.lines_added, one.lines_removed) for one in edits
    ] == [
        ("p1", "/r/a.py", "edit", 2, 1),
        ("p1", "/r/b.py", "create", 2, 0),
        ("p2", "c.py", "delete", None, None),
        ("p2", "e.py", "rename", 1, 1),
        ("p3", "f.py", "create", 1, 0),
        ("p7", "i.py", "create", 1, 0),
        ("p7", "k.py", "rename", 1, 1),
        ("p7", "l.py", "delete", 0, 1),
    ]
    assert apply_diff("old\n", edits[0].diff or "") == "new\nmore\n"
    assert edits[4].after == "x\n"


def test_a_patch_in_a_command_must_be_applied_there() -> None:
    patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"
    assert patch_in("shell", {"command": ["apply_patch", patch]}) == patch
    assert patch_in("exec_command", {"cmd": f"apply_patch <<'X'\n{patch}\nX"})
    assert patch_in("exec_command", {"cmd": f"cat <<'X'\n{patch}\nX"}) is None
    assert patch_in("shell", {"command": 7}) is None
    assert patch_in(None, None) is None
    assert [change.after for change in planned(f"{patch}\n{patch}")] == ["x\n", "x\n"]


# -- usage -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "number", "expected"),
    [  # fresh input, cache read, cache write, output
        ("conversation", 1, (310, 140, 0, 60)),
        ("usage", 30, (150, 90, 10, 50)),  # resumed: the last sum
        ("usage", 31, (150, 0, 0, 29)),  # began anew: 100 + 30 + 20
        ("usage", 32, (0, 0, 0, 3)),
        ("usage", 33, (25, 0, 0, 3)),  # the beginning told again
        ("forks", 40, (30, 0, 0, 3)),
        ("forks", 41, (30, 0, 0, 3)),  # without the parent's 30
        ("forks", 42, (7, 0, 0, 1)),
        ("forks", 43, (5, 0, 0, 1)),
        ("forks", 44, (12, 0, 0, 3)),
        ("forks", 48, (8, 0, 0, 2)),  # the sum goes on, and nothing tells from where
    ],
)
def test_usage(case: str, number: int, expected: tuple[int, ...]) -> None:
    assert tokens(read_root(CONNECTOR, home(case)), sid(number)) == expected


def test_what_is_not_counted_is_unknown() -> None:
    (row,) = of(read_root(CONNECTOR, home("usage")), Usage, sid(32))
    assert (row.input_tokens, row.cache_read_tokens, row.reasoning_tokens, row.model) == (
        None,
        None,
        None,
        None,
    )


def line(second: float, kind: str, **payload: Any) -> dict[str, Any]:
    when = f"2026-11-02T09:{int(second) // 60:02d}:{second % 60:06.3f}Z"
    return {"timestamp": when, "type": kind, "payload": payload}


def head(second: float, number: int, **more: Any) -> dict[str, Any]:
    return line(
        second,
        "session_meta",
        id=sid(number),
        timestamp="2026-11-02T09:00:00.000Z",
        cwd="/p",
        **more,
    )


def turn(second: float, prompt: str, answer: str) -> list[dict[str, Any]]:
    return [
        line(second, "event_msg", type="user_message", message=prompt),
        line(second + 2, "event_msg", type="agent_message", message=answer),
    ]


def counted(second: float, total: Any, last: int | None = None, output: Any = 1) -> dict[str, Any]:
    sums = {"total_token_usage": {"input_tokens": total, "output_tokens": output}}
    if last is not None:
        sums["last_token_usage"] = {"input_tokens": last, "output_tokens": output}
    return line(second, "event_msg", type="token_count", info=sums)


SUMS = [
    ([counted(4, 300, 200), counted(3, 100, 100), counted(5, 400, 100)], 400),  # one came late
    # One is told again
    ([counted(3, 100, 100), counted(4, 300), counted(5, 100, 100), counted(6, 400)], 400),
    # And three
    ([counted(n, sum_) for n, sum_ in enumerate((100, 200, 300, 100, 200, 300, 400), 3)], 400),
    ([counted(3, 300), counted(4, 100)], 300),  # nothing shows that the sum began anew
    # The sum began anew, and goes on
    ([counted(3, 300), counted(4, 50), counted(5, 50), counted(6, 90)], 390),
    ([counted(3, 300), counted(4, 50, 50), counted(5, 90, 40)], 390),
    ([counted(3, 300), counted(4, 50, 50)], 350),  # the first response of a new sum
    ([counted(3, 300), counted(4, 0, 0), counted(5, 90)], 390),
    # Damage
    (
        [counted(3, 100.0), counted(4, "200"), counted(5, -5), counted(6, 2**60), counted(7, 300)],
        300,
    ),
    ([counted(3, 100), counted(4, 200, output=[]), counted(5, 300, output=2)], 300),
]


@pytest.mark.parametrize(("counts", "expected"), SUMS)
def test_the_tokens_of_a_session_are_its_last_sum(
    counts: list[dict[str, Any]], expected: int
) -> None:
    records = [head(0, 1), *turn(1, "a", "b"), *counts]
    assert (
        tokens(read_lines(*records, name=f"sessions/rollout-{sid(1)}.jsonl"), sid(1))[0] == expected
    )


def test_a_damaged_count_is_a_problem() -> None:
    found = read_lines(head(0, 1), *turn(1, "a", "b"), counted(3, "200"))
    (ledger,) = found.ledgers.values()
    assert [trouble.reason for trouble in ledger.troubles] == [
        "a count of tokens whose input_tokens is no number"
    ]


def test_the_end_of_a_session_is_its_latest_time() -> None:
    found = read_lines(head(0, 1), *turn(50, "a", "b"), *turn(10, "c", "d"))
    assert str(found.sessions[0].ended_at) == "2026-11-02 09:00:52+00:00"


# -- calls that share an id --------------------------------------------------------------------


def asked(second: float, command: str, name: str = "c") -> dict[str, Any]:
    arguments = json.dumps({"command": [command]})
    return line(
        second,
        "response_item",
        type="function_call",
        name="shell",
        arguments=arguments,
        call_id=name,
    )


def answered(second: float, text: str, name: str = "c") -> dict[str, Any]:
    return line(second, "response_item", type="function_call_output", call_id=name, output=text)


def results(*records: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    calls = read_lines(head(0, 1), *records).calls.values()
    return {
        call.id: (json.loads(call.arguments or "{}")["command"][0], call.result) for call in calls
    }


def test_an_id_that_is_given_again_names_another_call() -> None:
    one_by_one = [
        asked(1, "ls"),
        answered(2, "x"),
        asked(3, "pwd"),
        answered(4, "y"),
        asked(5, "ls"),
        answered(6, "z"),
    ]
    assert results(*one_by_one) == {"c": ("ls", "x"), "c#2": ("pwd", "y"), "c#3": ("ls", "z")}
    at_once = [asked(1, "ls"), asked(1, "pwd"), answered(2, "x"), answered(3, "y")]
    assert results(*at_once) == {"c": ("ls", "x"), "c#2": ("pwd", "y")}
    alike = [*(asked(1, "ls") for _ in range(3)), answered(2, "x"), answered(3, "y")]
    assert results(*alike) == {"c": ("ls", "x"), "c#2": ("ls", "y"), "c#3": ("ls", None)}
    broken_off = [asked(1, "ls"), *turn(2, "stop", "ok"), asked(5, "pwd"), answered(6, "y")]
    assert results(*broken_off) == {"c": ("ls", None), "c#2": ("pwd", "y")}
    assert results(asked(1, "ls"), answered(2, "x"), answered(3, "last")) == {"c": ("ls", "last")}


def test_events_and_patches_belong_to_the_call_at_hand() -> None:
    patch = "*** Begin Patch\n*** Add File: {}.txt\n+x\n*** End Patch\n"
    call = {"type": "custom_tool_call", "name": "apply_patch", "call_id": "c"}
    records = [head(0, 1)]
    for second, name in ((1, "a"), (4, "b")):
        records += [
            line(second, "response_item", **call, input=patch.format(name)),
            line(
                second, "event_msg", type="patch_apply_end", call_id="c", success=True, stdout=name
            ),
            answered(second + 1, "Success."),
        ]
    found = read_lines(*records)
    edits = [(edit.call_id, edit.path) for edit in found.others if isinstance(edit, FileEdit)]
    assert edits == [("c", "a.txt"), ("c#2", "b.txt")]


# -- forks and sub-agents ----------------------------------------------------------------------


def copied(records: list[dict[str, Any]], second: float) -> list[dict[str, Any]]:
    return [{**record, "timestamp": line(second, "")["timestamp"]} for record in records]


def fork(*parts: list[dict[str, Any]]) -> Assembly:
    records = [record for part in parts for record in part]
    return read_lines(
        head(60, 2, forked_from_id=sid(1)), *records, name=f"sessions/rollout-{sid(2)}.jsonl"
    )


PARENT = [
    head(0, 1),
    *turn(1, "one", "ONE"),
    counted(4, 100, 100),
    counted(4.5, 100, 100),
    *turn(10, "two", "TWO"),
    counted(13, 300, 200),
]
FORKS = [
    ([copied(PARENT, 60)], 0),
    # the machine stalled within the copy: before a count, before a prompt
    *(([copied(PARENT[:at], 60), copied(PARENT[at:], 62)], 0) for at in (3, 4, 5, 7)),
    # the prompt came with the fork
    ([copied([*PARENT, *turn(0, "three", "THREE")[:1]], 60)], 1),
]


@pytest.mark.parametrize(("copies", "prompts"), FORKS)
def test_where_a_copy_ends(copies: list[list[dict[str, Any]]], prompts: int) -> None:
    own = [
        *turn(80, "three", "THREE")[prompts:],
        counted(83, 450, 150),
        *turn(90, "four", "FOUR"),
        counted(93, 500, 50),
    ]
    assert tokens(fork(*copies, own), sid(2))[0] == 200


def test_what_a_fork_copied_is_known_as_the_parents() -> None:
    call = {
        "name": "apply_patch",
        "call_id": "c",
        "input": "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n",
    }
    shell = "<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 0\n</result>\n</user_shell_command>"
    parent = [
        *PARENT[:-1],
        line(14, "response_item", type="custom_tool_call", **call),
        answered(15, "Success."),
        line(16, "event_msg", type="user_message", message=shell),
        PARENT[-1],
    ]
    old = read_lines(*parent, name=f"sessions/rollout-{sid(1)}.jsonl")
    new = fork(copied(parent, 60), turn(80, "three", "THREE"))
    ids = [name for _, name in new.messages]
    assert ids[: len(old.messages)] == [name for _, name in old.messages]
    assert [name.partition("@")[0] for name in ids[len(old.messages) :]] == [sid(2), sid(2)]
    assert [name for _, name in new.calls] == [name for _, name in old.calls]
    edits = [
        [(edit.origin, edit.message_id) for edit in of(found, FileEdit, sid(number))]
        for number, found in ((1, old), (2, new))
    ]
    assert edits[0][0][0] == "tool"
    assert edits[1] == [("copied", edits[0][0][1])]


def test_forks_and_sub_agents() -> None:
    assembly = read_root(CONNECTOR, home("forks"))
    about = {
        one.id: (one.parent_id, one.fork_of, one.agent_name, one.title) for one in assembly.sessions
    }
    assert about == {
        sid(40): (None, None, None, "one"),
        sid(41): (None, sid(40), None, "one"),
        sid(42): (None, sid(40), None, "one"),
        sid(43): (sid(40), None, "Curie, explorer", "look around"),
        sid(44): (sid(40), None, "Curie, explorer", "look elsewhere"),
        sid(45): (sid(40), None, "Curie, explorer", "look"),
        sid(46): (None, None, "review", "review it"),
        sid(47): (None, None, None, "spawn"),
        sid(48): (None, sid(40), None, "five"),
    }
    for number in (43, 44, 45, 46):
        assert not [one for one in messages(assembly, sid(number)) if one.kind == "prompt"]
    assert [one.text for one in messages(assembly, sid(43))] == ["look around", "seen"]
    assert [one.text for one in messages(assembly, sid(41)) if one.kind == "prompt"] == [
        "one",
        "two",
        "three",
    ]
    children = {
        call.id: call.child_session_id
        for call in assembly.calls.values()
        if call.session_id == sid(47)
    }
    assert children == {"s1": sid(44), "s2": sid(43)}


# -- reading -----------------------------------------------------------------------------------


def test_every_kind_of_event_has_one_treatment() -> None:
    from agent_journal.connectors.codex.rollout import _EVENTS, _ITEMS, _LINES

    assert not REPEATED.keys() & TEMPLATES.keys()
    assert {*_EVENTS, *_ITEMS, *_LINES} >= REPEATED.keys()
    lines = [{"type": "event_msg", "payload": {"type": kind}} for kind in (*TEMPLATES, *_EVENTS)]
    lines = [line for line in lines if line["payload"] != {"type": "item_completed"}]
    statuses = {
        entry.status for ledger in read_lines(*lines).ledgers.values() for entry in ledger.counts
    }
    assert statuses <= {"mapped", "skipped"}


def test_a_record_of_every_kind_without_its_fields_is_read() -> None:
    from agent_journal.connectors.codex.rollout import _EVENTS, _ITEMS, _LINES

    for outer, kinds in (("response_item", _ITEMS), ("event_msg", _EVENTS)):
        for kind in kinds:
            for more in (
                {},
                {
                    "call_id": 7,
                    "content": 7,
                    "output": 7,
                    "info": 7,
                    "item": 7,
                    "action": [],
                    "id": {},
                },
            ):
                ledger = next(
                    iter(
                        read_lines(
                            {"type": outer, "payload": {"type": kind, **more}}
                        ).ledgers.values()
                    )
                )
                assert {entry.status for entry in ledger.counts} != {"malformed"}, (
                    kind,
                    more,
                    ledger.troubles,
                )
    for outer in _LINES:
        ledger = next(iter(read_lines({"type": outer}).ledgers.values()))
        assert not ledger.troubles, outer


def test_unknown_kinds_are_kept() -> None:
    assembly = read_root(CONNECTOR, home("damage"))
    raw = [event.raw for event in assembly.others if event.raw]
    assert len(raw) == 7
    (ledger,) = assembly.ledgers.values()
    assert (
        sum(count for entry, (count, _) in ledger.counts.items() if entry.status == "malformed")
        == 3
    )


def test_reading_in_parts_equals_reading_at_once() -> None:
    for case in CASES:
        for file in CONNECTOR.discover(str(home(case))):
            assert isinstance(file, FoundFile)
            if file.role != "log":
                continue
            identity = FileIdentity(file.name, file.path, file.role, file.session_id)
            data = Path(file.path).read_bytes()
            whole = Assembly()
            whole.read(CONNECTOR, file)
            for cut in (len(data) // 3, len(data) // 2, len(data) - 20):
                parts = Assembly()
                state = None
                for end in (cut, len(data)):
                    reader = CONNECTOR.reader(identity, state)
                    for piece in reader.read(BytesContent(data[:end])):
                        if not isinstance(piece, Pause):
                            parts.add(piece)
                    state = reader.save()
                parts.sessions = list(reader.sessions())
                assert told(parts)["sessions"] == told(whole)["sessions"], (case, file.name, cut)


def test_a_compressed_file_says_the_same_as_the_plain_one() -> None:
    from agent_journal.connectors.codex.compressed import Unpacked
    from tests.support.assemble import DiskContent

    for file in CONNECTOR.discover(str(home("compressed"))):
        if isinstance(file, FoundFile) and file.role == "session":
            packed, text = Assembly(), Assembly()
            packed.read(CONNECTOR, file)
            data = b"".join(Unpacked(DiskContent(file.path)).chunks())
            text.read(CONNECTOR, file._replace(name=file.name[:-4], role="log"), BytesContent(data))
            assert told(packed)["sessions"] == told(text)["sessions"]


# -- through the journal -----------------------------------------------------------------------


def test_the_journal_of_all_cases(tmp_path: Path) -> None:
    import shutil

    for case in CASES:
        shutil.copytree(home(case), tmp_path / ".codex", dirs_exist_ok=True)
    assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "verify").returncode == 0
    listed = {row["id"]: row for row in aj_json(tmp_path, "ls", "--all", "-n", "100")["items"]}
    assert listed[sid(2)]["title"] == "Picture of a pump"
    shown = aj_json(tmp_path, "show", sid(51))
    assert [one["text"] for one in shown["items"][0]["messages"] if one["kind"] == "prompt"] == [
        "both",
        "more",
    ]


def test_files_are_recognised_wherever_they_lie(tmp_path: Path) -> None:
    (old,) = home("old-format").rglob("*.jsonl")
    packed = next(path for path in home("compressed").rglob("*.zst") if sid(50) in path.name)
    for path, name in ((old, "old.jsonl"), (packed, "packed.zst"), (packed, packed.name)):
        (tmp_path / name).write_bytes(path.read_bytes())
        done = aj_json(tmp_path, "import", str(tmp_path / name))
        assert [item["agent"] for item in done["items"]] == ["codex"], name
    done = aj(tmp_path, "import", str(home("forks")))
    assert done.returncode == 0
