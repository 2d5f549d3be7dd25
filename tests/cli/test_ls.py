"""`aj ls`: exact screens at several widths, orders, ids that find their session, plain rows."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from agent_journal.demo import write_demo_home
from agent_journal.query.filters import Query
from agent_journal.store.catalog.compact_ids import compact_ids
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.text.dates import parse_bound
from agent_journal.text.width import display_width
from tests.support.journals import aj, aj_json, claude_line, open_journal
from tests.support.terminals import on_terminal

_POOL = "0190aaaa-bb01-7ccc-8ddd-000000000001"
_NIGHT = "0190aaaa-bb02-7ccc-8ddd-000000000002"
_TREES = "4f2a9c11-0000-4000-8000-000000000003"
_HOSTILE = "9d81e6f0-0000-4000-8000-000000000004"


def _write(home: Path, session: str, title: str, day: int, answers: int = 1, **more: Any) -> None:
    """Writes a session that lasts `answers` minutes, on a day of May 2025."""
    lines = []
    for number in range(2 * answers):
        role = ("user", "assistant")[number % 2]
        text = title if number == 0 else f"part {number}"
        line = claude_line(role, number, text, session, **more)
        line["timestamp"] = f"2025-05-{day:02d}T09:{number:02d}:00.000Z"
        lines.append(json.dumps(line))
    path = home / ".claude/projects/-work-app" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    _write(tmp_path, _POOL, "Why does the pool run out of connections at night on one host?", 9)
    _write(
        tmp_path,
        _NIGHT,
        "検索エンジンの接続制限を調べて、夜間だけ起きる理由を説明して",
        8,
        answers=3,
    )
    _write(tmp_path, _TREES, "👩‍💻 Trees", 7, answers=2, cwd="/work/a-very-long-name-of-a-project")
    _write(tmp_path, _HOSTILE, "\x1b[2J\u202eevil\ttitle\nof two lines", 6)
    aj(tmp_path, "sync")
    return tmp_path


def _screen(home: Path, *args: str, columns: int) -> list[str]:
    shown = on_terminal(home, *args, columns=columns, lines=40, NO_COLOR="1", TZ="UTC")
    return shown.splitlines()


def test_80_columns(home: Path) -> None:
    assert _screen(home, "ls", columns=80) == [
        "id             active      project     prompts  title",
        "0190aaaa-bb01  2025-05-09  app               1  Why does the pool run out of…",
        "0190aaaa-bb02  2025-05-08  app               3  検索エンジンの接続制限を調べて…",
        "4f2a9c11       2025-05-07  a-very-lo…        2  👩‍💻 Trees",
        "9d81e6f0       2025-05-06  app               1  evil title of two lines",
    ]


def test_100_columns(home: Path) -> None:
    assert _screen(home, "ls", "--project", "app", columns=100) == [
        "id             active      agent        project  prompts    cost  title",
        "0190aaaa-bb01  2025-05-09  claude-code  app            1  <$0.01  "
        "Why does the pool run out of…",
        "0190aaaa-bb02  2025-05-08  claude-code  app            3  <$0.01  "
        "検索エンジンの接続制限を調べて、…",
        "9d81e6f0       2025-05-06  claude-code  app            1  <$0.01  evil title of two lines",
    ]


def test_160_columns(home: Path) -> None:
    assert _screen(home, "ls", "-n", "3", columns=160) == [
        "id             active      agent        project               prompts    cost  title",
        "0190aaaa-bb01  2025-05-09  claude-code  app                         1  <$0.01  "
        "Why does the pool run out of connections at night on one host?",
        "0190aaaa-bb02  2025-05-08  claude-code  app                         3  <$0.01  "
        "検索エンジンの接続制限を調べて、夜間だけ起きる理由を説明して",
        "4f2a9c11       2025-05-07  claude-code  a-very-long-name-of…        2  <$0.01  👩‍💻 Trees",
        "3 of 4 sessions; -n 4 shows all",
    ]


@pytest.mark.parametrize("columns", [20, 47, 80, 100, 160])
def test_no_line_wraps_however_long_ids_are(home: Path, columns: int) -> None:
    for number in range(2):
        _write(home, f"{'the-same-beginning-' * 6}{number}", "字" * 500, 5)
    aj(home, "sync")
    for line in _screen(home, "ls", "--all", columns=columns):
        assert display_width(line) <= columns


def test_a_pipe_has_everything_in_full_without_a_heading(home: Path) -> None:
    assert aj(home, "ls", "-n", "3", env={"TZ": "UTC"}).stdout.splitlines() == [
        "0190aaaa-bb01  2025-05-09  claude-code  app                            1  "
        "Why does the pool run out of connections at night on one host?",
        "0190aaaa-bb02  2025-05-08  claude-code  app                            3  "
        "検索エンジンの接続制限を調べて、夜間だけ起きる理由を説明して",
        "4f2a9c11       2025-05-07  claude-code  a-very-long-name-of-a-project  2  👩‍💻 Trees",
    ]


def test_plain_rows(home: Path) -> None:
    rows = [line.split("\t") for line in aj(home, "ls", "--plain").stdout.splitlines()]
    assert rows[1][:7] == [
        _NIGHT,
        "2025-05-08T09:05:00Z",
        "claude-code",
        "/work/app",
        "3",
        "6",
        "0.000480",
    ]
    assert rows[3][7:] == ["", "evil title of two lines"]


def test_colours_are_only_on_a_terminal_that_has_them(home: Path) -> None:
    shown = on_terminal(home, "ls", "-n", "1", columns=80)
    assert "\x1b[2mtitle\x1b[0m" in shown
    assert "\x1b[36m0190aaaa-bb01\x1b[0m" in shown
    wide = on_terminal(home, "ls", "-n", "1", columns=120)
    assert "\x1b[93mclaude-code\x1b[0m" in wide
    assert "\x1b" not in on_terminal(home, "ls", columns=80, TERM="dumb")


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("newest", [_POOL, _NIGHT, _TREES, _HOSTILE]),
        ("oldest", [_HOSTILE, _TREES, _NIGHT, _POOL]),
        ("cost", [_NIGHT, _TREES, _POOL, _HOSTILE]),
        ("messages", [_NIGHT, _TREES, _POOL, _HOSTILE]),
        ("longest", [_NIGHT, _TREES, _POOL, _HOSTILE]),
    ],
)
def test_orders(home: Path, order: str, expected: list[str]) -> None:
    assert [item["id"] for item in aj_json(home, "ls", "--sort", order)["items"]] == expected
    found = aj_json(home, "ls", "part", "--sort", order, "-n", "1")["items"]
    assert found[0]["id"] == expected[0]


@pytest.mark.parametrize(
    ("order", "heading", "first"),
    [("cost", "cost", "<$0.01"), ("messages", "messages", "6"), ("longest", "length", "5 min")],
)
def test_what_a_list_is_sorted_by_is_shown(
    home: Path, order: str, heading: str, first: str
) -> None:
    head, line, *_ = _screen(home, "ls", "--sort", order, columns=80)
    assert heading in head.split()
    assert f"  {first}  " in line


def test_a_session_without_a_time_is_not_the_oldest(home: Path) -> None:
    line = claude_line("user", 0, "When was this?", "timeless")
    del line["timestamp"]
    path = home / ".claude/projects/-work-app/timeless.jsonl"
    path.write_text(json.dumps(line) + "\n")
    aj(home, "sync")
    for args in (["--sort", "oldest"], ["sort:oldest"]):
        listed = aj_json(home, "ls", *args)["items"]
        assert [row["id"] for row in listed][-1] == "timeless"
        assert listed[0]["id"] == _HOSTILE


def test_an_unknown_cost_is_no_zero(home: Path) -> None:
    _write(home, "unpriced", "What is this model", 4)
    path = home / ".claude/projects/-work-app/unpriced.jsonl"
    path.write_text(path.read_text().replace("claude-opus-5-5", "nobody-knows-1"))
    aj(home, "sync")
    shown = _screen(home, "ls", "--sort", "cost", columns=100)
    assert "     ?  What is this model" in shown[-1]
    assert aj(home, "ls", "--plain", "--sort", "cost").stdout.splitlines()[-1].split("\t")[6] == "?"


def test_all_means_all(tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), parse_bound("now"))
    for number in range(30):
        _write(tmp_path, f"more-{number}", "One more", 3)
    aj(tmp_path, "sync")
    shown = _screen(tmp_path, "ls", columns=80)
    assert len(shown) == 22  # a heading, 20 sessions, and how many there are
    total = aj_json(tmp_path, "ls", "--all")["page"]["total"]
    assert total == 30 + 22
    everything = _screen(tmp_path, "ls", "--all", columns=80)
    assert len(everything) == 1 + total  # also after the pager
    assert len(_screen(tmp_path, "ls", "--all", "-n", "5", columns=80)) == 1 + 5 + 1


def test_every_short_id_finds_its_session(tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), parse_bound("now"))
    for number in (1, 12, 123):
        _write(tmp_path, f"the-same-beginning-{number}", "Nearly the same", 3)
    aj(tmp_path, "sync")
    short = [line.split()[0] for line in aj(tmp_path, "ls", "--all").stdout.splitlines()]
    with open_journal(tmp_path) as journal:
        rows = journal.rows(Query(include_all=True))
        assert [journal.row(name).row_id for name in short] == [row.row_id for row in rows]
    assert {len(name) for name in short} == {8, 20, 21, 22}


def test_a_session_that_two_agents_have_is_named_with_the_agent(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "journal.db")
    db.execute("CREATE TABLE sessions (agent, uid, parent_uid, is_known)")
    rows = [("codex", _POOL, None), ("claude-code", _POOL, None), ("codex", "p/a", _POOL)]
    db.executemany("INSERT INTO sessions VALUES (?, ?, ?, 1)", rows)
    empty = [None] * len(SessionRow._fields)
    listed = [
        SessionRow(*empty)._replace(agent=agent, id=uid, parent_id=parent)  # type: ignore[arg-type]
        for agent, uid, parent in rows
    ]
    assert compact_ids(db, listed) == [f"codex:{_POOL}", f"claude-code:{_POOL}", "a"]
    db.close()


def test_json_or_plain(home: Path) -> None:
    done = aj(home, "ls", "--plain", "--json")
    assert done.returncode == 2
    assert "give --json or --plain, not both" in done.stdout + done.stderr
