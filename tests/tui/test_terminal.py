"""The terminal UI in a real terminal: sizes, suspending, pasting, colours, and hostile text."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import is_required
from tests.support.journals import aj, claude_line, variables
from tests.support.tmux import ADVICE, Terminal, find_tmux, program

pytestmark = pytest.mark.skipif(find_tmux() is None and not is_required(), reason=ADVICE)
FLAKY = "Flaky retry test"
HINTS = "Enter read"


@pytest.fixture
def terminal(demo_home: Path) -> Iterator[Terminal]:
    with Terminal(_variables(demo_home)) as opened:
        yield opened


def _variables(home: Path, **more: str) -> dict[str, str]:
    return {**variables(home), "TERM": "screen-256color", "PS1": "$ ", "LANG": "C.UTF-8", **more}


def test_aj_alone_opens_it_and_keeps_what_was_typed_before(terminal: Terminal) -> None:
    terminal.type(" ".join(program()))
    terminal.press("Enter")
    terminal.type("jitter deadline")  # before it is ready
    terminal.sees("> jitter deadline")
    terminal.until(lambda: "7 · everything" in terminal.text)
    terminal.sees(HINTS)
    terminal.until(lambda: FLAKY in terminal.text.splitlines()[1])
    terminal.press("C-c")
    terminal.until(lambda: terminal.text.rstrip().endswith("$"))
    terminal.run("echo", "back again")
    terminal.until(lambda: terminal.text.count("back again") == 2)  # typed, and printed


def test_enter_before_it_is_ready_reads_what_is_found_then(terminal: Terminal) -> None:
    terminal.run(*program("tui"))
    terminal.type("jitter deadline")
    terminal.press("Enter")
    terminal.until(lambda: terminal.text.startswith(f" {FLAKY}"))


def test_a_key_right_behind_enter_does_not_undo_it(terminal: Terminal) -> None:
    terminal.run(*program("tui", "jitter deadline"))
    terminal.sees("▾ ")  # the first picture has no preview
    terminal.until(lambda: FLAKY in terminal.text.splitlines()[1])
    terminal.press("Enter", "x")  # at once, as over a slow line
    terminal.until(lambda: terminal.text.startswith(f" {FLAKY}"))


@pytest.mark.parametrize("variable", ["NO_TUI", "AJ_TUI_DEFAULT"])
def test_the_overview_is_kept_where_it_is_wanted(demo_home: Path, variable: str) -> None:
    value = {"NO_TUI": "1", "AJ_TUI_DEFAULT": "false"}[variable]
    with Terminal(_variables(demo_home, **{variable: value})) as terminal:
        terminal.run(*program())
        terminal.sees("Next: aj sync")


def test_it_fits_80_by_24_and_follows_the_size(terminal: Terminal) -> None:
    terminal.run(*program("tui"))
    terminal.until(lambda: _is_whole_at_80_by_24(terminal.text.splitlines()))
    terminal.resize(120, 40)
    terminal.until(lambda: "│" in terminal.text and "─" * 80 not in terminal.text)
    terminal.sees("▾ You")
    terminal.resize(40, 10)
    terminal.until(lambda: "─" * 40 in terminal.text)
    terminal.resize(80, 24)
    terminal.until(lambda: _is_whole_at_80_by_24(terminal.text.splitlines()))


def _is_whole_at_80_by_24(lines: list[str]) -> bool:
    """Whether the list is above the rule, the preview below it to its last row, and then hints."""
    return (
        len(lines) == 24
        and lines[0].endswith("20 · everything")
        and "Clients that hit the rate" in lines[1]
        and lines[12] == "─" * 80
        and lines[17].startswith("▾ You")
        and lines[22].startswith("▸ 5 steps · view, grep, sql")
        and lines[23].startswith(HINTS)
    )


def test_it_is_suspended_and_continued(terminal: Terminal) -> None:
    terminal.run(*program("tui", "jitter"))
    terminal.sees("▾ ")  # the first picture has no preview
    terminal.press("C-z")
    terminal.until(lambda: HINTS not in terminal.text)
    terminal.run("echo", "in between")
    terminal.until(lambda: terminal.text.count("in between") == 2)  # typed, and printed
    terminal.run("fg")
    terminal.sees(HINTS)
    terminal.type(" deadline")
    terminal.sees("> jitter deadline")


def test_the_terminal_is_given_back_when_it_is_ended(terminal: Terminal, tmp_path: Path) -> None:
    started = tmp_path / "started"
    terminal.run("sh", "-c", f"echo $$ > {started}; exec {' '.join(program('tui'))}")
    terminal.sees("▾ ")  # the first picture has no preview
    os.kill(int(started.read_text()), signal.SIGTERM)
    terminal.until(lambda: HINTS not in terminal.text)
    terminal.type('echo "it ended with $?"')
    terminal.press("Enter")
    terminal.sees("it ended with 143")
    assert terminal.state("alternate_on", "mouse_any_flag", "cursor_flag") == ["0", "0", "1"]


def test_what_is_pasted_is_text(terminal: Terminal) -> None:
    terminal.run(*program("tui"))
    terminal.sees("▾ You")  # the first picture has no preview
    terminal.paste("jitter\ndeadline")
    terminal.sees("> jitter")
    terminal.until(lambda: FLAKY in terminal.text.splitlines()[1])
    assert HINTS in terminal.text  # a line break in it is not Enter


def test_the_chosen_id_is_printed(terminal: Terminal) -> None:
    terminal.type(f'echo "[$({" ".join(program("tui", "--print", "jitter deadline"))})]"')
    terminal.press("Enter")
    terminal.sees(HINTS)
    terminal.until(lambda: FLAKY in terminal.text.splitlines()[1])
    terminal.press("Enter")
    terminal.sees("[claude-code:818f4c1f-")


def test_it_has_the_size_of_the_terminal_where_its_output_is_a_pipe(demo_home: Path) -> None:
    with Terminal(_variables(demo_home), 120, 40) as terminal:
        terminal.type(f'echo "[$({" ".join(program("tui", "--print", "jitter deadline"))})]"')
        terminal.press("Enter")
        terminal.sees("▾ ")  # the first picture has no preview
        terminal.until(lambda: FLAKY in terminal.text.splitlines()[1])
        lines = terminal.text.splitlines()
        assert all(line[60] == "│" for line in lines[1:39])
        assert lines[39].startswith(HINTS)
        terminal.resize(70, 20)
        terminal.until(lambda: terminal.text.splitlines()[10] == "─" * 70)
        terminal.until(lambda: terminal.text.splitlines()[19].startswith(HINTS))
        terminal.press("Enter")
        terminal.sees("[claude-code:818f4c1f-")


def test_the_id_is_copied_through_the_terminal(terminal: Terminal) -> None:
    terminal.run(*program("tui", "jitter deadline"))
    terminal.until(lambda: FLAKY in terminal.text.splitlines()[1])
    terminal.press("C-y")
    terminal.sees("resume line")
    terminal.press("1")
    terminal.sees("copied: claude-code:818f4c1f")
    assert terminal.clipboard.startswith("claude-code:818f4c1f-")


def test_an_agent_takes_the_place_of_the_screen(demo_home: Path, tmp_path: Path) -> None:
    agent = tmp_path / "bin" / "claude"
    agent.parent.mkdir()
    agent.write_text("#!/bin/sh\necho resumed with $*\n")
    agent.chmod(0o755)
    path = f"{agent.parent}{os.pathsep}{os.environ['PATH']}"
    with Terminal(_variables(demo_home, PATH=path), 120, 40) as terminal:
        terminal.run(*program("tui", "jitter deadline"))
        terminal.until(lambda: FLAKY in terminal.text.splitlines()[1])
        terminal.press("C-g")
        terminal.sees("Claude Code")
        terminal.press("1")
        # The folder of the demo's session is on no machine
        terminal.until(lambda: "resumed with" in terminal.text or "is gone" in terminal.text)
        assert HINTS not in terminal.text


def test_without_colours_nothing_is_coloured_and_hits_are_reversed(demo_home: Path) -> None:
    with Terminal(_variables(demo_home, NO_COLOR="1")) as terminal:
        terminal.run(*program("tui", "jitter deadline"))
        terminal.until(lambda: FLAKY in terminal.text.splitlines()[1])
        reversed_hit = re.compile(r"\x1b\[(?:\d+;)*7mdeadline")
        terminal.until(lambda: reversed_hit.search(terminal.coloured))
        coloured = terminal.coloured
        for code in (*range(30, 38), *range(40, 48), *range(90, 98), 38, 48):
            assert f"[{code}m" not in coloured
            assert f";{code}m" not in coloured


HOSTILE = (
    "\x1b[2J\x1b[31mred\x1b]0;title\x07 [red]markup[/red] [@click=app.exit]x[/] "
    "\u202eright to left\u202c \x9b31m \x00 \x07 $(id) {}"
)


def test_hostile_text_changes_nothing_but_its_place(tmp_path: Path) -> None:
    path = tmp_path / ".claude/projects/-work-app/h1.jsonl"
    path.parent.mkdir(parents=True)
    lines = [
        claude_line("user", 0, f"hostile {HOSTILE}", "h1"),
        claude_line("assistant", 1, "x" * 1_000_000 + " end", "h1"),
        claude_line("assistant", 2, HOSTILE + "\r\n" + "\t" * 500 + "after", "h1"),
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert aj(tmp_path, "sync").returncode == 0
    with Terminal(_variables(tmp_path)) as terminal:
        terminal.run(*program("tui", "hostile"))
        terminal.sees(HINTS)
        terminal.sees("▾ You")
        terminal.sees("red [red]markup[/red] [@click=app.exit]x[/] right to left")
        terminal.press("Enter")
        terminal.sees("1/3 · Story")
        terminal.until(lambda: terminal.text.splitlines()[1] == "▌▾ You  00:00")
        assert len(terminal.text.splitlines()) == 24
        assert "\u202e" not in terminal.text
        assert "\x1b[31mred" not in terminal.coloured
        terminal.press("G")
        terminal.sees("after")
        terminal.press("K", "k")
        terminal.press("g")
        terminal.sees("1/3")
        terminal.until(lambda: "xxxxxxxxxx" in terminal.text)
        terminal.until(lambda: terminal.text.splitlines()[-1].startswith("J K prompts"))
