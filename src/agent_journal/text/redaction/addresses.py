"""Secrets in addresses: the password of a user, webhooks, parameters of a query."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_journal.text.redaction import values
from agent_journal.text.redaction.secret import Secret, as_secret

_PART = r"[^\s/:@\"'`<>\\]"
# A password with an @ goes on up to the last one before the host.
_PASSWORD = re.compile(
    r"://[^\s/:@\"'`<>]{0,100}:"
    rf"(?P<bare>{_PART}{{1,200}}(?:@(?:(?!,){_PART}){{1,200}}){{1,3}}|{_PART}{{2,200}})@[\w\[]"
)
_USER = re.compile(r"://(?P<bare>[A-Za-z0-9_.~%-]{20,300})@[\w\[]")
_WEBHOOK = re.compile(
    r"://(?:hooks\.slack\.com/(?:services|workflows|triggers)"
    r"|(?:canary\.|ptb\.)?discord(?:app)?\.com/api/webhooks"
    r"|[\w.-]{1,60}\.webhook\.office\.com/webhookb2|hooks\.zapier\.com/hooks/catch"
    r"|api\.telegram\.org/bot)/?(?P<bare>[\w/@:-]{20,})"
)
_QUERY = re.compile(r"://[^\s\"'`<>?\\]{1,300}\?(?P<query>[^\s\"'`<>\\]{1,8000}+)")
_PARAMETER = re.compile(
    r"(?i)(?:\A|[&;])(?P<name>[\w.%\[\]-]{0,60}?"
    r"(?:sig|signature|token|key|secret|passw(?:or)?d|pass|pwd|jwt|auth|credential|hmac))"
    r"=(?P<bare>[^&#;]{6,4096}+)"
)
_OPEN = re.compile(
    r"(?i)(?:page|next|prev|continuation|sort|primary|cache|public|publishable|foreign|partition)"
)
_SHORTEST = 12  # characters of a token


def find_in_addresses(text: str) -> Iterator[Secret]:
    """Yield what is secret in addresses."""
    at = text.find("://")
    while at >= 0:
        following = text.find("://", at + 3)
        yield from _in_address(text, at, following)
        at = following


def _in_address(text: str, at: int, following: int) -> Iterator[Secret]:
    """Yield what is secret in one; `following` is the place of the next one, or -1."""
    match = _PASSWORD.match(text, at)
    if match is not None and not values.is_placeholder(match["bare"]):
        yield as_secret("password-in-url", match.start("bare"), match.end("bare"), "")
    user = _USER.match(text, at)
    if user is not None and _is_token(user["bare"]):
        yield as_secret("key-in-url", user.start("bare"), user.end("bare"), "")
    webhook = _WEBHOOK.match(text, at)
    if webhook is not None and not values.is_placeholder(webhook["bare"]):
        yield as_secret("webhook", webhook.start("bare"), webhook.end("bare"), "")
    end = following if following >= 0 else len(text)
    query = _QUERY.match(text, at, end)
    if query is not None:
        yield from _in_query(query["query"], query.start("query"))


def _in_query(query: str, start: int) -> Iterator[Secret]:
    for parameter in _PARAMETER.finditer(query):
        name, value = parameter["name"], parameter["bare"]
        if _OPEN.match(name) or values.is_placeholder(value):
            continue
        is_password = "pass" in name.lower() or name.lower().endswith("pwd")
        if is_password or _is_token(value):
            place = parameter.start("bare")
            yield as_secret("key-in-url", start + place, start + parameter.end("bare"), "")


def _is_token(value: str) -> bool:
    if len(value) < _SHORTEST or not values.is_random(value):
        return False
    return not values.are_words(value)
