"""The tabs of a session: Changes, Raw and Provenance say what the commands say."""

from __future__ import annotations

import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

from tests.support.journals import aj_here, aj_json, claude_line, sync
from tests.support.servers import Server, serving

FLAKY = "/s/claude-code/818f4c1f-2fdb-4ceb-a888-1b39e27782d8"
TABS = {"Conversation": "", "Changes": "/edits", "Raw": "/raw", "Provenance": "/provenance"}
_CODE = re.compile(r"<pre tabindex=\"0\"><code>(.*?)</code></pre>", re.DOTALL)


def path_of(item: dict[str, Any]) -> str:
    return f"/s/{item['agent']}/{quote(item['id'])}"


def sessions(server: Server) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = aj_json(server.home, "ls", "--all")["items"]
    return found


def texts_in(page: str) -> list[str]:
    """The texts of all boxes of code, without their colours."""
    found = _CODE.findall(page)
    return [html.unescape(re.sub(r"<[^>]*>", "", text)) for text in found]


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_leads_to_the_others(server: Server, tab: str) -> None:
    text = server.ask(FLAKY + TABS[tab]).text
    for name, ending in TABS.items():
        current = ' aria-current="page"' if name == tab else ""
        assert f'<a href="{FLAKY}{ending}"{current}>{name}</a>' in text


# -- changes -------------------------------------------------------------------------------------


def test_changes_have_every_file_that_the_command_has(server: Server) -> None:
    seen = 0
    for item in sessions(server):
        name = f"{item['agent']}:{item['id']}"
        edits = json.loads(aj_here(server.home, "show", name, "--edits", "--json"))["items"]
        page = server.ask(f"{path_of(item)}/edits").text
        wanted = list(dict.fromkeys(edit["path"] for edit in edits))
        shown = re.findall(r'<summary><code dir="auto">([^<]*)</code>', page)
        assert [html.unescape(path) for path in shown] == wanted
        if not wanted:
            assert "No file was changed" in page
        seen += len(wanted)
    assert seen > 5


def test_a_file_after_a_prompt_is_what_the_command_prints(server: Server) -> None:
    compared = 0
    for item in sessions(server):
        name = f"{item['agent']}:{item['id']}"
        edits = json.loads(aj_here(server.home, "show", name, "--edits", "--json"))["items"]
        for path, number in {(edit["path"], edit["request"]) for edit in edits}:
            page = server.ask(f"{path_of(item)}/edits?file={quote(path)}&at={number}").text
            printed = aj_here(server.home, "show", name, "--file", path, "--at", str(number))
            if printed:
                assert printed.rstrip("\n") == texts_in(page)[0].rstrip("\n")
                compared += 1
            else:
                assert "not known" in page or "does not exist" in page
    assert compared >= 2


def _write_session(home: Path, session: str, calls: list[tuple[str, dict[str, Any], Any]]) -> None:
    """A session of prompts that are each answered with one call of a tool."""
    lines: list[dict[str, Any]] = []
    for number, (tool, arguments, result) in enumerate(calls):
        lines.append(claude_line("user", 3 * number, f"prompt {number + 1}", session))
        asked = claude_line("assistant", 3 * number + 1, "doing it", session)
        asked["message"]["content"].append(
            {"type": "tool_use", "id": f"t{number}", "name": tool, "input": arguments}
        )
        answered = claude_line("user", 3 * number + 2, "", session, toolUseResult=result)
        answered["message"]["content"] = [
            {"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok"}
        ]
        lines += [asked, answered]
    folder = home / ".claude/projects/-work"
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / f"{session}.jsonl").write_bytes(text.encode("utf-8", "replace"))


def _written(path: str, content: str) -> tuple[str, dict[str, Any], Any]:
    result = {"type": "create", "filePath": path, "content": content, "structuredPatch": []}
    return "Write", {"file_path": path, "content": content}, result


def _edited(path: str, before: str, old: str, new: str) -> tuple[str, dict[str, Any], Any]:
    result = {
        "filePath": path,
        "oldString": old,
        "newString": new,
        "originalFile": before,
        "structuredPatch": [
            {
                "oldStart": 1,
                "oldLines": 1,
                "newStart": 1,
                "newLines": 1,
                "lines": [f"-{old}", f"+{new}"],
            }
        ],
    }
    return "Edit", {"file_path": path, "old_string": old, "new_string": new}, result


def test_the_net_change_is_one_diff(own_home: Path) -> None:
    _write_session(
        own_home,
        "s-net",
        [
            _written("/w/new.txt", "first\n"),
            _edited("/w/new.txt", "first\n", "first", "second"),
            _edited("/w/old.txt", "one\n", "one", "two"),
            _edited("/w/old.txt", "two\n", "two", "one"),
        ],
    )
    sync(own_home)
    with serving(own_home) as server:
        page = server.ask("/s/claude-code/s-net/edits").text
        assert "2 files changed by 4 prompts" in page
        new, old = re.findall(r'<details class="change".*?</details>', page, re.DOTALL)
        assert '<span class="plus">+1</span> <span class="minus">−0</span> created' in new
        assert texts_in(new) == ["--- /dev/null\n+++ b/w/new.txt\n@@ -0,0 +1,1 @@\n+second\n"]
        assert "It is again as it was." in old
        at_first = server.ask("/s/claude-code/s-net/edits?file=/w/new.txt&at=1").text
        assert texts_in(at_first)[0] == "first"
        before = server.ask("/s/claude-code/s-net/edits?file=/w/new.txt&at=0").text
        assert "does not exist after prompt 0" in before
        assert server.ask("/s/claude-code/s-net/edits?file=/w/new.txt&at=99").status == 400
        assert server.ask("/s/claude-code/s-net/edits?file=/etc/passwd").status == 400


