"""A session that was stopped in a call, and the models of answers that do not name theirs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agent_journal.model import FileEdit, Usage
from tests.connectors.copilot_cli.cases import HOMES, case, messages, pieces, sessions
from tests.support.assemble import Assembly
from tests.support.journals import aj, aj_json

STOPPED = "33333333-0000-4000-8000-000000000001"


@pytest.fixture(scope="module")
def stopped() -> Assembly:
    return case("stopped")


def test_a_call_that_an_abort_stopped_is_interrupted(stopped: Assembly) -> None:
    statuses = {name: call.status for (_, name), call in stopped.calls.items()}
    assert statuses == {"c1": "interrupted", "c2": "ok", "c3": None}


def test_a_model_change_holds_for_the_answers_after_it(stopped: Assembly) -> None:
    answers = [message for message in messages(stopped, STOPPED) if message.kind == "answer"]
    expected = {"m1": None, "m2": "gpt-5", "m3": "claude-haiku-4.5"}
    assert {answer.id: answer.model for answer in answers} == expected
    assert {usage.key: usage.model for usage in pieces(stopped, Usage)} == expected


def test_arguments_in_a_text_are_arguments(stopped: Assembly) -> None:
    arguments = {name: call.arguments for (_, name), call in stopped.calls.items()}
    assert arguments["c1"] == '{"command":"sleep 600"}'
    assert arguments["c3"] == '"{broken"'
    assert [(edit.path, edit.kind) for edit in pieces(stopped, FileEdit)] == [
        ("/work/plums.txt", "create"),
        ("/work/notes.txt", "backup"),
        ("/work/todo.txt", "backup"),
    ]


def test_backups_are_not_counted_and_not_shown_as_edits(tmp_path: Path) -> None:
    shutil.copytree(HOMES / "stopped/home", tmp_path, dirs_exist_ok=True)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    (listed,) = aj_json(tmp_path, "ls")["items"]
    assert listed["edit_count"] == 1
    edits = aj_json(tmp_path, "show", STOPPED, "--edits")["items"]
    assert [edit["path"] for edit in edits] == ["/work/plums.txt"]
    page = tmp_path / "page.md"
    aj(tmp_path, "export", STOPPED, "-f", "md", "-o", str(page))
    text = page.read_text()
    assert "plums" in text
    assert "notes.txt" not in text
    counted = aj_json(tmp_path, "sql", "SELECT edit_count FROM sessions")["items"]
    assert counted == [{"edit_count": 1}]


def test_a_stream_names_its_model_when_a_call_is_complete() -> None:
    stream = case("stream")
    answers = [message for message in messages(stream, "recorded") if message.kind == "answer"]
    assert {answer.model for answer in answers} == {"gpt-5.5"}
    models = {usage.key: usage.model for usage in pieces(stream, Usage)}
    assert models == {"m1": "gpt-5.5", "m2": "gpt-5.5"}


def test_titles_are_what_was_said(stopped: Assembly) -> None:
    titles = {(session.title, session.title_rank) for session in sessions(stopped, STOPPED)}
    assert titles == {("count the plums", 10), ("ok", 5)}
