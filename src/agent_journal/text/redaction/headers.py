"""Secrets in what HTTP sends (`Authorization`, cookies), and in what Docker and npm keep of it."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from agent_journal.text.redaction import values
from agent_journal.text.redaction.logins import find_after_auth
from agent_journal.text.redaction.secret import Secret, as_secret

_SLASHES = r"\\{0,16}+"
_JOINED = rf"""(?:{_SLASHES}["'`]){{0,2}}[ \t]{{0,4}}[:=,][ \t]{{0,4}}(?:{_SLASHES}["'`])?"""
_SCHEME = (
    r"(?:bearer|basic|token|bot|oauth|ssws|jwt|api[_-]?key|key|geniekey|splunk|flyv1|negotiate)"
)
_VALUE = r"(?P<bare>[\w.~+/=:%|,-]{8,4096}+)"
_AUTHORIZATION = re.compile(
    rf"(?i:authorization){_JOINED}(?i:(?P<scheme>{_SCHEME})[ ]{{1,4}})?{_VALUE}"
)
# As web servers are told to send it: `proxy_set_header Authorization "Basic …"`
_SET_HEADER = re.compile(
    rf"""(?i:authorization)[ \t]{{1,4}}{_SLASHES}["'](?i:(?P<scheme>{_SCHEME})[ ]{{1,4}}){_VALUE}"""
)
_NPM = re.compile(r"auth[ ]?=[ ]?(?P<bare>[\w+/=.!@#%^&*-]{8,1024}+)(?=\s|\\[rn]|\Z)")
_BEARER = re.compile(rf"(?i:bearer)[ ]{{1,4}}{_VALUE}")
_BASIC = re.compile(rf"(?i:auth){_JOINED}(?P<bare>[A-Za-z0-9+/]{{8,1024}}+={{0,2}})")
_CALL = re.compile(
    rf"""(?i:auth)=?\({_SLASHES}["'][^"'\\\r\n]{{1,60}}{_SLASHES}["'],[ ]?"""
    rf"""{_SLASHES}["'](?P<bare>[^"'\\\s]{{4,200}})"""
)
_REDIS = re.compile(r"(?<=> )AUTH[ ](?:[a-z]{1,20}[ ])?(?P<bare>[^\s\"'\\]{6,200})")
_BLANKS = r"(?:\s|\\{1,16}[nrt]){0,40}+"
_TO_VALUE = rf"""{_SLASHES}",{_BLANKS}{_SLASHES}"value{_SLASHES}":[ ]?"""
_COOKIE = re.compile(
    rf"""(?i:cookies?)(?:{_TO_VALUE}|(?:{_SLASHES}["'`]){{0,2}}[ \t]{{0,4}}[:= ][ \t]{{0,4}})"""
    rf"""(?:{_SLASHES}["'`])?"""
    r"""(?P<pairs>[\w.$%-]{1,80}=[^\r\n"'`\\<>]{4,8000}+)"""
)
# As browsers record them (HAR)
_RECORDED = re.compile(
    rf"""(?:{_SLASHES}")?[:,]?{_BLANKS}[\[,]?{_BLANKS}\{{{_BLANKS}{_SLASHES}"name{_SLASHES}":[ ]?"""
    rf"""{_SLASHES}"(?P<name>[^"\\]{{1,80}}){_TO_VALUE}{_SLASHES}"(?P<bare>[^"\\]{{8,4096}}+)"""
    r"[^{}]{0,1000}\}"
)
_SENT = re.compile(
    rf"""value{_SLASHES}":[ ]?{_SLASHES}"(?P<pairs>[\w.$%-]{{1,80}}=[^\r\n"\\]{{4,4000}}+)"""
    rf"""{_SLASHES}",{_BLANKS}{_SLASHES}"name{_SLASHES}":[ ]?{_SLASHES}"(?:[Ss]et-)?\Z"""
)
_PAIR = re.compile(r"(?P<name>[\w.$%-]{1,80})=(?P<bare>[^;,\s]{8,4096}+)")
_COOKIE_ATTRIBUTES = frozenset(("path", "domain", "expires", "max-age", "samesite", "priority"))
_SESSION = re.compile("(?i)sess|sid|token|auth|jwt|csrf|xsrf|login|remember|secret|cred")
_NEAR = 4200  # characters between a value and its name
_SHORTEST = 16  # characters of a value that says by itself that it is secret


def find_authorizations(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield what authorizes; `folded` has one byte for each character of the text."""
    at = folded.find(b"auth")
    while at >= 0:
        match = None
        if folded.startswith(b"authorization", at):
            match = _AUTHORIZATION.match(text, at) or _SET_HEADER.match(text, at)
        if match is not None and _is_authorization(match):
            yield as_secret("authorization", match.start("bare"), _end(match), "")
        elif folded[at + 4 : at + 5] in b"\"'`\\ :=(":
            match = _BASIC.match(text, at)
            is_basic = match is not None and _is_basic(match["bare"])
            if not is_basic:
                match = _of_npm(text, at)
            if match is not None:
                yield as_secret("authorization", match.start("bare"), match.end("bare"), "")
            yield from _with_user(text, at)
            yield from find_after_auth(text, at)
        at = folded.find(b"auth", at + 4)


def _of_npm(text: str, at: int) -> re.Match[str] | None:
    """Return a match of `_auth=x`, as .npmrc has it, where x is secret."""
    if text[at - 1 : at] != "_" or text[at - 2 : at - 1].isalnum():
        return None
    match = _NPM.match(text, at)
    if match is None or values.is_placeholder(match["bare"]):
        return None
    if not values.has_digit(match["bare"]) or not values.is_random(match["bare"]):
        return None
    return match


def _with_user(text: str, at: int) -> Iterator[Secret]:
    """Yield the password in `auth=("name", "x")`, and in the command AUTH of Redis."""
    match = _CALL.match(text, at) or _REDIS.match(text, at)
    if match is None or values.is_placeholder(match["bare"]):
        return
    if values.is_chosen(match["bare"]) and values.has_letter(match["bare"]):
        yield as_secret("password", match.start("bare"), match.end("bare"), "")


def _is_authorization(match: re.Match[str]) -> bool:
    value = match["bare"]
    if values.is_placeholder(value) or values.is_member(value):
        return False
    if match["scheme"] is not None:
        return not (
            values.is_name(value) and values.are_words(value) and not values.is_random(value)
        )
    is_header = not match.string[match.start() - 1 : match.start()].isalnum()
    return is_header and _is_long(value)


def _end(match: re.Match[str]) -> int:
    """Return the end of a value, without what follows it in a sentence."""
    return match.start("bare") + len(match["bare"].rstrip(".,:|"))


def _is_basic(value: str) -> bool:
    """Whether a value is a name and a password in base64."""
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and plain.isascii() and plain.decode("ascii").isprintable()


def find_bearers(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield tokens after `Bearer`."""
    at = folded.find(b"bearer ")
    while at >= 0:
        match = _BEARER.match(text, at)
        if match is not None and _is_long(match["bare"]):
            yield as_secret("authorization", match.start("bare"), _end(match), "")
        at = folded.find(b"bearer ", at + 7)


def _is_long(value: str) -> bool:
    if len(value) < _SHORTEST or values.are_words(value):
        return False
    return values.is_random(value) and not values.is_placeholder(value)


def find_cookies(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield the values of cookies."""
    at = folded.find(b"cookie")
    while at >= 0:
        after = at + 6
        if folded[after : after + 1] in b"s\"'`\\ :=":
            match = _COOKIE.match(text, at)
            if match is not None:
                start, after = match.span("pairs")
                yield from _pairs(text, start, after)
            elif text.startswith("s", at + 6):
                yield from _recorded(text, at + 7)
            else:
                yield from _sent(text, at)
        at = folded.find(b"cookie", after)


def _recorded(text: str, at: int) -> Iterator[Secret]:
    """Yield the cookies of a list of them, as browsers record them."""
    match = _RECORDED.match(text, at)
    while match is not None:
        if _is_cookie(match["name"], match["bare"]):
            yield as_secret("cookie", match.start("bare"), match.end("bare"), "")
        match = _RECORDED.match(text, match.end())


def _sent(text: str, at: int) -> Iterator[Secret]:
    """Yield the cookies of a header whose value comes before its name."""
    near = text.rfind("value", max(0, at - _NEAR), at)
    if near >= 0:
        match = _SENT.match(text, near, at)
        if match is not None:
            yield from _pairs(text, *match.span("pairs"))


def _pairs(text: str, start: int, end: int) -> Iterator[Secret]:
    for pair in _PAIR.finditer(text, start, end):
        name, value = pair["name"], pair["bare"]
        if _is_cookie(name, value):
            yield as_secret("cookie", pair.start("bare"), pair.end("bare"), "")


def _is_cookie(name: str, value: str) -> bool:
    """Whether a cookie lets somebody in."""
    if name.lower() in _COOKIE_ATTRIBUTES or values.is_placeholder(value):
        return False
    is_of_session = _SESSION.search(name) is not None and values.is_random(value)
    return is_of_session or _is_long(value)
