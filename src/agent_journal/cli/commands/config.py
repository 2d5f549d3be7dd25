"""`aj config`: show and change settings."""

from __future__ import annotations

import os
from typing import Any

import click

from agent_journal.cli.options import json_option
from agent_journal.cli.output import echo, note, print_json, style, table, use_colour
from agent_journal.config.loading import home, load
from agent_journal.config.settings import SETTINGS, foreign_settings, get_setting
from agent_journal.store.settings_file import set_value, unset_value


def _complete_keys(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [key for key in (*SETTINGS, *foreign_settings()) if key.startswith(incomplete)]


@click.group(invoke_without_command=True)
@click.pass_context
def config(ctx: click.Context) -> None:
    """Show and change settings (docs/config.md explains each).

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
def show(as_json: bool) -> None:
    """Show every setting, its value and where it comes from."""
    settings = load()
    everything = SETTINGS | foreign_settings()
    if as_json:
        print_json(
            "config",
            [
                {
                    "key": key,
                    "value": settings.get(key),
                    "origin": settings.origin(key),
                    "meaning": setting.meaning,
                }
                for key, setting in everything.items()
            ],
            warnings=settings.warnings,
        )
        return
    for warning in settings.warnings:
        note(f"aj: {warning}")
    colour = use_colour()
    rows = [(key, _text(settings.get(key)), settings.origin(key)) for key in everything]
    for line, (_, _, origin) in zip(table(rows), rows, strict=True):
        echo(style(line, "dim", on=colour) if origin.startswith("default") else line)


@config.command()
@click.argument("key", shell_complete=_complete_keys)
@json_option
def get(key: str, as_json: bool) -> None:
    """Print the value of one setting."""
    settings = load()
    value = settings.get(_known(key))
    if as_json:
        print_json("config", [{"key": key, "value": value, "origin": settings.origin(key)}])
    else:
        echo(_text(value))


@config.command(name="set", context_settings={"ignore_unknown_options": True})
@click.argument("key", shell_complete=_complete_keys)
@click.argument("values", nargs=-1, required=True)
def set_(key: str, values: tuple[str, ...]) -> None:
    """Change one setting in config.toml; comments in the file stay.

    The folders of an agent replace the default ones: name those too if they are to be read.
    """
    path = _config_path()
    set_value(path, _known(key), values)
    changed = load()
    note(f"{key} = {_text(changed.get(key))} in {path}")
    if changed.origin(key) not in ("config.toml", "default"):
        note(f"the variable {changed.origin(key)} is set and wins over the file")


@config.command()
@click.argument("key", shell_complete=_complete_keys)
def unset(key: str) -> None:
    """Take one setting out of config.toml: the default holds again."""
    was_there = unset_value(_config_path(), _known(key))
    note(f"{key} is back to its default" if was_there else f"{key} was not set in {_config_path()}")


@config.command()
def path() -> None:
    """Print the path of the settings file."""
    echo(_config_path())


def _config_path() -> str:
    """The file, also when what it says cannot be read."""
    return os.path.join(home(os.environ), "config.toml")


def _known(key: str) -> str:
    return get_setting(key).key


def _text(value: Any) -> str:
    if value is None:
        return "(found by itself)"
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(value) if isinstance(value, (list, tuple)) else str(value)
