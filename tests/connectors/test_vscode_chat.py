"""VS Code Chat: what each document, log and row becomes. The numbers are those of the format notes'
cases.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest

from agent_journal.connectors.base import FileIdentity, FileRole, FoundFile, Pause, Unlisted
from agent_journal.connectors.ledger import Ledger
from agent_journal.connectors.vscode_chat import CONNECTOR
from agent_journal.connectors.vscode_chat.mutations import apply
from agent_journal.model import (
    Attachment,
    Event,
    FileEdit,
    Message,
    Plan,
    Session,
    Todo,
    TodoList,
    ToolCall,
    Usage,
)
from agent_journal.sync.run import Report
from tests.support.assemble import Assembly, BytesContent, DiskContent
from tests.support.journals import aj, aj_json, journal_digest, open_journal

HERE = Path(__file__).parent / "vscode_chat"
USER = "/home/me/.config/Code/User"
FOLDER = "workspaceStorage/w/chatSessions"
CREATED = 1768000000000
START = datetime.fromtimestamp(CREATED / 1000, UTC)
PNG = hashlib.sha256(b"\x89PN").hexdigest()
RICH_ID = "a0000000-0000-4000-8000-000000000001"
KINDS = (
    HERE
    / "kinds/home/.config/Code/User/workspaceStorage/0123456789abcdef0123456789abcdef/chatSessions"
)

Doc = dict[str, Any]
T = TypeVar("T")


class Told(Assembly):
    """What the reader made of one file."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger = Ledger()
        self.completeness = 0

    def of(self, kind: type[T]) -> list[T]:
        return [piece for piece in self.others if isinstance(piece, kind)]

    @property
    def session(self) -> Session:
        (session,) = (one for one in self.sessions if one.parent_id is None)
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
    """A document as its JSON, a list as a log of lines, text as it is."""
    if isinstance(source, bytes):
        return source
    text = (
        source
        if isinstance(source, str)
        else lines(*source)
        if isinstance(source, list)
        else json.dumps(source)
    )
    return text.encode()


def role_of(name: str) -> FileRole:
    if "/transcripts/" in name:
        return "log"
    return "replay" if name.endswith(".jsonl") else "session"


def read_session(
    source: Any, name: str = "", siblings: Mapping[str, Any] | None = None, user: str = USER
) -> Told:
    """Reads a document, or a log given as entries or text; every byte must be accounted for."""
    name = name or f"{FOLDER}/s.{'json' if isinstance(source, dict) else 'jsonl'}"
    stem = name.rpartition("/")[2].rpartition(".")[0]
    data = as_bytes(source)
    told = Told()
    reader = CONNECTOR.reader(FileIdentity(name, f"{user}/{name}", role_of(name), stem), None)
    beside = {place: as_bytes(value) for place, value in (siblings or {}).items()}
    for piece in reader.read(BytesContent(data, companions=beside)):
        if not isinstance(piece, Pause):
            told.add(piece)
    told.sessions += reader.sessions()
    told.ledger, told.completeness = reader.ledger, reader.completeness
    reader.save()
    assert reader.ledger.total_bytes == len(data)
    return told


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


def read_parts(*parts: Any, **more: Any) -> Told:
    return read_session(document(answered(*parts, **more)))


def case(number: int) -> Any:
    """A document of the format notes."""
    return json.loads((HERE / f"cases/{number:02}.json").read_text())


def log(number: int) -> str:
    return (HERE / f"cases/{number:02}.jsonl").read_text()


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


# -- cases 1 to 10: the log --------------------------------------------------------------------


def test_case_1_a_new_turn_and_a_streamed_answer() -> None:
    told = read_session(log(1))
    assert [(message.role, message.kind, message.id, message.text) for message in told.said()] == [
        ("user", "prompt", "request_1", "hi"),
        ("assistant", "answer", "request_1-response", "Hello"),
    ]
    assert (told.answer.state, told.answer.parent_id) == ("complete", "request_1")
    assert told.counted("mapped") == {"initial": 1, "push": 3, "set": 1, "part/markdown": 1}


def test_case_2_a_push_with_an_index_drops_the_whole_tail() -> None:
    assert read_session(log(2)).answer.text == "aZ"


def test_case_3_a_push_without_values_only_truncates() -> None:
    assert [prompt.id for prompt in read_session(log(3)).prompts] == ["r1"]


def test_case_4_a_set_without_value_and_a_delete_remove() -> None:
    told = read_session(log(4))
    assert (told.session.title, told.session.title_source, told.session.title_rank) == (
        "B",
        "custom",
        50,
    )
    assert not [event for event in told.of(Event) if event.type == "vote"]
    assert told.counted("mapped") == {"initial": 1, "set": 2, "delete": 1}


def test_case_5_a_push_creates_a_missing_array() -> None:
    state: Doc = {}
    for line in log(5).splitlines():
        state = apply(state, json.loads(line))
    assert len(state["requests"][0]["editedFileEvents"]) == 1
    assert read_session(log(5)).counted("malformed") == {}


def test_case_6_a_second_initial_state_replaces_the_first() -> None:
    told = read_session(log(6))
    assert told.said() == []
    assert told.completeness == 0


def test_case_7_a_torn_last_line_costs_only_itself() -> None:
    told = read_session(log(7))
    assert (told.session.title, told.said()) == ("T", [])
    torn = len(log(7).splitlines()[-1])
    (entry,) = [entry for entry, (_, size) in told.ledger.counts.items() if size == torn]
    assert entry[0] in ("malformed", "skipped")


def test_case_8_a_torn_line_glued_to_a_good_one() -> None:
    told = read_session(log(8))
    assert told.session.title == "U"
    assert sum(told.counted("malformed").values()) == 1


def test_case_9_a_log_without_initial_state_is_read_as_far_as_it_goes() -> None:
    told = read_session(log(9))
    assert [(prompt.id, prompt.text) for prompt in told.prompts] == [("r", "x")]
    assert told.session.id == "s"
    assert told.ledger.troubles


def test_case_9_a_log_without_initial_state_goes_on_from_the_document_beside_it() -> None:
    base = document({"requestId": "r0", "message": "before"}, customTitle="Old")
    told = read_session(log(9), siblings={"s.json": base})
    assert [prompt.text for prompt in told.prompts] == ["before", "x"]
    assert told.session.title == "Old"


def test_case_9_a_log_with_initial_state_does_not_need_the_document_beside_it() -> None:
    told = read_session(
        log(2), siblings={"s.json": document({"requestId": "r0", "message": "before"})}
    )
    assert [prompt.id for prompt in told.prompts] == ["r"]


def test_case_9_a_later_index_is_padded_when_the_beginning_is_lost() -> None:
    told = read_session(
        [{"kind": 1, "k": ["requests", 3, "message"], "v": "late"}, *json_lines(log(9))[1:]]
    )
    assert "x" in [prompt.text for prompt in told.prompts]


def test_case_10_a_change_without_parent_is_skipped() -> None:
    told = read_session(log(10))
    assert told.session.title == "T"
    assert told.counted("malformed") == {"set": 1}


def json_lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_log_with_blank_lines_and_carriage_returns() -> None:
    told = read_session(log(1).replace("\n", "\r\n\r\n"))
    assert told.answer.text == "Hello"
    assert told.counted("malformed") == {}


def test_an_unknown_kind_of_entry_is_skipped() -> None:
    told = read_session(
        log(2)
        + lines({"kind": 9, "k": ["customTitle"], "v": "no"}, {"kind": 1, "k": [], "v": "no"})
    )
    assert told.answer.text == "aZ"
    assert sum(told.counted("malformed").values()) + sum(told.counted("unknown").values()) == 1


@pytest.mark.parametrize("text", ["", "\n", "\n\n", "\0\0\n"])
def test_an_empty_log_is_no_session(text: str) -> None:
    told = read_session(text)
    assert (told.said(), told.completeness) == ([], 0)


def test_a_log_and_the_document_it_ends_in_say_the_same() -> None:
    text = (HERE / "log/home/.config/Code/User/workspaceStorage/1768000000000/chatSessions").glob(
        "*.jsonl"
    )
    (path,) = text
    state: Doc = {}
    for line in path.read_text().splitlines():
        state = apply(state, json.loads(line))
    state["sessionId"] = "s"
    grown, whole = read_session(path.read_text().replace(path.stem, "s")), read_session(state)
    assert [placeless(message) for message in grown.said()] == [
        placeless(message) for message in whole.said()
    ]
    assert [call.arguments for call in grown.called()] == ['{"filePath":"/work/app/a.py"}']
    assert grown.sessions == whole.sessions
    assert [answer.text for answer in grown.answers] == ["Looking.", "Mended.", "Welcome."]


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


# -- cases 11 to 13: documents and rows --------------------------------------------------------


def test_case_11_a_whole_document() -> None:
    told = read_session(case(11), f"{FOLDER}/a.json")
    assert [(message.id, message.text) for message in told.said("a")] == [
        ("r1", "one"),
        ("r2", "two"),
    ]
    assert told.session.id == "a"
    assert told.session.started_at is None  # a creation date of 1970 is none


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


def read_extract(path: Path, session_id: str | None) -> Told:
    (extract,) = [one for one in CONNECTOR.extract(str(path))[0] if one.session_id == session_id]
    told = Told()
    name = f"workspaceStorage/w/state.vscdb#rows-{extract.name}"
    reader = CONNECTOR.reader(FileIdentity(name, f"{USER}/{name}", extract.role, session_id), None)
    for piece in reader.read(BytesContent(extract.data)):
        told.add(piece)
    told.sessions += reader.sessions()
    told.ledger, told.completeness = reader.ledger, reader.completeness
    assert reader.ledger.total_bytes == len(extract.data)
    return told


@pytest.mark.parametrize("as_blob", [False, True])
def test_case_12_the_row_of_the_oldest_versions(tmp_path: Path, as_blob: bool) -> None:
    value = json.dumps(case(12))
    path = state_db(
        tmp_path / "state.vscdb", {"interactive.sessions": value.encode() if as_blob else value}
    )
    told = read_extract(path, "old")
    assert [(message.id, message.kind, message.text) for message in told.said("old")] == [
        ("request-0", "prompt", "why?"),
        ("request-0-response", "answer", "because"),
    ]
    assert told.session.started_at == datetime.fromtimestamp(1690000000, UTC)
    (extract,) = CONNECTOR.extract(str(path))[0]
    assert (extract.role, extract.session_id) == ("session", "old")


def test_a_row_of_many_sessions_is_one_file_for_each(tmp_path: Path) -> None:
    sessions = [
        document({"requestId": "r", "message": f"m{n}"}, sessionId=f"s{n}") for n in range(3)
    ]
    path = state_db(
        tmp_path / "state.vscdb", {"interactive.sessions": [*sessions, None, 5, "x", {}]}
    )
    extracts = {extract.session_id: extract.data for extract in CONNECTOR.extract(str(path))[0]}
    assert {f"s{n}" for n in range(3)} <= set(extracts)
    assert [read_extract(path, f"s{n}").said(f"s{n}")[0].text for n in range(3)] == [
        "m0",
        "m1",
        "m2",
    ]


@pytest.mark.parametrize("value", ["", "{", "null", "[]", "{}", "5", b"\xff\xfe", b""])
def test_rows_of_another_shape_are_no_sessions(tmp_path: Path, value: str | bytes) -> None:
    path = state_db(
        tmp_path / "state.vscdb",
        {"interactive.sessions": value, "chat.ChatSessionStore.index": value},
    )
    for extract in CONNECTOR.extract(str(path))[0]:
        assert extract.session_id is None


