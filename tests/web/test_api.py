"""The API gives what the commands print with --json, for the same question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from agent_journal.web.api.kinds import KINDS
from agent_journal.web.api.routes import API
from tests.support.journals import aj_json, claude_line, sync
from tests.support.servers import Server, error_of, serving

FLAKY = "claude-code:818f4c1f"
# What is asked, and the command that asks the same.
SAME: list[tuple[str, dict[str, Any], list[str]]] = [
    ("sessions", {}, ["ls"]),
    ("sessions", {"agent": "claude"}, ["ls", "--agent", "claude-code"]),
    ("sessions", {"project": "relay", "limit": 2}, ["ls", "--project", "relay", "-n", "2"]),
    ("sessions", {"since": "7d", "all": 1}, ["ls", "--since", "7d", "--all"]),
    ("sessions", {"until": "2d", "sort": "cost"}, ["ls", "--until", "2d", "--sort", "cost"]),
    ("sessions", {"q": "is:edited retry"}, ["ls", "is:edited", "retry"]),
    ("hits", {"q": "retry"}, ["search", "--no-sync", "retry"]),
    (
        "hits",
        {"q": '"connection limit" OR retry', "flat": 1, "limit": 3, "offset": 1, "context": 2},
        [
            *("search", "--no-sync", "--flat", "-n", "3", "--offset", "1", "-C", "2"),
            '"connection limit" OR retry',
        ],
    ),
    (
        "hits",
        {"q": "retry", "mode": "lexical", "project": "relay", "since": "90d"},
        [
            *("search", "--no-sync", "--mode", "lexical", "--project", "relay"),
            *("--since", "90d", "retry"),
        ],
    ),
    ("session", {"id": FLAKY}, ["show", FLAKY]),
    ("session", {"id": "last", "find": "the"}, ["show", "last", "--find", "the"]),
    ("session", {"id": FLAKY, "message": 3}, ["show", FLAKY, "-m", "3"]),
    ("session", {"id": FLAKY, "message": 3, "context": 1}, ["show", FLAKY, "-m", "3", "-C", "1"]),
    ("edits", {"id": FLAKY}, ["show", FLAKY, "--edits"]),
    ("tags", {}, ["tag"]),
    ("sources", {}, ["sources"]),
    ("sources", {"agent": "codex", "files": "true"}, ["sources", "--agent", "codex", "--files"]),
    ("doctor", {}, ["doctor"]),
    ("expiring", {}, ["doctor", "--expiring"]),
    ("usage", {}, ["usage"]),
    ("usage", {"by": "session", "limit": 3}, ["usage", "session", "-n", "3"]),
    ("usage", {"by": "monthly", "timezone": "UTC"}, ["usage", "monthly", "--timezone", "UTC"]),
    ("usage", {"by": "model", "agent": "codex"}, ["usage", "model", "--agent", "codex"]),
    ("blocks", {"limit": 2}, ["usage", "blocks", "-n", "2"]),
    ("blocks", {"token_limit": "max"}, ["usage", "blocks", "--token-limit", "max"]),
    ("stats", {}, ["stats"]),
    (
        "stats",
        {"project": "relay", "since": "30d"},
        ["stats", "--project", "relay", "--since", "30d"],
    ),
]
# Parameters that are wrong, and what the command says of the same.
WRONG: list[tuple[str, dict[str, Any], list[str]]] = [
    ("sessions", {"agent": "clod"}, ["ls", "--agent", "clod"]),
    ("sessions", {"since": "someday"}, ["ls", "--since", "someday"]),
    ("sessions", {"sort": "size"}, ["ls", "--sort", "size"]),
    ("sessions", {"limit": "many"}, ["ls", "-n", "many"]),
    ("sessions", {"q": "date:someday"}, ["ls", "date:someday"]),
    ("hits", {"q": "/[/"}, ["search", "--no-sync", "/[/"]),
    ("hits", {"q": "retry", "since": "someday"}, ["search", "retry", "--since", "someday"]),
    ("hits", {"q": "retry", "limit": "0"}, ["search", "retry", "-n", "0"]),
    ("session", {"id": "nothing"}, ["show", "nothing"]),
    ("session", {"id": FLAKY, "message": 999}, ["show", FLAKY, "-m", "999"]),
    ("session", {"id": FLAKY, "find": "zzzqqq"}, ["show", FLAKY, "--find", "zzzqqq"]),
    ("usage", {"timezone": "Mars/Base"}, ["usage", "--timezone", "Mars/Base"]),
    ("blocks", {"token_limit": "some"}, ["usage", "blocks", "--token-limit", "some"]),
]


def address(kind: str, **asked: Any) -> str:
    return f"/api/1/{kind}?{urlencode(asked)}"


@pytest.mark.parametrize(("kind", "asked", "args"), SAME, ids=str)
def test_an_answer_is_that_of_the_command(
    server: Server, kind: str, asked: dict[str, Any], args: list[str]
) -> None:
    got = server.ask(address(kind, **asked))
    assert got.status == 200, got.text
    assert got.headers["content-type"] == "application/json"
    answer = json.loads(got.text)
    printed = aj_json(server.home, *args)
    assert answer["items"] or kind in ("tags", "expiring")
    for same in (answer, printed):
        _drop_what_the_moment_decides(same)
    if "limit" not in asked:
        printed["page"]["limit"] = answer["page"]["limit"]
    assert answer == printed


def _drop_what_the_moment_decides(answer: dict[str, Any]) -> None:
    for item in answer["items"]:
        for name in ("minutes_left", "tokens_per_minute", "projected_tokens"):
            item.pop(name, None)
        for name in ("projected_cost_micro_usd", "cost_micro_usd_per_hour"):
            item.pop(name, None)


def test_every_kind_is_asked_above() -> None:
    asked = {kind for kind, _, _ in SAME}
    asked.add("blame")  # tests/web/test_lines.py asks for it: the demo has no repository
    assert asked == {kind.name for kind in KINDS}
    assert [route.name for route in API] == [kind.name for kind in KINDS]


@pytest.mark.parametrize(("kind", "asked", "args"), WRONG, ids=str)
def test_an_error_has_the_words_of_the_command(
    server: Server, kind: str, asked: dict[str, Any], args: list[str]
) -> None:
    got = server.ask(address(kind, **asked))
    printed = aj_json(server.home, *args)["error"]
    assert got.status == (404 if printed["code"] == "no-such-session" else 400)
    error = json.loads(got.text)["error"]
    name = list(asked)[-1]
    # Only the name of the option is another one
    words = printed["message"]
    for option in (f"--{name.replace('_', '-')}", "-n"):
        if words.startswith(f"{option}: "):
            words = name + words.removeprefix(option)
    assert error["message"] == words
    assert error["code"] == printed["code"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("sessions?colour=red", "no parameter 'colour'"),
        ("sessions?limit=1&limit=2", "it may be given once"),
        ("sessions?limit=10001", "10,001 is more than 10,000"),
        ("sessions?all=maybe", "'maybe' is not true or false"),
        ("sessions?project=.", "the server has no current folder"),
        (f"sessions?q={'a' * 1001}", "it has more than 1,000 characters"),
        ("sessions?" + "agent=codex&" * 21, "it may be given 20 times"),
        ("hits", "Missing parameter 'q'"),
        ("hits?q=/a%7B99999%7D/", "the index cannot search for /a{99999}/"),
        ("hits?q=retry&context=21", "21 is more than 20"),
        ("session?id=last&context=1", "context needs message or find"),
        ("session", "Missing parameter 'id'"),
        ("blame", "Missing parameter 'path'"),
        ("blame?path=/a&last=2", "last needs first"),
        ("blame?path=/a&first=3&last=2", "last is before first"),
        ("blame?path=/etc/passwd", "no session changed this file"),
    ],
)
def test_sizes_and_names_are_limited(server: Server, path: str, words: str) -> None:
    got = server.ask(f"/api/1/{path}")
    assert got.status == 400
    assert words in error_of(got)


def test_what_does_not_exist_is_said_in_json(server: Server) -> None:
    for path, status in (("nothing", 404), ("verify", 404), ("rows?q=SELECT+1", 404)):
        got = server.ask(f"/api/1/{path}")
        assert got.status == status
        assert error_of(got) == "Not Found"
    assert error_of(server.ask("/api/1/sessions", Cookie="")).startswith("Open the address")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_is_written(server: Server, method: str) -> None:
    sent = {"Origin": f"http://127.0.0.1:{server.port}", "X_AJ": "1"}
    sent["Content_Type"] = "application/json"
    for kind in KINDS:
        got = server.ask(f"/api/1/{kind.name}", method, "{}", **sent)
        assert got.status == 405
        assert error_of(got) == "Method Not Allowed"


def test_a_long_session_is_given_in_parts(own_home: Path) -> None:
    folder = own_home / ".claude/projects/-work"
    folder.mkdir(parents=True)
    lines = [claude_line("user", n, f"text {n}", "s-long") for n in range(5_001)]
    (folder / "s-long.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    sync(own_home, index=False)
    with serving(own_home) as server:
        for kind in ("session", "edits"):
            got = server.ask(address(kind, id="s-long"))
            assert got.status == 400
            assert error_of(got) == "the session has 5,001 messages, more than 5,000"
        got = server.ask(address("session", id="s-long", message=4_000, context=1))
        messages = json.loads(got.text)["items"][0]["messages"]
        assert [message["text"] for message in messages] == ["text 3999", "text 4000", "text 4001"]


def test_a_search_without_an_index_changes_nothing(own_home: Path) -> None:
    import shutil

    shutil.rmtree(own_home / ".agent-journal/index/lexical-v7")
    with serving(own_home) as server:
        for path in ("hits?q=retry", "sessions?q=retry"):
            got = server.ask(f"/api/1/{path}")
            assert got.status == 503
            assert error_of(got) == "there is no search index yet"
    assert not (own_home / ".agent-journal/index/lexical-v7").exists()
