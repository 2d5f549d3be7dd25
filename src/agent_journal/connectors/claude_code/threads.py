"""The sessions of a transcript: its own, and those of sub-agents.

    projects/<folder>/<session>.jsonl                          a session
    projects/<folder>/<session>/subagents/agent-<id>.jsonl     a sub-agent of it
    projects/<folder>/agent-<id>.jsonl                         the same, in older versions

Before sub-agents had files, their lines were in the session's own file, with `isSidechain`.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.claude_code.records import Record
from agent_journal.connectors.claude_code.state import SessionFacts, TranscriptState, keep_recent
from agent_journal.model import Session

_AGENT_PREFIX = "agent-"
_MAX_SIDECHAIN_LINES = 20_000
_SHORT_ID_LENGTH = 8
# Agents of the harness that are given the whole conversation: what they repeat must not be found
# twice.
_INTERNAL_AGENTS = ("agent-acompact-", "agent-aprompt_suggestion-", "agent-aside_question-")


class Threads:
    """The sessions of one transcript, and which of them a line belongs to."""

    def __init__(self, file: FileIdentity, state: TranscriptState) -> None:
        self._file = file
        self._state = state
        folders = file.name.split("/")
        stem = folders.pop().removesuffix(".jsonl")
        self.project_dir = _project_dir(folders)
        self._is_nested = "subagents" in folders
        self.agent_id: str | None = None
        if stem.startswith(_AGENT_PREFIX):
            self.agent_id = stem.removeprefix(_AGENT_PREFIX)
        self.is_subagent = self.agent_id is not None
        self.is_internal = stem.startswith(_INTERNAL_AGENTS)
        # The session whose folder the file is in. A sub-agent's file of an old version is not in
        # one; only its lines name the session.
        self.owner = _session_folder(folders)
        if self.agent_id is None:
            self.owner = file.session_id or self.owner or stem
        if not state.main.id and self.owner is not None:
            self._name_main(self.owner)
        elif self.owner is None:
            self.owner = state.main.parent

    def of(self, record: Record, offset: int) -> SessionFacts:
        """The session a line belongs to."""
        main = self._state.main
        if not main.id:
            self._name_main(record.session_id or None)
        if self.is_subagent:
            return main
        if not main.has_own_lines:
            self._note_origin(record.session_id)
        if not record.is_sidechain:
            return main
        return self._sidechain(record, offset)

    def sessions(self) -> Iterable[Session]:
        """The sessions as far as they are known.

        A transcript that is empty, or has only titles of other sessions, is an empty session.
        """
        for facts in (self._state.main, *self._state.sidechains.values()):
            if facts.has_lines or (facts.id and self._file.session_id):
                yield facts.session(self.project_dir)

    def names_of_agent(self, agent_id: str) -> tuple[str, ...]:
        """Where the file of a sub-agent would be, from the folder of this one."""
        name = f"{_AGENT_PREFIX}{agent_id}.jsonl"
        if self._is_nested:
            return name, f"../../{name}"
        return name, f"{self.owner}/subagents/{name}"

    def _note_origin(self, session_id: str | None) -> None:
        """Note whose lines come first: copies of another session's, which may be gone."""
        main = self._state.main
        if session_id == main.id:
            main.has_own_lines = True
        elif session_id:
            main.continues = session_id

    def _name_main(self, owner: str | None) -> None:
        main = self._state.main
        if self.agent_id is None:
            main.id = owner or ""
            return
        main.id = f"{_AGENT_PREFIX}{self.agent_id}"
        if owner:
            main.id = f"{owner}/{main.id}"
        main.parent = owner
        main.by_machine = self.is_internal
        self.owner = owner

    def _sidechain(self, record: Record, offset: int) -> SessionFacts:
        state = self._state
        uuid = record.uuid or f"line-{offset}"
        short_id = state.sidechain_of.get(record.parent_uuid or "") or uuid[:_SHORT_ID_LENGTH]
        keep_recent(state.sidechain_of, uuid, short_id, _MAX_SIDECHAIN_LINES)
        facts = state.sidechains.get(short_id)
        if facts is None:
            main_id = state.main.id
            session_id = f"{main_id}/sidechain-{short_id}"
            facts = SessionFacts(id=session_id, parent=main_id, titles={}, models=[])
            state.sidechains[short_id] = facts
        return facts


def _project_dir(folders: list[str]) -> str | None:
    if len(folders) > 1 and folders[0] == "projects":
        return folders[1]
    return None


def _session_folder(folders: list[str]) -> str | None:
    """The folder above `subagents`, which is named after its session."""
    if "subagents" not in folders[1:]:
        return None
    return folders[folders.index("subagents", 1) - 1]
