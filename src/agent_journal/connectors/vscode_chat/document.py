"""The readers of session files: whole documents (`.json`, rows) and logs of changes (`.jsonl`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.base import PAUSE, Content, FileIdentity, Pause
from agent_journal.connectors.jsonl import DocumentReader, LogReader, decode_document
from agent_journal.connectors.ledger import Ledger
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.values import (
    array,
    exact_integer,
    first_string,
    mapping,
    string,
)
from agent_journal.connectors.vscode_chat import mutations
from agent_journal.connectors.vscode_chat.conversation import Conversation
from agent_journal.connectors.vscode_chat.packed import (
    INITIAL,
    LogLine,
    decode_line,
    each_request,
    unpacked,
)
from agent_journal.connectors.vscode_chat.places import product_of
from agent_journal.connectors.vscode_chat.states import moment
from agent_journal.connectors.vscode_chat.uris import Place, decode
from agent_journal.model import Event, Piece, Session

AGENT = "vscode-chat"
MAX_SIZE = 512 * 2**20
_AGENTS_WINDOW = "agent-sessions.code-workspace"
_ROWS = re.compile(r"state\.vscdb#rows-[^/]*\Z")
_GITHUB = re.compile(r"github\.com[:/]([^/]+/[^/]+?)(?:\.git)?/?\Z")


class SessionParser:
    """Reads a document into pieces and what it says about its session."""

    def __init__(self, file: FileIdentity, ledger: Ledger, agent: str = AGENT) -> None:
        self.agent = agent
        self.file = file
        self.ledger = ledger
        self.sessions: list[Session] = []
        self.completeness = 0

    def pieces(self, document: dict[str, Any], content: Content) -> Iterator[Piece]:
        """Everything the document says."""
        session_id = self.file.session_id or string(document.get("sessionId")) or self.file.name
        chat = Conversation(self.agent, document, session_id, self.ledger)
        yield from chat.pieces()
        for kind in ("pendingRequests", "inputState"):
            if document.get(kind):
                self.ledger.add("skipped", kind, 0, "a draft, not a message")
        session = self._session(chat, self._project(document, content))
        self.sessions = [session, *chat.sessions]
        self.completeness = _completeness(session, len(chat.requests), self.file.name)

    def _session(self, chat: Conversation, project: Place | None) -> Session:
        document = chat.document
        dates = [moment(document.get(key)) for key in ("creationDate", "lastMessageDate")]
        times = [*chat.times, *filter(None, dates)]
        title = _title(document, chat.spoken_title)
        repository = mapping(document.get("repoData"))
        session = Session(
            agent=self.agent,
            id=chat.session_id,
            title=title.text,
            title_rank=title.rank,
            title_source=title.source,
            repository=_repository(string(repository.get("remoteUrl"))),
            git_branch=string(repository.get("localBranch")),
            host_app=self._product(),
            agent_version=_extension_version(chat.requests),
            models=tuple(chat.models),
            started_at=min(times, default=None),
            ended_at=max(times, default=None),
        )
        if project is None:
            return session
        session = replace(session, project_path=project.path)
        if project.remote:
            session = replace(session, tags=(f"remote:{project.remote}",))
        return session

    def _product(self) -> str | None:
        """The product whose file this is; None for an export."""
        if self.agent != AGENT or "/" not in self.file.name:
            return None
        return product_of(self.file.path[: -len(self.file.name)])

    def _project(self, document: dict[str, Any], content: Content) -> Place | None:
        """The folder of the session: of its workspace, or else the one it names."""
        if self.file.name.startswith("workspaceStorage/"):
            name = "workspace.json" if _ROWS.search(self.file.name) else "../workspace.json"
            place = workspace_place(content.sibling(name))
            if place is not None:
                return place
        folder = string(document.get("workingDirectory")) or _cached_folder(document)
        if not folder:
            return None
        return folder_place(folder)


class WorkspaceReader(DocumentReader):
    """Reads `workspace.json`, which says nothing alone: the sessions beside it are read with it."""

    kind = "workspace"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Nothing; ValueError if it is damaged, so that what it said before stays in force."""
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
        parser = SessionParser(self.file, self.ledger, self.agent)
        pieces = list(parser.pieces(document, content))
        self.found_sessions = parser.sessions
        self.completeness = parser.completeness
        return pieces


class NoState(msgspec.Struct):
    """A log is always replayed from its start."""


