"""The Claude Code connector against small synthetic homes; each test names the behaviour it pins."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors.claude_code import CONNECTOR
from agent_journal.model import Attachment, Document, Event, FileEdit, Session
from tests.support.assemble import Assembly, read_root

HOMES = Path(__file__).parent / "claude_code"
PNG_SHA256 = "4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6"
PNG = Attachment(kind="image", mime_type="image/png", size=8, sha256=PNG_SHA256)


def root(case: str) -> str:
    return str(HOMES / case / "home" / ".claude")


@cache
def case(name: str) -> Assembly:
    return read_root(CONNECTOR, root(name))


def at(second: int) -> datetime:
    return datetime(2026, 3, 1, 10, second // 60, second % 60, tzinfo=UTC)


def of(name: str, kind: type, session_id: str | None = None) -> list[Any]:
    found = [piece for piece in case(name).others if isinstance(piece, kind)]
    return [piece for piece in found if session_id in (None, piece.session_id)]


def session(name: str, session_id: str, n: int = 0) -> Session:
    return [each for each in case(name).sessions if each.id == session_id][n]


def thread(name: str, session_id: str) -> list[tuple[str, str]]:
    return [(m.kind, m.text) for m in case(name).messages.values() if m.session_id == session_id]


def account(name: str, file: str) -> dict[str, set[tuple[str, str]]]:
    counts = case(name).ledgers[file].counts
    statuses = ("mapped", "skipped", "unknown", "malformed")
    return {
        s: {(e.kind, e.reason) for e in counts if e.status == s and e.kind != "separator"}
        for s in statuses
    }


# -- messages ----------------------------------------------------------------------------------


def test_lines_of_one_response_are_one_message_with_its_calls() -> None:
    message = case("split-messages").messages["split", "m1"]
    calls = case("split-messages").calls
    assert (message.text, message.reasoning, message.stop_reason) == (
        "Running.",
        "two commands",
        "tool_use",
    )
    assert message.record_ids == ("a1", "a2", "a3", "a4")
    assert message.parent_id == "u1"  # through an attachment
    assert (message.model, message.timestamp, message.api_id) == ("claude-opus-5", at(3), "m1")
    first, second = calls["split", "A"], calls["split", "B"]
    assert (first.message_id, first.name, first.kind, first.status) == ("m1", "Bash", "shell", "ok")
    assert (first.arguments, first.result) == ('{"command":"echo alpha"}', "alpha")
    assert (first.started_at, first.ended_at, first.record_ids) == (at(5), at(6), ("r1",))
    assert (second.message_id, second.result) == ("m1", "beta")


def test_usage_is_once_per_response_and_the_largest() -> None:
    first = case("split-messages").messages["split", "m1"].usage
    assert first is not None
    assert (first.key, first.message_id, first.model) == ("m1:req_m1", "m1", "claude-opus-5")
    assert (first.input_tokens, first.cache_read_tokens, first.output_tokens) == (3, 200, 10)
    assert (first.cache_write_tokens, first.cache_write_1h_tokens, first.reasoning_tokens) == (
        100,
        60,
        4,
    )
    grown = case("split-messages").messages["split", "m2"]
    assert grown.usage is not None
    assert grown.usage.output_tokens == 631
    assert (grown.parent_id, grown.text) == ("r2", "Wor\n\nBoth done.")


def test_local_answers_have_no_model_and_no_usage() -> None:
    messages = case("split-messages").messages
    synthetic, nameless, error = (messages["split", key] for key in ("synthetic-1", "a9", "m3"))
    assert (synthetic.kind, synthetic.model, synthetic.usage) == ("notice", None, None)
    assert (nameless.api_id, nameless.usage, nameless.model) == (None, None, "claude-opus-5")
    assert (error.kind, error.state, error.usage) == ("error", "failed", None)
    aborted = messages["split", "m4"]
    assert (aborted.text, aborted.reasoning, aborted.state) == ("Half an ans", "", "cancelled")


def test_a_sidechain_copy_is_told_apart() -> None:
    messages = case("split-messages").messages
    main, side = messages["copied", "m9"].usage, messages["copied/sidechain-c3", "m9"].usage
    assert main is not None
    assert side is not None
    assert [(u.message_id, u.key, u.is_sidechain) for u in (main, side)] == [
        ("m9", "m9:req_main", False),
        ("m9", "m9:req_side", True),
    ]


def test_what_user_lines_really_are() -> None:
    assert thread("prompts", "prompts") == [
        ("prompt", "fix this"),
        ("prompt", "explain [Image #1]"),
        ("command", "/init"),
        ("command_output", ""),
        ("injected", "<local-command-caveat>Caveat: …</local-command-caveat>"),
        ("shell", "echo hi"),
        ("command_output", "hi\nwarn"),
        ("notification", "<task-notification>\n<task-id>1</task-id>\n</task-notification>"),
        ("notification", '<teammate-message teammate_id="b">hello</teammate-message>'),
        ("interrupt", "[Request interrupted by user]"),
        ("skill", "Base directory for this skill: /s\n\n# Skill"),
        ("skill", "Skill body"),
        ("injected", "<system-reminder>\nThe session was named.\n</system-reminder>"),
        ("prompt", "what now?"),
        ("notification", "from a peer"),
        ("injected", "by the system"),
        ("notice", "seen only here"),
        ("hook", "<user-prompt-submit-hook>context</user-prompt-submit-hook>"),
        ("prompt", "<div> is a tag I ask about"),
        ("prompt", ""),
        ("command", "/rename new name"),
        ("command_output", "Renamed"),
        ("hook", "remember\nthe milk"),
        ("prompt", "last"),
    ]
    messages = case("prompts").messages
    opened = Attachment(kind="ide", text="The user opened /home/u/app/a.py")
    assert messages["prompts", "p01"].attachments == (opened,)
    assert messages["prompts", "p02"].attachments == (Attachment(kind="ide", text="lines 1-3"), PNG)
    assert messages["prompts", "p14"].attachments == (Attachment(kind="reminder", text="be brief"),)
    assert messages["prompts", "p20"].attachments == (PNG,)
    assert messages["prompts", "p23"].parent_id == "e06"  # the nearest line that is a message
    assert [messages["prompts", p].role for p in ("p21", "p22")] == ["user", "system"]


def test_what_the_harness_says_is_told_as_events() -> None:
    assert [(event.type, event.text) for event in of("prompts", Event)] == [
        ("api_error", "Overloaded"),
        ("informational", "Model replaced"),
        ("stop_hook_summary", "hook failed"),
        ("system", "plain notice"),
        ("attachment/file", "a.py"),
        ("attachment/hook_blocking_error", "not yet"),
    ]
    assert account("prompts", "projects/-home-u-app/prompts.jsonl")["skipped"] == {
        ("system/stop_hook_summary", "hooks ran without an error"),
        ("attachment/hook_success", "a hook ran and said nothing"),
    }


def test_queued_prompts_are_told_once_and_copies_of_requests_never() -> None:
    assert thread("queue", "queued") == [
        ("prompt", "do x"),
        ("answer", ""),
        ("prompt", "do y"),
        ("prompt", "do z"),
        ("notification", "task 7 finished"),
        ("notification", "<task-notification>\n<task-id>7</task-id>\n</task-notification>"),
        ("answer", "done"),
    ]
    assert case("queue").messages["queued", "k2"].attachments == (PNG,)
    assert case("queue").messages["queued", "m2"].parent_id == "k4"
    assert case("queue").others == []
    skipped = {kind for kind, _ in account("queue", "projects/-home-u-app/queued.jsonl")["skipped"]}
    expected = (
        "queue-operation api-request api-request-blob api-request-shape tools-used atis-latch"
    )
    assert skipped == set(expected.split())


def test_a_compaction_joins_the_thread() -> None:
    messages = case("compaction").messages
    assert thread("compaction", "compacted") == [
        ("prompt", "long work"),
        ("answer", "working"),
        (
            "compaction",
            "This session is being continued from a previous conversation. It was about work.",
        ),
        ("injected", "Instructions for the model"),
        ("command", "/compact keep it short"),
        ("command_output", "Compacted"),
        ("prompt", "go on"),
        ("answer", "going on"),
    ]
    assert messages["compacted", "s1"].parent_id == "a1"
    assert messages["compacted", "u2"].parent_id == "o1"
    assert [(e.type, e.text) for e in of("compaction", Event)] == [
        ("compact_boundary", "Conversation compacted (manual, 633 tokens before)"),
        ("microcompact_boundary", "Context microcompacted"),
    ]


def test_forks_keep_their_own_chain_and_one_usage_key() -> None:
    messages = case("forks").messages
    origin, fork = messages["origin", "m1"], messages["fork", "m1"]
    assert (origin.record_ids, fork.record_ids) == (("p1",), ("p1",))
    assert (origin.parent_id, fork.parent_id) == ("q", "s")
    assert origin.usage is not None
    assert fork.usage is not None
    assert origin.usage.key == fork.usage.key == "m1:r1"
    assert [session("forks", s).recorded_cost_micro_usd for s in ("origin", "fork")] == [
        14_400,
        21_600,
    ]
    sdk = session("forks", "sdkfork")
    assert (sdk.fork_of, sdk.host_app, sdk.is_automated) == ("origin", "sdk-py", True)
    assert session("forks", "origin").is_automated is False


def test_branches_dangling_parents_and_cycles_are_kept_as_they_are() -> None:
    parents = {
        m.id: m.parent_id for m in case("forks").messages.values() if m.session_id == "rewound"
    }
    assert (parents["b1"], parents["b2"]) == ("a1", "a1")
    assert (parents["l1"], parents["l2"], parents["l3"]) == ("gone", "l3", "l2")


# -- sessions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("session_id", "title", "rank", "source"),
    [
        ("custom", "C", 50, "custom-title"),
        ("ai", "Say hello", 40, "ai-title"),
        ("lastprompt", "two lines", 30, "last-prompt"),
        ("before", "Of this session", 20, "summary"),
        ("after", "Of this session", 20, "summary"),
        ("plain", "first words " + "x" * 188, 10, "prompt"),
    ],
)
def test_the_best_title_wins(session_id: str, title: str, rank: int, source: str) -> None:
    found = session("titles", session_id, -1)
    assert (found.title, found.title_rank, found.title_source) == (title, rank, source)


def test_facts_of_a_session() -> None:
    custom = session("titles", "custom", -1)
    assert (custom.started_at, custom.ended_at) == (at(1), at(2))  # not the queue's earlier time
    assert (custom.project_path, custom.project_dir) == ("/home/u/app", "-home-u-app")
    assert (custom.git_branch, custom.host_app, custom.agent_version) == ("main", "cli", "2.1.325")
    assert (custom.tags, custom.repository, custom.recorded_cost_micro_usd) == ((), "u/app", 14_376)
    assert session("titles", "ai").tags == ("kept",)
    renamed = session("titles", "custom", 0)
    assert (renamed.title, renamed.title_rank) == ("renamed by hand", 50)
    assert [s.title for s in case("titles").sessions if s.id == "foreign"] == [None]


def test_a_sub_agent_is_a_child_session() -> None:
    transcript, meta = (
        session("subagents", "parent/agent-a1", 0),
        session("subagents", "parent/agent-a1", 1),
    )
    assert (transcript.parent_id, meta.parent_id) == ("parent", "parent")
    assert (meta.parent_call_id, meta.agent_name, meta.title) == ("T1", "Explore", "Look")
    assert session("subagents", "parent/agent-a2", 1).parent_id == "parent/agent-a1"
    calls = case("subagents").calls
    assert (calls["parent", "T1"].child_session_id, calls["parent", "T1"].duration_ms) == (
        "parent/agent-a1",
        1234,
    )
    assert calls["parent/agent-a1", "T3"].child_session_id == "parent/agent-a2"
    assert calls["parent", "T2"].child_session_id == "parent/agent-a7"  # told in the text only
    assert thread("subagents", "parent/agent-a1") == [
        ("injected", "look around"),
        ("answer", ""),
        ("answer", "found"),
    ]
    # A file beside the session
    assert session("subagents", "parent/agent-a7").parent_id == "parent"
    assert session("subagents", "agent-a8").parent_id is None
    assert session("subagents", "parent/agent-a9").parent_id == "parent"  # of a workflow
    assert [(e.session_id, e.type) for e in of("subagents", Event)] == [
        ("parent", "started"),
        ("parent", "result"),
    ]
    assert of("subagents", Document) == [
        Document(session_id="parent", name="workflows/wf_1.json", kind="workflow"),
        Document(session_id="parent", name="workflows/scripts/w.js", kind="workflow"),
    ]


def test_a_compaction_helper_is_automated_and_hidden() -> None:
    helper = "parent/agent-acompact-0123456789abcdef"
    assert session("subagents", helper).is_automated
    states = {m.state for m in case("subagents").messages.values() if m.session_id == helper}
    assert states == {"hidden"}


def test_inline_sidechains_are_threads_of_their_own() -> None:
    one, two = "inline/sidechain-s1-root-", "inline/sidechain-t1-root-"
    assert thread("old-format", "inline") == [
        ("prompt", "delegate twice"),
        ("answer", ""),
        ("answer", "both found"),
    ]
    assert thread("old-format", one) == [
        ("injected", "find one"),
        ("answer", ""),
        ("answer", "one found"),
    ]
    assert thread("old-format", two) == [("injected", "find two"), ("answer", "two found")]
    calls = case("old-format").calls
    assert (calls["inline", "K1"].child_session_id, calls["inline", "K2"].child_session_id) == (
        one,
        two,
    )
    assert calls[one, "G1"].result == "one.py"
    child = session("old-format", one)
    assert (child.parent_id, child.parent_call_id, child.title) == ("inline", "K1", "find one")
    assert session("old-format", "inline").git_branch is None  # "HEAD"


def test_old_lines_written_twice_count_once() -> None:
    messages, calls = case("old-format").messages, case("old-format").calls
    assert thread("old-format", "old") == [
        ("prompt", "old prompt"),
        ("answer", ""),
        ("answer", "plain string"),
    ]
    usage = messages["old", "om1"].usage
    assert usage is not None
    assert (usage.key, usage.cost_micro_usd, usage.output_tokens) == ("om1:", 12_500, 7)
    assert calls["old", "E1"].status == "ok"
    assert len(of("old-format", FileEdit, "old")) == 1
    assert session("old-format", "old").models == ("claude-opus-5", "claude-3-7-sonnet")


def test_without_a_cwd_the_folder_name_is_not_decoded() -> None:
    nocwd = session("old-format", "nocwd")
    assert (nocwd.project_path, nocwd.project_dir) == (None, "-home-u-app")
