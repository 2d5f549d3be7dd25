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

from agent_journal.text.redaction.codes import find_broken_tokens
from agent_journal.text.redaction.providers import MARKED, RULES, SIZED, Marked, Rule, Sized
from agent_journal.text.redaction.secret import Secret, as_secret
from agent_journal.text.redaction.values import is_sample_token

_RUN = 20  # characters in a row: the shortest of these tokens
_LONG_RUN = b"a" * _RUN
_UUID = 36  # characters; the most frequent of long runs, and no token
_START = 2  # characters by which a rule is looked up
_STARTS = {  # of heads that are shorter
    "A": ("AK", "AS", "AB", "AC"),
    "": tuple(first + second for first in "MNO" for second in "DTjz"),
}
_LONGER = {  # of heads that are short, with more of what follows them
    "A": ("AKIA", "ASIA", "ABIA", "ACCA"),
    "": (),
    "gh": ("gh[pousr]_",),
    "gl": ("gl[a-z]{2,5}-",),
    "do": ("do[opr]_",),
    "fm": ("fm(?:2|1[ar])_",),
    "sq": ("sq[upa]_",),
    "NR": ("NR[A-Z]{2}-",),
    "SK": ("SK[a-f0-9]{8}",),
    "EZ": ("EZ[AT]K",),
    "pat": ("pat[A-Za-z0-9]{14}",),
    "cio": ("cio[A-Za-z0-9]{32}",),
    "re_": ("re_[A-Za-z0-9]{6,10}_",),
    "key-": ("key-[a-f0-9]{8}",),
    "fig": ("fig[dou]",),
}
_OTHER_HEADS = (
    "[MNO][DTjz][A-Za-z0-9_-]{20,27} ",  # a number in base64, the first part of a token
    "eyJ",
    "(?:us[0-9]{1,2}|mmk|[a-f0-9]{8}-[a-f0-9]{8}) ",  # at the end of those of a known length
)
_compiled = cache(re.compile)
_Span = tuple[int, int]


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


def _any_head() -> str:
    """Return an expression for what tokens begin with or have in them, by its first character."""
    heads: dict[str, set[str]] = {}
    for rule in RULES:
        for head in _LONGER.get(rule.head, (re.escape(rule.head),)):
            heads.setdefault(head[0], set()).add(head[1:])
    groups = (f"{first}(?:{'|'.join(sorted(rests))})" for first, rests in heads.items())
    return "|".join((*groups, *_OTHER_HEADS))


_BY_START = _rules_by_start()
_HEADS = re.compile(f"[^A-Za-z0-9](?={_any_of(_BY_START)})")
_WHOLE_HEADS = re.compile(f"[^A-Za-z0-9](?:{_any_head()})")
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
# A run begins within an escape: `\\u001b`, `%3D`, a colour
_AFTER_ESCAPES = frozenset("\\%[;")
_ESCAPES = frozenset("uxm0123456789abcdefABCDEF")
_ODD_BEFORE = frozenset("\\%[;.")
# Turns each token character into `a` and each other byte into a space, so that runs of them are
# found without an expression.
_TOKEN_CHARACTERS = (string.ascii_letters + string.digits + "_-").encode()
RUNS = bytes(ord("a") if code in _TOKEN_CHARACTERS else ord(" ") for code in range(256))


def find_tokens(text: str, runs: bytes) -> list[Secret]:
    """Return tokens of known providers; `runs` is the text translated by RUNS."""
    at = runs.find(_LONG_RUN)
    if at < 0:
        return []
    parts: list[str] = []  # what a token may begin in
    near: list[str] = []  # what may have the mark of a token in it
    is_odd = False
    while at >= 0:
        end = runs.find(b" ", at + _RUN)
        if end < 0:
            end = len(runs)
        if end - at != _UUID or text[at + 8] != "-" or text[at + 13] != "-":
            parts.append(text[at:end])
        before = text[at - 1 : at]
        if before in _NOTABLE:
            if before in _BY_SIGN:
                near.append(text[max(0, at - _FARTHEST) : at + 2])
            if before in _ODD_BEFORE:
                is_odd = is_odd or _is_odd(text, at)
                parts.append(text[at + 1 : end])
        at = runs.find(_LONG_RUN, end)
    # Looking once at all of them together is quicker than at each; most texts have no token.
    if is_odd or _WHOLE_HEADS.search(f" {'  '.join(parts)} ") or _has_mark(near):
        found = list(_in_runs(text, _long_runs(runs)))
        if "eyJ" in text:
            found += find_broken_tokens(text)
        return found
    return []


