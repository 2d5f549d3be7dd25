"""Secrets in text: where they are, and the text without them.

One pass over the text finds the few places where a secret can begin: long runs of token characters,
words such as `password`, addresses, the heads of private keys. Only there are the rules tried, each
anchored to what its provider writes first. Placeholders (`sk-...`, `<token>`, `xxxx`, `$VAR`,
`example`) are not secrets and stay.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from agent_journal.text.redaction.addresses import find_in_addresses
from agent_journal.text.redaction.assignments import FOLDED, find_assigned
from agent_journal.text.redaction.codes import (
    find_hashes,
    find_of_wifi,
    find_phrases,
    find_recovery_codes,
)
from agent_journal.text.redaction.colours import may_have_colours, without_colours
from agent_journal.text.redaction.commands import (
    find_beside_at,
    find_identified,
    find_in_commands,
    find_of_users,
    find_piped,
)
from agent_journal.text.redaction.headers import find_authorizations, find_bearers, find_cookies
from agent_journal.text.redaction.home_paths import shorten_homes
from agent_journal.text.redaction.inserts import find_inserted
from agent_journal.text.redaction.logins import find_logins
from agent_journal.text.redaction.pairs import find_sensitive
from agent_journal.text.redaction.private_keys import find_private_keys
from agent_journal.text.redaction.reading import as_read
from agent_journal.text.redaction.secret import Secret, as_secret
from agent_journal.text.redaction.tokens import RUNS, find_tokens

_LABEL = "[redacted"


def find_secrets(text: str) -> list[Secret]:
    """Return every secret in a text, in order; none overlaps another."""
    if len(text) < 8:
        return []
    read = as_read(text)
    # One byte for each character, so that places are the same
    data = read.encode("ascii", "replace")
    folded = data.translate(FOLDED)
    found = _find_in_plain(read, data, folded)
    if not may_have_colours(text, folded):
        return found
    uncoloured = without_colours(text)
    if uncoloured is None:
        return found
    others = [uncoloured.with_colours(secret) for secret in find_secrets(uncoloured.text)]
    # Without the colours, a token may be one word with what follows it
    found = [secret for secret in found if not _overlaps(secret, others)]
    return sorted(found + others, key=lambda secret: secret.start)


def _overlaps(secret: Secret, others: Sequence[Secret]) -> bool:
    """Whether one of some secrets, which are in order, has a part of another one."""
    last = bisect_left(others, secret.end, key=lambda other: other.start) - 1
    return last >= 0 and others[last].end > secret.start


def _find_in_plain(text: str, data: bytes, folded: bytes) -> list[Secret]:
    """Return the secrets of a text, which is also given as bytes and in lower case."""
    runs = data.translate(RUNS)
    found = find_tokens(text, runs)
    if b" " in runs:  # there is more than one word, number or token
        found += _find_by_context(text, folded)
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
    found = [*find_assigned(text, folded), *find_in_commands(text, folded)]
    # Looking for a few characters is much cheaper than the rules, and most texts have none of them.
    if b"auth" in folded:
        found += find_authorizations(text, folded)
    if b"bearer" in folded:
        found += find_bearers(text, folded)
    if b"cookie" in folded:
        found += find_cookies(text, folded)
    if "://" in text:
        found += find_in_addresses(text)
    if b"sensitive" in folded:
        found += find_sensitive(text, folded)
    if b"private" in folded:
        found += find_private_keys(text)
    return [*found, *_find_by_form(text, folded), *_find_by_command(text, folded)]


def _find_by_form(text: str, folded: bytes) -> list[Secret]:
    """Return what is secret by the form that it has."""
    found: list[Secret] = []
    if "$" in text:
        found += find_hashes(text)
    if "WIFI:" in text:
        found += find_of_wifi(text)
    if b"codes" in folded:
        found += find_recovery_codes(text, folded)
    if b"phrase" in folded or b"mnemonic" in folded:
        found += find_phrases(text)
    return found


def _find_by_command(text: str, folded: bytes) -> list[Secret]:
    """Return what is secret by the command or statement that it is in."""
    found = list(find_logins(text, folded))
    if b"net use" in folded:
        found += find_of_users(text, folded)
    if "@" in text:
        found += find_beside_at(text)
    if "|" in text:
        found += find_piped(text, folded)
    if b"identified " in folded:
        found += find_identified(text, folded)
    if "'" in text and "(" in text and b"insert into" in folded:
        found += find_inserted(text, folded)
    return found


# -- the text without them ---------------------------------------------------------------------

_SHORTEST = 20  # characters: a shorter identifier is neither a path nor a token
_COMMAND_END = re.compile(r"\n|&&|\|\||;\s*")  # the last command of several prints last
_LONGEST_COMMAND = 2_000  # characters, and of what it printed: a secret is at the beginning


def redact(text: str, home: str | None = None) -> str:
    """Return the text with a note in place of each secret, and home folders as `~`.

    `home` is the home folder of the user.
    """
    return shorten_homes(_replaced(text, find_secrets(text)), home)


def redact_printed(text: str, command: str) -> str:
    """Return what a command printed without the secrets that only the command shows to be some.

    `pass show mail` prints a password, in which nothing says so.
    """
    line = _COMMAND_END.split(command[-_LONGEST_COMMAND:].strip())[-1].strip()
    if not line:
        return text
    found = _printed_secrets(text[:_LONGEST_COMMAND], line)
    if found and len(text) > _LONGEST_COMMAND:  # of the last one only the half may be there
        found = _printed_secrets(text, line)
    return _replaced(text, found)


def _printed_secrets(text: str, line: str) -> list[Secret]:
    """Return the secrets of what a command line printed."""
    start = len(line) + 1
    return [
        secret._replace(start=secret.start - start, end=secret.end - start)
        for secret in find_secrets(f"{line}\n{text}")
        if secret.start >= start
    ]


def _replaced(text: str, secrets: list[Secret]) -> str:
    parts: list[str] = []
    at = 0
    for secret in secrets:
        parts += (text[at : secret.start], f"{_LABEL} {secret.kind}]")
        at = secret.end
    return "".join((*parts, text[at:]))


# -- plain data --------------------------------------------------------------------------------

_SECRET_NAME = re.compile("(?i)pass|pw|secret|token|key|auth|cookie|credential")
_NAMES = ("name", "key", "Name", "Key")  # of the name in a pair of name and value
_VALUES = ("value", "Value")


def redact_all(value: Any, change: Callable[[str], str]) -> Any:
    """Return plain data (dicts, lists, strings) with every string changed, names as well.

    A string is also looked at together with its name, or with the option before it in a list.
    """
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return _renamed(value, change)
    if isinstance(value, (list, tuple)):
        return _listed(value, change)
    return value


def _listed(value: Sequence[Any], change: Callable[[str], str]) -> list[Any]:
    changed = [redact_all(below, change) for below in value]
    for number, (before, below) in enumerate(pairwise(value), 1):
        if isinstance(before, str) and before.startswith("--") and isinstance(below, str):
            changed[number] = _with(change, [before, changed[number]])
    return changed


def _renamed(value: dict[Any, Any], change: Callable[[str], str]) -> dict[Any, Any]:
    changed: dict[Any, Any] = {}
    repeats: Counter[str] = Counter()
    pair = next((value[name] for name in _NAMES if isinstance(value.get(name), str)), None)
    for key, below in value.items():
        name = key
        if isinstance(key, str) and not (len(key) < _SHORTEST and key.isidentifier()):
            redacted = change(key)
            name = redacted
            while name in changed or (name != key and name in value):
                repeats[redacted] += 1
                name = f"{redacted} ({repeats[redacted] + 1})"
        changed[name] = redact_all(below, change)
        if isinstance(below, str):
            called = pair if pair is not None and key in _VALUES else key
            changed[name] = _called(called, changed[name], change)
    return changed


def _called(name: Any, value: str, change: Callable[[str], str]) -> str:
    """Return a value without what is secret because of its name."""
    if not isinstance(name, str) or not _SECRET_NAME.search(name):
        return value
    return _with(change, {name: value})


def _with(change: Callable[[str], str], data: list[str] | dict[str, str]) -> str:
    """Return the last string of some data, after a change of the data as JSON."""
    written = json.dumps(data)
    changed = change(written)
    parsed = data
    if changed != written:
        parsed = json.loads(changed)
    if isinstance(parsed, dict):
        return list(parsed.values())[-1]
    return parsed[-1]