def test_only_our_rows_are_taken(tmp_path: Path) -> None:
    rows = {
        "interactive.sessions": case(12),
        "secret://x": "marker-1",
        "memento/x": {"y": "marker-2"},
    }
    path = state_db(tmp_path / "state.vscdb", rows)
    assert not any(b"marker" in extract.data for extract in CONNECTOR.extract(str(path))[0])


@pytest.mark.parametrize("data", [b"no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_database_that_is_none_is_told(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "state.vscdb").write_bytes(data)
    with pytest.raises((OSError, ValueError)):
        CONNECTOR.extract(str(tmp_path / "state.vscdb"))[0]


def test_a_damaged_database_is_read_from_its_backup(tmp_path: Path) -> None:
    path = state_db(tmp_path / "state.vscdb", {"interactive.sessions": case(12)})
    path.rename(tmp_path / "state.vscdb.backup")
    path.write_bytes(b"no database")
    assert [extract.session_id for extract in CONNECTOR.extract(str(path))[0]] == ["old"]


def test_rows_whose_ids_are_alike_stay_apart(tmp_path: Path) -> None:
    ids = ["a/b", "a_b", "a?b", "x" * 300 + "1", "x" * 300 + "2", ".", "..", "A/b", "A_B"]
    sessions = [document({"message": "x"}, sessionId=one) for one in ids]
    extracts, _ = CONNECTOR.extract(
        str(state_db(tmp_path / "state.vscdb", {"interactive.sessions": sessions}))
    )
    assert [extract.session_id for extract in extracts] == ids
    assert len({extract.name for extract in extracts}) == len(ids)
    assert not [extract.name for extract in extracts if "/" in extract.name]


def test_reading_a_database_leaves_it_and_its_folder_as_they_were(tmp_path: Path) -> None:
    path = state_db(tmp_path / "state.vscdb", {"interactive.sessions": case(12)})
    before = path.read_bytes()
    CONNECTOR.extract(str(path))[0]
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.vscdb"]


def index_entry(session: str, title: str) -> Doc:
    return {"sessionId": session, "title": title, "lastMessageDate": CREATED, "isEmpty": False}


def test_the_index_knows_titles_but_makes_no_session(tmp_path: Path) -> None:
    entries = {"s": index_entry("s", "From the index"), "n": index_entry("n", "New Chat")}
    index = {"version": 1, "entries": {**entries, "odd": None, "odd2": {"sessionId": 5}}}
    told = read_extract(
        state_db(tmp_path / "state.vscdb", {"chat.ChatSessionStore.index": index}), None
    )
    titled = {session.id: session for session in told.sessions if session.title is not None}
    assert set(titled) == {"s"}
    hint = titled["s"]
    assert (hint.title, hint.title_rank, hint.title_source) == ("From the index", 30, "index")
    assert all(session.is_hint for session in told.sessions)


def test_case_13_the_title_of_the_second_version() -> None:
    told = read_session(case(13), f"{FOLDER}/s2.json")
    assert (told.session.id, told.session.title, told.session.title_rank) == ("s2", "Old title", 45)
    assert told.said("s2") == []


# -- cases 14 and 15: prompts ------------------------------------------------------------------


def test_case_14_the_text_of_a_prompt_is_the_message_not_its_parts() -> None:
    told = read_session(document(case(14)))
    assert [prompt.text for prompt in told.prompts] == ["@workspace how"]
    assert told.kinds("message") == {"agent": 1, "text": 1}
    assert [
        prompt.text for prompt in read_session(document({"message": "@workspace how"})).prompts
    ] == ["@workspace how"]


def test_case_15_ranges_count_utf_16() -> None:
    told = read_session(document({"requestId": "r", "message": case(15)}))
    assert [prompt.text for prompt in told.prompts] == ["😀 #f.py"]
    assert told.kinds("message") == {"text": 1, "dynamic": 1}


# -- cases 16 to 18: text ----------------------------------------------------------------------


def test_case_16_inline_references_and_placeholder_fences() -> None:
    told = read_parts(*case(16))
    assert told.answer.text == "See a.py now."
    (edit,) = told.of(FileEdit)
    assert (edit.path, edit.kind, edit.message_id, edit.origin) == (
        "/w/a.py",
        "edit",
        "r",
        "response",
    )


def test_a_fence_with_text_in_it_stays() -> None:
    parts = [
        {"value": "So:"},
        {"value": "\n```\n"},
        {"value": "x = 1"},
        {"value": "\n```\n"},
        {"value": "Done"},
    ]
    assert read_parts(*parts).answer.text == "So:\n```\nx = 1\n```\nDone"


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ({"inlineReference": uri("/w/a.py"), "name": "that file"}, "that file"),
        (
            {"inlineReference": {"name": "main", "kind": 11, "location": {"uri": uri("/w/a.py")}}},
            "`main`",
        ),
        ({"inlineReference": uri("/w/a.py")}, "a.py"),
        (
            {
                "inlineReference": {
                    "uri": uri("/w/a.py"),
                    "range": {"startLineNumber": 4, "endLineNumber": 4},
                }
            },
            "a.py:4",
        ),
        ({"inlineReference": uri("/c:/w/a.py")}, "a.py"),
    ],
)
def test_an_inline_reference_stands_in_the_text(reference: Doc, text: str) -> None:
    told = read_parts({"value": "("}, {"kind": "inlineReference", **reference}, {"value": ")"})
    assert told.answer.text == f"({text})"
    assert told.answer.attachments == ()


def test_case_17_a_file_tree_is_no_text() -> None:
    told = read_parts(*case(17))
    assert told.answer.text == "done"
    assert told.kinds("part") == {"tree": 1, "markdown": 1}


def test_case_18_thinking_is_no_text() -> None:
    told = read_parts(*case(18))
    assert (told.answer.text, told.answer.reasoning) == ("Answer", "step 1. step 2.")


def test_thoughts_are_joined_with_a_blank_line() -> None:
    told = read_parts(
        {"kind": "thinking", "value": "one"}, {"kind": "thinking", "value": "two"}, {"value": "x"}
    )
    assert told.answer.reasoning == "one\n\ntwo"


# -- cases 19 to 24: tool calls ----------------------------------------------------------------


def test_case_19_a_call_is_joined_with_its_arguments_and_result() -> None:
    told = read_session(document({"requestId": "r", "message": "go", **case(19)}))
    call = told.call
    assert (call.id, call.name, call.kind, call.title) == (
        "toolu_01",
        "read_file",
        "read",
        "Read a.py",
    )
    assert (call.arguments, call.result) == ('{"filePath":"/w/a.py"}', "line1\nline2")
    assert (call.status, call.approval, call.server, call.display) == ("ok", "auto", None, None)
    assert call.message_id == told.answer.id == "r-response"


def test_case_20_a_call_with_an_unrelated_id_is_joined_by_order_and_name() -> None:
    told = read_session(document({"requestId": "r", "message": "go", **case(20)}))
    call = told.call
    assert (call.id, call.name, call.kind, call.title) == (
        "0b1c",
        "list_dir",
        "read",
        "Reading dir",
    )
    assert (call.arguments, call.result) == ('{"path":"/w"}', "a.py")
    assert (call.status, call.approval) == ("ok", "user")
    assert told.counted("skipped").get("part/prepareToolInvocation") == 1


def test_order_and_name_allow_gaps_both_ways() -> None:
    parts = [
        invocation("u1", "copilot_findTextInFiles"),
        invocation("u2", "copilot_readFile"),
        invocation("u3", "copilot_readFile"),
    ]
    result = rounds(
        ("a__vscode-1", "read_file", '{"n":1}'),
        ("b__vscode-2", "get_errors", '{"n":2}'),
        ("c__vscode-3", "read_file", '{"n":3}'),
        results={"a__vscode-1": text_result("one"), "c__vscode-3": text_result("three")},
    )
    told = read_parts(*parts, result=result)
    assert [(call.id, call.name, call.arguments, call.result) for call in told.called()] == [
        ("u1", "grep_search", None, None),
        ("u2", "read_file", '{"n":1}', "one"),
        ("u3", "read_file", '{"n":3}', "three"),
        ("b", "get_errors", '{"n":2}', None),
    ]


def test_case_21_arguments_that_are_no_json_are_kept() -> None:
    result = {"metadata": {"toolCallRounds": [case(21)], "toolCallResults": {}}}
    told = read_session(
        document({"requestId": "r", "message": "go", "response": [], "result": result})
    )
    first, second = told.called()
    assert (first.id, first.name, first.kind, first.arguments) == (
        "c1",
        "run_in_terminal",
        "shell",
        '{"command": "ls',
    )
    assert (second.id, second.name, second.arguments or None) == ("c2", "get_errors", None)
    assert {call.message_id for call in told.called()} == {told.answer.id}
    assert told.answer.reasoning == "hm"


def test_case_22_approval_in_all_forms() -> None:
    base = {"kind": "toolInvocationSerialized", "invocationMessage": "Using it", "isComplete": True}
    told = read_parts(*({**base, **form} for form in case(22)))
    calls = told.called()
    assert [call.approval for call in calls] == [
        "denied",
        None,
        "auto",
        "setting",
        "rule",
        "user",
        "skipped",
        "user",
    ]
    assert [call.status for call in calls] == [
        "denied",
        None,
        None,
        None,
        None,
        None,
        "denied",
        None,
    ]
    assert {call.name for call in calls} == {"unknown"}
    assert len({call.id for call in calls}) == 8
    assert all(call.id.startswith("r-response-call-") for call in calls)


def test_a_denial_has_the_number_0() -> None:
    call = read_parts(invocation(isConfirmed={"type": 0})).call
    assert (call.approval, call.status) == ("denied", "denied")


def test_case_23_terminal_commands() -> None:
    told = read_parts(
        *(
            invocation(f"c{n}", "run_in_terminal", toolSpecificData=d)
            for n, d in enumerate(case(23))
        )
    )
    old, new = told.called()
    assert [json.loads(call.arguments or "")["command"] for call in (old, new)] == [
        "ls",
        "npm test -- --ci",
    ]
    assert (old.kind, old.exit_code, old.status) == ("shell", None, None)
    assert (new.title, new.result, new.exit_code) == ("npm test -- --ci", "1 failing", 1)
    assert (new.status, new.duration_ms) == ("failed", 900)


def test_a_command_that_the_user_edited_is_the_one_that_ran() -> None:
    line = {"original": "rm -rf /", "toolEdited": "rm -r /", "userEdited": "ls"}
    data = {
        "kind": "terminal",
        "language": "sh",
        "commandLine": line,
        "terminalCommandState": {"exitCode": 0},
    }
    call = read_parts(invocation("c", "run_in_terminal", toolSpecificData=data)).call
    assert (call.title, json.loads(call.arguments or "")["command"], call.exit_code) == (
        "ls",
        "ls",
        0,
    )


def test_case_24_tools_of_mcp_servers() -> None:
    source = {"type": "mcp", "label": "demo", "collectionId": "c", "definitionId": "d"}
    parts = [
        invocation(f"c{n}", "mcp_demo_x", source=source, resultDetails=d)
        for n, d in enumerate(case(24))
    ]
    told = read_parts(*parts)
    plain, image, failed = told.called()
    assert {(call.kind, call.server, call.name) for call in told.called()} == {
        ("mcp", "demo", "mcp_demo_x")
    }
    assert [call.arguments for call in told.called()] == ['{"q":1}', "{}", "{}"]
    assert (plain.result, plain.status) == ("plain", "ok")
    assert "aGk=" not in (image.result or "")
    assert (failed.result or "").startswith("boom")
    assert failed.status == "error"


