"""The table of all commands: exact screens, what narrow terminals leave out, and hostile values."""

from __future__ import annotations

import pytest

from agent_journal.cli.output import Screen, agent_colour
from agent_journal.cli.table import Cell, Column, Table
from agent_journal.text.width import display_width

_COLUMNS = (
    Column("id"),
    Column("agent", leaves=2),
    Column("project", least=8, most=24, leaves=1),
    Column("prompts", is_number=True),
    Column("title", least=20),
)
_LONG = "Why does the pool of connections run out of connections at night, and only on one host?"


def table(*titles: str) -> Table:
    made = Table(_COLUMNS)
    for number, title in enumerate(titles, 1):
        made.add(f"4f2a{number}", "claude-code", "agent-journal-of-mine", f"{number * 9}", title)
    return made


def screen(made: Table, width: int | None) -> list[str]:
    return made.lines(Screen(width, colour=False))


def test_a_wide_terminal_shows_everything() -> None:
    assert screen(table("Fix the pool", _LONG), 160) == [
        "id     agent        project                prompts  title",
        "4f2a1  claude-code  agent-journal-of-mine        9  Fix the pool",
        f"4f2a2  claude-code  agent-journal-of-mine       18  {_LONG}",
    ]


def test_a_row_is_cut_between_words() -> None:
    assert screen(table("Fix the pool", _LONG), 100)[1:] == [
        "4f2a1  claude-code  agent-journal-of-mine        9  Fix the pool",
        "4f2a2  claude-code  agent-journal-of-mine       18  "
        "Why does the pool of connections run out of…",
    ]


def test_a_narrow_terminal_leaves_columns_out() -> None:
    made = table("Fix the pool", _LONG)
    assert screen(made, 50) == [
        "id     project       prompts  title",
        "4f2a1  agent-journ…        9  Fix the pool",
        "4f2a2  agent-journ…       18  Why does the pool…",
    ]
    assert made.left_out == ["agent"]
    assert screen(made, 36) == [
        "id     prompts  title",
        "4f2a1        9  Fix the pool",
        "4f2a2       18  Why does the pool…",
    ]
    assert made.left_out == ["agent", "project"]


def test_a_pipe_gets_all_values_in_full() -> None:
    assert screen(table("x" * 500), None)[1].endswith(" " + "x" * 500)


def test_a_long_value_in_a_pipe_does_not_widen_other_rows() -> None:
    made = Table((Column("text"), Column("count", is_number=True)))
    made.add("x" * 500, "1")
    made.add("short", "22")
    assert screen(made, None) == ["text   count", "x" * 500 + "      1", "short     22"]


def test_plain_rows_are_tab_separated_and_have_no_heading() -> None:
    made = Table((Column("id"), Column("title", least=4)))
    made.add(Cell("4f2a", plain="4f2a-9c11"), Cell("one\ttwo\nthree", after="  (automated)"))
    assert made.plain_lines() == ["4f2a-9c11\tone two three (automated)"]


def test_what_follows_a_text_is_not_cut() -> None:
    made = Table((Column("title", least=10),))
    made.add(Cell("The connection limit of the pool", after="  (automated)"))
    assert screen(made, 32)[1] == "The connection…  (automated)"
    assert screen(made, 12)[1] == "The connect…"


def test_of_several_things_that_follow_a_text_the_last_one_stays() -> None:
    made = Table((Column("title", least=10),))
    made.add(Cell("The connection limit of the pool", after="  +1 sub-agent  (in a tool call)"))
    assert screen(made, 50)[1] == "The connection…  +1 sub-agent  (in a tool call)"
    assert screen(made, 34)[1] == "The connection…  (in a tool call)"
    assert screen(made, 20)[1] == "The connection…"


def test_of_a_path_the_end_stays() -> None:
    made = Table((Column("path", least=10, is_path=True),))
    made.add("/home/sam/work/src/app.py")
    assert screen(made, 16)[1] == "…/src/app.py"


_HOSTILE = (
    "検索エンジンの接続" * 9,
    "👩‍👩‍👧‍👦 family " * 9,
    "e\u0301" * 200,
    "\x1b]0;title\x07\x1b[2J\x1b[31mred " * 9,
    "one\r\ntwo\ttabs\x00\x08 " * 9,
    "\u202eright to left\u2066 " * 9,
    "x" * 1_000_000,
    "字" * 1_000_000,
    "",
)


@pytest.mark.parametrize("width", [1, 7, 20, 40, 80, 100, 160])
def test_no_row_is_wider_than_the_terminal(width: int) -> None:
    made = table(*_HOSTILE)
    made.add(*_HOSTILE[:5])
    for line in made.lines(Screen(width, colour=True)):
        bare = line.replace("\x1b[2m", "").replace("\x1b[0m", "").replace("\u200d", "")
        assert display_width(bare) <= width
        assert bare.isprintable()
        assert "\u202e" not in bare


def test_columns_stay_aligned_below_wide_letters() -> None:
    made = Table((Column("project"), Column("title")))
    made.add("検索", "one")
    made.add("Gro\u0308ße", "two")
    assert screen(made, 80) == ["project  title", "検索     one", "Gro\u0308ße    two"]


def test_headings_are_dim_and_cells_have_their_style() -> None:
    made = Table((Column("id"), Column("n", is_number=True)))
    made.add(Cell("4f2a", ("cyan",)), "1")
    made.add("sum", "2", styles=("bold",))
    assert made.lines(Screen(80, colour=True)) == [
        "\x1b[2mid\x1b[0m    \x1b[2mn\x1b[0m",
        "\x1b[36m4f2a\x1b[0m  1",
        "\x1b[1msum\x1b[0m   \x1b[1m2\x1b[0m",
    ]


def test_a_table_without_headings_or_rows() -> None:
    made = Table((Column(""), Column("")), indent="  ")
    assert screen(made, 80) == []
    made.add("a", "b")
    assert screen(made, 80) == ["  a  b"]


def test_a_list_for_programs_has_no_heading_in_a_pipe() -> None:
    made = Table((Column("id"),), has_piped_head=False)
    made.add("4f2a")
    assert screen(made, None) == ["4f2a"]
    assert screen(made, 80) == ["id", "4f2a"]


def test_an_agent_always_has_the_same_colour() -> None:
    assert agent_colour("claude-code") == "bright_yellow"
    assert agent_colour("my-own") == agent_colour("my-own") == "red"
