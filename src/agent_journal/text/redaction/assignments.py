"""Values that are secret by the name before them: `password = …`, `API_TOKEN=…`, `--password …`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_journal.text.redaction import values
from agent_journal.text.redaction.judgement import is_secret, is_told
from agent_journal.text.redaction.names import WORDS, Word, is_open, start_of
from agent_journal.text.redaction.pairs import MEMBER, find_before_name
from agent_journal.text.redaction.places import (
    BREAK,
    OPENED,
    SLASHES,
    Found,
    Place,
    Value,
    read_value,
)
from agent_journal.text.redaction.secret import Secret, as_secret
from agent_journal.text.redaction.statements import find_unjoined
from agent_journal.text.redaction.tables import Head, find_in_columns

# Lower case, and `_` for `-`
FOLDED = bytes(range(256)).lower().replace(b"-", b"_")
# -- between the name and the value ------------------------------------------------------------

_QUOTED_NEXT = rf"""(?={SLASHES}["'`])"""
_CLOSED = rf"""(?:{SLASHES}["'`\]*]){{0,4}}{SLASHES}(?:\[\])?"""
_OF = r"(?:for[ ][\w.@'-]{1,40}|\([\w .@-]{1,30}\)|\[[\w*]{1,30}\]|\{[ ]?get;[\w; ]{0,30}\})?"
_TYPE = rf"""[ ]?[&A-Za-z][\w.\[\]| ]{{0,24}}?[ ]=[ ]?{_QUOTED_NEXT}"""
_SIGN = (
    rf"(?::{_TYPE}|:[=-]|=>|<<<[ ]{_QUOTED_NEXT}|={{1,3}}|:(?!\?)|\?=|\|\|=|<-[ ]{_QUOTED_NEXT}"
    r"|(?P<dash>(?<=[ ])(?:-|–|—|->|→|\\{1,16}u(?:201[34]|2192))(?=[ ])"
    r"|=\{(?=[^{}\s]{6,80}\};)))"
)
_WRAPPED = (
    r"(?P<wrapped>(?:String::from|SecretStr|Some|str|String)?"
    rf"[(\[]{BREAK}{{0,1}}[ ]?{_QUOTED_NEXT})"
)
_LONG = rf"""(?:[|>][+-]?[0-9]?|<<[-~]?\w{{1,20}}|(?:{SLASHES}["']){{3}}|\\(?=\r?\n))?"""
_TRIPLE = rf"""[bru]{{0,2}}(?:(?:{SLASHES}\"){{2}}(?={SLASHES}\"[^"\s])|''(?='[^'\s]))"""
_BELOW = (
    rf"(?P<below>{_LONG}(?:{BREAK}){{1,3}}(?:`{{3}}\w{{0,10}}{BREAK})?"
    r"(?!(?:[+-](?:[ ]{0,40}+))?(?:[A-Z][A-Z0-9_]{0,40}=|(?:value|default):[ ])))"
)
# Terraform: an old value, then the new one
_SHORT_OLD = rf"""(?:{SLASHES}"[^"\\\r\n]{{0,3}}{SLASHES}"[ ]->[ ])?"""
_CHANGED = re.compile(rf"""{SLASHES}"[ ]->[ ]{OPENED}""")
_ASSIGNED = (
    rf"{_CLOSED}[ \t]{{0,40}}+(?:string[ ])?{_OF}[ ]?{_SIGN}[ \t]{{0,8}}{_SHORT_OLD}"
    rf"(?:\*\*[ ]|!!str[ ]|&[\w-]{{1,20}}[ ]|</[a-z]{{1,10}}>[ ]|\{{S?SHA[0-9]{{0,3}}\}}"
    rf"|{_TRIPLE}|{_WRAPPED}|{_BELOW})?"
)
_IN_CALL = rf"""(?P<comma>{SLASHES}["'`])[ \t]{{0,4}},[ \t]{{0,4}}{_QUOTED_NEXT}"""
_ATTRIBUTE = rf"""[\w-]{{1,20}}={SLASHES}["'][^"'<>\\]{{0,60}}{SLASHES}["'][ ]"""
_LINE = rf"(?:type|description|sensitive)[ ]{{1,9}}=[^\r\n\\]{{1,100}}{BREAK}"
_IN_PAIR = (
    rf"""(?:{SLASHES}["'])?:?(?:[\s,;{{+-]|\\{{1,16}}[nrt]){{1,40}}+(?:{SLASHES}["'])?"""
    rf"""(?:(?:{_ATTRIBUTE}){{1,4}}|(?:{_LINE}){{1,3}}|(?:{MEMBER}){{1,4}}?(?:{SLASHES}["'])?)?"""
    rf"""(?:[Vv]alue|default)(?:{SLASHES}["'])?[ ]{{0,4}}[:=][ ]{{0,4}}"""
)
_IN_CELL = r"(?P<cell>[`*]{0,2}[ \t]{1,40}\|[ \t]{1,40})"
_FOR = r"(?:[ ](?:for|f(?:ü|\\{1,16}u00fc)r|de|del|du|of|para|pour)(?:[ ][\w.@'-]{1,30}){1,4}?)?"
_IS = r"(?:is|was|to|from|ist|lautet|est|es|è|\\{1,16}u00e8|(?:should|must|will)[ ]be)"
_CHANGED_TO = (
    r"(?:(?:is|was|has[ ]been|have[ ]been)[ ])?(?:re)?(?:set|changed|updated|rotated|generated)[ ]"
    r"(?:to|as|for[ ][\w.@'-]{1,60}(?=:))"
)
_IN_PROSE = rf"(?P<prose>{_FOR}[ ](?:{_CHANGED_TO}|{_IS}(?:[ ]now|[ ]set[ ]to)?)(?::[ ]|[ ]))"
# `--name api-key --value x`
_IN_OPTIONS = (
    rf"""(?:{SLASHES}["'])?(?:[ ]--?[\w-]{{1,30}}(?:[ =][\w./:-]{{1,60}})?){{0,3}}?"""
    r"[ ]--?[Vv]alue[ =]"
)
_IN_FORM = rf"""(?P<form>{SLASHES}"(?:{BREAK}){{2,4}})"""
_CALLED = rf"""(?P<call>\(){_QUOTED_NEXT}"""
# A value instead of another one, or what a test types into a field
_INSTEAD = (
    rf"""(?P<instead>{_CLOSED}(?:\)?[ ](?:or|\|\||\?\?)[ ]"""
    rf"|\)\.(?:type|fill|sendKeys|send_keys|setValue)\(){_QUOTED_NEXT})"
)

_IS_CALL = re.compile(rf"""\([ \t]{{0,4}}{SLASHES}["'`][#.]?\Z""")
_IS_CELL = re.compile(r"\|[ \t`*]{0,9}(?:[\w.-]{1,20}[ ]){0,4}\Z")


_PATTERNS = {
    word.word: re.compile(
        rf"(?i:{word.whole})"
        rf"(?:{_ASSIGNED}|{_IN_PAIR}|{_IN_CALL}|{_IN_CELL}|{_CALLED}|{_IN_PROSE}|{_INSTEAD}"
        rf"|{_IN_OPTIONS}|{_IN_FORM}){OPENED}"
    )
    for word in WORDS
}


_LONGEST_MEMBER = 100  # characters
_NO_CELL = frozenset((b":", b"=", b"(", b"<", b">", b"["))  # after a name that heads no column
_BETWEEN_CELLS = frozenset((b",", b";"))
_SEARCHED = tuple((word.word, word.following, word) for word in WORDS)


def find_assigned(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield values after names that make them secret; `folded` has one byte for each character."""
    heads: list[Head] = []
    for letters, following, word in _SEARCHED:
        at = folded.find(letters)
        while at >= 0:
            after = at + len(letters)
            sign = folded[after : after + 1]
            if sign == b"e" and letters == b"pass" and folded[at - 3 : at] != b"de ":
                pass  # `passed`, not `mot de passe`: most texts have no other word
            elif sign in _BETWEEN_CELLS:
                heads.append(Head(at, word))
            elif sign in following:
                value, is_found = _beside_word(text, at, word)
                if value is not None:
                    yield from _of_name(text, at, word, value, is_found)
                    after = _end(value, is_found, after)
                elif sign not in _NO_CELL:
                    heads.append(Head(at, word))
            at = folded.find(letters, after)
    if heads:
        yield from find_in_columns(text, heads)


def _end(value: Value, is_found: bool, after: int) -> int:
    """Return where to go on: within quotes there may be other names, elsewhere no secret.

    A member may have a name, too: `secret = env.JWT_SECRET or "x"`.
    """
    is_member = not is_found and values.is_member(value.text[:_LONGEST_MEMBER])
    if is_found or not (value.is_quoted or is_member):
        return max(after, value.end)
    return after


def _of_name(text: str, at: int, word: Word, value: Value, is_found: bool) -> Iterator[Secret]:
    """Yield the value of a name, and what it is changed to."""
    if is_found:
        yield as_secret(_kind(word), value.start, value.end, "")
    if value.is_quoted:
        yield from _changed(text, at, word, value)


def _changed(text: str, at: int, word: Word, old: Value) -> Iterator[Secret]:
    """Yield the new value after an old one, as Terraform shows them."""
    match = _CHANGED.match(text, old.end)
    if match is None:
        return
    place = Place(text, word, at, start_of(text, at))
    new = read_value(place, match)
    if new is not None and not is_open(word, place.qualifier) and is_secret(place, new):
        yield as_secret(_kind(word), new.start, new.end, "")


def _kind(word: Word) -> str:
    if word.kind == "password":
        return "password"
    return "secret"


def _beside_word(text: str, at: int, word: Word) -> Found:
    """Return the value of a word, and whether it is secret."""
    if word.word == b"pass" and _is_verb(text, at):
        return None, False
    place = Place(text, word, at, start_of(text, at))
    before = find_before_name(place)
    if before is not None and not is_open(word, place.qualifier):
        return before, is_secret(place, before)
    return _after_word(place)


def _after_word(place: Place) -> Found:
    """Return the value after a word, and whether it is secret."""
    word = place.word
    match = _PATTERNS[word.word].match(place.text, place.at)
    if match is None:
        return find_unjoined(place)
    value = read_value(place, match)
    if value is None:
        return find_unjoined(place)
    if is_open(word, place.qualifier):
        return value, False
    if _is_joined(place, match, value):
        return value, is_secret(place, value)
    is_prose = match["prose"] is not None or match["dash"] is not None
    if is_prose and is_told(place, value):
        return value, True
    return find_unjoined(place)


def _is_verb(text: str, at: int) -> bool:
    """Whether a word is a statement of Python, or `passed` and the like."""
    if text.startswith("pass\n", at):
        return text[at - 1 : at].isspace()
    return text.startswith("passe", at) and not text.endswith("de ", 0, at)


def _is_joined(place: Place, match: re.Match[str], value: Value) -> bool:
    """Whether the value belongs to the name: always if one is assigned to the other."""
    if match["cell"] is not None:
        is_cell = _IS_CELL.search(place.text, max(0, place.start - 60), place.start)
        return is_cell is not None and not values.names_secret(value.text)
    if match["comma"] is not None:
        return _is_argument(place, value)
    if match["prose"] is not None or match["dash"] is not None:
        return False
    if match["call"] is not None:
        return _is_setter(place) and values.is_chosen(value.text)
    if match["form"] is not None or (match["below"] is not None and not value.is_quoted):
        return _has_line(place.text, value) and is_told(place, value)
    if match["wrapped"] is not None or match["instead"] is not None:
        return values.is_chosen(value.text) and " " not in value.text
    return True


def _is_argument(place: Place, value: Value) -> bool:
    before = place.text[max(0, place.start - 24) : place.start]
    is_word = not place.is_variable and not values.is_chosen(value.text)
    is_other = is_word or values.names_secret(value.text)
    return _IS_CALL.search(before) is not None and not is_other


def _is_setter(place: Place) -> bool:
    """Whether a call sets what it is named after: `setPassword(…)`, `PASSWORD(…)` in SQL."""
    if place.text.startswith("PASSWORD(", place.at):
        return True
    return place.before.lower().endswith(("set", "set_", "with", "with_", "."))


def _has_line(text: str, value: Value) -> bool:
    """Whether nothing follows a value in its line."""
    after = text[value.end : value.end + 2]
    return after.strip(" ")[:1] in ("", "\n", "\r", "\\", '"', "`")
