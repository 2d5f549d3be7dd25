"""The commands as one click group; each is imported when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from agent_journal import __version__
from agent_journal.errors import UsageError
from agent_journal.text.suggestions import did_you_mean

# name -> module and the line shown in `aj --help`; the module has a command of the same name.
COMMANDS = {
    "sync": "Read what is new in the agents' folders.",
    "search": "Find what was said, done and printed.",
    "ls": "List sessions.",
    "show": "Read a session.",
    "sql": "Ask with SQL: sessions, messages, tool calls, tokens, edits.",
    "usage": "Show tokens and what they cost.",
    "stats": "Show activity: days, tools, files, models.",
    "export": "Write sessions to files: Markdown, or complete JSON.",
    "convert": "Write sessions as files that another agent resumes.",
    "resume": "Go on with a session, in its agent or in another.",
    "import": "Take session files into the journal, wherever they lie.",
    "restore": "Write original files back, byte for byte.",
    "sources": "Show where each agent's files are and what is kept of them.",
    "verify": "Prove that the journal is complete and unchanged.",
    "doctor": "Find what needs attention: problems, unknown records, files about to be deleted.",
    "config": "Show and change settings.",
    "demo": "Try everything on invented sessions in a temporary folder.",
    "completion": "Print the completion script for your shell.",
}
_MODULES = {"import": ("import_", "import_command")}  # a word of Python itself
_ALIASES = {"index": "sync", "list": "ls"}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports them when they run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name or alias."""
        name = _ALIASES.get(cmd_name, cmd_name)
        if name not in COMMANDS:
            return None
        module, attribute = _MODULES.get(name, (name, name))
        command: click.Command = getattr(
            import_module(f"agent_journal.cli.commands.{module}"), attribute
        )
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command, or suggests the nearest one."""
        if (
            args
            and not args[0].startswith("-")
            and args[0] not in COMMANDS
            and args[0] not in _ALIASES
        ):
            hint = did_you_mean(args[0], COMMANDS, cutoff=0.5)
            raise UsageError(f"no command '{args[0]}'", hint or "'aj --help' lists the commands")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Examples: 'aj sync' reads what is new, 'aj ls --since 2d' lists, 'aj show last' reads the newest session.",
)
@click.version_option(__version__, prog_name="aj", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
@click.pass_context
def aj(ctx: click.Context, debug: bool) -> None:
    """The journal of record for AI coding sessions.

    Keeps every session of every agent byte for byte, reads them into one model, and gives them
    back. Without a command, aj shows what the journal holds.
    """
    if ctx.invoked_subcommand is None:
        from agent_journal.cli.views.overview import print_overview

        print_overview()


def invoke(args: list[str]) -> int:
    """Runs a command line; the exit code. What click objects to becomes one of our errors."""
    try:
        result: Any = aj.main(args=args, prog_name="aj", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        ctx = getattr(error, "ctx", None)
        hint = f"'{ctx.command_path} --help' shows how it is used" if ctx is not None else None
        raise UsageError(error.format_message(), hint) from error
    return result if isinstance(result, int) else 0
