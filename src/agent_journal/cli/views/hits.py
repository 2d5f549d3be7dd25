"""How search results look: each hit with its session and the command that opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_journal.answers.hits_page import HitsPage, snippet_of
from agent_journal.cli.exclusions import note_exclusions
from agent_journal.cli.output import echo, note, print_json, style, use_colour
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.session_names import count_with_prefix
from agent_journal.store.catalog.store import last_sync
from agent_journal.text.human import human_time, plural
from agent_journal.text.plain import one_line, safe, shell_word

if TYPE_CHECKING:
    from agent_journal.query.tree import Parsed
    from agent_journal.search.finding import Found, Hit
    from agent_journal.search.texts import Passage, Passages, Snippet

_KINDS = {"history": "prompt history"}


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
        note_exclusions(parsed)
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
    colour = use_colour()
    for hit in found.hits:
        passage = passages.get(hit)
        if passage is None:
            continue
        snippet = snippet_of(passage, parsed, found)
        _print_hit(hit, passage, snippet, _short_id(journal, hit), colour)
        for near in passages.around(hit, page.context):
            echo(style(f"      {near.role}: {one_line(near.text, 150)}", "dim", on=colour))
    when = human_time(last_sync(journal.config.index_path))
    note(f"{_count(found, page)}, last sync {when}")


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


def _short_id(journal: Journal, hit: Hit) -> str:
    """Return as much of the id as `aj show` needs to find the session again."""
    if hit.session is None:
        return ""
    session_id = hit.session.id
    prefix = session_id[:8]
    is_plain = "/" not in session_id and not session_id.startswith("-")
    if is_plain and count_with_prefix(journal.db, prefix) == 1:
        return prefix
    return f"{hit.session.agent}:{session_id}"


def _print_hit(hit: Hit, passage: Passage, snippet: Snippet, short_id: str, colour: bool) -> None:
    row = hit.session
    if row is None:
        title = f"{_KINDS.get(passage.kind, passage.kind)} (no session)"
        facts = [passage.kind, safe(passage.id), human_time(passage.timestamp)]
    else:
        title = one_line(row.title or "(no title)", 80)
        when = human_time(passage.timestamp or row.ended_at)
        facts = [row.agent, _project(row), passage.kind, when]
    if hit.by == "meaning":
        facts.append("by meaning")
    details = "  " + " · ".join(filter(None, facts))
    echo(style(title, "bold", on=colour) + style(details, "dim", on=colour))
    echo("    " + _marked(snippet, colour))
    if row is not None:
        command = f"aj show {shell_word(short_id)}"
        if passage.seq is not None:
            command += f" --message {passage.seq}"
        elif passage.kind == "document":
            command += f" --document {shell_word(passage.id)}"
        echo(style(f"    {command}", "dim", on=colour))


def _marked(snippet: Snippet, colour: bool) -> str:
    parts: list[str] = []
    at = 0
    for start, end in snippet.marks:
        parts.append(safe(snippet.text[at:start]))
        parts.append(style(safe(snippet.text[start:end]), "yellow", "bold", on=colour))
        at = end
    parts.append(safe(snippet.text[at:]))
    return "".join(parts)


def _project(row: SessionRow) -> str:
    path = row.project_path or row.project_dir or ""
    _, _, name = path.replace("\\", "/").rstrip("/").rpartition("/")
    return one_line(name, 40)
