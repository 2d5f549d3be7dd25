"""Every kind of the format, and values of every type in every place."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_journal.model import (
    Event,
    Plan,
    Usage,
)
from tests.support.vscode import (
    FOLDER,
    KINDS,
    RICH_ID,
    Doc,
    ReadChat,
    attached,
    document,
    read_extract,
    read_session,
    state_db,
    uri,
)


@pytest.fixture(scope="module")
def rich() -> Doc:
    (path,) = KINDS.glob("*.json")
    value: Doc = json.loads(path.read_text())
    return value


@pytest.fixture(scope="module")
def rich_chat(rich: Doc) -> ReadChat:
    workspace = {"../workspace.json": {"folder": "file:///work/app"}}
    return read_session(rich, f"{FOLDER}/{RICH_ID}.json", workspace)


def test_no_kind_of_the_format_is_unknown(rich_chat: ReadChat) -> None:
    assert rich_chat.counted("unknown") == {}
    assert rich_chat.counted("malformed") == {}
    assert not rich_chat.ledger.troubles
    assert not [event for event in rich_chat.of(Event) if event.raw is not None]


def test_every_part_is_counted(rich: Doc, rich_chat: ReadChat) -> None:
    parts = [part for request in rich["requests"] for part in request["response"]]
    kinds = Counter(
        part.get("kind") or ("markdown" if "value" in part else "tree") for part in parts
    )
    assert rich_chat.kinds("part") == kinds
    said = [
        part
        for request in rich["requests"]
        if isinstance(request["message"], dict)
        for part in request["message"]["parts"]
    ]
    assert rich_chat.kinds("message") == Counter(part["kind"] for part in said)
    variables = [
        item
        for request in rich["requests"]
        for item in request.get("variableData", {}).get("variables", [])
    ]
    counted = rich_chat.kinds("variable")
    assert sum(counted.values()) == len(variables)
    for kind, count in Counter(item["kind"] for item in variables if "kind" in item).items():
        assert counted.get(kind, 0) >= count, kind


def test_a_document_is_one_record(rich_chat: ReadChat) -> None:
    assert {kind: size for (_, kind, _), (_, size) in rich_chat.ledger.counts.items() if size} == {
        "session": rich_chat.ledger.total_bytes
    }


def test_the_rich_document_as_a_whole(rich_chat: ReadChat) -> None:
    session = rich_chat.session
    assert (session.id, session.title, session.project_path) == (RICH_ID, "Every kind", "/work/app")
    assert session.models == ("gpt-5-mini", "claude-sonnet-4.5")
    assert (session.git_branch, session.agent_version) == ("main", "0.40.1")
    texts = [
        message.text
        for message in rich_chat.said(RICH_ID)
        if message.kind == "answer" and message.text
    ]
    assert texts[0] == "Looking at a.py, b.py:4 and `main`. Take care."
    assert texts[-2:] == ["Done.", "Nothing."]
    statuses = {call.id: call.status for call in rich_chat.called(RICH_ID)}
    assert {
        "toolu_1": "ok",
        "toolu_2": "failed",
        "toolu_3": "ok",
        "toolu_5": "ok",
    }.items() <= statuses.items()
    assert {"toolu_h", "toolu_16"} <= set(statuses)
    assert "toolu_6" not in statuses
    assert "later" not in [message.text for message in rich_chat.messages.values()]
    assert "rendered" not in [message.text for message in rich_chat.messages.values()]
    (plan,) = rich_chat.of(Plan)
    assert (plan.approved, plan.feedback) == (False, "smaller")
    assert [(u.key, u.input_tokens, u.premium_requests) for u in rich_chat.of(Usage)] == [
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
            chat = read_session(rich, f"{FOLDER}/{RICH_ID}.json")
            is_second = path == ("requests", 1) or path[:3] == ("requests", 1, "message")
            texts = {message.text for message in chat.messages.values()}
            if path != ("requests",) and not is_second and "and then?" not in texts:
                lost.append((path, odd, chat.ledger.troubles))
        inner[path[-1]] = original
    assert lost == []


@pytest.mark.parametrize(
    "odd", [*ODD, "{", '{"requests":[', "\0", "\ufeff{}", "[" * 5000, '{"requests":' + "[" * 5000]
)
def test_a_document_that_is_none(odd: Any) -> None:
    data = odd if isinstance(odd, str) and odd != "x" else json.dumps(odd)
    chat = read_session(data, f"{FOLDER}/s.json")
    assert (chat.said(), chat.completeness) == ([], 0)


def test_a_uri_in_a_uri_in_a_uri_does_not_cost_the_session() -> None:
    value: Doc = uri("/w/a.py")
    for _ in range(300):
        value = {"uri": value}
    chat = read_session(
        document({"message": "x", "variableData": {"variables": [{"name": "n", "value": value}]}})
    )
    assert [prompt.text for prompt in chat.prompts] == ["x"]


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
            else "".join(json.dumps(item) + "\n" for item in source)
        )
        chat = read_session(data, f"{FOLDER}/{name}")
        assert [message.text for message in chat.said()] == ["half \ufffd", "yes"]


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
    chat = read_session(f'{{"sessionId":"s",{inner},"requests":[{request}]}}', f"{FOLDER}/s.json")
    assert [prompt.text for prompt in chat.prompts] == ["x"]


def test_a_buffer_of_endless_length_is_not_made() -> None:
    for size in (5, 10**15):
        (image,) = attached(
            {"kind": "image", "name": "a", "value": {"type": "Buffer", "data": size}}
        )
        assert (image.kind, image.size) == ("image", None)