def _long_runs(runs: bytes) -> Iterator[_Span]:
    """Yield where runs begin and end that are as long as a token."""
    at = runs.find(_LONG_RUN)
    while at >= 0:
        end = runs.find(b" ", at + _RUN)
        if end < 0:
            end = len(runs)
        yield at, end
        at = runs.find(_LONG_RUN, end)


def _is_odd(text: str, at: int) -> bool:
    """Whether a token may begin before a run, or a run within an escape."""
    before = text[at - 1]
    if before == ".":
        return _DOTTED.search(text, max(0, at - _LONGEST_HEAD), at) is not None
    return before in _AFTER_ESCAPES and text[at] in _ESCAPES


def _has_mark(near: list[str]) -> bool:
    if not near:
        return False
    joined = " ".join(near)
    return any(mark in joined for mark in _MARKS)


def _in_runs(text: str, spans: Iterable[_Span]) -> Iterator[Secret]:
    """Yield the tokens in runs of token characters."""
    done = 0  # the end of the last token
    for at, end in spans:
        for start in _starts(text, at, end):
            if start < done:
                continue
            token = _token_at(text, start)
            if token is None:
                continue
            done = token.end
            if not is_sample_token(text[start:done]):
                yield token
        if end - at in _BY_LENGTH:
            yield from _sized(text, at, end)
        if text[at - 1 : at] in _BY_SIGN:
            yield from _marked(text, at)
        if text.startswith(".eyJ", end):
            yield from _web_tokens(text, at, end)


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


_SHORTEST_PART = 10  # characters of a web token
_WEB_TOKEN = re.compile(r"\.eyJ[\w-]{8,}\.[\w-]{5,}", re.ASCII)


def _web_tokens(text: str, at: int, end: int) -> Iterator[Secret]:
    """Yield the JSON web token whose first part is in a run, before a second part."""
    match = _WEB_TOKEN.match(text, end)
    start = text.find("eyJ", at, end)
    if match is None or start < 0 or end - start <= _SHORTEST_PART:
        return
    if not is_sample_token(text[start : match.end()]):
        yield as_secret("json-web-token", start, match.end(), "eyJ")


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
_MARKS = tuple({rule.mark for rule in MARKED})
_NOTABLE = frozenset((*_BY_SIGN, *_ODD_BEFORE))
_FARTHEST = max(rule.before for rule in MARKED)


def _marked(text: str, at: int) -> Iterator[Secret]:
    """Yield tokens of which only the rest is in the run at a place."""
    for rule in _BY_SIGN[text[at - 1]]:
        start = text.rfind(rule.mark, max(0, at - rule.before), at + 2) - rule.first
        if start < 0:
            continue
        match = _compiled(rule.pattern).match(text, start)
        if match is not None and _is_start(text, start) and not is_sample_token(match[0]):
            yield as_secret(rule.kind, start, match.end(), "")


def _sized(text: str, at: int, end: int) -> Iterator[Secret]:
    """Yield tokens that are known by their length and form."""
    for rule in _BY_LENGTH[end - at]:
        start = end - rule.length
        if not text.startswith(rule.mark, start + rule.place):
            continue
        is_whole = start == at or text[at - 1] == "\\" or text[at] == "-"
        if is_whole and _compiled(rule.pattern).match(text, start):
            yield as_secret(rule.kind, start, end, "")


def _is_start(text: str, start: int) -> bool:
    """Whether a place is the start of a word, or comes after an escape."""
    before = text[max(0, start - _LONGEST_ESCAPE) : start]
    is_within_word = before[-1:].isascii() and before[-1:].isalnum()
    return not is_within_word or _AFTER_ESCAPE.search(before) is not None
