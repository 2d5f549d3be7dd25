"""Aider's own lines (`> …`): what each of them says.

> Tokens: 12k sent, 8k cache hit, 512 received. Cost: $0.05 message, $0.31 session.
> Commit 8c7927a feat: add the job
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Literal, NamedTuple

from agent_journal.connectors.values import integer
from agent_journal.model import Usage

OutputKind = Literal[
    "version",
    "model",
    "setting",
    "launch",
    "usage",
    "commit",
    "undo",
    "applied",
    "passed",
    "failed",
    "others applied",
    "created",
    "added",
    "dropped",
    "asked",
    "running",
    "interrupt",
    "error",
    "",
]


class Output(NamedTuple):
    """What a line says, and the part of it that matters: a path, a name, a command."""

    kind: OutputKind
    value: str = ""


_YES_NO = re.compile(
    r".*\? \(Y\)es/\(N\)o.*: (\S*)$|.*\? (y|n|yes|no|a|all|s|skip|d)$", re.IGNORECASE
)
_CREATE = re.compile(r"(?:Allow creation of|Create) new file(?: (.+?))?\? ")
_RUN = re.compile(
    r"Run shell commands?\?|Do you want to run this suggested shell command\?", re.IGNORECASE
)
_LINES: tuple[tuple[str, OutputKind], ...] = (
    (r"Tokens: |[\d.,]+k? prompt tokens, ", "usage"),
    (r"Applied edit to (.+)$", "applied"),
    (r"Commit ([0-9a-f]{7,40}) ", "commit"),
    (
        r"Added (?!\d+ lines? )(.+?) to (?:the chat|read-only files)\.?(?: \(read-only\)\.?)?$",
        "added",
    ),
    (
        r"(?:Removed|Moved) (.+?) (?:from|to) "
        r"(?:the chat|read-only files|editable files|.*in the chat)\.?",
        "dropped",
    ),
    (r"Dropping all files", "dropped"),
    (
        r"(?:Did not apply edit to|Skipping edits to) (.+?)(?: \(--dry-run\)| that matches.*)?$",
        "passed",
    ),
    (r"## SearchReplaceNoExactMatch: .* match lines in (.+)$", "failed"),
    (r"# The other \d+ SEARCH/REPLACE blocks? (?:was|were) applied successfully", "others applied"),
    (r"Creating empty file (.+)$", "created"),
    (r"Aider v(\S+)$", "version"),
    (r"(?:Main model|Models?): ([^\s,]+)", "model"),
    (r"(?:Weak model|Editor model|Git repo|Repo-map|Multiline mode|Command Line): ", "setting"),
    (r"(?:\S*[/\\])?aider(?:\.exe|\.py)?(?: .*)?$", "launch"),
    (r"(?:Removed|Undid|Undone): [0-9a-f]{7,40} ", "undo"),
    (r"Running (.+)$", "running"),
    (r"(\^C\b.*|.*KeyboardInterrupt)$", "interrupt"),
    (
        r"litellm\.|openai\.error\.|(?:\w+\.)*\w*(?:Error|Exception)\b|Error[: ]|Traceback |"
        r"Unable to |The LLM did not conform|Malformed response|"
        r"# \d+ SEARCH/REPLACE blocks? failed|Model .* has hit a token limit|UnifiedDiffNo",
        "error",
    ),
)
_RULES = tuple((re.compile(pattern), kind) for pattern, kind in _LINES)
_COUNTS = re.compile(
    r"([\d.,]+)([kKmM]?) (sent|prompt tokens|cache write|cache hit|cache read|received|completion)"
)
_COSTS = re.compile(r"\$([\d.,]+) (message|request|session|cost)")
_FACTORS = {"": 1, "k": 1000, "m": 1_000_000}


def classified(text: str) -> Output:
    """Return what one of aider's lines says; an empty kind for most of what commands print."""
    answer = _YES_NO.match(text)
    if answer:
        return _answered(text, answer[1] or answer[2] or "")
    for pattern, kind in _RULES:
        found = pattern.match(text)
        if found:
            value = found[1] if found.re.groups else ""
            return Output(kind, value or "")
    return Output("")


def _answered(question: str, answer: str) -> Output:
    is_yes = answer[:1].lower() in ("y", "a")  # yes, or yes to all
    created = _CREATE.match(question)
    if created and is_yes:
        return Output("created", created[1] or "")
    if is_yes and _RUN.match(question):
        return Output("asked", "run")
    return Output("asked")


def is_question(text: str) -> bool:
    """Whether a line is a question of aider's with its answer."""
    return "? (Y)es/(N)o" in text and _YES_NO.match(text) is not None


class Tokens(NamedTuple):
    """The numbers of a `Tokens:` line, rounded as aider printed them; None for missing ones."""

    sent: int | None
    cache_write: int | None
    cache_hit: int | None
    received: int | None
    message_cost: int | None
    session_cost: int | None


def tokens(text: str) -> Tokens:
    """Read the numbers of a `Tokens:` line."""
    counts: dict[str, int | None] = {}
    for number, unit, name in _COUNTS.findall(text):
        counts.setdefault(name, _number(number, _FACTORS[unit.lower()]))
    costs = {name: _number(number, 1_000_000) for number, name in _COSTS.findall(text)}
    return Tokens(
        sent=counts.get("sent", counts.get("prompt tokens")),
        cache_write=counts.get("cache write"),
        cache_hit=counts.get("cache hit", counts.get("cache read")),
        received=counts.get("received", counts.get("completion")),
        message_cost=costs.get("message", costs.get("request", costs.get("cost"))),
        session_cost=costs.get("session"),
    )


def _number(text: str, factor: int) -> int | None:
    digits = text.rstrip(".,").replace(",", "")
    try:
        return integer(int((Decimal(digits) * factor).to_integral_value()))
    except (InvalidOperation, ValueError, OverflowError):
        return None


def usage(
    found: Tokens, session_id: str, key: str, model: str | None, message_id: str | None
) -> Usage:
    """Return the usage of a `Tokens:` line.

    What is sent includes what is written to the cache, and what is read from it unless that is more
    than all that was sent (early versions do not count what Anthropic read from the cache as sent).
    """
    fresh = found.sent
    if fresh is not None:
        cache_hit = found.cache_hit or 0
        fresh = max(0, fresh - (found.cache_write or 0))
        if cache_hit <= fresh:
            fresh -= cache_hit
    return Usage(
        session_id=session_id,
        key=key,
        model=model,
        message_id=message_id,
        input_tokens=fresh,
        cache_read_tokens=found.cache_hit,
        cache_write_tokens=found.cache_write,
        output_tokens=found.received,
        cost_micro_usd=found.message_cost,
    )
