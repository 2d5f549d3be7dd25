"""The readers of session files: whole documents (`.json`, rows) and logs of changes (`.jsonl`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from agent_journal.connectors.base import PAUSE, Content, FileIdentity, Pause
from agent_journal.connectors.jsonl import DocumentReader, LogReader, decode_document
from agent_journal.connectors.ledger import Ledger
from agent_journal.connectors.values import items, mapping, string
from agent_journal.connectors.vscode_chat import mutations
from agent_journal.connectors.vscode_chat.conversation import Conversation
from agent_journal.connectors.vscode_chat.places import product_of
from agent_journal.connectors.vscode_chat.states import moment
from agent_journal.connectors.vscode_chat.uris import Place, decode
from agent_journal.model import Event, Piece, Session

AGENT = "vscode-chat"
MAX_SIZE = 512 * 2**20
_AGENTS_WINDOW = "agent-sessions.code-workspace"
_ROWS = re.compile(r"state\.vscdb#rows-[^/]*\Z")
_GITHUB = re.compile(r"github\.com[:/]([^/]+/[^/]+?)(?:\.git)?/?\Z")


class Told:
    """Reads a document into pieces, and what it says about its session."""

    def __init__(self, file: FileIdentity, ledger: Ledger, agent: str = AGENT) -> None:
        self.agent = agent
        self.file = file
        self.ledger = ledger
        self.sessions: list[Session] = []
        self.completeness = 0

    def pieces(self, document: dict[str, Any], content: Content) -> Iterator[Piece]:
        """Everything the document says."""
        session_id = self.file.session_id or string(document.get("sessionId")) or self.file.name
        talk = Conversation(self.agent, document, session_id, self.ledger)
        yield from talk.pieces()
        for kind in ("pendingRequests", "inputState"):
            if document.get(kind):
                self.ledger.add("skipped", kind, 0, "a draft, not a message")
        session = self._session(talk, self._project(document, content))
        self.sessions = [session, *talk.sessions]
        self.completeness = _completeness(session, len(talk.requests), self.file.name)

    def _session(self, talk: Conversation, project: Place | None) -> Session:
        document = talk.document
        times = [
            *talk.times,
            *filter(
                None, (moment(document.get(key)) for key in ("creationDate", "lastMessageDate"))
            ),
        ]
        title, rank, source = _title(document, talk.first_prompt)
        repository = mapping(document.get("repoData"))
        versions = [
            string(mapping(one.get("agent")).get("extensionVersion")) for one in talk.requests
        ]
        root = self.file.path[: -len(self.file.name)] if self.file.name else self.file.path
        return Session(
            agent=self.agent,
            id=talk.session_id,
            title=title,
            title_rank=rank,
            title_source=source,
            project_path=None if project is None else project.path,
            repository=_repository(string(repository.get("remoteUrl"))),
            git_branch=string(repository.get("localBranch")),
            host_app=product_of(root) if self.agent == AGENT and "/" in self.file.name else None,
            agent_version=next(filter(None, reversed(versions)), None),
            models=tuple(talk.models),
            started_at=min(times, default=None),
            ended_at=max(times, default=None),
            tags=(f"remote:{project.remote}",) if project is not None and project.remote else (),
        )

    def _project(self, document: dict[str, Any], content: Content) -> Place | None:
        beside = "workspace.json" if _ROWS.search(self.file.name) else "../workspace.json"
        is_in_workspace = self.file.name.startswith("workspaceStorage/")
        place = None if not is_in_workspace else workspace_place(content.sibling(beside))
        if place is not None:
            return place
        own = string(document.get("workingDirectory"))
        keys = (
            string(metadata.get(key))
            for request in items(document.get("requests"))
            for metadata in (mapping(mapping(request.get("result")).get("metadata")),)
            for key in ("cacheKey", "globalContextCacheKey")
        )
        told = own or next(filter(None, keys), "").partition(",")[0]
        return folder_place(told) if told else None


class WorkspaceReader(DocumentReader):
    """Reads `workspace.json`, which says nothing by itself: the sessions beside it are read with
    it.
    """

    kind = "workspace"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing; ValueError when it is damaged, so that what it said before stays in force."""
        if not isinstance(decode_document(data), dict):
            raise ValueError("not a JSON object")
        return ()


