"""Whether a call really printed a commit: the index knows only a few letters of its id."""

from __future__ import annotations

from agent_journal.model import Event, ToolCall
from agent_journal.model.written_lines import printed_commits
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.line_rows import Writing
from agent_journal.store.lines.reading import commits_of_event


def prints_commit(bodies: BodyReader, writing: Writing, sha: str) -> bool:
    """Whether an item tells of a commit with this id.

    A result that is only in the archive is not read again: the index has seen it there.
    """
    if writing.source == "event":
        found = commits_of_event(bodies.read(writing.spot, Event))
    elif writing.source == "call":
        call = bodies.read(writing.spot, ToolCall)
        if call.result is None:
            return True
        found = list(printed_commits(call.result))
    else:
        return False
    return any(sha.startswith(commit.sha) for commit in found)
