"""Todos, states, models, usage and times of turns: cases 26 to 33 of the format notes."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from agent_journal.model import (
    Todo,
    TodoList,
    Usage,
)
from tests.support.vscode import (
    CREATED,
    FOLDER,
    START,
    Doc,
    answered,
    case,
    document,
    initial,
    invocation,
    loaded,
    pushed,
    read_parts,
    read_session,
    rounds,
    sync,
    turn,
    write,
)

# -- cases 26 to 30: todos and states ----------------------------------------------------------


def test_case_26_the_last_todo_list_wins() -> None:
    chat = read_parts(
        *(
            invocation(f"c{n}", "manage_todo_list", toolSpecificData=d)
            for n, d in enumerate(case(26))
        )
    )
    last = chat.of(TodoList)[-1]
    assert (last.session_id, last.origin, last.rank) == ("s", "todowrite", 1)
    assert last.items == (
        Todo(content="a", status="completed", id="1"),
        Todo(content="b", status="not-started", id="2"),
    )


def test_a_todo_list_may_be_in_the_arguments_only() -> None:
    todo = {"id": 1, "title": "a", "status": "in-progress", "description": "d"}
    todos = json.dumps({"operation": "write", "todoList": [todo]})
    chat = read_parts(result=rounds(("a__vscode-1", "manage_todo_list", todos)))
    (last,) = chat.of(TodoList)
    assert last.items == (Todo(content="a", status="in-progress", id="1", description="d"),)


def test_case_27_a_cancelled_turn_keeps_what_it_said() -> None:
    chat = read_session(document(case(27)))
    assert (chat.answer.text, chat.answer.state, chat.answer.stop_reason) == (
        "Part",
        "cancelled",
        "cancelled",
    )
    assert len(chat.said()) == 2


def test_case_28_a_turn_that_was_running_is_interrupted_or_waits() -> None:
    chat = read_session(document(*case(28)))
    assert [
        (answer.parent_id, answer.text, answer.state, answer.stop_reason) for answer in chat.answers
    ] == [
        ("r1", "a", "cancelled", "interrupted"),
        ("r2", "", None, "needs_input"),
    ]
    chat = read_session(document(*case(28), turn(3)))  # the person went on: it waits no longer
    assert [answer.state for answer in chat.answers] == ["cancelled", "cancelled", "complete"]


@pytest.mark.parametrize(
    ("value", "confirmed", "approval", "state", "stop_reason"),
    [
        (4, None, "pending", None, "needs_input"),
        (4, {"type": 4}, "user", None, "needs_input"),
        (0, {"type": 1}, "auto", None, None),
        (0, None, None, None, None),
    ],
)
def test_the_last_call_of_an_open_turn_is_running(
    value: int,
    confirmed: Doc | None,
    approval: str | None,
    state: str | None,
    stop_reason: str | None,
) -> None:
    done = invocation("c1", pastTenseMessage="Read a.py")
    ended = invocation("c2")
    last = invocation("c3", "run_in_terminal", isConfirmed=confirmed)
    open_turn = answered(
        done, {"value": "a"}, ended, {"value": "b"}, last, modelState={"value": value}
    )
    chat = read_session(document(open_turn))
    assert [(call.id, call.status) for call in chat.called()] == [
        ("c1", "ok"),
        ("c2", None),
        ("c3", "running"),
    ]
    assert (chat.called()[-1].approval, chat.called()[-1].title) == (approval, "Using it")
    assert {(answer.state, answer.stop_reason) for answer in chat.answers} == {(state, stop_reason)}
    chat = read_session(document(open_turn, turn(2)))
    assert [call.status for call in chat.called()] == ["ok", "interrupted", "interrupted"]
    assert chat.called()[-1].approval != "pending"


def test_a_session_knows_how_it_ended(tmp_path: Path) -> None:
    waiting = invocation("c", "run_in_terminal", isConfirmed=None)
    running = invocation("c", "run_in_terminal")
    endings = {
        "done": ([{"value": "x"}], {"modelState": {"value": 1}}, "finished"),
        "stopped": ([running], {"modelState": {"value": 2}}, "interrupted"),
        "closed": ([{"value": "x"}], {"modelState": {"value": 0}}, "interrupted"),
        "failed": ([{"value": "x"}], {"modelState": {"value": 3}}, "cut_off"),
        "running": ([running], {"modelState": {"value": 0}}, "in_tool"),
        "waiting": ([{"value": "x"}, waiting], {"modelState": {"value": 4}}, "waiting"),
        "asking": ([{"kind": "confirmation"}], {"modelState": {"value": 4}}, "waiting"),
    }
    for name, (parts, more, _) in endings.items():
        log = [initial(sessionId=name), pushed(answered(*parts, **more))]
        write(tmp_path, f"{FOLDER}/{name}.jsonl", log)
    sync(tmp_path)
    found = {name: loaded(tmp_path, name).ended_as for name in endings}
    assert found == {name: ending for name, (_, _, ending) in endings.items()}


def test_case_29_a_failure_although_the_state_says_complete() -> None:
    chat = read_session(document(case(29)))
    prompt, answer, error = chat.said()
    assert (prompt.text, prompt.state) == ("x", None)
    assert (answer.state, answer.stop_reason) == ("failed", "rateLimited")
    assert (error.id, error.role, error.kind, error.text) == (
        "r-response-error",
        "system",
        "error",
        "Rate limited",
    )


def test_case_30_turns_that_were_undone_are_hidden() -> None:
    chat = read_session(document(*case(30)))
    assert [(message.id, message.text, message.state) for message in chat.said()] == [
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
        ({"modelState": {"value": 4}}, None, "needs_input"),
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
    chat = read_session(document(request))
    assert chat.answer.state == "failed"
    assert chat.said()[-1].text == "Boom"


# -- cases 31 to 33: models, usage, times ------------------------------------------------------


def test_case_31_models_and_what_auto_stood_for() -> None:
    chat = read_session(document(*case(31)))
    assert chat.session.models == ("claude-sonnet-4.5", "gpt-5-mini")
    assert [answer.model for answer in chat.answers] == ["claude-sonnet-4.5", "gpt-5-mini"]
    (usage,) = chat.of(Usage)
    assert (usage.key, usage.message_id, usage.model) == ("s:r2", "r2-response", "gpt-5-mini")
    assert (usage.input_tokens, usage.output_tokens) == (1200, 40)


@pytest.mark.parametrize(
    ("model_id", "model"),
    [
        ("copilot/gpt-5", "gpt-5"),
        ("ollama/llama3:8b", "llama3:8b"),
        ("openrouter/anthropic/claude-x", "anthropic/claude-x"),
        ("gpt-5", "gpt-5"),
    ],
)
def test_only_the_vendor_is_removed_from_a_model(model_id: str, model: str) -> None:
    assert read_parts({"value": "x"}, modelId=model_id).answer.model == model


def test_a_time_that_is_none_is_not_given_to_usage() -> None:
    for odd in (-1, 2, None):
        (usage,) = read_parts({"value": "x"}, timestamp=odd, promptTokens=1, completionTokens=1).of(
            Usage
        )
        assert usage.timestamp is None


def test_case_32_the_first_recorded_usage_counts() -> None:
    requests = [
        {"requestId": f"r{n}", "message": "x", "response": [{"value": "y"}], **d}
        for n, d in enumerate(case(32))
    ]
    chat = read_session(document(*requests))
    fields = [(u.key, u.input_tokens, u.cache_read_tokens, u.output_tokens) for u in chat.of(Usage)]
    assert fields == [
        ("s:r0:m", 400, 500, 70),
        ("s:r1", 100, None, 5),
        ("s:r2", 80, None, 4),
        ("s:r3", 60, None, 3),
    ]
    assert chat.of(Usage)[0].model == "m"
    assert [u.message_id for u in chat.of(Usage)] == [f"r{n}-response" for n in range(4)]


def test_several_models_of_one_turn_are_counted_apart() -> None:
    totals = [
        {"model": m, "inputTokens": 10, "cachedTokens": 4, "outputTokens": 1} for m in ("m", "n")
    ]
    chat = read_parts({"value": "x"}, modelTotals=totals)
    assert {(u.key, u.model, u.input_tokens, u.cache_read_tokens) for u in chat.of(Usage)} == {
        ("s:r:m", "m", 6, 4),
        ("s:r:n", "n", 6, 4),
    }


def test_output_alone_is_usage_too() -> None:
    (usage,) = read_parts({"value": "x"}, completionTokens=7).of(Usage)
    assert (usage.input_tokens, usage.output_tokens) == (None, 7)


def test_the_output_is_that_of_all_model_calls() -> None:
    metadata = {"promptTokens": 900, "outputTokens": 12}
    (usage,) = read_parts({"value": "x"}, completionTokens=64, result={"metadata": metadata}).of(
        Usage
    )
    assert (usage.input_tokens, usage.output_tokens) == (900, 64)
    result = {"usage": {"completionTokens": 50}, "metadata": metadata}
    (usage,) = read_parts({"value": "x"}, promptTokens=800, result=result).of(Usage)
    assert (usage.input_tokens, usage.output_tokens) == (800, 50)


def test_the_output_of_a_log_is_a_change_of_its_own() -> None:
    metadata = {"promptTokens": 900, "outputTokens": 12}
    chat = read_session(
        [
            {"kind": 0, "v": document(answered({"value": "x"}, result={"metadata": metadata}))},
            {"kind": 1, "k": ["requests", 0, "completionTokens"], "v": 1155},
        ]
    )
    assert [(u.input_tokens, u.output_tokens) for u in chat.of(Usage)] == [(900, 1155)]


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
    chat = read_session(document({"message": "x", **case(33)}))
    assert (chat.session.started_at, chat.session.ended_at) == (START, START)
    assert chat.prompts[0].timestamp == START


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
    chat = read_session(document(*requests))
    assert chat.session.started_at == START - timedelta(seconds=5)
    assert chat.session.ended_at == START + timedelta(seconds=9)
    late = read_session(document(*requests, lastMessageDate=CREATED + 20000))
    assert late.session.ended_at == START + timedelta(seconds=20)
    assert 0 < chat.completeness < late.completeness
