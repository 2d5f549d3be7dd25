"""`aj demo`: the whole tool on made-up sessions."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime

import click

from agent_journal.cli.output import echo, note, style, use_colour

# Variables that make an agent look for its files outside the home folder.
_FOLDER_VARIABLES = (
    "CLAUDE_CONFIG_DIR",
    "COPILOT_HOME",
    "XDG_CONFIG_HOME",
    "APPDATA",
    "VSCODE_PORTABLE",
    "VSCODE_APPDATA",
    "WSL_DISTRO_NAME",
    "WSL_INTEROP",
    "AIDER_CHAT_HISTORY_FILE",
    "AIDER_INPUT_HISTORY_FILE",
    "CODEX_HOME",
    "CURSOR_CONFIG_DIR",
    "GEMINI_CLI_HOME",
)
_TOUR: tuple[list[str], ...] = (["sync"], [], ["ls"], ["show", "last", "--depth", "assistant"])
_NEXT = (
    "aj sync            read the sessions of your agents on this machine",
    "aj ls --since 7d   list this week's sessions",
    "aj show last       show the newest one",
    "aj search WORDS    search everything that was said, done and printed",
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
    from agent_journal.demo import write_demo_home
    from agent_journal.errors import UsageError
    from agent_journal.store.mirror.mirror import private

    with ExitStack() as stack:
        if keep is None:
            base = stack.enter_context(tempfile.TemporaryDirectory(prefix="aj-demo-"))
        else:
            base = os.path.abspath(keep)
            if os.path.isdir(base) and os.listdir(base):
                raise UsageError(f"{base} is not empty", "give --keep a new folder")
        home = os.path.join(base, "home")
        journal = os.path.join(base, "journal")
        with private():
            os.makedirs(home, exist_ok=True)
            write_demo_home(home, datetime.now(UTC))
        with _demo_environment(home, journal):
            for command in _TOUR:
                _run(command)
        _print_next_steps()
        if keep is not None:
            echo()
            echo("The demo is kept. To use it:")
            echo(f"  export HOME={home} AJ_HOME={journal}")


@contextmanager
def _demo_environment(home: str, journal: str) -> Iterator[None]:
    """Make this process work on the demo home, as if it were the user's."""
    saved = dict(os.environ)
    folder = _working_folder()
    os.chdir(home)  # an Aider history in the working folder is not part of the demo
    for name in saved:
        if name in _FOLDER_VARIABLES or name.startswith("AJ_"):
            del os.environ[name]
    # A tour does not stop at every page.
    os.environ.update(HOME=home, USERPROFILE=home, AJ_HOME=journal, PAGER="cat")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(saved)
        os.chdir(folder)


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return os.sep


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