# -- case 25: sub-agents -----------------------------------------------------------------------


def test_case_25_a_sub_agent_is_a_session_of_its_own() -> None:
    told = read_parts(*case(25))
    (child,) = (session for session in told.sessions if session.parent_id is not None)
    assert (child.id, child.parent_id, child.parent_call_id) == ("s/toolu_P", "s", "toolu_P")
    assert (child.agent, child.agent_name, child.title) == ("vscode-chat", "Explore", "find tests")
    assert [
        (message.id, message.role, message.kind, message.text) for message in told.said(child.id)
    ] == [
        ("toolu_P-prompt", "user", "injected", "Find the tests"),
        ("toolu_P-answer", "assistant", "answer", "tests/"),
    ]
    (parent_call,) = told.called()
    assert (parent_call.id, parent_call.child_session_id) == ("toolu_P", "s/toolu_P")
    assert (parent_call.result, parent_call.status, parent_call.kind) == ("tests/", "ok", "agent")
    (child_call,) = told.called(child.id)
    assert (child_call.id, child_call.message_id, child_call.name) == (
        "toolu_C",
        "toolu_P-answer",
        "file_search",
    )


def test_sub_agents_of_1_105_to_1_108_are_told_by_a_flag() -> None:
    """Their calls have unrelated ids, and only the sub-agent itself is in the rounds."""
    parts = [
        invocation("u1", "runSubagent", invocationMessage="Exploring"),
        invocation("u2", "copilot_readFile", fromSubAgent=True),
        invocation("u3", "copilot_readFile"),
    ]
    result = rounds(
        ("a__vscode-1", "runSubagent", '{"description":"find","prompt":"Find the tests"}'),
        ("b__vscode-2", "read_file", '{"filePath":"/w/a.py"}'),
        results={"a__vscode-1": text_result("tests/"), "b__vscode-2": text_result("x = 1")},
    )
    told = read_parts(*parts, result=result)
    assert [(call.id, call.result, call.child_session_id) for call in told.called()] == [
        ("u1", "tests/", "s/u1"),
        ("u3", "x = 1", None),
    ]
    (child,) = told.called("s/u1")
    assert (child.id, child.arguments, child.result, child.message_id) == (
        "u2",
        None,
        None,
        "u1-answer",
    )
    assert [message.text for message in told.said("s/u1")][-1] == "tests/"
    assert [(one.parent_id, one.parent_call_id) for one in told.sessions if one.id == "s/u1"] == [
        ("s", "u1")
    ]


def test_two_sub_agents_have_their_own_calls() -> None:
    parts = [
        invocation("p1", "runSubagent", toolSpecificData={"kind": "subagent", "prompt": "one"}),
        invocation("p2", "runSubagent", toolSpecificData={"kind": "subagent", "prompt": "two"}),
        invocation("c1", subAgentInvocationId="p1"),
        invocation("c2", subAgentInvocationId="p2"),
        invocation("c3", subAgentInvocationId="p1"),
    ]
    told = read_parts(*parts)
    assert [call.id for call in told.called("s/p1")] == ["c1", "c3"]
    assert [call.id for call in told.called("s/p2")] == ["c2"]
    assert [call.id for call in told.called()] == ["p1", "p2"]


def test_a_call_of_a_sub_agent_that_is_not_there_is_kept() -> None:
    told = read_parts(
        invocation("c1", subAgentInvocationId="gone"), invocation("c2", fromSubAgent=True)
    )
    assert {call.id for call in told.calls.values()} == {"c1", "c2"}


# -- cases 26 to 30: todos and states ----------------------------------------------------------


def test_case_26_the_last_todo_list_wins() -> None:
    told = read_parts(
        *(
            invocation(f"c{n}", "manage_todo_list", toolSpecificData=d)
            for n, d in enumerate(case(26))
        )
    )
    last = told.of(TodoList)[-1]
    assert (last.session_id, last.origin, last.rank) == ("s", "todowrite", 1)
    assert last.items == (
        Todo(content="a", status="completed", id="1"),
        Todo(content="b", status="not-started", id="2"),
    )


def test_a_todo_list_may_stand_in_the_arguments_only() -> None:
    todos = '{"operation":"write","todoList":[{"id":1,"title":"a","status":"in-progress","description":"d"}]}'
    told = read_parts(result=rounds(("a__vscode-1", "manage_todo_list", todos)))
    (last,) = told.of(TodoList)
    assert last.items == (Todo(content="a", status="in-progress", id="1", description="d"),)


def test_case_27_a_cancelled_turn_keeps_what_it_said() -> None:
    told = read_session(document(case(27)))
    assert (told.answer.text, told.answer.state, told.answer.stop_reason) == (
        "Part",
        "cancelled",
        "cancelled",
    )
    assert len(told.said()) == 2


def test_case_28_a_turn_that_was_running_is_interrupted() -> None:
    told = read_session(document(*case(28)))
    assert [
        (answer.parent_id, answer.text, answer.state, answer.stop_reason) for answer in told.answers
    ] == [
        ("r1", "a", "cancelled", "interrupted"),
        ("r2", "", "cancelled", "interrupted"),
    ]


def test_case_29_a_failure_although_the_state_says_complete() -> None:
    told = read_session(document(case(29)))
    prompt, answer, error = told.said()
    assert (prompt.text, prompt.state) == ("x", None)
    assert (answer.state, answer.stop_reason) == ("failed", "rateLimited")
    assert (error.id, error.role, error.kind, error.text) == (
        "r-response-error",
        "system",
        "error",
        "Rate limited",
    )


def test_case_30_turns_that_were_undone_are_hidden() -> None:
    told = read_session(document(*case(30)))
    assert [(message.id, message.text, message.state) for message in told.said()] == [
        ("r1", "a", None),
        ("r1-response", "x", "complete"),
        ("r1-response.2", "y", "hidden"),
        ("r2", "b", "hidden"),
        ("r2-response", "z", "hidden"),
        ("r3", "c", "hidden"),
    ]


@pytest.mark.parametrize(
    ("more", "state", "stop_reason"),
    [
        ({"modelState": {"value": 1}}, "complete", None),
        ({"modelState": {"value": 2}}, "cancelled", "cancelled"),
        ({"modelState": {"value": 3}}, "failed", None),
        ({"modelState": {"value": 0}}, "cancelled", "interrupted"),
        ({"modelState": {"value": 4}}, "cancelled", "interrupted"),
        ({"isCanceled": True}, "cancelled", None),
        ({"isCanceled": False}, "complete", None),
        ({}, "complete", None),
        ({"result": {"errorDetails": {"message": "Canceled"}}}, "cancelled", None),
        ({"result": {"errorDetails": {"message": "x", "code": "canceled"}}}, None, None),
        ({"result": {"errorDetails": {"message": "Boom", "code": "quota"}}}, "failed", "quota"),
        (
            {
                "modelState": {"value": 1},
                "result": {"errorDetails": {"message": "Boom", "code": "q"}},
            },
            "failed",
            "q",
        ),
        (
            {"modelState": {"value": 2}, "result": {"errorDetails": {"message": "Canceled"}}},
            "cancelled",
            "cancelled",
        ),
    ],
)
def test_the_state_of_an_answer(more: Doc, state: str | None, stop_reason: str | None) -> None:
    answer = read_parts({"value": "x"}, **more).answer
    assert answer.state == state or (state is None and answer.state != "failed")
    assert stop_reason is None or answer.stop_reason == stop_reason


def test_a_request_with_nothing_but_a_prompt_is_unanswered() -> None:
    assert [
        message.kind
        for message in read_session(document({"requestId": "r", "message": "x"})).said()
    ] == ["prompt"]


def test_ancient_errors_stand_in_the_request() -> None:
    request = {
        "requestId": "r",
        "message": "x",
        "response": [],
        "responseErrorDetails": {"message": "Boom"},
    }
    told = read_session(document(request))
    assert told.answer.state == "failed"
    assert told.said()[-1].text == "Boom"


# -- cases 31 to 33: models, usage, times ------------------------------------------------------


def test_case_31_models_and_what_auto_stood_for() -> None:
    told = read_session(document(*case(31)))
    assert told.session.models == ("claude-sonnet-4.5", "gpt-5-mini")
    assert [answer.model for answer in told.answers] == ["claude-sonnet-4.5", "gpt-5-mini"]
    (usage,) = told.of(Usage)
    assert (usage.key, usage.message_id, usage.model) == ("s:r2", "r2-response", "gpt-5-mini")
    assert (usage.input_tokens, usage.output_tokens) == (1200, 40)


@pytest.mark.parametrize(
    ("told", "model"),
    [
        ("copilot/gpt-5", "gpt-5"),
        ("ollama/llama3:8b", "llama3:8b"),
        ("openrouter/anthropic/claude-x", "anthropic/claude-x"),
        ("gpt-5", "gpt-5"),
    ],
)
def test_only_the_vendor_is_taken_off_a_model(told: str, model: str) -> None:
    assert read_parts({"value": "x"}, modelId=told).answer.model == model


def test_a_time_that_is_none_is_not_given_to_usage() -> None:
    for odd in (-1, 2, None):
        (usage,) = read_parts({"value": "x"}, timestamp=odd, promptTokens=1, completionTokens=1).of(
            Usage
        )
        assert usage.timestamp is None


def test_case_32_the_first_usage_that_is_told_counts() -> None:
    requests = [
        {"requestId": f"r{n}", "message": "x", "response": [{"value": "y"}], **d}
        for n, d in enumerate(case(32))
    ]
    told = read_session(document(*requests))
    fields = [(u.key, u.input_tokens, u.cache_read_tokens, u.output_tokens) for u in told.of(Usage)]
    assert fields == [
        ("s:r0:m", 400, 500, 70),
        ("s:r1", 100, None, 5),
        ("s:r2", 80, None, 4),
        ("s:r3", 60, None, 3),
    ]
    assert told.of(Usage)[0].model == "m"
    assert [u.message_id for u in told.of(Usage)] == [f"r{n}-response" for n in range(4)]


def test_several_models_of_one_turn_are_counted_apart() -> None:
    totals = [
        {"model": m, "inputTokens": 10, "cachedTokens": 4, "outputTokens": 1} for m in ("m", "n")
    ]
    told = read_parts({"value": "x"}, modelTotals=totals)
    assert {(u.key, u.model, u.input_tokens, u.cache_read_tokens) for u in told.of(Usage)} == {
        ("s:r:m", "m", 6, 4),
        ("s:r:n", "n", 6, 4),
    }


def test_output_alone_is_usage_too() -> None:
    (usage,) = read_parts({"value": "x"}, completionTokens=7).of(Usage)
    assert (usage.input_tokens, usage.output_tokens) == (None, 7)


def test_a_turn_without_numbers_has_no_tokens() -> None:
    assert [(u.input_tokens, u.output_tokens) for u in read_parts({"value": "x"}).of(Usage)] in (
        [],
        [(None, None)],
    )


def test_premium_requests_are_in_the_details() -> None:
    result = {
        "details": "Claude Opus 4.5 • 3x",
        "usage": {"promptTokens": 10, "completionTokens": 2},
    }
    (usage,) = read_parts({"value": "x"}, result=result).of(Usage)
    assert usage.premium_requests == 3


