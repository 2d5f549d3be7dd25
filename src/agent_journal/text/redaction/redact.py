"""Secrets in text: where they are, and the text without them.

One pass over the text finds the few places where a secret can begin: long runs of token characters,
words such as `password`, addresses, the heads of private keys. Only there are the rules tried, each
anchored to what its provider writes first. Placeholders (`sk-...`, `<token>`, `xxxx`, `$VAR`,
`example`) are not secrets and stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from agent_journal.text.redaction.addresses import find_in_addresses
from agent_journal.text.redaction.assignments import FOLDED, find_assigned
from agent_journal.text.redaction.commands import find_in_commands
from agent_journal.text.redaction.headers import find_in_headers
from agent_journal.text.redaction.home_paths import shorten_homes
from agent_journal.text.redaction.private_keys import find_private_keys
from agent_journal.text.redaction.secret import Secret, as_secret
from agent_journal.text.redaction.tokens import RUNS, find_tokens

_LABEL = "[redacted"


def find_secrets(text: str) -> list[Secret]:
    """Return every secret in a text, in order; none overlaps another."""
    if len(text) < 8:
        return []
    # One byte for each character, so that places are the same
    data = text.encode("ascii", "replace")
    runs = data.translate(RUNS)
    found = list(find_tokens(text, runs))
    if b" " in runs:  # there is more than one word, number or token
        found += _find_by_context(text, data.translate(FOLDED))
    if not found:
        return []
    if _LABEL in text:
        found = [one for one in found if text.find(_LABEL, one.start, one.end) < 0]
    found.sort(key=lambda secret: (secret.start, -secret.end))
    distinct: list[Secret] = []
    for secret in found:
        last = distinct[-1] if distinct else None
        if last is None or secret.start >= last.end:
            distinct.append(secret)
        elif secret.end > last.end:  # a value that begins within a token: both are secret
            distinct[-1] = as_secret(last.kind, last.start, secret.end, "")
    return distinct


def _find_by_context(text: str, folded: bytes) -> list[Secret]:
    """Return what is secret by what is before it."""
    found = list(find_assigned(text, folded))
    # Looking for a few characters is much cheaper than the rules, and most texts have none of them.
    if b"auth" in folded or b"bearer " in folded or b"cookie" in folded:
        found += find_in_headers(text, folded)
    if b" _" in folded:
        found += find_in_commands(text, folded)
    if "://" in text:
        found += find_in_addresses(text)
    if b"private" in folded:
        found += find_private_keys(text)
    return found


# -- the text without them ---------------------------------------------------------------------

_SHORTEST = 20  # characters: a shorter identifier is neither a path nor a token


def redact(text: str, home: str | None = None) -> str:
    """Return the text with a note in place of each secret, and home folders as `~`.

    `home` is the home folder of the user.
    """
    parts: list[str] = []
    at = 0
    for secret in find_secrets(text):
        parts += (text[at : secret.start], f"{_LABEL} {secret.kind}]")
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
