"""Snippets: the part of a hit with the most words of the query, as a person would write it."""

from __future__ import annotations

import pytest

from agent_journal.search.marks import Marker, folded
from agent_journal.search.snippets import Part, Snippet, snippet
from agent_journal.text.width import display_width

FILLER = "Nothing of it is here, and this goes on for a while. "


def of_text(text: str, *terms: str, width: int = 80) -> Snippet:
    return snippet("", (Part(text),), Marker(terms), width)


def marked(found: Snippet) -> list[str]:
    return [found.text[start:end] for start, end in found.marks]


def test_words_are_marked_at_their_places() -> None:
    found = of_text("x" * 300 + " the Größe of it " + "y" * 300, "grosse", "größe", "of")
    assert marked(found) == ["Größe", "of"]
    assert len(folded("Größe İ ﬁ")) == len("Größe İ ﬁ")


def test_a_huge_text_has_its_snippet_at_once() -> None:
    found = of_text("ünï " * 2_000_000 + "needle" + " cödé" * 2_000_000, "needle")
    assert marked(found) == ["needle"]


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("limit", "limited"),
        ("limited", "limit"),
        ("libraries", "library"),
        ("flaky", "flakiness"),
        ("caching", "cached"),
    ],
)
def test_other_forms_of_a_word_are_marked(term: str, text: str) -> None:
    assert marked(of_text(f"it is {text} now", term)) == [text]


def test_parts_of_words_are_marked_only_without_a_whole_one() -> None:
    assert marked(of_text("the user of getUserName", "user")) == ["user"]
    assert marked(of_text("getUserName and the pool", "user", "pool")) == ["User", "pool"]
    assert marked(of_text("an id, not a video", "id")) == ["id"]


def test_words_of_other_scripts_are_marked() -> None:
    assert marked(of_text("全文検索エンジンを作る", "検索")) == ["検索"]


def test_the_window_has_the_most_different_words() -> None:
    text = f"pool pool pool. {FILLER * 5}The connection pool has a limit. {FILLER * 5}pool limit."
    found = of_text(text, "connection", "pool", "limit")
    assert marked(found) == ["connection", "pool", "limit"]


def test_of_equal_windows_the_one_with_the_rarer_word_is_shown() -> None:
    text = f"{'The pool is a pool. ' * 3}{FILLER * 5}A semaphore is used. {FILLER * 5}"
    assert marked(of_text(text, "pool", "semaphore")) == ["semaphore"]


def test_a_phrase_counts_more_than_its_words_apart() -> None:
    text = f"The limit of a connection. {FILLER * 5}The connection limit is 40. {FILLER * 5}"
    found = of_text(text, "connection limit", "connection", "limit")
    assert marked(found) == ["connection limit"]


def test_it_begins_with_a_sentence_and_ends_between_words() -> None:
    text = f"{FILLER * 5}The pool is full because nobody closes connections. {FILLER * 5}"
    found = of_text(text, "pool")
    assert found.text.startswith("…The pool is full because nobody closes connections.")
    assert found.text.endswith("…")
    assert set(found.text.strip("…").split()) <= set(text.split())


def test_it_begins_with_a_line() -> None:
    text = f"{FILLER * 3}\n    ERROR: the needle is lost\n{FILLER * 3}"
    assert of_text(text, "needle").text.startswith("…ERROR: the needle is lost Nothing")


def test_without_the_words_it_is_the_beginning() -> None:
    found = of_text(f"Why is it so slow? {FILLER * 9}", "absent")
    assert found.text.startswith("Why is it so slow? Nothing")
    assert found.marks == []


@pytest.mark.parametrize("width", [40, 77, 150])
@pytest.mark.parametrize("text", [f"{FILLER * 9}needle {FILLER * 9}", "検索needleエンジン" * 40])
def test_it_takes_no_more_columns_than_there_are(text: str, width: int) -> None:
    found = of_text(text, "needle", width=width)
    assert display_width(found.text) <= width
    assert "needle" in marked(found)


def test_what_could_control_a_terminal_is_left_out() -> None:
    found = of_text("a \x1b[31mred\x1b[0m \x07bell \u202ereversed\x9b5m needle", "needle")
    assert found.text == "a red bell reversed needle"
    assert marked(found) == ["needle"]


@pytest.mark.parametrize("letter", ["\u200b", "e\u0301", "\u0301", " ", "-", "\n", "検"])
def test_floods_of_one_letter_are_cut(letter: str) -> None:
    assert len(of_text(letter * 200_000, "needle").text) <= 800


def call(command: str, options: str, result: str, *terms: str, width: int = 90) -> Snippet:
    parts = (Part(command), Part(options, ": "), Part(result, " → "))
    return snippet("Bash", parts, Marker(terms), width)


def test_a_call_is_its_command_and_then_its_result() -> None:
    found = call("make test", "timeout: 9", "3 passed", "make")
    assert found.text == "Bash  make test → 3 passed"
    assert marked(found) == ["make"]


def test_of_a_result_the_lines_with_the_words_are_shown() -> None:
    result = "compiling module\n" * 90 + "error: no such needle\n" + "linking\n" * 90
    found = call("make test", "timeout: 9", result, "needle")
    assert "Bash  make test → …" in found.text
    assert "error: no such needle linking" in found.text


def test_words_of_command_options_and_result_are_shown_together() -> None:
    found = call("make test", "timeout: 9", "an error", "make", "timeout", "error")
    assert found.text == "Bash  make test: timeout: 9 → an error"
    assert marked(found) == ["make", "timeout", "error"]


def test_options_are_shown_only_for_their_words() -> None:
    assert "timeout" not in call("ls", "timeout: 9", "files", "ls").text


def test_a_long_command_is_shown_around_the_words() -> None:
    command = "cat <<EOF\n" + "line\n" * 90 + "the needle\n" + "line\n" * 90
    assert marked(call(command, "", "done", "needle")) == ["needle"]


def test_the_name_of_a_tool_is_found_too() -> None:
    assert marked(call("ls", "", "files", "bash")) == ["Bash"]


def test_of_a_long_path_the_end_is_shown() -> None:
    path = "/home/sam/work/" + "folder/" * 20 + "app.py"
    parts = (Part(path), Part("+needle", ": "))
    found = snippet("", parts, Marker(["needle"]), 80)
    assert found.text.startswith("…/folder/")
    assert found.text.endswith("/app.py: +needle")


def test_line_numbers_of_files_are_left_out() -> None:
    assert of_text("    1→import os\n    2→needle()\n", "needle").text == "import os needle()"
