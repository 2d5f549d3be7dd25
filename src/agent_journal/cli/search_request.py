"""A search as it was asked for, and how it is run.

Imports no click: a search is run hundreds of times a day.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_journal.answers.searching import (
    MODES,
    MOST_HITS,
    Wanted,
    narrowed,
    search_index,
    search_unwritable,
    with_conditions,
)
from agent_journal.cli.output import ProgressBar, note
from agent_journal.errors import CannotWrite, JournalBusy
from agent_journal.journal import Journal
from agent_journal.store.catalog.store import last_sync

if TYPE_CHECKING:
    from agent_journal.query.tree import Node
    from agent_journal.search.finding import Found
    from agent_journal.search.lexical import Lexical

_FILE_SECONDS = 2.0  # of CPU time that a search gives to one file: 'aj sync' reads the rest
_STALE_SECONDS = 300  # after which a search looks for new sessions first
_LONGEST_WAIT = 60  # seconds for a search index that another aj is making
_PAUSE = 0.05  # seconds between two looks
_ACTIVE_SECONDS = 900  # since the last message of a session that counts as the current one


class SearchRequest(NamedTuple):
    """A search as it was typed; None means that the settings decide."""

    words: tuple[str, ...]
    agent: tuple[str, ...] = ()
    project: str | None = None
    since: str | None = None
    until: str | None = None
    limit: int | None = None
    offset: int = 0
    is_flat: bool = False
    context: int | None = None
    mode: str | None = None
    is_synced: bool | None = None  # None: when the last sync was a while ago
    without_current: bool = False
    as_json: bool = False


# The options that a search without click understands: their field and its value.
_FLAGS: dict[str, tuple[str, bool]] = {
    "--json": ("as_json", True),
    "--flat": ("is_flat", True),
    "--no-sync": ("is_synced", False),
    "--sync": ("is_synced", True),
    "--exclude-current": ("without_current", True),
}


def parse_plain(args: list[str]) -> SearchRequest | None:
    """Read a search with the usual options, without click; None when it has others."""
    words: list[str] = []
    options: dict[str, Any] = {}
    rest = iter(args)
    for word in rest:
        if not word.startswith("-") or is_query_text(word):
            words.append(word)
        elif word in _FLAGS:
            field, value = _FLAGS[word]
            options[field] = value
        elif word == "-n":
            options["limit"] = _parse_limit(next(rest, ""))
            if options["limit"] is None:
                return None
        elif word == "--mode":
            options["mode"] = next(rest, "")
            if options["mode"] not in MODES:
                return None
        else:
            return None
    if not words:
        return None
    return SearchRequest(tuple(words), **options)


def _parse_limit(text: str) -> int | None:
    if text.isdecimal() and text.isascii() and 0 < int(text) <= MOST_HITS:
        return int(text)
    return None


def is_query_text(word: str) -> bool:
    """Whether an argument with a dash belongs to the query, such as `-compose`, `-rf` or `--x y`.

    Others are options, or unknown ones.
    """
    if len(word) < 2 or word in ("-n", "-C", "-h"):
        return False
    if word.startswith("--"):
        name, _, _ = word.partition("=")
        return any(map(str.isspace, name))
    if not word.startswith("-"):
        return False
    is_attached_number = word[1] in "nC" and word[2:].isdecimal()  # -n5
    return not is_attached_number


def search_and_print(request: SearchRequest) -> int:
    """Search, print what was found, and return the exit code."""
    from agent_journal.answers.hits_page import HitsPage
    from agent_journal.cli.views.hits import print_found
    from agent_journal.query.parser import parse

    text = " ".join(request.words).encode("utf-8", "replace").decode()
    parsed = with_conditions(
        parse(text),
        agents=request.agent,
        project=request.project,
        since=request.since,
        until=request.until,
    )
    with Journal.open() as journal:
        if request.is_synced is not False:
            sync_if_stale(journal, is_forced=request.is_synced is True)
        if request.without_current:
            parsed = narrowed(parsed, _not_current(journal))
        page = HitsPage(_limit(journal, request), request.offset, _context(journal, request))
        mode = request.mode or str(journal.config.get("search.default_mode"))
        wanted = Wanted(parsed, mode, page.limit + page.offset, per_session=not request.is_flat)
        found = _search(journal, wanted)
        found = found._replace(hits=found.hits[page.offset :])
        print_found(
            journal,
            parsed,
            found,
            page,
            is_semantic=mode == "semantic",
            as_json=request.as_json,
        )
    return 0


def _limit(journal: Journal, request: SearchRequest) -> int:
    if request.limit is not None:
        return request.limit
    return min(MOST_HITS, int(str(journal.config.get("search.max_results"))))


def _context(journal: Journal, request: SearchRequest) -> int:
    if request.context is not None:
        return request.context
    return int(str(journal.config.get("search.default_context")))


def _not_current(journal: Journal) -> list[Node]:
    """Exclude the sessions that are active in the working folder, and their sub-agents."""
    import os

    from agent_journal.query.tree import Field, Not, Value
    from agent_journal.store.catalog.session_filters import EXACT_SESSION
    from agent_journal.store.catalog.session_names import active_sessions

    try:
        here = os.path.realpath(os.getcwd()) + os.sep
    except OSError:  # the folder was deleted
        return []
    if not journal.exists:
        return []
    values: list[Value] = []
    since = int((time.time() - _ACTIVE_SECONDS) * 1e6)
    for session in active_sessions(journal.db, since):
        folder = os.path.realpath(session.project_path).rstrip(os.sep) + os.sep
        if here.startswith(folder):
            name = f"{session.agent}:{session.id}"
            values += [Value(name), Value(f"{name}/", is_prefix=True)]
    if not values:
        return []
    return [Not(Field(EXACT_SESSION, tuple(values)))]


def sync_if_stale(journal: Journal, is_forced: bool = False) -> None:
    """Look for new sessions when the last sync was a while ago, or always when forced."""
    last = last_sync(journal.config.index_path)
    is_stale = last is None or time.time() - last / 1e6 > _STALE_SECONDS
    if not is_stale and not is_forced:
        return
    try:
        _sync(journal)
    except JournalBusy:
        pass  # another aj is syncing; the answer says how fresh it is
    except CannotWrite as error:
        if is_forced or not journal.exists:
            raise
        note(f"aj: {error.message}; searching without new sessions")


def _sync(journal: Journal, wait: float = 0.0) -> None:
    bar = ProgressBar("reading")
    try:
        journal.sync(wait=wait, progress=bar, file_seconds=_FILE_SECONDS)
    finally:
        bar.done()


def _wait_for_index(journal: Journal, index: Lexical) -> None:
    """Build the search index, or wait until another aj has: a first sync soon has a part of it."""
    deadline = time.monotonic() + _LONGEST_WAIT
    while not index.is_of(journal.db):
        try:
            _sync(journal)
            return
        except JournalBusy:
            if time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE)


def _search(journal: Journal, wanted: Wanted) -> Found:
    return journal.with_indexes(lambda: _search_once(journal, wanted))


def _search_once(journal: Journal, wanted: Wanted) -> Found:
    from agent_journal.search.finding import Found
    from agent_journal.sync.indexes import lexical

    index = lexical(journal.config)
    if not index.is_of(journal.db):
        try:
            note("aj: building the search index")
            _wait_for_index(journal, index)
        except CannotWrite as error:
            return search_unwritable(journal, error, wanted, _tell)
    if not index.is_of(journal.db):
        return Found([], 0, "all")  # nothing to search yet
    return search_index(journal, wanted, _tell)


def _tell(text: str) -> None:
    note(f"aj: {text}")
