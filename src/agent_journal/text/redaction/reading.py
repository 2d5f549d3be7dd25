"""Text as the rules read it: wide signs, entities and words of other scripts as those of English.

What is read is as long as the text, so that places are the same in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# Words for a password, and what may join a value to them
_WORDS = ("密码", "密碼", "口令", "パスワード", "비밀번호", "пароль", "Пароль")
_SPANISH = ("contraseña", "Contraseña")
_VERBS = "是为為は"
_SIGNS = {"：": ":", "＝": "=", "，": ",", "。": " ", "“": '"', "”": '"', "「": '"', "」": '"'}
_READ = "Pw"  # in the place of a word, at its end
_HINTS = "：＝码碼令ワ번оñ"  # a character of each: much cheaper to look for than words


def _escaped(texts: Iterable[str]) -> str:
    """Return an expression for texts as JSON writes them, without the first backslashes."""
    return "|".join(r"\\{1,16}".join(f"u{ord(sign):04x}" for sign in text) for text in texts)


# It begins with a backslash and nothing else, which is quick to find.
_ESCAPED = re.compile(
    rf"\\\\{{0,15}}+(?:(?P<word>(?:{_escaped(_WORDS)}|u00f1a))(?P<verb>\\{{1,16}}(?:{_escaped(_VERBS)}))?"
    rf"|(?P<sign>{_escaped(_SIGNS)}))"
)
_ENTITY = re.compile(
    r"""(?P<opens>(?<![^=:\s{\[(,>;]))?&(?:quot|apos|#3[49]|#x2[27]);"""
    r"""(?P<closes>(?=[\s,;:)\]}<&"'\\]|\Z))?"""
)


def as_read(text: str) -> str:
    """Return a text as the rules read it."""
    if not text.isascii() and any(hint in text for hint in _HINTS):
        text = _without_wide(text)
    if "\\" in text and "\\u" in text:
        text = _ESCAPED.sub(_unescaped, text)
    if "&" in text and ("&quot;" in text or "&#" in text):
        text = _ENTITY.sub(_quote, text)
    return text


def _without_wide(text: str) -> str:
    for word in (*_WORDS, *_SPANISH):
        text = text.replace(word, _READ.rjust(len(word)))
    for verb in _VERBS:
        text = text.replace(_READ + verb, _READ + ":")
    for wide, sign in _SIGNS.items():
        text = text.replace(wide, sign)
    return text


def _unescaped(match: re.Match[str]) -> str:
    size = len(match[0])
    if match["sign"] is not None:
        return _SIGNS[chr(int(match[0][-4:], 16))].ljust(size)
    if match["word"] == "u00f1a" and not match.string.endswith("ontrase", 0, match.start()):
        return match[0]
    if match["verb"] is None:
        return _READ.rjust(size)
    verb = len(match["verb"])
    return _READ.rjust(size - verb) + ":".ljust(verb)


def _quote(match: re.Match[str]) -> str:
    """Return a quote beside what it encloses, and blanks."""
    sign = "'"
    if match[0] in ("&quot;", "&#34;", "&#x22;"):
        sign = '"'
    if match["closes"] is not None:
        return sign.ljust(len(match[0]))
    if match["opens"] is not None:
        return sign.rjust(len(match[0]))
    return match[0]  # within a value
