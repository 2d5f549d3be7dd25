"""The name of the folder in which Claude Code keeps the sessions of a working folder."""

from __future__ import annotations

import re
import unicodedata

_LONGEST = 200
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def project_folder(path: str) -> str:
    """A path with hyphens for all but letters and digits; a long one is cut and hashed."""
    path = unicodedata.normalize("NFC", path)
    units = path.encode("utf-16-le", "surrogatepass")
    plain = re.sub(r"[^A-Za-z0-9]", _hyphens, path)
    if len(plain) <= _LONGEST:
        return plain
    number = 0
    for low, high in zip(units[::2], units[1::2], strict=True):
        number = (number * 31 + (high << 8 | low)) & 0xFFFFFFFF
    if number >= 2**31:
        number -= 2**32
    return f"{plain[:_LONGEST]}-{_base36(abs(number))}"


def _hyphens(character: re.Match[str]) -> str:
    """One hyphen for each UTF-16 unit, as JavaScript replaces them."""
    if character[0] > "\uffff":
        return "--"
    return "-"


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return digits or "0"
