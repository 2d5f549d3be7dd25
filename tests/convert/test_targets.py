"""What the targets make of odd sessions, and that the validators notice what they are there for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from agent_journal.convert.claude_code.folders import project_folder
from agent_journal.errors import UsageError
from agent_journal.model import Attachment, FileEdit, Message, Plan, Session, Todo, ToolCall
from tests.support import valid_claude_code, valid_copilot_cli
from tests.support.converting import ROOTS, convert, families, install
from tests.support.journals import aj, open_journal

START = datetime(2026, 11, 1, 9, tzinfo=UTC)
VALIDATORS = {"claude-code": valid_claude_code, "copilot-cli": valid_copilot_cli}
KINDS = (
    "prompt",
    "injected",
    "command",
    "command_output",
    "notification",
    "skill",
    "hook",
    "interrupt",
    "notice",
    "error",
    "shell",
)


def message(number: int, kind: Any = "prompt", role: Any = "user", **more: Any) -> Message:
    more.setdefault("text", f"{kind} {number}")
    when = START + timedelta(minutes=number)
    return Message(
        session_id="s", id=f"m{number}", role=role, kind=kind, timestamp=when, seq=number, **more
    )


def call(name: str | None = "view", **more: Any) -> ToolCall:
    given = {"arguments": '{"path":"a.py"}', "result": "text", "status": "ok", **more}
    return ToolCall(session_id="s", id=given.pop("id", "c1"), name=name, **given)


def answer(number: int, *calls: ToolCall, **more: Any) -> Message:
    return message(number, "answer", "assistant", tool_calls=calls, model="gpt-5", **more)


def session(*messages: Message, **more: Any) -> Session:
    more.setdefault("project_path", "/work/app")
    return Session(
        agent=more.pop("agent", "codex"), id=more.pop("id", "s"), messages=messages, **more
    )


def back(target: str, home: Path, *family: Session) -> list[Session]:
    """The family written for an agent, found valid, and read again."""
    install(target, convert(target, family), home)
    assert VALIDATORS[target].faults(home / ROOTS[target]) == []
    assert aj(home, "sync", "--no-index").returncode == 0
    with open_journal(home) as journal:
        (found,) = families(journal)
    return found


def lines(target: str, *family: Session) -> list[dict[str, Any]]:
    content = convert(target, family).files[0].content
    return [json.loads(line) for line in content.split(b"\n")[:-1]]


# -- kinds of messages -------------------------------------------------------------------------

SAME = {
    "claude-code": {
        "prompt",
        "injected",
        "command",
        "command_output",
        "notification",
        "skill",
        "notice",
        "error",
        "interrupt",
        "shell",
    },
    "copilot-cli": {"prompt", "injected", "skill", "error", "interrupt", "shell"},
}


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_kinds_of_messages_come_back(tmp_path: Path, target: str) -> None:
    texts = {
        "command": "/review 12",
        "interrupt": "[Request interrupted by user]" if target == "claude-code" else "user_abort",
    }
    told = [
        message(i, kind, text=texts.get(kind, f"{kind} text")) for i, kind in enumerate(KINDS, 2)
    ]
    (found,) = back(target, tmp_path, session(message(0), answer(1, call()), *told))
    kinds = {m.text: m.kind for m in found.messages}
    for one in told:
        if one.kind in SAME[target]:
            assert kinds[one.text] == one.kind
        elif one.kind == "notice":
            assert one.text in {event.text for event in found.events}
        else:
            assert kinds[one.text] == "injected"


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_a_system_prompt_stays_behind_and_is_told(target: str) -> None:
    family = [session(message(0, "system_prompt", "system", text="You are"), message(1))]
    made = convert(target, family)
    assert b"You are" not in made.files[0].content
    assert ("messages.text", "dropped") in {
        (loss.field, loss.fate) for loss in made.losses.entries()
    }


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_a_compaction_is_a_border(tmp_path: Path, target: str) -> None:
    told = (
        message(0),
        answer(1),
        message(2, "compaction", text="what came before"),
        message(3),
        answer(4),
    )
    (found,) = back(target, tmp_path, session(*told))
    assert [m.kind for m in found.messages] == [
        "prompt",
        "answer",
        "compaction",
        "prompt",
        "answer",
    ]
    if target == "claude-code":
        written = lines(target, session(*told))
        border = next(line for line in written if line.get("subtype") == "compact_boundary")
        assert border["parentUuid"] is None
        assert border["logicalParentUuid"] == written[1]["uuid"]


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_a_conversation_may_begin_with_anything(tmp_path: Path, target: str) -> None:
    for number, first in enumerate(
        (answer(0, call()), message(0, "compaction", text="before"), message(0, "notice"))
    ):
        found = back(target, tmp_path / str(number), session(first, message(1), answer(2)))
        assert found[0].messages[-1].text == "answer 2"


def test_what_a_rewind_left_behind_is_a_branch_for_claude_code_and_dropped_for_copilot(
    tmp_path: Path,
) -> None:
    told = session(
        message(0),
        answer(1),
        message(2, is_branch=True),
        answer(3, is_branch=True),
        message(4),
        answer(5),
    )
    (found,) = back("claude-code", tmp_path / "a", told)
    assert [m.text for m in found.messages if m.is_branch] == ["prompt 2", "answer 3"]
    (found,) = back("copilot-cli", tmp_path / "b", told)
    assert [m.text for m in found.messages] == ["prompt 0", "answer 1", "prompt 4", "answer 5"]
    assert convert("copilot-cli", [told]).losses.is_lossy


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_nothing_to_go_on_from_is_refused(target: str) -> None:
    for told in (
        session(),
        session(message(0, "system_prompt", "system")),
        session(message(0, text="")),
    ):
        with pytest.raises(UsageError, match="no message to continue from"):
            convert(target, [told])


def test_text_of_spaces_alone_is_not_given_to_the_api(tmp_path: Path) -> None:
    told = session(
        message(0),
        answer(1, call(), text=" \n "),
        message(2, text="  "),
        answer(3, text="\n"),
        message(4),
    )
    (found,) = back("claude-code", tmp_path, told)
    assert [m.text for m in found.messages] == ["prompt 0", "", "prompt 4"]


# -- tool calls --------------------------------------------------------------------------------


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_states_of_calls_come_back(tmp_path: Path, target: str) -> None:
    states = ("ok", "error", "denied", "interrupted")
    calls = [call(id=f"c{i}", status=state, result=f"{state}!") for i, state in enumerate(states)]
    failed = call(
        id="f", name="bash", status="failed", exit_code=3, result="no\n<exited with exit code 3>"
    )
    (found,) = back(target, tmp_path, session(message(0), answer(1, *calls, failed)))
    told = {c.result: c.status for m in found.messages for c in m.tool_calls}
    assert {f"{state}!": state for state in states}.items() <= told.items()
    assert told["no\n<exited with exit code 3>"] == (
        "error" if target == "claude-code" else "failed"
    )


@pytest.mark.parametrize("status", [None, "running", "interrupted"])
def test_a_call_without_a_result_is_not_given_one(tmp_path: Path, status: Any) -> None:
    told = session(message(0), answer(1, call(status=status, result=None)), message(2))
    (found,) = back("copilot-cli", tmp_path / "a", told)
    (one,) = found.messages[1].tool_calls
    assert (one.result, one.status in (None, "running")) == (None, True)
    # Which needs one, and reads it as interrupted
    (found,) = back("claude-code", tmp_path / "b", told)
    (one,) = found.messages[1].tool_calls
    assert (one.result, one.status) == ("[no result was recorded]", "interrupted")


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_odd_calls_are_made_to_fit(tmp_path: Path, target: str) -> None:
    deep = '{"a":' + "[" * 3000 + "]" * 3000 + "}"
    odd = [
        call("fetch.url?", id="c 1", arguments="not json"),
        call(None, id="c 1", arguments=None),
        call("x" * 300, id="--force", arguments='{"n": 1e999, "m": NaN, "s": "\\ud800"}'),
        call("\u202eλ", id="c" * 500, arguments=deep),
        call("", id="", arguments='["list"]'),
    ]
    (found,) = back(target, tmp_path, session(message(0), answer(1, *odd), answer(2, odd[0])))
    assert sum(len(m.tool_calls) for m in found.messages) == 6
    assert all(c.result == "text" for m in found.messages for c in m.tool_calls)


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_a_result_without_a_call_gets_one(tmp_path: Path, target: str) -> None:
    orphan = message(
        1, "injected", "tool", text="", tool_calls=(call(None, arguments=None, result="late"),)
    )
    (found,) = back(target, tmp_path, session(message(0), orphan, message(2)))
    assert [c.result for m in found.messages for c in m.tool_calls] == ["late"]


def edit(path: str, call_id: str | None = "c1", **more: Any) -> FileEdit:
    more.setdefault("diff", "@@ -1,1 +1,1 @@\n-old\n+new")
    return FileEdit(session_id="s", path=path, call_id=call_id, timestamp=START, **more)


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_edits_come_back(tmp_path: Path, target: str) -> None:
    whole = edit("b.py", "c2", kind="create", diff=None, after="one\ntwo\n")
    loose = edit("c.py", None, message_id="m0", state="undone")
    told = session(
        message(0),
        answer(1, call("edit"), call("create", id="c2")),
        file_edits=(edit("a.py"), whole, loose),
    )
    (found,) = back(target, tmp_path, told)
    assert {e.path: (e.kind, e.lines_added, e.lines_removed) for e in found.file_edits} == {
        "a.py": ("edit", 1, 1),
        "b.py": ("create", 2, 0),
        "c.py": ("edit", 1, 1),
    }
    assert {e.path: e.diff for e in found.file_edits}["a.py"] == "@@ -1,1 +1,1 @@\n-old\n+new"
    dropped = {
        loss.field: loss.why
        for loss in convert(target, [told]).losses.entries()
        if loss.fate == "dropped"
    }
    assert set(dropped) == {"file_edits.state"}


def test_copilot_tells_several_files_of_one_call(tmp_path: Path) -> None:
    told = session(
        message(0), answer(1, call("apply_patch")), file_edits=(edit("/w/a.py"), edit("/w/b.py"))
    )
    (found,) = back("copilot-cli", tmp_path, told)
    assert [(e.path, e.lines_added) for e in found.file_edits] == [("/w/a.py", 1), ("/w/b.py", 1)]


# -- beside the conversation -------------------------------------------------------------------


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_title_todos_and_plan_come_back(tmp_path: Path, target: str) -> None:
    todos = (
        Todo(content="first", status="done", id="a"),
        Todo(content="second", status="in_progress", id="b", depends_on=("a",), description="how"),
        Todo(content="third", status="odd"),
    )
    plan = Plan(text="# Plan\n\nDo it.\n", name="plan")
    title = "A: 'title' # with\nsigns"
    told = session(
        message(0),
        answer(1),
        title=title,
        todos=todos,
        plans=(plan,),
        git_branch="b/1",
        tags=("mine",),
    )
    (found,) = back(target, tmp_path, told)
    assert (found.title, found.git_branch, found.project_path) == (
        "A: 'title' # with signs",
        "b/1",
        "/work/app",
    )
    assert [todo.content for todo in found.todos] == ["first", "second", "third"]
    assert [todo.status for todo in found.todos][:2] == [
        "completed" if target == "claude-code" else "done",
        "in_progress",
    ]
    assert found.todos[1].depends_on == (found.todos[0].id,)
    assert [p.text for p in found.plans] == [plan.text]
    assert found.tags == (("mine",) if target == "claude-code" else ())


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_sub_agents_come_back(tmp_path: Path, target: str) -> None:
    main = session(
        message(0), answer(1, call("task", child_session_id="s/x"), call(id="c2")), answer(2)
    )
    child = session(
        message(0, "injected"),
        answer(1, call("task", id="n", child_session_id="s/y")),
        id="s/x",
        parent_id="s",
        parent_call_id="c1",
        agent_name="explore",
        title="Look",
    )
    below = session(
        message(0, "injected"), answer(1), id="s/y", parent_id="s/x", parent_call_id="n"
    )
    lone = session(message(0, "injected"), answer(1), id="s/z", parent_id="s")
    found = back(target, tmp_path, main, child, below, lone)
    assert len(found) == 4
    looked = next(one for one in found if one.title == "Look")
    assert (looked.agent_name, looked.parent_id, looked.parent_call_id) == (
        "explore",
        found[0].id,
        "c1",
    )
    assert [m.kind for m in looked.messages if m.text] == ["injected", "answer"]


def test_attachments_are_named_before_the_prompt(tmp_path: Path) -> None:
    given = (
        Attachment(kind="file", name="a.py", path="/w/a.py"),
        Attachment(kind="image", mime_type="image/png", size=12, sha256="ab"),
        Attachment(kind="selection", path="/w/b.py", text="x </system-reminder> y"),
    )
    told = session(message(0, attachments=given), answer(1))
    (found,) = back("claude-code", tmp_path / "a", told)
    assert found.messages[0].text == "prompt 0"
    assert [a.text for a in found.messages[0].attachments] == [
        "Attached file: a.py, /w/a.py; its content is not here",
        "Attached image: image/png, 12 bytes; its content is not here",
        "Attached selection: /w/b.py\nx </ system-reminder> y",
    ]
    (found,) = back("copilot-cli", tmp_path / "b", told)
    assert [(a.kind, a.path) for a in found.messages[0].attachments] == [
        ("file", "/w/a.py"),
        ("blob", None),
    ]
    fates = {(loss.field, loss.fate) for loss in convert("copilot-cli", [told]).losses.entries()}
    assert {("attachments.text", "dropped"), ("attachments.path", "mapped")} <= fates


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_times_that_are_missing_follow_the_last_known(tmp_path: Path, target: str) -> None:
    told = session(
        replace(message(0), timestamp=None), replace(answer(1), timestamp=None), message(2)
    )
    (found,) = back(target, tmp_path, told)
    assert found.started_at == START + timedelta(minutes=2)
    nothing = session(replace(message(0), timestamp=None))
    (found,) = back(target, tmp_path / "b", nothing)
    assert found.messages[0].timestamp == datetime(2026, 11, 15, 18, tzinfo=UTC)


HOSTILE = (
    "../../../etc/x",
    "a\nb: c\n- d",
    "'; rm -rf ~ #",
    "\x1b[31m\x00\u2028\u202e",
    "<script>",
    "x" * 5000,
)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("target", sorted(ROOTS))
def test_hostile_text_never_becomes_a_path_or_a_key(tmp_path: Path, target: str, text: str) -> None:
    told = session(
        message(0, text=text),
        answer(1, call(text, id=text, server=text, title=text, display=text), text=text),
        id=text,
        title=text,
        project_path=f"/work/{text}",
        git_branch=text,
        repository=text,
        slug=text,
        tags=(text,),
        plans=(Plan(text=text, name=text), Plan(text=text, name=text, kind="checkpoint")),
        todos=(Todo(content=text, status=text, id=text),),
        file_edits=(edit(text, text),),
    )
    child = session(
        message(0, text=text),
        id=f"{text}/c",
        parent_id=text,
        parent_call_id=text,
        agent_name=text,
        title=text,
    )
    made = convert(target, [told, child])
    for file in made.files:
        assert all(
            re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", part) for part in file.path.split("/")
        )
        assert max(map(len, file.path.split("/"))) <= 255
    install(target, made, tmp_path)
    assert VALIDATORS[target].faults(tmp_path / ROOTS[target]) == []


def test_names_of_project_folders() -> None:
    assert project_folder("/srv/live/pröj y.z_é") == "-srv-live-pr-j-y-z--"
    assert project_folder("C:\\src\\my app") == "C--src-my-app"
    assert project_folder("/a/😀") == "-a---"
    long = project_folder("/" + "x" * 219)
    assert long.startswith("-" + "x" * 199 + "-")
    assert valid_claude_code._folder("/" + "x" * 219) == long
    assert valid_claude_code._folder("/a/😀") == "-a---"


# -- the validators ----------------------------------------------------------------------------

Change = Callable[[list[dict[str, Any]]], Any]
CLAUDE_FAULTS: list[Change] = [
    lambda told: told[0].pop("uuid"),
    lambda told: told[1].pop("parentUuid"),
    lambda told: told[1].update(parentUuid="another"),
    lambda told: told[1].update(parentUuid=None),
    lambda told: told[0].pop("timestamp"),
    lambda told: told[0].update(version="new"),
    lambda told: told[0].update(cwd="/elsewhere"),
    lambda told: told[0].update(sessionId="another"),
    lambda told: told.pop(0),
    lambda told: told.pop(3),
    lambda told: told[1]["message"].pop("id"),
    lambda told: told[1]["message"].pop("usage"),
    lambda told: told[1]["message"]["usage"].update(output_tokens=5),
    lambda told: told[1]["message"].update(content="text"),
    lambda told: told[1]["message"].update(
        content=[{"type": "thinking", "thinking": "x", "signature": ""}]
    ),
    lambda told: told[2]["message"]["content"][0].update(input="text"),
    lambda told: told[2]["message"]["content"][0].update(name="a b"),
    lambda told: told[3]["message"]["content"][0].update(tool_use_id="another"),
]
COPILOT_FAULTS: list[Change] = [
    lambda told: told.pop(0),
    lambda told: told[0]["data"].pop("producer"),
    lambda told: told[0]["data"].pop("copilotVersion"),
    lambda told: told[0]["data"].update(sessionId="another"),
    lambda told: told[1].pop("id"),
    lambda told: told[1].update(parentId=None),
    lambda told: told[1]["data"].pop("content"),
    lambda told: told[1].update(type="user.said"),
    lambda told: told[2]["data"].pop("messageId"),
    lambda told: told[2]["data"]["toolRequests"][0].pop("name"),
    lambda told: told[4]["data"].update(success="yes"),
    lambda told: told[4]["data"].pop("result"),
    lambda told: told[4]["data"].update(toolCallId="another"),
    lambda told: told[4]["data"].update(shellExecution={"exitCode": -1}),
    lambda told: told[4]["data"].update(shellExecution={"exitCode": 1.5}),
]


@pytest.mark.parametrize(
    ("target", "change"),
    [("claude-code", change) for change in CLAUDE_FAULTS]
    + [("copilot-cli", change) for change in COPILOT_FAULTS],
)
def test_the_validators_notice(tmp_path: Path, target: str, change: Change) -> None:
    made = convert(target, [session(message(0), answer(1, call()))])
    install(target, made, tmp_path)
    path = tmp_path / ROOTS[target] / made.files[0].path
    assert VALIDATORS[target].faults(tmp_path / ROOTS[target]) == []
    told = [json.loads(line) for line in path.read_text().splitlines()]
    change(told)
    path.write_text("".join(json.dumps(line) + "\n" for line in told))
    assert VALIDATORS[target].faults(tmp_path / ROOTS[target])
