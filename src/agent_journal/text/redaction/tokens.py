"""Tokens whose first characters name their provider, and private keys.

A token is in a long run of token characters: at its start, after a `-` or `_` in it (a removed line
of a diff, a file name), or after the rest of an escape (`%3D`, a colour). The rules of the
providers are tried only there.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Secret(NamedTuple):
    """A secret in a text: its kind, where it is, and a hint that gives nothing away."""

    kind: str
    start: int
    end: int
    masked: str


def as_secret(kind: str, start: int, end: int, shown: str) -> Secret:
    """Return a finding; the hint shows the characters that every secret of its kind begins with."""
    return Secret(kind, start, end, f"{shown}… ({end - start:,} characters)")


_TOKENS: tuple[tuple[str, str, str], ...] = (  # kind, what it begins with, the rest
    ("anthropic-key", "sk-ant-", r"[\w-]{20,}"),
    ("openai-key", "sk-", r"(?:(?:proj|svcacct|admin|or-v1)-[\w-]{20,}|[A-Za-z0-9]{20,}(?![\w-]))"),
    ("stripe-key", "sk_", r"(?:live|test)_[A-Za-z0-9]{16,}"),
    ("stripe-key", "rk_", r"(?:live|test)_[A-Za-z0-9]{16,}"),
    ("stripe-key", "whsec_", r"[A-Za-z0-9]{24,}"),
    ("github-token", "gh", r"[pousr]_[A-Za-z0-9]{30,}"),
    ("github-token", "github_pat_", r"\w{30,}"),
    ("gitlab-token", "gl", r"(?:pat|dt|ptt|rt|soat|cbt|ft|imt|agent)-[\w-]{20,}"),
    ("slack-token", "xox", r"[abeoprs]-[\w-]{16,}"),
    ("slack-token", "xapp-", r"[\w-]{20,}"),
    ("aws-key", "A", r"(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("google-key", "AIza", r"[\w-]{35}"),
    ("google-secret", "GOCSPX-", r"[\w-]{20,}"),
    ("google-token", "ya29.", r"[\w-]{20,}"),
    ("npm-token", "npm_", r"[A-Za-z0-9]{30,}"),
    ("pypi-token", "pypi-", r"[\w-]{40,}"),
    ("rubygems-key", "rubygems_", r"[a-f0-9]{40,}"),
    ("docker-token", "dckr_pat_", r"[\w-]{20,}"),
    ("huggingface-token", "hf_", r"[A-Za-z0-9]{28,}"),
    ("groq-key", "gsk_", r"[A-Za-z0-9]{30,}"),
    ("xai-key", "xai-", r"[A-Za-z0-9]{40,}"),
    ("perplexity-key", "pplx-", r"[A-Za-z0-9]{30,}"),
    ("replicate-token", "r8_", r"[A-Za-z0-9]{30,}"),
    ("sendgrid-key", "SG.", r"[\w-]{20,}\.[\w-]{16,}"),
    ("sentry-token", "sntry", r"[su]_[\w-]{30,}"),
    ("grafana-token", "glsa_", r"\w{30,}"),
    ("vault-token", "hvs.", r"[\w-]{20,}"),
    ("digitalocean-token", "do", r"[opr]_v1_[a-f0-9]{40,}"),
    ("databricks-token", "dapi", r"[a-f0-9]{32}"),
    ("shopify-token", "shp", r"(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("linear-key", "lin_api_", r"[A-Za-z0-9]{30,}"),
    ("notion-token", "ntn_", r"[A-Za-z0-9]{30,}"),
    ("supabase-token", "sbp_", r"[a-f0-9]{40}"),
    ("tailscale-key", "tskey-", r"[\w-]{20,}"),
    ("atlassian-token", "ATATT3", r"[\w-]{30,}"),
    ("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}"),
    ("telegram-token", "AA", r"(?<=\d:AA)[\w-]{33}(?![\w-])"),
)
_RUN = 20  # characters in a row: the shortest of these tokens
_START = 2  # characters by which a rule is looked up
_STARTS = {"A": ("AK", "AS", "AB", "AC")}  # of heads that are shorter


class _Rule(NamedTuple):
    kind: str
    head: str
    pattern: re.Pattern[str]


def _rules_by_start() -> dict[str, list[_Rule]]:
    rules: dict[str, list[_Rule]] = {}
    for kind, head, rest in _TOKENS:
        rule = _Rule(kind, head, re.compile(re.escape(head) + rest, re.ASCII))
        for start in _STARTS.get(head, (head[:_START],)):
            rules.setdefault(start, []).append(rule)
    return rules


_BY_START = _rules_by_start()
_HEADS = re.compile(f"[^A-Za-z0-9](?={'|'.join(sorted(_BY_START))})")
# Heads whose long run begins after the point
_DOTTED = tuple(head for _, head, _ in _TOKENS if head.endswith("."))
_ESCAPE = r"(?:\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrtbf])|%[0-9A-Fa-f]{2}|[\[;][0-9]{0,3}m)"
_ESCAPED = re.compile(_ESCAPE)
_AFTER_ESCAPE = re.compile(_ESCAPE + r"\Z")
_LONGEST_ESCAPE = 6
# Turns each token character into `a` and each other byte into a space, so that runs of them are
# found without an expression.
_TOKEN_CHARACTERS = (string.ascii_letters + string.digits + "_-").encode()
_IS_TOKEN = bytes(ord("a") if code in _TOKEN_CHARACTERS else ord(" ") for code in range(256))

# What no real secret has in it
SAMPLE = re.compile(
    r"(?i)x{4,}|\*{3}|\.{3}|…|example|placeholder|your|change_?me|dummy|redacted|fake|%[sd(]"
    r"|^(.)\1+$|^(?:none|null|true|false|string|str|undefined|required|optional|text|password"
    r"|secret|token|hunter2?|env)$"
)


def find_tokens(text: str, data: bytes) -> Iterator[Secret]:
    """Yield tokens of known providers; `data` has one byte for each character of the text."""
    runs = data.translate(_IS_TOKEN)
    run = b"a" * _RUN
    at = runs.find(run)
    while at >= 0:
        end = runs.find(b" ", at + _RUN)
        if end < 0:
            end = len(runs)
        done = 0  # the end of the last token
        for start in _starts(text, at, end):
            if start < done:
                continue
            token = _token_at(text, start)
            if token is None:
                continue
            done = token.end
            if not SAMPLE.search(text[start:done]):
                yield token
        at = runs.find(run, max(end, done))
    if ".eyJ" in text:
        yield from _web_tokens(text, runs)


def _token_at(text: str, start: int) -> Secret | None:
    for rule in _BY_START.get(text[start : start + _START], ()):
        match = rule.pattern.match(text, start)
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
    if before == "." and text.endswith(_DOTTED, 0, at):
        first = [*_dotted_start(text, at), at]
    elif escaped is not None:
        first = [escaped.end(), at]
    return [*first, *_heads(text, at - 1, end)]


def _heads(text: str, at: int, end: int) -> list[int]:
    return [match.end() for match in _HEADS.finditer(text, at, end)]


def _dotted_start(text: str, at: int) -> list[int]:
    start = at - max(len(head) for head in _DOTTED if text.endswith(head, 0, at))
    before = text[max(0, start - _LONGEST_ESCAPE) : start]
    is_within_word = before[-1:].isascii() and before[-1:].isalnum()
    if is_within_word and not _AFTER_ESCAPE.search(before):
        return []
    return [start]


_WEB_TOKEN = re.compile(r"\.eyJ[\w-]{8,}\.[\w-]{5,}", re.ASCII)
_WEB_HEAD = re.compile(r"eyJ[\w-]{8,}\Z", re.ASCII)


def _web_tokens(text: str, runs: bytes) -> Iterator[Secret]:
    """Yield JSON web tokens, searched from their second part: heads without one cost nothing."""
    at = text.find(".eyJ")
    while at >= 0:
        match = _WEB_TOKEN.match(text, at)
        if match is not None:
            start = text.find("eyJ", runs.rfind(b" ", 0, at) + 1, at)
            is_token = start >= 0 and at - start > 10
            if is_token and not SAMPLE.search(text, start, match.end()):
                yield as_secret("json-web-token", start, match.end(), "eyJ")
        at = text.find(".eyJ", at + 4)


# -- private keys ------------------------------------------------------------------------------

_LONGEST_KEY = 20_000  # characters between head and end
_SHORTEST_KEY = 20
_KEY_HEAD = re.compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_BETWEEN_LINES = r"""(?:\s|\\{1,16}[rn]|["'+,>|-]){0,40}+"""
_KEY_LINES = re.compile(
    rf"(?:{_BETWEEN_LINES}(?:(?:Proc-Type|DEK-Info|Version|Comment): ?[^\r\n\\]{{0,200}}+"
    r"|[A-Za-z0-9+/=]{24,}+))++"
    r"(?:(?:\s|\\{1,16}[rn])++[A-Za-z0-9+/=]{1,64}+(?=\s*\Z|[\r\n\\\"']))?"
)


def find_private_keys(text: str) -> Iterator[Secret]:
    """Yield blocks of private keys, also where the end is missing."""
    if "PRIVATE KEY" not in text:
        return
    heads = list(_KEY_HEAD.finditer(text))
    ends = list(_KEY_END.finditer(text))
    for number, head in enumerate(heads):
        following = heads[number + 1].start() if number + 1 < len(heads) else len(text)
        end = _end_between(ends, head.end(), min(following, head.end() + _LONGEST_KEY + 1))
        if end is None:
            end = _KEY_LINES.match(text, head.end())
        elif end.start() - head.end() < _SHORTEST_KEY:
            end = None
        if end is not None:
            yield as_secret("private-key", head.start(), end.end(), "-----BEGIN")


def _end_between(ends: list[re.Match[str]], start: int, stop: int) -> re.Match[str] | None:
    """Return the first end that begins in a range."""
    place = bisect_left(ends, start, key=lambda end: end.start())
    if place < len(ends) and ends[place].start() < stop:
        return ends[place]
    return None
