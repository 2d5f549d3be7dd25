"""`file_history`: which sessions changed a file, and how."""

from __future__ import annotations

from typing import TypedDict

from agent_journal.answers.answer import Answer, iso_time
from agent_journal.answers.recall.arguments import Arguments
from agent_journal.answers.recall.lines import indented, moment_of, quoted_title
from agent_journal.answers.recall.moment import Moment
from agent_journal.answers.recall.reply import Reply
from agent_journal.answers.searching import with_conditions
from agent_journal.model import FileEdit
from agent_journal.query.tree import And, Field, Parsed, Value
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.call_rows import EditRow, edits_by_id
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.search_rows import session_rows
from agent_journal.text.human import plural

_FIRST = 200  # edits among which those of the own project come first
_LONGEST_DIFF = 8_000  # letters


class FileHistoryItem(TypedDict):
    """One edit of a file, and the session that made it."""

    session: str
    title: str | None
    message: int
    path: str
    kind: str
    timestamp: str | None
    lines_added: int | None
    lines_removed: int | None
    diff: str | None


def tell_file_history(moment: Moment, given: Arguments) -> Reply:
    """Find the edits of a file, newest first."""
    limit, offset = given.number("limit"), given.number("offset")
    found = _find(moment, given, max(_FIRST, offset + limit))
    rows = found[offset : offset + limit]
    sessions = session_rows(moment.journal.db, {row.session_id for row in rows})
    has_diffs = given.is_set("diff")
    bodies = BodyReader(moment.journal.db)
    items = [_item(moment, row, sessions[row.session_id], bodies, has_diffs) for row in rows]
    has_more = offset + len(rows) < len(found)
    answer = Answer("file_history", items, total=None, limit=limit, has_more=has_more)

    def head(shown: int) -> str:
        if not items:
            return f"No edit of such a file was found. {moment.synced()}"
        more = ""
        if has_more or shown < len(items):
            more = f"; more: offset={offset + shown}"
        return f"{plural(shown, 'edit')}, newest first{more}. {moment.synced()}"

    def parts() -> list[str]:
        return [
            _part(moment, row, sessions[row.session_id], item)
            for row, item in zip(rows, items, strict=True)
        ]

    return Reply(answer, parts, head, 'read(session="AGENT:ID", at=N) says why')


def _find(moment: Moment, given: Arguments, limit: int) -> list[EditRow]:
    path = given.text("path") or ""
    tree = And((Field("file", (Value(path),)), Field("kind", (Value("edit"),))))
    project = given.text("project")
    parsed = with_conditions(Parsed(tree, None), project=project, since=given.text("since"))
    found = moment.find(parsed, "lexical", limit, per_session=False)
    ids = [hit.item_id for hit in found.hits]
    edits = edits_by_id(moment.journal.db, ids)
    rows = [edits[item_id] for item_id in ids if item_id in edits]
    rows = [row for row in rows if row.session_id not in moment.hidden]
    if project is None:
        rows.sort(key=lambda row: row.session_id not in moment.own)
    return rows


def _item(
    moment: Moment, row: EditRow, session: SessionRow, bodies: BodyReader, has_diff: bool
) -> FileHistoryItem:
    diff = None
    if has_diff:
        found = bodies.read(row.spot, FileEdit).diff
        if found is not None:
            diff = moment.cleaning.text(found)[:_LONGEST_DIFF]
    return FileHistoryItem(
        session=moment.session_name(session),
        title=moment.cleaning.title(session.title) or None,
        message=row.seq,
        path=moment.cleaning.text(row.path),
        kind=row.kind,
        timestamp=iso_time(row.timestamp),
        lines_added=row.lines_added,
        lines_removed=row.lines_removed,
        diff=diff,
    )


def _part(moment: Moment, row: EditRow, session: SessionRow, item: FileHistoryItem) -> str:
    size = ""
    if row.lines_added is not None or row.lines_removed is not None:
        size = f"  +{row.lines_added or 0} -{row.lines_removed or 0}"
    first = f"{item['session']} at={row.seq}  {moment_of(row.timestamp)}"
    text = f"{first}  {quoted_title(moment, session)}\n  {row.kind} {item['path']}{size}"
    if item["diff"]:
        text += "\n" + indented(item["diff"], "    ")
    return text
