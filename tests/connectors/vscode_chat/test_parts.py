"""Edits, questions, plans and unknown parts: cases 37, 38, 43 and 44 of the format notes."""

from __future__ import annotations

import json

from agent_journal.model import (
    Event,
    FileEdit,
    Plan,
)
from tests.support.vscode import Doc, case, document, read_parts, read_session, uri


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

    chat = read_session(
        document(turn(1, None, True), turn(2, 2, True), turn(3, 1, False), turn(4, None, True))
    )
    assert [(edit.message_id, edit.state) for edit in chat.of(FileEdit)] == [
        ("r1", "kept"),
        ("r2", "kept"),
        ("r4", None),
    ]


def test_edits_of_every_kind() -> None:
    chat = read_parts(
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
    assert {(edit.path, edit.kind) for edit in chat.of(FileEdit)} >= {
        ("/w/n.ipynb", "edit"),
        ("/w/new", "create"),
        ("/w/old", "delete"),
        ("/w/e", "create"),
    }
    assert [edit.path for edit in chat.of(FileEdit) if edit.kind == "rename"] in (
        ["/w/to"],
        ["/w/from"],
    )
    assert {edit.origin for edit in chat.of(FileEdit)} == {"response"}
    (outer,) = (edit for edit in chat.of(FileEdit) if edit.path == "/w/e")
    assert (outer.lines_added, outer.lines_removed) == (3, 1)


def test_case_38_questions_are_events_with_the_answers() -> None:
    chat = read_parts(*case(38))
    (event,) = (event for event in chat.of(Event) if event.type == "questionCarousel")
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
    chat = read_parts(*case(43))
    assert chat.answer.text == "ok"
    (event,) = chat.of(Event)
    assert event.type == "response/somethingNew2027"
    assert json.loads(event.raw or "") == case(43)[0]
    assert chat.counted("unknown") == {"part/somethingNew2027": 1}


def test_case_44_what_the_system_began_and_what_is_not_yet_sent() -> None:
    chat = read_session(case(44))
    assert [(message.role, message.kind, message.text) for message in chat.said()] == [
        ("system", "notification", "Terminal finished"),
        ("assistant", "answer", "noted"),
    ]
