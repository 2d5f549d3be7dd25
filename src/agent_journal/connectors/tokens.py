"""What connectors share about tokens and costs."""

from __future__ import annotations

_MICRO = 1_000_000


def fresh_tokens(sent: int | None, *cached: int | None) -> int | None:
    """The input without the cached parts of it; what is larger cannot be a part of it."""
    part = sum(tokens or 0 for tokens in cached)
    if sent is None or part > sent:
        return sent
    return sent - part


def micro_dollars(dollars: object) -> int | None:
    """A cost; None for 0, which stands for a model without a price, too."""
    if isinstance(dollars, bool) or not isinstance(dollars, (int, float)):
        return None
    if not 0 < dollars < _MICRO:
        return None
    return round(dollars * _MICRO)
