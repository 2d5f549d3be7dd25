"""What versions of Claude Code before 2.1.200, and Claude's API, demand of a converted session."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.convert.claude_code.models import api_model
from agent_journal.errors import UsageError
from tests.support.converting import convert
from tests.support.target_sessions import answer, back, call, lines, message, session


def test_times_rise_from_line_to_line() -> None:
    """The session is continued from the first line with the newest time."""
    together = message(0).timestamp
    talk = session(
        message(0),
        answer(1, call(), call(id="c2"), timestamp=together),
        message(2, timestamp=None),
        answer(3, timestamp=together),
    )
    times = [line["timestamp"] for line in lines("claude-code", talk) if "timestamp" in line]
    assert times == sorted(set(times))
    assert len(times) > 6
    report = convert("claude-code", [talk]).losses.entries()
    moved = [loss.count for loss in report if "milliseconds" in loss.why]
    assert moved == [2]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("claude-sonnet-4.6", "claude-sonnet-4-6"),
        ("copilot/claude-opus-4.5", "claude-opus-4-5"),
        ("claude-4.5-sonnet", "claude-sonnet-4-5"),
        ("claude-opus-5-5", "claude-opus-5-5"),
        ("claude-sonnet-4-20250514", "claude-sonnet-4-20250514"),
        ("claude-3-5-sonnet-20240620", None),
        ("claude-sonnet-4.6-thinking-max", None),
        ("gpt-5.2-codex", "gpt-5.2-codex"),
        (None, None),
    ],
)
def test_models_by_the_names_of_the_api(name: str | None, written: str | None) -> None:
    assert api_model(name) == written


def test_a_model_that_the_api_does_not_know_is_not_named() -> None:
    talk = session(message(0), answer(1, model="claude-3-5-sonnet-20240620"))
    answers = [line for line in lines("claude-code", talk) if line["type"] == "assistant"]
    assert [line["message"]["model"] for line in answers] == ["unknown"]


def test_the_first_line_says_where_the_session_comes_from() -> None:
    for talk in (session(message(0), answer(1)), session(answer(0), message(1))):
        first, *rest = lines("claude-code", talk)
        origin = {"by": "agent-journal test", "agent": talk.agent, "session": talk.id}
        assert first["converted"] == origin
        assert not any("converted" in line for line in rest)


def test_notices_are_shown_and_not_given_to_the_model(tmp_path: Path) -> None:
    notice = message(0, "notice", "system", text="file not found")
    talk = session(notice, message(1), answer(2))
    first, *rest = lines("claude-code", talk)
    shown = (first["type"], first["subtype"], first["content"])
    assert shown == ("system", "informational", "file not found")
    assert [line["type"] for line in rest if "uuid" in line] == ["user", "assistant"]
    (found,) = back("claude-code", tmp_path, talk)
    assert [m.kind for m in found.messages] == ["prompt", "answer"]
    with pytest.raises(UsageError, match="no message to continue from"):
        convert("claude-code", [session(notice)])
