"""Secrets in text: where they are, and the text without them.

One pass over the text finds the few places where a secret can begin: long runs of token characters, words such as
`password`, addresses, the heads of private keys. Only there are the rules tried, each anchored to what its provider
writes first. Placeholders (`sk-...`, `<token>`, `xxxx`, `$VAR`, `example`) are nobody's secret and stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple


class Found(NamedTuple):
    """A secret in a text: what it is, where it stands, and a hint at it that gives nothing away."""

    kind: str
    start: int
    end: int
    masked: str


# -- tokens that tell by their first characters whose they are ------------------------------------------------------

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
    ("sendgrid-key", "SG.", r"[\w-]{16,}\.[\w-]{16,}"),
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
    ("json-web-token", "eyJ", r"[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{5,}"),
)
_RUN = 20  # characters in a row: the shortest of these tokens
_START = 2  # characters by which a rule is looked up; rules with a shorter or open beginning are spread out below


def _rules_by_start() -> dict[str, list[tuple[str, str, re.Pattern[str]]]]:
    rules: dict[str, list[tuple[str, str, re.Pattern[str]]]] = {}
    for kind, head, rest in _TOKENS:
        rule = (kind, head, re.compile(re.escape(head) + rest, re.ASCII))
        starts = [f"A{second}" for second in "KSBC"] if head == "A" else [head[:_START]]
        for start in starts:
            rules.setdefault(start, []).append(rule)
    return rules


_BY_START = _rules_by_start()
_IS_TOKEN = bytes(
    97 if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "_-") else 32 for code in range(256)
)
_FOLDED = bytes(95 if code == 45 else code | 32 if 65 <= code <= 90 else code for code in range(256))

# -- values that the word before them tells to be secret ------------------------------------------------------------

_WORDS = (b"passw", b"pwd", b"secret", b"token", b"api_key", b"apikey", b"access_key", b"accountkey", b"authorization")
_SEPARATED = r"""[\\"'\]]{0,3}[ \t]{0,4}(?::=|=>|=|:)[ \t]{0,4}"""
_VALUE = (
    r"""(?:\\?(?P<quote>["'`])(?P<quoted>[^"'`\\\r\n]{4,200})\\?(?P=quote)|(?P<bare>[^\s"'`,;<>(){}\[\]\\|&]{6,200}))"""
)
_PASSWORD = re.compile(r"(?i)(?:passw(?:or)?d|pwd)" + _SEPARATED + _VALUE)
_SECRET = re.compile(
    r"(?i)(?:secret|token|api[_-]?key|access[_-]?key|accountkey)(?:[_-]?(?:key|access[_-]?key|value))?"
    + _SEPARATED + _VALUE
)  # fmt: skip
_AUTHORIZATION = re.compile(
    r"""(?i)authorization[\\"']{0,3}[ \t]{0,4}[:=][ \t\\"']{0,5}(?:bearer|basic|token)[ ]{1,4}"""
    r"(?P<bare>[\w.~+/=-]{8,})"
)
_URL = re.compile(r"://[^\s/:@\"'`<>]{0,100}:(?P<bare>[^\s/:@\"'`<>\\]{2,200})@[\w\[]")
_WEBHOOK = re.compile(
    r"://(?:hooks\.slack\.com/(?:services|workflows)|discord(?:app)?\.com/api/webhooks)/(?P<bare>[\w/-]{20,})"
)
_QUERY = re.compile(
    r"(?i)://[^\s\"'`<>?]{1,300}\?[^\s\"'`<>]{0,300}?(?:sig|signature|token|key|secret|password)=(?P<bare>[\w%.~+/-]{12,})"
)
_KEY_HEAD = "PRIVATE KEY-----"
_KEY = re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{20,10000}?-----END [A-Z ]{0,30}PRIVATE KEY-----")

_PLACEHOLDER = re.compile(
    r"(?i)x{4,}|\*{3}|\.{3}|…|example|placeholder|your|change_?me|dummy|redacted|fake|[<>{}$]|%[sd(]|^(.)\1+$"
    r"|^(?:none|null|true|false|string|str|undefined|required|optional|text|password|secret|token|hunter2?|env)$"
)
_NAME = re.compile(r"[A-Za-z_][\w.-]*\Z")  # a variable, a type, a member of a module


def find_secrets(text: str) -> list[Found]:
    """Every secret in a text, in order, none within another."""
    if len(text) < 8:
        return []
    data = text.encode("ascii", "replace")  # one byte for each character, so that places are the same
    found = [*_tokens(text, data), *_after_words(text, data.translate(_FOLDED)), *_in_addresses(text)]
    if _KEY_HEAD in text:
        found += [_as_found("private-key", match.start(), match.end(), "-----BEGIN") for match in _KEY.finditer(text)]
    found.sort(key=lambda one: (one.start, -one.end))
    apart: list[Found] = []
    for one in found:
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
    return apart


def _as_found(kind: str, start: int, end: int, shown: str) -> Found:
    return Found(kind, start, end, f"{shown}… ({end - start:,} characters)")


def _tokens(text: str, data: bytes) -> Iterator[Found]:
    runs = data.translate(_IS_TOKEN)
    run, find = b"a" * _RUN, runs.find
    at = find(run)
    while at >= 0:
        end = find(b" ", at + _RUN)
        end = len(runs) if end < 0 else end
        start = _begin(text, runs, at)
        for kind, head, pattern in _BY_START.get(text[start : start + _START], ()):
            match = pattern.match(text, start)
            if match is not None and not _PLACEHOLDER.search(match[0]):
                yield _as_found(kind, match.start(), match.end(), head)
                end = max(end, match.end())
                break
        at = find(run, end)


def _begin(text: str, runs: bytes, at: int) -> int:
    """Where the token of a run begins: `SG.` and the like stand before a point, `\\n` is no part of it."""
    while at >= 2 and text[at - 1] == "." and runs[at - 2] == 97:
        at = runs.rfind(b" ", 0, at - 1) + 1
    if at > 0 and text[at - 1] == "\\" and text[at] in "nrtbf":
        return at + 1
    return at


def _after_words(text: str, folded: bytes) -> Iterator[Found]:
    for word in _WORDS:
        at = folded.find(word)
        while at >= 0:
            found = _after_word(text, at, word)
            if found is not None:
                yield found
            at = folded.find(word, at + len(word))


def _after_word(text: str, at: int, word: bytes) -> Found | None:
    if word == b"authorization":
        match = _AUTHORIZATION.match(text, at)
        return None if match is None else _unless_placeholder("authorization", match)
    is_password = word in (b"passw", b"pwd")
    match = (_PASSWORD if is_password else _SECRET).match(text, at)
    if match is None:
        return None
    quoted, bare = match["quoted"], match["bare"]
    value: str = quoted or bare
    has_digit = any(character.isdigit() for character in value)
    if is_password:
        if quoted is None and (_NAME.match(value) and not has_digit):
            return None
    elif len(value) < 12 or not has_digit or value.isdigit() or " " in value:
        return None
    return _unless_placeholder("password" if is_password else "secret", match)


def _in_addresses(text: str) -> Iterator[Found]:
    at = text.find("://")
    while at >= 0:
        for kind, pattern in (("password-in-url", _URL), ("webhook", _WEBHOOK), ("key-in-url", _QUERY)):
            match = pattern.match(text, at)
            if match is not None:
                found = _unless_placeholder(kind, match)
                if found is not None:
                    yield found
                break
        at = text.find("://", at + 3)


def _unless_placeholder(kind: str, match: re.Match[str]) -> Found | None:
    group = "quoted" if match.groupdict().get("quoted") else "bare"
    if _PLACEHOLDER.search(match[group]):
        return None
    return _as_found(kind, match.start(group), match.end(group), "")


# -- the text without them ------------------------------------------------------------------------------------------

_AFTER_HOME = r"""(?=[/\\"'`\s:;,)\]}>]|$)"""
_HOMES = (
    ("/home/", re.compile(r"/home/(?<![\w.~-]/home/)[\w.-]+" + _AFTER_HOME), "~"),
    ("/Users/", re.compile(r"/Users/(?<![\w.~-]/Users/)(?!Shared\b)[\w.-]+" + _AFTER_HOME), "~"),
    ("\\Users\\", re.compile(r"[A-Za-z]:\\{1,2}Users\\{1,2}(?!Public\b)[^\\/:\"'\s]+" + _AFTER_HOME), "~"),
    # Claude Code writes the path of a project with - for each sign.
    ("-home-", re.compile(r"-home-(?<![\w.~]-home-)[A-Za-z0-9]+(?=-)"), "-~"),
    ("-Users-", re.compile(r"-Users-(?<![\w.~]-Users-)[A-Za-z0-9]+(?=-)"), "-~"),
)


def redact(text: str, home: str | None = None) -> str:
    """The text with a remark in the place of each secret, and home folders (`home` is the user's own) as `~`."""
    found = find_secrets(text)
    if found:
        parts: list[str] = []
        at = 0
        for one in found:
            parts += (text[at : one.start], f"[redacted {one.kind}]")
            at = one.end
        text = "".join((*parts, text[at:]))
    return shorten_homes(text, home)


def shorten_homes(text: str, home: str | None = None) -> str:
    """The text with home folders as `~`."""
    if home and len(home) > 1 and home in text:
        text = re.sub(re.escape(home) + _AFTER_HOME, "~", text)
    for mark, pattern, short in _HOMES:
        if mark in text:
            text = pattern.sub(short, text)
    return text


def redact_all(value: Any, change: Callable[[str], str]) -> Any:
    """Plain data (dicts, lists, strings) with every string in it changed; the names in it stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: redact_all(below, change) for key, below in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact_all(below, change) for below in value]
    return value
