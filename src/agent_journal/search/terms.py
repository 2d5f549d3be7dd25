"""How text becomes words, both in the index and in queries.

The index splits at everything that is not a letter or digit: `user_id` is two words and is found by
either. Two things it cannot do: a run of Chinese or Japanese would be one word (here each character
becomes a word, and a query for several a phrase), and so would `getUserName` (its parts go into
another field).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
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
_MARKS = re.compile("[\u0300-\u036f]+")
_WORD = re.compile(r"[A-Za-z0-9]{4,}")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@cache
def _cjk() -> re.Pattern[str]:
    return re.compile(_CJK_LETTER)  # 3 ms, and most queries have none


def prepared(text: str) -> str:
    """The text without colours and accents, with spaces around every CJK character."""
    text = without_escapes(text)
    if text.isascii():
        return text
    bare = _MARKS.sub("", unicodedata.normalize("NFD", text))
    return _cjk().sub(r" \1 ", unicodedata.normalize("NFC", bare))


def humps(text: str) -> str:
    """The parts of all words in camelCase; empty for text without any."""
    found = [
        word
        for word in set(_WORD.findall(text))
        if not (word.islower() or word[1:].islower() or word.isupper())
    ]
    return " ".join(_HUMP.sub(" ", word) for word in found)


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
