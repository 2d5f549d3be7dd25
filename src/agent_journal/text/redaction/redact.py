"""Secrets in text: where they are, and the text without them.

One pass over the text finds the few places where a secret can begin: long runs of token characters,
words such as `password`, addresses, the heads of private keys. Only there are the rules tried, each
anchored to what its provider writes first. Placeholders (`sk-...`, `<token>`, `xxxx`, `$VAR`,
`example`) are not secrets and stay.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from agent_journal.text.redaction.assignments import find_assigned, is_placeholder
from agent_journal.text.redaction.home_paths import shorten_homes
from agent_journal.text.redaction.tokens import Secret, as_secret, find_private_keys, find_tokens

_URL = re.compile(r"://[^\s/:@\"'`<>]{0,100}:(?P<bare>[^\s/:@\"'`<>\\]{2,200})@[\w\[]")
_WEBHOOK = re.compile(
    r"://(?:hooks\.slack\.com/(?:services|workflows)|discord(?:app)?\.com/api/webhooks)/"
    r"(?P<bare>[\w/-]{20,})"
)
_QUERY = re.compile(
    r"(?i)://[^\s\"'`<>?]{1,300}\?[^\s\"'`<>]{0,300}?"
    r"(?:sig|signature|token|key|secret|password)=(?P<bare>[\w%.~+/-]{12,})"
)
_ADDRESS_RULES = (("password-in-url", _URL), ("webhook", _WEBHOOK), ("key-in-url", _QUERY))


def find_secrets(text: str) -> list[Secret]:
    """Return every secret in a text, in order; none overlaps another."""
    if len(text) < 8:
        return []
    # One byte for each character, so that places are the same
    data = text.encode("ascii", "replace")
    found = [
        *find_tokens(text, data),
        *find_assigned(text, data),
        *_find_in_addresses(text),
        *find_private_keys(text),
    ]
    found.sort(key=lambda secret: (secret.start, -secret.end))
    distinct: list[Secret] = []
    for secret in found:
        last = distinct[-1] if distinct else None
        if last is None or secret.start >= last.end:
            distinct.append(secret)
        elif secret.end > last.end:  # a value that begins within a token: both are secret
            distinct[-1] = as_secret(last.kind, last.start, secret.end, "")
    return distinct


def _find_in_addresses(text: str) -> Iterator[Secret]:
    at = text.find("://")
    while at >= 0:
        for kind, pattern in _ADDRESS_RULES:
            match = pattern.match(text, at)
            if match is not None:
                if not is_placeholder(match["bare"]):
                    yield as_secret(kind, match.start("bare"), match.end("bare"), "")
                break
        at = text.find("://", at + 3)


# -- the text without them ---------------------------------------------------------------------

_SHORTEST = 20  # characters: a shorter identifier is neither a path nor a token


def redact(text: str, home: str | None = None) -> str:
    """Return the text with a note in place of each secret, and home folders as `~`.

    `home` is the home folder of the user.
    """
    parts: list[str] = []
    at = 0
    for secret in find_secrets(text):
        parts += (text[at : secret.start], f"[redacted {secret.kind}]")
        at = secret.end
    if parts:
        text = "".join((*parts, text[at:]))
    return shorten_homes(text, home)


def redact_all(value: Any, change: Callable[[str], str]) -> Any:
    """Return plain data (dicts, lists, strings) with every string changed, names as well."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return _renamed(value, change)
    if isinstance(value, (list, tuple)):
        return [redact_all(below, change) for below in value]
    return value


def _renamed(value: dict[Any, Any], change: Callable[[str], str]) -> dict[Any, Any]:
    changed: dict[Any, Any] = {}
    repeats: Counter[str] = Counter()
    for key, below in value.items():
        name = key
        if isinstance(key, str) and not (len(key) < _SHORTEST and key.isidentifier()):
            redacted = change(key)
            name = redacted
            while name in changed or (name != key and name in value):
                repeats[redacted] += 1
                name = f"{redacted} ({repeats[redacted] + 1})"
        changed[name] = redact_all(below, change)
    return changed
