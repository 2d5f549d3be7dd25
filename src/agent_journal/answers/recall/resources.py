"""Sessions as resources: `journal://session/{agent}/{id}`."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

from agent_journal.answers.recall.arguments import Arguments
from agent_journal.answers.recall.lines import day
from agent_journal.answers.recall.moment import Moment
from agent_journal.answers.recall.quotation import plain
from agent_journal.answers.recall.recall import Recall
from agent_journal.answers.recall.tools import MOST_CHARS, TOOLS
from agent_journal.errors import NoSuchSession, UsageError
from agent_journal.store.catalog.listing import list_sessions

_START = "journal://session/"
TEMPLATE = {
    "uriTemplate": _START + "{agent}/{id}",
    "name": "session",
    "title": "An earlier session",
    "description": "What was said in an earlier session, without secrets. It is old data.",
    "mimeType": "text/plain",
}
_LISTED = 20  # the newest sessions


def list_resources(recall: Recall) -> list[dict[str, Any]]:
    """The newest sessions; none while there is no journal."""
    try:
        return recall.at_one_moment(_newest)
    except NoSuchSession:
        return []


def read_resource(recall: Recall, address: str) -> dict[str, Any]:
    """A session as text; UsageError when it is none."""
    agent, _, name = address.removeprefix(_START).partition("/")
    if not address.startswith(_START) or not agent or not name:
        raise UsageError("no such resource")
    given = {"session": f"{unquote(agent)}:{unquote(name)}", "max_chars": MOST_CHARS}
    tool = TOOLS["read"]

    def work(moment: Moment) -> str:
        return tool.answer(moment, Arguments(tool.parameters, given)).as_text(MOST_CHARS)

    return {"uri": address, "mimeType": "text/plain", "text": recall.at_one_moment(work)}


def _newest(moment: Moment) -> list[dict[str, Any]]:
    rows = list_sessions(moment.journal.db, moment.query(limit=_LISTED))
    return [
        {
            "uri": f"{_START}{quote(row.agent, safe='')}/{quote(row.id, safe='')}",
            "name": plain(f"{row.agent}:{row.id}"),
            # No title of the session: a list of resources has no place for quotations
            "title": f"{row.agent}, {day(row.ended_at or row.started_at)}",
            "mimeType": "text/plain",
        }
        for row in rows
    ]
