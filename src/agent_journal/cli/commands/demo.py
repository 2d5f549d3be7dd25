"""`aj demo`: the whole pipeline on invented sessions."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime

import click

from agent_journal.cli.output import echo, note, style, use_colour

# Variables that make an agent look for its files outside the home folder.
_ELSEWHERE = (
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


@click.command()
@click.option(
    "--keep",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Write into DIR and leave it there.",
)
def demo(keep: str | None) -> None:
    """Try everything on invented sessions in a temporary folder.

    Makes a small home folder with sessions of every supported agent, reads it into a journal, and
    shows the overview, a listing and one session. Leaves nothing behind unless --keep is given.

    \b
    Examples:
      aj demo
      aj demo --keep /tmp/aj-demo
    """
    from agent_journal.demo import write_demo_home
    from agent_journal.errors import UsageError

    with ExitStack() as stack:
        if keep is None:
            base = stack.enter_context(tempfile.TemporaryDirectory(prefix="aj-demo-"))
        else:
            base = os.path.abspath(keep)
            if os.path.isdir(base) and os.listdir(base):
                raise UsageError(f"{base} is not empty", "give --keep a new folder")
        home = os.path.join(base, "home")
        os.makedirs(home, mode=0o700, exist_ok=True)
        write_demo_home(home, datetime.now(UTC))
        _tour(home, os.path.join(base, "journal"))
        if keep is not None:
            echo()
            echo("Kept. To go on with it:")
            echo(f"  export HOME={home} AJ_HOME={os.path.join(base, 'journal')}")


def _tour(home: str, journal_home: str) -> None:
    """Runs the real commands on the demo home, in this process."""
    saved, folder = dict(os.environ), _working_folder()
    os.chdir(home)  # a history of Aider in the working folder is no part of the demo
    for name in _ELSEWHERE:
        os.environ.pop(name, None)
    for name in [name for name in os.environ if name.startswith("AJ_")]:
        del os.environ[name]
    os.environ.update(HOME=home, USERPROFILE=home, AJ_HOME=journal_home)
    try:
        for command in (["sync"], [], ["ls"], ["show", "last", "--depth", "assistant"]):
            echo()
            echo(style(" ".join(["$ aj", *command]), "bold", on=use_colour()))
            _run(command)
    finally:
        os.environ.clear()
        os.environ.update(saved)
        os.chdir(folder)
    echo()
    echo(style("Try next, on your own sessions:", "bold", on=use_colour()))
    for line in (
        "aj sync            read what your agents left on this machine",
        "aj ls --since 7d   this week's sessions",
        "aj show last       the newest one",
        "aj search WORDS    find what was said, done and printed",
        "aj verify          prove that nothing was lost",
        "aj doctor          what the agents will delete, and what is safe",
    ):
        echo(f"  {line}")


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # somebody removed it
        return os.sep


def _run(command: list[str]) -> None:
    from agent_journal.cli.group import aj

    pager = os.environ.get("PAGER")
    os.environ["PAGER"] = "cat"  # a tour does not stop at a page
    try:
        aj.main(args=command, prog_name="aj", standalone_mode=False)
    except click.exceptions.Exit as stop:
        if stop.exit_code:
            note(f"(exit {stop.exit_code})")
    finally:
        if pager is None:
            os.environ.pop("PAGER", None)
        else:
            os.environ["PAGER"] = pager
