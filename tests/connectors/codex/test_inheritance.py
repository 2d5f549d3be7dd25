"""Codex: forks and sub-agents, whose files begin with lines of their parent."""

from __future__ import annotations

import json

import pytest

from agent_journal.connectors.base import FoundFile
from agent_journal.model import Event, FileEdit
from tests.connectors.codex.rollouts import (
    Json,
    call_output,
    head,
    in_parts,
    line,
    messages,
    pieces_of,
    read_case,
    read_lines,
    sid,
    token_count,
    tokens,
    turn,
)
from tests.support.assemble import Assembly

STARTED = {"type": "SubAgentActivity", "kind": "started", "id": "s", "agent_thread_id": sid(3)}


def copied(records: list[Json], second: float) -> list[Json]:
    """Records as a fork copies them: with the time of the copy."""
    timestamp = line(second, "")["timestamp"]
    return [{**record, "timestamp": timestamp} for record in records]


def fork(*parts: list[Json]) -> Assembly:
    records = [record for part in parts for record in part]
    return read_lines(
        head(60, 2, forked_from_id=sid(1)), *records, name=f"sessions/rollout-{sid(2)}.jsonl"
    )


PARENT = [
    head(0, 1),
    *turn(1, "one", "ONE"),
    token_count(4, 100, 100),
    token_count(4.5, 100, 100),
    *turn(10, "two", "TWO"),
    token_count(13, 300, 200),
]
# What was copied, and how many records of the fork's first turn were copied with it
COPIES = [
    ([copied(PARENT, 60)], 0),
    # The machine stalled within the copy: before a count, before a prompt
    *(([copied(PARENT[:at], 60), copied(PARENT[at:], 62)], 0) for at in (3, 4, 5, 7)),
    # The prompt was written together with the copy
    ([copied([*PARENT, *turn(0, "three", "THREE")[:1]], 60)], 1),
]


@pytest.mark.parametrize(("copies", "copied_of_turn"), COPIES)
def test_where_a_copy_ends(copies: list[list[Json]], copied_of_turn: int) -> None:
    own = [
        *turn(80, "three", "THREE")[copied_of_turn:],
        token_count(83, 450, 150),
        *turn(90, "four", "FOUR"),
        token_count(93, 500, 50),
    ]
    assert tokens(fork(*copies, own), sid(2))[0] == 200


def test_what_a_fork_copied_has_the_ids_of_the_parent() -> None:
    call = {
        "name": "apply_patch",
        "call_id": "c",
        "input": "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n",
    }
    shell = (
        "<user_shell_command>\n<command>\nls\n</command>\n"
        "<result>\nExit code: 0\n</result>\n</user_shell_command>"
    )
    parent = [
        *PARENT[:-1],
        line(14, "response_item", type="custom_tool_call", **call),
        call_output(15, "Success."),
        line(16, "event_msg", type="user_message", message=shell),
        PARENT[-1],
    ]
    old = read_lines(*parent, name=f"sessions/rollout-{sid(1)}.jsonl")
    new = fork(copied(parent, 60), turn(80, "three", "THREE"))
    old_ids = [message_id for _, message_id in old.messages]
    new_ids = [message_id for _, message_id in new.messages]
    assert new_ids[: len(old_ids)] == old_ids
    own_ids = new_ids[len(old_ids) :]
    assert [message_id.partition("@")[0] for message_id in own_ids] == [sid(2), sid(2)]
    assert [call_id for _, call_id in new.calls] == [call_id for _, call_id in old.calls]
    (old_edit,) = pieces_of(old, FileEdit, sid(1))
    (new_edit,) = pieces_of(new, FileEdit, sid(2))
    assert old_edit.origin == "tool"
    assert new_edit.origin == "copied"
    assert new_edit.message_id == old_edit.message_id


