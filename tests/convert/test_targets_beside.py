"""What is beside the conversation in converted sessions, and the validators."""

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
from agent_journal.model import Attachment, Plan, Todo
from tests.support import valid_claude_code
from tests.support.converting import ROOTS, convert, install
from tests.support.target_sessions import (
    START,
    VALIDATORS,
    answer,
    back,
    call,
    edit,
    message,
    session,
)

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
    original = session(
        message(0),
        answer(1),
        title=title,
        todos=todos,
        plans=(plan,),
        git_branch="b/1",
        tags=("mine",),
    )
    (found,) = back(target, tmp_path, original)
    if target == "gemini":  # which keeps the folder as a hash
        assert found.title == "A: 'title' # with signs"
        return
    assert (found.title, found.git_branch, found.project_path) == (
        "A: 'title' # with signs",
        "b/1",
        "/work/app",
    )
    if target == "codex":  # which keeps neither todos nor plans
        return
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
    assert looked.parent_id == found[0].id
    if target != "gemini":  # where a call names its sub-agent
        assert (looked.agent_name, looked.parent_call_id) == ("explore", "c1")
    assert [m.kind for m in looked.messages if m.text] == ["injected", "answer"]


def test_attachments_are_named_before_the_prompt(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("")
    given = (
        Attachment(kind="file", name="a.py", path=str(path)),
        Attachment(kind="image", mime_type="image/png", size=12, sha256="ab"),
        Attachment(kind="selection", path="/w/b.py", text="x </system-reminder> y"),
    )
    original = session(message(0, attachments=given), answer(1))
    (found,) = back("claude-code", tmp_path / "a", original)
    assert found.messages[0].text == "prompt 0"
    assert [a.text for a in found.messages[0].attachments] == [
        f"Attached file: a.py, {path}; its content is not here",
        "Attached image: image/png, 12 bytes; its content is not here",
        "Attached selection: /w/b.py\nx </ system-reminder> y",
    ]
    (found,) = back("copilot-cli", tmp_path / "b", original)
    assert [(a.kind, a.path) for a in found.messages[0].attachments] == [
        ("file", str(path)),
        ("blob", None),
    ]
    fates = {
        (loss.field, loss.fate) for loss in convert("copilot-cli", [original]).losses.entries()
    }
    assert {("attachments.text", "dropped"), ("attachments.path", "mapped")} <= fates


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_times_that_are_missing_follow_the_last_known(tmp_path: Path, target: str) -> None:
    original = session(
        replace(message(0), timestamp=None), replace(answer(1), timestamp=None), message(2)
    )
    (found,) = back(target, tmp_path, original)
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
    original = session(
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
    made = convert(target, [original, child])
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
    lambda lines: lines[0].pop("converted"),
    lambda lines: lines[0].pop("uuid"),
    lambda lines: lines[1].pop("parentUuid"),
    lambda lines: lines[1].update(parentUuid="another"),
    lambda lines: lines[1].update(parentUuid=None),
    lambda lines: lines[0].pop("timestamp"),
    lambda lines: lines[0].update(version="new"),
    lambda lines: lines[0].update(cwd="/elsewhere"),
    lambda lines: lines[0].update(sessionId="another"),
    lambda lines: lines.pop(0),
    lambda lines: lines.pop(3),
    lambda lines: lines[1]["message"].pop("id"),
    lambda lines: lines[1]["message"].pop("usage"),
    lambda lines: lines[1]["message"]["usage"].update(output_tokens=5),
    lambda lines: lines[1]["message"].update(content="text"),
    lambda lines: lines[1]["message"].update(
        content=[{"type": "thinking", "thinking": "x", "signature": ""}]
    ),
    lambda lines: lines[2]["message"]["content"][0].update(input="text"),
    lambda lines: lines[2]["message"]["content"][0].update(name="a b"),
    lambda lines: lines[3]["message"]["content"][0].update(tool_use_id="another"),
]
COPILOT_FAULTS: list[Change] = [
    lambda lines: lines.pop(0),
    lambda lines: lines[0]["data"].pop("producer"),
    lambda lines: lines[0]["data"].pop("copilotVersion"),
    lambda lines: lines[0]["data"].update(sessionId="another"),
    lambda lines: lines[1].pop("id"),
    lambda lines: lines[1].update(parentId=None),
    lambda lines: lines[1]["data"].pop("content"),
    lambda lines: lines[1].update(type="user.said"),
    lambda lines: lines[2]["data"].pop("messageId"),
    lambda lines: lines[0]["data"].pop("converted"),
    lambda lines: lines[2]["data"]["toolRequests"][0].pop("name"),
    lambda lines: lines[2]["data"]["toolRequests"][0].update(name="a tool"),
    lambda lines: lines[2]["data"]["toolRequests"][0].update(arguments=[]),
    lambda lines: lines[4]["data"].update(success="yes"),
    lambda lines: lines[4]["data"].pop("result"),
    lambda lines: lines[4]["data"].update(toolCallId="another"),
    lambda lines: lines[4]["data"].update(shellExecution={"exitCode": -1}),
    lambda lines: lines[4]["data"].update(shellExecution={"exitCode": 1.5}),
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
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert VALIDATORS[target].faults(tmp_path / ROOTS[target])
