"""Values that are secret by the name before them: `password = …`, `API_TOKEN=…`, `--password …`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_journal.text.redaction import values
from agent_journal.text.redaction.judgement import is_mixed, is_secret
from agent_journal.text.redaction.names import WORDS, Word, is_open, start_of
from agent_journal.text.redaction.places import OPENED, SLASHES, Place, Value, read_value
from agent_journal.text.redaction.secret import Secret, as_secret
from agent_journal.text.redaction.statements import find_unjoined

# Lower case, and `_` for `-`
FOLDED = bytes(range(256)).lower().replace(b"-", b"_")
_SHORTEST_KEY = 16  # characters of the value of any key

# -- between the name and the value ------------------------------------------------------------

_CLOSED = rf"""(?:{SLASHES}["'`\]]){{0,3}}{SLASHES}"""
_TYPE = r"""[ ]?[&A-Za-z][\w.\[\]| ]{0,24}?[ ]=[ ]?(?=["'`])"""
_ASSIGNED = (
    rf"{_CLOSED}[ \t]{{0,8}}(?:string[ ])?(?::{_TYPE}|:=|=>|={{1,3}}|:|\?=)[ \t]{{0,8}}(?:\*\*[ ])?"
)
_IN_CALL = rf"""(?P<comma>{SLASHES}["'`])[ \t]{{0,4}},[ \t]{{0,4}}(?={SLASHES}["'`])"""
_IN_PAIR = (
    rf"""(?:{SLASHES}["'])?(?:[\s,;+-]|\\{{1,16}}[nrt]){{1,40}}(?:{SLASHES}["'])?"""
    rf"""[Vv]alue(?:{SLASHES}["'])?[ ]{{0,4}}[:=][ ]{{0,4}}"""
)
_IN_CELL = r"(?P<cell>[`*]{0,2}[ \t]{1,40}\|[ \t]{1,40})"
_IN_PROSE = r"(?P<prose>[ ](?:is|was|to)(?::[ ]|[ ]))"
_CALLED = rf"""(?P<call>\()(?={SLASHES}["'`])"""

_IS_CALL = re.compile(rf"""\([ \t]{{0,4}}{SLASHES}["'`]\Z""")


_PATTERNS = {
    word.word: re.compile(
        rf"(?i:{word.whole})"
        rf"(?:{_ASSIGNED}|{_IN_PAIR}|{_IN_CALL}|{_IN_CELL}|{_CALLED}|{_IN_PROSE}){OPENED}"
    )
    for word in WORDS
}


_SEARCHED = tuple((word.word, word.following, word) for word in WORDS)


def find_assigned(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield values after names that make them secret; `folded` has one byte for each character."""
    for letters, following, word in _SEARCHED:
        at = folded.find(letters)
        while at >= 0:
            after = at + len(letters)
            if folded[after : after + 1] in following:
                value, is_found = _after_word(text, at, word)
                if value is not None:
                    if is_found:
                        yield as_secret(_kind(word), value.start, value.end, "")
                    # There is no secret within a value without quotes that is none.
                    if is_found or not value.is_quoted:
                        after = max(after, value.end)
            at = folded.find(letters, after)


def _kind(word: Word) -> str:
    if word.kind == "password":
        return "password"
    return "secret"


def _after_word(text: str, at: int, word: Word) -> tuple[Value | None, bool]:
    """Return the value after a word, and whether it is secret."""
    match = _PATTERNS[word.word].match(text, at)
    if match is None:
        return find_unjoined(text, at, word)
    place = Place(text, word, at, start_of(text, at))
    value = read_value(place, match)
    if value is None or is_open(word, place.before):
        return value, False
    if _is_joined(place, match, value):
        return value, is_secret(place, value)
    return find_unjoined(text, at, word)


def _is_joined(place: Place, match: re.Match[str], value: Value) -> bool:
    """Whether the value belongs to the name: always if one is assigned to the other."""
    if match["cell"] is not None:
        before = place.text[max(0, place.start - 4) : place.start]
        is_cell = before.rstrip(" \t`*").endswith("|")
        return is_cell and not values.names_secret(value.text)
    if match["comma"] is not None:
        before = place.text[max(0, place.start - 24) : place.start]
        is_word = not place.is_variable and not values.has_digit(value.text)
        is_other = is_word or values.names_secret(value.text)
        return _IS_CALL.search(before) is not None and not is_other
    if match["prose"] is not None:
        is_long = place.word.kind == "password" or len(value.text) >= _SHORTEST_KEY
        return is_long and is_mixed(value.text) and not place.is_short_pass
    if match["call"] is not None:
        is_setter = place.before.lower().endswith(("set", "set_", "with", "with_", "."))
        return is_setter and values.has_digit(value.text)
    return True
