"""How search results look: each hit with its session and the command that opens it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agent_journal.answers.hits_page import HitsPage, marker_of, snippet_of
from agent_journal.cli.output import note, print_json, terminal_width, use_colour
from agent_journal.cli.paging import print_long
from agent_journal.cli.views.hit_lines import Layout, hit_lines, label_of
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import short_name
from agent_journal.store.catalog.store import last_sync
from agent_journal.text.human import human_time, plural
from agent_journal.text.plain import safe, shell_word
from agent_journal.text.width import display_width

if TYPE_CHECKING:
    from agent_journal.query.tree import Parsed
    from agent_journal.search.finding import Found, Hit
    from agent_journal.search.marks import Marker
    from agent_journal.search.texts import Passage, Passages


def print_found(
    journal: Journal,
    parsed: Parsed,
    found: Found,
    page: HitsPage,
    *,
    is_semantic: bool,
    as_json: bool,
) -> None:
    """Print what was found; `is_semantic`: the search was by meaning only."""
    from agent_journal.search.texts import Passages

    passages = Passages(journal.db, journal.quotes())
    if as_json:
        from agent_journal.answers.hits import hits_answer

        print_json(hits_answer(passages, parsed, found, page))
    elif found.hits:
        if not is_semantic:
            _print_how_matched(parsed, found)
        _print_hits(journal, parsed, found, passages, page)
    else:
        _print_nothing_found(journal, parsed, found, page)


def _print_nothing_found(journal: Journal, parsed: Parsed, found: Found, page: HitsPage) -> None:
    from agent_journal.query.rendering import render

    query = safe(render(parsed))
    if not page.offset:
        when = human_time(last_sync(journal.config.index_path))
        note(f"no hits for {query} (last sync {when}); try fewer words, prefix* or 'aj ls'")
    elif found.total is None:
        note(f"no more hits for {query}")
    else:
        note(f"no more hits for {query}: there are {found.total:,}")


def _print_hits(
    journal: Journal, parsed: Parsed, found: Found, passages: Passages, page: HitsPage
) -> None:
    layout = Layout(None, use_colour())
    if sys.stdout.isatty():
        layout = Layout(terminal_width(), use_colour())
    marker = marker_of(parsed, found)
    print_long(_lines(journal, found, passages, page, marker, layout))
    when = human_time(last_sync(journal.config.index_path))
    note(f"{_count(found, page)}, last sync {when}")
    if any(hit.session is not None for hit in found.hits):
        _print_hint(marker, layout)


def _lines(
    journal: Journal,
    found: Found,
    passages: Passages,
    page: HitsPage,
    marker: Marker,
    layout: Layout,
) -> Iterator[str]:
    for hit in found.hits:
        passage = passages.get(hit)
        if passage is None:
            continue
        width = layout.snippet_width(label_of(hit, passage))
        snippet = snippet_of(passage, marker, width)
        around = passages.around(hit, passage, page.context)
        command = _command(journal, hit, passage)
        yield from hit_lines(hit, passage, snippet, around, command, layout)


def _print_hint(marker: Marker, layout: Layout) -> None:
    """Say how to open a hit with its words marked, where that fits on a line of the terminal."""
    words = shell_word(" ".join(marker.words))
    hint = f"open one with its words marked: aj show ID -m N --find {words}"
    if layout.width is None or not marker.words:
        return
    if display_width(hint) <= layout.width:
        note(hint)


def _print_how_matched(parsed: Parsed, found: Found) -> None:
    from agent_journal.query.rendering import render

    query = safe(render(parsed))
    if found.how == "any":
        note(f"no session has all of {query}; these have some")
    elif found.how == "meaning":
        note("no exact match; showing similar results")
    elif found.how == "similar":
        note(f"no hits for {query}; showing results for {safe(found.instead)}")


def _count(found: Found, page: HitsPage) -> str:
    if not page.has_more(found):
        return plural(len(found.hits), "hit")
    shown = f"{len(found.hits):,}"
    if found.total is not None:
        shown += f" of {found.total:,}"
    return f"{shown} hits (--offset {page.offset + page.limit} for more)"


def _command(journal: Journal, hit: Hit, passage: Passage) -> str:
    """Return the command that opens a hit; nothing for one without a session."""
    if hit.session is None:
        return ""
    command = f"aj show {shell_word(short_name(journal.db, hit.session))}"
    if passage.seq is not None:
        return f"{command} -m {passage.seq}"
    if passage.kind == "document":
        return f"{command} --document {shell_word(passage.id)}"
    return command
