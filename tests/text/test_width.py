"""Widths on a terminal: wide letters, marks, emoji, and cuts that never exceed the width."""

from __future__ import annotations

import pytest

from agent_journal.text.width import (
    cut_at_word,
    cut_path,
    cut_to_width,
    display_width,
    line_end,
    pad_to_width,
)


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("plain", 5),
        ("Größe", 5),
        ("Gro\u0308ße", 5),  # a mark of its own
        ("検索エンジン", 12),
        ("한국어", 6),
        ("ﾊﾝｶｸ", 4),
        ("Ａ", 2),
        ("🚀", 2),
        ("a\u200bb", 2),  # a space without width
        ("soft\xadhyphen", 11),
        ("❤\ufe0f", 2),
        ("…", 1),
    ],
)
def test_columns_are_counted(text: str, width: int) -> None:
    assert display_width(text) == width


@pytest.mark.parametrize("text", ["the quick brown fox " * 5, "検索エンジン" * 9, "e\u0301" * 70])
@pytest.mark.parametrize("width", range(1, 60, 7))
def test_a_cut_text_fits(text: str, width: int) -> None:
    for cut in (cut_to_width(text, width), cut_at_word(text, width)):
        assert display_width(cut) <= width
        assert cut.endswith("…")


def test_what_fits_is_not_cut() -> None:
    assert cut_to_width("検索", 4) == "検索"
    assert cut_at_word("two words", 9) == "two words"


def test_cuts_are_between_words_unless_a_word_is_long() -> None:
    assert cut_at_word("limit of connections", 12) == "limit of…"
    assert cut_at_word("the connection limit", 15) == "the connection…"
    assert cut_at_word("x" * 50, 20) == "x" * 19 + "…"
    assert cut_to_width("the connection", 8) == "the con…"


def test_a_letter_keeps_its_marks() -> None:
    assert cut_to_width("e\u0301" * 5, 3) == "e\u0301e\u0301…"


def test_lines_end_between_words() -> None:
    text = "one two three"
    assert text[: line_end(text, 0, 8)] == "one two"
    assert text[4 : line_end(text, 4, 20)] == "two three"


def test_cells_are_filled_to_their_width() -> None:
    assert pad_to_width("検索", 6) == "検索  "
    assert pad_to_width("too long", 3) == "too long"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/src/app.py", "/src/app.py"),
        ("/home/sam/work/src/app.py", "…/src/app.py"),
        ("C:\\home\\sam\\src\\app.py", "…\\src\\app.py"),
        ("/a_very_long_name_of_a_file.py", "…of_a_file.py"),
    ],
)
def test_of_a_path_the_end_stays(path: str, expected: str) -> None:
    assert cut_path(path, 13) == expected


def test_text_without_spaces_breaks_at_every_wide_letter() -> None:
    assert cut_at_word("★ 日本語のタイトル", 12) == "★ 日本語の…"
    assert line_end("提示用户 输入一个整数", 0, 15) == 8


def test_a_cut_before_a_long_word_keeps_at_least_half_the_width() -> None:
    assert cut_at_word("Reply with AGENTV_SDK_CHILD_RUNNER_READY only", 31) == (
        "Reply with AGENTV_SDK_CHILD_RU…"
    )
    assert cut_at_word("Remove stray scratch files", 16) == "Remove stray…"
