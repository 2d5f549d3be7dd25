"""Long output: on a terminal it goes through the pager ($PAGER, or else less)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from agent_journal.cli.output import echo, terminal_size, use_colour


def print_lines(lines: Iterable[str]) -> None:
    """Print lines, through the pager on a terminal."""
    if sys.stdout.isatty():
        _page(lines)
        return
    for line in lines:
        echo(line)


def print_long(lines: list[str]) -> None:
    """Print lines, through the pager only where they are more than the screen has."""
    if sys.stdout.isatty() and len(lines) >= terminal_size().lines:
        _page(lines)
        return
    for line in lines:
        echo(line)


def _page(lines: Iterable[str]) -> None:
    import click

    sys.stdout.flush()
    # -F: what is short needs no pager; -R: our own colours pass, while escape sequences were
    # removed from the text of sessions.
    options = os.environ.setdefault("LESS", "-FIRX")
    colour = use_colour() and "r" in options.lower()
    click.echo_via_pager((f"{line}\n" for line in lines), color=colour)
