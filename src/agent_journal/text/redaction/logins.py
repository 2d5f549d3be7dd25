"""Secrets of people and commands that log in: `log in as bob / x`, `vault login x`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_journal.text.redaction import values
from agent_journal.text.redaction.judgement import is_long, is_odd
from agent_journal.text.redaction.places import SLASHES
from agent_journal.text.redaction.secret import Secret, as_secret

_QUOTE = rf"""(?:{SLASHES}["'`])?"""
_VALUE = rf"""{_QUOTE}(?P<bare>[^\s"'`\\<>|;,()]{{6,400}}+)"""
_OPTIONS = r"(?:-\w[\w-]{0,20}[ ]){0,3}"
_SIGN_IN = (
    r"log[ -]?in(?:[ ](?:details|credentials))?"
    r"(?:[ ]?[:=]|(?:[ ](?:is|are|as|with|using|to[ ][\w./:-]{1,60}[ ](?:as|with)))){0,2}"
    r"(?:[ ]user(?:name)?)?"
)
# A name and a password: `log in as bob / x`, `Login: bob:x`
_AS_USER = re.compile(
    rf"""(?i:{_SIGN_IN})[ ]{_QUOTE}[\w.@+-]{{2,60}}{_QUOTE}[ ]?[/:][ ]?{_VALUE}"""
)
# Commands whose argument is a token
_LOGIN = re.compile(rf"(?:login)[ ]{_OPTIONS}{_VALUE}")
_IS_LOGIN = re.compile(
    r"(?:vault|cargo|npm|railway|wandb|huggingface-cli|hf|wrangler|snyk)[ ](?:auth[ ])?\Z"
)
_AUTH = re.compile(rf"auth[ ](?:init[ ])?(?:-t[ ])?{_VALUE}")
_IS_AUTH = re.compile(r"(?:snyk|doctl|ngrok|stripe)[ ]\Z")


def find_logins(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield passwords of people who log in, and tokens of commands that do."""
    for word in (b"login", b"log in"):
        at = folded.find(word)
        while at >= 0:
            yield from _told(_AS_USER.match(text, at))
            if word == b"login" and _IS_LOGIN.search(text, max(0, at - 30), at):
                yield from _long(_LOGIN.match(text, at))
            at = folded.find(word, at + len(word))


def find_after_auth(text: str, at: int) -> Iterator[Secret]:
    """Yield the token of `snyk auth x`, where the word `auth` is at a place."""
    if _IS_AUTH.search(text, max(0, at - 10), at):
        yield from _long(_AUTH.match(text, at))


def _told(match: re.Match[str] | None) -> Iterator[Secret]:
    """Yield a value that is no word."""
    if match is None:
        return
    value = match["bare"].rstrip(".")
    if is_odd(value) and not values.is_placeholder(value):
        yield as_secret("password", match.start("bare"), match.start("bare") + len(value), "")


def _long(match: re.Match[str] | None) -> Iterator[Secret]:
    if match is not None and is_long(match["bare"]) and not values.is_placeholder(match["bare"]):
        yield as_secret("secret", match.start("bare"), match.end("bare"), "")