class SessionReader(DocumentReader):
    """Reads a session that is one JSON document."""

    kind = "session"
    agent = AGENT
    max_size = MAX_SIZE

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Everything the document says."""
        document = decode_document(data)
        if not is_session(document):
            raise ValueError("not a chat session: there is no list of requests")
        told = Told(self.file, self.ledger, self.agent)
        pieces = list(told.pieces(document, content))
        self.found_sessions, self.completeness = told.sessions, told.completeness
        return pieces


class Entry(msgspec.Struct):
    """One line of a log; `v` that is absent says something else than null."""

    kind: Any = None
    k: Any = None
    v: Any = msgspec.UNSET
    i: Any = None


class NoState(msgspec.Struct):
    """A log is always replayed from its start."""


class ReplayReader(LogReader[Entry, NoState]):
    """Reads a session that is a log of changes, leniently: what cannot be replayed costs that line."""

    record_type = Entry
    state_type = NoState
    # Parts have kinds, too
    record_starts = ('{"kind":0,"v":', '{"kind":1,"k":', '{"kind":2,"k":', '{"kind":3,"k":')

    def __init__(self, file: FileIdentity, state: bytes | None = None) -> None:
        super().__init__(file, None)
        self._told = Told(file, self.ledger)
        self._document: Any = None
        self._is_partial = False
        self._content: Content | None = None

    def sessions(self) -> Iterable[Session]:
        """The session and its sub-agents, once the log is read."""
        return self._told.sessions

    @property
    def document(self) -> Any:
        """The last state of the session, once the log is read."""
        return self._document

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """Everything the last state of the document says."""
        self._content = content
        yield from (piece for piece in super().read(content) if piece is not PAUSE)
        if self.offset < content.size:  # read anew when it grows, so it need not wait for its end
            self._malformed(
                content.size - self.offset, "the last line is cut off; what came before it is read"
            )
            self.offset = content.size
        if is_session(self._document):
            if self._is_partial:
                _drop_holes(self._document)
            yield from self._told.pieces(self._document, content)
            self.completeness = self._told.completeness
        elif self.offset:
            self.ledger.trouble(0, "log", "there is no session in this log")

    def record(self, record: Entry, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """Applies one line."""
        kind = record.kind if type(record.kind) is int else None
        name = mutations.NAMES.get(kind) if kind is not None else None
        if name is None:
            self.unknown(f"change {record.kind!r}"[:80])
            session_id = self.file.session_id or self.file.name
            raw = line.decode("utf-8", "replace")
            return (
                Event(session_id=session_id, type="change", raw=raw, offset=offset, length=length),
            )
        entry = {"kind": kind, "k": record.k, "i": record.i}
        if record.v is not msgspec.UNSET:
            entry["v"] = record.v
        if kind == mutations.INITIAL and not isinstance(record.v, dict):
            raise ValueError("a session that is no object")
        if self._document is None and kind != mutations.INITIAL:
            self._begin_without_start(offset)
        self.mapped(name)
        self._document = mutations.apply(self._document, entry, lenient=self._is_partial)
        return ()

    def _begin_without_start(self, offset: int) -> None:
        """The first line is lost: VS Code gives such a session up, we replay on what there is."""
        stem = self.file.name.rpartition("/")[2].removesuffix(".jsonl")
        base = self._content.sibling(f"{stem}.json") if self._content is not None else None
        try:
            document = decode_document(base) if base is not None else None
        except ValueError:
            document = None
        found = is_session(document)
        self._document = document if found else {"version": 3, "sessionId": stem, "requests": []}
        self._is_partial = True
        what = (
            "replayed on the .json beside it" if found else "only what the later lines tell is left"
        )
        self.ledger.trouble(offset, "log", f"the log does not begin with the session; {what}")


def is_session(document: Any) -> bool:
    """Whether a document is a chat: whatever else it has, it has a list of requests."""
    return isinstance(document, dict) and isinstance(document.get("requests"), list)


def _drop_holes(document: dict[str, Any]) -> None:
    requests = document.get("requests")
    if isinstance(requests, list):
        document["requests"] = [request for request in requests if request is not None]


def workspace_place(data: bytes | None) -> Place | None:
    """The folder or workspace file that `workspace.json` names; None for the Agents window, which
    has none.
    """
    try:
        told = mapping(decode_document(data)) if data else {}
    except ValueError:
        return None
    uri = next(
        filter(None, (string(told.get(key)) for key in ("folder", "workspace", "configuration"))),
        None,
    )
    return None if uri is None or uri.endswith(_AGENTS_WINDOW) else folder_place(uri)


def folder_place(uri: str) -> Place | None:
    """The place of a folder on this or another machine; None for virtual ones."""
    place = decode(uri)
    return place if place is not None and place.scheme in ("file", "vscode-remote") else None


def _title(document: dict[str, Any], prompt: str | None) -> tuple[str | None, int, str | None]:
    for key, rank in (("customTitle", 50), ("computedTitle", 45)):
        if title := string(document.get(key)):
            return title, rank, "custom"
    return (prompt, 10, "prompt") if prompt else (None, 0, None)


def _repository(url: str | None) -> str | None:
    found = _GITHUB.search(url) if url else None
    return found[1] if found else url


def _completeness(session: Session, requests: int, name: str) -> int:
    """Later activity, more turns, the log, a folder's own: in this order, for two copies of a
    session.
    """
    if not requests:
        return 0
    activity = int(session.ended_at.timestamp() * 1000) if session.ended_at else 0
    tie = 2 * name.endswith(".jsonl") + (not name.startswith("globalStorage/"))
    return (max(0, activity) * 4096 + min(requests, 4095)) * 4 + tie
