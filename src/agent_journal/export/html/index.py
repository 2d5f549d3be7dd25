"""The page that leads to many sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from agent_journal.export.html.figures import Total, counted, day_and_time
from agent_journal.export.html.frame import CLOSING, SPOKEN_STATUS, THEME_BUTTON, opening
from agent_journal.export.html.page import PageOptions
from agent_journal.export.prose import in_tag, short_title
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.text.dates import from_micros
from agent_journal.text.redaction.redact import redact


class IndexedSession(NamedTuple):
    """A session, the name of its file, and its usage with that of its sub-agents."""

    row: SessionRow
    name: str
    used: Total


def index_page(
    entries: Sequence[IndexedSession], options: PageOptions, home: str, query: str = ""
) -> Iterator[str]:
    """The list of sessions, with a box that narrows it; `query` is the search that found them."""
    entries = _by_activity(entries)
    count = counted(len(entries), "session")
    yield opening(count, options.theme, options.made_by)
    yield f'<body>\n<header class="top"><h1>{count}</h1>\n'
    yield '<p class="meta">'
    if query:
        yield f"Found by <code>{_shown(query, options, home, 500)}</code>. "
    yield 'In the order of their last activity.</p></header>\n<div class="column">\n'
    yield '<div class="bar" role="search">'
    yield '<input id="find" type="search" placeholder="Narrow the list" '
    yield 'aria-label="Narrow the list" autocomplete="off" spellcheck="false">'
    yield f'<span id="hits" class="meta" role="status"></span>{THEME_BUTTON}</div>\n'
    yield '<main>\n<ul class="list">\n'
    for row, name, used in entries:
        # Redacted before it is cut: half a secret is not recognised.
        title = in_tag(short_title(_redacted(row.title, options, home)), 200) or "(no title)"
        facts = " · ".join(filter(None, _facts(row, used, options, home)))
        yield f'<li><a href="{quote(name)}" dir="auto">{title}</a>'
        yield f'<span class="meta">{facts}</span></li>\n'
    yield f"</ul>\n</main>\n<footer><p>{in_tag(options.made_by)}. Times are UTC.</p>"
    yield "</footer>\n</div>\n"
    yield f"{SPOKEN_STATUS}{CLOSING}"


def _by_activity(entries: Sequence[IndexedSession]) -> list[IndexedSession]:
    """The newest first, unless the oldest first was asked for: then they are already sorted."""
    times = [entry.row.ended_at or entry.row.started_at or 0 for entry in entries]
    if times == sorted(times):
        return list(entries)
    return sorted(entries, key=lambda entry: -(entry.row.ended_at or entry.row.started_at or 0))


def _facts(row: SessionRow, used: Total, options: PageOptions, home: str) -> Iterator[str]:
    last = row.ended_at or row.started_at  # what the list is sorted by
    if last:
        yield f"last active {day_and_time(from_micros(last))}"
    yield in_tag(row.agent)
    yield _shown(row.project_path or row.project_dir, options, home, 120)
    yield _shown(", ".join(row.own_tag_names()), options, home, 120)
    yield counted(row.prompt_count, "prompt")
    yield used.tokens.replace(" · ", ", ")
    yield used.price


def _shown(text: str | None, options: PageOptions, home: str, width: int) -> str:
    return in_tag(_redacted(text, options, home), width)


def _redacted(text: str | None, options: PageOptions, home: str) -> str | None:
    if text and options.is_redacted:
        return redact(text, home)
    return text
