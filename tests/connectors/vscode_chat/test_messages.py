"""Prompts and answers: cases 14 to 18 of the format notes, and more."""

from __future__ import annotations

from typing import Any

import pytest

from agent_journal.model import (
    Event,
    FileEdit,
)
from tests.support.vscode import (
    FOLDER,
    Doc,
    case,
    document,
    invocation,
    read_parts,
    read_session,
    rounds,
    uri,
)

URL = "https://a.org/en/x"
PAGE = {"$mid": 1, "scheme": "https", "authority": "a.org", "path": "/en/x"}

# -- custom agents -----------------------------------------------------------------------------


def test_the_prompt_of_a_custom_agent_is_kept_once() -> None:
    modes = ["Review code.", "Review code.", None, "Write tests."]
    requests = [
        {
            "requestId": f"r{number}",
            "message": "go",
            "modeInfo": {"kind": "agent", "modeInstructions": {"name": "m", "content": content}},
        }
        for number, content in enumerate(modes)
    ]
    chat = read_session(document(*requests))
    found = [(m.id, m.text) for m in chat.said() if m.kind == "system_prompt"]
    assert found == [("r0-instructions", "Review code."), ("r3-instructions", "Write tests.")]
    assert len(chat.prompts) == 4


# -- cases 14 and 15: prompts ------------------------------------------------------------------


def test_case_14_the_text_of_a_prompt_is_the_message_not_its_parts() -> None:
    chat = read_session(document(case(14)))
    assert [prompt.text for prompt in chat.prompts] == ["@workspace how"]
    assert chat.kinds("message") == {"agent": 1, "text": 1}
    assert [
        prompt.text for prompt in read_session(document({"message": "@workspace how"})).prompts
    ] == ["@workspace how"]


def test_case_15_ranges_count_utf_16() -> None:
    chat = read_session(document({"requestId": "r", "message": case(15)}))
    assert [prompt.text for prompt in chat.prompts] == ["😀 #f.py"]
    assert chat.kinds("message") == {"text": 1, "dynamic": 1}


# -- cases 16 to 18: text ----------------------------------------------------------------------


def test_case_16_inline_references_and_placeholder_fences() -> None:
    chat = read_parts(*case(16))
    assert chat.answer.text == "See a.py now."
    (edit,) = chat.of(FileEdit)
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
        ({"inlineReference": {**PAGE, "query": "q=1", "fragment": "top"}}, f"{URL}?q=1#top"),
        ({"inlineReference": {**PAGE, "external": "https://a.org/en/x%20y"}}, f"{URL}%20y"),
        ({"inlineReference": {**PAGE, "scheme": "http"}}, "http://a.org/en/x"),
        ({"inlineReference": {"uri": URL, "range": {"startLineNumber": 1}}}, URL),
        ({"inlineReference": PAGE, "name": "the page"}, f"[the page]({URL})"),
        ({"inlineReference": PAGE, "name": URL}, URL),
    ],
)
def test_an_inline_reference_stands_in_the_text(reference: Doc, text: str) -> None:
    chat = read_parts({"value": "("}, {"kind": "inlineReference", **reference}, {"value": ")"})
    assert chat.answer.text == f"({text})"
    assert chat.answer.attachments == ()


def test_case_17_a_file_tree_is_no_text() -> None:
    chat = read_parts(*case(17))
    assert chat.answer.text == "done"
    assert chat.kinds("part") == {"tree": 1, "markdown": 1}


def test_case_18_thinking_is_no_text() -> None:
    chat = read_parts(*case(18))
    assert (chat.answer.text, chat.answer.reasoning) == ("Answer", "step 1. step 2.")


def test_thoughts_are_joined_with_a_blank_line() -> None:
    chat = read_parts(
        {"kind": "thinking", "value": "one"}, {"kind": "thinking", "value": "two"}, {"value": "x"}
    )
    assert chat.answer.reasoning == "one\n\ntwo"


# -- more about messages -----------------------------------------------------------------------


def test_an_answer_is_split_where_text_or_thinking_follows_a_call() -> None:
    chat = read_parts(
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
        (answer.id, answer.text, answer.reasoning, answer.parent_id) for answer in chat.answers
    ] == [
        ("resp", "One.", "hm", "r"),
        ("resp.2", "Two.", "", "r"),
        ("resp.3", "Three.", "so", "r"),
    ]
    assert {call.id: call.message_id for call in chat.called()} == {
        "c1": "resp",
        "c2": "resp",
        "c3": "resp.2",
    }


