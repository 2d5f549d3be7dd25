"""The page that leads to many sessions, and what `aj export` says of its own doing."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.support.journals import aj, write_claude
from tests.support.paths import CASES

SUB_AGENTS = CASES / "claude_code/subagents/home"


def test_the_index_says_what_its_pages_say(tmp_path: Path) -> None:
    shutil.copytree(SUB_AGENTS, tmp_path, dirs_exist_ok=True)
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    (tmp_path / ".agent-journal/config.toml").write_text(
        '[pricing."claude-opus-5-5"]\ninput = 1000\noutput = 10\n'
    )
    out = tmp_path / "out"
    assert aj(tmp_path, "export", "--all", "-f", "html", "-o", str(out)).returncode == 0
    index = (out / "index.html").read_text()
    entries = re.findall(r'<li><a href="([^"]+)".*?<span class="meta">(.*?)</span></li>', index)
    assert len(entries) > 1
    for name, facts in entries:
        page = (out / name).read_text()
        cost = re.findall(r"<dt>Cost</dt><dd>(.*?)</dd>", page)[0]
        tokens = re.findall(r"<dt>Tokens</dt><dd>(.*?)</dd>", page)[0]
        tokens = re.sub("<[^>]+>", "", tokens).replace(" · ", ", ")
        assert cost == "unknown" or f" · {cost}" in facts
        assert tokens == "unknown" or tokens in facts
        assert '<a href="index.html">← All sessions</a>' in page
    assert any("$" in facts for _, facts in entries)


def test_a_page_alone_leads_to_no_index(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    assert "index.html" not in aj(tmp_path, "export", "last", "-f", "html", "-o", "-").stdout


def test_the_index_names_its_query_and_is_in_order(tmp_path: Path) -> None:
    for number in range(3):
        write_claude(tmp_path, f"s{number}", count=2 + number)
    aj(tmp_path, "sync", "--no-index")
    out = tmp_path / "out"
    args = (
        "export",
        "--all",
        "agent:claude-code",
        "--project",
        "app",
        "-f",
        "html",
        "-o",
        str(out),
    )
    assert aj(tmp_path, *args).returncode == 0
    index = (out / "index.html").read_text()
    assert "Found by <code>agent:claude-code project:app</code>." in index
    times = re.findall(r'last active <time datetime="([^"]+)"', index)
    assert len(times) == 3
    assert times in (sorted(times), sorted(times, reverse=True))


@pytest.mark.parametrize("name", ["foo.pdf", "a.txt", "x.docx"])
def test_unknown_suffixes_are_refused(tmp_path: Path, name: str) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    done = aj(tmp_path, "export", "last", "-o", str(tmp_path / name))
    assert done.returncode == 2
    assert ".html" in done.stderr
    assert ".ndjson" in done.stderr
    assert not (tmp_path / name).exists()
    assert aj(tmp_path, "export", "last", "-f", "md", "-o", str(tmp_path / name)).returncode == 0


def test_suffixes_that_are_known(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    assert aj(tmp_path, "export", "last", "-o", str(tmp_path / "x.ndjson")).returncode == 0
    assert len((tmp_path / "x.ndjson").read_text().splitlines()) > 1
    assert aj(tmp_path, "export", "last", "-o", str(tmp_path / "bare")).returncode == 0
    assert (tmp_path / "bare").read_text().startswith("<!doctype")
    env = {"AJ_EXPORT_DEFAULT_FORMAT": "md"}
    assert aj(tmp_path, "export", "last", "-o", "-", env=env).stdout.startswith("---")


def test_calls_that_are_left_out_are_reported_everywhere(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    env = {"AJ_EXPORT_INCLUDE_TOOL_CALLS": "no"}
    for form in ("html", "md", "json"):
        path = tmp_path / f"a.{form}"
        done = aj(tmp_path, "export", "last", "-o", str(path), env=env)
        assert "tool calls removed" in done.stderr
        text = path.read_text()
        assert 'data-filter="tool"' not in text
    head = (tmp_path / "a.md").read_text().split("\n---\n")[0]
    left = next(line for line in head.splitlines() if line.startswith("left_out: "))
    assert "tool calls" in json.loads(left.partition(": ")[2])[0]


def test_an_unknown_filter_is_named(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    done = aj(tmp_path, "export", "--all", "bogus:1", "-o", str(tmp_path / "o"))
    assert done.returncode == 2
    assert "bogus: is not a filter" in done.stderr
    assert "project" in done.stderr
    other = aj(tmp_path, "export", "--all", "nowherewords", "-o", str(tmp_path / "o"))
    assert "the journal holds 1" in other.stderr