def test_forks_and_sub_agents() -> None:
    found = {
        session.id: (session.parent_id, session.fork_of, session.agent_name, session.title)
        for session in read_case("forks").sessions
        if not session.is_hint
    }
    assert found == {
        sid(40): (None, None, None, "two"),
        sid(41): (None, sid(40), None, "two"),
        sid(42): (None, sid(40), None, "four"),
        sid(43): (sid(40), None, "Curie, explorer", "look around"),
        sid(44): (sid(40), None, "Curie, explorer", "look elsewhere"),
        sid(45): (sid(40), None, "Curie, explorer", "look"),
        sid(46): (None, None, "review", "review it"),
        sid(47): (None, None, None, "spawn"),
        sid(48): (None, sid(40), None, "five"),
    }


def test_the_messages_of_forks_and_sub_agents() -> None:
    assembly = read_case("forks")
    for number in (43, 44, 45, 46):
        kinds = {message.kind for message in messages(assembly, sid(number))}
        assert "prompt" not in kinds
    assert [message.text for message in messages(assembly, sid(43))] == ["look around", "seen"]
    prompts = [message for message in messages(assembly, sid(41)) if message.kind == "prompt"]
    assert [message.text for message in prompts] == ["one", "two", "three"]


def test_a_call_that_spawned_a_sub_agent_names_its_session() -> None:
    calls = read_case("forks").calls.values()
    children = {call.id: call.child_session_id for call in calls if call.session_id == sid(47)}
    assert children == {"s1": sid(44), "s2": sid(43)}


def test_the_call_that_started_a_sub_agent() -> None:
    assembly = read_case("turns")
    hints = [found for found in assembly.sessions if found.is_hint]
    assert [(hint.id, hint.parent_id, hint.parent_call_id) for hint in hints] == [
        (sid(91), sid(90), "c2")
    ]
    call = assembly.calls[sid(90), "c2"]
    assert (call.child_session_id, call.result) == (sid(91), '{"task_name":"/root/scout"}')
    assert [message.text for message in messages(assembly, sid(91))] == [
        "/root to /root/scout: Look at the gate.",
        "The gate is green.",
        "/root to /root/scout: message (encrypted)",
    ]


@pytest.mark.parametrize(
    ("kind", "thread", "child"),
    [("started", sid(2), sid(2)), ("interacted", sid(2), None), ("started", None, None)],
)
def test_a_sub_agent_as_an_item(kind: str, thread: str | None, child: str | None) -> None:
    item = {"type": "SubAgentActivity", "id": "s", "kind": kind, "agent_thread_id": thread}
    spawn = {"type": "function_call", "name": "spawn_agent", "arguments": "{}", "call_id": "s"}
    found = read_lines(
        head(0, 1),
        line(1, "response_item", **spawn),
        line(2, "event_msg", type="item_completed", item=item),
        name=f"sessions/rollout-{sid(1)}.jsonl",
    )
    assert found.calls[sid(1), "s"].child_session_id == child


def test_a_fork_does_not_claim_the_sub_agents_of_its_parent() -> None:
    spawn = {"type": "function_call", "name": "spawn_agent", "arguments": "{}", "call_id": "s"}
    records = [
        line(1, "response_item", **spawn),
        line(2, "event_msg", type="item_completed", item=STARTED),
    ]
    name = f"sessions/rollout-{sid(2)}.jsonl"
    for fork_of, parent in ((None, sid(2)), (sid(1), None)):
        found = read_lines(head(0, 2, forked_from_id=fork_of), *records, name=name)
        (hint,) = (session for session in found.sessions if session.is_hint)
        assert (hint.parent_id, hint.parent_call_id) == (parent, "s")


def test_a_head_within_a_copy_has_one_id_wherever_reading_went_on() -> None:
    records = [head(60, 2, forked_from_id=sid(1)), *copied(PARENT, 60), head(60, 2)]
    lines = [json.dumps(record).encode() + b"\n" for record in records]
    file = FoundFile("", f"sessions/rollout-{sid(2)}.jsonl", "log", 0, 0, 0)
    whole = pieces_of(in_parts(file, b"".join(lines), 0), Event, sid(2))
    grown = pieces_of(in_parts(file, b"".join(lines), len(b"".join(lines[:-1]))), Event, sid(2))
    assert [event.text for event in grown][-1] == "session resumed"
    assert grown == whole