def test_case_33_a_waiting_time_that_is_an_epoch_is_ignored() -> None:
    told = read_session(document({"message": "x", **case(33)}))
    assert (told.session.started_at, told.session.ended_at) == (START, START)
    assert told.prompts[0].timestamp == START


def test_a_session_lasts_from_its_first_to_its_last_moment() -> None:
    requests = [
        {
            "requestId": "r1",
            "message": "x",
            "timestamp": CREATED - 5000,
            "response": [{"value": "y"}],
        },
        {
            "requestId": "r2",
            "message": "x",
            "timestamp": CREATED + 1000,
            "response": [{"value": "y"}],
            "modelState": {"value": 1, "completedAt": CREATED + 9000},
        },
        {"requestId": "r3", "message": "x", "timestamp": -1, "response": [{"value": "y"}]},
    ]
    told = read_session(document(*requests))
    assert told.session.started_at == START - timedelta(seconds=5)
    assert told.session.ended_at == START + timedelta(seconds=9)
    late = read_session(document(*requests, lastMessageDate=CREATED + 20000))
    assert late.session.ended_at == START + timedelta(seconds=20)
    assert 0 < told.completeness < late.completeness


# -- cases 34 and 35: attachments --------------------------------------------------------------


def attached(*variables: Any) -> tuple[Attachment, ...]:
    request = {"requestId": "r", "message": "x", "variableData": {"variables": [*variables]}}
    (prompt,) = read_session(document(request)).prompts
    return prompt.attachments


@pytest.mark.parametrize("number", [0, 1])
def test_case_34_an_image_in_bytes(number: int) -> None:
    (image,) = attached(case(34)[number])
    assert (image.kind, image.name, image.mime_type, image.size, image.sha256) == (
        "image",
        "a.png",
        "image/png",
        3,
        PNG,
    )


def test_case_34_an_image_by_its_address() -> None:
    (image,) = attached(case(34)[2])
    assert (image.kind, image.name, image.size, image.sha256) == ("image", "a.png", None, None)


def test_images_of_the_buffer_kind_do_not_raise() -> None:
    for value in (
        {"type": "Buffer", "data": [137, 80, 78]},
        {"0": 999},
        {"1": 2},
        {"$base64": "%%"},
        {"0": "x"},
        {},
    ):
        (image,) = attached({"kind": "image", "name": "a.png", "value": value})
        assert (image.kind, image.name) == ("image", "a.png")


def test_case_35_context_that_was_not_attached_and_instructions() -> None:
    told = read_session(document({"requestId": "r", "message": "x", "variableData": case(35)}))
    assert [(one.kind, one.name, one.path) for one in told.prompts[0].attachments] == [
        ("instructions", "prompt:copilot-instructions.md", "/w/.github/copilot-instructions.md"),
        ("file", "file:b.py", "/w/b.py"),
    ]
    assert told.counted("skipped").get("variable/implicit") == 1
    assert told.counted("unknown") == {}


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        ({"kind": "file", "name": "a", "value": uri("/w/a.py")}, ("file", "a", "/w/a.py", None)),
        (
            {"kind": "file", "name": "a", "value": {"uri": uri("/w/a.py")}},
            ("file", "a", "/w/a.py", None),
        ),
        (
            {"kind": "directory", "name": "d", "value": uri("/w/d")},
            ("directory", "d", "/w/d", None),
        ),
        (
            {"kind": "paste", "name": "p", "code": "x = 1", "value": "x = 1"},
            ("paste", "p", None, "x = 1"),
        ),
        (
            {"kind": "promptText", "name": "t", "value": "Be brief."},
            ("promptText", "t", None, "Be brief."),
        ),
        (
            {"kind": "promptText", "name": "t", "value": "Be brief.", "automaticallyAdded": True},
            ("instructions", "t", None, "Be brief."),
        ),
        (
            {"kind": "promptFile", "name": "f", "value": uri("/w/p.md")},
            ("promptFile", "f", "/w/p.md", None),
        ),
        (
            {"kind": "string", "name": "s", "value": "text", "handle": 1},
            ("string", "s", None, "text"),
        ),
        (
            {"kind": "implicit", "name": "i", "enabled": True, "value": uri("/w/a.py")},
            ("implicit", "i", "/w/a.py", None),
        ),
        ({"name": "n", "value": uri("/w/a.py")}, ("file", "n", "/w/a.py", None)),
        ({"name": "n", "value": {"any": 1}}, ("generic", "n", None, None)),
    ],
)
def test_an_attachment_of_each_kind(variable: Doc, expected: tuple[str | None, ...]) -> None:
    (one,) = attached({"id": "v", **variable})
    assert (one.kind, one.name, one.path, one.text) == expected


def test_the_output_of_an_attached_command_is_its_text() -> None:
    (one,) = attached(
        {"kind": "terminalCommand", "name": "t", "command": "ls", "output": "a.py\n", "exitCode": 0}
    )
    assert one.kind == "terminalCommand"
    assert "a.py" in (one.text or "")


# -- case 36: projects -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "project", "tags"),
    [
        (0, "c:\\Users\\me\\My Proj#1", ()),
        (1, "/home/me/p", ("remote:wsl:ubuntu-22.04",)),
        (2, "/workspaces/proj", ("remote:dev-container:/home/me/proj",)),
        (3, "/home/me/both.code-workspace", ()),
        (4, "\\\\server\\share\\x y", ()),
    ],
)
def test_case_36_the_project_of_a_session(number: int, project: str, tags: tuple[str, ...]) -> None:
    plain = document({"requestId": "r", "message": "x"})
    told = read_session(plain, siblings={"../workspace.json": case(36)[number]})
    assert (told.session.project_path, told.session.tags) == (project, tags)
    in_log = read_session(
        [{"kind": 0, "v": plain}], siblings={"../workspace.json": case(36)[number]}
    )
    assert in_log.sessions == told.sessions


def test_the_project_where_there_is_no_workspace_file() -> None:
    asked = {"requestId": "r", "message": "x", "response": [{"value": "y"}]}
    told = read_session(document(asked, workingDirectory="file:///work/app%20x"))
    assert told.session.project_path == "/work/app x"
    for key in ("cacheKey", "globalContextCacheKey"):
        result = {"metadata": {key: "file:///work/one,file:///work/two"}}
        assert (
            read_session(document({**asked, "result": result})).session.project_path == "/work/one"
        )
    assert read_session(document(asked)).session.project_path is None


def test_the_project_of_the_agents_window_is_its_working_directory() -> None:
    siblings = {
        "../workspace.json": {
            "workspace": "file:///home/me/.config/Code/User/agent-sessions.code-workspace"
        }
    }
    told = read_session(
        document({"message": "x"}, workingDirectory="file:///work/app"), siblings=siblings
    )
    assert told.session.project_path == "/work/app"


@pytest.mark.parametrize(
    "workspace", ["", "{", "null", "[]", "5", '{"folder":5}', '{"folder":"no uri"}', "\xff"]
)
def test_a_broken_workspace_file_costs_only_the_project(workspace: str) -> None:
    told = read_session(
        document({"message": "x"}), siblings={"../workspace.json": workspace.encode("latin-1")}
    )
    assert told.session.project_path is None
    assert [prompt.text for prompt in told.prompts] == ["x"]


@pytest.mark.parametrize("folder", ["untitled:Untitled-1", "vscode-userdata:/x"])
def test_what_is_no_project_path_is_none(folder: str) -> None:
    told = read_session(
        document({"message": "x"}), siblings={"../workspace.json": {"folder": folder}}
    )
    assert told.session.project_path is None


# -- cases 37, 38, 43, 44 ----------------------------------------------------------------------


def test_case_37_what_the_user_did_with_earlier_edits() -> None:
    (edit,) = read_session(document(*case(37))).of(FileEdit)
    assert (edit.path, edit.message_id, edit.state, edit.kind) == (
        "/w/a.py",
        "r1",
        "undone",
        "edit",
    )


def test_the_latest_reaction_to_an_edit_counts_and_not_that_of_its_own_request() -> None:
    def turn(number: int, event: int | None, edits: bool) -> Doc:
        group = (
            [{"kind": "textEditGroup", "uri": uri("/w/a.py"), "edits": [], "done": True}]
            if edits
            else []
        )
        events = [{"uri": uri("/w/a.py"), "eventKind": event}] if event else []
        return {
            "requestId": f"r{number}",
            "message": "x",
            "response": group,
            "editedFileEvents": events,
        }

    told = read_session(
        document(turn(1, None, True), turn(2, 2, True), turn(3, 1, False), turn(4, None, True))
    )
    assert [(edit.message_id, edit.state) for edit in told.of(FileEdit)] == [
        ("r1", "kept"),
        ("r2", "kept"),
        ("r4", None),
    ]


def test_edits_of_every_kind() -> None:
    told = read_parts(
        {"kind": "notebookEditGroup", "uri": uri("/w/n.ipynb"), "edits": []},
        {
            "kind": "workspaceEdit",
            "edits": [
                {"newResource": uri("/w/new")},
                {"oldResource": uri("/w/old")},
                {"oldResource": uri("/w/from"), "newResource": uri("/w/to")},
            ],
        },
        {
            "kind": "externalEdit",
            "uri": uri("/w/e"),
            "editKind": "create",
            "diff": {"added": 3, "removed": 1},
        },
    )
    assert {(edit.path, edit.kind) for edit in told.of(FileEdit)} >= {
        ("/w/n.ipynb", "edit"),
        ("/w/new", "create"),
        ("/w/old", "delete"),
        ("/w/e", "create"),
    }
    assert [edit.path for edit in told.of(FileEdit) if edit.kind == "rename"] in (
        ["/w/to"],
        ["/w/from"],
    )
    assert {edit.origin for edit in told.of(FileEdit)} == {"response"}
    (outer,) = (edit for edit in told.of(FileEdit) if edit.path == "/w/e")
    assert (outer.lines_added, outer.lines_removed) == (3, 1)


def test_case_38_questions_are_events_with_the_answers() -> None:
    told = read_parts(*case(38))
    (event,) = (event for event in told.of(Event) if event.type == "questionCarousel")
    assert event.text.startswith("DB?")
    assert "→" in event.text
    assert "v16" in event.text
    assert "pg" in event.text or "Postgres" in event.text


def test_case_38_a_plan_review_is_a_plan() -> None:
    (plan,) = read_parts(*case(38)).of(Plan)
    assert (plan.kind, plan.name, plan.text, plan.approved, plan.feedback) == (
        "plan",
        "Plan",
        "1. do it",
        True,
        None,
    )
    assert plan.session_id == "s"


def test_a_rejected_plan_and_one_without_decision() -> None:
    review = {"kind": "planReview", "title": "Plan", "content": "1. do it", "actions": []}
    (plan,) = read_parts({**review, "data": {"rejected": True, "feedback": "smaller"}}).of(Plan)
    assert (plan.approved, plan.feedback) == (False, "smaller")
    (plan,) = read_parts(review).of(Plan)
    assert plan.approved is None


def test_case_43_an_unknown_kind_is_kept() -> None:
    told = read_parts(*case(43))
    assert told.answer.text == "ok"
    (event,) = told.of(Event)
    assert event.type == "response/somethingNew2027"
    assert json.loads(event.raw or "") == case(43)[0]
    assert told.counted("unknown") == {"part/somethingNew2027": 1}


def test_case_44_what_the_system_began_and_what_is_not_yet_sent() -> None:
    told = read_session(case(44))
    assert [(message.role, message.kind, message.text) for message in told.said()] == [
        ("system", "notification", "Terminal finished"),
        ("assistant", "answer", "noted"),
    ]


