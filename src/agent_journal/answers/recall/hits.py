"""`search`: everything that was said, done and printed, the own project first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_journal.answers.answer import Answer
from agent_journal.answers.hits import hits_answer
from agent_journal.answers.hits_page import HitsPage, marker_of, snippet_of
from agent_journal.answers.recall.arguments import Arguments
from agent_journal.answers.recall.lines import day, quoted_title
from agent_journal.answers.recall.moment import Moment
from agent_journal.answers.recall.reply import Reply
from agent_journal.answers.searching import with_conditions
from agent_journal.query.parser import parse
from agent_journal.search.texts import Neighbour, Passage, Passages
from agent_journal.text.human import plural

if TYPE_CHECKING:
    from agent_journal.query.tree import Parsed
    from agent_journal.search.finding import Found, Hit

_FIRST = 20  # hits among which those of the own project come first
_SNIPPET = 300  # columns


class CleanPassages(Passages):
    """Passages without secrets: a snippet could otherwise hold the half of one."""

    def __init__(self, moment: Moment) -> None:
        super().__init__(moment.journal.db, moment.journal.quotes)
        self._moment = moment
        self._known: dict[tuple[int, str], Passage | None] = {}

    def get(self, hit: Hit) -> Passage | None:
        """The row of a hit; None when it is gone, or may not be shown."""
        key = (hit.item_id, hit.part)
        if key not in self._known:
            self._known[key] = self._clean(hit, super().get(hit))
        return self._known[key]

    def around(self, hit: Hit, passage: Passage, count: int) -> list[Neighbour]:
        """Nothing: `read` shows what is around a hit."""
        return []

    def _clean(self, hit: Hit, passage: Passage | None) -> Passage | None:
        if passage is None:
            return None
        if hit.session is None and self._moment.has_exclusions:
            return None  # whose project it is of is not known for certain
        clean = self._moment.cleaning
        command = passage.parts[0].text
        parts = []
        for part in passage.parts:
            text = clean.printed(part.text, command) if passage.name else clean.text(part.text)
            parts.append(part._replace(text=text))
        return passage._replace(name=clean.text(passage.name), parts=tuple(parts))


def tell_hits(moment: Moment, given: Arguments) -> Reply:
    """Search, and return one page of hits."""
    limit, offset = given.number("limit"), given.number("offset")
    asked = given.text("query") or ""
    agent = given.text("agent")
    project = given.text("project")
    parsed = with_conditions(
        parse(asked),
        agents=(agent,) if agent else (),
        project=project,
        since=given.text("since"),
        until=given.text("until"),
    )
    found = _found(moment, parsed, max(_FIRST, offset + limit))
    if project is None:
        found = _own_first(moment, found)
    page = HitsPage(limit, offset, 0)
    found = found._replace(hits=found.hits[offset : offset + limit])
    passages = CleanPassages(moment)
    hits = [hit for hit in found.hits if passages.get(hit) is not None]
    found = found._replace(hits=[_with_clean_title(moment, hit) for hit in hits])
    answer = hits_answer(passages, parsed, found, page)
    # Which words are in the index, and which are like others, would give secrets away
    extra = {**answer.extra, "instead": None, "missing": [], "spelled": {}}
    answer = answer._replace(extra=extra)

    def parts() -> list[str]:
        return [_part(moment, passages, parsed, found, hit) for hit in found.hits]

    def head(shown: int) -> str:
        return _head(moment, answer, offset, shown)

    return Reply(answer, parts, head, 'read(session="AGENT:ID", at=N) shows more of one')


def _found(moment: Moment, parsed: Parsed, limit: int) -> Found:
    mode = str(moment.journal.config.get("search.default_mode"))
    return moment.find(parsed, mode, limit, per_session=True)


def _own_first(moment: Moment, found: Found) -> Found:
    """Of the first hits those of the own project come first; every page has the same order."""
    first, rest = found.hits[:_FIRST], found.hits[_FIRST:]
    own = [hit for hit in first if hit.session and hit.session.row_id in moment.own]
    others = [hit for hit in first if not (hit.session and hit.session.row_id in moment.own)]
    return found._replace(hits=[*own, *others, *rest])


def _with_clean_title(moment: Moment, hit: Hit) -> Hit:
    if hit.session is None:
        return hit
    return hit._replace(session=moment.cleaning.row(hit.session))


def _head(moment: Moment, answer: Answer, offset: int, shown: int) -> str:
    if not answer.items:
        return f"Nothing was found. {moment.synced()}"
    total = "many sessions"
    if answer.total is not None:
        total = plural(answer.total, "session")
    more = ""
    if answer.has_more or shown < len(answer.items):
        more = f"; more: offset={offset + shown}"
    return f"Hits in {shown} of {total}{more}. {moment.synced()}"


def _part(moment: Moment, passages: CleanPassages, parsed: Parsed, found: Found, hit: Hit) -> str:
    passage = passages.get(hit)
    assert passage is not None
    snippet = snippet_of(passage, marker_of(parsed, found), _SNIPPET)
    at = ""
    if passage.seq is not None:
        at = f" at={passage.seq}"
    row = hit.session
    when = day(passage.timestamp)
    if row is None:
        return f"{passage.agent or 'unknown agent'}  {when}  ({passage.kind})\n  {snippet.text}"
    name = moment.session_name(row)
    first = f"{name}{at}  {when}  {quoted_title(moment, row)}  ({passage.kind})"
    return f"{first}\n  {snippet.text}"
