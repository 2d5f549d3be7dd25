"""The nearest spelling of a mistyped word: "did you mean 'sync'?"."""

from __future__ import annotations

from collections.abc import Iterable

_CUTOFF = 0.7  # AJ_FOO and AJ_HOME are 0.62 alike, claude and claude-code 0.71


def near_words(
    word: str, known: Iterable[str], *, limit: int = 1, cutoff: float = _CUTOFF
) -> list[str]:
    """Return the known words spelt most like a word, the nearest first."""
    from difflib import get_close_matches

    return get_close_matches(word, list(known), n=limit, cutoff=cutoff)


def did_you_mean(
    word: str, known: Iterable[str], *, limit: int = 1, cutoff: float = _CUTOFF
) -> str | None:
    """Return a hint that names the nearest known words; None when nothing is near."""
    words = near_words(word, known, limit=limit, cutoff=cutoff)
    if not words:
        return None
    return f"did you mean {' or '.join(repr(near) for near in words)}?"
