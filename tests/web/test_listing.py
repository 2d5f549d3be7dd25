"""The list: chips, sorts, marks, what becomes of files, and what it says when it is empty."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import time
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from tests.support.journals import (
    aj,
    aj_json,
    flip_a_byte_of_the_archive,
    sync,
    write_claude,
)
from tests.support.pages import HOSTILE
from tests.support.servers import Server, serving

FLAKY = "818f4c1f-2fdb-4ceb-a888-1b39e27782d8"
DAY = 86_400


def ids(text: str) -> list[str]:
    """The ids of the sessions of a list, in their order."""
    return re.findall(r'class="title" href="/s/[^/"]+/([^"?]+)', text)


def chip(text: str, word: str) -> str:
    """The address of the chip with a word."""
    found = re.search(rf'<a class="chip" href="([^"]+)"[^>]*>{re.escape(word)}[ <]', text)
    assert found, word
    return html.unescape(found[1])


@pytest.mark.parametrize("order", ["newest", "oldest", "cost", "messages", "longest"])
def test_a_list_can_be_sorted_as_ls_sorts_it(server: Server, order: str) -> None:
    listed = aj_json(server.home, "ls", "--sort", order)["items"]
    assert ids(server.ask(f"/?sort={order}").text) == [quote(item["id"]) for item in listed]


@pytest.mark.parametrize(
    "query",
    [
        "agent:codex",
        "-agent:codex",
        "agent:codex OR agent:gemini",
        "project:relay is:edited",
        "has:error",
        "messages:>5",
        "cost:>0.02",
        "model:claude*",
        "is:starred",
        "is:unfinished",
        "branch:main -has:error",
    ],
)
def test_a_query_about_sessions_lists_the_sessions_of_ls(server: Server, query: str) -> None:
    listed = aj_json(server.home, "ls", *query.split())["items"]
    text = server.ask(f"/?q={quote(query)}").text
    assert ids(text) == [quote(item["id"]) for item in listed]
    assert "<mark>" not in text


def test_times_mean_sessions_that_were_active_then(server: Server) -> None:
    listed = aj_json(server.home, "ls", "--since", "3d")["items"]
    assert 0 < len(listed) < 18
    assert ids(server.ask("/?q=since:3d").text) == [quote(item["id"]) for item in listed]
    assert ids(server.ask("/?since=3d").text) == [quote(item["id"]) for item in listed]


def test_sessions_with_words_can_be_sorted_too(server: Server) -> None:
    listed = aj_json(server.home, "ls", "--sort", "cost", "retry")["items"]
    assert len(listed) > 1
    text = server.ask("/?q=retry&sort=cost").text
    assert ids(text) == [quote(item["id"]) for item in listed]


def test_hits_can_be_sorted_by_time(server: Server) -> None:
    for order in ("newest", "oldest"):
        hits = aj_json(server.home, "search", "the", f"sort:{order}", "-n", "50")["items"]
        wanted = [quote(hit["session"].partition(":")[2]) for hit in hits if "session" in hit]
        assert len(wanted) > 5
        assert ids(server.ask(f"/?q=the&sort={order}").text) == wanted


def test_a_chip_narrows_is_pressed_and_removes_itself(server: Server) -> None:
    whole = server.ask("/?q=retry").text
    narrowed = server.ask(chip(whole, "changed files")).text
    assert 'value="retry is:edited"' in narrowed
    assert re.search(r'aria-current="true"[^>]*>changed files', narrowed)
    back = chip(narrowed, "changed files")
    assert parse_qs(urlsplit(back).query) == {"q": ["retry"]}


def test_every_condition_of_a_query_is_a_chip(server: Server) -> None:
    text = server.ask(f"/?q={quote('retry agent:codex -has:error date:7d..')}").text
    pressed = re.findall(r'aria-current="true" title="[^"]*">([^<]+?) <span', text)
    assert pressed == ["agent:codex", "not with errors", "last 7 days"]


def test_parameters_become_parts_of_the_query(server: Server) -> None:
    text = server.ask("/?q=retry&agent=codex&project=relay").text
    assert 'value="retry agent:codex project:relay"' in text
    assert ids(text) == ids(server.ask("/?q=retry+agent:codex+project:relay").text)


def test_a_menu_narrows_replaces_and_takes_away(server: Server) -> None:
    def narrow(query: str, by: str) -> str:
        got = server.ask(f"/narrow?q={quote(query)}&by={quote(by)}&sort=cost")
        assert got.status == 303
        asked = parse_qs(urlsplit(got.headers["location"]).query)
        assert asked["sort"] == ["cost"]
        return asked.get("q", [""])[0]

    assert narrow("retry", "agent:codex") == "retry agent:codex"
    assert narrow("agent:gemini retry", "agent:codex") == "retry agent:codex"
    assert narrow("retry agent:codex", "agent:codex") == "retry"
    assert narrow("agent:codex", "agent:codex") == ""
    assert narrow("is:starred", "is:edited") == "is:starred is:edited"
    assert narrow("date:7d..", "date:30d..") == "date:30d.."


@pytest.mark.parametrize("by", ["", "word", "agent:a OR agent:b", '"'])
def test_only_a_field_narrows(server: Server, by: str) -> None:
    assert server.ask(f"/narrow?by={quote(by)}").status == 400


def test_the_menus_count_what_ls_counts(server: Server) -> None:
    text = server.ask("/").text
    for agent in ("codex", "claude-code"):
        total = aj_json(server.home, "ls", "--agent", agent)["page"]["total"]
        assert f'>{agent} <span class="meta">{total}</span>' in text
    total = aj_json(server.home, "ls", "--project", "orchard-api")["page"]["total"]
    assert f'>orchard-api <span class="meta">{total}</span>' in text
    # `relay` is a part of the names of two projects
    assert re.search(r'by=project%3A[^"]+relay">[^<]+/relay <', text)


def test_stars_and_tags_are_shown(own_home: Path) -> None:
    assert aj(own_home, "star", "818f4c1f").returncode == 0
    assert aj(own_home, "tag", "818f4c1f", "flaky", "ci").returncode == 0
    with serving(own_home) as server:
        text = server.ask("/?q=is:starred").text
        assert ids(text) == [FLAKY]
        assert 'aria-label="starred">★</span> Flaky retry test' in text
        assert '<span class="tag">#ci</span> <span class="tag">#flaky</span>' in text
        assert ids(server.ask("/?q=tag:flaky").text) == [FLAKY]


def test_the_last_word_may_go_on_while_somebody_types(server: Server) -> None:
    assert "<mark>jitter</mark>" in server.ask("/results?q=jitt&mode=lexical&typing=1").text
    assert "<mark>jitter</mark>" in server.ask("/results?q=jitt&mode=hybrid&typing=1").text
    assert FLAKY not in ids(server.ask("/results?q=jitt&mode=lexical&sort=newest").text)
    both = server.ask("/results?q=retry+jitt&mode=lexical&typing=1").text
    assert ids(both)[0] == FLAKY


def test_an_unfinished_query_is_a_remark_in_its_place(server: Server) -> None:
    got = server.ask("/results?q=cost%3A%3Ex")
    assert got.status == 200  # a browser would complain of anything else
    assert got.text.startswith('<p class="remark"')
    assert "use cost:&gt;5 (dollars)" in got.text
    assert "<html" not in got.text


def test_a_wrong_query_stays_in_the_box(server: Server) -> None:
    got = server.ask("/?q=retry+cost%3A%3Ex")
    assert got.status == 400
    assert 'value="retry cost:&gt;x"' in got.text
    assert "'cost:' cannot be '>x'; use cost:>5 (dollars)" in html.unescape(got.text)
    assert 'id="results"' in got.text


def test_nothing_found_says_what_to_do(server: Server) -> None:
    text = server.ask("/?q=zzzqqq+agent:codex").text
    assert "Nothing matches" in text
    assert 'href="/?q=zzzqqq">Search all sessions for zzzqqq' in text
    assert "Take away a condition" in server.ask("/?q=agent:codex+agent:gemini").text
    assert "migrat*" in server.ask("/?q=zzzqqq").text


def test_an_empty_journal_says_what_to_do(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        got = server.ask("/")
        assert got.status == 200
        assert "The journal is empty" in got.text
        assert 'data-text="aj sync"' in got.text
        assert server.ask("/?q=retry").status == 200
        assert server.ask("/?q=has:error&sort=cost").status == 200


def test_a_journal_whose_index_is_gone_says_how_to_rebuild_it(own_home: Path) -> None:
    shutil.rmtree(own_home / ".agent-journal/index")
    with serving(own_home) as server:
        for path in ("/", "/?q=retry", "/files", "/usage", "/activity", "/doctor"):
            got = server.ask(path)
            assert got.status == 500
            assert "rebuilds it from the archive" in got.text


def test_without_a_search_index_the_list_still_works(own_home: Path) -> None:
    for folder in (own_home / ".agent-journal/index").glob("lexical*"):
        shutil.rmtree(folder)
    with serving(own_home) as server:
        assert len(ids(server.ask("/").text)) == 20
        assert ids(server.ask("/?q=agent:codex").text)
        for query in ("retry", "has:error", "retry&sort=cost"):
            got = server.ask(f"/?q={query}")
            assert got.status == 200
            assert "there is no search index yet" in got.text


def _home_with_old_file(home: Path, days: float) -> Path:
    """A session whose file Claude Code deletes after ten days, and which is so old."""
    path = write_claude(home)
    (home / ".claude/settings.json").write_text(json.dumps({"cleanupPeriodDays": 10}))
    old = time.time() - days * DAY
    os.utime(path, (old, old))
    sync(home)
    return path


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (1, ""),
        (6.5, "deleted by its agent in 3 days, kept here"),
        (8.5, "deleted by its agent in 1 day, kept here"),
        (9.5, "deleted by its agent within a day, kept here"),
        (40, "deleted by its agent within a day, kept here"),
    ],
)
def test_the_list_says_when_an_agent_deletes_a_session(
    tmp_path: Path, days: float, said: str
) -> None:
    _home_with_old_file(tmp_path, days)
    with serving(tmp_path) as server:
        assert re.findall(r'class="fate">([^<]+)<', server.ask("/").text) == [said][: bool(said)]


def test_the_list_says_what_only_the_journal_has(tmp_path: Path) -> None:
    path = _home_with_old_file(tmp_path, 1)
    path.unlink()
    sync(tmp_path)
    with serving(tmp_path) as server:
        assert ">gone from disk, kept here<" in server.ask("/").text
        assert ">gone from disk, kept here<" in server.ask("/?q=text").text


def test_what_the_archive_has_lost_is_not_called_kept(tmp_path: Path) -> None:
    path = _home_with_old_file(tmp_path, 1)
    path.unlink()
    sync(tmp_path)
    flip_a_byte_of_the_archive(tmp_path)
    assert aj(tmp_path, "verify").returncode != 0
    with serving(tmp_path) as server:
        assert "kept here" not in server.ask("/").text


def test_hostile_conditions_are_text(server: Server) -> None:
    for text in HOSTILE:
        asked = quote(text.encode("utf-8", "replace"))
        for path in (f"/?q=project:{asked}", f"/?project={asked}&sort=cost", f"/narrow?by={asked}"):
            page = server.ask(path).text
            assert "window.owned=1</script>" not in page
            assert "<img" not in page
            assert "<iframe" not in page
            assert not re.search(r'href="(?!/|#)', page)


def test_a_hit_without_a_session_says_whose_it_is(tmp_path: Path) -> None:
    line = {"display": "the ibex line", "timestamp": 1762768800000, "project": "/work/shop"}
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/history.jsonl").write_text(json.dumps(line) + "\n")
    sync(tmp_path)
    with serving(tmp_path) as server:
        text = server.ask("/?q=ibex").text
    assert '<span class="title">Prompt history</span>' in text
    assert '<span class="meta">claude-code · shop · 2025-11-10</span>' in text
