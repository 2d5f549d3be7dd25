"""What a commit says of itself: trailers and notes that name an agent or a session."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from agent_journal.provenance.git import Repository
from agent_journal.provenance.sessions import Sessions
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.line_rows import sessions_with_id

_TRAILER = re.compile(r"^([A-Za-z][A-Za-z0-9-]{1,60}): (\S.{0,500})$", re.MULTILINE)
_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{7,80}")
_SPEAKING = ("agent", "session", "assisted", "generated")  # in names of trailers
_CO_AUTHOR = "co-authored-by"
_AGENTS = re.compile(
    r"\b(?:claude|copilot|codex|cursor|aider|gemini|openai|anthropic|devin|amp|opencode)\b", re.I
)
_MOST_NOTE = 20_000  # letters of a note that are looked at


class Evidence(NamedTuple):
    """A trailer or a note; `session` is the row of the session that it names, if there is one."""

    kind: Literal["trailer", "note"]
    name: str
    value: str
    session: int | None


def evidence_of(
    db: Connection, sessions: Sessions, repository: Repository, sha: str
) -> list[Evidence]:
    """What the message of a commit and its notes say of agents."""
    message = repository.git.order("log", "-1", "--encoding=UTF-8", "--format=%B", sha, "--")
    found = []
    for trailer in _TRAILER.finditer(message.decode("utf-8", "replace")):
        name, value = trailer[1], trailer[2].strip()
        if _speaks_of_agents(name, value):
            found.append(Evidence("trailer", name, value, _session_in(db, sessions, value)))
    for ref in _note_refs(repository):
        note = repository.git.ask("notes", f"--ref={ref}", "show", sha)
        if note.code == 0:
            text = note.output.decode("utf-8", "replace")[:_MOST_NOTE]
            session = _session_in(db, sessions, text)
            if session is not None:
                found.append(Evidence("note", ref, "", session))
    return found


def _speaks_of_agents(name: str, value: str) -> bool:
    if name.lower() == _CO_AUTHOR:
        return _AGENTS.search(value) is not None
    return any(word in name.lower() for word in _SPEAKING)


def _session_in(db: Connection, sessions: Sessions, text: str) -> int | None:
    """The session whose id is in a text; None for none, or several."""
    words = list(dict.fromkeys(_ID.findall(text)))[:200]
    found = {sessions.main_of(row) for row in sessions_with_id(db, words)}
    if len(found) != 1:
        return None
    return found.pop()


def _note_refs(repository: Repository) -> list[str]:
    listed = repository.git.ask("for-each-ref", "--format=%(refname)", "refs/notes/")
    return listed.output.decode("utf-8", "replace").split()
