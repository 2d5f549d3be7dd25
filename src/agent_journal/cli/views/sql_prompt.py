"""The prompt of `aj sql`: one query after the other, with history and completion."""

from __future__ import annotations

import os
from contextlib import suppress
from types import ModuleType

from agent_journal.cli.commands.sql import print_result
from agent_journal.cli.output import echo, note, style, table, use_colour
from agent_journal.errors import JournalError
from agent_journal.journal import Journal
from agent_journal.sql.database import Database
from agent_journal.sql.folders import READERS
from agent_journal.sql.making import tables

_WORDS = (
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "LIMIT",
    "JOIN",
    "USING",
    "COUNT",
    "SUM",
    "DISTINCT",
    "DESCRIBE",
    "BETWEEN",
    "HAVING",
)
_HELP = "a query ends with ; · .tables lists them · .columns TABLE · quit (or Ctrl-D)"


def converse(journal: Journal, database: Database, limit: int) -> None:
    """Answers queries until the person has enough."""
    readline = _with_readline(os.path.join(journal.config.home, "sql-history"))
    note(_HELP)
    waiting = ""
    while True:
        try:
            line = input("... " if waiting else "aj> ")
        except EOFError:
            echo()
            break
        except KeyboardInterrupt:
            waiting = ""
            echo()
            continue
        word = "" if waiting else line.strip(" \t;").lower()
        if word in ("exit", "quit"):
            break
        if word == "help":
            note(_HELP)
            continue
        waiting = f"{waiting}\n{line}".strip()
        if waiting.startswith("."):
            if waiting.split()[0] in (".quit", ".exit", ".q"):
                break
            _command(waiting)
            waiting = ""
        elif waiting.endswith(";"):
            _ask(journal, database, waiting, limit)
            waiting = ""
    _keep(readline, os.path.join(journal.config.home, "sql-history"))


def _ask(journal: Journal, database: Database, query: str, limit: int) -> None:
    try:
        journal.refresh()
        database.refresh(journal.find_db())
        print_result(database.ask(query, limit))
    except JournalError as error:
        note(f"aj: {error.message}")
        if error.hint:
            note(f"    {error.hint}")
    except KeyboardInterrupt:
        note("broken off")


def _command(text: str) -> None:
    words = text.split()
    if words[0] == ".tables":
        for name, columns in tables().items():
            echo(style(name, "bold", on=use_colour()) + f"  {len(columns)} columns")
    elif words[0] in (".columns", ".schema") and len(words) > 1 and words[1] in tables():
        for line in table([(one.name, one.type, one.meaning) for one in tables()[words[1]]]):
            echo(line)
    else:
        note(_HELP)


def _with_readline(path: str) -> ModuleType | None:
    try:
        import readline
    except ImportError:  # Windows
        return None
    with suppress(OSError):
        readline.read_history_file(path)
    words = sorted(
        {*tables(), *READERS, *(one.name for cells in tables().values() for one in cells)}
    )

    def complete(text: str, state: int) -> str | None:
        known = [word for word in words if word.startswith(text.lower())] if text else []
        known += [word for word in _WORDS if text and word.startswith(text.upper())]
        return known[state] if state < len(known) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" \t\n,();=<>+-*/'\"")
    readline.parse_and_bind("tab: complete")
    readline.set_auto_history(True)
    return readline


def _keep(readline: ModuleType | None, path: str) -> None:
    if readline is None:
        return
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        readline.set_history_length(1000)
        readline.write_history_file(path)
        os.chmod(path, 0o600)
