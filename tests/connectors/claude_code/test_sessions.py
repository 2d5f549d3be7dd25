"""Sessions of Claude Code: titles, facts, sub-agents and old formats."""

from __future__ import annotations

import pytest

from agent_journal.model import Document, Event, FileEdit
from tests.connectors.claude_code.cases import at, case, pieces, session, skipped, thread


@pytest.mark.parametrize(
    ("session_id", "title", "rank", "source"),
    [
        ("custom", "C", 50, "custom-title"),
        ("ai", "Say hello", 40, "ai-title"),
        ("lastprompt", "two lines", 30, "last-prompt"),
        ("before", "Of this session", 20, "summary"),
        ("after", "Of this session", 20, "summary"),
        ("plain", "first words " + "x" * 188, 10, "prompt"),
        ("later-words", "prune the roses", 10, "prompt"),
        ("empty-words", "Watering the garden.", 10, "answer"),
        ("slash", "/review 12", 5, "command"),
    ],
)
def test_the_best_title_wins(session_id: str, title: str, rank: int, source: str) -> None:
    found = session("titles", session_id, -1)
    assert (found.title, found.title_rank, found.title_source) == (title, rank, source)


def test_settings_are_events_when_they_change() -> None:
    events = pieces("titles", Event, "empty-words")
    assert [(event.type, event.text) for event in events] == [
        ("agent-setting", "planner"),
        ("promptSource", "typed"),
        ("sessionKind", "bg"),
        ("promptSource", "sdk"),
    ]
    assert skipped("titles", "projects/-home-u-app/empty-words.jsonl") == {
        ("agent-setting", "the same as before"),
        ("attachment/deferred_tools_record", "context the harness gives to the model"),
    }


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
    assert session("subagents", "parent/agent-a2", -1).parent_id == "parent/agent-a1"
    calls = case("subagents").calls
    assert (calls["parent", "T1"].child_session_id, calls["parent", "T1"].duration_ms) == (
        "parent/agent-a1",
        1234,
    )
    assert calls["parent/agent-a1", "T3"].child_session_id == "parent/agent-a2"
    assert calls["parent", "T2"].child_session_id == "parent/agent-a7"  # named in the text only
    assert thread("subagents", "parent/agent-a1") == [
        ("injected", "look around"),
        ("answer", ""),
        ("answer", "found"),
    ]
    # A file beside the session
    assert session("subagents", "parent/agent-a7").parent_id == "parent"
    assert session("subagents", "agent-a8").parent_id is None
    assert session("subagents", "parent/agent-a9").parent_id == "parent"  # of a workflow
    assert [(e.session_id, e.type) for e in pieces("subagents", Event)] == [
        ("parent", "launched"),
        ("parent", "started"),
        ("parent", "result"),
    ]
    assert pieces("subagents", Document) == [
        Document(session_id="parent", name="workflows/wf_1.json", kind="workflow"),
        Document(session_id="parent", name="workflows/scripts/w.js", kind="workflow"),
    ]


def test_a_compaction_agent_is_automated_and_hidden() -> None:
    agent = "parent/agent-acompact-0123456789abcdef"
    assert session("subagents", agent).is_automated
    states = {m.state for m in case("subagents").messages.values() if m.session_id == agent}
    assert states == {"hidden"}


def test_inline_sidechains_are_separate_sessions() -> None:
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
    assert len(pieces("old-format", FileEdit, "old")) == 1
    assert session("old-format", "old").models == ("claude-opus-5", "claude-3-7-sonnet")


def test_without_a_cwd_the_folder_name_is_not_decoded() -> None:
    nocwd = session("old-format", "nocwd")
    assert (nocwd.project_path, nocwd.project_dir) == (None, "-home-u-app")
