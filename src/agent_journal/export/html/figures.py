"""Times, tokens and money as a page shows them; what is unknown is not shown as zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from agent_journal.model import Usage

_FIELDS = {
    "fresh input": "input_tokens",
    "cache read": "cache_read_tokens",
    "cache write": "cache_write_tokens",
    "output": "output_tokens",
    "reasoning": "reasoning_tokens",
}
_INPUT = ("fresh input", "cache read", "cache write")
Cost = Callable[[Usage], int | None]  # micro-dollars


def day_and_time(when: datetime | None) -> str:
    """A time in full."""
    return _time(when, "%Y-%m-%d %H:%M")


def time_only(when: datetime | None) -> str:
    """A time of the day; the day is shown with the prompt."""
    return _time(when, "%H:%M:%S")


def _time(when: datetime | None, form: str) -> str:
    if when is None:
        return ""
    when = when.astimezone(UTC)
    whole = when.isoformat(timespec="seconds").replace("+00:00", "Z")
    return f'<time datetime="{whole}" title="{when:%Y-%m-%d %H:%M:%S} UTC">{when:{form}}</time>'


def duration(milliseconds: float) -> str:
    """How long something took."""
    seconds = milliseconds / 1000
    if seconds < 0.1:
        return f"{milliseconds:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} min"


def short(count: int) -> str:
    """A number of tokens in little space."""
    if count < 1000:
        return str(count)
    if count < 999_500:
        return f"{count / 1000:.1f}k"
    return f"{count / 1_000_000:.1f}M"


def counted(count: int, noun: str) -> str:
    """A number with its noun: `1 prompt`, `2 prompts`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun}s"


def money(micros: int) -> str:
    """Dollars; small sums with more digits."""
    dollars = micros / 1_000_000
    if dollars >= 1 or dollars == 0:
        return f"${dollars:,.2f}"
    if dollars >= 0.001:
        return f"${dollars:.3f}"
    return "<$0.001"


class Total(NamedTuple):
    """The usage of several responses.

    None: no response says so. unpriced: the number of responses whose cost is not known.
    """

    input: int | None
    output: int | None
    cost: int | None
    unpriced: int
    in_words: str  # every number with its name

    @property
    def tokens(self) -> str:
        """Tokens in little space; empty when none are known."""
        parts = []
        if self.input is not None:
            parts.append(f"{short(self.input)} in")
        if self.output is not None:
            parts.append(f"{short(self.output)} out")
        return " · ".join(parts)

    @property
    def tokens_with_details(self) -> str:
        """Tokens in little space, and all numbers where the mouse points; HTML."""
        if not self.tokens:
            return ""
        return f'<span title="{self.in_words}">{self.tokens}</span>'

    @property
    def price(self) -> str:
        """The cost; with a mark when it is not all of it."""
        if self.cost is None:
            return ""
        if self.unpriced:
            return f"≥ {money(self.cost)}"
        return money(self.cost)


def total(used: Iterable[Usage], cost: Cost) -> Total:
    """The sum of responses. Input is all that the model was given, also from and to the cache."""
    sums: dict[str, int] = {}
    spent: int | None = None
    unpriced = 0
    for usage in used:
        parts = [getattr(usage, field) for field in _FIELDS.values()]
        for name, part in zip(_FIELDS, parts, strict=True):
            if part is not None:
                sums[name] = sums.get(name, 0) + part
        price = cost(usage)
        if price is not None:
            spent = (spent or 0) + price
        elif any(parts):
            unpriced += 1
    given = [sums[name] for name in _INPUT if name in sums]
    in_words = ", ".join(f"{name} {sums[name]:,}" for name in _FIELDS if name in sums)
    return Total(
        input=sum(given) if given else None,
        output=sums.get("output"),
        cost=spent,
        unpriced=unpriced,
        in_words=in_words,
    )
