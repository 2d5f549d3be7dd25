"""How long a query may be: every word of it is looked up, and each pattern in all known words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from agent_journal.query.lexer import MalformedQuery, Token

MAX_CHARACTERS = 10_000
MAX_WORDS = 500
MAX_PATTERNS = 50  # prefixes, expressions, and globs in fields
_FIX = "search for the words that matter; a few rare ones find more than a whole text"
# In Chinese, Japanese and Korean every character is looked up
_WORD = re.compile(r"[\u2e80-\U0003fffd]|[^\W\u2e80-\U0003fffd]+")
_GLOB = re.compile(r"[*?\[]")


def check_length(text: str) -> None:
    """Refuse a text with too many characters or words."""
    if len(text) > MAX_CHARACTERS:
        raise _beyond(MAX_CHARACTERS, f"{MAX_CHARACTERS:,} characters ({len(text):,})")
    words = list(_WORD.finditer(text))
    if len(words) > MAX_WORDS:
        place = words[MAX_WORDS].start()
        raise _beyond(place, f"{MAX_WORDS:,} words ({len(words):,})")


def check_patterns(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yield the tokens; refuse too many prefixes, expressions and globs."""
    patterns = 0
    for token in tokens:
        patterns += _count_patterns(token)
        if patterns > MAX_PATTERNS:
            raise _beyond(token.place, f"{MAX_PATTERNS} prefixes and patterns")
        yield token


def _count_patterns(token: Token) -> int:
    if token.kind == "regex":
        return 1
    if token.kind == "word":
        return int("*" in token.text)
    return sum(_GLOB.search(value.text) is not None for value in token.values)


def _beyond(place: int, limit: str) -> MalformedQuery:
    return MalformedQuery(place, f"a query has at most {limit}", _FIX)
