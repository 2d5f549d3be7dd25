"""Values that are secret by the word before them: `password = …`, `API_TOKEN=…`, `--password …`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.text.redaction.tokens import SAMPLE, Secret, as_secret

# Lower case, and `_` for `-`
_FOLDED = bytes(range(256)).lower().replace(b"-", b"_")
_NEXT = b"\"'`]\\ \t:="
# Each with the characters that may follow it: the quickest way to skip most of them
_WORDS: tuple[tuple[bytes, bytes], ...] = (
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
_DIGIT = re.compile("[0-9]")
_THREE_DIGITS = re.compile("(?:[^0-9]*+[0-9]){3}")
_LETTER = re.compile("[A-Za-z]")
_INSTEAD = r"(?:\$?\{+[^{}]*\}+|\$[A-Za-z_]\w*|\$\([^()]*\)?|<[^<>]*>|%\w+%)"
_TEMPLATE = re.compile(rf"(?:[A-Za-z]{{0,20}}[-_:./@ ])?(?:{_INSTEAD}[-_:./@ ]?)+\Z")


class _Value(NamedTuple):
    """A value after a word; `kind` is empty where it is not a secret."""

    text: str
    start: int
    end: int
    is_quoted: bool
    kind: str = ""


def find_assigned(text: str, data: bytes) -> Iterator[Secret]:
    """Yield values after words that make them secret.

    `data` has one byte for each character of the text.
    """
    folded = data.translate(_FOLDED)
    words = _WORDS
    if b"curl" in folded:
        words += _CURL_WORDS
    for word, following in words:
        at = folded.find(word)
        while at >= 0:
            after = at + len(word)
            if folded[after : after + 1] in following:
                value = _after_word(text, at, word)
                if value is not None:
                    is_secret = value.kind != "" and not is_placeholder(value.text)
                    if is_secret:
                        yield as_secret(value.kind, value.start, value.end, "")
                    # There is no secret within a value without quotes that is none.
                    if is_secret or not value.is_quoted:
                        after = max(after, value.end)
            at = folded.find(word, after)


def is_placeholder(value: str) -> bool:
    """Whether a value is a sample, a variable or a `<name>`."""
    return SAMPLE.search(value) is not None or _TEMPLATE.match(value) is not None


def _after_word(text: str, at: int, word: bytes) -> _Value | None:
    if word == b"key":
        return _after_key(text, at)
    if word == b"authorization":
        return _value(text, _AUTHORIZATION.match(text, at), "authorization")
    if word == b"mysql":
        return _value(text, _MYSQL.match(text, at), "password")
    if word in (b"_u ", b"__user"):
        if "curl" not in text[max(0, at - 300) : at]:
            return None
        return _value(text, _USER.match(text, at), "password")
    if word in (b"pass", b"pwd"):
        return _after_password(text, at)
    return _after_secret(text, at, _SECRET)


def _value(text: str, match: re.Match[str] | None, kind: str = "") -> _Value | None:
    """Return the value that a match leads to: bare, or up to the quote that closes it."""
    if match is None:
        return None
    if match["bare"] is None:
        return _quoted_value(text, match, kind)
    start, end = match.span("bare")
    if end - start < _SHORTEST:
        return None
    return _Value(match["bare"], start, end, is_quoted=False, kind=kind)


def _quoted_value(text: str, match: re.Match[str], kind: str) -> _Value | None:
    start = match.end()
    level = len(match["slashes"])
    for closing in _QUOTES[match["quote"]].finditer(text, start, start + _LONGEST + level + 1):
        if closing[1] is None:
            return None
        # The same number of backslashes as before the opening quote, except for whole pairs of
        # escaped backslashes.
        if len(closing[1]) % (2 * level + 2) == level:
            end = closing.end() - 1 - level
            value = text[start:end]
            is_prose = len(value) > _LONGEST_SENTENCE and " " in value
            if len(value) < 4 or is_prose:
                return None
            return _Value(value, start, end, is_quoted=True, kind=kind)
    return None


def _after_password(text: str, at: int) -> _Value | None:
    if text.startswith("pass -p", at) and text.endswith("ssh", 0, at):
        return _value(text, _SSHPASS.match(text, at), "password")
    value = _value(text, _PASSWORD.match(text, at), "password")
    if value is None and text.endswith("_", 0, at):
        value = _value(text, _PASS.match(text, at), "password")
    if value is None:
        return _after_option(text, at, "password")
    is_name = _NAME.match(value.text) and not _DIGIT.search(value.text)
    is_folder = text[at : at + 3].lower() == "pwd" and _FOLDER.match(value.text)
    if (is_name and not value.is_quoted) or is_folder:
        return value._replace(kind="")
    return value


def _after_key(text: str, at: int) -> _Value | None:
    before = text[max(0, at - 20) : at]
    if _SECRET_KEY.search(before):
        return _after_secret(text, at, _KEY)
    if not _ANY_KEY.search(before) or _OPEN_KEY.search(before):
        return None
    value = _value(text, _KEY.match(text, at))
    if value is None:
        return None
    is_long = len(value.text) >= 16 and _THREE_DIGITS.match(value.text) is not None
    if is_long and _looks_secret(value.text):
        return value._replace(kind="secret")
    return value


def _after_secret(text: str, at: int, pattern: re.Pattern[str]) -> _Value | None:
    value = _value(text, pattern.match(text, at))
    if value is None:
        return _after_option(text, at, "secret")
    if _looks_secret(value.text):
        return value._replace(kind="secret")
    return value


def _looks_secret(text: str) -> bool:
    if len(text) < 12 or text.isdigit() or " " in text:
        return False
    return _DIGIT.search(text) is not None


def _after_option(text: str, at: int, kind: str) -> _Value | None:
    """Return the value of `--password x`, also in a list of strings; not an ordinary word."""
    before = text[max(0, at - 40) : at]
    if "--" not in before or not _IS_OPTION.search(before):
        return None
    value = _value(text, _OPTION.match(text, at), kind)
    if value is None or " " in value.text:
        return None
    if not _DIGIT.search(value.text) or not _LETTER.search(value.text):
        return None
    return value
