"""What `aj star`, `aj tag` and `aj title` share: which sessions are meant, and what is printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agent_journal.cli.output import echo, print_json, style, use_colour
from agent_journal.cli.views.marks import shown_star, shown_tags
from agent_journal.errors import NoSuchSession
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import short_name
from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.text.plain import one_line

_LONGEST_TITLE = 100


def meant_sessions(journal: Journal, texts: Sequence[str]) -> list[SessionRow]:
    """Return the sessions with these ids, each once; several may be joined with commas."""
    rows: dict[int, SessionRow] = {}
    for text in texts:
        for row in _sessions(journal, text):
            rows[row.row_id] = row
    return list(rows.values())


def _sessions(journal: Journal, text: str) -> list[SessionRow]:
    parts = [part for part in text.split(",") if part]
    if len(parts) < 2:
        return [journal.row(text)]
    try:
        return [journal.row(text)]  # an id with a comma
    except NoSuchSession:
        return [journal.row(part) for part in parts]


def change_and_print(
    journal: Journal,
    rows: list[SessionRow],
    change: Callable[[str, list[SessionRow]], None],
    *,
    as_json: bool,
) -> None:
    """Change the marks of sessions, and print what they are now."""
    change(journal.config.marks_path, rows)
    journal.refresh()
    print_marked(journal, [journal.row(f"{row.agent}:{row.id}") for row in rows], as_json=as_json)


def print_marked(journal: Journal, rows: Sequence[SessionRow], *, as_json: bool) -> None:
    """Print what a person said of sessions."""
    if as_json:
        from agent_journal.answers.marks import marks_answer

        print_json(marks_answer(rows))
        return
    colour = use_colour()
    for row in rows:
        name = style(short_name(journal.db, row), "cyan", on=colour)
        title = one_line(row.title, _LONGEST_TITLE) or "(no title)"
        echo(f"{name}  {shown_star(row)}{title}{shown_tags(row)}")
