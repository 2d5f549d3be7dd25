"""The optional hooks of a connector, each with the default that holds where it is not overridden.

Our own connectors derive from `AgentConnector`. A connector of another package may do the same, or
have only the hooks it needs: the missing ones are filled in when it is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from agent_journal.connectors.base import (
    INDEX_MARK,
    Connector,
    FoundFile,
    Recognition,
    Unlisted,
)

if TYPE_CHECKING:
    from datetime import datetime

UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
PLAIN_ID = r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}"  # never an option, never a path
_LOG_SUFFIXES = (".jsonl", ".ndjson", ".log")


class ResumeMethod(NamedTuple):
    """An agent's own command that resumes a session, with `{}` for the id.

    ids: the pattern of the ids that the command accepts. needs_folder: whether it looks for the
    session by the folder it is started in. instead: what a person can do where there is no command.
    """

    title: str
    argv: tuple[str, ...] = ()
    ids: str = UUID
    needs_folder: bool = True
    instead: str = ""


class AgentConnector(Connector, Protocol):
    """A connector with all its hooks."""

    # How the names of session files end, for `aj import` of a folder
    import_suffixes: tuple[str, ...] = (".json", ".jsonl")
    # Folders in a root of the agent: `aj import` reads a folder with one of them as a root
    root_folders: tuple[str, ...] = ()
    # Patterns of where databases are in a root: `aj import` finds the root by them
    databases: tuple[str, ...] = ()
    # Whether the databases of another agent have the same names, so that only their rows can tell
    has_shared_database_names: bool = False
    # Whether the costs that the agent records are in credits worth one cent each
    records_credits: bool = False
    # What a place that records usage leaves out, by its Usage.origin: `aj doctor` explains with it
    usage_gaps: Mapping[str, str] = MappingProxyType({})
    # The files in which the agent lists its sessions, as a GLOB pattern: `aj doctor` reports those
    # without a transcript
    session_list: str = f"*{INDEX_MARK}"
    # Files of the agent that are read with sessions and belong to none: they are not handed on
    shared_files: tuple[str, ...] = ()
    # Whether a transcript has several sessions: it is a copy only of one that begins with it
    holds_many_sessions: bool = False
    # Whether earlier versions gave sessions other ids (`former_id`)
    has_former_ids: bool = False
    # Whether its times are those of the clock on the wall, without a zone; read as UTC
    has_local_clock: bool = False
    # How a session is resumed; None when that is not known
    resume_method: ResumeMethod | None = None

    def retention_days(self, root: str) -> int | None:
        """Return None: most agents delete no sessions by themselves."""
        return None

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """Recognise a file by its first megabytes; None when it is not a session of this agent.

        A ValueError says why a file that is clearly of this agent cannot be imported.
        """
        return None

    def recognise_document(self, path: str, document: Any, content: bytes) -> Recognition | None:
        """Recognise a file that is one JSON document, by its parsed value and its bytes.

        A ValueError says why a file that is clearly of this agent cannot be imported.
        """
        return None

    def recognise_by_name(self, path: str) -> Recognition:
        """What a file is read as when a person says it is this agent's (`aj import --as`)."""
        if path.lower().endswith(_LOG_SUFFIXES):
            return Recognition("log", None)
        return Recognition("session", None)

    def found_with(self, path: str) -> tuple[FoundFile | Unlisted, ...]:
        """Return the file that `discover` finds for a path, where it stands for several files.

        It has the same size and time as there. Nothing for a file that only stands for itself.
        """
        return ()

    def former_id(self, path: str, started_at: datetime | None, number: int) -> str | None:
        """The id that an earlier version gave a session in a file at this path.

        `number` counts the sessions of the file that began at the same time.
        """
        return None

    def why_not_resumable(self, session_id: str, names: Iterable[str]) -> str | None:
        """Why the agent cannot resume a session that has files of these names; None when it can."""
        return None

    def resumable_name(self, name: str) -> str:
        """The name under which the agent resumes a kept file; mostly the one it was kept under."""
        return name

    def is_resumable(self, name: str, session_id: str, content: bytes) -> bool:
        """Whether a file is the transcript that the agent resumes this session from."""
        return False
