"""Several diffs as one."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from agent_journal.model.diffs import Differ, apply_diff
from agent_journal.model.joined_diffs import join_diffs
from tests.support.file_edits import diff

_NAMES = st.sampled_from(["a", "b", "c", "d", "e"])
FILES = st.lists(_NAMES, max_size=40).map(lambda lines: "".join(f"{line}\n" for line in lines))


@given(st.lists(FILES, min_size=2, max_size=5))
def test_the_joined_diff_does_what_the_diffs_do(texts: list[str]) -> None:
    diffs = [diff(before, after) for before, after in pairwise(texts)]
    net = join_diffs("/w/f", diffs, Differ())
    assert net is not None
    if net.added or net.removed:
        assert apply_diff(texts[0], net.text) == texts[-1]
    else:
        assert texts[0] == texts[-1]


def test_far_lines_stay_unknown() -> None:
    lines = [f"line {n}\n" for n in range(1, 101)]
    first = "".join(lines)
    lines[49] = "changed\n"
    second = "".join(lines)
    lines[51] = "also changed\n"
    third = "".join(lines)
    net = join_diffs("/w/f", [diff(first, second), diff(second, third)], Differ())
    assert net is not None
    assert net.text == diff(first, third)
    assert (net.added, net.removed) == (2, 2)


def test_what_was_changed_back_is_no_change() -> None:
    net = join_diffs("/w/f", [diff("a\nb\n", "a\nc\n"), diff("a\nc\n", "a\nb\n")], Differ())
    assert net is not None
    assert (net.added, net.removed) == (0, 0)


def test_diffs_that_do_not_follow_each_other_have_no_net_change() -> None:
    assert join_diffs("/w/f", [diff("a\n", "b\n"), diff("c\n", "d\n")], Differ()) is None
    assert join_diffs("/w/f", ["no diff"], Differ()) is None
    assert join_diffs("/w/f", ["@@ -999999999,1 +1,1 @@\n-a\n+b\n"], Differ()) is None
