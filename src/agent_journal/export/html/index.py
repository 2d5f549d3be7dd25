"""The page that leads to many sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from agent_journal.catalog.listing import SessionRow
from agent_journal.dates import from_micros
from agent_journal.export.html.figures import day_and_time, money, short
from agent_journal.export.html.frame import CLOSING, SPOKEN_STATUS, THEME_BUTTON, opening
from agent_journal.export.html.page import Look
from agent_journal.export.prose import in_tag
from agent_journal.redact import redact


class Entry(NamedTuple):
    """A session and the name of its file."""

    row: SessionRow
    name: str


def index_page(entries: Sequence[Entry], look: Look, home: str) -> Iterator[str]:
    """The sessions with what is known of each; a box narrows them."""
    count = f"{len(entries):,} session{'' if len(entries) == 1 else 's'}"
    yield opening(count, look.theme, look.made_by)
    yield f'<body>\n<header class="top"><h1>{count}</h1></header>\n<div class="column">\n'
    yield '<div class="bar" role="search"><input id="find" type="search" placeholder="Narrow the list" '
    yield 'aria-label="Narrow the list" autocomplete="off" spellcheck="false">'
    yield f'<span id="hits" class="meta" role="status"></span>{THEME_BUTTON}</div>\n<main>\n<ul class="list">\n'
    for row, name in entries:
        title = _told(row.title, look, home, 200) or "(no title)"
        yield f'<li><a href="{quote(name)}" dir="auto">{title}</a>'
        yield f'<span class="meta">{" · ".join(filter(None, _facts(row, look, home)))}</span></li>\n'
    yield f"</ul>\n</main>\n<footer><p>{in_tag(look.made_by)}. Times are UTC.</p></footer>\n</div>\n"
    yield f"{SPOKEN_STATUS}{CLOSING}"


def _facts(row: SessionRow, look: Look, home: str) -> Iterator[str]:
    yield day_and_time(from_micros(row.started_at or row.ended_at))
    yield in_tag(row.agent)
    yield _told(row.project_path or row.project_dir, look, home, 120)
    yield f"{row.prompt_count:,} prompt{'' if row.prompt_count == 1 else 's'}"
    given = [part for part in (row.input_tokens, row.cache_read_tokens, row.cache_write_tokens) if part is not None]
    tokens = [f"{short(sum(given))} in"] if given else []
    tokens += [f"{short(row.output_tokens)} out"] if row.output_tokens is not None else []
    yield ", ".join(tokens)
    cost = row.recorded_cost_micro_usd if row.recorded_cost_micro_usd is not None else row.cost_micro_usd
    yield "" if cost is None else money(cost)


def _told(text: str | None, look: Look, home: str, width: int) -> str:
    return in_tag(redact(text, home) if text and look.is_redacted else text, width)