# -- more about messages -----------------------------------------------------------------------


def test_an_answer_is_split_where_text_or_thinking_follows_a_call() -> None:
    told = read_parts(
        {"kind": "thinking", "value": "hm"},
        {"value": "One."},
        invocation("c1"),
        invocation("c2"),
        {"value": "Two."},
        invocation("c3"),
        {"kind": "thinking", "value": "so"},
        {"value": "Three."},
        responseId="resp",
    )
    assert [
        (answer.id, answer.text, answer.reasoning, answer.parent_id) for answer in told.answers
    ] == [
        ("resp", "One.", "hm", "r"),
        ("resp.2", "Two.", "", "r"),
        ("resp.3", "Three.", "so", "r"),
    ]
    assert {call.id: call.message_id for call in told.called()} == {
        "c1": "resp",
        "c2": "resp",
        "c3": "resp.2",
    }


def test_calls_that_only_the_rounds_know_belong_to_the_last_answer() -> None:
    result = rounds(("c1__vscode-1", "read_file", "{}"), ("c2__vscode-2", "get_errors", "{}"))
    told = read_parts({"value": "One."}, invocation("c1"), {"value": "Two."}, result=result)
    assert {call.id: call.message_id for call in told.called()} == {
        "c1": "r-response",
        "c2": "r-response.2",
    }


def test_thinking_between_texts_does_not_split_an_answer() -> None:
    told = read_parts({"value": "One."}, {"kind": "thinking", "value": "hm"}, {"value": "Two."})
    assert (told.answer.text, told.answer.reasoning) == ("One.\n\nTwo.", "hm")


def test_an_empty_fence_after_a_call_does_not_split_an_answer() -> None:
    group = {"kind": "textEditGroup", "uri": uri("/w/a.py"), "edits": [], "done": True}
    fence = {"value": "\n```\n"}
    edit = [fence, {"kind": "codeblockUri", "uri": uri("/w/a.py"), "isEdit": True}, group, fence]
    told = read_parts(
        {"value": "Both."}, invocation("c1"), *edit, invocation("c2"), *edit, {"value": "Done."}
    )
    assert [answer.text for answer in told.answers] == ["Both.", "Done."]
    assert {call.id: call.message_id for call in told.called()} == {
        "c1": "r-response",
        "c2": "r-response",
    }


def test_text_that_was_taken_back_is_not_in_the_answer() -> None:
    clear = {"kind": "clearToPreviousToolInvocation", "reason": 0}
    warning = {"kind": "warning", "content": {"value": "Heed"}}
    told = read_parts(
        {"value": "One."}, invocation("c1"), {"value": "Draft."}, warning, {"value": "More."}, clear
    )
    assert [answer.text for answer in told.answers] == ["One."]
    told = read_parts(
        {"value": "One."}, invocation("c1"), {"value": "Draft."}, clear, {"value": "Two."}
    )
    assert [answer.text for answer in told.answers] == ["One.", "Two."]


def test_paragraphs_break_where_a_notice_stands() -> None:
    told = read_parts(
        {"value": "One."}, {"kind": "warning", "content": {"value": "Heed"}}, {"value": "Two."}
    )
    assert "\n\n".join(answer.text for answer in told.answers) == "One.\n\nTwo."
    told = read_parts({"value": "One"}, {"kind": "undoStop", "id": "u"}, {"value": " two."})
    assert told.answer.text == "One two."


@pytest.mark.parametrize(
    "response",
    ["because", ["because"], [{"value": "because"}], [["because"], {"value": "because"}]],
)
def test_responses_of_all_ages(response: Any) -> None:
    told = read_session(document({"requestId": "r", "message": "x", "response": response}))
    assert told.answer.text == "because"


def test_a_pressed_button_is_a_command() -> None:
    told = read_session(document({"requestId": "r", "message": "Yes", "confirmation": "Yes"}))
    assert [(message.role, message.kind, message.text) for message in told.said()] == [
        ("user", "command", "Yes")
    ]


@pytest.mark.parametrize(
    "mark",
    [
        {"isHidden": True},
        {"hiddenFromTranscript": True},
        {"shouldBeRemovedOnSend": {"requestId": "r"}},
    ],
)
def test_every_mark_of_a_hidden_turn(mark: Doc) -> None:
    assert {message.state for message in read_parts({"value": "x"}, **mark).said()} == {"hidden"}


def test_a_summary_is_a_compaction() -> None:
    for summary in (
        {"summary": {"toolCallRoundId": "x", "text": "S"}},
        {"summaries": [{"toolCallRoundId": "x", "text": "S"}]},
    ):
        told = read_parts({"value": "x"}, result={"metadata": summary})
        (message,) = (message for message in told.said() if message.kind == "compaction")
        assert (message.role, message.text) == ("system", "S")
        assert message.id.startswith("r-summary")


@pytest.mark.parametrize(("vote", "text"), [(1, "up"), (0, "down")])
def test_a_vote_is_an_event(vote: int, text: str) -> None:
    (event,) = (
        event for event in read_parts({"value": "x"}, vote=vote).of(Event) if event.type == "vote"
    )
    assert event.text == text


@pytest.mark.parametrize(
    "part",
    [
        {"kind": "warning", "content": {"value": "the words"}},
        {"kind": "info", "content": {"value": "the words"}},
        {"kind": "systemNotification", "content": "the words"},
        {"kind": "confirmation", "title": "the words", "message": "m", "buttons": ["Yes"]},
        {"kind": "elicitation", "title": "t", "message": "the words", "state": "accepted"},
        {
            "kind": "elicitationSerialized",
            "title": {"value": "the words"},
            "message": "m",
            "state": "rejected",
        },
        {"kind": "hook", "hookType": "PreToolUse", "systemMessage": "the words", "stopReason": "s"},
        {"kind": "pullRequest", "title": "the words", "uri": uri("/x")},
        {"kind": "command", "command": {"id": "x", "title": "the words"}},
        {"kind": "extensions", "extensions": ["the words"]},
    ],
    ids=lambda part: part["kind"],
)
def test_notices_and_questions_are_events(part: Doc) -> None:
    told = read_parts({"value": "x"}, part)
    (event,) = told.of(Event)
    assert (event.type, event.session_id) == (part["kind"], "s")
    assert "the words" in event.text
    assert [answer.text for answer in told.answers if answer.text] == ["x"]


def test_titles_by_rank() -> None:
    long = "word " * 100
    plain = read_session(document({"message": f"\n{long}\nsecond line"})).session
    assert (plain.title_rank, plain.title_source) == (10, "prompt")
    assert plain.title is not None
    assert len(plain.title) <= 200
    assert plain.title.startswith("word word")
    both = read_session(document({"message": "x"}, customTitle="C", computedTitle="D")).session
    assert (both.title, both.title_rank, both.title_source) == ("C", 50, "custom")


def test_what_a_session_knows_about_itself() -> None:
    agent = {"id": "github.copilot.editsAgent", "extensionVersion": "0.40.1"}
    requests = [
        {"requestId": "r1", "message": "x", "agent": {**agent, "extensionVersion": "0.39.0"}},
        {"requestId": "r2", "message": "x", "agent": agent},
        {"requestId": "r3", "message": "x", "agent": {**agent, "extensionVersion": ""}},
    ]
    repository = {"localBranch": "main", "remoteUrl": "https://example.invalid/app.git"}
    session = read_session(document(*requests, repoData=repository)).session
    assert (session.agent, session.id, session.agent_version) == ("vscode-chat", "s", "0.40.1")
    assert (session.git_branch, session.repository) == ("main", "https://example.invalid/app.git")
    assert (session.host_app, session.is_hint) == ("Code", False)


def test_the_product_is_the_host() -> None:
    told = read_session(document({"message": "x"}), user="/home/me/.config/Code - Insiders/User")
    assert told.session.host_app == "Code - Insiders"


def test_a_document_without_id_is_named_by_its_file() -> None:
    for odd in (None, 5, ""):
        told = read_session(document({"message": "x"}, sessionId=odd), f"{FOLDER}/chat-7.json")
        assert told.session.id == "chat-7"
        assert [message.text for message in told.said("chat-7")] == ["x"]


# -- results, success, approval ----------------------------------------------------------------

_DETAILS = {"input": "{}", "output": [{"type": "embed", "isText": True, "value": "of the details"}]}
_TERMINAL = {
    "kind": "terminal",
    "commandLine": {"original": "ls"},
    "terminalCommandOutput": {"text": "of the terminal"},
}
_SIMPLE = {"kind": "simpleToolInvocation", "input": "in", "output": "of the simple one"}
_SUBAGENT = {"kind": "subagent", "prompt": "p", "result": "of the sub-agent"}
_PAST: Doc = {"pastTenseMessage": {"value": "Did it"}}


@pytest.mark.parametrize(
    ("more", "recorded", "result"),
    [
        (
            {"resultDetails": _DETAILS, "toolSpecificData": _TERMINAL, **_PAST},
            "of the model",
            "of the model",
        ),
        (
            {"resultDetails": _DETAILS, "toolSpecificData": _TERMINAL, **_PAST},
            None,
            "of the details",
        ),
        ({"toolSpecificData": _TERMINAL, **_PAST}, None, "of the terminal"),
        ({"toolSpecificData": _SIMPLE, **_PAST}, None, "of the simple one"),
        ({"toolSpecificData": _SUBAGENT, **_PAST}, None, "of the sub-agent"),
        (_PAST, None, "Did it"),
        ({}, None, None),
    ],
)
def test_where_a_result_is_taken_from(more: Doc, recorded: str | None, result: str | None) -> None:
    results = {} if recorded is None else {"c__vscode-1": text_result(recorded)}
    told = read_parts(
        invocation("c", **more), result=rounds(("c__vscode-1", "read_file", "{}"), results=results)
    )
    (call,) = told.called()
    assert call.result == result
    assert call.status == (None if result is None else "ok")


@pytest.mark.parametrize(
    ("more", "arguments"),
    [
        ({"resultDetails": _DETAILS | {"input": '{"q":1}'}}, {"q": 1}),
        ({"toolSpecificData": {"kind": "input", "rawInput": {"q": 1}}}, {"q": 1}),
        ({"toolSpecificData": _TERMINAL}, {"command": "ls"}),
    ],
)
def test_where_arguments_are_taken_from_when_no_round_has_them(more: Doc, arguments: Doc) -> None:
    assert json.loads(read_parts(invocation("c", "x", **more)).call.arguments or "") == arguments


def test_simple_input_is_kept_as_it_is() -> None:
    assert read_parts(invocation("c", "x", toolSpecificData=_SIMPLE)).call.arguments == "in"


def test_arguments_of_the_round_come_first() -> None:
    result = rounds(("c__vscode-1", "run_in_terminal", '{"command":"asked"}'))
    call = read_parts(
        invocation("c", "run_in_terminal", toolSpecificData=_TERMINAL), result=result
    ).call
    assert call.arguments == '{"command":"asked"}'


