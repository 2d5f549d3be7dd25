"""Nearest spellings of mistyped words."""

from __future__ import annotations

from agent_journal.text.suggestions import did_you_mean, near_words

COMMANDS = ("sync", "search", "show", "sources")


def test_the_nearest_words_come_first() -> None:
    assert near_words("serch", COMMANDS) == ["search"]
    assert near_words("sourc", COMMANDS, limit=2, cutoff=0.4) == ["sources", "search"]
    assert near_words("xyzzy", COMMANDS) == []


def test_only_similar_words_are_near() -> None:
    agents = ("aider", "claude-code", "codex", "copilot-cli", "gemini")
    assert near_words("nope", agents) == []
    assert near_words("claude", agents) == ["claude-code"]
    assert near_words("copilot", agents) == ["copilot-cli"]
    assert near_words("gemni", agents) == ["gemini"]
    assert near_words("AJ_FOO", ["AJ_HOME"]) == []
    assert near_words("AJ_HOEM", ["AJ_HOME"]) == ["AJ_HOME"]


def test_the_hint_names_the_nearest_words() -> None:
    assert did_you_mean("synk", COMMANDS) == "did you mean 'sync'?"
    hint = did_you_mean("sourc", COMMANDS, limit=2, cutoff=0.4)
    assert hint == "did you mean 'sources' or 'search'?"
    assert did_you_mean("xyzzy", COMMANDS) is None
