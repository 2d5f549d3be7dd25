"""How `aj usage` looks: on a terminal, in a pipe, as plain values; and the words it takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agent_journal.cli.spoken_times import join_times
from agent_journal.text.human import compact_count
from agent_journal.text.width import display_width
from tests.support.journals import aj, aj_json
from tests.support.terminals import on_terminal
from tests.support.usage_homes import answer, claude, priced

_STYLE = re.compile(r"\x1b\[[0-9;]*m")


def _home(home: Path, days: int = 3, model: str = "model-a") -> None:
    """One response a day: a million tokens of input for 2 dollars, and 100 of output."""
    priced(home)
    usage = {"input_tokens": 1_000_000, "output_tokens": 100}
    lines = [
        answer(day, usage, model, timestamp=f"2026-03-{day:02d}T12:00:00.000Z")
        for day in range(1, days + 1)
    ]
    claude(home, "s1", lines)
    assert aj(home, "sync", "--no-index").returncode == 0


def _screen(home: Path, *args: str, columns: int) -> list[str]:
    seen = on_terminal(home, "usage", *args, columns=columns, lines=40, TZ="UTC")
    return [_STYLE.sub("", line) for line in seen.splitlines()]


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("group", ["daily", "session", "model", "project", "agent"])
def test_no_line_is_wider_than_the_terminal(tmp_path: Path, group: str, columns: int) -> None:
    _home(tmp_path, model="provider/a-model-with-quite-a-long-name-that-nobody-prices")
    lines = _screen(tmp_path, group, columns=columns)
    assert lines
    assert all(display_width(line) <= columns for line in lines if not line.startswith("no price"))


def test_models_are_told_apart_on_a_narrow_terminal(tmp_path: Path) -> None:
    priced(tmp_path)
    names = ("claude-sonnet-4-5", "claude-sonnet-4-6", "gpt-5.3-codex-spark")
    usage = {"input_tokens": 1_000_000, "output_tokens": 100}
    claude(tmp_path, "s1", [answer(day, usage, name) for day, name in enumerate(names, 1)])
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    shown = [line.split()[0] for line in _screen(tmp_path, "model", columns=74)]
    assert set(names) <= set(shown)


def test_on_a_terminal_numbers_are_short_and_cost_comes_first(tmp_path: Path) -> None:
    _home(tmp_path, days=2)
    head, first, _, total = _screen(tmp_path, columns=80)
    assert head.split() == ["day", "cost", "tokens", "input", "output", "models"]
    assert first.split() == ["2026-03-01", "$2.00", "████████", "1.0M", "1.0M", "100", "model-a"]
    assert total.split() == ["total", "$4.00", "2.0M", "2.0M", "200"]


def test_what_is_shown_and_what_there_is_are_both_added_up(tmp_path: Path) -> None:
    _home(tmp_path, days=5)
    lines = aj(tmp_path, "usage", "-n", "2").stdout.splitlines()
    shown, everything = lines[-2:]
    assert shown.split()[:4] == ["2", "shown", "$4.00", "2,000,200"]
    assert everything.split()[:4] == ["all", "5", "$10.01", "5,000,500"]  # 10.005 dollars


def test_a_pipe_has_every_line_and_every_digit(tmp_path: Path) -> None:
    _home(tmp_path, days=28)
    home = tmp_path / "more"
    home.mkdir()
    priced(home)
    usage = {"input_tokens": 1_234_567, "output_tokens": 0}
    days = [f"2026-{month:02d}-{day:02d}" for month in (3, 4) for day in range(1, 29)]
    lines = [answer(number, usage, timestamp=f"{day}T12:00:00Z") for number, day in enumerate(days)]
    claude(home, "s1", lines)
    assert aj(home, "sync", "--no-index").returncode == 0
    printed = aj(home, "usage").stdout.splitlines()
    assert len(printed) == 56 + 2  # head and total
    assert "1,234,567" in printed[1]
    assert "█" not in printed[1]


def test_plain_values_are_exact(tmp_path: Path) -> None:
    _home(tmp_path, days=2)
    rows = aj(tmp_path, "usage", "--plain").stdout.splitlines()
    day = ["2026-03-01", "2.001000", "1000100", "1000000", "100", "?", "?", "model-a"]
    assert rows[0].split("\t") == day
    assert len(rows) == 2  # a sum would be added twice


def test_a_cost_that_is_not_known_is_no_number(tmp_path: Path) -> None:
    _home(tmp_path, days=1, model="model-c")
    assert aj(tmp_path, "usage", "--plain").stdout.split("\t")[1] == "?"
    assert aj(tmp_path, "usage").stdout.splitlines()[-1].split()[:2] == ["total", "?"]


@pytest.mark.parametrize(
    ("word", "group"),
    [("day", "daily"), ("week", "weekly"), ("Month", "monthly"), ("sessions", "session")],
)
def test_other_words_for_a_report_work(tmp_path: Path, word: str, group: str) -> None:
    _home(tmp_path)
    assert aj_json(tmp_path, "usage", word)["group"] == group


def test_an_unknown_report_is_answered_with_the_nearest(tmp_path: Path) -> None:
    done = aj(tmp_path, "usage", "dayly")
    assert done.returncode == 2
    assert "no report 'dayly'; did you mean 'daily'?" in done.stderr
    assert "weekly" in done.stderr


def test_times_of_several_words_need_no_quotation_marks(tmp_path: Path) -> None:
    _home(tmp_path)
    done = aj(tmp_path, "usage", "monthly", "--since", "last", "month", "--until", "today")
    assert (done.returncode, done.stdout) == (0, "")
    assert join_times(["--since", "last", "month", "day"]) == ["--since", "last month", "day"]
    assert join_times(["--since", "3", "days", "ago", "day"]) == ["--since", "3 days ago", "day"]
    assert join_times(["--since", "monday", "weekly"]) == ["--since", "monday", "weekly"]
    assert join_times(["--since", "nonsense", "day"]) == ["--since", "nonsense", "day"]
    assert join_times(["--since"]) == ["--since"]


def test_a_time_leaves_the_words_of_a_query_alone(tmp_path: Path) -> None:
    _home(tmp_path)
    for command in ("ls", "search"):
        done = aj(tmp_path, command, "question", "--since", "last", "month", "--json")
        assert done.returncode == 0, done.stdout
    assert aj(tmp_path, "stats", "--since", "last", "month").returncode == 0
    joined = join_times(["--since", "last", "month", "docker"], beside_words=True)
    assert joined == ["--since", "last month", "docker"]
    words = ["--since", "2026-01", "12"]
    assert join_times(words, beside_words=True) == words


def test_plain_rows_have_whole_ids_and_folders(tmp_path: Path) -> None:
    _home(tmp_path, days=1)
    row = aj_json(tmp_path, "ls")["items"][0]
    assert aj(tmp_path, "usage", "session", "--plain").stdout.split("\t")[0] == row["id"]
    folder = aj(tmp_path, "usage", "project", "--plain").stdout.split("\t")[0]
    assert folder == row["project_path"]


def test_counts_are_short() -> None:
    counts = {
        None: "?",
        0: "0",
        999: "999",
        1_000: "1.0K",
        1_234: "1.2K",
        99_949: "99.9K",
        99_950: "100K",
        999_499: "999K",
        999_500: "1.0M",
        1_234_567_890: "1.2B",
        5 * 10**12: "5.0T",
    }
    assert {number: compact_count(number) for number in counts} == counts