@pytest.mark.parametrize(
    ("more", "status", "exit_code"),
    [
        ({**_PAST, "isConfirmed": {"type": 0}}, "denied", None),
        ({**_PAST, "isConfirmed": {"type": 5}}, "denied", None),
        ({**_PAST, "isConfirmed": False}, "denied", None),
        ({**_PAST, "isConfirmed": True}, "ok", None),
        ({**_PAST, "isConfirmed": {"type": 4}}, "ok", None),
        ({"resultDetails": {"input": "{}", "output": "x", "isError": True}}, "error", None),
        ({"resultDetails": {"input": "{}", "output": "x", "isError": False}}, "ok", None),
        ({"toolSpecificData": {**_TERMINAL, "terminalCommandState": {"exitCode": 2}}}, "failed", 2),
        ({"toolSpecificData": {**_TERMINAL, "terminalCommandState": {"exitCode": 0}}}, "ok", 0),
        (
            {"toolSpecificData": {**_SIMPLE, "output": "ERROR while calling tool: no"}},
            "error",
            None,
        ),
        ({}, None, None),
    ],
)
def test_whether_a_call_succeeded(more: Doc, status: str | None, exit_code: int | None) -> None:
    call = read_parts(invocation("c", "x", **more)).call
    assert (call.status, call.exit_code) == (status, exit_code)


def test_a_call_without_result_in_a_cancelled_turn_was_interrupted() -> None:
    told = read_parts(invocation("c1"), invocation("c2", **_PAST), modelState={"value": 2})
    assert [call.status for call in told.called()] == ["interrupted", "ok"]


def test_calls_of_two_turns_that_share_an_id_stay_two() -> None:
    """Some models count their calls anew in every turn; VS Code's suffix is there to tell them
    apart.
    """
    turns = [
        {
            "requestId": f"r{n}",
            "message": "x",
            "response": [invocation("call_1", pastTenseMessage=f"result {n}")],
        }
        for n in (1, 2)
    ]
    told = read_session(document(*turns))
    assert [(call.message_id, call.result) for call in told.called()] == [
        ("r1-response", "result 1"),
        ("r2-response", "result 2"),
    ]


@pytest.mark.parametrize("shown", [0, 2])
def test_calls_of_one_turn_that_share_an_id_have_their_own_results(shown: int) -> None:
    asked = [(f"call_1__vscode-{n}", "read_file", f'{{"n":{n}}}') for n in (1, 2)]
    result = rounds(
        *asked, results={f"call_1__vscode-{n}": text_result(f"result {n}") for n in (1, 2)}
    )
    told = read_parts(*[invocation("call_1")] * shown, result=result)
    assert [(call.arguments, call.result) for call in told.called()] == [
        ('{"n":1}', "result 1"),
        ('{"n":2}', "result 2"),
    ]


def test_a_call_does_not_take_the_result_of_a_later_one_with_its_id() -> None:
    first = rounds(("call_1__vscode-1", "read_file", "{}"))
    second = rounds(
        ("call_1__vscode-2", "read_file", "{}"),
        results={"call_1__vscode-2": text_result("of the second")},
    )
    results = (first, second)
    turns = [
        {"requestId": f"r{n}", "message": "x", "response": [], "result": one}
        for n, one in enumerate(results)
    ]
    assert [call.result for call in read_session(document(*turns)).called()] == [
        None,
        "of the second",
    ]


def test_children_belong_to_the_sub_agent_of_their_own_turn() -> None:
    def turn_with(number: int) -> Doc:
        data = {"kind": "subagent", "prompt": f"prompt {number}", "result": f"result {number}"}
        parts = [
            invocation("p", "runSubagent", toolSpecificData=data),
            invocation("c", subAgentInvocationId="p"),
        ]
        return {"requestId": f"r{number}", "message": "x", "response": parts}

    told = read_session(document(turn_with(1), turn_with(2)))
    children = [call.child_session_id for call in told.called()]
    assert len(set(children)) == 2
    for child, text in zip(children, ("result 1", "result 2"), strict=True):
        assert child is not None
        answer = told.said(child)[-1]
        assert answer.text == text
        assert [call.message_id for call in told.called(child)] == [answer.id]


def test_results_of_the_last_round_may_stand_in_the_next_request() -> None:
    first = {**rounds(("c__vscode-1", "read_file", "{}")), "maxToolCallsExceeded": True}
    first["metadata"]["maxToolCallsExceeded"] = True
    second = rounds(results={"c__vscode-1": text_result("late")})
    told = read_session(
        document(
            {"requestId": "r1", "message": "x", "response": [invocation("c")], "result": first},
            {"requestId": "r2", "message": "go on", "response": [{"value": "y"}], "result": second},
        )
    )
    assert told.call.result == "late"


@pytest.mark.parametrize(
    ("content", "result"),
    [
        ([{"$mid": 21, "value": "one"}, {"$mid": 21, "value": "two"}], ("one", "two")),
        ([{"value": {"node": {"type": 1, "ctor": 3}}}], ("<image>",)),
        ([{"value": {"node": {"type": 3, "text": "no"}}}, {"value": "x"}], ("x",)),
        ([{"value": "thought", "id": "t"}, {"value": "x"}], ("x",)),
        ([{"mimeType": "image/png", "data": "iVBO"}, {"value": "x"}], ("x",)),
    ],
)
def test_results_of_every_shape(content: list[Doc], result: tuple[str, ...]) -> None:
    told = read_parts(
        invocation("c"), result=rounds(("c__vscode-1", "x", "{}"), results={"c__vscode-1": content})
    )
    assert all(part in (told.call.result or "") for part in result)
    for absent in ("iVBO", "no", "thought"):
        assert absent not in (told.call.result or "")


def test_a_result_nested_hundreds_deep_is_read() -> None:
    node: Doc = {"type": 2, "text": "deep"}
    for _ in range(150):
        node = {"type": 1, "ctor": 2, "children": [node]}
    results = {"c__vscode-1": [{"$mid": 23, "value": {"node": node}}]}
    told = read_parts(invocation("c"), result=rounds(("c__vscode-1", "x", "{}"), results=results))
    assert told.call.result == "deep"


# -- every kind, every type --------------------------------------------------------------------


@pytest.fixture(scope="module")
def rich() -> Doc:
    (path,) = KINDS.glob("*.json")
    value: Doc = json.loads(path.read_text())
    return value


@pytest.fixture(scope="module")
def rich_told(rich: Doc) -> Told:
    workspace = {"../workspace.json": {"folder": "file:///work/app"}}
    return read_session(rich, f"{FOLDER}/{RICH_ID}.json", workspace)


def test_no_kind_of_the_format_is_unknown(rich_told: Told) -> None:
    assert rich_told.counted("unknown") == {}
    assert rich_told.counted("malformed") == {}
    assert not rich_told.ledger.troubles
    assert not [event for event in rich_told.of(Event) if event.raw is not None]


def test_every_part_is_counted(rich: Doc, rich_told: Told) -> None:
    parts = [part for request in rich["requests"] for part in request["response"]]
    kinds = Counter(
        part.get("kind") or ("markdown" if "value" in part else "tree") for part in parts
    )
    assert rich_told.kinds("part") == kinds
    said = [
        part
        for request in rich["requests"]
        if isinstance(request["message"], dict)
        for part in request["message"]["parts"]
    ]
    assert rich_told.kinds("message") == Counter(part["kind"] for part in said)
    variables = [
        one
        for request in rich["requests"]
        for one in request.get("variableData", {}).get("variables", [])
    ]
    counted = rich_told.kinds("variable")
    assert sum(counted.values()) == len(variables)
    for kind, count in Counter(one["kind"] for one in variables if "kind" in one).items():
        assert counted.get(kind, 0) >= count, kind


def test_a_document_is_one_record(rich_told: Told) -> None:
    assert {kind: size for (_, kind, _), (_, size) in rich_told.ledger.counts.items() if size} == {
        "session": rich_told.ledger.total_bytes
    }


def test_the_rich_document_as_a_whole(rich_told: Told) -> None:
    session = rich_told.session
    assert (session.id, session.title, session.project_path) == (RICH_ID, "Every kind", "/work/app")
    assert session.models == ("gpt-5-mini", "claude-sonnet-4.5")
    assert (session.git_branch, session.agent_version) == ("main", "0.40.1")
    texts = [
        message.text
        for message in rich_told.said(RICH_ID)
        if message.kind == "answer" and message.text
    ]
    assert texts[0] == "Looking at a.py, b.py:4 and `main`. Take care."
    assert texts[-2:] == ["Done.", "Nothing."]
    statuses = {call.id: call.status for call in rich_told.called(RICH_ID)}
    assert {
        "toolu_1": "ok",
        "toolu_2": "failed",
        "toolu_3": "ok",
        "toolu_5": "ok",
    }.items() <= statuses.items()
    assert {"toolu_h", "toolu_16"} <= set(statuses)
    assert "toolu_6" not in statuses
    assert "later" not in [message.text for message in rich_told.messages.values()]
    assert "rendered" not in [message.text for message in rich_told.messages.values()]
    (plan,) = rich_told.of(Plan)
    assert (plan.approved, plan.feedback) == (False, "smaller")
    assert [(u.key, u.input_tokens, u.premium_requests) for u in rich_told.of(Usage)] == [
        ("request_1", 1200, 0.5),
        ("request_2", 100, None),
    ]


ODD: tuple[Any, ...] = (None, 5, "x", [], {}, True)


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, below in items:
        yield (*path, key)
        yield from places(below, (*path, key))


def test_any_value_of_another_type_costs_only_itself(rich: Doc) -> None:
    """Whatever is wrong in the first request, the second one is read, and no byte is lost."""
    lost: list[tuple[tuple[str | int, ...], Any, object]] = []
    for path in [path for path in places(rich) if "editorRange" not in path[:-1]]:
        inner: Any = rich
        for key in path[:-1]:
            inner = inner[key]
        original = inner[path[-1]]
        for odd in ODD[:4]:
            inner[path[-1]] = odd
            told = read_session(rich, f"{FOLDER}/{RICH_ID}.json")
            is_second = path == ("requests", 1) or path[:3] == ("requests", 1, "message")
            texts = {message.text for message in told.messages.values()}
            if path != ("requests",) and not is_second and "and then?" not in texts:
                lost.append((path, odd, told.ledger.troubles))
        inner[path[-1]] = original
    assert lost == []


@pytest.mark.parametrize(
    "odd", [*ODD, "{", '{"requests":[', "\0", "\ufeff{}", "[" * 5000, '{"requests":' + "[" * 5000]
)
def test_a_document_that_is_none(odd: Any) -> None:
    data = odd if isinstance(odd, str) and odd != "x" else json.dumps(odd)
    told = read_session(data, f"{FOLDER}/s.json")
    assert (told.said(), told.completeness) == ([], 0)


def test_a_uri_in_a_uri_in_a_uri_does_not_cost_the_session() -> None:
    value: Doc = uri("/w/a.py")
    for _ in range(300):
        value = {"uri": value}
    told = read_session(
        document({"message": "x", "variableData": {"variables": [{"name": "n", "value": value}]}})
    )
    assert [prompt.text for prompt in told.prompts] == ["x"]


def test_a_lone_surrogate_costs_one_letter() -> None:
    """JavaScript cuts strings between the halves of an emoji, and writes the half."""
    half = {"requestId": "r", "message": "half \ud83d", "response": [{"value": "yes"}]}
    for source, name in (
        (document(half), "s.json"),
        ([{"kind": 0, "v": document(half)}], "s.jsonl"),
    ):
        data = (
            json.dumps(source)
            if isinstance(source, dict)
            else "".join(json.dumps(one) + "\n" for one in source)
        )
        told = read_session(data, f"{FOLDER}/{name}")
        assert [message.text for message in told.said()] == ["half \ufffd", "yes"]


def test_a_lone_surrogate_in_a_row_costs_one_letter(tmp_path: Path) -> None:
    sessions = [document({"message": "half \ud83d"}), document({"message": "whole"}, sessionId="t")]
    path = state_db(tmp_path / "state.vscdb", {"interactive.sessions": sessions})
    assert [message.text for message in read_extract(path, "s").said()] == ["half \ufffd"]
    assert [message.text for message in read_extract(path, "t").said("t")] == ["whole"]


