"""What the targets make of odd sessions, and that the validators notice what they are there for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_journal.errors import UsageError
from tests.support.converting import ROOTS, convert
from tests.support.target_sessions import (
    KINDS,
    answer,
    back,
    call,
    edit,
    lines,
    message,
    session,
)

# -- kinds of messages -------------------------------------------------------------------------

SAME = {
    "claude-code": {
        "prompt",
        "injected",
        "command",
        "command_output",
        "notification",
        "skill",
        "error",
        "interrupt",
        "shell",
    },
    "codex": {
        "prompt",
        "injected",
        "command_output",
        "notification",
        "skill",
        "hook",
        "error",
        "shell",
    },
    "copilot-cli": {"prompt", "injected", "skill", "error", "interrupt", "shell"},
    "gemini": {"prompt", "injected", "command_output", "notification", "skill", "hook", "shell"},
}
EVENTS = {("gemini", "error"), ("gemini", "interrupt")}
# What else messages of a kind become, where it is not injected text
OTHER = {("codex", "command"): "prompt", ("gemini", "command"): "prompt"}


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_kinds_of_messages_come_back(tmp_path: Path, target: str) -> None:
    texts = {
        "command": "/review 12",
        "interrupt": "[Request interrupted by user]" if target == "claude-code" else "user_abort",
    }
    messages = [
        message(i, kind, text=texts.get(kind, f"{kind} text")) for i, kind in enumerate(KINDS, 2)
    ]
    (found,) = back(target, tmp_path, session(message(0), answer(1, call()), *messages))
    kinds = {m.text: m.kind for m in found.messages}
    for original in messages:
        if original.kind in SAME[target]:
            assert kinds[original.text] == original.kind
        elif original.kind == "notice" or (target, original.kind) in EVENTS:
            assert original.text in {event.text for event in found.events}
        elif (target, original.kind) == ("codex", "interrupt"):
            assert "interrupt" in kinds.values()
        else:
            assert kinds[original.text] == OTHER.get((target, original.kind), "injected")


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_a_system_prompt_is_left_out_and_reported(target: str) -> None:
    family = [session(message(0, "system_prompt", "system", text="You are"), message(1))]
    made = convert(target, family)
    assert b"You are" not in made.files[0].content
    assert ("messages.text", "dropped") in {
        (loss.field, loss.fate) for loss in made.losses.entries()
    }


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_a_compaction_is_a_border(tmp_path: Path, target: str) -> None:
    messages = (
        message(0),
        answer(1),
        message(2, "compaction", text="what came before"),
        message(3),
        answer(4),
    )
    (found,) = back(target, tmp_path, session(*messages))
    assert [m.kind for m in found.messages] == [
        "prompt",
        "answer",
        "compaction",
        "prompt",
        "answer",
    ]
    if target == "claude-code":
        written = lines(target, session(*messages))
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
    original = session(
        message(0),
        answer(1),
        message(2, is_branch=True),
        answer(3, is_branch=True),
        message(4),
        answer(5),
    )
    (found,) = back("claude-code", tmp_path / "a", original)
    assert [m.text for m in found.messages if m.is_branch] == ["prompt 2", "answer 3"]
    (found,) = back("copilot-cli", tmp_path / "b", original)
    assert [m.text for m in found.messages] == ["prompt 0", "answer 1", "prompt 4", "answer 5"]
    assert convert("copilot-cli", [original]).losses.is_lossy


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_a_turn_that_was_taken_back_is_not_part_of_the_conversation(
    tmp_path: Path, target: str
) -> None:
    original = session(
        message(0), answer(1), message(2, state="hidden"), answer(3, state="hidden"), message(4)
    )
    (found,) = back(target, tmp_path, original)
    texts = [m.text for m in found.messages if not m.is_branch]
    assert texts == ["prompt 0", "answer 1", "prompt 4"]


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_a_session_without_messages_is_refused(target: str) -> None:
    for original in (
        session(),
        session(message(0, "system_prompt", "system")),
        session(message(0, text="")),
    ):
        with pytest.raises(UsageError, match="no message to continue from"):
            convert(target, [original])


def test_text_of_spaces_alone_is_not_given_to_the_api(tmp_path: Path) -> None:
    original = session(
        message(0),
        answer(1, call(), text=" \n "),
        message(2, text="  "),
        answer(3, text="\n"),
        message(4),
    )
    (found,) = back("claude-code", tmp_path, original)
    assert [m.text for m in found.messages] == ["prompt 0", "", "prompt 4"]


# -- tool calls --------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["claude-code", "copilot-cli", "gemini"])
def test_states_of_calls_come_back(tmp_path: Path, target: str) -> None:
    states = ("ok", "error", "denied", "interrupted")
    calls = [call(id=f"c{i}", status=state, result=f"{state}!") for i, state in enumerate(states)]
    failed = call(
        id="f", name="bash", status="failed", exit_code=3, result="no\n<exited with exit code 3>"
    )
    (found,) = back(target, tmp_path, session(message(0), answer(1, *calls, failed)))
    statuses = {c.result: c.status for m in found.messages for c in m.tool_calls}
    if target == "gemini":  # which has one word for both
        statuses["denied!"] = {"interrupted": "denied"}.get(statuses["denied!"] or "")
    assert {f"{state}!": state for state in states}.items() <= statuses.items()
    assert statuses["no\n<exited with exit code 3>"] == (
        "error" if target == "claude-code" else "failed"
    )


@pytest.mark.parametrize("status", [None, "running", "interrupted"])
def test_a_call_without_a_result_is_not_given_one(tmp_path: Path, status: Any) -> None:
    original = session(message(0), answer(1, call(status=status, result=None)), message(2))
    (found,) = back("copilot-cli", tmp_path / "a", original)
    (one,) = found.messages[1].tool_calls
    assert (one.result, one.status in (None, "running")) == (None, True)
    # Which needs one, and reads it as interrupted
    (found,) = back("claude-code", tmp_path / "b", original)
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


@pytest.mark.parametrize("target", sorted(ROOTS))
def test_edits_come_back(tmp_path: Path, target: str) -> None:
    whole = edit("b.py", "c2", kind="create", diff=None, after="one\ntwo\n")
    loose = edit("c.py", None, message_id="m0", state="undone")
    original = session(
        message(0),
        answer(1, call("edit"), call("create", id="c2")),
        file_edits=(edit("a.py"), whole, loose),
    )
    (found,) = back(target, tmp_path, original)
    assert {e.path: (e.kind, e.lines_added, e.lines_removed) for e in found.file_edits} == {
        "a.py": ("edit", 1, 1),
        "b.py": ("create", 2, 0),
        "c.py": ("edit", 1, 1),
    }
    diff = {e.path: e.diff for e in found.file_edits}["a.py"] or ""
    assert diff.endswith("@@ -1,1 +1,1 @@\n-old\n+new")
    dropped = {
        loss.field: loss.why
        for loss in convert(target, [original]).losses.entries()
        if loss.fate == "dropped"
    }
    assert set(dropped) - {"messages.model"} == {"file_edits.state"}


def test_copilot_records_several_files_of_one_call(tmp_path: Path) -> None:
    original = session(
        message(0), answer(1, call("apply_patch")), file_edits=(edit("/w/a.py"), edit("/w/b.py"))
    )
    (found,) = back("copilot-cli", tmp_path, original)
    assert [(e.path, e.lines_added) for e in found.file_edits] == [("/w/a.py", 1), ("/w/b.py", 1)]
