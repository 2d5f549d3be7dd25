"""The page that leads to many sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from agent_journal.export.html.figures import Total, day_and_time
from agent_journal.export.html.frame import CLOSING, SPOKEN_STATUS, THEME_BUTTON, opening
from agent_journal.export.html.page import Look
from agent_journal.export.prose import in_tag, short_title
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.text.dates import from_micros
from agent_journal.text.redaction.redact import redact


class Entry(NamedTuple):
    """A session, the name of its file, and what it used with its sub-agents: what its page says."""

    row: SessionRow
    name: str
    used: Total


def index_page(entries: Sequence[Entry], look: Look, home: str, query: str = "") -> Iterator[str]:
    """The sessions with what is known of each; a box narrows them. `query` found them."""
    entries = _by_activity(entries)
    count = f"{len(entries):,} session{'' if len(entries) == 1 else 's'}"
    yield opening(count, look.theme, look.made_by)
    yield f'<body>\n<header class="top"><h1>{count}</h1>\n'
    found = f"Found by <code>{_told(query, look, home, 500)}</code>. " if query else ""
    yield f'<p class="meta">{found}In the order of their last activity.</p></header>\n<div class="column">\n'
    yield '<div class="bar" role="search"><input id="find" type="search" placeholder="Narrow the list" '
    yield 'aria-label="Narrow the list" autocomplete="off" spellcheck="false">'
    yield f'<span id="hits" class="meta" role="status"></span>{THEME_BUTTON}</div>\n<main>\n<ul class="list">\n'
    for row, name, used in entries:
        # Taken out before it is cut: half a secret is not recognised.
        title = in_tag(short_title(_taken_out(row.title, look, home)), 200) or "(no title)"
        yield f'<li><a href="{quote(name)}" dir="auto">{title}</a>'
        yield f'<span class="meta">{" · ".join(filter(None, _facts(row, used, look, home)))}</span></li>\n'
    yield f"</ul>\n</main>\n<footer><p>{in_tag(look.made_by)}. Times are UTC.</p></footer>\n</div>\n"
    yield f"{SPOKEN_STATUS}{CLOSING}"


def _by_activity(entries: Sequence[Entry]) -> list[Entry]:
    """The newest first, unless they are in order already: the oldest first was asked for."""
    times = [entry.row.ended_at or entry.row.started_at or 0 for entry in entries]
    if times == sorted(times):
        return list(entries)
    return sorted(entries, key=lambda entry: -(entry.row.ended_at or entry.row.started_at or 0))


def _facts(row: SessionRow, used: Total, look: Look, home: str) -> Iterator[str]:
    last = row.ended_at or row.started_at  # what the list is sorted by
    yield f"last active {day_and_time(from_micros(last))}" if last else ""
    yield in_tag(row.agent)
    yield _told(row.project_path or row.project_dir, look, home, 120)
    yield f"{row.prompt_count:,} prompt{'' if row.prompt_count == 1 else 's'}"
    yield used.tokens.replace(" · ", ", ")
    yield used.price


def _told(text: str | None, look: Look, home: str, width: int) -> str:
    return in_tag(_taken_out(text, look, home), width)


def _taken_out(text: str | None, look: Look, home: str) -> str | None:
    return redact(text, home) if text and look.is_redacted else text