@pytest.mark.parametrize(
    "number", ["1e300", "-1e300", "1" * 300, "123456789012345678901234567890", "0.1e-300"]
)
def test_numbers_beyond_all_measure(number: str) -> None:
    fields = (
        "creationDate",
        "lastMessageDate",
        "timestamp",
        "completedAt",
        "vote",
        "promptTokens",
        "eventKind",
    )
    inner = ",".join(f'"{field}":{number}' for field in fields)
    part = f'{{"kind":"new","payload":{number}}}'
    data = f'{{"kind":"input","rawInput":[{number}]}}'
    call = f'{{"kind":"toolInvocationSerialized","toolId":"x","toolSpecificData":{data}}}'
    request = f'{{"message":"x","response":[{part},{call}],"modelState":{{{inner}}},{inner}}}'
    told = read_session(f'{{"sessionId":"s",{inner},"requests":[{request}]}}', f"{FOLDER}/s.json")
    assert [prompt.text for prompt in told.prompts] == ["x"]


def test_a_buffer_of_endless_length_is_not_made() -> None:
    for size in (5, 10**15):
        (image,) = attached(
            {"kind": "image", "name": "a", "value": {"type": "Buffer", "data": size}}
        )
        assert (image.kind, image.size) == ("image", None)


# -- the transcript that the extension keeps ---------------------------------------------------


def test_a_transcript_of_the_extension() -> None:
    (path,) = HERE.glob("transcript/home/**/transcripts/*.jsonl")
    name = f"workspaceStorage/w/GitHub.copilot-chat/transcripts/{path.name}"
    told = read_session(path.read_text(), name)
    said = told.said(path.stem)
    assert [
        (message.kind, message.text) for message in said if message.kind in ("prompt", "answer")
    ] == [
        ("prompt", "list the files"),
        ("answer", "I look."),
        ("answer", "One file."),
    ]
    (call,) = told.called(path.stem)
    assert (call.id, call.name, call.result, call.status) == ("toolu_9", "list_dir", "a.py", "ok")
    assert json.loads(call.arguments or "") == {"path": "/work/app"}
    assert {(session.agent, session.id) for session in told.sessions} == {
        ("vscode-chat", path.stem)
    }
    assert told.counted("unknown") == {}


# -- the list of files -------------------------------------------------------------------------


def touch(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("{}")


def test_discover_lists_session_files_and_nothing_else(tmp_path: Path) -> None:
    workspace = "workspaceStorage/0123456789abcdef0123456789abcdef"
    expected: dict[str, tuple[str, str | None]] = {
        f"{workspace}/workspace.json": ("document", None),
        f"{workspace}/state.vscdb": ("rows", None),
        f"{workspace}/chatSessions/a.json": ("session", "a"),
        f"{workspace}/chatSessions/a.jsonl": ("replay", "a"),
        f"{workspace}/chatEditingSessions/a/state.json": ("document", None),
        f"{workspace}/chatEditingSessions/a/contents/6fcf9df": ("kept", None),
        f"{workspace}/GitHub.copilot-chat/transcripts/a.jsonl": ("log", "a"),
        f"{workspace}/GitHub.copilot-chat/chat-session-resources/a/c/content.txt": ("kept", None),
        f"{workspace}/GitHub.copilot-chat/debug-logs/a/main.jsonl": ("kept", None),
        "workspaceStorage/1768000000000/chatSessions/chat-7.json": ("session", "chat-7"),
        "workspaceStorage/no-workspace/chatSessions/b.json": ("session", "b"),
        "globalStorage/state.vscdb": ("rows", None),
        "globalStorage/emptyWindowChatSessions/c.jsonl": ("replay", "c"),
        "globalStorage/transferredChatSessions/d.json": ("session", "d"),
    }
    touch(tmp_path, *expected)
    touch(
        tmp_path,
        "settings.json",
        "globalStorage/storage.json",
        "globalStorage/x.y/tokens.json",
        f"{workspace}/state.vscdb.backup",
        f"{workspace}/x.y/secret.json",
        f"{workspace}/chatSessions/a.tmp",
        "profiles/p/globalStorage/state.vscdb",
        f"{workspace}/meta.json",
    )
    found = list(CONNECTOR.discover(str(tmp_path)))
    assert {
        file.name: (file.role, file.session_id) for file in found if isinstance(file, FoundFile)
    } == expected
    assert not [one for one in found if isinstance(one, Unlisted)]
    assert {file.path for file in found} == {str(tmp_path / name) for name in expected}


def test_of_the_copies_of_a_session_the_log_comes_first(tmp_path: Path) -> None:
    workspace = "workspaceStorage/w"
    names = [
        f"{workspace}/chatSessions/a.jsonl",
        f"{workspace}/chatSessions/a.json",
        f"{workspace}/GitHub.copilot-chat/transcripts/a.jsonl",
    ]
    touch(tmp_path, *names)
    ranks = {
        file.name: file.rank
        for file in CONNECTOR.discover(str(tmp_path))
        if isinstance(file, FoundFile)
    }
    assert ranks[names[0]] > ranks[names[1]] > ranks[names[2]]


def test_discover_does_not_follow_links_in_place_of_small_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    root = tmp_path / "User"
    editing = root / "workspaceStorage/w/chatEditingSessions/a/contents"
    editing.mkdir(parents=True)
    (editing / "6fcf9df").symlink_to(secret)
    (root / "workspaceStorage/w/workspace.json").symlink_to(secret)
    found = list(CONNECTOR.discover(str(root)))
    assert [type(one) for one in found] == [Unlisted, Unlisted]
    assert {one[1] for one in found} == {"a link in place of a file, which is not followed"}


def test_discover_of_nothing() -> None:
    assert list(CONNECTOR.discover("/does/not/exist")) == []


def test_every_fixture_is_read_without_trouble() -> None:
    for name in ("empty-window", "kinds", "log", "transcript"):
        for file in CONNECTOR.discover(str(HERE / name / "home/.config/Code/User")):
            assert isinstance(file, FoundFile)
            reader = CONNECTOR.reader(
                FileIdentity(file.name, file.path, file.role, file.session_id), None
            )
            pieces = [
                piece
                for piece in reader.read(DiskContent(file.path))
                if not isinstance(piece, Pause)
            ]
            assert pieces or file.role == "document"
            assert not reader.ledger.troubles


# -- the whole way -----------------------------------------------------------------------------


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


def test_every_age_of_storage_is_read(tmp_path: Path) -> None:
    row = [document(turn(1), sessionId="row")]
    state_db(place(tmp_path, "workspaceStorage/w1/state.vscdb"), {"interactive.sessions": row})
    empty_window = [document(turn(1), sessionId="window")]
    state_db(place(tmp_path, "globalStorage/state.vscdb"), {"interactive.sessions": empty_window})
    write(tmp_path, "workspaceStorage/w1/workspace.json", {"folder": "file:///work/app"})
    write(tmp_path, "workspaceStorage/w1/chatSessions/doc.json", document(turn(1), sessionId="doc"))
    write(
        tmp_path,
        "workspaceStorage/w1/chatSessions/log.jsonl",
        [initial(sessionId="log"), pushed(turn(1))],
    )
    write(
        tmp_path,
        "workspaceStorage/no-workspace/chatSessions/none.json",
        document(turn(1), sessionId="none"),
    )
    write(
        tmp_path,
        "globalStorage/emptyWindowChatSessions/empty.json",
        document(turn(1), sessionId="empty"),
    )
    write(
        tmp_path,
        "globalStorage/transferredChatSessions/moved.json",
        document(turn(1), sessionId="moved"),
    )
    assert sync(tmp_path).problems == 0
    assert listed(tmp_path) == ["doc", "empty", "log", "moved", "none", "row", "window"]
    for session in listed(tmp_path):
        assert texts(tmp_path, session) == ["prompt 1", "answer 1"]
    projects = {session: loaded(tmp_path, session).project_path for session in listed(tmp_path)}
    assert projects["doc"] == projects["log"] == projects["row"] == "/work/app"
    assert projects["empty"] is projects["none"] is None
    assert {loaded(tmp_path, session).host_app for session in listed(tmp_path)} == {"Code"}
    assert sync(tmp_path).changed_files == 0
    assert_verified(tmp_path)


def test_case_11_a_stub_beside_a_full_document(tmp_path: Path) -> None:
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1), turn(2)))
    write(tmp_path, f"{FOLDER}/s.jsonl", [initial()])
    sync(tmp_path)
    assert texts(tmp_path) == ["prompt 1", "answer 1", "prompt 2", "answer 2"]
    assert listed(tmp_path) == ["s"]
    assert_verified(tmp_path)


def test_a_log_with_less_than_the_document_is_a_rollback(tmp_path: Path) -> None:
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1), turn(2)))
    write(tmp_path, f"{FOLDER}/s.jsonl", [initial(), pushed(turn(1))])
    sync(tmp_path)
    assert texts(tmp_path) == ["prompt 1", "answer 1"]
    assert_verified(tmp_path)


def test_a_stub_that_grows_takes_over_from_the_document(tmp_path: Path) -> None:
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1)))
    log_path = write(tmp_path, f"{FOLDER}/s.jsonl", [initial()])
    sync(tmp_path)
    log_path.write_bytes(log_path.read_bytes() + as_bytes([pushed(turn(1), turn(2), turn(3))]))
    sync(tmp_path)
    assert [text for text in texts(tmp_path) if text.startswith("prompt")] == [
        "prompt 1",
        "prompt 2",
        "prompt 3",
    ]
    assert_verified(tmp_path)


@pytest.mark.parametrize("better", ["w1", "w2"])
def test_of_two_workspaces_the_later_activity_is_read(tmp_path: Path, better: str) -> None:
    worse = "w2" if better == "w1" else "w1"
    write(tmp_path, f"workspaceStorage/{better}/workspace.json", {"folder": "file:///work/better"})
    write(tmp_path, f"workspaceStorage/{worse}/workspace.json", {"folder": "file:///work/worse"})
    write(tmp_path, f"workspaceStorage/{better}/chatSessions/s.json", document(turn(1), turn(9)))
    write(
        tmp_path,
        f"workspaceStorage/{worse}/chatSessions/s.json",
        document(turn(1), turn(2), turn(3)),
    )
    sync(tmp_path)
    assert [text for text in texts(tmp_path) if text.startswith("prompt")] == [
        "prompt 1",
        "prompt 9",
    ]
    assert loaded(tmp_path).project_path == "/work/better"
    assert listed(tmp_path) == ["s"]
    assert_verified(tmp_path)


def test_a_migrated_row_and_its_document_are_one_session(tmp_path: Path) -> None:
    state_db(
        place(tmp_path, "workspaceStorage/w/state.vscdb"),
        {"interactive.sessions": [document(turn(1))]},
    )
    sync(tmp_path)
    assert texts(tmp_path) == ["prompt 1", "answer 1"]
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1), turn(2)))
    sync(tmp_path)
    assert texts(tmp_path) == ["prompt 1", "answer 1", "prompt 2", "answer 2"]
    assert listed(tmp_path) == ["s"]
    assert_verified(tmp_path)


