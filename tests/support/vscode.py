"""Builders of VS Code chats, and what the reader makes of them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from agent_journal.connectors.base import FileIdentity, FileRole, Pause
from agent_journal.connectors.ledger import Ledger
from agent_journal.connectors.vscode_chat import CONNECTOR
from agent_journal.model import (
    Attachment,
    Message,
    Session,
    ToolCall,
)
from agent_journal.sync.report import Report
from tests.support.assemble import Assembly, BytesContent
from tests.support.journals import aj, open_journal
from tests.support.paths import ROOT

CASES = ROOT / "tests/connectors/vscode_chat"
USER = "/home/me/.config/Code/User"
FOLDER = "workspaceStorage/w/chatSessions"
CREATED = 1768000000000
START = datetime.fromtimestamp(CREATED / 1000, UTC)
PNG = hashlib.sha256(b"\x89PN").hexdigest()
RICH_ID = "a0000000-0000-4000-8000-000000000001"
KINDS = (
    CASES
    / "kinds/home/.config/Code/User/workspaceStorage/0123456789abcdef0123456789abcdef/chatSessions"
)

Doc = dict[str, Any]
T = TypeVar("T")


class ReadChat(Assembly):
    """What the reader made of one file."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger = Ledger()
        self.completeness = 0

    def of(self, kind: type[T]) -> list[T]:
        return [piece for piece in self.others if isinstance(piece, kind)]

    @property
    def session(self) -> Session:
        (session,) = (item for item in self.sessions if item.parent_id is None)
        assert isinstance(session, Session)
        return session

    def said(self, session_id: str = "s") -> list[Message]:
        return [message for (session, _), message in self.messages.items() if session == session_id]

    @property
    def prompts(self) -> list[Message]:
        return [message for message in self.said() if message.kind == "prompt"]

    @property
    def answers(self) -> list[Message]:
        return [message for message in self.said() if message.kind == "answer"]

    @property
    def answer(self) -> Message:
        (answer,) = self.answers
        return answer

    def called(self, session_id: str = "s") -> list[ToolCall]:
        return [call for (session, _), call in self.calls.items() if session == session_id]

    @property
    def call(self) -> ToolCall:
        (call,) = self.calls.values()
        return call

    def counted(self, status: str) -> dict[str, int]:
        """How many records and parts of each kind have a status."""
        found: Counter[str] = Counter()
        for (its, kind, _), (count, _) in self.ledger.counts.items():
            if its == status:
                found[kind] += count
        return +found

    def kinds(self, group: str) -> dict[str, int]:
        """How many parts of each kind the ledger has in a group ("part", "message", "variable")."""
        found: Counter[str] = Counter()
        for (_, kind, _), (count, _) in self.ledger.counts.items():
            if kind.startswith(group + "/"):
                found[kind.partition("/")[2]] += count
        return +found


def lines(*entries: Any) -> str:
    return "".join(
        json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n" for entry in entries
    )


def as_bytes(source: Any) -> bytes:
    """A document as its JSON, a list as a log of lines, text unchanged."""
    if isinstance(source, bytes):
        return source
    if isinstance(source, str):
        return source.encode()
    if isinstance(source, list):
        return lines(*source).encode()
    return json.dumps(source).encode()


def role_of(name: str) -> FileRole:
    if "/transcripts/" in name:
        return "log"
    return "replay" if name.endswith(".jsonl") else "session"


def read_session(
    source: Any, name: str = "", siblings: Mapping[str, Any] | None = None, user: str = USER
) -> ReadChat:
    """Reads a document, or a log given as entries or text; every byte must be accounted for."""
    name = name or f"{FOLDER}/s.{'json' if isinstance(source, dict) else 'jsonl'}"
    stem = name.rpartition("/")[2].rpartition(".")[0]
    data = as_bytes(source)
    chat = ReadChat()
    reader = CONNECTOR.reader(FileIdentity(name, f"{user}/{name}", role_of(name), stem), None)
    beside = {place: as_bytes(value) for place, value in (siblings or {}).items()}
    for piece in reader.read(BytesContent(data, companions=beside)):
        if not isinstance(piece, Pause):
            chat.add(piece)
    chat.sessions += reader.sessions()
    chat.ledger, chat.completeness = reader.ledger, reader.completeness
    reader.save()
    assert reader.ledger.total_bytes == len(data)
    return chat


def document(*requests: Any, **more: Any) -> Doc:
    return {
        "version": 3,
        "sessionId": "s",
        "creationDate": CREATED,
        "responderUsername": "x",
        "requests": [*requests],
        **more,
    }


def answered(*parts: Any, **more: Any) -> Doc:
    return {"requestId": "r", "message": "go", "response": [*parts], **more}


def read_parts(*parts: Any, **more: Any) -> ReadChat:
    return read_session(document(answered(*parts, **more)))


def case(number: int) -> Any:
    """A document of the format notes."""
    return json.loads((CASES / f"cases/{number:02}.json").read_text())


def log(number: int) -> str:
    return (CASES / f"cases/{number:02}.jsonl").read_text()


def uri(path: str) -> Doc:
    return {"$mid": 1, "scheme": "file", "path": path}