class ReplayReader(LogReader[LogLine, NoState]):
    """Reads a session that is a log of changes; a line that cannot be replayed is skipped."""

    record_type = LogLine
    state_type = NoState
    # Parts have kinds, too
    record_starts = ('{"kind":0,"v":', '{"kind":1,"k":', '{"kind":2,"k":', '{"kind":3,"k":')

    def __init__(self, file: FileIdentity, state: bytes | None = None) -> None:
        super().__init__(file, None)
        self._decode = decode_line  # type: ignore[assignment]
        self._parser = SessionParser(file, self.ledger)
        self._document: Any = None
        self._is_partial = False
        self._content: Content | None = None

    def sessions(self) -> Iterable[Session]:
        """The session and its sub-agents, once the log is read."""
        return self._parser.sessions

    @property
    def document(self) -> Any:
        """The last state of the session, once the log is read."""
        if is_session(self._document):
            self._document["requests"] = list(map(unpacked, self._document["requests"]))
        return self._document

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """Everything the last state of the document says."""
        self._content = content
        yield from (piece for piece in super().read(content) if piece is not PAUSE)
        unread = content.size - self.offset
        if unread > 0:  # the whole log is read again when it grows: no need to wait for the rest
            self._malformed(unread, "the last line is cut off; what came before it is read")
            self.offset = content.size
        if is_session(self._document):
            if self._is_partial:
                _drop_holes(self._document)
            yield from self._parser.pieces(self._document, content)
            self.completeness = self._parser.completeness
        elif self.offset:
            self.ledger.trouble(0, "log", "there is no session in this log")

    def record(self, record: LogLine, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """Apply one line."""
        kind = exact_integer(record.kind)
        if kind not in mutations.NAMES:
            self.unknown(f"change {record.kind!r}"[:80])
            event = Event(
                session_id=self.file.session_id or self.file.name,
                type="change",
                raw=line.decode("utf-8", "replace"),
                offset=offset,
                length=length,
            )
            return (event,)
        change = {"kind": kind, "k": record.k, "i": record.i}
        if record.v is not msgspec.UNSET:
            change["v"] = record.v
        if kind == INITIAL and not isinstance(record.v, dict):
            raise ValueError("a session is not an object")
        if self._document is None and kind != INITIAL:
            self._begin_without_start(offset)
        self.mapped(mutations.NAMES[kind])
        self._document = mutations.apply(self._document, change, lenient=self._is_partial)
        return ()

    def _begin_without_start(self, offset: int) -> None:
        """Replay on what there is if the first line is lost; VS Code gives such a session up."""
        stem = self.file.name.rpartition("/")[2].removesuffix(".jsonl")
        document = self._sibling_document(f"{stem}.json")
        if is_session(document):
            what = "replayed on the .json beside it"
        else:
            document = {"version": 3, "sessionId": stem, "requests": []}
            what = "only what the later lines say is left"
        self._document = document
        self._is_partial = True
        self.ledger.trouble(offset, "log", f"the log does not begin with the session; {what}")

    def _sibling_document(self, name: str) -> Any:
        data = None
        if self._content is not None:
            data = self._content.sibling(name)
        if data is None:
            return None
        try:
            return decode_document(data)
        except ValueError:
            return None


def is_session(document: Any) -> bool:
    """Whether a document is a chat: whatever else it has, it has a list of requests."""
    return isinstance(document, dict) and isinstance(document.get("requests"), list)


def _drop_holes(document: dict[str, Any]) -> None:
    requests = document.get("requests")
    if isinstance(requests, list):
        document["requests"] = [request for request in requests if request is not None]


def workspace_place(data: bytes | None) -> Place | None:
    """The folder or workspace file that `workspace.json` names; None for the Agents window."""
    if not data:
        return None
    try:
        workspace = mapping(decode_document(data))
    except ValueError:
        return None
    uri = first_string(workspace, "folder", "workspace", "configuration")
    if uri is None or uri.endswith(_AGENTS_WINDOW):
        return None
    return folder_place(uri)


def folder_place(uri: str) -> Place | None:
    """The place of a folder on this or another machine; None for virtual ones."""
    place = decode(uri)
    if place is None or place.scheme not in ("file", "vscode-remote"):
        return None
    return place


def _cached_folder(document: dict[str, Any]) -> str:
    """The folder in the keys of the extension's cache; empty if there is none."""
    for request in each_request(array(document.get("requests"))):
        metadata = mapping(mapping(request.get("result")).get("metadata"))
        key = first_string(metadata, "cacheKey", "globalContextCacheKey")
        if key is not None:
            return key.partition(",")[0]
    return ""


def _extension_version(requests: list[Any]) -> str | None:
    for request in each_request(reversed(requests)):
        version = string(mapping(request.get("agent")).get("extensionVersion"))
        if version is not None:
            return version
    return None


class _Title(NamedTuple):
    text: str | None
    rank: int
    source: str | None


def _title(document: dict[str, Any], spoken: SpokenTitle) -> _Title:
    for key, rank in (("customTitle", 50), ("computedTitle", 45)):
        title = string(document.get(key))
        if title is not None:
            return _Title(title, rank, "custom")
    if spoken.text is not None:
        return _Title(spoken.text, 10, spoken.source)
    return _Title(None, 0, None)


def _repository(url: str | None) -> str | None:
    if url is None:
        return None
    found = _GITHUB.search(url)
    if found is None:
        return url
    return found[1]


def _completeness(session: Session, requests: int, name: str) -> int:
    """A number to choose between two copies of a session.

    It is larger for later activity, then for more turns, then for the log, then for a file in the
    storage of a workspace.
    """
    if not requests:
        return 0
    activity = 0
    if session.ended_at is not None:
        activity = max(0, int(session.ended_at.timestamp() * 1000))
    tie = 2 * name.endswith(".jsonl") + (not name.startswith("globalStorage/"))
    return (activity * 4096 + min(requests, 4095)) * 4 + tie
