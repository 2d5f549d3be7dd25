"""Amounts in a query: `>5`, `<=0.5`, `1..5`, `100`."""

from __future__ import annotations

import re
from typing import NamedTuple

_AMOUNT = r"\$?([0-9]{1,15}(?:\.[0-9]{1,9})?)"
_COMPARED = re.compile(rf"(>=|<=|>|<|=|){_AMOUNT}")
_RANGE = re.compile(rf"{_AMOUNT}\.\.{_AMOUNT}")


class Amounts(NamedTuple):
    """A range of numbers; None is open."""

    low: float | None = None
    high: float | None = None
    with_low: bool = True
    with_high: bool = True

    def contains(self, amount: float) -> bool:
        """Whether a number is in the range."""
        return not self._is_below(amount) and not self._is_above(amount)

    def _is_below(self, amount: float) -> bool:
        if self.low is None or amount > self.low:
            return False
        return amount < self.low or not self.with_low

    def _is_above(self, amount: float) -> bool:
        if self.high is None or amount < self.high:
            return False
        return amount > self.high or not self.with_high


def parse_amounts(text: str) -> Amounts | None:
    """The range that a text means; None when it means none."""
    found = _RANGE.fullmatch(text)
    if found:
        low, high = float(found[1]), float(found[2])
        if low > high:
            return None
        return Amounts(low, high)
    found = _COMPARED.fullmatch(text)
    if found is None:
        return None
    sign = found[1]
    amount = float(found[2])
    if sign.startswith(">"):
        return Amounts(low=amount, with_low=sign == ">=")
    if sign.startswith("<"):
        return Amounts(high=amount, with_high=sign == "<=")
    return Amounts(amount, amount)
