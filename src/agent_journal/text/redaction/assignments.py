"""Values that the word before them tells to be secret: `password = ...`, `API_TOKEN=...`,
`--password ...`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.text.redaction.tokens import SAMPLE, Found, as_found

_FOLDED = bytes(
    95 if code == 45 else code | 32 if 65 <= code <= 90 else code for code in range(256)
)
_NEXT = b"\"'`]\\ \t:="
# Each with the characters that may follow it: the quickest way to leave most of them alone
_WORDS = (
    (b"pass", _NEXT + b"w"),
    (b"pwd", _NEXT),
    (b"secret", _NEXT + b"_kav"),
    (b"token", _NEXT + b"_kav"),
    (b"key", _NEXT + b"_v"),
    (b"authorization", _NEXT),
    (b"mysql", b"da "),
)
_CURL_WORDS = ((b"_u ", bytes(range(256))), (b"__user", b" ="))
_LONGEST = 4096  # characters of a value
_SHORTEST = 6  # characters of a value without quotes
_LONGEST_SENTENCE = 200  # a longer value with spaces in it is prose

# Each level of JSON within JSON doubles the backslashes before a quote, and adds one.
_SEPARATED = r"""(?:\\{0,16}+["'`\]]){0,3}\\{0,16}+[ \t]{0,4}(?::=|=>|=|:)[ \t]{0,4}"""
_PLAIN = r"""[^\s"'`,;<>(){}\[\]\\|&]"""
_BARE = rf"(?P<bare>{_PLAIN}{{1,4096}}+(?:\\[$!#*?~^@%]{_PLAIN}{{0,4096}}+){{0,8}}+)"
_OPENED = rf"""(?:(?P<slashes>\\{{0,16}}+)(?P<quote>["'`])|{_BARE})"""
_PASSWORD = re.compile(rf"(?i)(?:passw(?:or)?d|pwd){_SEPARATED}{_OPENED}")
_PASS = re.compile(rf"PASS{_SEPARATED}{_OPENED}")
_SECRET = re.compile(
    rf"(?i)(?:secret|token)(?:[_-]?(?:key|access[_-]?key|value))?{_SEPARATED}{_OPENED}"
)
_KEY = re.compile(rf"(?i)key(?:[_-]?value)?{_SEPARATED}{_OPENED}")
_SECRET_KEY = re.compile(
    r"(?i)(?:api|access|account|encryption|private|signing|master|service[_-]?role)[_-]?\Z"
)
_ANY_KEY = re.compile(r"[A-Z0-9]_\Z")  # a variable of the environment
_OPEN_KEY = re.compile(
    r"(?:PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|CACHE|SORT|PARTITION|HASH|HOST|STORAGE)_\Z"
)
_OPTION = re.compile(
    r"""(?i)(?:passw(?:or)?d|secret|token|key)(?:[ \t]{1,4}|\\{0,16}+["'],[ ]{0,2})(?![-$</])"""
    + _OPENED
)
_IS_OPTION = re.compile(r"(?i)(?<![\w-])--(?:[a-z0-9]+[_-]){0,3}\Z")
_AUTHORIZATION = re.compile(
    r"""(?i)authorization(?:\\{0,16}+["']){0,2}[ \t]{0,4}[:=][ \t]{0,4}(?:\\{0,16}+["'])?"""
    r"(?:bearer|basic|token)[ ]{1,4}(?P<bare>[\w.~+/=-]{8,})"
)
_SSHPASS = re.compile(rf"pass[ ]{{1,4}}-p[ ]{{0,4}}{_OPENED}")
_USER = re.compile(
    r"""(?:-u|--user)[ =]{1,4}\\{0,16}+["']?[\w.@+-]{1,64}:(?P<bare>[^\s"'`\\<>]{3,200})"""
)
_MYSQL = re.compile(
    r"""mysql(?:dump|admin)?[ ](?:[^\s|;&]{1,60}[ ]{1,4}){0,8}?-p"""
    r"""(?P<bare>(?=[^\s"']*\d)(?=[^\s"']*[A-Za-z])[^\s"'`\\=<>]{4,200})"""
)
_QUOTES = {quote: re.compile(rf"(\\*){quote}|[\r\n]") for quote in "\"'`"}

_NAME = re.compile(r"[A-Za-z_][\w.-]*\Z")  # a variable, a type, a member of a module
_FOLDER = re.compile(r"[~.]?/|[A-Za-z]:[\\/]")
_DIGIT, _DIGITS, _LETTER = (
    re.compile("[0-9]"),
    re.compile("(?:[^0-9]*+[0-9]){3}"),
    re.compile("[A-Za-z]"),
)
_INSTEAD = r"(?:\$?\{+[^{}]*\}+|\$[A-Za-z_]\w*|\$\([^()]*\)?|<[^<>]*>|%\w+%)"
_TEMPLATE = re.compile(rf"(?:[A-Za-z]{{0,20}}[-_:./@ ])?(?:{_INSTEAD}[-_:./@ ]?)+\Z")


class _Value(NamedTuple):
    text: str
    start: int
    end: int
    is_quoted: bool


_NOTHING = _Value("", 0, 0, False)


def find_assigned(text: str, data: bytes) -> Iterator[Found]:
    """Values after words that tell them to be secret; `data` has one byte for each character of the
    text.
    """
    folded = data.translate(_FOLDED)
    for word, following in (*_WORDS, *_CURL_WORDS) if b"curl" in folded else _WORDS:
        at, length = folded.find(word), len(word)
        while at >= 0:
            after = at + length
            if folded[after : after + 1] in following:
                kind, value = _after_word(text, at, word) or ("", _NOTHING)
                is_told = kind != "" and not is_placeholder(value.text)
                if is_told:
                    yield as_found(kind, value.start, value.end, "")
                # A value without quotes that is none has none within it
                if is_told or not value.is_quoted:
                    after = max(after, value.end)
            at = folded.find(word, after)


def is_placeholder(value: str) -> bool:
    """Whether a value stands for one: as a whole a variable or a `<name>`, or with a mark of
    samples in it.
    """
    return SAMPLE.search(value) is not None or _TEMPLATE.match(value) is not None


def _after_word(text: str, at: int, word: bytes) -> tuple[str, _Value] | None:
    """The value after a word and its kind, which is empty where the value is no secret."""
    if word == b"key":
        return _after_key(text, at)
    if word == b"authorization":
        return _told("authorization", _value(text, _AUTHORIZATION.match(text, at)))
    if word == b"mysql":
        return _told("password", _value(text, _MYSQL.match(text, at)))
    if word in (b"_u ", b"__user"):
        is_curl = text.rfind("curl", max(0, at - 300), at) >= 0
        return _told("password", _value(text, _USER.match(text, at))) if is_curl else None
    if word in (b"pass", b"pwd"):
        return _after_password(text, at)
    value = _value(text, _SECRET.match(text, at))
    if value is None:
        return _after_option(text, at, "secret")
    return "secret" if _is_secret(value) else "", value


def _told(kind: str, value: _Value | None) -> tuple[str, _Value] | None:
    return None if value is None else (kind, value)


def _value(text: str, match: re.Match[str] | None) -> _Value | None:
    """The value that a match leads to: bare, or up to the quote that closes it."""
    if match is None:
        return None
    if match["bare"] is not None:
        start, end = match.span("bare")
        return _Value(match["bare"], start, end, False) if end - start >= _SHORTEST else None
    start, level = match.end(), len(match["slashes"])
    for closing in _QUOTES[match["quote"]].finditer(text, start, start + _LONGEST + level + 1):
        if closing[1] is None:
            return None
        # The same number of backslashes as before the opening quote, but for whole pairs of escaped
        # backslashes.
        if len(closing[1]) % (2 * level + 2) == level:
            end = closing.end() - 1 - level
            value = text[start:end]
            is_prose = len(value) > _LONGEST_SENTENCE and " " in value
            return None if len(value) < 4 or is_prose else _Value(value, start, end, True)
    return None


def _after_password(text: str, at: int) -> tuple[str, _Value] | None:
    if text.startswith("pass -p", at) and text.endswith("ssh", 0, at):
        return _told("password", _value(text, _SSHPASS.match(text, at)))
    value = _value(text, _PASSWORD.match(text, at))
    if value is None and text.endswith("_", 0, at):
        value = _value(text, _PASS.match(text, at))
    if value is None:
        return _after_option(text, at, "password")
    is_name = not value.is_quoted and _NAME.match(value.text) and not _DIGIT.search(value.text)
    is_folder = text[at : at + 3].lower() == "pwd" and _FOLDER.match(value.text)
    return "" if is_name or is_folder else "password", value


def _after_key(text: str, at: int) -> tuple[str, _Value] | None:
    before = text[max(0, at - 20) : at]
    if _SECRET_KEY.search(before):
        value = _value(text, _KEY.match(text, at))
        if value is None:
            return _after_option(text, at, "secret")
        return "secret" if _is_secret(value) else "", value
    if not _ANY_KEY.search(before) or _OPEN_KEY.search(before):
        return None
    value = _value(text, _KEY.match(text, at))
    if value is None:
        return None
    is_random = (
        len(value.text) >= 16 and _DIGITS.match(value.text) is not None and _is_secret(value)
    )
    return "secret" if is_random else "", value


def _is_secret(value: _Value) -> bool:
    return (
        len(value.text) >= 12
        and _DIGIT.search(value.text) is not None
        and not value.text.isdigit()
        and " " not in value.text
    )


def _after_option(text: str, at: int, kind: str) -> tuple[str, _Value] | None:
    """The value of `--password x`, also as the next string of a list; ordinary words are none."""
    if "--" not in text[max(0, at - 40) : at] or not _IS_OPTION.search(text[max(0, at - 40) : at]):
        return None
    value = _value(text, _OPTION.match(text, at))
    if (
        value is None
        or " " in value.text
        or not (_DIGIT.search(value.text) and _LETTER.search(value.text))
    ):
        return None
    return kind, value
