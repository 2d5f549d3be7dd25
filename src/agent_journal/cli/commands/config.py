"""`aj config`: show and change settings."""

from __future__ import annotations

import os
from typing import Any

import click

from agent_journal.answers.config import config_answer, setting_answer
from agent_journal.cli.options import json_option, plain_option
from agent_journal.cli.output import echo, note, print_json
from agent_journal.cli.table import Column, Table
from agent_journal.config.loading import home, load
from agent_journal.config.settings import SETTINGS, SOURCES, foreign_settings, get_setting
from agent_journal.store.settings_file import set_value, unset_value

_COLUMNS = (
    Column("setting"),
    Column("value", least=12, is_path=True),
    Column("from", least=12, leaves=1),
)


def _complete_keys(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [key for key in (*SETTINGS, *foreign_settings()) if key.startswith(incomplete)]


@click.group(invoke_without_command=True)
@click.pass_context
def config(ctx: click.Context) -> None:
    """Show and change settings; docs/config.md explains each.

    \b
    Examples:
      aj config show
      aj config get storage.index_path
      aj config set storage.sources.claude_code ~/.claude /backup/claude
      aj config unset storage.sources.claude_code
      aj config path
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(show)


@config.command()
@json_option
@plain_option
def show(as_json: bool, plain: bool) -> None:
    """Show every setting, its value and where the value comes from."""
    settings = load()
    if as_json:
        print_json(config_answer(settings))
        return
    for warning in settings.warnings:
        note(f"aj: {warning}")
    table = Table(_COLUMNS)
    for key in (*SETTINGS, *foreign_settings()):
        origin = settings.origin(key)
        styles: tuple[str, ...] = ()
        if origin.startswith("default"):
            styles = ("dim",)
        table.add(key, _text(key, settings.get(key)), origin, styles=styles)
    table.print(plain)


@config.command()
@click.argument("key", shell_complete=_complete_keys)
@json_option
def get(key: str, as_json: bool) -> None:
    """Print the value of a setting."""
    settings = load()
    key = get_setting(key).key
    if as_json:
        print_json(setting_answer(settings, key))
    else:
        echo(_text(key, settings.get(key)))


@config.command(name="set", context_settings={"ignore_unknown_options": True})
@click.argument("key", shell_complete=_complete_keys)
@click.argument("values", nargs=-1, required=True)
def set_(key: str, values: tuple[str, ...]) -> None:
    """Set a setting in config.toml, keeping the comments in the file.

    Folders of an agent replace its default folders; include those to read them too.
    """
    path = _config_path()
    key = get_setting(key).key
    if key == "mcp.exclude":  # it is read in other folders than this one
        values = tuple(map(_from_here, values))
    set_value(path, key, values)
    changed = load()
    note(f"{key} = {_text(key, changed.get(key))} in {path}")
    origin = changed.origin(key)
    if origin not in ("config.toml", "default"):
        note(f"the environment variable {origin} is set and overrides the file")


@config.command()
@click.argument("key", shell_complete=_complete_keys)
def unset(key: str) -> None:
    """Remove a setting from config.toml, so that its default applies."""
    key = get_setting(key).key
    was_set = unset_value(_config_path(), key)
    if was_set:
        note(f"{key} is back to its default")
    else:
        note(f"{key} was not set in {_config_path()}")


@config.command()
def path() -> None:
    """Print the path of the settings file."""
    echo(_config_path())


def _from_here(text: str) -> str:
    """A folder that was named from the current one, from anywhere; other texts as they are."""
    if text.replace("\\", "/").split("/")[0] in (".", ".."):
        return os.path.abspath(text)
    return text


def _config_path() -> str:
    """Return the path of the settings file, also when the file cannot be read."""
    return os.path.join(home(os.environ), "config.toml")


def _text(key: str, value: Any) -> str:
    if value is None and key.startswith(SOURCES):
        return "(auto-detected)"
    if value is None:
        return "(not set)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ", ".join(value)
    return str(value)
