"""What older sessions, which are one document, become."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.gemini import CONNECTOR, session
from agent_journal.connectors.gemini.session import SessionReader
from agent_journal.model import ToolCall
from agent_journal.testing.contents import BytesContent
from tests.support.assemble import Assembly, read_root
from tests.support.gemini_sessions import home


@pytest.fixture(scope="module")
def document() -> Assembly:
    return read_root(CONNECTOR, home("document"))


def test_parts_of_content(document: Assembly) -> None:
    messages = {name: message for (_, name), message in document.messages.items()}
    assert messages["u1"].text == "What is in @plum.png and @a.md?"
    assert [(file.kind, file.path, file.size) for file in messages["u1"].attachments] == [
        ("file", "a.md", None),
        ("image", None, 3),
    ]
    assert (messages["c1"].text, messages["c1"].attachments[0].text) == (
        "/review",
        "Review the diff as a pirate: …",
    )
    assert messages["c2"].kind == "injected"
    assert messages["line-5"].text == "no id"
    assert messages["m1"].text == "Arr, matey"


def test_more_cached_than_sent_is_not_part_of_it(document: Assembly) -> None:
    (usage,) = [message.usage for message in document.messages.values() if message.usage]
    assert (usage.input_tokens, usage.cache_read_tokens, usage.reasoning_tokens) == (100, 250, None)


def test_a_project_is_known_by_its_hash(document: Assembly) -> None:
    assert document.sessions[0].project_path == "/home/sam/plum"


def test_results_of_every_shape(document: Assembly) -> None:
    calls: dict[str, ToolCall] = {name: call for (_, name), call in document.calls.items()}
    assert (calls["g1#0"].result, calls["er"].result, calls["er"].exit_code) == (
        "# A\n",
        "not found",
        127,
    )
    assert [file.kind for file in calls["im"].attachments] == ["image", "document"]


def test_only_what_is_damaged_is_lost() -> None:
    found = read_root(CONNECTOR, home("damage"))
    assert [message.text for message in found.messages.values()] == [
        "Half a line follows",
        "Glued",
        "after the crash",
        "caf\u2028e",
        "\ufffd",
        "The head is lost",
        "Pity.",
        "a number as id",
        "no id",
        "",
    ]


def _read(data: bytes) -> tuple[object, ...]:
    """Everything that a reader says about a document."""
    reader = SessionReader(FileIdentity("chats/session-1.json", "/x", "session", None))
    pieces = list(reader.read(BytesContent(data)))
    ledger = (reader.ledger.counts, reader.ledger.troubles)
    return pieces, list(reader.sessions()), reader.completeness, reader.offset, ledger


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data,
        lambda data: data.replace(b'"id": "u1"', b'"id": "g1"'),  # two of one id
        lambda data: data.replace(b'"type": "user"', b'"type": "odd"'),
        lambda data: data.replace(b'"messages": [', b'"messages": [7, '),
        lambda data: data.replace(b"A plum.", b"A \\ud800 plum."),  # half of a character
        lambda data: data.replace(b"A plum.", b"A \xff plum."),
        lambda data: data.replace(b'"messages": [', b'"odd": 1e99999, "messages": ['),
        lambda data: data.replace(b'"id": "u1"', b'"id": "u1", "odd": ' + b"7" * 6000),
        lambda data: data.replace(b'"messages": [', b'"messages": {'),
        lambda data: data[:-30],
        lambda data: b'{"messages": null}',
        lambda data: b'{"messages": []}',
    ],
)
def test_a_large_document_is_read_like_a_small_one(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[bytes], bytes]
) -> None:
    [path] = home("document").rglob("session-*.json")
    data = change(path.read_bytes())
    small = _read(data)
    monkeypatch.setattr(session, "_LARGE", 0)
    assert _read(data) == small


def test_a_large_document_is_held_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bytes, and one message after the other."""
    monkeypatch.setattr(session, "_LARGE", 2**20)
    message = '{"id": "m%d", "type": "user", "content": "%s"}'
    messages = ",".join(message % (number, "x" * 10_000) for number in range(800))
    data = f'{{"sessionId": "s", "messages": [{messages}]}}'.encode()
    content = BytesContent(data)
    reader = SessionReader(FileIdentity("chats/session-1.json", "/x", "session", None))
    tracemalloc.start()
    count = sum(1 for _ in reader.read(content))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count >= 800
    assert peak < 1.5 * len(data)
