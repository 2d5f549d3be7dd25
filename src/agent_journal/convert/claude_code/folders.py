"""The name of the folder in which Claude Code keeps the sessions of a working folder."""

from __future__ import annotations

import re
import unicodedata

_LONGEST = 200
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def project_folder(path: str) -> str:
    """Every character but letters and digits as `-`; a long name is cut and gets a hash of the
    whole path.
    """
    path = unicodedata.normalize("NFC", path)
    units = path.encode("utf-16-le", "surrogatepass")
    # JavaScript replaces by UTF-16 unit: a character outside of the first plane becomes two
    # hyphens.
    plain = "".join(
        "-" * (1 + (character > "\uffff"))
        if re.match(r"[^A-Za-z0-9]", character, re.ASCII)
        else character
        for character in path
    )
    if len(plain) <= _LONGEST:
        return plain
    number = 0
    for low, high in zip(units[::2], units[1::2], strict=True):
        number = (number * 31 + (high << 8 | low)) & 0xFFFFFFFF
    number = number - 2**32 if number >= 2**31 else number
    return f"{plain[:_LONGEST]}-{_base36(abs(number))}"


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return digits or "0"
