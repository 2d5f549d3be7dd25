"""What the tools answer: exact answers for a small journal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from agent_journal.answers.recall.tools import TOOLS
from tests.mcp.conftest import TOKEN
from tests.support.journals import aj
from tests.support.mcp_servers import McpServer, assert_quoted, mcp_server
from tests.support.mcp_sessions import ClaudeSession


def quoted(text: str) -> list[str]:
    """The quoted lines, without their sign."""
    return [line[2:] for line in text.split("\n") if line.startswith("| ")]


def test_descriptions_are_short_and_all_tools_only_read() -> None:
    assert list(TOOLS) == [
        "search",
        "read",
        "list_sessions",
        "file_history",
        "why",
        "find_fix",
        "how_run",
        "usage",
    ]
    texts = [tool.description for tool in TOOLS.values()]
    texts += [parameter.meaning for tool in TOOLS.values() for parameter in tool.parameters]
    assert sum(map(len, texts)) <= 2_500
    for tool in TOOLS.values():
        notes = tool.definition()["annotations"]
        assert notes["readOnlyHint"] is True
        assert notes["openWorldHint"] is False


def test_search_finds_and_quotes(server: McpServer) -> None:
    text = server.text("search", query='"flaky"')
    assert text.startswith("Hits in 1 of 1 session. Synced ")
    assert_quoted(text, "flaky")
    first, second = quoted(text)
    assert re.fullmatch(
        r'claude-code:fixed at=0  2026-11-01  relay  "The retry test is flaky, please repair it"'
        r"  \(prompt\)",
        first,
    )
    assert second == "  The retry test is flaky, please repair it"


def test_all_pages_of_a_search_by_offset(server: McpServer) -> None:
    names = []
    for offset in range(3):
        text = server.text("search", query="retry", limit=1, offset=offset)
        names.append(quoted(text)[0].split()[0])
        assert ("more: offset=" in text) is (offset < 2)
    assert sorted(names) == ["claude-code:claimed", "claude-code:fixed", "claude-code:other"]
    assert "Nothing was found" in server.text("search", query="retry", limit=1, offset=3)


def test_find_fix_rests_on_calls_not_on_words(server: McpServer) -> None:
    answer = server.data("find_fix", error="TimeoutError: no jitter left")
    fixed, claimed = answer["items"]
    assert fixed["session"] == "claude-code:fixed"
    assert fixed["command"] == "pytest -q tests/test_retry.py"
    assert fixed["error"] == "E TimeoutError: no jitter left"
    assert (fixed["failed_at"], fixed["worked_at"], fixed["failed_again_at"]) == (1, 8, None)
    assert [(step["tool"], step["what"]) for step in fixed["steps"]] == [
        ("Edit", "/work/relay/retry.py")
    ]
    # The agent said that it works. No call says so.
    assert claimed["session"] == "claude-code:claimed"
    assert claimed["worked_at"] is None
    assert claimed["steps"] == []
    assert server.data("find_fix", error="no such error anywhere")["items"] == []


def test_find_fix_names_session_and_messages(server: McpServer) -> None:
    lines = quoted(server.text("find_fix", error="TimeoutError: no jitter left", limit=1))
    assert lines == [
        'claude-code:fixed  2026-11-01  relay  "The retry test is flaky, please repair it"',
        "  failed at=1: Bash pytest -q tests/test_retry.py",
        "    = E TimeoutError: no jitter left",
        "  then at=5: Edit /work/relay/retry.py (ok)",
        "  worked at=8: Bash pytest -q tests/test_retry.py",
    ]


def test_how_run_counts_successes(server: McpServer) -> None:
    (item,) = server.data("how_run", what="deploy")["items"]
    timestamp = item.pop("timestamp")
    assert timestamp.startswith("2026-11-01T00:0")
    assert item == {
        "command": "make deploy",
        "ok": 2,
        "failed": 1,
        "unknown": 0,
        "session": "claude-code:other",
        "message": 3,
        "project": "/work/secret-plans",
    }
    items = server.data("how_run", what="the tests")["items"]
    assert [(item["command"], item["ok"], item["failed"]) for item in items] == [
        ("pytest  -q tests/test_retry.py", 1, 1),
        ("pytest -x tests/test_retry.py", 0, 1),
    ]


def test_file_history(server: McpServer) -> None:
    answer = server.data("file_history", path="retry.py", project="relay", diff=True)
    (item,) = answer["items"]
    assert item["session"] == "claude-code:fixed"
    assert item["path"] == "/work/relay/retry.py"
    assert "+jitter = 0.5" in item["diff"]
    text = server.text("file_history", path="retry.py")
    assert "2 edits, newest first." in text
    assert "jitter" not in text


def test_read_around_a_message(server: McpServer) -> None:
    text = server.text("read", session="fixed", at=5, before=1, after=2, depth="steps")
    lines = quoted(text)
    assert lines[0].startswith('claude-code:fixed  relay  "The retry test is flaky')
    assert [line for line in lines if line.startswith("#")] == [
        "#3 assistant  2026-11-01 00:03",
        "#5 assistant  2026-11-01 00:05",
        "#8 assistant  2026-11-01 00:07",
        "#10 assistant  2026-11-01 00:09",
    ]
    assert "  > Edit: ok" in lines
    assert "This is the end." in text


def test_read_at_three_depths(server: McpServer) -> None:
    story = server.text("read", session="fixed")
    assert "  (1 tool call: Bash; 1 failed)" in quoted(story)
    assert "pytest" not in story
    steps = server.text("read", session="fixed", depth="steps")
    assert "    pytest -q tests/test_retry.py" in quoted(steps)
    assert "    = E TimeoutError: no jitter left" in quoted(steps)
    assert "1 passed" not in steps
    everything = server.text("read", session="fixed", depth="everything")
    assert "    = 1 passed" in quoted(everything)


def test_all_pages_of_a_session_by_cursor(tmp_path: Path) -> None:
    session = ClaudeSession(tmp_path, "long")
    texts = [f"Message {number}: " + f"word{number} " * (number * 40) for number in range(12)]
    for number, text in enumerate(texts):
        (session.answer if number % 2 else session.prompt)(text.strip())
    assert aj(tmp_path, "sync").returncode == 0
    with mcp_server(tmp_path) as server:
        for max_chars in (1_000, 3_000, 40_000):
            pages = []
            given = {"session": "long", "max_chars": max_chars}
            while True:
                text = server.text("read", **given)
                assert len(text) <= max_chars
                assert_quoted(text)
                pages.append(text)
                found = re.search(r'More: cursor="([^"]+)"', text)
                if found is None:
                    break
                given["cursor"] = found[1]
            read = " ".join(" ".join(quoted(page)) for page in pages)
            for text in texts:
                assert text.split()[-1] in read
            words = [word for word in read.split() if word.startswith("word")]
            # A word may be cut where a page ends; no other is lost or shown twice
            whole = sum(text.count("word") for text in texts)
            assert abs(len(words) - whole) <= len(pages)


def test_read_as_json_goes_on_by_cursor(server: McpServer) -> None:
    seen = []
    given = {"session": "fixed", "depth": "everything", "max_chars": 1_500}
    for _ in range(20):
        data = server.data("read", **given)
        assert len(json.dumps(data, ensure_ascii=False)) <= 1_500
        (item,) = data["items"]
        seen += [message["seq"] for message in item["messages"] if "seq" in message]
        if data["cursor"] is None:
            break
        given["cursor"] = data["cursor"]
    assert seen == sorted(set(seen))
    assert len(seen) >= 6


def test_the_own_project_comes_first(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("alpha", "beta")]
    for folder in folders:
        folder.mkdir()
        for number in range(3):
            session = ClaudeSession(tmp_path, f"{folder.name}{number}", str(folder))
            session.prompt(f"The lighthouse blinks {number}")
            session.bash("make light", "lit")
            session.edit(str(folder / "lamp.py"), "off", "on")
    assert aj(tmp_path, "sync").returncode == 0
    for folder in folders:
        with mcp_server(tmp_path, folder=folder) as server:
            for tool, given in (
                ("list_sessions", {"limit": 4}),
                ("search", {"query": "lighthouse", "limit": 4}),
                ("file_history", {"path": "lamp.py", "limit": 4}),
            ):
                items = server.data(tool, **given)["items"]
                names = [item.get("session") or item["id"] for item in items]
                own = [folder.name in name for name in names]
                assert own == [True, True, True, False], (tool, names)
            assert server.data("how_run", what="light")["items"][0]["project"] == f"~/{folder.name}"
            rest = server.data("list_sessions", limit=4, offset=2)["items"]
            assert [folder.name in item["id"] for item in rest] == [True, False, False, False]


def test_list_sessions_has_pages(server: McpServer) -> None:
    names = []
    for offset in range(3):
        text = server.text("list_sessions", limit=1, offset=offset)
        assert text.startswith("1 of 3 sessions")
        names.append(quoted(text)[0].split()[0])
    assert sorted(names) == ["claude-code:claimed", "claude-code:fixed", "claude-code:other"]
    assert quoted(server.text("list_sessions", project="relay"))[0].startswith("claude-code:")
    assert len(quoted(server.text("list_sessions", agent="claude", since="2020-01-01"))) == 3


def test_usage(server: McpServer) -> None:
    data = server.data("usage", by="model")
    assert [item["key"] for item in data["items"]] == ["claude-opus-5-5"]
    assert data["kind"] == "usage"
    text = server.text("usage", by="session")
    assert_quoted(text)
    assert len(quoted(text)) == 3


def test_no_usage_says_of_which_time(server: McpServer) -> None:
    """Without a time only the last days are looked at: earlier ones may have some."""
    text = server.text("usage", project="nowhere")
    assert re.match(r"No usage is recorded since \d{4}-\d\d-\d\d\. ", text)


@pytest.mark.parametrize(
    ("tool", "given", "says"),
    [
        ("search", {}, "query is missing"),
        ("search", {"query": "x", "limit": 21}, "limit is a number from 1 to 20"),
        ("search", {"query": "x", "limit": True}, "limit is a number from 1 to 20"),
        ("search", {"query": "x", "max_chars": 999}, "max_chars is a number from 1000 to 40,000"),
        ("search", {"query": "x", "redact": False}, "no parameter 'redact'"),
        ("search", {"query": "x" * 4_001}, "query is a text of at most 4,000 characters"),
        ("search", {"query": ["x"]}, "query is a text of at most 4,000 characters"),
        ("search", {"query": "x", "since": "never ever"}, "never ever"),
        ("search", {"query": "x", "format": "xml"}, "format is one of text, json"),
        ("read", {"session": "nothing-like-it"}, "no session has that id"),
        ("read", {"session": "fixed", "cursor": "1; DROP"}, "this is no cursor"),
        ("list_sessions", {"agent": "nobody"}, "no such agent has a session"),
        ("file_history", {"path": "x", "diff": "maybe"}, "diff is true or false"),
        ("how_run", {"what": "the"}, "what has no words to look for"),
        ("find_fix", {"error": "..."}, "error has no words to look for"),
    ],
)
def test_mistakes_are_explained(
    server: McpServer, tool: str, given: dict[str, object], says: str
) -> None:
    result = server.call(tool, **given)
    assert result["isError"] is True
    text = result["content"][0]["text"]
    assert_quoted(text)
    assert says in text


def test_secrets_are_replaced_and_no_call_can_change_that(home: Path, server: McpServer) -> None:
    for tool, given in (
        ("search", {"query": "deploy token"}),
        ("read", {"session": "other", "depth": "everything"}),
        ("list_sessions", {}),
    ):
        for form in ("text", "json"):
            result = server.call(tool, format=form, **given)
            assert TOKEN not in json.dumps(result)
            assert "[redacted" in json.dumps(result)
    assert TOKEN in aj(home, "show", "other").stdout
    with mcp_server(home, "--no-redact") as open_server:
        assert TOKEN in open_server.text("read", session="other")


def test_the_name_of_a_tool_is_without_secrets(tmp_path: Path) -> None:
    """Whatever an agent wrote there is foreign text, too."""
    session = ClaudeSession(tmp_path, "one")
    session.prompt("Water the plum")
    session.call(f"water {TOKEN}", {"tree": "plum"}, "watered")
    session.call(f"wet {TOKEN}", {"tree": "fig"}, "no water")
    assert aj(tmp_path, "sync").returncode == 0
    with mcp_server(tmp_path) as server:
        for tool, given in (
            ("search", {"query": "plum"}),
            ("search", {"query": "fig"}),
            ("find_fix", {"error": "no water"}),
            ("how_run", {"what": "plum"}),
            ("read", {"session": "one", "depth": "story"}),
            ("read", {"session": "one", "depth": "everything"}),
        ):
            for form in ("text", "json"):
                found = json.dumps(server.call(tool, format=form, **given))
                assert TOKEN[4:12] not in found, (tool, given, form)


def test_secrets_in_names_are_replaced(tmp_path: Path) -> None:
    """Of tools, files, folders, branches and models, in every answer."""
    folder = f"/work/{TOKEN}"
    session = ClaudeSession(tmp_path, "named", folder)
    session.prompt("Build it")
    for is_error in (True, False):
        session.call(
            f"mcp__{TOKEN}__run", {"command": "make"}, "Error: no build", is_error=is_error
        )
        session.bash("make build", "Error: no build", is_error=is_error)
    session.edit(f"{folder}/{TOKEN}.py", "a", "b")
    text = session.path.read_text()
    text = text.replace('"gitBranch": "main"', f'"gitBranch": "{TOKEN}"')
    session.path.write_text(text.replace("claude-opus-5-5", f"claude-{TOKEN}"))
    assert aj(tmp_path, "sync").returncode == 0
    assert TOKEN in aj(tmp_path, "show", "named").stdout
    with mcp_server(tmp_path) as server:
        for tool, given in (
            ("search", {"query": "build"}),
            ("read", {"session": "named"}),
            ("read", {"session": "named", "depth": "steps"}),
            ("read", {"session": "named", "depth": "everything"}),
            ("list_sessions", {}),
            ("file_history", {"path": "*.py", "diff": True}),
            ("find_fix", {"error": "Error: no build", "limit": 5}),
            ("how_run", {"what": "make"}),
            *(("usage", {"by": group}) for group in ("model", "project", "session")),
        ):
            for form in ("text", "json"):
                said = json.dumps(server.call(tool, format=form, **given))
                assert TOKEN not in said, (tool, given, form)
        assert TOKEN not in json.dumps(server.ask("resources/list"))


@pytest.mark.parametrize("letters", [10, 25, 35])
def test_find_fix_shows_no_half_of_a_secret(tmp_path: Path, letters: int) -> None:
    """Of a long result only the beginning is looked at, wherever that ends."""
    telling = "the build broke because of "
    before = "\n".join(["x" * 99] * 199)
    before = before + "\n" + " " * (20_000 - len(before) - len(telling) - letters - 1) + telling
    session = ClaudeSession(tmp_path, "one")
    session.prompt("Build it")
    session.bash("make build", f"{before}{TOKEN}\n" + "x" * 9_000, is_error=True)
    session.bash("make build", "built")
    assert aj(tmp_path, "sync").returncode == 0
    with mcp_server(tmp_path) as server:
        for form in ("text", "json"):
            said = json.dumps(server.call("find_fix", error=telling, format=form))
            assert telling[:15] in said
            assert TOKEN[:10] not in said


def test_no_spelling_gives_a_secret_away(server: McpServer) -> None:
    answer = server.data("search", query=f"deploy {TOKEN[:-1]}")
    assert TOKEN.lower() not in json.dumps(answer).lower()
    assert (answer["instead"], answer["missing"], answer["spelled"]) == (None, [], {})


def test_without_a_journal(tmp_path: Path) -> None:
    with mcp_server(tmp_path) as server:
        result = server.call("search", query="x")
        assert result["isError"] is True
        assert "there is no journal yet" in result["content"][0]["text"]
        assert server.ask("resources/list")["result"] == {"resources": []}
    assert not (tmp_path / ".agent-journal").exists()