def test_calls_that_only_the_rounds_know_belong_to_the_last_answer() -> None:
    result = rounds(("c1__vscode-1", "read_file", "{}"), ("c2__vscode-2", "get_errors", "{}"))
    chat = read_parts({"value": "One."}, invocation("c1"), {"value": "Two."}, result=result)
    assert {call.id: call.message_id for call in chat.called()} == {
        "c1": "r-response",
        "c2": "r-response.2",
    }


def test_thinking_between_texts_does_not_split_an_answer() -> None:
    chat = read_parts({"value": "One."}, {"kind": "thinking", "value": "hm"}, {"value": "Two."})
    assert (chat.answer.text, chat.answer.reasoning) == ("One.\n\nTwo.", "hm")


def test_an_empty_fence_after_a_call_does_not_split_an_answer() -> None:
    group = {"kind": "textEditGroup", "uri": uri("/w/a.py"), "edits": [], "done": True}
    fence = {"value": "\n```\n"}
    edit = [fence, {"kind": "codeblockUri", "uri": uri("/w/a.py"), "isEdit": True}, group, fence]
    chat = read_parts(
        {"value": "Both."}, invocation("c1"), *edit, invocation("c2"), *edit, {"value": "Done."}
    )
    assert [answer.text for answer in chat.answers] == ["Both.", "Done."]
    assert {call.id: call.message_id for call in chat.called()} == {
        "c1": "r-response",
        "c2": "r-response",
    }


def test_text_that_was_taken_back_is_not_in_the_answer() -> None:
    clear = {"kind": "clearToPreviousToolInvocation", "reason": 0}
    warning = {"kind": "warning", "content": {"value": "Heed"}}
    chat = read_parts(
        {"value": "One."}, invocation("c1"), {"value": "Draft."}, warning, {"value": "More."}, clear
    )
    assert [answer.text for answer in chat.answers] == ["One."]
    chat = read_parts(
        {"value": "One."}, invocation("c1"), {"value": "Draft."}, clear, {"value": "Two."}
    )
    assert [answer.text for answer in chat.answers] == ["One.", "Two."]


def test_paragraphs_break_where_a_notice_stands() -> None:
    chat = read_parts(
        {"value": "One."}, {"kind": "warning", "content": {"value": "Heed"}}, {"value": "Two."}
    )
    assert "\n\n".join(answer.text for answer in chat.answers) == "One.\n\nTwo."
    chat = read_parts({"value": "One"}, {"kind": "undoStop", "id": "u"}, {"value": " two."})
    assert chat.answer.text == "One two."


@pytest.mark.parametrize(
    "response",
    ["because", ["because"], [{"value": "because"}], [["because"], {"value": "because"}]],
)
def test_responses_of_all_ages(response: Any) -> None:
    chat = read_session(document({"requestId": "r", "message": "x", "response": response}))
    assert chat.answer.text == "because"


def test_a_pressed_button_is_a_command() -> None:
    chat = read_session(document({"requestId": "r", "message": "Yes", "confirmation": "Yes"}))
    assert [(message.role, message.kind, message.text) for message in chat.said()] == [
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
        chat = read_parts({"value": "x"}, result={"metadata": summary})
        (message,) = (message for message in chat.said() if message.kind == "compaction")
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
    chat = read_parts({"value": "x"}, part)
    (event,) = chat.of(Event)
    assert (event.type, event.session_id) == (part["kind"], "s")
    assert "the words" in event.text
    assert [answer.text for answer in chat.answers if answer.text] == ["x"]


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
    chat = read_session(document({"message": "x"}), user="/home/me/.config/Code - Insiders/User")
    assert chat.session.host_app == "Code - Insiders"


def test_a_document_without_id_is_named_by_its_file() -> None:
    for odd in (None, 5, ""):
        chat = read_session(document({"message": "x"}, sessionId=odd), f"{FOLDER}/chat-7.json")
        assert chat.session.id == "chat-7"
        assert [message.text for message in chat.said("chat-7")] == ["x"]
