"""Files, usage, activity and doctor: the figures of the commands, on pages."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from agent_journal.export.changes import Changes
from agent_journal.export.html.figures import money, short
from agent_journal.model import FileEdit, Session
from agent_journal.web.files.file import _edit
from tests.support.journals import aj_json, append, claude_line, sync
from tests.support.pages import HOSTILE, joined
from tests.support.servers import Server, serving
from tests.support.usage_homes import answer, claude, priced

PLACES = ("/files", "/usage", "/activity", "/doctor")


def rows(text: str, caption: str) -> list[list[str]]:
    """The cells of a table, without markup."""
    found = re.search(rf"<caption[^>]*>{caption}</caption>(.*?)</table>", text, re.S)
    assert found, caption
    lines = re.findall(r"<tr><th scope=\"row\">(.*?)</tr>", found[1], re.S)
    return [[_plain(cell) for cell in re.split(r"</th><td>|</td><td>", line)] for line in lines]


def _plain(cell: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", cell)).strip()


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.S)
    assert found, pattern
    return html.unescape(found[1])


def _cost(item: Any) -> str:
    if item["cost_micro_usd"] is None:
        return "not known"
    cost = money(item["cost_micro_usd"])
    if item["unpriced"]:
        return f"{cost} + ?"
    return cost


def _tokens(item: Any) -> str:
    if item["total_tokens"] is None:
        return "not known"
    return short(item["total_tokens"])


def _figures(item: Any) -> list[str]:
    return [_cost(item), _tokens(item), f"{item['requests']:,}"]


# -- usage -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("group", "caption"), [("model", "Models"), ("agent", "Agents"), ("project", "Projects")]
)
def test_usage_has_the_figures_of_the_command(server: Server, group: str, caption: str) -> None:
    answered = aj_json(server.home, "usage", group)
    text = server.ask("/usage?since=all").text
    shown = rows(text, caption)
    items = {item["key"]: _figures(item) for item in answered["items"]}
    assert [figures for _, *figures in shown] == list(items.values())
    total = answered["totals"]
    assert f"<b>{_cost(total)}</b> · {_tokens(total)} tokens" in text


@pytest.mark.parametrize("period", ["daily", "weekly", "monthly"])
def test_usage_by_time_has_the_figures_of_the_command(server: Server, period: str) -> None:
    items = aj_json(server.home, "usage", period)["items"]
    shown = rows(server.ask(f"/usage?since=all&by={period}").text, "Cost")
    wanted = [[item["key"], *_figures(item), ", ".join(item["models"])] for item in items]
    assert shown == wanted[::-1]


def test_the_most_expensive_sessions_come_first(server: Server) -> None:
    items = aj_json(server.home, "usage", "session", "-n", "15")["items"]
    shown = rows(server.ask("/usage?since=all").text, "Most expensive sessions")
    assert [row[1:] for row in shown[:15]] == [_figures(item) for item in items]
    text = server.ask("/usage?since=all").text
    for item in items[:3]:
        assert f'href="/s/{item["agent"]}/{quote(item["session_id"])}"' in text


def test_a_click_narrows_usage(server: Server) -> None:
    text = server.ask("/usage?since=all").text
    narrowed = _found(r'href="(/usage\?[^"]*agent=codex[^"]*)"', text)
    total = aj_json(server.home, "usage", "--agent", "codex")["totals"]
    page = server.ask(narrowed).text
    assert f"<b>{_cost(total)}</b>" in page
    assert re.search(r'aria-current="true"[^>]*>agent: codex', page)
    day = aj_json(server.home, "usage", "daily")["items"][0]["key"]
    total = aj_json(server.home, "usage", "--since", day, "--until", day)["totals"]
    assert f"since={day}&amp;until={day}" in text
    assert f"<b>{_cost(total)}</b>" in server.ask(f"/usage?since={day}&until={day}").text


def test_usage_of_a_time(server: Server) -> None:
    total = aj_json(server.home, "usage", "--since", "7d")["totals"]
    assert f"<b>{_cost(total)}</b>" in server.ask("/usage?since=7d").text
    for period in ("30d", "90d", "365d", "all"):
        assert server.ask(f"/usage?since={period}").status == 200


@pytest.mark.parametrize(("since", "days"), [("7d", 8), ("30d", 31)])
def test_the_chart_of_usage_shows_the_whole_time(server: Server, since: str, days: int) -> None:
    text = server.ask(f"/usage?since={since}").text
    chart = _found(r"<h2>Cost by day</h2>\n(.*?</svg>)", text)
    named = re.findall(r"<title>(\d{4}-\d\d-\d\d): ", chart)
    today = datetime.now().astimezone().date()
    assert named == [(today - timedelta(days=n)).isoformat() for n in reversed(range(days))]


@pytest.fixture
def unpriced(tmp_path: Path) -> Iterator[Server]:
    """A journal with a model that has a price, and one that has none."""
    priced(tmp_path)
    tokens = {"input_tokens": 1_000_000, "output_tokens": 0}
    claude(tmp_path, "s1", [claude_line("user", 0, "a"), answer(1, tokens)])
    lines = [claude_line("user", 0, "b", "s2"), answer(1, tokens, "nobody-knows", "s2")]
    claude(tmp_path, "s2", lines)
    sync(tmp_path)
    with serving(tmp_path) as server:
        yield server


def test_what_has_no_price_is_said_and_hatched_and_never_0(unpriced: Server) -> None:
    text = unpriced.ask("/usage?since=all&by=daily").text
    assert "The cost of nobody-knows (1.0M tokens) is not known" in text
    assert "<b>" in text
    assert ["nobody-knows", "not known", "1.0M", "1"] in rows(text, "Models")
    assert ["model-a", "$2.00", "1.0M", "1"] in rows(text, "Models")
    assert "$2.00 + ?" in text
    charts = re.findall(r"<svg class=\"chart.*?</svg>", text, re.S)
    assert sum('class="hatched"' in chart for chart in charts) == 3  # bars, their key, the year
    assert "$0.00" not in re.sub(r"<text[^>]*>.*?</text>", "", text)


# -- activity --------------------------------------------------------------------------------------


def test_activity_has_the_figures_of_the_command(server: Server) -> None:
    (stats,) = aj_json(server.home, "stats")["items"]
    text = server.ask("/activity").text
    assert f"{stats['sessions']} sessions" in text
    assert f"{stats['prompts']} prompts · {stats['answers']} answers" in text
    days = [[day, f"{count:,}"] for day, count in stats["days"].items()]
    assert rows(text, "Messages by day") == days[::-1]
    hours = [row[1:] for row in rows(text, "Hours of the week")]
    assert hours == [[f"{count:,}" for count in row] for row in stats["week_hours"]]
    assert [sum(row) for row in stats["week_hours"]] == stats["weekdays"]
    assert [sum(column) for column in zip(*stats["week_hours"], strict=True)] == stats["hours"]
    agents = [row[:3] for row in rows(text, "Agents")]
    wanted = [[s["name"], str(s["sessions"]), str(s["prompts"])] for s in stats["shares"]["agent"]]
    assert agents == wanted
    tools = [row[:3] for row in rows(text, "Tools")][:15]
    assert tools == [[t["name"], str(t["calls"]), _share(t)] for t in stats["tool_list"][:15]]


def _share(tool: Any) -> str:
    if tool["success"] is None:
        return "?"
    return f"{tool['success']:.0%}"


def test_the_lengths_of_sessions_add_up(tmp_path: Path) -> None:
    append(tmp_path / ".claude/projects/-work/s1.jsonl", claude_line("user", 0, "alone", "s1"))
    claude(tmp_path, "s2", [claude_line("user", 0, "a", "s2"), claude_line("user", 60, "b", "s2")])
    sync(tmp_path)
    with serving(tmp_path) as server:
        shown = rows(server.ask("/activity").text, "Lengths")
    assert sum(int(count) for _, count in shown) == 2


def test_activity_is_narrowed(server: Server) -> None:
    (stats,) = aj_json(server.home, "stats", "--agent", "codex")["items"]
    text = server.ask("/activity?agent=codex").text
    assert f"{stats['tools']} tool calls" in text
    assert "There is no session in this time" in server.ask("/activity?until=1999-01-01").text


# -- files -----------------------------------------------------------------------------------------


def test_files_are_those_that_sessions_changed(server: Server) -> None:
    (stats,) = aj_json(server.home, "stats")["items"]
    text = server.ask("/files").text
    shown = {row[0]: row[1:3] for row in rows(text, "Files")}
    home = str(server.home)
    for file in stats["files"]:
        path = file["path"].replace(home, "~")
        assert shown[path] == [str(file["sessions"]), str(file["edits"])]
    assert f"{len(stats['files'])} files" in text
    counts = [int(row[1]) for row in rows(text, "Files")]
    assert counts == sorted(counts, reverse=True)


def test_files_are_found_by_a_part_of_their_path(server: Server) -> None:
    (stats,) = aj_json(server.home, "stats")["items"]
    wanted = {file["path"] for file in stats["files"] if "retry" in file["path"].lower()}
    assert wanted
    shown = rows(server.ask("/files?q=RETRY").text, "Files")
    assert len(shown) == len(wanted)
    assert (
        '<p class="remark">No session changed such a file. <a' in server.ask("/files?q=zzzqqq").text
    )


def test_files_have_pages(tmp_path: Path) -> None:
    lines = []
    for number in range(0, 260, 2):
        lines += _written(number, f"/work/app/f{number:03d}.py", "a\n")
    claude(tmp_path, "s1", lines)
    sync(tmp_path)
    with serving(tmp_path) as server:
        first = server.ask("/files").text
        assert "130 files" in first
        assert len(rows(first, "Files")) == 100
        after = _found(r'rel="next" href="([^"]+)"', first)
        assert len(rows(server.ask(after).text, "Files")) == 30


def _written(number: int, path: str, text: str, session: str = "s1", **more: Any) -> list[Any]:
    """A call that writes a file, and its result."""
    call = claude_line("assistant", number, "x", session, **more)
    arguments = {"file_path": path, "content": text}
    tool = {"type": "tool_use", "id": f"t-{session}-{number}", "name": "Write", "input": arguments}
    call["message"]["content"] = [tool]
    result = {"type": "tool_result", "tool_use_id": tool["id"], "content": "written"}
    patch = {"type": "create", "filePath": path, "content": text, "structuredPatch": []}
    done = claude_line("user", number + 1, "", session, toolUseResult=patch, **more)
    done["message"]["content"] = [result]
    return [call, done]


def test_a_file_shows_its_sessions_with_diffs(server: Server) -> None:
    edits = aj_json(server.home, "show", "818f4c1f", "--edits")["items"]
    edit = next(item for item in edits if item["diff"])
    text = server.ask(f"/file?path={quote(edit['path'])}").text
    assert "Flaky retry test: clock and jitter" in text
    added = next(line for line in edit["diff"].split("\n") if line.startswith("+ "))
    assert html.escape(added) in text
    assert "changed by 1 session" in text


def test_an_edit_of_which_only_the_path_is_known_says_so() -> None:
    changes = Changes(Session(agent="cursor", id="s"))
    bare = FileEdit(session_id="s", path="/w/a.py")
    assert "What changed in it is not recorded." in _edit(bare, changes)
    known = FileEdit(session_id="s", path="/w/a.py", diff="@@ -1 +1 @@\n-a\n+b\n")
    assert "not recorded" not in _edit(known, changes)


def test_a_file_that_nobody_changed_leads_to_others(server: Server) -> None:
    got = server.ask("/file?path=/nowhere/retry.py")
    assert got.status == 404
    assert 'href="/files?q=retry.py"' in got.text
    assert server.ask("/file").status == 400


# -- doctor ----------------------------------------------------------------------------------------


def test_the_doctor_says_what_the_command_says(own_home: Path) -> None:
    folder = own_home / ".claude/projects/-work"
    append(folder / "s-new.jsonl", claude_line("user", 0, "not kept yet", "s-new"))
    answered = aj_json(own_home, "doctor")
    assert answered["advice"]
    with serving(own_home) as server:
        text = server.ask("/doctor").text
        listed = re.search(r'<ul class="advice">(.*?)</ul>', text, re.S)
        assert listed
        lines = [_plain(line) for line in re.findall(r"<li>(.*?)</li>", listed[1], re.S)]
        wanted = [line.replace("'aj sync'", "aj sync Copy") for line in answered["advice"]]
        assert lines == wanted
        assert 'data-text="aj sync"' in text
        expiring = aj_json(own_home, "doctor", "--expiring")["items"]
        shown = rows(text, "Sessions")
        assert len(shown) == len(expiring)
        assert [row[2] for row in shown] == ["no"]
        assert "No session will be deleted within a week" in text


def test_a_healthy_journal_needs_nothing(server: Server) -> None:
    if not aj_json(server.home, "doctor")["advice"]:
        assert "Nothing needs attention" in server.ask("/doctor").text


def test_a_path_cannot_name_a_command(own_home: Path) -> None:
    folder = own_home / "x 'aj prune --all' y"
    folder.mkdir()
    config = own_home / ".agent-journal/config.toml"
    config.write_text(f'[storage.sources]\nclaude_code = "{folder}/gone"\n')
    with serving(own_home) as server:
        text = server.ask("/doctor").text
        assert "aj prune --all" in html.unescape(text)
        assert 'data-text="aj prune' not in text


# -- all -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PLACES)
def test_every_place_is_in_the_header_and_says_where_one_is(server: Server, path: str) -> None:
    text = server.ask(path).text
    assert f'<a href="{path}" aria-current="page">' in text
    assert all(f'<a href="{other}"' in text for other in PLACES)


@pytest.mark.parametrize("path", PLACES)
def test_no_place_needs_a_journal(tmp_path: Path, path: str) -> None:
    with serving(tmp_path) as server:
        assert server.ask(path).status == 200
        assert server.ask("/file?path=x").status == 404
        assert "No session changed a file." in server.ask("/files").text


@pytest.mark.parametrize(
    "path",
    [
        "/usage?since=nonsense",
        "/usage?by=x",
        "/activity?until=nonsense",
        "/files?offset=x",
        "/file?path=x&offset=-1",
        f"/usage?agent={'a' * 1_001}",
        f"/files?q={'a' * 1_001}",
    ],
)
def test_a_wrong_address_says_what_is_wrong(server: Server, path: str) -> None:
    assert server.ask(path).status == 400


def test_hostile_text_is_text_in_every_field(tmp_path: Path) -> None:
    for number, text in enumerate(HOSTILE):
        _write_hostile(tmp_path, number, text)
    sync(tmp_path)
    paths = {file["path"] for file in aj_json(tmp_path, "stats")["items"][0]["files"]}
    assert len(paths) == 50
    with serving(tmp_path) as server:
        pages = ["/", "/?sort=cost", "/files", "/usage?since=all", "/activity", "/doctor"]
        pages += [f"/file?path={quote(path.encode('utf-8', 'replace'))}" for path in paths]
        for text in joined(HOSTILE):
            asked = quote(text.encode("utf-8", "replace"))
            pages += [f"/files?q={asked}&project={asked}", f"/activity?project={asked}"]
            pages += [f"/usage?agent={asked}&project={asked}"]
        for path in pages:
            page = server.ask(path).text
            assert "window.owned=1</script>" not in page
            assert not re.search(r"<(img|iframe|math|object|template|base|plaintext)", page)
            assert not re.search(r"<(?!svg class=\")svg", page)
            assert not re.search(r'href="(?!/|#)', page)
            assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page)


def _write_hostile(home: Path, number: int, text: str) -> None:
    """A session with a text as its title, project, branch, model, tool and file."""
    session = f"s{number}"
    more = {"cwd": f"/work/{text}", "gitBranch": text}
    said = claude_line("assistant", 1, text, session, **more)
    said["message"]["model"] = text
    call = {"type": "tool_use", "id": f"t{number}", "name": text, "input": {}}
    said["message"]["content"].append(call)
    title = {"type": "ai-title", "aiTitle": text, "sessionId": session}
    lines = [claude_line("user", 0, text, session, **more), said, title]
    lines += _written(2, f"/work/{text}", f"{text}\n", session, **more)
    path = home / f".claude/projects/-work/{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = "".join(json.dumps(line) + "\n" for line in lines)
    path.write_bytes(whole.encode("utf-8", "replace"))
