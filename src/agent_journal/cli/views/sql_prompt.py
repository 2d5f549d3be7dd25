"""The prompt of `aj sql`: one query after the other, with history and completion."""

from __future__ import annotations

import os
from contextlib import suppress
from types import ModuleType

from agent_journal.cli.output import echo, note, style, use_colour
from agent_journal.cli.views.rows import described, print_result
from agent_journal.errors import JournalError
from agent_journal.journal import Journal
from agent_journal.sql.database import Database
from agent_journal.sql.folders import READERS
from agent_journal.sql.making import tables

_KEYWORDS = (
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
_HELP = "end a query with ; · .tables lists the tables · .columns TABLE · quit (or Ctrl-D)"
_HISTORY_LENGTH = 1000


def converse(journal: Journal, database: Database, limit: int) -> None:
    """Answer queries until the person quits."""
    history = os.path.join(journal.config.home, "sql-history")
    readline = _load_readline(history)
    note(_HELP)
    waiting = ""  # the lines of a query that is not complete yet
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
        if not waiting and _is_quit(line):
            break
        waiting = _take_line(journal, database, limit, f"{waiting}\n{line}".strip())
    _save_history(readline, history)


def _is_quit(line: str) -> bool:
    return line.strip(" \t;").lower() in ("exit", "quit", ".quit", ".exit", ".q")


def _take_line(journal: Journal, database: Database, limit: int, text: str) -> str:
    """Do what was typed; return it when it is the beginning of a query."""
    if text.startswith("."):
        _run_command(text.split())
        return ""
    if text.strip(" \t;").lower() == "help":
        note(_HELP)
        return ""
    if not text.endswith(";"):
        return text
    _answer(journal, database, text, limit)
    return ""


def _answer(journal: Journal, database: Database, query: str, limit: int) -> None:
    try:
        journal.refresh()
        database.refresh(journal.find_db())
        print_result(database.ask(query, limit))
    except JournalError as error:
        note(f"aj: {error.message}")
        if error.hint:
            note(f"    {error.hint}")
    except KeyboardInterrupt:
        note("cancelled")


def _run_command(words: list[str]) -> None:
    if words[0] == ".tables":
        for name, columns in tables().items():
            echo(style(name, "bold", on=use_colour()) + f"  {len(columns)} columns")
    elif words[0] in (".columns", ".schema") and len(words) > 1 and words[1] in tables():
        columns = tables()[words[1]]
        described(columns).print()
    else:
        note(_HELP)


def _load_readline(history: str) -> ModuleType | None:
    try:
        import readline
    except ImportError:  # Windows
        return None
    with suppress(OSError):
        readline.read_history_file(history)
    names = {*tables(), *READERS}
    for columns in tables().values():
        names.update(column.name for column in columns)
    words = sorted(names)

    def complete(text: str, state: int) -> str | None:
        if not text:
            return None
        known = [word for word in words if word.startswith(text.lower())]
        known += [word for word in _KEYWORDS if word.startswith(text.upper())]
        if state < len(known):
            return known[state]
        return None

    readline.set_completer(complete)
    readline.set_completer_delims(" \t\n,();=<>+-*/'\"")
    readline.parse_and_bind("tab: complete")
    readline.set_auto_history(True)
    return readline


def _save_history(readline: ModuleType | None, path: str) -> None:
    if readline is None:
        return
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        readline.set_history_length(_HISTORY_LENGTH)
        readline.write_history_file(path)
        os.chmod(path, 0o600)
