"""`aj config`: show and change settings."""

from __future__ import annotations

from typing import Any

import click

from agent_journal.cli.options import json_option
from agent_journal.cli.output import echo, note, print_json, style, table, use_colour
from agent_journal.config import SETTINGS, load, set_value
from agent_journal.errors import ConfigError


@click.group()
def config() -> None:
    """Show and change settings (docs/config.md explains each).

    \b
    Examples:
      aj config show
      aj config get search.max_results
      aj config set storage.sources.claude_code ~/.claude/projects /backup/claude
      aj config path
    """


@config.command()
@json_option
def show(as_json: bool) -> None:
    """Show every setting, its value and where it comes from."""
    settings = load()
    if as_json:
        print_json("config", [
            {"key": key, "value": settings.get(key), "origin": settings.origin(key), "meaning": SETTINGS[key].meaning}
            for key in SETTINGS
        ], warnings=settings.warnings)  # fmt: skip
        return
    for warning in settings.warnings:
        note(f"aj: {warning}")
    colour = use_colour()
    rows = [(key, _text(settings.get(key)), settings.origin(key)) for key in SETTINGS]
    for line, (_, _, origin) in zip(table(rows), rows, strict=True):
        echo(line if origin != "default" else style(line, "dim", on=colour))


@config.command()
@click.argument("key", shell_complete=lambda c, p, text: [key for key in SETTINGS if key.startswith(text)])
@json_option
def get(key: str, as_json: bool) -> None:
    """Print the value of one setting."""
    settings = load()
    value = settings.get(_known(key))
    if as_json:
        print_json("config", [{"key": key, "value": value, "origin": settings.origin(key)}])
    else:
        echo(_text(value))


@config.command(name="set")
@click.argument("key", shell_complete=lambda c, p, text: [key for key in SETTINGS if key.startswith(text)])
@click.argument("values", nargs=-1, required=True)
def set_(key: str, values: tuple[str, ...]) -> None:
    """Change one setting in config.toml; comments in the file stay."""
    settings = load()
    set_value(settings.config_path, _known(key), values)
    changed = load()
    note(f"{key} = {_text(changed.get(key))} in {settings.config_path}")
    if changed.origin(key) not in ("config.toml", "default"):
        note(f"the variable {changed.origin(key)} is set and wins over the file")


@config.command()
def path() -> None:
    """Print the path of the settings file."""
    echo(load().config_path)


def _known(key: str) -> str:
    if key in SETTINGS:
        return key
    from difflib import get_close_matches

    near = get_close_matches(key, SETTINGS, n=1, cutoff=0.4)
    raise ConfigError(f"no setting '{key}'", f"did you mean '{near[0]}'?" if near else "'aj config show' lists them")


def _text(value: Any) -> str:
    if value is None:
        return "(found by itself)"
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(value) if isinstance(value, (list, tuple)) else str(value)
