"""How hits look: for people with their session and the command that opens it, for programs as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from agent_journal.answers.items import iso
from agent_journal.cli.output import (
    echo,
    human_time,
    note,
    one_line,
    plural,
    print_json,
    safe,
    style,
    use_colour,
)
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.store import last_sync

if TYPE_CHECKING:
    from agent_journal.query.tree import Parsed
    from agent_journal.search.finding import Found, Hit
    from agent_journal.search.texts import Passage, Passages, Snippet


class Page(NamedTuple):
    """Which hits are shown, and how many messages around each."""

    limit: int
    offset: int
    context: int

    def has_more(self, found: Found) -> bool:
        """Whether there are hits after this page."""
        return len(found.hits) == self.limit and (
            found.total is None or found.total > self.offset + self.limit
        )


def print_found(journal: Journal, parsed: Parsed, found: Found, page: Page, as_json: bool) -> None:
    """Prints what was found."""
    from agent_journal.search.texts import Passages

    passages = Passages(journal.db, journal.quotes())
    if as_json:
        items = [_as_item(hit, passages, parsed, found, page.context) for hit in found.hits]
        shown = [item for item in items if item is not None]
        state = "more" if page.has_more(found) else "complete"
        print_json(
            "hits",
            shown,
            total=found.total,
            limit=page.limit,
            state=state,
            offset=page.offset,
            matched=found.how,
            instead=found.instead or None,
        )
        return
    _print_hits(journal, parsed, found, passages, page)


def _print_hits(
    journal: Journal, parsed: Parsed, found: Found, passages: Passages, page: Page
) -> None:
    from agent_journal.query.rendering import render

    when = human_time(last_sync(journal.config.index_path))
    asked = safe(render(parsed))
    if not found.hits and page.offset:
        note(
            f"no more hits for {asked}"
            + ("" if found.total is None else f": there are {found.total:,}")
        )
        return
    if not found.hits:
        note(f"no hits for {asked} (last sync {when}); fewer words, prefix* or 'aj ls' may help")
        return
    if found.how == "any":
        note(f"no session has all of {asked}; these have some")
    elif found.how == "meaning":
        note(f"these are about {asked}, in other words")
    elif found.how == "similar":
        note(f"no hits for {asked}; showing results for {safe(found.instead)}")
    colour = use_colour()
    for hit in found.hits:
        passage = passages.get(hit)
        if passage is not None:
            _print_hit(
                hit, passage, _snippet(passage, parsed, found), _short_id(journal, hit), colour
            )
            for near in passages.around(hit, page.context):
                echo(style(f"      {near.role}: {one_line(near.text, 150)}", "dim", on=colour))
    shown = plural(len(found.hits), "hit")
    if page.has_more(found):
        of = "" if found.total is None else f" of {found.total:,}"
        shown = f"{len(found.hits):,}{of} hits (--offset {page.offset + page.limit} for more)"
    note(f"{shown}, last sync {when}")


def _short_id(journal: Journal, hit: Hit) -> str:
    """As much of the id as `aj show` needs to find the session again."""
    if hit.session is None:
        return ""
    uid = hit.session.id
    query = "SELECT count(*) FROM sessions WHERE is_known = 1 AND uid >= ? AND uid < ?"
    (alike,) = journal.db.execute(query, (uid[:8], uid[:8] + "\U0010ffff")).fetchone()
    is_plain = alike == 1 and "/" not in uid and not uid.startswith("-")
    return uid[:8] if is_plain else f"{hit.session.agent}:{uid}"


def _print_hit(hit: Hit, passage: Passage, snippet: Snippet, short_id: str, colour: bool) -> None:
    row = hit.session
    title = (
        one_line(row.title or "(no title)", 80)
        if row is not None
        else f"{passage.kind}, of no session"
    )
    facts = [
        passage.kind,
        human_time(passage.timestamp or (row.ended_at if row is not None else None)),
    ]
    if row is not None:
        facts = [row.agent, _project(row), *facts]
    if hit.by == "meaning":
        facts.append("by meaning")
    echo(
        style(title, "bold", on=colour)
        + style("  " + " · ".join(filter(None, facts)), "dim", on=colour)
    )
    echo("    " + _marked(snippet, colour))
    if row is not None:
        place = "" if passage.seq is None else f" --message {passage.seq}"
        echo(style(f"    aj show {safe(short_id)}{place}", "dim", on=colour))


def _marked(snippet: Snippet, colour: bool) -> str:
    parts, at = [], 0
    for start, end in snippet.marks:
        parts += [
            safe(snippet.text[at:start]),
            style(safe(snippet.text[start:end]), "yellow", "bold", on=colour),
        ]
        at = end
    return "".join([*parts, safe(snippet.text[at:])])


def _project(row: SessionRow) -> str:
    path = row.project_path or row.project_dir or ""
    return one_line(path.replace("\\", "/").rstrip("/").rpartition("/")[2], 40)


def _snippet(passage: Passage, parsed: Parsed, found: Found) -> Snippet:
    import re

    from agent_journal.query.tree import words_of
    from agent_journal.search.texts import snippet

    asked = " ".join((*(one.text for one in words_of(parsed.tree)), found.instead))
    return snippet(passage.text, re.findall(r"[^\W_]+", asked))


def _as_item(
    hit: Hit, passages: Passages, parsed: Parsed, found: Found, context: int
) -> dict[str, Any] | None:
    passage = passages.get(hit)
    if passage is None:
        return None
    row, snippet = hit.session, _snippet(passage, parsed, found)
    session = (
        {}
        if row is None
        else {
            "session": f"{row.agent}:{row.id}",
            "agent": row.agent,
            "title": row.title,
            "project": row.project_path,
            "started_at": iso(row.started_at),
        }
    )
    message = {
        "id": passage.id or None,
        "role": passage.role or None,
        "kind": passage.kind,
        "timestamp": iso(passage.timestamp),
        "position": passage.seq,
    }
    around = [
        {
            "role": near.role,
            "kind": near.kind,
            "timestamp": iso(near.timestamp),
            "position": near.seq,
            "text": near.text,
        }
        for near in passages.around(hit, context)
    ]
    return {
        **session,
        "score": round(hit.score, 4),
        "by": hit.by,
        "message": message,
        "snippet": {"text": snippet.text, "marks": snippet.marks},
        "context": around,
    }
