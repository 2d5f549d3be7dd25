"""How text becomes words, both in the index and in queries.

The index splits at everything that is not a letter or digit: `user_id` is two words and is found by
either. Two things it cannot do: a run of Chinese or Japanese would be one word (here each character
becomes a word, and a query for several a phrase), and so would `getUserName` (its parts go into
another field).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from agent_journal.text.plain import without_escapes

if TYPE_CHECKING:
    from agent_journal.model import Attachment

# Bytes of a kept file that are indexed; what follows them is kept, shown and restored.
INDEXED_BYTES = 2**20
# Thai, Lao, Burmese, Khmer, Han, kana, hangul: scripts that are written without spaces, or searched
# by parts of words.
_CJK_LETTER = (
    r"([\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u30ff"
    r"\u3130-\u318f\u31f0-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003fffd])"
)
# What stays as it is wherever it stands: ASCII, Greek and Cyrillic letters without marks,
# punctuation, arrows, lines, symbols and emoji. Nearly all text is made of these alone.
_UNCHANGED = (
    r"\x00-\xbf\u0391-\u03a9\u03b1-\u03c9\u0410-\u0418\u041a-\u0438\u043a-\u044f"
    r"\u2002-\u20cf\u2190-\u2199\u21d0-\u2203\u2300-\u2328\u232b-\u2adb\ufe00-\ufe0f"
    r"\U0001f000-\U0001faff"
)
_SIGNS_AFTER = ".,;:?!…\"'"  # a sentence has them behind words, which mean the same without
_SHORT = 4  # characters: a letter with its accents, which are repeated
_MARKS = re.compile("[\u0300-\u036f]+")
_ALNUM = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
# The first letter of a pattern is what makes it fast: the others of a text are skipped at once.
# A capital inside a word, with the rest of the word
_CAPITAL = re.compile(r"[A-Z](?<=[A-Za-z0-9][A-Z])[A-Za-z0-9]*")
_NUMBER = re.compile(r"[0-9](?<![A-Za-z0-9][0-9])[0-9]{3,}(?![A-Za-z0-9])")
_LEAST = 4  # letters of a word that may have parts
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@cache
def _cjk() -> re.Pattern[str]:
    return re.compile(_CJK_LETTER)  # 3 ms, and most queries have none


@cache
def _changing() -> re.Pattern[str]:
    return re.compile(f"[^{_UNCHANGED}][^{_UNCHANGED}]*")


def bare_word(text: str) -> str:
    """A word without the signs of its sentence (`november?`); `.env` and `foo()` have none."""
    return text.rstrip(_SIGNS_AFTER).lstrip("\"'") or text


def prepared(text: str) -> str:
    """The text without colours and accents, with spaces around every CJK character."""
    text = without_escapes(text)
    if text.isascii():
        return text
    return _changing().sub(_bare_run, text)


def _bare_run(found: re.Match[str]) -> str:
    run = found[0]
    if len(run) <= _SHORT:
        return _short_bare(run)
    return _bare(run)


def _bare(text: str) -> str:
    """Text without accents, with spaces around every CJK character."""
    decomposed = unicodedata.normalize("NFD", text)
    bare = unicodedata.normalize("NFC", _MARKS.sub("", decomposed))
    if bare.isascii():
        return bare
    return " ".join(_cjk().split(bare))


_short_bare = lru_cache(4096)(_bare)


def humps(text: str) -> str:
    """The parts of all words in camelCase, and long numbers; empty for text without any.

    Each word once, in any order: they are indexed without positions.
    """
    found = set(_NUMBER.findall(text))
    for capital in _CAPITAL.finditer(text):
        word = text[_start_of_word(text, capital.start()) : capital.end()]
        if len(word) >= _LEAST and not word.isupper():
            found.add(_HUMP.sub(" ", word))
    return " ".join(found)


def _start_of_word(text: str, place: int) -> int:
    """Where the word begins that has a letter at a place."""
    while place and text[place - 1] in _ALNUM:
        place -= 1
    return place


def attached_names(attachments: tuple[Attachment, ...]) -> list[str]:
    """The names and paths of attachments."""
    names: list[str] = []
    for attachment in attachments:
        names += filter(None, (attachment.name, attachment.path))
    return names


def attached_text(attachments: tuple[Attachment, ...]) -> str:
    """The texts of attachments, one after the other."""
    return "\n".join(attachment.text for attachment in attachments if attachment.text)


def is_image(attachment: Attachment) -> bool:
    """Whether an attachment is a picture."""
    return attachment.kind == "image" or (attachment.mime_type or "").startswith("image/")
