"""Tools of Claude Code: results, edits, todo lists and plans."""

from __future__ import annotations

import pytest

from agent_journal.connectors.claude_code.results import spilled_to
from agent_journal.model import Document, FileEdit, Plan, Todo, TodoList, ToolCall
from tests.connectors.claude_code.cases import PNG, case, pieces


def tool(n: int | str) -> ToolCall:
    return case("tool-results").calls["tools", f"T{n}"]


def test_results_of_every_shape() -> None:
    assert (tool(1).status, tool(1).result) == ("error", "File not found")
    assert (tool(2).status, tool(2).result, tool(2).kind, tool(2).server) == (
        "ok",
        "x",
        "mcp",
        "github",
    )
    assert (tool(3).result, tool(3).attachments) == ("a", (PNG,))
    assert tool(4).result == "WebFetch"
    assert (tool(8).status, tool(8).exit_code) == ("error", 2)
    assert (tool(9).status, tool(9).result) == ("interrupted", "partial")
    assert (tool(10).status, tool(11).status) == ("denied", "interrupted")
    assert (tool(22).status, tool(22).result) == ("interrupted", "")
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


def test_long_output_is_followed_only_into_the_session_folder() -> None:
    assert [tool(n).spilled_to for n in (5, 6, 7)] == ["tool-results/b1.txt", None, None]
    assert pieces("tool-results", Document) == [
        Document(session_id="tools", name="tool-results/b1.txt", kind="tool-result")
    ]


@pytest.mark.parametrize(
    ("size", "path", "file"),
    [
        ("71,204 characters", "/x/p/s1/tool-results/mcp-a-1.txt", "tool-results/mcp-a-1.txt"),
        ("7 characters across 2 lines", "C:\\p\\s1\\tool-results\\b.txt", "tool-results/b.txt"),
        ("71,204 characters", "/x/p/s2/tool-results/mcp-a-1.txt", None),
        ("71,204 characters", "/etc/passwd", None),
    ],
)
def test_results_of_mcp_servers_that_were_too_long(size: str, path: str, file: str | None) -> None:
    notice = (
        f"Error: result ({size}) exceeds maximum allowed tokens. "
        f"Output has been saved to {path}.\nFormat: Plain text"
    )
    assert spilled_to(notice, "s1") == file
    assert spilled_to(f"It printed: {notice}", "s1") is None


def test_edits_have_a_diff_and_their_message() -> None:
    edits = {edit.call_id: edit for edit in pieces("tool-results", FileEdit, "tools")}
    found_edits = {
        call: (e.path.rpartition("/")[2], e.kind, e.diff, e.lines_added, e.lines_removed)
        for call, e in edits.items()
    }
    assert found_edits == {
        "T12": ("a.py", "edit", "@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d", 2, 1),
        "T13": ("n.py", "create", "@@ -0,0 +1,2 @@\n+one\n+two", 2, 0),
        "T14": ("n.py", "edit", "@@ -2,1 +2,0 @@\n-two", 0, 1),
        "T15": ("n.ipynb", "edit", "@@ @@\n+x = 1", 1, 0),
        "T16": ("b.py", "edit", "@@ @@\n-old\n+new\n+more", 2, 1),
        "lost": ("lost.py", "edit", "@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d", 2, 1),
    }
    assert (edits["T12"].message_id, edits["lost"].message_id) == ("m12", None)


def test_an_edit_that_its_result_does_not_report_is_the_one_asked_for() -> None:
    edits = pieces("tool-results", FileEdit, "plain-results")
    assert [(e.call_id, e.kind, e.diff, e.lines_added, e.lines_removed) for e in edits] == [
        ("E1", "edit", "@@ @@\n-one\n-two\n+one", 1, 2),
        ("E2", "edit", "@@ @@\n-a\n+b\n@@ @@\n-c\n+d\n+e", 3, 2),
        ("E3", "create", "@@ -0,0 +1,2 @@\n+x\n+y", 2, 0),
        ("E4", "edit", None, None, None),
        ("E6", "edit", "@@ @@\n+print()", 1, 0),
    ]
    assert [e.message_id for e in edits] == ["m2"] * 5
    assert edits[3].after == "new\n"


def test_only_recorded_durations_are_claimed() -> None:
    calls = case("tool-results").calls
    took = {id: calls["plain-results", id].duration_ms for id in ("B1", "G1", "S1", "B2", "E1")}
    assert took == {"B1": None, "G1": 12, "S1": 1500, "B2": None, "E1": None}
    assert calls["plain-results", "B2"].status == "interrupted"


def test_todos_count_when_the_tool_succeeded() -> None:
    items = (
        Todo(content="one", status="in_progress", active_form="Doing one"),
        Todo(content="two", status="pending", id="2"),
    )
    assert pieces("tool-results", TodoList) == [
        TodoList(session_id="tools", origin="todowrite", items=items, rank=1)
    ]


def test_plans_have_their_verdict_and_feedback() -> None:
    big, small = pieces("tool-results", Plan)
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
