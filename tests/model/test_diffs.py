"""Diffs that can be applied exactly."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_journal.model.diffs import ALL_STEPS, Differ, apply_diff, header_name
from tests.support.file_edits import TEXTS, diff


@given(TEXTS, TEXTS)
def test_a_diff_turns_one_text_into_the_other(before: str, after: str) -> None:
    made = Differ().diff("/w/f", "/w/f", before, after)
    assert apply_diff(before, made.text) == after
    hunks = made.text.partition("@@")[1:]
    assert bool(hunks[0]) == (before != after)
    old, new = before.split("\n"), after.split("\n")
    assert made.added - made.removed == len(new) - len(old) + (not old[-1]) - (not new[-1])


@given(TEXTS, TEXTS, st.integers(0, 40))
def test_a_diff_that_ran_out_of_steps_is_still_right(before: str, after: str, steps: int) -> None:
    assert apply_diff(before, Differ(steps).diff("f", "f", before, after).text) == after


@given(TEXTS, TEXTS, TEXTS)
def test_a_diff_of_another_text_is_refused_or_changes_only_what_it_shows(
    before: str, after: str, other: str
) -> None:
    made = diff(before, after)
    try:
        result = apply_diff(other, made)
    except ValueError:
        return
    assert apply_diff(result, diff(result, other)) == other
    assert len(result) - len(other) == len(after) - len(before)


@given(TEXTS, TEXTS)
def test_our_diffs_are_what_patch_understands(before: str, after: str) -> None:
    """Every line has a mark, and the counts of each hunk are those of its lines."""
    lines = diff(before, after).split("\n")[2:-1]
    left = [0, 0]
    for line in lines:
        found = re.fullmatch(r"@@ -\d+,(\d+) \+\d+,(\d+) @@", line)
        if left == [0, 0] and found:
            left = [int(found[1]), int(found[2])]
            continue
        assert line[0] in " +-\\"
        left[0] -= line[0] in " -"
        left[1] -= line[0] in " +"
    assert left == [0, 0]


def test_a_diff_as_people_know_it() -> None:
    before = "".join(f"{n}\n" for n in range(20))
    after = before.replace("3\n", "three\n", 1).replace("19\n", "19")
    assert diff(before, after, "/w/a b.txt") == (
        "--- a/w/a b.txt\n+++ b/w/a b.txt\n"
        "@@ -1,7 +1,7 @@\n 0\n 1\n 2\n-3\n+three\n 4\n 5\n 6\n"
        "@@ -17,4 +17,4 @@\n 16\n 17\n 18\n-19\n+19\n\\ No newline at end of file\n"
    )
    assert diff(None, "a\n") == "--- /dev/null\n+++ b/w/f\n@@ -0,0 +1,1 @@\n+a\n"
    assert diff("a\n", None) == "--- a/w/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"
    assert diff(None, "") == "--- /dev/null\n+++ b/w/f\n"


def test_patch_itself_applies_our_diffs(tmp_path: Path) -> None:
    before, after = (
        "a\nb\n" * 30 + "end",
        "x\n" + "a\nb\n" * 10 + "a\nc\n" + "a\nb\n" * 19 + "end\n",
    )
    (tmp_path / "f").write_text(before)
    try:
        subprocess.run(
            ["patch", "-p1", "-s"],
            input=diff(before, after, "f"),
            text=True,
            cwd=tmp_path,
            check=True,
        )
    except FileNotFoundError:
        pytest.skip("no patch here")
    assert (tmp_path / "f").read_text() == after


@pytest.mark.parametrize(
    "path", ["/w/a\n+++ b/evil", "c:\\Users\\me\\x.py", "/w/\u202egnp.exe", "/w/ü b"]
)
def test_a_path_cannot_leave_its_line(path: str) -> None:
    made = diff("a\n", "b\n", path)
    assert len(made.split("\n")) == 6
    assert apply_diff("a\n", made) == "b\n"


@pytest.mark.parametrize(
    "broken",
    [
        "no diff at all",
        "@@ @@\n-a\n+b",
        "@@ -1,1 +1,1 @@\n-a",
        "@@ -1,1 +1,1 @@\n-x\n+b",
        "@@ -5,1 +5,1 @@\n-a\n+b",
        "@@ -1,1 +1,1 @@\n*a\n+b",
        "@@ -1,1 +1,1 @@\n-a\n-c\n+b",
        "@@ -1,1 +1,1 @@\n-a\n+b\n\\ No newline at end",
        "@@ -1,1 +1,1 @@\n-a\n+b\n@@ -1,1 +1,1 @@\n-a\n+b",
    ],
)
def test_a_diff_that_does_not_fit_is_refused(broken: str) -> None:
    with pytest.raises(ValueError, match=r"diff|hunk"):
        apply_diff("a\nz\n", broken)


@given(st.text(), st.text())
def test_any_text_as_a_diff_is_refused_or_applied(text: str, made: str) -> None:
    for candidate in (
        made,
        "@@ -1,2 +1,2 @@\n" + made,
        f"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-{text}\n+{made}",
    ):
        try:
            apply_diff(text, candidate)
        except ValueError:
            pass


def test_diffs_of_claude_and_copilot_are_understood() -> None:
    assert apply_diff("a\nb\n", "@@ -1,2 +1,2 @@\n-a\n+c\n b") == "c\nb\n"
    assert apply_diff("", "@@ -0,0 +1,2 @@\n+a\n+b") == "a\nb\n"
    git = "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1,2 +1,1 @@\n a\n-b\n"
    assert apply_diff("a\nb\n", git) == "a\n"


def test_hard_texts_take_a_bounded_number_of_steps() -> None:
    """difflib alone needs minutes for texts whose lines all occur a hundred times."""
    hard = [f"{n * n % 150}\n" for n in range(15000)], [f"{n * 7 % 150}\n" for n in range(15000)]
    before, after = ("".join(lines) for lines in hard)
    differ = Differ()
    assert apply_diff(before, differ.diff("f", "f", before, after).text) == after
    assert ALL_STEPS - differ.steps_left <= 2_000_000
    large = "".join(f"line {n}\n" for n in range(400_000))
    changed = "first\n" + large.replace("line 200000\n", "x\n") + "last"
    differ = Differ()
    assert apply_diff(large, differ.diff("f", "f", large, changed).text) == changed
    assert differ.steps_left == ALL_STEPS


def test_a_change_in_a_large_file_costs_little() -> None:
    large = "".join(f"line {n}\n" for n in range(400_000))
    made = Differ().diff("f", "f", large, large.replace("line 200000\n", "x\n"))
    assert (made.added, made.removed) == (1, 1)
    assert len(made.text) < 200


def test_names_in_heads_are_below_a_and_b() -> None:
    assert header_name("a", "/w/f") == "a/w/f"
    assert header_name("b", "c:\\w\\f") == "b/c:/w/f"
