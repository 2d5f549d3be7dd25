"""Codex: calls to which the model gave the same id."""

from __future__ import annotations

import json

from agent_journal.model import FileEdit
from tests.connectors.codex.rollouts import (
    Json,
    call_output,
    head,
    line,
    read_lines,
    shell_call,
    turn,
)


def results(*records: Json) -> dict[str, tuple[str, str | None]]:
    """The command and the result of each call."""
    calls = read_lines(head(0, 1), *records).calls.values()
    return {
        call.id: (json.loads(call.arguments or "{}")["command"][0], call.result) for call in calls
    }


def test_calls_one_after_the_other() -> None:
    records = [
        shell_call(1, "ls"),
        call_output(2, "x"),
        shell_call(3, "pwd"),
        call_output(4, "y"),
        shell_call(5, "ls"),
        call_output(6, "z"),
    ]
    assert results(*records) == {"c": ("ls", "x"), "c#2": ("pwd", "y"), "c#3": ("ls", "z")}


def test_calls_at_once() -> None:
    records = [shell_call(1, "ls"), shell_call(1, "pwd"), call_output(2, "x"), call_output(3, "y")]
    assert results(*records) == {"c": ("ls", "x"), "c#2": ("pwd", "y")}


def test_equal_calls_at_once() -> None:
    records = [*(shell_call(1, "ls") for _ in range(3)), call_output(2, "x"), call_output(3, "y")]
    assert results(*records) == {"c": ("ls", "x"), "c#2": ("ls", "y"), "c#3": ("ls", None)}


def test_a_call_that_was_interrupted_has_no_result() -> None:
    records = [
        shell_call(1, "ls"),
        *turn(2, "stop", "ok"),
        shell_call(5, "pwd"),
        call_output(6, "y"),
    ]
    assert results(*records) == {"c": ("ls", None), "c#2": ("pwd", "y")}


def test_of_two_results_the_last_counts() -> None:
    records = [shell_call(1, "ls"), call_output(2, "x"), call_output(3, "last")]
    assert results(*records) == {"c": ("ls", "last")}


def test_events_and_patches_belong_to_the_current_call() -> None:
    patch = "*** Begin Patch\n*** Add File: {}.txt\n+x\n*** End Patch\n"
    call = {"type": "custom_tool_call", "name": "apply_patch", "call_id": "c"}
    end = {"type": "patch_apply_end", "call_id": "c", "success": True}
    records = [head(0, 1)]
    for second, name in ((1, "a"), (4, "b")):
        records += [
            line(second, "response_item", **call, input=patch.format(name)),
            line(second, "event_msg", **end, stdout=name),
            call_output(second + 1, "Success."),
        ]
    assembly = read_lines(*records)
    edits = [edit for edit in assembly.others if isinstance(edit, FileEdit)]
    assert [(edit.call_id, edit.path) for edit in edits] == [("c", "a.txt"), ("c#2", "b.txt")]
