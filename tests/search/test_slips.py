"""Words that are compared letter by letter, and those whose letters alone show that they differ."""

from __future__ import annotations

from random import Random

import pytest

from agent_journal.search import spelling


def _changed(rng: Random, word: str) -> str:
    """A word after one slip."""
    at = rng.randrange(len(word) - 1)
    letter = rng.choice("abcxyz")
    ways = (
        word[:at] + word[at + 1 :],
        word[:at] + letter + word[at:],
        word[:at] + letter + word[at + 1 :],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
    )
    return rng.choice(ways)


@pytest.mark.parametrize("most", [1, 2])
def test_no_word_with_few_slips_is_left_out(most: int) -> None:
    rng = Random(most)
    for _ in range(2_000):
        typed = "".join(rng.choices("abcde", k=rng.randrange(6, 13)))
        meant = typed
        for _ in range(most):
            meant = _changed(rng, meant)
        if spelling.slips(typed, meant) <= most:
            assert not spelling._differ_in_more(meant, typed, most)


@pytest.mark.parametrize("meant", ["retrieval", "retry", "return"])
def test_words_with_other_letters_are_left_out(meant: str) -> None:
    assert spelling._differ_in_more(meant, "reviewing", 2)
