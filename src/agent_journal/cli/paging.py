"""Long output: on a terminal it goes through the pager ($PAGER, or else less)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from agent_journal.cli.output import echo, terminal_size, use_colour


def print_lines(lines: Iterable[str]) -> None:
    """Print lines, through the pager on a terminal."""
    if sys.stdout.isatty():
        _page(lines)
        return
    for line in lines:
        echo(line)


def print_long(lines: Iterable[str]) -> None:
    """Print lines, through the pager only where they are more than the screen of a terminal has."""
    rest = iter(lines)
    if sys.stdout.isatty():
        screen = terminal_size().lines
        first = list(islice(rest, screen))
        if len(first) == screen:
            _page(chain(first, rest))
            return
        rest = iter(first)
    for line in rest:
        echo(line)


def _page(lines: Iterable[str]) -> None:
    import click

    sys.stdout.flush()
    # -F: what is short needs no pager; -R: our own colours pass, while escape sequences were
    # removed from the text of sessions.
    options = os.environ.setdefault("LESS", "-FIRX")
    colour = use_colour() and "r" in options.lower()
    click.echo_via_pager(_joined(lines), color=colour)


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Return lines with breaks between them; click adds the last one."""
    line_break = ""
    for line in lines:
        yield line_break + line
        line_break = "\n"
