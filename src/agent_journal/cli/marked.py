"""What `aj star`, `aj tag` and `aj title` share: which sessions are meant, and what is printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agent_journal.cli.output import print_json
from agent_journal.cli.table import Cell, Column, Table
from agent_journal.cli.views.marks import own_marks, shown_star
from agent_journal.errors import NoSuchSession
from agent_journal.journal import Journal
from agent_journal.store.catalog.compact_ids import compact_ids
from agent_journal.store.catalog.session_row import SessionRow

_COLUMNS = (
    Column("id"),
    Column("title", least=20),
    Column("tags", least=10),
)


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
    plain: bool,
) -> None:
    """Change the marks of sessions, and print what they are now."""
    change(journal.config.marks_path, rows)
    journal.refresh()
    changed = [journal.row(f"{row.agent}:{row.id}") for row in rows]
    print_marked(journal, changed, as_json=as_json, plain=plain)


def print_marked(
    journal: Journal, rows: Sequence[SessionRow], *, as_json: bool, plain: bool
) -> None:
    """Print what a person said of sessions."""
    if as_json:
        from agent_journal.answers.marks import marks_answer

        print_json(marks_answer(rows))
        return
    if not rows:
        return
    table = Table(_COLUMNS, has_piped_head=False)
    for short_id, row in zip(compact_ids(journal.db, rows), rows, strict=True):
        title = row.title or "(no title)"
        table.add(
            Cell(short_id, ("cyan",), plain=row.id),
            Cell(shown_star(row) + title, plain=row.title or ""),
            Cell(" ".join(f"#{tag}" for tag in row.own_tag_names()), plain=_plain_marks(row)),
        )
    table.print(plain=plain)


def _plain_marks(row: SessionRow) -> str:
    return ", ".join(own_marks(row))
