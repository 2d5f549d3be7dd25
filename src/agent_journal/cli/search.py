"""`aj search`: find what was said, done and printed."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from agent_journal.catalog.listing import SessionRow
from agent_journal.catalog.store import last_sync
from agent_journal.cli.items import iso
from agent_journal.cli.options import agent_option, json_option
from agent_journal.cli.output import echo, human_time, note, one_line, plural, print_json, safe, style, use_colour
from agent_journal.errors import UsageError
from agent_journal.journal import Journal, no_journal

if TYPE_CHECKING:
    from agent_journal.query import Parsed
    from agent_journal.search.finding import Found, Hit
    from agent_journal.search.texts import Passage, Passages, Snippet

MODES = ("lexical", "semantic", "hybrid")
_STALE = 300  # seconds after which a search looks for new sessions first


@click.command()
@click.argument("words", metavar="QUERY...", nargs=-1, required=True)
@agent_option
@click.option("--project", metavar="TEXT", help="Only sessions whose folder or repository contains this.")
@click.option("--since", metavar="TIME", help="Only what is newer: 2d, yesterday, 2026-01 …")
@click.option("--until", metavar="TIME", help="Only what is older.")
@click.option(
    "-n", "limit", type=click.IntRange(min=1, max=10_000), default=20, show_default=True, help="Most hits shown."
)
@click.option("--offset", type=click.IntRange(min=0, max=100_000), default=0, help="Leave out the first hits.")
@click.option("--flat", is_flag=True, help="Every hit, not only the best of each session.")
@click.option("-C", "--context", type=click.IntRange(min=0), default=0, metavar="N", help="Messages around each hit.")
@click.option("--mode", type=click.Choice(MODES), help="How to look: search.default_mode, hybrid if that is not set.")
@click.option("--no-sync", is_flag=True, help="Do not look for new sessions first.")
@json_option
def search(
    words: tuple[str, ...], agent: tuple[str, ...], project: str | None, since: str | None, until: str | None,
    limit: int, offset: int, flat: bool, context: int, mode: str | None, no_sync: bool, as_json: bool,
) -> int:  # fmt: skip
    """Find what was said, done and printed, in every session of every agent.

    Looks for words and for meaning at once (--mode hybrid). All words must match; "phrases", -not, OR, prefix*,
    /regex/ and fields such as agent: project: tool: file: is: date: narrow it down (docs/query.md).

    \b
    Examples:
      aj search flaky retry test
      aj search '"connection limit" agent:claude-code date:7d'
      aj search tool:bash docker -compose --flat
      aj search --mode semantic how did we make uploads faster
    """
    from agent_journal.query import parse

    text = " ".join(words).encode("utf-8", "replace").decode()
    parsed = _narrowed(parse(text), agent, project, since, until)
    with Journal.open() as journal:
        if not no_sync:
            _freshen(journal)
        mode = mode or str(journal.config.get("search.default_mode"))
        found = _search(journal, parsed, mode, limit + offset, not flat)
        found = found._replace(hits=found.hits[offset:])
        _print(journal, parsed, found, context, as_json)
    return 0


def _narrowed(
    parsed: Parsed, agent: tuple[str, ...], project: str | None, since: str | None, until: str | None
) -> Parsed:
    """The query with what the options say; they hold for all of it."""
    from agent_journal.query import And, Dates, Field, Node, Value, bounds

    more: list[Node] = [Field("agent", tuple(Value(name) for name in agent))] if agent else []
    more += [Field("project", (Value(project),))] if project else []
    if since or until:
        dates = Dates(since, until)
        try:
            bounds(dates, datetime.now(UTC))
        except ValueError as error:
            raise UsageError(str(error)) from error
        more.append(dates)
    if not more:
        return parsed
    given = parsed.tree.nodes if isinstance(parsed.tree, And) else () if parsed.tree is None else (parsed.tree,)
    nodes = (*given, *more)
    return parsed._replace(tree=nodes[0] if len(nodes) == 1 else And(nodes))


def _freshen(journal: Journal) -> None:
    """Looks for new sessions, when nobody did lately."""
    from agent_journal.errors import JournalBusy

    last = last_sync(journal.config.index_path)
    if last is None or time.time() - last / 1e6 > _STALE:
        try:
            journal.sync(wait=0)
        except JournalBusy:
            pass  # another aj is at it: the answer says how fresh it is


def _search(journal: Journal, parsed: Parsed, mode: str, limit: int, per_session: bool) -> Found:
    from agent_journal.indexes import lexical, vectors
    from agent_journal.search.finding import Found, Searcher

    index = lexical(journal.config)
    if journal.db is None:
        raise no_journal(journal.config)
    if not index.is_there():
        journal.sync()
        assert journal.db is not None
    if not index.is_there():
        return Found([], 0, "all")  # there is nothing to be found yet
    enabled = bool(journal.config.get("index.vector.enabled"))
    if mode == "semantic" and not enabled:
        note("aj: vectors are turned off (index.vector.enabled); looking for words instead")
        mode = "lexical"
    searcher = Searcher(journal.db, index, vectors(journal.config) if enabled else None)
    return searcher.find(parsed, mode, per_session=per_session, limit=limit)


def _print(journal: Journal, parsed: Parsed, found: Found, context: int, as_json: bool) -> None:
    from agent_journal.archive import Archive
    from agent_journal.catalog.files import Files
    from agent_journal.quotes import Quotes
    from agent_journal.search.texts import Passages

    assert journal.db is not None
    archive = Archive(journal.config.archive_path)
    try:
        passages = Passages(journal.db, Quotes(Files(journal.db), archive))
        if as_json:
            items = [_as_item(hit, passages, parsed, context) for hit in found.hits]
            shown = [item for item in items if item is not None]
            print_json("hits", shown, matched=found.how, instead=found.instead or None)
            return
        _print_hits(journal, parsed, found, passages, context)
    finally:
        archive.close()


def _print_hits(journal: Journal, parsed: Parsed, found: Found, passages: Passages, context: int) -> None:
    from agent_journal.query import render

    when = human_time(last_sync(journal.config.index_path))
    asked = safe(render(parsed))
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
        passage = passages.get(hit.item_id)
        if passage is not None:
            _print_hit(hit, passage, _snippet(passage, parsed, found), _short_id(journal, hit), colour)
            for line in passages.around(hit, context):
                echo(style(f"      {one_line(line, 160)}", "dim", on=colour))
    note(f"{plural(len(found.hits), 'hit')}, last sync {when}")


def _short_id(journal: Journal, hit: Hit) -> str:
    """As much of the id as `aj show` needs to find the session again."""
    if hit.session is None or journal.db is None:
        return ""
    uid = hit.session.id
    query = "SELECT count(*) FROM sessions WHERE is_known = 1 AND substr(uid, 1, 8) = ?"
    (alike,) = journal.db.execute(query, (uid[:8],)).fetchone()
    is_plain = alike == 1 and "/" not in uid and not uid.startswith("-")
    return uid[:8] if is_plain else f"{hit.session.agent}:{uid}"


def _print_hit(hit: Hit, passage: Passage, snippet: Snippet, short_id: str, colour: bool) -> None:
    row = hit.session
    title = one_line(row.title or "(no title)", 80) if row is not None else f"{passage.kind}, of no session"
    facts = [passage.kind, human_time(passage.timestamp or (row.ended_at if row is not None else None))]
    if row is not None:
        facts = [row.agent, _project(row), *facts]
    echo(style(title, "bold", on=colour) + style("  " + " · ".join(filter(None, facts)), "dim", on=colour))
    echo("    " + _marked(snippet, colour))
    if row is not None:
        echo(style(f"    aj show {safe(short_id)}", "dim", on=colour))


def _marked(snippet: Snippet, colour: bool) -> str:
    parts, at = [], 0
    for start, end in snippet.marks:
        parts += [safe(snippet.text[at:start]), style(safe(snippet.text[start:end]), "yellow", "bold", on=colour)]
        at = end
    return "".join([*parts, safe(snippet.text[at:])])


def _project(row: SessionRow) -> str:
    path = row.project_path or row.project_dir or ""
    return one_line(path.replace("\\", "/").rstrip("/").rpartition("/")[2], 40)


def _snippet(passage: Passage, parsed: Parsed, found: Found | None = None) -> Snippet:
    from agent_journal.query import words_of
    from agent_journal.search.texts import snippet

    terms = [part for one in words_of(parsed.tree) for part in one.text.split()]
    if found is not None and found.instead:
        terms += found.instead.split()
    return snippet(passage.text, terms)


def _as_item(hit: Hit, passages: Passages, parsed: Parsed, context: int) -> dict[str, Any] | None:
    passage = passages.get(hit.item_id)
    if passage is None:
        return None
    row, snippet = hit.session, _snippet(passage, parsed)
    session = {} if row is None else {
        "session": f"{row.agent}:{row.id}", "agent": row.agent, "title": row.title, "project": row.project_path,
        "started_at": iso(row.started_at),
    }  # fmt: skip
    message = {
        "id": passage.id or None, "role": passage.role or None, "kind": passage.kind,
        "timestamp": iso(passage.timestamp), "position": passage.seq,
    }  # fmt: skip
    return {
        **session, "score": round(hit.score, 4), "message": message,
        "snippet": {"text": snippet.text, "marks": snippet.marks}, "context": passages.around(hit, context),
    }  # fmt: skip
