"""Titles made from what was said."""

from __future__ import annotations

import pytest

from agent_journal.connectors.titles import SpokenTitle, prompt_title, says_something


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Fix the parser\nand its tests", "Fix the parser and its tests"),
        ("<current_datetime>2026-01-02</current_datetime>\n\nfix it", "fix it"),
        ("<system-reminder>\nbe good\n</system-reminder>", None),
        ("do it <system-reminder>never closed", "do it"),
        ("<user_query>\nadd a test\n</user_query>", "add a test"),
        ("<div>this</div> is not centred", "<div>this</div> is not centred"),
        (
            "# Context from my IDE setup:\n\n## My request for Codex:\nlist",
            "list",
        ),
        ("Current File Path: /w/a.py\nCurrent Selection: 3-9\nrename this", "rename this"),
        ("Current File Path: /w/a.py", "Current File Path: /w/a.py"),
        ("Implement the following plan:\n\n# Plan: A lock for sync\n\nWhy", "A lock for sync Why"),
        ("[[ ## user_query ## ]]\nWhat is 2+2?", "What is 2+2?"),
        ("  \n ", None),
    ],
)
def test_a_prompt_as_title(prompt: str, title: str | None) -> None:
    assert prompt_title(prompt) == title


@pytest.mark.parametrize("text", [".", "go ahead", "Continue!", "ok, do it", "yes please", "1."])
def test_empty_words(text: str) -> None:
    assert not says_something(text)


@pytest.mark.parametrize("text", ["ls", "continue with the parser", "修正してください", "run it"])
def test_words_that_say_something(text: str) -> None:
    assert says_something(text)


def test_the_first_prompt_that_says_something() -> None:
    title = SpokenTitle()
    title.note_prompt("continue")
    title.note_prompt("fix the parser")
    title.note_prompt("and the lexer")
    assert (title.text, title.source) == ("fix the parser", "prompt")


def test_an_answer_is_better_than_empty_words_but_not_than_a_prompt() -> None:
    title = SpokenTitle()
    title.note_prompt("go ahead")
    title.note_answer("You're welcome!")
    title.note_answer("## Adding the retry loop. Then the tests.")
    title.note_answer("Now the docs.")
    assert (title.text, title.source) == ("Adding the retry loop.", "answer")
    title.note_prompt("use exponential backoff")
    assert (title.text, title.source) == ("use exponential backoff", "prompt")


def test_an_answer_alone_is_no_title() -> None:
    title = SpokenTitle()
    title.note_answer("Here is the plan")
    assert title.text is None


def test_long_context_takes_linear_time() -> None:
    from tests.support.growth import assert_linear

    assert_linear(prompt_title, lambda size: "<rules " * size, 2_000)
