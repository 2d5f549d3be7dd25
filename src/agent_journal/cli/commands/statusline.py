"""`aj statusline`: a line for the status bar of Claude Code, and its setting there."""

from __future__ import annotations

import json
import os
import shlex

import click

from agent_journal.answers.installed import installed_answer, installed_item
from agent_journal.cli.commands.convert import ask
from agent_journal.cli.options import json_option
from agent_journal.cli.output import echo, note, print_json
from agent_journal.cli.views.installed import installed_words
from agent_journal.convert.claude_code.status_line import (
    KEY,
    entry_for,
    entry_of,
    is_ours,
    put_back,
    set_entry,
    settings_path,
)
from agent_journal.convert.own_program import program_words
from agent_journal.convert.settings_files import Settings, read_settings
from agent_journal.errors import ConfigError, UsageError
from agent_journal.text.human import short_path
from agent_journal.text.plain import one_line


@click.group(invoke_without_command=True)
@click.option("--sync", is_flag=True, help="Also start a sync in the background, once a minute.")
@click.pass_context
def statusline(ctx: click.Context, sync: bool) -> None:
    """Print one line about a running session, for the status bar of Claude Code.

    Reads the JSON that Claude Code hands to a status line on stdin. The line has the model, the
    cost of the session, of today and of the block of five hours with the time left, the cost an
    hour, and how full the context is; as much as is known and fits (docs/usage.md).

    \b
    Examples:
      aj statusline install
      aj statusline install --sync
      aj statusline status
      aj statusline remove
    """
    if ctx.invoked_subcommand is None:
        from agent_journal.cli.status_line import print_status_line

        print_status_line(sync)


@statusline.command()
@click.option("--sync", is_flag=True, help="The line also starts a sync, at most once a minute.")
@click.option("--yes", is_flag=True, help="Do not ask before another status line is replaced.")
@click.option("--print", "only_print", is_flag=True, help="Print the entry and write nothing.")
def install(sync: bool, yes: bool, only_print: bool) -> None:
    """Write the status line into the settings of Claude Code.

    A copy of the settings as they were is kept beside them.
    """
    entry = entry_for(_command(sync))
    if only_print:
        echo(_snippet(entry))
        return
    path = settings_path(os.environ)
    try:
        settings = read_settings(path)
    except ConfigError as error:
        echo(_snippet(entry))
        raise ConfigError(error.message, "the entry above goes there") from error
    if is_ours(entry_of(settings)):
        entry = {**entry_of(settings), **entry}
    if entry_of(settings) == entry:
        note(f"already installed in {short_path(path)}")
        return
    if entry_of(settings) is not None and not is_ours(entry_of(settings)) and not yes:
        shown = one_line(json.dumps(entry_of(settings), ensure_ascii=False), 100)
        note(f"Claude Code's status line is {shown}")
        ask("Replace it?", "this replaces another status line")
    set_entry(settings, entry)
    _learn_prices()
    note(f"installed in {short_path(path)}; 'aj statusline remove' puts back what was there")


@statusline.command()
def remove() -> None:
    """Remove the status line; the one that was there before comes back."""
    settings = read_settings(settings_path(os.environ))
    if entry_of(settings) is None:
        note(f"no status line in {short_path(settings.path)}")
        return
    if not is_ours(entry_of(settings)):
        message = f"the status line in {short_path(settings.path)} is not that of aj"
        raise UsageError(message, "nothing was changed")
    if put_back(settings) is None:
        note(f"removed from {short_path(settings.path)}")
    else:
        note(f"the previous status line is back in {short_path(settings.path)}")


@statusline.command()
@json_option
def status(as_json: bool) -> None:
    """Say whether the status line is installed."""
    settings = read_settings(settings_path(os.environ))
    item = installed_item("claude-code", _state(settings), settings.path)
    if as_json:
        print_json(installed_answer([item]))
        return
    echo(installed_words(item, "another status line is set"))
    if is_ours(entry_of(settings)):
        echo(f"runs {one_line(entry_of(settings)['command'], 200)}")


def _state(settings: Settings) -> str:
    if entry_of(settings) is None:
        return "absent"
    if is_ours(entry_of(settings)):
        return "installed"
    return "other"


def _snippet(entry: dict[str, str]) -> str:
    return json.dumps({KEY: entry}, indent=2)


def _command(sync: bool) -> str:
    """Return the command line that Claude Code runs, whatever its PATH is."""
    words = [*program_words(), "statusline"]
    if sync:
        words.append("--sync")
    return shlex.join(words)


def _learn_prices() -> None:
    """Look up prices now: a status line has no time for it."""
    from agent_journal.cli.learn_prices import learn
    from agent_journal.errors import JournalError
    from agent_journal.journal import Journal

    try:
        with Journal.open() as journal:
            learn(journal)
    except JournalError:
        pass  # the line itself says what it can
