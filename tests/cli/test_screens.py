"""Commands that print rows, on terminals of several widths, and in pipes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agent_journal.text.width import display_width
from tests.support.journals import aj
from tests.support.terminals import on_terminal

_COMMANDS = (
    (),
    ("ls", "--all"),
    ("stats",),
    ("sources",),
    ("sources", "--files"),
    ("config", "show"),
    ("search", "--no-sync", "retry"),
    ("show", "last"),
    ("show", "last", "--depth", "all"),
    ("sql", "--no-sync", "FROM sessions"),
)


@pytest.fixture(scope="module", autouse=True)
def tables(demo: Path) -> None:
    """What the first `aj sql` says is not part of a screen."""
    aj(demo, "sql", "--no-sync", "SELECT 1")


@pytest.mark.parametrize("args", _COMMANDS, ids=" ".join)
@pytest.mark.parametrize("columns", [80, 100, 160])
def test_every_screen_fits(demo: Path, args: tuple[str, ...], columns: int) -> None:
    shown = on_terminal(demo, *args, columns=columns, lines=50)
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in shown.split("\r\n")]
    assert len(lines) > 3
    for line in lines:
        assert line.isprintable()
        assert display_width(line) <= columns, line


@pytest.mark.parametrize("args", _COMMANDS, ids=" ".join)
def test_no_colour_and_nothing_cut_in_a_pipe(demo: Path, args: tuple[str, ...]) -> None:
    shown = aj(demo, *args).stdout
    assert "\x1b" not in shown
    if "show" not in args and "search" not in args:
        assert "…" not in shown


_QUERY = """
    SELECT * FROM (VALUES
        (1, 'Why does the pool of connections run out at night on one of the hosts?', 0.5, NULL),
        (20, E'検索エンジン\\tの接続\\n制限', 12345.678901, 'x')
    ) t(n, title, cost, note)
"""


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (
            60,
            [
                " n  title                                         cost  note",
                " 1  Why does the pool of connections…              0.5",
                "20  検索エンジン の接続 制限              12345.678901  x",
                "2 rows",
            ],
        ),
        (
            30,
            [
                " n  title                 cost",
                " 1  Why does…              0.5",
                "20  検索エンジ…   12345.678901",
                "1 column of 4 left out;",
                "--plain prints all of them",
                "2 rows",
            ],
        ),
    ],
)
def test_rows_of_a_query_fit(demo: Path, columns: int, expected: list[str]) -> None:
    shown = on_terminal(demo, "sql", "--no-sync", _QUERY, columns=columns, NO_COLOR="1")
    assert shown.splitlines() == expected


def test_plain_rows_of_a_query(demo: Path) -> None:
    for shown in (
        aj(demo, "sql", "--no-sync", "--plain", _QUERY).stdout,
        on_terminal(demo, "sql", "--no-sync", "--plain", _QUERY, columns=30)
        .replace("\r\n", "\n")
        .removesuffix("2 rows\n"),
    ):
        assert shown == (
            "1\tWhy does the pool of connections run out at night on one of the hosts?\t0.5\t\n"
            "20\t検索エンジン の接続 制限\t12345.678901\tx\n"
        )


def test_plain_lists_have_tabs_and_no_heading(demo: Path) -> None:
    settings = aj(demo, "config", "show", "--plain").stdout.splitlines()
    assert "search.max_results\t20\tdefault" in settings
    folders = aj(demo, "sources", "--plain", "--agent", "codex").stdout.splitlines()
    assert folders == [f"codex\t{demo}/.codex"]
    (file,) = aj(demo, "sources", "--plain", "--files", "--agent", "codex").stdout.splitlines()
    agent, path, role, size, remarks = file.split("\t")
    assert (agent, role, remarks) == ("codex", "log", "")
    assert Path(path).stat().st_size == int(size)


def test_an_agent_has_its_colour_everywhere(demo: Path) -> None:
    for args in ((), ("ls",), ("search", "--no-sync", "retry")):
        assert "\x1b[93mclaude-code\x1b[0m" in on_terminal(demo, *args, columns=120, lines=50), args
