"""Writes docs/cli.md from the commands' help, the columns in docs/sql.md, and
docs/schema/session.json from structs.

`make docs` runs it; a test fails when one of them is out of date.
"""

from __future__ import annotations

import json
from pathlib import Path

import click
import msgspec

from agent_journal.cli.group import COMMANDS, aj
from agent_journal.model.exchange import Export, Head, Line
from agent_journal.sql.making import tables

PAGE = Path(__file__).parent / "cli.md"
SQL_PAGE = Path(__file__).parent / "sql.md"
SCHEMA = Path(__file__).parent / "schema/session.json"
_MADE = "Made by `make docs` from the tables themselves.\n"


def cli_page() -> str:
    """The page: every command's help, word for word."""
    parts = ["# The command line\n\nMade by `make docs` from the commands' own help.\n"]
    root = click.Context(aj, info_name="aj", terminal_width=100, **aj.context_settings)
    parts.append(_section("aj", aj, root))
    for name in COMMANDS:
        command = aj.get_command(root, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=root, terminal_width=100)
        parts.append(_section(f"aj {name}", command, context))
        if isinstance(command, click.Group):
            for below, sub in command.commands.items():
                inner = click.Context(sub, info_name=below, parent=context, terminal_width=100)
                parts.append(_section(f"aj {name} {below}", sub, inner))
    return "\n".join(parts)


def _section(title: str, command: click.Command, context: click.Context) -> str:
    return f"## {title}\n\n```text\n{command.get_help(context)}\n```\n"


def sql_page() -> str:
    """The page of tables: what people wrote, then every column."""
    parts = [SQL_PAGE.read_text(encoding="utf-8").partition(_MADE)[0] + _MADE]
    for name, columns in tables().items():
        rows = [f"| `{one.name}` | {one.type} | {one.meaning} |" for one in columns]
        parts.append(
            "\n".join(
                [f"### {name}\n", "| column | type | meaning |", "| --- | --- | --- |", *rows, ""]
            )
        )
    return "\n".join(parts)


def schema() -> str:
    """The JSON schema of an export; `Head` and `Line` are what the lines of a .jsonl file are."""
    _, parts = msgspec.json.schema_components((Export, Head, Line), ref_template="#/$defs/{name}")
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A session as `aj export -f json` writes it",
        "$ref": "#/$defs/Export",
        "$defs": dict(sorted(parts.items())),
    }
    return json.dumps(whole, indent=1) + "\n"


if __name__ == "__main__":
    SQL_PAGE.write_text(sql_page(), encoding="utf-8")
    PAGE.write_text(cli_page(), encoding="utf-8")
    SCHEMA.parent.mkdir(exist_ok=True)
    SCHEMA.write_text(schema(), encoding="utf-8")
