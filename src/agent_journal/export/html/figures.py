"""Times, tokens and money as a page shows them; what is not known is not shown as nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from agent_journal.model import Usage

Cost = Callable[[Usage], int | None]  # micro-dollars


def day_and_time(when: datetime | None) -> str:
    """A time in full."""
    return _time(when, "%Y-%m-%d %H:%M")


def time_only(when: datetime | None) -> str:
    """A time of the day; the day stands with the prompt."""
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
    return f"{count / 1000:.1f}k" if count < 999_500 else f"{count / 1_000_000:.1f}M"


def money(micros: int) -> str:
    """Dollars; small sums with more digits."""
    dollars = micros / 1_000_000
    return (
        f"${dollars:,.2f}"
        if dollars >= 1 or dollars == 0
        else f"${dollars:.3f}"
        if dollars >= 0.001
        else "<$0.001"
    )


class Total(NamedTuple):
    """What responses used together. None: no response says so. `unpriced` counts those whose cost
    is not known.
    """

    input: int | None
    output: int | None
    cost: int | None
    unpriced: int
    told: str  # every number in words

    @property
    def tokens(self) -> str:
        """Tokens in little space; empty when there are none to tell of."""
        told = [f"{short(self.input)} in"] if self.input is not None else []
        told += [f"{short(self.output)} out"] if self.output is not None else []
        return " · ".join(told)

    @property
    def price(self) -> str:
        """The cost; with a mark when it is not all of it."""
        if self.cost is None:
            return ""
        return f"{'≥ ' if self.unpriced else ''}{money(self.cost)}"


def total(used: Iterable[Usage], cost: Cost) -> Total:
    """The sum of responses. Input is all that the model was given: fresh, and from and to the
    cache.
    """
    sums: dict[str, int | None] = dict.fromkeys(
        ("fresh input", "cache read", "cache write", "output", "reasoning")
    )
    spent, unpriced = None, 0
    for one in used:
        parts = (
            one.input_tokens,
            one.cache_read_tokens,
            one.cache_write_tokens,
            one.output_tokens,
            one.reasoning_tokens,
        )
        for name, part in zip(sums, parts, strict=True):
            if part is not None:
                sums[name] = (sums[name] or 0) + part
        price = cost(one)
        if price is not None:
            spent = (spent or 0) + price
        elif any(parts):
            unpriced += 1
    given = [
        sums[name]
        for name in ("fresh input", "cache read", "cache write")
        if sums[name] is not None
    ]
    told = ", ".join(f"{name} {count:,}" for name, count in sums.items() if count is not None)
    return Total(sum(map(int, given)) if given else None, sums["output"], spent, unpriced, told)  # type: ignore[arg-type]
