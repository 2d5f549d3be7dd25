"""How search results look: each hit with its session and the command that opens it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agent_journal.answers.hits_page import HitsPage, marker_of, snippet_of
from agent_journal.cli.exclusions import note_exclusions
from agent_journal.cli.nothing import unknown_value_lines
from agent_journal.cli.output import note, print_json, terminal_width, use_colour
from agent_journal.cli.paging import print_long
from agent_journal.cli.views.hit_lines import Layout, hit_lines, label_of
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import short_name
from agent_journal.store.catalog.store import last_sync
from agent_journal.text.human import human_time, plural
from agent_journal.text.plain import one_line, safe, shell_word

if TYPE_CHECKING:
    from agent_journal.query.tree import Parsed
    from agent_journal.search.finding import Found, Hit
    from agent_journal.search.marks import Marker
    from agent_journal.search.texts import Passage, Passages

_MOST_LETTERS = 60  # of a query that is repeated
_MOST_WORDS = 4  # that are named when nothing has them


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

    passages = Passages(journal.db, journal.quotes)
    if as_json:
        from agent_journal.answers.hits import hits_answer

        print_json(hits_answer(passages, parsed, found, page))
    elif found.hits:
        note_exclusions(parsed)
        if not is_semantic:
            _print_how_matched(parsed, found)
        _print_hits(journal, parsed, found, passages, page)
    else:
        _print_nothing_found(journal, parsed, found, page)


def _print_nothing_found(journal: Journal, parsed: Parsed, found: Found, page: HitsPage) -> None:
    from agent_journal.query.rendering import render
    from agent_journal.query.tree import words_of
    from agent_journal.search.terms import bare_word

    query = one_line(render(parsed), _MOST_LETTERS)
    if not page.offset:
        _print_words(found)
        for line in unknown_value_lines(journal, parsed):
            note(line)
        when = human_time(last_sync(journal.config.index_path))
        if len(found.missing) == 1 and bare_word(query) == safe(found.missing[0]):
            note(f"no hits (last sync {when}); try prefix* or 'aj ls'")
        elif not words_of(parsed.tree):
            note(f"no hits for {query} (last sync {when}); 'aj ls' lists sessions")
        else:
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


def _print_how_matched(parsed: Parsed, found: Found) -> None:
    from agent_journal.query.rendering import render

    _print_words(found)
    if found.how == "meaning":
        note("no exact match; showing similar results")
    elif found.how == "any" and not found.missing:
        query = one_line(render(parsed), _MOST_LETTERS)
        note(f"no message was found with all words of '{query}'; these have some of them")


def _print_words(found: Found) -> None:
    """Say which words were taken for others, and which were not found.

    Copies and earlier versions of files are kept and not searched: they may have them.
    """
    for typed, taken in found.spelled:
        note(f"{safe(typed)} was not found; showing results for {safe(taken)}")
    if found.missing:
        words = [safe(word) for word in found.missing[:_MOST_WORDS]]
        if len(found.missing) > _MOST_WORDS:
            words.append(f"{len(found.missing) - _MOST_WORDS} other words")
        note(f"not found: {', '.join(words)}")


def _count(found: Found, page: HitsPage) -> str:
    if not page.has_more(found):
        return plural(len(found.hits), "hit")
    more = f"(--offset {page.offset + page.limit} for more)"
    if found.total is None:
        return f"the best {plural(len(found.hits), 'hit')} {more}"
    return f"{len(found.hits):,} of {found.total:,} hits {more}"


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
