"""What `aj convert --to vscode` writes opens in every version of VS Code, and comes back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_journal.convert.vscode import TARGET, field_rules
from agent_journal.model import structs as model
from tests.support.conversions import HOMES, everything, families, fresh, said, talk
from tests.support.read_back import read_vscode
from tests.support.survival import survival
from tests.support.vscode_documents import back, document
from tests.support.vscode_validator import problems

# -- all fixtures ------------------------------------------------------------------------------


@pytest.mark.parametrize("home", HOMES, ids=lambda home: "-".join(home.parts[-3:-1]))
def test_every_fixture_is_valid_and_comes_back(tmp_path: Path, home: Path) -> None:
    shutil.copytree(home, tmp_path / "home")
    for number, family in enumerate(families(tmp_path / "home"), 1):
        converted = TARGET.convert(family, fresh(number))
        assert problems(json.loads(converted.files[0].content)) == [], family[0].id
        share = survival(family, read_vscode(converted.session_id, converted.files))
        for measure in ("prompts", "reasoning", "full diffs", "usage"):
            assert share[measure].kept == share[measure].of, (family[0].id, measure, share)
        unnamed = sum(
            call.name is None
            for one in family
            for message in one.messages
            for call in message.tool_calls
        )
        assert share["tool calls"].kept >= share["tool calls"].of - unnamed, (family[0].id, share)
        assert share["results"].kept >= share["results"].of - unnamed, (family[0].id, share)
        # System prompts are left out; what a sub-agent of a sub-agent was asked and said is only in
        # its call.
        prompts = sum(message.kind == "system_prompt" for one in family for message in one.messages)
        nested = 2 * sum(one.parent_id != family[0].id for one in family[1:])
        assert share["messages"].kept >= share["messages"].of - prompts - nested, (
            family[0].id,
            share,
        )


# -- the report --------------------------------------------------------------------------------

TABLES: dict[str, tuple[type[msgspec.Struct], Any]] = {
    "session": (model.Session, field_rules.SESSION),
    "sub_agents": (model.Session, field_rules.SUB_AGENT),
    "messages": (model.Message, field_rules.MESSAGE),
    "tool_calls": (model.ToolCall, field_rules.TOOL_CALL),
    "attachments": (model.Attachment, field_rules.ATTACHMENT),
    "file_edits": (model.FileEdit, field_rules.FILE_EDIT),
    "usage": (model.Usage, field_rules.USAGE),
    "plans": (model.Plan, field_rules.PLAN),
    "todos": (model.Todo, field_rules.TODO),
    "events": (model.Event, field_rules.EVENT),
    "documents": (model.Document, field_rules.DOCUMENT),
}


def test_every_field_of_the_model_is_decided_about() -> None:
    for where, (type_, table) in TABLES.items():
        assert set(table) == {field.name for field in msgspec.structs.fields(type_)}, where


def test_every_field_that_is_set_is_in_the_report() -> None:
    converted = TARGET.convert(everything(), fresh())
    reported = {loss.field for loss in converted.losses.entries()}
    for where, (type_, _) in TABLES.items():
        wanted = {f"{where}.{field.name}" for field in msgspec.structs.fields(type_)}
        assert wanted <= reported, wanted - reported
    assert problems(json.loads(converted.files[0].content)) == []


def test_what_is_kept_aside_is_really_in_the_file() -> None:
    session, child = everything()
    aside = document(session, child)["requests"][0]["result"]["metadata"]["agentJournal"]
    assert (aside["agent"], aside["session"]) == ("claude-code", "s")
    assert aside["about"]["project_path"] == session.project_path
    assert aside["messages"][1]["api_id"] == session.messages[1].api_id
    assert aside["calls"][0]["duration_ms"] == 7
    assert aside["sub_agents"][0]["project_path"] == child.project_path
    kept = [
        loss
        for loss in TARGET.convert((session, child), fresh()).losses.entries()
        if loss.why == field_rules.ASIDE.why
    ]
    text = json.dumps(aside)
    for loss in kept:
        assert f'"{loss.field.rpartition(".")[2]}"' in text, loss


def test_a_plain_session_loses_nothing() -> None:
    converted = TARGET.convert(
        [talk(said("user", "prompt", "hi"), said("assistant", "answer", "hello"))], fresh()
    )
    assert not converted.losses.is_lossy
    assert {loss.field for loss in converted.losses.entries() if loss.fate == "mapped"} >= {
        "messages.text"
    }


def test_a_system_prompt_is_a_loss() -> None:
    converted = TARGET.convert([talk(said("system", "system_prompt", "be good"))], fresh())
    (loss,) = (loss for loss in converted.losses.entries() if loss.field == "messages.text")
    assert (loss.fate, loss.count) == ("dropped", 1)


# -- turns -------------------------------------------------------------------------------------


def test_each_prompt_is_a_request_with_what_follows_it() -> None:
    found = document(
        talk(
            said("user", "injected", "rules", 1),
            said("user", "prompt", "one", 2),
            said("user", "prompt", "two", 3),
            said("assistant", "answer", "yes", 4),
            said("system", "compaction", "before", 5),
        )
    )
    one, two = found["requests"]
    assert (one["message"]["text"], two["message"]["text"]) == ("one", "two")
    assert [part["value"] for part in one["response"]] == [
        "> **Text the harness put in**\n>\n> rules"
    ]
    assert two["response"][0] == {"value": "yes"}
    assert two["response"][1]["value"].startswith("\n\n> **Summary of what came before**")


def test_an_answer_without_a_prompt_gets_one() -> None:
    (request,) = document(talk(said("assistant", "answer", "and so")))["requests"]
    assert request["message"]["text"] == "(continued)"


def test_an_empty_session_is_a_document() -> None:
    assert len(document(talk())["requests"]) == 1


def test_ranges_are_counted_as_vs_code_does() -> None:
    message = document(talk(said("user", "prompt", "a\U0001f600\nb\U0001f600")))["requests"][0][
        "message"
    ]
    (part,) = message["parts"]
    assert part["range"] == {"start": 0, "endExclusive": 7}
    assert (part["editorRange"]["endLineNumber"], part["editorRange"]["endColumn"]) == (2, 4)


def test_rewound_turns_are_marked_and_hidden() -> None:
    session = talk(
        said("user", "prompt", "wrong", 1, is_branch=True),
        said("assistant", "answer", "no", 2, is_branch=True),
        said("user", "prompt", "right", 3),
        said("assistant", "answer", "late", 4, is_branch=True),
    )
    first, second = document(session)["requests"]
    assert first["shouldBeRemovedOnSend"] == {"requestId": first["requestId"]}
    assert "shouldBeRemovedOnSend" not in second
    assert "Left behind" in second["response"][0]["value"]
    assert {m.text for m in back(session)[0].messages if m.state == "hidden"} == {"wrong", "no"}


def test_how_a_turn_ended_is_recorded() -> None:
    cancelled = talk(
        said("user", "prompt", "go"), said("assistant", "answer", "a", state="cancelled")
    )
    failed = talk(said("user", "prompt", "go"), said("system", "error", "no such model"))
    assert document(cancelled)["requests"][0]["modelState"]["value"] == 2
    request = document(failed)["requests"][0]
    assert (request["modelState"]["value"], request["result"]["errorDetails"]) == (
        3,
        {"message": "no such model"},
    )
    assert request["response"] == []
    assert [m.text for m in back(failed)[0].messages if m.kind == "error"] == ["no such model"]