def test_a_transcript_is_read_only_where_there_is_nothing_better(tmp_path: Path) -> None:
    (source,) = HERE.glob("transcript/home/**/transcripts/*.jsonl")
    write(
        tmp_path,
        f"workspaceStorage/w/GitHub.copilot-chat/transcripts/{source.name}",
        source.read_bytes(),
    )
    log_path = write(tmp_path, f"{FOLDER}/{source.name}", [initial(sessionId=source.stem)])
    sync(tmp_path)
    assert texts(tmp_path, source.stem)[0] == "list the files"
    log_path.write_bytes(as_bytes([initial(sessionId=source.stem), pushed(turn(1))]))
    sync(tmp_path)
    assert texts(tmp_path, source.stem) == ["prompt 1", "answer 1"]
    assert listed(tmp_path) == [source.stem]
    assert_verified(tmp_path)


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


def test_a_growing_log_equals_one_read_at_once(tmp_path: Path) -> None:
    data = as_bytes(GROWING)
    ends = [at + 1 for at, byte in enumerate(data) if byte == ord("\n")]
    path = place(tmp_path, f"{FOLDER}/s.jsonl")
    for cut in sorted({*ends, ends[2] + 7, ends[5] + 30, len(data) - 1}):
        path.write_bytes(data[:cut])
        assert sync(tmp_path).sessions <= 1
    assert texts(tmp_path) == ["prompt 1", "answer 1", "and more", "prompt 4", "answer 4"]
    assert loaded(tmp_path).title == "A title"
    stepwise = journal_digest(tmp_path)
    assert_verified(tmp_path)
    shutil.rmtree(tmp_path / ".agent-journal")
    sync(tmp_path)
    assert journal_digest(tmp_path) == stepwise


def test_a_torn_last_line_is_told_and_mended(tmp_path: Path) -> None:
    data = as_bytes(GROWING)
    path = place(tmp_path, f"{FOLDER}/s.jsonl")
    path.write_bytes(data[:-20])
    sync(tmp_path)
    assert texts(tmp_path)[-1] == "answer 4"
    assert_verified(tmp_path)
    path.write_bytes(data)
    assert sync(tmp_path).problems == 0
    assert_verified(tmp_path)


def test_a_session_that_is_twice_in_a_row_is_read_once(tmp_path: Path) -> None:
    twice = [document(turn(1)), document(turn(1), turn(2)), document(turn(1), sessionId="t")]
    state_db(place(tmp_path, "workspaceStorage/w/state.vscdb"), {"interactive.sessions": twice})
    sync(tmp_path)
    assert [text for text in texts(tmp_path) if text.startswith("prompt")] == [
        "prompt 1",
        "prompt 2",
    ]
    assert listed(tmp_path) == ["s", "t"]
    assert_verified(tmp_path)


def test_compaction_keeps_the_session_and_the_old_log(tmp_path: Path) -> None:
    path = write(tmp_path, f"{FOLDER}/s.jsonl", GROWING)
    old = path.read_bytes()
    sync(tmp_path)
    before = [placeless(message) for message in loaded(tmp_path).messages]
    state: Doc = {}
    for entry in json.loads(json.dumps(GROWING)):
        state = apply(state, entry)
    path.write_bytes(as_bytes([{"kind": 0, "v": state}]))
    sync(tmp_path)
    assert [placeless(message) for message in loaded(tmp_path).messages] == before
    assert listed(tmp_path) == ["s"]
    assert_verified(tmp_path)
    done = aj(tmp_path, "restore", "--all", "--all-versions", "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    (kept,) = (tmp_path / "out").glob(f"**/{FOLDER}/s.jsonl.v1")
    assert kept.read_bytes() == old
    (now,) = (tmp_path / "out").glob(f"**/{FOLDER}/s.jsonl")
    assert now.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("kind", ["json", "jsonl"])
def test_an_earlier_version_can_be_shown(tmp_path: Path, kind: str) -> None:
    for last in ("first words", "other words"):
        whole = document(turn(1), turn(2, message=last))
        write(
            tmp_path, f"{FOLDER}/s.{kind}", whole if kind == "json" else [{"kind": 0, "v": whole}]
        )
        sync(tmp_path)
    assert "other words" in aj(tmp_path, "show", "s").stdout
    shown = aj(tmp_path, "show", "s", "--version", "1").stdout
    assert ("first words" in shown, "other words" in shown) == (True, False)


def test_a_workspace_file_that_comes_later_gives_the_project(tmp_path: Path) -> None:
    write(tmp_path, f"{FOLDER}/s.jsonl", [initial(), pushed(turn(1))])
    write(tmp_path, f"{FOLDER}/t.json", document(turn(1), sessionId="t"))
    sync(tmp_path)
    assert loaded(tmp_path).project_path is None
    write(
        tmp_path,
        "workspaceStorage/w/workspace.json",
        {"folder": "vscode-remote://wsl%2Bubuntu-22.04/work/app"},
    )
    sync(tmp_path)
    for session in ("s", "t"):
        assert (loaded(tmp_path, session).project_path, loaded(tmp_path, session).tags) == (
            "/work/app",
            ("remote:wsl:ubuntu-22.04",),
        )
    assert_verified(tmp_path)


def test_the_title_of_the_index_is_used(tmp_path: Path) -> None:
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1)))
    write(tmp_path, f"{FOLDER}/t.json", document(turn(1), sessionId="t", customTitle="Own title"))
    write(tmp_path, f"{FOLDER}/u.json", document(turn(1), sessionId="u"))
    entries = {
        "s": index_entry("s", "From the index"),
        "t": index_entry("t", "From the index"),
        "u": index_entry("u", "New Chat"),
        "gone": index_entry("gone", "No file"),
    }
    index = {"version": 1, "entries": entries}
    state_db(
        place(tmp_path, "workspaceStorage/w/state.vscdb"), {"chat.ChatSessionStore.index": index}
    )
    sync(tmp_path)
    assert {session: loaded(tmp_path, session).title for session in listed(tmp_path)} == {
        "s": "From the index",
        "t": "Own title",
        "u": "prompt 1",
    }
    entries["s"]["title"] = "Renamed"
    state_db(
        place(tmp_path, "workspaceStorage/w/state.vscdb"), {"chat.ChatSessionStore.index": index}
    )
    sync(tmp_path)
    assert loaded(tmp_path).title == "Renamed"
    assert_verified(tmp_path)


def test_no_other_row_of_the_database_is_kept(tmp_path: Path) -> None:
    rows = {
        "interactive.sessions": [document(turn(1))],
        "secret://x": "MARKER-1",
        "memento/other": {"x": "MARKER-2"},
        "interactive.sessions2": "MARKER-3",
        "github.auth": b"MARKER-4",
    }
    for name in ("workspaceStorage/w/state.vscdb", "globalStorage/state.vscdb"):
        with closing(sqlite3.connect(state_db(place(tmp_path, name), rows))) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("INSERT INTO ItemTable VALUES ('secret://y', 'MARKER-5')")
            db.commit()
            sync(tmp_path)  # with a -wal beside it
    sync(tmp_path)
    assert texts(tmp_path) == ["prompt 1", "answer 1"]
    assert_verified(tmp_path)
    done = aj(tmp_path, "restore", "--all", "--all-versions", "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert files
    kept = [path for path in (tmp_path / ".agent-journal").rglob("*") if path.is_file()]
    assert not [path for path in (*files, *kept) if b"MARKER" in path.read_bytes()]


def test_sessions_stay_when_their_files_go(tmp_path: Path) -> None:
    state_db(
        place(tmp_path, "workspaceStorage/w/state.vscdb"),
        {"interactive.sessions": [document(turn(1), sessionId="row")]},
    )
    write(tmp_path, "workspaceStorage/w/workspace.json", {"folder": "file:///work/app"})
    write(tmp_path, f"{FOLDER}/s.jsonl", GROWING)
    sync(tmp_path)
    shutil.rmtree(tmp_path / ".config")
    sync(tmp_path)
    items = {item["id"]: item for item in aj_json(tmp_path, "ls")["items"]}
    assert set(items) == {"row", "s"}
    assert items["s"]["project_path"] == "/work/app"
    shown = aj(tmp_path, "show", "s")
    assert (shown.returncode, "answer 4" in shown.stdout) == (0, True)
    assert "answer 1" in aj(tmp_path, "show", "vscode-chat:row").stdout
    assert_verified(tmp_path)
    shutil.rmtree(tmp_path / ".agent-journal/index")
    sync(tmp_path)
    assert listed(tmp_path) == ["row", "s"]
    assert_verified(tmp_path)


@pytest.mark.parametrize("data", [b"no database at all", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_database_is_a_problem_and_not_the_end(tmp_path: Path, data: bytes) -> None:
    write(tmp_path, "workspaceStorage/w/state.vscdb", data)
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1)))
    report = sync(tmp_path)
    assert report.problems == 1
    assert listed(tmp_path) == ["s"]
    assert_verified(tmp_path)
    place(tmp_path, "workspaceStorage/w/state.vscdb").unlink()
    rows = {"interactive.sessions": [document(turn(1), sessionId="row")]}
    state_db(place(tmp_path, "workspaceStorage/w/state.vscdb"), rows)
    assert sync(tmp_path).problems == 0
    assert listed(tmp_path) == ["row", "s"]
    assert_verified(tmp_path)


def test_a_database_that_is_damaged_later_keeps_what_it_said(tmp_path: Path) -> None:
    rows = {"interactive.sessions": [document(turn(1), sessionId="row")]}
    path = state_db(place(tmp_path, "workspaceStorage/w/state.vscdb"), rows)
    sync(tmp_path)
    path.write_bytes(b"no database at all")
    assert sync(tmp_path).problems == 1
    assert texts(tmp_path, "row") == ["prompt 1", "answer 1"]
    assert_verified(tmp_path)


def test_a_document_that_is_damaged_later_keeps_what_it_said(tmp_path: Path) -> None:
    path = write(tmp_path, f"{FOLDER}/s.json", document(turn(1)))
    sync(tmp_path)
    path.write_bytes(path.read_bytes()[:-20])
    sync(tmp_path)
    assert texts(tmp_path) == ["prompt 1", "answer 1"]
    assert_verified(tmp_path)


def test_sub_agents_are_listed_under_their_session(tmp_path: Path) -> None:
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1, response=case(25))))
    sync(tmp_path)
    assert listed(tmp_path) == ["s"]
    (item,) = aj_json(tmp_path, "ls")["items"]
    assert item["sub_agents"] == 1
    assert texts(tmp_path, "s/toolu_P") == ["Find the tests", "tests/"]
    assert loaded(tmp_path, "s/toolu_P").parent_id == "s"
    assert_verified(tmp_path)


def test_hidden_turns_are_kept_and_not_counted(tmp_path: Path) -> None:
    write(
        tmp_path,
        f"{FOLDER}/s.json",
        document(turn(1), turn(2, shouldBeRemovedOnSend={"requestId": "r2"})),
    )
    sync(tmp_path)
    (item,) = aj_json(tmp_path, "ls")["items"]
    assert (item["prompt_count"], item["message_count"]) == (1, 2)
    assert texts(tmp_path)[-1] == "answer 2"
    assert_verified(tmp_path)


def test_products_beside_each_other_are_all_read(tmp_path: Path) -> None:
    for product in ("Code", "Code - Insiders", "VSCodium"):
        path = tmp_path / ".config" / product / "User" / FOLDER / f"{product[-4:]}.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(document(turn(1), sessionId=product[-4:])))
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        hosts = {session.id: session.host_app for session in journal.sessions()}
    assert hosts == {"Code": "Code", "ders": "Code - Insiders", "dium": "VSCodium"}
    assert_verified(tmp_path)
