"""Names that say that what follows them is secret: `DB_PASSWORD`, `api_key`, `clientSecret`.

Each word is searched in the text; what precedes and follows it must fit as well.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_NEXT = b"\"'`]\\ \t\r\n:=*|<>(["
_DIGITS = b"0123456789"
_PLACE = (
    r"(?:[_-](?:dev(?:elopment)?|prod(?:uction)?|stag(?:e|ing)|test|live|main|primary|secondary"
    r"|backup|bedrock|old|new|v?[0-9]{1,2}))?"
)


class Word(NamedTuple):
    """A word of secret names."""

    word: bytes  # lower case, `_` for `-`
    following: bytes  # what may come after it: the quickest way to skip most of them
    kind: str  # of the secret
    whole: str  # with what else may belong to the name


WORDS = (
    Word(
        b"pass",
        _NEXT + b"wpce_" + _DIGITS,
        "password",
        r"pass(?:w(?:or)?d|wort|phrase|code|(?<=de[ ]pass)e)?"
        rf"(?:[_-]?(?:hash|value|text|confirm|[0-9]{{1,2}}))?{_PLACE}",
    ),
    Word(b"pw", _NEXT + b"d", "password", r"pwd?[0-9]?"),
    Word(
        b"secret",
        _NEXT + b"_kavst" + _DIGITS,
        "secret",
        rf"secrets?(?:[ _-]?(?:access[ _-]?)?(?:key(?:[ _-]?base)?|value|token|string))?{_PLACE}",
    ),
    Word(b"token", _NEXT + b"_kav" + _DIGITS, "secret", rf"token(?:[_-]?(?:key|value))?{_PLACE}"),
    Word(b"key", _NEXT + b"_vd" + _DIGITS, "key", rf"key(?:[ _-]?(?:value|data|base))?{_PLACE}"),
    Word(b"credential", _NEXT + b"s", "secret", r"credentials?"),
    Word(b"psk", b"\"'\\ :=", "password", "psk"),
    Word(b"kennwort", _NEXT, "password", "kennwort"),
)

# -- what precedes the word --------------------------------------------------------------------

_SECRET_KEY = re.compile(
    r"(?i)(?:api|access|account|admin|app(?:lication)?|auth|bot|client|consumer|crypt(?:o)?|deploy"
    r"|encryption|hmac|(?<![a-z])io|jwt|license|master|openai|anthropic|private|secret|service[_-]?role"
    r"|setup|shared|signing|storage[_-]?account|subscription|webhook)[_.-]?\Z"
)
_VARIABLE_KEY = re.compile(r"[A-Z0-9]_\Z")  # of the environment
_HEADER_KEY = re.compile(r"(?i)(?<![\w-])x-(?:[a-z0-9]+-){0,6}\Z")
_OPTION_KEY = re.compile(r"(?i)--(?:[a-z0-9]+[-_]){0,6}\Z")
# Keys and tokens that are no secrets
_OPEN_KEY = re.compile(
    r"(?i)(?:public|publishable|primary|foreign|cache|sort|partition|hash|host|storage|index|row"
    r"|idempotency|object|lookup|group|dedup(?:e|lication)?|routing|shard|unique|config|translation"
    r"|i18n|map|dict|sub|hot|short(?:cut)?|arrow|registry|query|ssh[_-]?pub(?:lic)?)[_.-]?\Z"
)
_OPEN_TOKEN = re.compile(
    r"(?i)(?:page|next|prev(?:ious)?|continuation|cancel(?:lation)?|sync|start(?:ing)?|end"
    r"|[ebc][ol]s|pad|unk|mask|sep|stop|special|design|num|max|min|per|input|output|cached?"
    r"|prompt|first|last|pagination|position|resume|change|backward|forward|marker)[_.-]?\Z"
)
_OPEN_PASS = re.compile(
    r"(?i)(?:first|second|third|last|single|multi|one|two|each|per|render|forward|backward|by|com"
    r"|sur|tres|boarding|under|over|num|high|low|all|did|must|tests?|will|should)[_.-]?\Z"
)
NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"


def start_of(text: str, at: int) -> int:
    """Return where the name begins that has a word at a place."""
    before = text[max(0, at - 60) : at]
    start = at - len(before) + len(before.rstrip(NAME_CHARACTERS))
    if text[start - 1 : start] == "\\" and text[start] in "nrt":  # an escape
        start += 1
    if text[start] == "-" and text[start + 1] != "-":  # a removed line, an item of a list
        start += 1
    return start


_WORDS_BEFORE = re.compile(r"(?:[A-Za-z0-9]{1,20}[ ]){1,3}\Z")


def words_before(text: str, start: int, at: int) -> str:
    """Return what precedes a word in its name: `api_`, also for `the API key`."""
    if start < at:
        return text[start:at]
    words = _WORDS_BEFORE.search(text, max(0, start - 40), start)
    if words is None:
        return ""
    return words[0].replace(" ", "_")


def is_open(word: Word, before: str) -> bool:
    """Whether a name is known to be of something that is no secret."""
    if word.kind == "password":
        return False
    if word.kind == "key":
        return _OPEN_KEY.search(before) is not None
    return _OPEN_TOKEN.search(before) is not None


def is_verb(before: str) -> bool:
    """Whether `pass` is not short for password, by the words before it: `first_pass`, `bypass`."""
    return _OPEN_PASS.search(before) is not None


def is_secret_key(before: str) -> bool:
    """Whether a key is secret, by the words before it."""
    return _SECRET_KEY.search(before) is not None


def is_any_key(before: str) -> bool:
    """Whether a key may be secret: in a variable of the environment, a header, an option."""
    return (
        _VARIABLE_KEY.search(before) is not None
        or _HEADER_KEY.search(before) is not None
        or _OPTION_KEY.search(before) is not None
    )
