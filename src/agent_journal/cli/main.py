"""The command `aj`: commands are imported when they are used, and there is one place where errors become words."""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import Any

import click

from agent_journal import __version__
from agent_journal.errors import JournalError, UsageError

# name -> module and the line shown in `aj --help`; the module has a command of the same name.
COMMANDS = {
    "sync": "Read what is new in the agents' folders.",
    "ls": "List sessions.",
    "show": "Read a session.",
    "restore": "Write original files back, byte for byte.",
    "sources": "Show where each agent's files are and what is kept of them.",
    "verify": "Prove that the journal is complete and unchanged.",
    "doctor": "Find what needs attention: problems, unknown records, files about to be deleted.",
    "config": "Show and change settings.",
    "demo": "Try everything on invented sessions in a temporary folder.",
    "completion": "Print the completion script for your shell.",
}
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
        command: click.Command = getattr(import_module(f"agent_journal.cli.{name}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command, or suggests the nearest one."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS and args[0] not in _ALIASES:
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1, cutoff=0.5)
            raise UsageError(
                f"no command '{args[0]}'", f"did you mean '{near[0]}'?" if near else "'aj --help' lists the commands"
            )
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

    Keeps every session of every agent byte for byte, reads them into one model, and gives them back. Without a
    command, aj shows what the journal holds.
    """
    if ctx.invoked_subcommand is None:
        from agent_journal.cli.overview import print_overview

        print_overview()


def main() -> None:
    """Runs the command line and exits with its code."""
    # `aj ls >&-`: Python has no stream then, and everything that prints would have to ask.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that has no ▌ shows ?
            stream.reconfigure(errors="replace")
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            pass
    # Everything is closed and flushed: taking the interpreter apart piece by piece would cost another 10 ms.
    os._exit(code)


def run(args: list[str]) -> int:
    """Runs a command line; the exit code."""
    try:
        result: Any = aj.main(args=args, prog_name="aj", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (BrokenPipeError, SystemExit):
        # The reader went away (`aj ls | head`), which click turns into an exit: be silent, also when stdout closes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted; the journal is sound, run the command again to go on", err=True)
        return 130
    except click.ClickException as error:
        return _fail("usage", error.format_message(), _usage_hint(error), error.exit_code, args)
    except JournalError as error:
        if _is_debugged(args):
            raise
        return _fail(error.code, error.message, error.hint, error.exit_code, args)
    except OSError as error:
        if _is_debugged(args):
            raise
        where = f"{error.filename}: " if error.filename else ""
        return _fail("system", f"{where}{error.strerror or error}", None, 1, args)
    except Exception as error:
        if _is_debugged(args):
            raise
        hint = "run it again with 'aj --debug …' and report what it shows"
        return _fail("bug", f"something went wrong in aj: {type(error).__name__}: {error}", hint, 1, args)


def _is_debugged(args: list[str]) -> bool:
    return "--debug" in args or bool(os.environ.get("AJ_DEBUG"))


def _usage_hint(error: click.ClickException) -> str | None:
    ctx = getattr(error, "ctx", None)
    return f"'{ctx.command_path} --help' shows how it is used" if ctx is not None else None


def _fail(code: str, message: str, hint: str | None, exit_code: int, args: list[str]) -> int:
    from agent_journal.cli.output import safe

    message = safe(message)  # it may name a file or a session
    try:
        if "--json" in args:
            import json

            error = {"code": code, "message": message, "hint": hint}
            click.echo(json.dumps({"schema": 1, "error": error}, separators=(",", ":")))
        else:
            click.echo(f"aj: {message}", err=True)
            if hint:
                click.echo(f"    {hint}", err=True)
    except OSError:
        pass  # nobody can be told
    return exit_code
