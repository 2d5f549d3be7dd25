"""The files of a project beside its transcripts: notes of the agent, and its list of sessions.

projects/<folder>/memory/MEMORY.md, agent-memory/<agent>/MEMORY.md
    notes that the agent writes for itself, as Markdown
projects/<folder>/sessions-index.json
    {"version":1,"entries":[{"sessionId":"…","firstPrompt":"…","summary":"…","created":"…Z"}]}
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from agent_journal.connectors.base import Content
from agent_journal.connectors.claude_code.state import AGENT, CUSTOM_TITLE, SUMMARY
from agent_journal.connectors.jsonl import DocumentReader
from agent_journal.connectors.titles import prompt_title
from agent_journal.connectors.values import one_line
from agent_journal.model import Piece, Plan, Session
from agent_journal.text.dates import parse_time

_FIRST_PROMPT = 5  # below what a transcript itself says
_NO_PROMPT = "No prompt"  # what the agent writes for a session without one


class MemoryReader(DocumentReader):
    """A note of the agent about a project, or of one kind of sub-agent."""

    kind = "memory"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The note, named by the folder it is about."""
        name = self.file.name.removeprefix("projects/").removesuffix(".md")
        text = data.decode("utf-8", "replace")
        return (Plan(text=text, name=name, kind="memory", path=self.file.path),)


class _Entry(Struct, rename="camel"):
    session_id: str | None = None
    first_prompt: str | None = None
    summary: str | None = None
    custom_title: str | None = None
    created: str | int | float | None = None
    modified: str | int | float | None = None
    git_branch: str | None = None
    project_path: str | None = None
    is_sidechain: bool | None = None


class _Index(Struct):
    entries: list[msgspec.Raw] = field(default_factory=list)


class SessionsIndexReader(DocumentReader):
    """`sessions-index.json`: the titles of sessions, also of those without a transcript.

    It is often stale: an entry alone makes no session.
    """

    kind = "sessions-index"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """No pieces; each entry is about a session."""
        try:
            index = msgspec.json.decode(data, type=_Index)
        except (msgspec.DecodeError, RecursionError) as error:
            raise ValueError(f"not the expected JSON: {error}") from None
        folder = self.file.name.split("/")[1]
        for raw in index.entries:
            entry = self._entry(raw)
            if entry is not None and entry.session_id and not entry.is_sidechain:
                self.found_sessions.append(_listed(entry.session_id, entry, folder))
        return ()

    def _entry(self, raw: msgspec.Raw) -> _Entry | None:
        """An entry; an odd one is reported and costs none of the others."""
        try:
            return msgspec.json.decode(raw, type=_Entry)
        except (msgspec.DecodeError, RecursionError) as error:
            self.ledger.trouble(0, self.kind, f"an entry is not as expected: {error}")
            return None


def _listed(session_id: str, entry: _Entry, folder: str) -> Session:
    session = Session(
        agent=AGENT,
        id=session_id,
        project_path=entry.project_path or None,
        project_dir=folder,
        git_branch=entry.git_branch or None,
        started_at=parse_time(entry.created),
        ended_at=parse_time(entry.modified),
        is_hint=True,
    )
    custom_title = one_line(entry.custom_title or "")
    summary = one_line(entry.summary or "")
    if custom_title:
        return replace(
            session, title=custom_title, title_rank=CUSTOM_TITLE, title_source="custom-title"
        )
    if summary:
        return replace(session, title=summary, title_rank=SUMMARY, title_source="summary")
    if entry.first_prompt and entry.first_prompt != _NO_PROMPT:
        title = prompt_title(entry.first_prompt)
        return replace(session, title=title, title_rank=_FIRST_PROMPT, title_source="prompt")
    return session
