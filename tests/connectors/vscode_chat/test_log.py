"""Logs of changes: cases 1 to 10 of the format notes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent_journal.connectors.vscode_chat.mutations import apply
from agent_journal.model import (
    Event,
)
from tests.support.vscode import CASES, Doc, document, lines, log, placeless, read_session


def test_case_1_a_new_turn_and_a_streamed_answer() -> None:
    chat = read_session(log(1))
    assert [(message.role, message.kind, message.id, message.text) for message in chat.said()] == [
        ("user", "prompt", "request_1", "hi"),
        ("assistant", "answer", "request_1-response", "Hello"),
    ]
    assert (chat.answer.state, chat.answer.parent_id) == ("complete", "request_1")
    assert chat.counted("mapped") == {"initial": 1, "push": 3, "set": 1, "part/markdown": 1}


def test_case_2_a_push_with_an_index_drops_the_whole_tail() -> None:
    assert read_session(log(2)).answer.text == "aZ"


def test_case_3_a_push_without_values_only_truncates() -> None:
    assert [prompt.id for prompt in read_session(log(3)).prompts] == ["r1"]


def test_case_4_a_set_without_value_and_a_delete_remove() -> None:
    chat = read_session(log(4))
    assert (chat.session.title, chat.session.title_source, chat.session.title_rank) == (
        "B",
        "custom",
        50,
    )
    assert not [event for event in chat.of(Event) if event.type == "vote"]
    assert chat.counted("mapped") == {"initial": 1, "set": 2, "delete": 1}


def test_case_5_a_push_creates_a_missing_array() -> None:
    state: Doc = {}
    for line in log(5).splitlines():
        state = apply(state, json.loads(line))
    assert len(state["requests"][0]["editedFileEvents"]) == 1
    assert read_session(log(5)).counted("malformed") == {}


def test_case_6_a_second_initial_state_replaces_the_first() -> None:
    chat = read_session(log(6))
    assert chat.said() == []
    assert chat.completeness == 0


def test_case_7_a_torn_last_line_costs_only_itself() -> None:
    chat = read_session(log(7))
    assert (chat.session.title, chat.said()) == ("T", [])
    torn = len(log(7).splitlines()[-1])
    (entry,) = [entry for entry, (_, size) in chat.ledger.counts.items() if size == torn]
    assert entry[0] in ("malformed", "skipped")


def test_case_8_a_torn_line_glued_to_a_good_one() -> None:
    chat = read_session(log(8))
    assert chat.session.title == "U"
    assert sum(chat.counted("malformed").values()) == 1


def test_case_9_a_log_without_initial_state_is_read_as_far_as_it_goes() -> None:
    chat = read_session(log(9))
    assert [(prompt.id, prompt.text) for prompt in chat.prompts] == [("r", "x")]
    assert chat.session.id == "s"
    assert chat.ledger.troubles


def test_case_9_a_log_without_initial_state_continues_from_the_document_beside_it() -> None:
    base = document({"requestId": "r0", "message": "before"}, customTitle="Old")
    chat = read_session(log(9), siblings={"s.json": base})
    assert [prompt.text for prompt in chat.prompts] == ["before", "x"]
    assert chat.session.title == "Old"


def test_case_9_a_log_with_initial_state_does_not_need_the_document_beside_it() -> None:
    chat = read_session(
        log(2), siblings={"s.json": document({"requestId": "r0", "message": "before"})}
    )
    assert [prompt.id for prompt in chat.prompts] == ["r"]


def test_case_9_a_later_index_is_padded_when_the_beginning_is_lost() -> None:
    chat = read_session(
        [{"kind": 1, "k": ["requests", 3, "message"], "v": "late"}, *json_lines(log(9))[1:]]
    )
    assert "x" in [prompt.text for prompt in chat.prompts]


def test_case_10_a_change_without_parent_is_skipped() -> None:
    chat = read_session(log(10))
    assert chat.session.title == "T"
    assert chat.counted("malformed") == {"set": 1}


def json_lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_log_with_blank_lines_and_carriage_returns() -> None:
    chat = read_session(log(1).replace("\n", "\r\n\r\n"))
    assert chat.answer.text == "Hello"
    assert chat.counted("malformed") == {}


def test_an_unknown_kind_of_entry_is_skipped() -> None:
    chat = read_session(
        log(2)
        + lines({"kind": 9, "k": ["customTitle"], "v": "no"}, {"kind": 1, "k": [], "v": "no"})
    )
    assert chat.answer.text == "aZ"
    assert sum(chat.counted("malformed").values()) + sum(chat.counted("unknown").values()) == 1


@pytest.mark.parametrize("text", ["", "\n", "\n\n", "\0\0\n"])
def test_an_empty_log_is_no_session(text: str) -> None:
    chat = read_session(text)
    assert (chat.said(), chat.completeness) == ([], 0)


def test_a_log_and_the_document_it_ends_in_say_the_same() -> None:
    text = (CASES / "log/home/.config/Code/User/workspaceStorage/1768000000000/chatSessions").glob(
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
