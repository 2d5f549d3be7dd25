"""The commands as one click group; each is imported when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from agent_journal import __version__
from agent_journal.cli.output import note
from agent_journal.errors import UsageError
from agent_journal.text.suggestions import did_you_mean

# Each command and its line in `aj --help`; the module of the same name has the command.
COMMANDS = {
    "sync": "Read new sessions from the agents' folders.",
    "search": "Search everything that was said, done and printed.",
    "ls": "List sessions.",
    "show": "Show a session.",
    "star": "Star sessions, or list those with a star.",
    "tag": "Tag sessions, or list all tags.",
    "title": "Give a session a title of your own.",
    "tui": "Find, read and resume sessions on the whole terminal.",
    "web": "Show the journal in a browser.",
    "watch": "Read what agents write while they write it.",
    "mcp": "Let agents ask about earlier sessions.",
    "hooks": "Have agents start a sync when a session ends.",
    "sql": "Query the journal with SQL.",
    "blame": "Show which session wrote each line of a file.",
    "commit": "Show which sessions wrote the lines of a commit.",
    "log": "Show which sessions changed a file.",
    "provenance": "Show how much of a repository sessions wrote.",
    "usage": "Show token usage and cost.",
    "stats": "Show activity statistics.",
    "statusline": "Show cost and usage in the status bar of Claude Code.",
    "export": "Export sessions as HTML, Markdown or JSON.",
    "convert": "Convert sessions for another agent.",
    "resume": "Resume a session, in its agent or in another one.",
    "import": "Import session files from anywhere.",
    "restore": "Restore original files, byte for byte.",
    "backup": "Back the journal up, into a folder or a file.",
    "import-journal": "Add another journal or a backup to this one.",
    "prune": "Hide sessions, or delete them for good.",
    "sources": "Show where each agent's files are and what is kept.",
    "verify": "Verify that the journal is complete and unchanged.",
    "doctor": "Report problems and files about to be deleted.",
    "schedule": "Have the system sync at regular times.",
    "config": "Show and change settings.",
    "demo": "Try aj on made-up sessions in a temporary folder.",
    "completion": "Print the completion script for a shell.",
}
# `import` is a keyword of Python: module and attribute have other names.
_MODULES = {
    "import": ("import_", "import_command"),
    "import-journal": ("import_journal", "import_journal"),
}
_ALIASES = {"index": "sync", "list": "ls"}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports them when they run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of a name or alias."""
        name = _ALIASES.get(cmd_name, cmd_name)
        if name not in COMMANDS:
            return None
        module_name, attribute = _MODULES.get(name, (name, name))
        module = import_module(f"agent_journal.cli.commands.{module_name}")
        command: click.Command = getattr(module, attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the nearest one."""
        if args and _is_unknown(args[0]):
            hint = did_you_mean(args[0], COMMANDS) or "'aj --help' lists the commands"
            raise UsageError(f"no command '{args[0]}'", hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _is_unknown(word: str) -> bool:
    if word.startswith("-"):
        return False
    return word not in COMMANDS and word not in _ALIASES


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="'aj COMMAND --help' explains a command. Start with 'aj sync', then 'aj ls'.",
)
@click.version_option(__version__, prog_name="aj", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Show a traceback when something fails.")
@click.pass_context
def aj(ctx: click.Context, debug: bool) -> None:
    """Keep, search and restore the sessions of AI coding agents.

    aj keeps every session byte for byte, reads the sessions of all agents into one model, and
    can write them back at any time. Run without a command on a terminal, it opens the terminal UI
    ('aj tui'); elsewhere, or before the first sync, it shows an overview of the journal.
    """
    if ctx.invoked_subcommand is None:
        from agent_journal.cli.views.overview import print_overview

        print_overview()


def invoke(args: list[str]) -> int:
    """Run a command line and return its exit code; errors of click become UsageError."""
    try:
        result: Any = aj.main(args=args, prog_name="aj", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort as abort:
        if abort.__cause__ is None:  # at a question, after which the cursor still stands
            note("")
        raise KeyboardInterrupt from None
    except click.exceptions.NoArgsIsHelpError as error:  # `aj hooks`: the help says what to type
        note(error.message)
        return 2
    except click.ClickException as error:
        from agent_journal.cli.wrong_usage import usage_error

        raise usage_error(error) from error
    if isinstance(result, int):
        return result
    return 0
