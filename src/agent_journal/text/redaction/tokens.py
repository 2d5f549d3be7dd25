"""Tokens that tell by their first characters whose they are, and private keys.

A token stands in a long run of token characters: at its start, after a `-` or `_` in it (a removed
line of a diff, a file name), or after what is left of an escape (`%3D`, a colour). Only there are
the rules of the providers tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Found(NamedTuple):
    """A secret in a text: what it is, where it stands, and a hint at it that gives nothing away."""

    kind: str
    start: int
    end: int
    masked: str


def as_found(kind: str, start: int, end: int, shown: str) -> Found:
    """A finding, with its first characters (those that everybody's secret of this kind has) as the
    hint.
    """
    return Found(kind, start, end, f"{shown}… ({end - start:,} characters)")


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
# Characters by which a rule is looked up; rules with a shorter or open beginning are spread out
# below
_START = 2
_Rule = tuple[str, str, re.Pattern[str]]


def _rules_by_start() -> dict[str, list[_Rule]]:
    rules: dict[str, list[_Rule]] = {}
    for kind, head, rest in _TOKENS:
        rule = (kind, head, re.compile(re.escape(head) + rest, re.ASCII))
        starts = [f"A{second}" for second in "KSBC"] if head == "A" else [head[:_START]]
        for start in starts:
            rules.setdefault(start, []).append(rule)
    return rules


_BY_START = _rules_by_start()
_HEADS = re.compile(f"[^A-Za-z0-9](?={'|'.join(sorted(_BY_START))})")
# Their long run begins after the point
_DOTTED = tuple(head for _, head, _ in _TOKENS if head.endswith("."))
_ESCAPE = r"(?:\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrtbf])|%[0-9A-Fa-f]{2}|[\[;][0-9]{0,3}m)"
_ESCAPED, _AFTER_ESCAPE = re.compile(_ESCAPE), re.compile(_ESCAPE + r"\Z")
_LONGEST_ESCAPE = 6
_IS_TOKEN = bytes(
    97 if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "_-") else 32
    for code in range(256)
)

SAMPLE = re.compile(
    r"(?i)x{4,}|\*{3}|\.{3}|…|example|placeholder|your|change_?me|dummy|redacted|fake|%[sd(]|^(.)\1+$"
    r"|^(?:none|null|true|false|string|str|undefined|required|optional|text|password|secret|token|hunter2?|env)$"
)  # what nobody's secret has in it


def find_tokens(text: str, data: bytes) -> Iterator[Found]:
    """Tokens of the providers we know; `data` has one byte for each character of the text."""
    runs = data.translate(_IS_TOKEN)
    run, find = b"a" * _RUN, runs.find
    at = find(run)
    while at >= 0:
        end = find(b" ", at + _RUN)
        end = len(runs) if end < 0 else end
        after = 0  # what stands before this place is told already
        for start in _starts(text, at, end):
            if start < after:
                continue
            for kind, head, pattern in _BY_START.get(text[start : start + _START], ()):
                match = pattern.match(text, start)
                if match is not None:
                    after = match.end()
                    if not SAMPLE.search(match[0]):
                        yield as_found(kind, start, after, head)
                    break
        at = find(run, max(end, after))
    if ".eyJ" in text:
        yield from _web_tokens(text, runs)


def _starts(text: str, at: int, end: int) -> Iterable[int]:
    """Where in a run of token characters a token may begin."""
    before = text[at - 1] if at > 0 else ""
    first: list[int] = []
    if before in ".\\%[;":
        escaped = _ESCAPED.match(text, at - 1) if at > 0 else None
        first = [at] if escaped is None else [escaped.end(), at]
        if before == "." and text.endswith(_DOTTED, 0, at):
            first = [*_dotted_start(text, at), at]
    elif _HEADS.search(text, at - 1, end) is None:  # most runs by far
        return ()
    return [*first, *(match.end() for match in _HEADS.finditer(text, max(0, at - 1), end))]


def _dotted_start(text: str, at: int) -> list[int]:
    start = at - max(len(head) for head in _DOTTED if text.endswith(head, 0, at))
    before = text[max(0, start - _LONGEST_ESCAPE) : start]
    is_within_word = before[-1:].isascii() and before[-1:].isalnum()
    return [start] if not is_within_word or _AFTER_ESCAPE.search(before) else []


_WEB_TOKEN = re.compile(r"\.eyJ[\w-]{8,}\.[\w-]{5,}", re.ASCII)
_WEB_HEAD = re.compile(r"eyJ[\w-]{8,}\Z", re.ASCII)


def _web_tokens(text: str, runs: bytes) -> Iterator[Found]:
    """JSON web tokens, sought from their second part: many heads without one cost nothing."""
    at = text.find(".eyJ")
    while at >= 0:
        match = _WEB_TOKEN.match(text, at)
        start = text.find("eyJ", runs.rfind(b" ", 0, at) + 1, at) if match is not None else -1
        if (
            match is not None
            and start >= 0
            and at - start > 10
            and not SAMPLE.search(text, start, match.end())
        ):
            yield as_found("json-web-token", start, match.end(), "eyJ")
        at = text.find(".eyJ", at + 4)


# -- private keys ------------------------------------------------------------------------------

_LONGEST_KEY = 20_000
_KEY_HEAD = re.compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_BETWEEN_LINES = r"""(?:\s|\\{1,16}[rn]|["'+,>|-]){0,40}+"""
_KEY_LINES = re.compile(
    rf"(?:{_BETWEEN_LINES}(?:(?:Proc-Type|DEK-Info|Version|Comment): ?[^\r\n\\]{{0,200}}+|[A-Za-z0-9+/=]{{24,}}+))++"
    r"(?:(?:\s|\\{1,16}[rn])++[A-Za-z0-9+/=]{1,64}+(?=\s*\Z|[\r\n\\\"']))?"
)


def find_private_keys(text: str) -> Iterator[Found]:
    """Blocks of private keys, also where the end was cut off."""
    if "PRIVATE KEY" not in text:
        return
    heads = list(_KEY_HEAD.finditer(text))
    followed_by = [*(head.start() for head in heads), len(text)][1:]
    ends = _KEY_END.finditer(text)
    end = next(ends, None)
    for head, following in zip(heads, followed_by, strict=False):
        while end is not None and end.start() < head.end():
            end = next(ends, None)
        if end is not None and end.start() < following and end.start() - head.end() <= _LONGEST_KEY:
            if end.start() - head.end() >= 20:
                yield as_found("private-key", head.start(), end.end(), "-----BEGIN")
            continue
        lines = _KEY_LINES.match(text, head.end())
        if lines is not None:
            yield as_found("private-key", head.start(), lines.end(), "-----BEGIN")
