"""Secrets in text: where they are, and the text without them.

One pass over the text finds the few places where a secret can begin: long runs of token characters,
words such as `password`, addresses, the heads of private keys. Only there are the rules tried, each
anchored to what its provider writes first. Placeholders (`sk-...`, `<token>`, `xxxx`, `$VAR`,
`example`) are nobody's secret and stay.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from agent_journal.text.redaction.assignments import find_assigned, is_placeholder
from agent_journal.text.redaction.home_paths import shorten_homes
from agent_journal.text.redaction.tokens import Found, as_found, find_private_keys, find_tokens

_URL = re.compile(r"://[^\s/:@\"'`<>]{0,100}:(?P<bare>[^\s/:@\"'`<>\\]{2,200})@[\w\[]")
_WEBHOOK = re.compile(
    r"://(?:hooks\.slack\.com/(?:services|workflows)|discord(?:app)?\.com/api/webhooks)/(?P<bare>[\w/-]{20,})"
)
_QUERY = re.compile(
    r"(?i)://[^\s\"'`<>?]{1,300}\?[^\s\"'`<>]{0,300}?(?:sig|signature|token|key|secret|password)=(?P<bare>[\w%.~+/-]{12,})"
)


def find_secrets(text: str) -> list[Found]:
    """Every secret in a text, in order, none within another."""
    if len(text) < 8:
        return []
    # One byte for each character, so that places are the same
    data = text.encode("ascii", "replace")
    found = [*find_tokens(text, data), *find_assigned(text, data), *_in_addresses(text)]
    found += find_private_keys(text)
    found.sort(key=lambda one: (one.start, -one.end))
    apart: list[Found] = []
    for one in found:
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
        elif (
            one.end > apart[-1].end
        ):  # the value of a name that ends within a token: both are secret
            apart[-1] = as_found(apart[-1].kind, apart[-1].start, one.end, "")
    return apart


def _in_addresses(text: str) -> Iterator[Found]:
    at = text.find("://")
    while at >= 0:
        for kind, pattern in (
            ("password-in-url", _URL),
            ("webhook", _WEBHOOK),
            ("key-in-url", _QUERY),
        ):
            match = pattern.match(text, at)
            if match is not None:
                if not is_placeholder(match["bare"]):
                    yield as_found(kind, match.start("bare"), match.end("bare"), "")
                break
        at = text.find("://", at + 3)


# -- the text without them ---------------------------------------------------------------------

_SHORTEST = 20  # characters: a name below this that has no signs is neither a path nor a token


def redact(text: str, home: str | None = None) -> str:
    """The text with a remark in the place of each secret, and home folders (`home` is the user's
    own) as `~`.
    """
    found = find_secrets(text)
    if found:
        parts: list[str] = []
        at = 0
        for one in found:
            parts += (text[at : one.start], f"[redacted {one.kind}]")
            at = one.end
        text = "".join((*parts, text[at:]))
    return shorten_homes(text, home)


def redact_all(value: Any, change: Callable[[str], str]) -> Any:
    """Plain data (dicts, lists, strings) with every string in it changed, names as well."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return _renamed(value, change)
    if isinstance(value, (list, tuple)):
        return [redact_all(below, change) for below in value]
    return value


def _renamed(value: dict[Any, Any], change: Callable[[str], str]) -> dict[Any, Any]:
    changed: dict[Any, Any] = {}
    taken: Counter[str] = Counter()
    for key, below in value.items():
        name = key
        if isinstance(key, str) and not (len(key) < _SHORTEST and key.isidentifier()):
            name = short = change(key)
            while name in changed or (name != key and name in value):
                taken[short] += 1
                name = f"{short} ({taken[short] + 1})"
        changed[name] = redact_all(below, change)
    return changed
