"""`aj demo`: the whole tool on made-up sessions."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack

import click

from agent_journal.cli.demo_journal import demo_environment, write_demo
from agent_journal.cli.output import echo, note, style, use_colour

_TOUR: tuple[list[str], ...] = (["sync"], [], ["ls"], ["show", "last", "--depth", "assistant"])
_NEXT = (
    "aj sync            read the sessions of your agents on this machine",
    "aj                 find, read and resume sessions on the whole terminal",
    "aj web             the same in a browser, with usage and activity",
    "aj search WORDS    search everything that was said, done and printed",
    "aj show last       show the newest session",
    "aj verify          verify that nothing was lost",
    "aj doctor          see what the agents will delete, and what is kept",
)


@click.command()
@click.option(
    "--keep",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Write the demo into DIR and keep it.",
)
def demo(keep: str | None) -> None:
    """Try aj on made-up sessions in a temporary folder.

    Creates a small home folder with sessions of every supported agent, reads it into a journal, and
    shows the overview, a list of sessions and one session. Everything is deleted afterwards, unless
    --keep is given.

    \b
    Examples:
      aj demo
      aj demo --keep /tmp/aj-demo
    """
    from agent_journal.errors import UsageError

    with ExitStack() as stack:
        if keep is None:
            base = stack.enter_context(tempfile.TemporaryDirectory(prefix="aj-demo-"))
        else:
            base = os.path.abspath(keep)
            if os.path.isdir(base) and os.listdir(base):
                raise UsageError(f"{base} is not empty", "give --keep a new folder")
        made = write_demo(base)
        with demo_environment(made):
            for command in _TOUR:
                _run(command)
        _print_next_steps()
        if keep is not None:
            echo()
            echo("The demo is kept. To use it:")
            echo(f"  export HOME={made.home} AJ_HOME={made.journal}")


def _run(command: list[str]) -> None:
    from agent_journal.cli.group import aj

    echo()
    echo(style(" ".join(["$ aj", *command]), "bold", on=use_colour()))
    try:
        aj.main(args=command, prog_name="aj", standalone_mode=False)
    except click.exceptions.Exit as stop:
        if stop.exit_code:
            note(f"(exit {stop.exit_code})")


def _print_next_steps() -> None:
    echo()
    echo(style("Try next, on your own sessions:", "bold", on=use_colour()))
    for line in _NEXT:
        echo(f"  {line}")
