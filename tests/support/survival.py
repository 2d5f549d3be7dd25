"""How much of a session comes back after it was converted for another agent and read again."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agent_journal.model import Session, ToolCall, Usage

MEASURES = (
    "prompts",
    "messages",
    "tool calls",
    "results",
    "edits",
    "full diffs",
    "reasoning",
    "usage",
)
_QUOTE = re.compile(r"^(?:> ?)+")


class Share(NamedTuple):
    """How many of how many."""

    kept: int = 0
    of: int = 0

    def __str__(self) -> str:
        if not self.of:
            return "–"
        percent = 100 * self.kept / self.of
        if self.kept in (0, self.of) or 0.05 <= percent < 99.95:
            return f"{percent:.1f} %"
        return f"{percent:.2f} %"


Survival = dict[str, Share]


def survival(before: Sequence[Session], after: Sequence[Session]) -> Survival:
    """What of a family of sessions is in another: by text, by call, by edit, by token; never by id
    or order.

    A text survives when all its lines are in the copy one after the other, quoted or not. A call
    survives with its name and arguments, its result with every character. An edit survives when
    the copy has an edit of the same file, its diff when the whole diff is in the copy. Usage is
    counted in tokens.
    """
    texts = _Lines(message.text for session in after for message in session.messages)
    thoughts = _Lines(
        text
        for session in after
        for message in session.messages
        for text in (message.reasoning, message.text)
    )
    prompts = Counter(
        _plain(message.text)
        for session in after
        for message in session.messages
        if message.role == "user"
    )
    said = [message for session in before for message in session.messages]
    typed = [
        _plain(message.text)
        for message in said
        if message.kind == "prompt" and message.text.strip()
    ]
    calls, results = _calls(before, after)
    edits = [edit for session in before for edit in session.file_edits if edit.kind != "backup"]
    made = Counter(edit.path for session in after for edit in session.file_edits)
    shown = _Lines(
        [*(message.text for session in after for message in session.messages), *_diffs(after)]
    )
    return {
        "prompts": _common(typed, prompts),
        "messages": _count(
            text in texts for text in (message.text for message in said) if text.strip()
        ),
        "tool calls": calls,
        "results": results,
        "edits": _common([edit.path for edit in edits], made),
        "full diffs": _count(
            edit.diff in shown for edit in edits if edit.diff and edit.diff.strip()
        ),
        "reasoning": _count(
            message.reasoning in thoughts for message in said if message.reasoning.strip()
        ),
        "usage": _tokens(before, after),
    }


def added(first: Survival, second: Survival) -> Survival:
    """The sum of two."""
    return {
        name: Share(first[name].kept + second[name].kept, first[name].of + second[name].of)
        for name in MEASURES
    }


def nothing() -> Survival:
    """The sum of none."""
    return dict.fromkeys(MEASURES, Share())


class _Lines:
    """Texts, to look for the lines of another text in."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._all = "\n" + "\n".join(map(_plain, texts)) + "\n"

    def __contains__(self, text: str) -> bool:
        return f"\n{_plain(text)}\n" in self._all


def _plain(text: str) -> str:
    lines = (" ".join(_QUOTE.sub("", line.strip()).split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def _calls(before: Sequence[Session], after: Sequence[Session]) -> tuple[Share, Share]:
    there: dict[tuple[str | None, str], list[ToolCall]] = {}
    for call in _all_calls(after):
        there.setdefault(_asked(call), []).append(call)
    kept = of = kept_results = of_results = 0
    for call in _all_calls(before):
        found = there.get(_asked(call), [])
        result = (call.result or "").strip()
        same = next(
            (other for other in found if (other.result or "").strip() == result),
            None,
        )
        of += 1
        of_results += bool(result)
        kept += bool(found)
        if found:
            found.remove(same or found[0])
        kept_results += same is not None and bool(result)
    return Share(kept, of), Share(kept_results, of_results)


def _all_calls(family: Sequence[Session]) -> Iterable[ToolCall]:
    return (
        call for session in family for message in session.messages for call in message.tool_calls
    )


def _asked(call: ToolCall) -> tuple[str | None, str]:
    try:
        arguments = json.dumps(json.loads(call.arguments or "{}"), sort_keys=True)
    except (ValueError, RecursionError):
        arguments = call.arguments or ""
    return call.name, arguments


def _diffs(family: Sequence[Session]) -> list[str]:
    return [edit.diff for session in family for edit in session.file_edits if edit.diff]


def _tokens(before: Sequence[Session], after: Sequence[Session]) -> Share:
    here, there = (sum(map(_all_tokens, _rows(family))) for family in (before, after))
    return Share(min(here, there), here)


def _rows(family: Sequence[Session]) -> Iterable[Usage]:
    rows = {usage.key: usage for session in family for usage in session.usage}
    for session in family:
        for message in session.messages:
            if message.usage is not None:
                rows.setdefault(message.usage.key, message.usage)
    return rows.values()


def _all_tokens(usage: Usage) -> int:
    parts = (
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        usage.output_tokens,
    )
    return sum(part or 0 for part in parts)


def _common(wanted: list[str], there: Counter[str]) -> Share:
    return Share((Counter(wanted) & there).total(), len(wanted))


def _count(found: Iterable[bool]) -> Share:
    marks = list(found)
    return Share(sum(marks), len(marks))
