"""VS Code's own sessions become documents to import, unchanged; what would blank the chat is
repaired and reported.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agent_journal.convert.losses import Losses
from agent_journal.convert.vscode.own import convert_own, kept_document, own_document
from agent_journal.export.family import load_family
from agent_journal.query.tree import Query
from tests.support.conversions import ROOT, fresh
from tests.support.journals import aj, open_journal
from tests.support.read_back import read_vscode
from tests.support.survival import survival
from tests.support.vscode_validator import MIDDLE, NEW, problems

HOMES = sorted((ROOT / "tests/connectors/vscode_chat").glob("*/home"))
EXPORTS = sorted((ROOT / "tests/connectors/vscode_export").glob("*.json"))


def owned(document: dict[str, Any]) -> tuple[dict[str, Any], Losses]:
    losses = Losses()
    found = own_document(document, fresh(), losses)
    assert problems(found, (MIDDLE, NEW), is_ours=False) == []
    return found, losses


def turn(**fields: Any) -> tuple[dict[str, Any], Losses]:
    found, losses = owned({"requests": [{"requestId": "r", "message": "m", **fields}]})
    (request,) = found["requests"]
    return request, losses


def fates(losses: Losses) -> dict[str, str]:
    return {loss.field: loss.fate for loss in losses.entries()}


# -- whole sessions ----------------------------------------------------------------------------


@pytest.mark.parametrize("source", [*HOMES, *EXPORTS], ids=lambda path: "-".join(path.parts[-3:-1]))
def test_every_session_of_vs_code_comes_out_as_it_was(tmp_path: Path, source: Path) -> None:
    home = tmp_path / "home"
    if source.is_dir():
        shutil.copytree(source, home)
        assert aj(home, "sync", "--no-index").returncode == 0
    else:
        assert aj(home, "import", str(source)).returncode == 0
    found = 0
    with open_journal(home) as journal:
        for row in journal.rows(Query()):
            document = kept_document(journal.db, journal.archive, row)
            family = [member.session for member in load_family(journal.db, journal.archive, row)]
            if document is None:
                continue  # only a transcript of it is left
            found += 1
            converted = convert_own(document, fresh(), family[0])
            written = json.loads(converted.files[0].content)
            assert problems(written, (MIDDLE, NEW), is_ours=False) == [], row.id
            assert written["sessionId"] == fresh().session_id
            share = survival(family, read_vscode(converted.session_id, converted.files))
            for measure in ("prompts", "messages", "tool calls", "reasoning"):
                assert share[measure].kept == share[measure].of, (row.id, measure, share)
    assert found or source.parent.name == "transcript"


def test_a_log_becomes_a_document_with_its_own_parts(tmp_path: Path) -> None:
    chats = tmp_path / ".config/Code/User/workspaceStorage/w/chatSessions"
    chats.mkdir(parents=True)
    part = {"kind": "questionCarousel", "questions": [], "allowSkip": True}
    lines = [
        {
            "kind": 0,
            "v": {"version": 3, "sessionId": "s", "creationDate": 1768000000000, "requests": []},
        },
        {
            "kind": 2,
            "k": ["requests"],
            "v": [{"requestId": "request_1", "message": "hi", "response": []}],
        },
        {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "Hello"}, part]},
        {"kind": 1, "k": ["customTitle"], "v": "Greetings"},
    ]
    (chats / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    with open_journal(tmp_path) as journal:
        document = kept_document(journal.db, journal.archive, journal.row("s"))
    assert document is not None
    written = json.loads(convert_own(document, fresh()).files[0].content)
    assert written["customTitle"] == "Greetings"
    (request,) = written["requests"]
    assert (request["requestId"], request["response"]) == ("request_1", [{"value": "Hello"}, part])


# -- what is repaired --------------------------------------------------------------------------


def test_what_would_empty_a_chat_is_repaired_and_reported() -> None:
    request, losses = turn(response=["text", None, 3, {"value": "x"}, {}, {"kind": "warning"}])
    assert request["response"] == [{"value": "text"}, {"value": "x"}]
    counts = {loss.field: loss.count for loss in losses.entries() if loss.fate == "dropped"}
    assert counts == {"response": 2, "response.markdown": 1, "response.warning": 1}


def test_a_response_that_is_text_becomes_a_part() -> None:
    assert turn(response="because")[0]["response"] == [{"value": "because"}]


@pytest.mark.parametrize(
    "message",
    [
        {"text": "m"},
        {"text": "m", "parts": [None]},
        {"text": "m", "parts": [{"kind": "text", "text": "m"}]},
        {
            "text": "m",
            "parts": [
                {"kind": "file", "range": {"start": 0, "endExclusive": 1}, "editorRange": {}}
            ],
        },
        {
            "text": "m",
            "parts": [{"kind": "text", "text": "m", "range": {"start": 1, "endExclusive": 0}}],
        },
    ],
)
def test_a_message_that_cannot_be_revived_becomes_one_part(message: Any) -> None:
    found, losses = owned({"requests": [{"requestId": "r", "message": message}]})
    assert len(found["requests"][0]["message"]["parts"]) == 1
    assert fates(losses)["message.parts"] == "adapted"


def test_taking_out_secrets_keeps_ranges_right() -> None:
    text = "the token is abc"
    part = {
        "kind": "text",
        "text": text,
        "range": {"start": 0, "endExclusive": 16},
        "editorRange": {
            "startLineNumber": 1,
            "startColumn": 1,
            "endLineNumber": 1,
            "endColumn": 17,
        },
    }
    document = {"requests": [{"requestId": "r", "message": {"text": text, "parts": [part]}}]}
    converted = convert_own(
        document, fresh(), change=lambda text: text.replace("abc", "[redacted]")
    )
    written = json.loads(converted.files[0].content)
    assert problems(written, (MIDDLE, NEW), is_ours=False) == []
    assert b"abc" not in converted.files[0].content


def test_calls_and_addresses_get_what_they_need() -> None:
    uri = {"scheme": "file", "path": "/a"}
    request, _ = turn(
        response=[
            {
                "kind": "toolInvocationSerialized",
                "toolId": "t",
                "toolSpecificData": {"kind": "terminal"},
            },
            {
                "kind": "toolInvocationSerialized",
                "invocationMessage": "ls",
                "toolSpecificData": {"kind": "terminal", "command": "ls"},
            },
            {"kind": "inlineReference", "name": "a.py"},
            {"kind": "inlineReference", "inlineReference": uri},
            {"kind": "thinking", "value": ["a", "b"]},
        ],
        variableData={"variables": [None, {"value": uri}]},
    )
    bare, terminal, name, reference, thinking = request["response"]
    assert bare["invocationMessage"] == "t"
    assert "toolSpecificData" not in bare
    assert terminal["toolSpecificData"]["commandLine"]["original"] == "ls"
    assert name == {"value": "a.py"}
    assert reference["inlineReference"]["$mid"] == 1
    assert thinking["value"] == "ab"
    assert [one["value"]["$mid"] for one in request["variableData"]["variables"]] == [1]


def test_a_turn_that_never_ended_is_cancelled_as_in_an_export() -> None:
    request, losses = turn(
        modelState={"value": 0}, timestamp=-1, timeSpentWaiting=1768000000100, usedContext={}
    )
    assert request["modelState"] == {"value": 2}
    assert not {"timeSpentWaiting", "usedContext"} & request.keys()
    assert request["timestamp"] > 0
    assert fates(losses)["usedContext"] == "dropped"


def test_drafts_are_left_out_and_reported() -> None:
    found, losses = owned(
        {
            "requests": [],
            "inputState": {"inputText": "draft"},
            "sessionId": "old",
            "isImported": True,
        }
    )
    assert b"draft" not in json.dumps(found).encode()
    assert found["sessionId"] != "old"
    assert fates(losses)["inputState"] == "dropped"
