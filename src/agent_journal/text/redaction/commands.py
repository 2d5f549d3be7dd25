"""Passwords in commands: `curl -u name:x`, `sshpass -p x`, `mysql -px`, `docker login -p x`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_journal.text.redaction import values
from agent_journal.text.redaction.secret import Secret, as_secret

_SLASHES = r"\\{0,16}+"
_WORD = r"(?:[^\s|;&]{1,80}[ ]{1,4})"
_VALUE = rf"""(?:{_SLASHES}["'])?(?P<bare>[^\s"'`\\<>]{{3,200}}+)"""
# A part of the command, in lower case with `_` for `-`, and all from there on
_COMMANDS: tuple[tuple[bytes, str], ...] = (
    (
        b"mysql",
        rf"mysql(?:dump|admin)?[ ]{_WORD}{{0,8}}?-p"
        r"""(?:\\{0,16}+["'])?(?P<bare>(?=[^\s"']*\d)(?=[^\s"']*[A-Za-z])[^\s"'`\\=<>:]{4,200})""",
    ),
    (b"login _", rf"login[ ]{_WORD}{{0,6}}?-p[ ]{{1,4}}{_VALUE}"),  # docker, podman
    (b"redis_cli", rf"redis-cli[ ]{_WORD}{{0,6}}?-a[ ]{{1,4}}{_VALUE}"),
    (b"pass _p", rf"pass[ ]-p[ ]{{0,4}}{_VALUE}"),  # sshpass
)
_PATTERNS = tuple((command, re.compile(pattern)) for command, pattern in _COMMANDS)
_NEAR = 300  # characters between `curl` and its user
_USER_QUOTED = re.compile(
    r"""(?:-u|--user)[ =]{0,4}(?P<slashes>\\{0,16}+)(?P<quote>["'])[\w.@+-]{0,64}:"""
    r"""(?P<bare>[^\s"'\\<>]{3,200})"""
)
_USER = re.compile(
    r"""(?:-u[ ]{0,4}|--user[ =]{1,4})[\w.@+-]{0,64}:(?P<bare>[^\s"'`\\<>]{3,200})"""
)


def find_in_commands(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield passwords of commands; `folded` has one byte for each character of the text."""
    for command, pattern in _PATTERNS:
        at = folded.find(command)
        while at >= 0:
            match = pattern.match(text, at)
            if match is not None and _is_password(match["bare"]):
                yield as_secret("password", match.start("bare"), match.end("bare"), "")
            at = folded.find(command, at + len(command))
    if b"curl" in folded:
        for word in (b"_u", b"__user"):
            yield from _users(text, folded, word)


def _users(text: str, folded: bytes, word: bytes) -> Iterator[Secret]:
    at = folded.find(word)
    while at >= 0:
        match = _USER_QUOTED.match(text, at) or _USER.match(text, at)
        is_near = match is not None and folded.find(b"curl", max(0, at - _NEAR), at) >= 0
        if match is not None and is_near and _is_password(match["bare"]):
            yield as_secret("password", match.start("bare"), match.end("bare"), "")
        at = folded.find(word, at + len(word))


def _is_password(value: str) -> bool:
    return not values.is_placeholder(value) and not value.isdigit()
