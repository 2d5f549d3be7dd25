"""Tokens that show who gave them: by their first characters, or by a mark in them.

A token is in a long run of token characters: at its start, after a `-` or `_` in it (a removed line
of a diff, a file name), or after the rest of an escape (`%3D`, a colour). The rules of the
providers are tried only there.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from functools import cache

from agent_journal.text.redaction.providers import MARKED, RULES, SIZED, Marked, Rule, Sized
from agent_journal.text.redaction.secret import Secret, as_secret
from agent_journal.text.redaction.values import is_sample_token

_RUN = 20  # characters in a row: the shortest of these tokens
_START = 2  # characters by which a rule is looked up
_STARTS = {  # of heads that are shorter
    "A": ("AK", "AS", "AB", "AC"),
    "": tuple(first + second for first in "MNO" for second in "DTjz"),
}
_compiled = cache(re.compile)


def _rules_by_start() -> dict[str, list[Rule]]:
    rules: dict[str, list[Rule]] = {}
    for rule in RULES:
        for start in _STARTS.get(rule.head, (rule.head[:_START],)):
            rules.setdefault(start, []).append(rule)
    return rules


def _any_of(starts: Iterable[str]) -> str:
    """Return an expression for any of these, grouped by their first characters."""
    following: dict[str, str] = {}
    for start in sorted(starts):
        following[start[0]] = following.get(start[0], "") + start[1]
    return "|".join(f"{first}[{seconds}]" for first, seconds in following.items())


_BY_START = _rules_by_start()
_HEADS = re.compile(f"[^A-Za-z0-9](?={_any_of(_BY_START)})")
# What a token begins with whose long run of characters comes after a point
_DOTTED = re.compile(
    r"(?:SG|hv[sb]|ya29|sl(?:\.u)?|[ps]at|sk|v1|dt0[a-z][0-9]{2}|pat[A-Za-z0-9]{14}"
    r"|dp\.[a-z]{2,5}(?:\.[\w-]{1,20})?)\.\Z",
    re.ASCII,
)
_ESCAPE = r"(?:\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrtbf])|%[0-9A-Fa-f]{2}|[\[;][0-9]{0,3}m)"
_ESCAPED = re.compile(_ESCAPE)
_AFTER_ESCAPE = re.compile(_ESCAPE + r"\Z")
_LONGEST_ESCAPE = 6
_LONGEST_HEAD = 32
# Turns each token character into `a` and each other byte into a space, so that runs of them are
# found without an expression.
_TOKEN_CHARACTERS = (string.ascii_letters + string.digits + "_-").encode()
RUNS = bytes(ord("a") if code in _TOKEN_CHARACTERS else ord(" ") for code in range(256))


def find_tokens(text: str, runs: bytes) -> Iterator[Secret]:
    """Yield tokens of known providers; `runs` is the text translated by RUNS."""
    run = b"a" * _RUN
    at = runs.find(run)
    while at >= 0:
        end = runs.find(b" ", at + _RUN)
        if end < 0:
            end = len(runs)
        done = 0  # the end of the last token
        if end - at in _BY_LENGTH:
            yield from _sized(text, at, end)
        if text[at - 1 : at] in _BY_SIGN:
            yield from _marked(text, at)
        for start in _starts(text, at, end):
            if start < done:
                continue
            token = _token_at(text, start)
            if token is None:
                continue
            done = token.end
            if not is_sample_token(text[start:done]):
                yield token
        at = runs.find(run, max(end, done))
    if ".eyJ" in text:
        yield from _web_tokens(text, runs)


def _token_at(text: str, start: int) -> Secret | None:
    for rule in _BY_START.get(text[start : start + _START], ()):
        if not text.startswith(rule.head, start):
            continue
        match = _compiled(rule.pattern).match(text, start)
        if match is not None:
            return as_secret(rule.kind, start, match.end(), rule.head)
    return None


def _starts(text: str, at: int, end: int) -> Iterable[int]:
    """Return where in a run of token characters a token may begin."""
    if at == 0:
        return [0, *_heads(text, 0, end)]
    before = text[at - 1]
    if before not in ".\\%[;":
        if _HEADS.search(text, at - 1, end) is None:  # most runs by far
            return ()
        return _heads(text, at - 1, end)
    first = [at]
    escaped = _ESCAPED.match(text, at - 1)
    if before == ".":
        first = [*_dotted_starts(text, at), at]
    elif escaped is not None:
        first = [escaped.end(), at]
    return [*first, *_heads(text, at - 1, end)]


def _heads(text: str, at: int, end: int) -> list[int]:
    return [match.end() for match in _HEADS.finditer(text, at, end)]


def _dotted_starts(text: str, at: int) -> list[int]:
    """Return where a token begins that has a point before the run."""
    before = text[max(0, at - _LONGEST_HEAD) : at]
    head = _DOTTED.search(before)
    if head is None:
        return []
    start = at - len(before) + head.start()
    if not _is_start(text, start):
        return []
    return [start]


_WEB_TOKEN = re.compile(r"\.eyJ[\w-]{8,}\.[\w-]{5,}", re.ASCII)


def _web_tokens(text: str, runs: bytes) -> Iterator[Secret]:
    """Yield JSON web tokens, searched from their second part: heads without one cost nothing."""
    at = text.find(".eyJ")
    while at >= 0:
        match = _WEB_TOKEN.match(text, at)
        if match is not None:
            start = text.find("eyJ", runs.rfind(b" ", 0, at) + 1, at)
            is_token = start >= 0 and at - start > 10
            if is_token and not is_sample_token(text[start : match.end()]):
                yield as_secret("json-web-token", start, match.end(), "eyJ")
        at = text.find(".eyJ", at + 4)


# -- without a head of their own ---------------------------------------------------------------


def _by_sign() -> dict[str, list[Marked]]:
    rules: dict[str, list[Marked]] = {}
    for rule in MARKED:
        for sign in rule.signs:
            rules.setdefault(sign, []).append(rule)
    return rules


def _by_length() -> dict[int, list[Sized]]:
    rules: dict[int, list[Sized]] = {}
    for rule in SIZED:
        rules.setdefault(rule.length, []).append(rule)
        rules.setdefault(rule.length + 1, []).append(rule)  # after a `-` or the `n` of `\\n`
    return rules


_BY_SIGN = _by_sign()
_BY_LENGTH = _by_length()


def _marked(text: str, at: int) -> Iterator[Secret]:
    """Yield tokens of which only the rest is in the run at a place."""
    for rule in _BY_SIGN[text[at - 1]]:
        start = text.rfind(rule.mark, max(0, at - rule.before), at) - rule.first
        if start < 0:
            continue
        match = _compiled(rule.pattern).match(text, start)
        if match is not None and _is_start(text, start) and not is_sample_token(match[0]):
            yield as_secret(rule.kind, start, match.end(), "")


def _sized(text: str, at: int, end: int) -> Iterator[Secret]:
    """Yield tokens that are known by their length and form."""
    for rule in _BY_LENGTH[end - at]:
        start = end - rule.length
        is_whole = start == at or text[at - 1] == "\\" or text[at] == "-"
        if is_whole and _compiled(rule.pattern).match(text, start):
            yield as_secret(rule.kind, start, end, "")


def _is_start(text: str, start: int) -> bool:
    """Whether a place is the start of a word, or comes after an escape."""
    before = text[max(0, start - _LONGEST_ESCAPE) : start]
    is_within_word = before[-1:].isascii() and before[-1:].isalnum()
    return not is_within_word or _AFTER_ESCAPE.search(before) is not None