def test_a_change_of_unknown_size_has_only_its_edits(own_home: Path) -> None:
    written = {"file_path": "/w/x", "content": "text\n"}
    _write_session(own_home, "s-unknown", [("Write", written, "written")])
    sync(own_home)
    with serving(own_home) as server:
        page = server.ask("/s/claude-code/s-unknown/edits").text
    assert '<code dir="auto">/w/x</code> <span class="side">1 edit</span>' in page


# -- raw -----------------------------------------------------------------------------------------


def test_the_pages_of_raw_have_every_record_once(server: Server) -> None:
    records = 0
    for item in sessions(server):
        raw = aj_here(server.home, "show", f"{item['agent']}:{item['id']}", "--raw")
        pages = _all_pages(server, f"{path_of(item)}/raw")
        shown = [text for page in pages for text in texts_in(page)]
        wanted = [line for line in raw.split("\n") if line.strip()]
        cut = [line.encode()[:20_000].decode("utf-8", "ignore") for line in wanted]
        assert [text for text in shown if text.strip()] == cut
        records += len(wanted)
    assert records > 300


def _all_pages(server: Server, path: str) -> list[str]:
    """The pages from the first to the last, which lead back to the first as well."""
    pages = [server.ask(path).text]
    following = re.search(r'rel="next" href="([^"]*/raw[^"]*)"', pages[-1])
    while following:
        pages.append(server.ask(html.unescape(following[1])).text)
        following = re.search(r'rel="next" href="([^"]*/raw[^"]*)"', pages[-1])
    leading = re.search(r'rel="prev" href="([^"]*/raw[^"]*)"', pages[-1])
    before = pages[-1]
    while leading:
        before = server.ask(html.unescape(leading[1])).text
        leading = re.search(r'rel="prev" href="([^"]*/raw[^"]*)"', before)
    assert texts_in(before)[0] == texts_in(pages[0])[0] if texts_in(pages[0]) else True
    return pages


def test_raw_opens_at_the_record_of_a_message(server: Server) -> None:
    messages = aj_json(server.home, "show", "818f4c1f")
    last = messages["items"][0]["messages"][-1]
    page = server.ask(f"{FLAKY}/raw?at={last['seq']}").text
    assert f"byte {last['offset']:,} ·" in page
    assert last["id"] in texts_in(page)[0]


# -- provenance ----------------------------------------------------------------------------------


def test_provenance_has_the_hashes_of_the_files_on_disk(server: Server) -> None:
    checked = 0
    for item in sessions(server):
        page = server.ask(f"{path_of(item)}/provenance").text
        for part in re.findall(r'<section class="kept">.*?</section>', page, re.DOTALL):
            path = Path(html.unescape(re.search(r"<code[^>]*>([^<]*)</code>", part)[1]))  # type: ignore[index]
            hashes = re.findall(r"<code>([0-9a-f]{64})</code>", part)
            if path.is_file() and path.suffix in (".jsonl", ".json"):
                assert hashlib.sha256(path.read_bytes()).hexdigest() in hashes
                checked += 1
    assert checked > 10


def test_provenance_counts_what_was_not_understood(own_home: Path) -> None:
    lines = [
        json.dumps(claude_line("user", 0, "hello", "s-odd")),
        json.dumps({"type": "never-heard-of", "sessionId": "s-odd"}),
        '{"type": "user", "mess',
    ]
    folder = own_home / ".claude/projects/-work"
    folder.mkdir(parents=True)
    (folder / "s-odd.jsonl").write_text("".join(f"{line}\n" for line in lines))
    sync(own_home)
    with serving(own_home) as server:
        page = server.ask("/s/claude-code/s-odd/provenance").text
        for count, status in ((1, "mapped"), (0, "skipped"), (1, "unknown"), (1, "malformed")):
            assert f"<b>{count}</b> {status}" in page
        assert "1 problem</h3>" in page
        offset = len(lines[0]) + len(lines[1]) + 2
        assert f"<li>byte {offset:,}: " in page
        assert "read in spite of damage" in page


def test_large_files_are_hashed_when_asked_for(own_home: Path) -> None:
    folder = own_home / ".claude/projects/-work"
    folder.mkdir(parents=True)
    lines = [claude_line("user", n, "x" * 1_000_000, "s-big") for n in range(34)]
    log = folder / "s-big.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    sync(own_home, index=False)
    with serving(own_home) as server:
        page = server.ask("/s/claude-code/s-big/provenance").text
        assert "not computed" in page
        more = re.search(r'<a href="([^"]*hashes=all)"', page)
        assert more is not None
        digest = hashlib.sha256(log.read_bytes()).hexdigest()
        assert digest in server.ask(unquote(more[1])).text
