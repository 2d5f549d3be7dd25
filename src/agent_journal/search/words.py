"""Words of a text, for the static word table.

``words`` is the one tokenizer of the table: the recipe in ``tools/semantic`` and the search at run
time must cut text in exactly the same way, so both use this. It needs the standard library only.

Rules: runs of ASCII letters and runs of digits are words; accents are folded first; identifiers are
split at ``_`` and other signs, at camelCase humps and between letters and digits; everything is
lower case. A camelCase run also yields itself joined (``NumPy`` gives ``numpy``, ``num``, ``py``),
because names written with and without humps should meet. Single letters and digit runs longer than
four are left out: they are mostly loop variables, hashes and line noise.
"""

import re
import unicodedata
from functools import cache
from itertools import chain
from zlib import crc32

_RUN = re.compile(r"[A-Za-z]{2,}|(?<![0-9])[0-9]{1,4}(?![0-9])")
_HUMP = re.compile(r"[A-Z]{2,}(?=s(?![a-z]))|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_MARKS = re.compile("[\u0300-\u036f]+")
# Signs that have no letter or digit in them, not even when they are decomposed
_SIGNS = (
    r"\x00-\x7f\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2500-\u2bff\ufe00-\ufe0f"
    r"\U0001f300-\U0001faff"
)
_64 = 2**64 - 1
_LONGEST = 40  # longer runs of letters are encoded data, not language
_REMEMBERED = 50_000  # runs of letters and digits
# For bytes of ASCII: everything but letters and digits becomes a space
_SPACED = bytes(code if chr(code).isalnum() and code < 128 else 32 for code in range(256))


def words(text: str) -> list[str]:
    """The words of ``text`` in order, lower case, with repeats."""
    runs = _folded(text).encode("ascii", "replace").translate(_SPACED).split()
    return list(chain.from_iterable(map(_known_runs.__getitem__, runs)))


def names(text: str) -> list[list[str]]:
    """The same words by run: of a name in camelCase the whole, then its parts."""
    found = map(_words_of_name, _RUN.findall(_folded(text)))
    return list(filter(None, found))


def _folded(text: str) -> str:
    if text.isascii():
        return text
    return _foreign().sub(_decomposed, text)


class _Runs(dict[bytes, tuple[str, ...]]):
    """The words of each run of letters and digits, cached: most runs are repeated."""

    def __missing__(self, run: bytes) -> tuple[str, ...]:
        found = tuple(_words_of_run(run.decode()))
        if len(run) <= _LONGEST:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[run] = found
        return found


_known_runs = _Runs()


def _words_of_run(letters: str) -> list[str]:
    return list(chain.from_iterable(map(_words_of_name, _RUN.findall(letters))))


def _words_of_name(run: str) -> list[str]:
    if len(run) > _LONGEST:
        return []
    found = [run.lower()]
    has_humps = not (run.isdigit() or run[1:].islower() or run.isupper())
    if has_humps:
        found.extend(part.lower() for part in _HUMP.findall(run) if len(part) > 1)
    return found


@cache
def _foreign() -> re.Pattern[str]:
    return re.compile(f"[^{_SIGNS}][^{_SIGNS}]*")


def _decomposed(found: re.Match[str]) -> str:
    return _MARKS.sub("", unicodedata.normalize("NFKD", found[0]))


def signs(word: str) -> int:
    """256 pseudo-random bits that represent a word the table does not have."""
    # Four rounds of splitmix64, seeded with the checksum of the word.
    state = crc32(word.encode()) << 8 | len(word) & 255
    bits = 0
    for _ in range(4):
        state = state + 0x9E3779B97F4A7C15 & _64
        mixed = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _64
        bits = bits << 64 | mixed ^ mixed >> 31
    return bits
