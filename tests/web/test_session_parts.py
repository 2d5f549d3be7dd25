"""Beside the conversation: prompts, sub-agents, neighbours; finding, exporting, marking."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.journals import aj, aj_json, claude_line, sync
from tests.support.servers import Got, Server, error_of, running, serving

FLAKY = "/s/claude-code/818f4c1f-2fdb-4ceb-a888-1b39e27782d8"
POOL = "/s/claude-code/d25f9041-470c-477d-a5b5-f43864600723"
CHILD = f"{POOL}/agent-af2d80256bce899c5"
SECRET = "ghp_" + "A1b2C3d4E5" * 3 + "F6g7H8"


def write(home: Path, session: str, texts: list[str]) -> None:
    """A session of prompts."""
    folder = home / ".claude/projects/-work"
    folder.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(claude_line("user", n, text, session)) for n, text in enumerate(texts))
    text = "".join(f"{line}\n" for line in lines)
    (folder / f"{session}.jsonl").write_bytes(text.encode("utf-8", "replace"))


# -- sessions that belong together ---------------------------------------------------------------


def test_a_sub_agent_is_linked_where_it_was_started_and_at_the_side(server: Server) -> None:
    page = server.ask(POOL).text
    started = re.search(r'<div class="started">(.*?)</div>', page, re.DOTALL)
    assert started is not None
    assert f'href="{CHILD}"' in started[1]
    side = re.search(r'<nav class="related" aria-label="Sub-agents">(.*?)</nav>', page, re.DOTALL)
    assert side is not None
    assert "1 sub-agent" in side[1]
    assert "more" not in side[1]
    assert f'href="{CHILD}"' in side[1]


def test_a_sub_agent_leads_to_its_parent_and_is_not_resumed(server: Server) -> None:
    page = server.ask(CHILD).text
    parent = re.search(r'<nav class="related" aria-label="Parent">(.*?)</nav>', page, re.DOTALL)
    assert parent is not None
    assert f'href="{POOL}"' in parent[1]
    assert "copy-resume" not in page
    assert "has no command that resumes" in server.ask(f"{CHILD}/export").text


def test_a_fork_leads_to_its_origin_and_back(own_home: Path) -> None:
    folder = own_home / ".claude/projects/-work"
    folder.mkdir(parents=True)
    first = [claude_line("user", n, f"text {n}", "s-origin") for n in range(3)]
    later = [{**line, "sessionId": "s-fork"} for line in first]
    later.append(claude_line("user", 9, "another way", "s-fork", parentUuid="s-origin-u2"))
    for session, lines in (("s-origin", first), ("s-fork", later)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{session}.jsonl").write_text(text)
    sync(own_home)
    with serving(own_home) as server:
        fork, origin = server.ask("/s/claude-code/s-fork"), server.ask("/s/claude-code/s-origin")
        assert '<h2>Continues</h2><a href="/s/claude-code/s-origin"' in fork.text
        assert '<h2>Continued by</h2><ul><li><a href="/s/claude-code/s-fork"' in origin.text


def test_neighbours_follow_the_list(server: Server) -> None:
    listed = aj_json(server.home, "ls")["items"]
    wanted = [f"/s/{item['agent']}/{item['id']}" for item in listed]
    for place, path in enumerate(wanted):
        page = server.ask(path).text
        newer = re.findall(r'<a rel="prev" href="([^"]*)"', page)
        older = re.findall(r'<a rel="next" href="([^"]*)"', page)
        assert newer == wanted[max(0, place - 1) : place]
        assert older == wanted[place + 1 : place + 2]


# -- prompts -------------------------------------------------------------------------------------


def test_commands_are_listed_and_are_no_prompts(server: Server) -> None:
    text = server.ask("/s/claude-code/818f4c1f-2fdb-4ceb-a888-1b39e27782d8").text
    assert " · 2 prompts · " in text
    assert "<summary>2 prompts, 1 command</summary>" in text


def test_the_outline_has_a_window_of_the_prompts(own_home: Path) -> None:
    write(own_home, "s-many", [f"prompt number {n}" for n in range(500)])
    sync(own_home, index=False)
    with serving(own_home) as server:
        path = "/s/claude-code/s-many"
        page = server.ask(f"{path}?at=250").text
        assert "<summary>500 prompts</summary>" in page
        shown = [int(at) for at in re.findall(r'data-go="(\d+)"', page)]
        assert len(shown) == 60
        assert 250 in shown
        seen = []
        following: str | None = "0"
        while following:
            part = server.ask(f"{path}/outline?from={following}").text
            seen += re.findall(r'dir="auto">prompt number (\d+)</a>', part)
            found = re.search(r'data-from="(\d+)" href="[^"]*">↓', part)
            following = found[1] if found else None
        assert seen == [str(n) for n in range(500)]


def test_the_outline_at_any_place_has_its_prompt_and_the_ways_on(own_home: Path) -> None:
    """With answers between the prompts; at the ends, and behind the last message."""
    texts = [f"prompt number {n}" for n in range(200)]
    write(own_home, "s-many", texts)
    sync(own_home, index=False)
    with serving(own_home) as server:
        for at in (None, 0, 1, 29, 30, 31, 59, 60, 61, 99, 140, 168, 169, 170, 171, 199, 5_000):
            address = "/s/claude-code/s-many"
            if at is not None:
                address += f"?at={at}"
            page = server.ask(address).text
            current = min(at or 0, 199)
            first = max(0, min(current - 30, 140))
            shown = re.findall(r'dir="auto">prompt number (\d+)</a>', page)
            assert shown == [str(n) for n in range(first, first + 60)]
            assert f'<ol start="{first + 1}">' in page
            ways = re.findall(r'data-from="(\d+)" href="[^"]*at=(\d+)">(.) (\d+)', page)
            before = max(0, first - 60)
            expected = []
            if first:
                expected.append((str(before), str(before), "↑", str(first)))
            if first < 140:
                expected.append((str(first + 60), str(first + 60), "↓", str(140 - first)))
            assert ways == expected


# -- finding -------------------------------------------------------------------------------------


def found_in(server: Server, path: str, words: str) -> dict[str, Any]:
    got = server.ask(f"{path}/find?q={words}&as=positions")
    assert got.status == 200
    told: dict[str, Any] = json.loads(got.text)
    return told


@pytest.mark.parametrize("words", ["deadline", "flaky", "jitter", "time+deadline", "Pytest"])
def test_finding_finds_what_the_command_finds(server: Server, words: str) -> None:
    text = words.replace("+", " ")
    shown = json.loads(aj(server.home, "show", "818f4c1f", "--find", text, "--json").stdout)
    told = found_in(server, FLAKY, words)
    assert told["positions"] == [message["seq"] for message in shown["items"][0]["messages"]]
    assert told["words"] == text.lower().split()
    assert told["is_all"]


def test_what_is_not_there_is_not_found(server: Server) -> None:
    for words in ("orchard", "zzqqzz", "deadlime", "", "%20", "..."):
        assert found_in(server, FLAKY, words)["positions"] == []


def test_a_page_lists_what_was_found(server: Server) -> None:
    page = server.ask(f"{FLAKY}/find?q=jitter").text
    positions = found_in(server, FLAKY, "jitter")["positions"]
    assert re.findall(rf'href="{FLAKY}\?at=(\d+)"', page) == [str(at) for at in positions]
    assert "<mark>jitter</mark>" in page
    assert server.ask(f"{FLAKY}/find?q={'x' * 1_001}").status == 400


def test_words_that_no_index_has_yet_are_found(own_home: Path) -> None:
    write(own_home, "s-live", ["an old walrus", "nothing"])
    sync(own_home)
    write(own_home, "s-live", ["an old walrus", "nothing", "a new WALRUS", "nothing again"])
    sync(own_home, index=False)
    with serving(own_home) as server:
        told = found_in(server, "/s/claude-code/s-live", "walr")
        assert told == {"positions": [0, 2], "words": ["walr"], "is_all": True}


# -- exporting and going on ----------------------------------------------------------------------


def test_the_preview_says_what_is_taken_out(own_home: Path) -> None:
    write(
        own_home,
        "s-secret",
        ["Where is the configuration kept?", f"the token is {SECRET} here", "in /home/sam"],
    )
    sync(own_home, index=False)
    with serving(own_home) as server:
        page = server.ask("/s/claude-code/s-secret/export").text
        assert SECRET not in page
        counts = re.search(r"<h3>What is taken out</h3>\n<ul>(.*?)</ul>", page, re.DOTALL)
        assert counts is not None
        kinds = re.findall(r"<b>(\d+)</b> ([^<]*)", counts[1])
        assert len(kinds) == 1
        marked = re.findall(r"<code>(.*?)</code>", page)
        assert f"the token is [redacted {kinds[0][1]}] here" in marked
        assert f"[redacted {kinds[0][1]}]" in server.ask("/download/claude-code/s-secret.md").text
        for form in ("html", "md", "json"):
            assert f'href="/download/claude-code/s-secret.{form}" download' in page


def test_the_ways_to_continue_name_what_is_lost(server: Server) -> None:
    page = html.unescape(server.ask(f"{FLAKY}/export").text)
    name = "claude-code:818f4c1f-2fdb-4ceb-a888-1b39e27782d8"
    assert f"aj resume {name}<" in page
    for agent in ("copilot-cli", "codex", "gemini"):
        assert f"aj resume {name} --with {agent}<" in page
    assert f"aj convert {name} --to vscode --into /home/sam/work/relay<" in page
    done = aj(server.home, "convert", name, "--to", "codex", "--strict", "--no-redact", "--json")
    losses = json.loads(done.stdout)["items"][0]["losses"]
    lost = [loss for loss in losses if loss["fate"] == "dropped"]
    part = page[page.index('id="to-codex"') : page.index('id="to-gemini"')]
    assert f"{sum(loss['count'] for loss in lost):,} values would be lost" in part
    for loss in lost:
        assert f"<b>{loss['count']:,}</b> {loss['field']}: {loss['why']}" in part


def test_of_a_long_session_secrets_and_losses_are_looked_for_when_asked(own_home: Path) -> None:
    write(own_home, "s-long", [f"text {n} {SECRET}" for n in range(2_001)])
    sync(own_home, index=False)
    with serving(own_home) as server:
        path = "/s/claude-code/s-long/export"
        page = server.ask(path).text
        assert f'href="{path}?preview=1"' in page
        assert f'href="{path}?to=codex#to-codex"' in page
        assert "values would be lost" not in page
        assert "<b>2,002</b>" in server.ask(f"{path}?preview=1").text
        asked = server.ask(f"{path}?to=codex").text
        part = asked[asked.index('id="to-codex"') : asked.index('id="to-gemini"')]
        assert "Nothing is lost." in part


# -- marks ---------------------------------------------------------------------------------------


def send(server: Server, body: object, **headers: str) -> Got:
    origin = f"http://127.0.0.1:{server.port}"
    sent = {"Content_Type": "application/json", "X_AJ": "1", "Origin": origin} | headers
    return server.ask("/api/1/marks", "POST", json.dumps(body), **sent)


def test_marks_are_changed_and_shown(own_home: Path) -> None:
    name = "claude-code:818f4c1f-2fdb-4ceb-a888-1b39e27782d8"
    with serving(own_home) as server:
        got = send(server, {"session": name, "starred": True, "tags": ["ci", "flaky"]})
        assert got.status == 200
        item = json.loads(got.text)["items"][0]
        assert item["tags"] == ["ci", "flaky"]
        assert item["starred_at"] is not None
        assert item == aj_json(own_home, "star")["items"][0]
        page = server.ask(FLAKY).text
        assert 'id="star" aria-pressed="true"' in page
        assert 'href="/?q=tag%3Aci">#ci</a>' in page
        send(server, {"session": name, "title": "My own title", "tags": ["ci"]})
        page = server.ask(FLAKY).text
        assert ">My own title</h1>" in page
        assert "called Flaky retry test: clock and jitter by its agent" in page
        assert "#flaky" not in page
        item = json.loads(send(server, {"session": name, "title": "", "starred": False}).text)
        assert item["items"][0]["title"] == "Flaky retry test: clock and jitter"
        assert item["items"][0]["starred_at"] is None
        assert aj_json(own_home, "star")["items"] == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"session": "claude-code:nothing", "starred": True}, 404),
        ({"session": "818f4c1f", "starred": True}, 400),
        ({"starred": True}, 400),
        ({"session": "claude-code:818f4c1f", "starred": "yes"}, 400),
        ({"session": "claude-code:818f4c1f", "tags": ["two words"]}, 400),
        ({"session": "claude-code:818f4c1f", "tags": [1]}, 400),
        ({"session": "claude-code:818f4c1f", "tags": ["x"] * 101}, 400),
        ({"session": "claude-code:818f4c1f", "tags": ["fine"], "title": "\x07"}, 400),
        ({"session": "claude-code:818f4c1f", "delete": True}, 400),
        ([1], 400),
    ],
)
def test_wrong_marks_change_nothing(server: Server, body: object, status: int) -> None:
    got = send(server, body)
    assert got.status == status
    assert error_of(got)
    assert not (server.home / ".agent-journal/marks.jsonl").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"X_AJ": ""},
        {"Origin": "https://evil.example"},
        {"Origin": ""},
        {"Content_Type": "text/plain"},
        {"Content_Type": "application/x-www-form-urlencoded"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Cookie": ""},
        {"Host": "evil.example"},
    ],
)
def test_marks_are_changed_by_the_page_only(server: Server, wrong: dict[str, str]) -> None:
    body = {"session": "claude-code:818f4c1f", "starred": True}
    assert send(server, body, **wrong).status == 403
    assert not (server.home / ".agent-journal/marks.jsonl").exists()


def test_a_program_with_the_key_changes_marks(own_home: Path) -> None:
    body = {"session": "claude-code:818f4c1f", "starred": True}
    with running(own_home) as server:
        got = send(server, body, Origin="", Authorization=f"Bearer {server.key}")
        assert got.status == 200
    assert len(aj_json(own_home, "star")["items"]) == 1
