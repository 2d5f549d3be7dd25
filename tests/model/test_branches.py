"""Which messages a rewind left behind."""

from __future__ import annotations

from msgspec.structs import replace

from agent_journal.model import Message, ToolCall
from agent_journal.model.branches import mark_branches


def message(name: str, parent: str | None, kind: str = "answer") -> Message:
    role = "user" if kind in ("prompt", "compaction") else "assistant"
    return Message(
        session_id="s", id=name, role=role, kind=kind, parent_id=parent, record_ids=(name,)
    )  # type: ignore[arg-type]


def left_behind(*messages: Message) -> list[str]:
    return [each.id for each in mark_branches(messages) if each.is_branch]


def test_a_rewound_prompt_and_what_followed_it_are_left_behind() -> None:
    assert left_behind(
        message("p1", None, "prompt"),
        message("a1", "p1"),
        message("p2", "a1", "prompt"),
        message("a2", "p2"),
        message("p3", "a1", "prompt"),
        message("a3", "p3"),
    ) == ["p2", "a2"]


def test_answers_side_by_side_on_one_prompt_are_no_branches() -> None:
    assert (
        left_behind(
            message("p1", None, "prompt"),
            message("a1", "p1"),
            message("a2", "p1"),
            message("a3", "p1"),
        )
        == []
    )


def test_what_was_typed_while_a_tool_ran_is_no_branch() -> None:
    call = ToolCall(session_id="s", id="T1", record_ids=("p2",))
    with_call = replace(message("a1", "p1"), tool_calls=(call,))
    typed = message("p2", "a1", "prompt")
    assert left_behind(message("p1", None, "prompt"), with_call, typed, message("a2", "p2")) == []


def test_what_came_before_a_compaction_is_shown() -> None:
    assert (
        left_behind(
            message("p1", None, "prompt"),
            message("a1", "p1"),
            message("c", None, "compaction"),
            message("a2", "c"),
        )
        == []
    )


def test_missing_parents_and_circles_end() -> None:
    assert (
        left_behind(
            message("p1", "nowhere", "prompt"), message("a1", "p1"), message("p2", "gone", "prompt")
        )
        == []
    )
    assert (
        left_behind(
            message("a", "b", "prompt"), message("b", "a", "prompt"), message("c", "c", "prompt")
        )
        == []
    )


def test_without_parents_there_are_no_branches() -> None:
    assert (
        left_behind(
            message("p1", None, "prompt"), message("a1", None), message("p2", None, "prompt")
        )
        == []
    )