def invocation(call: str | None = "c", tool: str | None = "copilot_readFile", **more: Any) -> Doc:
    ids = {"toolCallId": call, "toolId": tool}
    known = {key: value for key, value in ids.items() if value is not None}
    base = {
        "kind": "toolInvocationSerialized",
        "invocationMessage": "Using it",
        "isConfirmed": {"type": 1},
    }
    return {**base, "isComplete": True, **known, **more}


def rounds(
    *calls: tuple[str, str, str], results: Mapping[str, Any] | None = None, **more: Any
) -> Doc:
    """A result whose one round has calls (id, name, arguments), and results by id."""
    metadata = {
        "toolCallRounds": [
            {
                "id": "x",
                "response": "",
                "toolInputRetry": 0,
                "toolCalls": [
                    {"id": call, "name": name, "arguments": arguments}
                    for call, name, arguments in calls
                ],
            }
        ],
        "toolCallResults": {
            call: {"$mid": 20, "content": content} for call, content in (results or {}).items()
        },
        **more,
    }
    return {"metadata": metadata}


def text_result(text: str) -> list[Doc]:
    return [{"$mid": 21, "value": text}]


def placeless(message: Message) -> tuple[Any, ...]:
    return (
        message.id,
        message.role,
        message.kind,
        message.text,
        message.reasoning,
        message.state,
        message.timestamp,
    )


def state_db(path: Path, rows: Mapping[str, Any]) -> Path:
    """A state.vscdb as VS Code makes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            "CREATE TABLE IF NOT EXISTS ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"
        )
        values = [
            (key, value if isinstance(value, (str, bytes)) else json.dumps(value))
            for key, value in rows.items()
        ]
        db.executemany("INSERT INTO ItemTable VALUES (?, ?)", values)
        db.commit()
    return path


def read_extract(path: Path, session_id: str | None) -> ReadChat:
    (extract,) = [item for item in CONNECTOR.extract(str(path))[0] if item.session_id == session_id]
    chat = ReadChat()
    name = f"workspaceStorage/w/state.vscdb#rows-{extract.name}"
    reader = CONNECTOR.reader(FileIdentity(name, f"{USER}/{name}", extract.role, session_id), None)
    for piece in reader.read(BytesContent(extract.data)):
        chat.add(piece)
    chat.sessions += reader.sessions()
    chat.ledger, chat.completeness = reader.ledger, reader.completeness
    assert reader.ledger.total_bytes == len(extract.data)
    return chat


def index_entry(session: str, title: str) -> Doc:
    return {"sessionId": session, "title": title, "lastMessageDate": CREATED, "isEmpty": False}


def attached(*variables: Any) -> tuple[Attachment, ...]:
    request = {"requestId": "r", "message": "x", "variableData": {"variables": [*variables]}}
    (prompt,) = read_session(document(request)).prompts
    return prompt.attachments


def sync(home: Path, full: bool = False) -> Report:
    with open_journal(home) as journal:
        return journal.sync(full=full)


def loaded(home: Path, session: str = "s") -> Session:
    with open_journal(home) as journal:
        return journal.session(session)


def texts(home: Path, session: str = "s") -> list[str]:
    return [message.text for message in loaded(home, session).messages]


def listed(home: Path) -> list[str]:
    with open_journal(home) as journal:
        return sorted(session.id for session in journal.sessions())


def assert_verified(home: Path) -> None:
    done = aj(home, "verify")
    assert done.returncode == 0, done.stdout + done.stderr


def place(home: Path, name: str) -> Path:
    path = home / ".config/Code/User" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def write(home: Path, name: str, source: Any) -> Path:
    path = place(home, name)
    path.write_bytes(as_bytes(source))
    return path


def turn(number: int, **more: Any) -> Doc:
    """A request and its answer, each later than the one before."""
    return {
        "requestId": f"r{number}",
        "message": {"text": f"prompt {number}", "parts": []},
        "timestamp": CREATED + number * 60_000,
        "response": [{"value": f"answer {number}"}],
        "modelState": {"value": 1, "completedAt": CREATED + number * 60_000 + 5000},
        **more,
    }


def initial(**more: Any) -> Doc:
    return {"kind": 0, "v": document(**more)}


def pushed(*requests: Doc) -> Doc:
    return {"kind": 2, "k": ["requests"], "v": [*requests]}


GROWING = [
    initial(),
    {"kind": 1, "k": ["inputState"], "v": {"inputText": "p"}},
    pushed({**turn(1), "response": [], "modelState": {"value": 0}}),
    {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "ans"}]},
    {
        "kind": 2,
        "k": ["requests", 0, "response"],
        "v": [{"value": "answer 1"}, invocation("c1")],
        "i": 0,
    },
    {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "and more"}], "i": 2},
    {"kind": 1, "k": ["requests", 0, "result"], "v": rounds(("c1__vscode-1", "read_file", "{}"))},
    {
        "kind": 1,
        "k": ["requests", 0, "modelState"],
        "v": {"value": 1, "completedAt": CREATED + 65_000},
    },
    {"kind": 1, "k": ["customTitle"], "v": "A title"},
    pushed(turn(2), turn(3)),
    {"kind": 2, "k": ["requests"], "v": [turn(4)], "i": 1},
    {"kind": 1, "k": ["inputState"]},
]
