"""Hostile text in every field of a session, through every page of it: it stays text."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.html_judge import judge_page
from tests.support.journals import claude_line, sync
from tests.support.pages import HOSTILE, joined
from tests.support.servers import Server, running

SESSION = "/s/claude-code/s-bad"
PAGES = (
    "",
    "?depth=everything",
    "/part?from=0&count=20&depth=everything",
    "/outline",
    "/edits",
    "/raw",
    "/raw?at=60",
    "/provenance?hashes=all",
    "/export",
)


def _lines(texts: list[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        first = 3 * number
        yield json.dumps(claude_line("user", first, text, "s-bad", gitBranch=text))
        asked = claude_line("assistant", first + 1, text, "s-bad", version=text)
        asked["message"]["model"] = text
        asked["message"]["content"] += [
            {"type": "thinking", "thinking": text},
            _use(f"w{number}", "Write", {"file_path": f"/w/{text}", "content": f"{text}\n"}),
            _use(f"o{number}", text, {text: text, "command": text}),
        ]
        yield json.dumps(asked)
        answered = claude_line("user", first + 2, "", "s-bad", toolUseResult=text)
        answered["message"]["content"] = [
            {"type": "tool_result", "tool_use_id": f"{kind}{number}", "content": text}
            for kind in "wo"
        ]
        yield json.dumps(answered)
        yield json.dumps({"type": text, "sessionId": "s-bad", text: text})
        yield text.replace("\n", " ")
    yield json.dumps(
        {"type": "custom-title", "customTitle": "".join(texts[:8]), "sessionId": "s-bad"}
    )


def _use(call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("hostile")
    folder = home / ".claude/projects/-work"
    folder.mkdir(parents=True)
    log = folder / "s-bad.jsonl"
    text = "".join(f"{line}\n" for line in _lines(HOSTILE))
    log.write_bytes(text.encode("utf-8", "replace"))
    _write_sub_agents(folder / "s-bad/subagents")
    sync(home)
    with running(home) as server:
        server.open()
        yield server


def _write_sub_agents(folder: Path) -> None:
    folder.mkdir(parents=True)
    for number, text in enumerate(HOSTILE[:10]):
        line = claude_line("user", 0, text, "s-bad", agentId=f"a{number}", isSidechain=True)
        (folder / f"agent-a{number}.jsonl").write_text(json.dumps(line) + "\n")
        about = {"agentType": text, "description": text}
        (folder / f"agent-a{number}.meta.json").write_text(json.dumps(about))


def check(page: str) -> None:
    assert "window.owned=1</script>" not in page
    judge_page(page)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page)


@pytest.mark.parametrize("path", PAGES)
def test_hostile_text_stays_text(hostile: Server, path: str) -> None:
    got = hostile.ask(SESSION + path)
    assert got.status == 200
    assert "&lt;" in got.text
    check(got.text)


def test_all_pages_of_raw_and_all_files(hostile: Server) -> None:
    page = hostile.ask(f"{SESSION}/raw").text
    count = 0
    following = re.search(r'rel="next" href="([^"]*/raw[^"]*)"', page)
    while following:
        page = hostile.ask(html.unescape(following[1])).text
        check(page)
        count += 1
        following = re.search(r'rel="next" href="([^"]*/raw[^"]*)"', page)
    assert count > 5
    files = re.findall(r'href="([^"]*/edits\?file=[^"]*)"', hostile.ask(f"{SESSION}/edits").text)
    assert len(files) > 30
    for address in files:
        got = hostile.ask(html.unescape(address))
        assert got.status == 200
        check(got.text)


def test_hostile_questions(hostile: Server) -> None:
    for text in HOSTILE:
        asked = quote(text.encode("utf-8", "replace"))
        told = hostile.ask(f"{SESSION}/find?q={asked}&as=positions")
        assert told.status in (200, 400)
        assert told.headers["content-type"] == "application/json"
        json.loads(told.text)
    for text in joined(HOSTILE):
        asked = quote(text.encode("utf-8", "replace"))
        for path in (
            f"/find?q={asked}",
            f"/edits?file={asked}",
            f"/edits?file=x&at={asked}",
            f"/raw?at={asked}",
            f"/raw?source={asked}&offset={asked}",
            f"/provenance?hashes={asked}",
            f"/outline?from={asked}",
            f"/part?at={asked}",
            f"/export?to={asked}",
        ):
            got = hostile.ask(SESSION + path)
            assert got.status in (200, 400)
            check(got.text)


def test_hostile_marks(hostile: Server) -> None:
    origin = f"http://127.0.0.1:{hostile.port}"
    sent = {"Content_Type": "application/json", "X_AJ": "1", "Origin": origin}
    for text in HOSTILE:
        body = {"session": "claude-code:s-bad", "title": text, "tags": ["".join(text.split())]}
        text = json.dumps(body).encode("utf-8", "replace").decode()
        got = hostile.ask("/api/1/marks", "POST", text, **sent)
        assert got.status in (200, 400)
        json.loads(got.text)
        check(hostile.ask(f"{SESSION}/provenance").text)  # it has the head of all pages
