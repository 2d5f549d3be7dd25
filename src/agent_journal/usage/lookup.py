"""The prices of genai-prices, as far as tokens of text go. Imported only when a model must be
looked up.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelPrice, StartDateConstraint, TieredPrices, TimeOfDateConstraint

from agent_journal.store.catalog.sums import QUARTER
from agent_journal.usage.prices import KINDS, SCALE, Price

_EPOCH = date(1970, 1, 1)
# Who makes the models that several sell: `glm-4.6` is in no provider's own pattern.
_MAKERS = {
    "glm": "zai",
    "kimi": "moonshotai",
    "qwen": "openrouter",
    "minimax": "openrouter",
    "grok": "x-ai",
}


def look_up(model: str) -> list[Price] | None:
    """The prices of a model by its plain name; None when it is not known."""
    found = _find(model)
    if found is None:
        return None
    told = found.prices
    if isinstance(told, ModelPrice):
        return [Price(None, None, _rates(told))]
    prices = []
    for conditional in told:
        start, hours = None, None
        if isinstance(conditional.constraint, StartDateConstraint):
            start = (conditional.constraint.start_date - _EPOCH).days
        elif isinstance(conditional.constraint, TimeOfDateConstraint):
            hours = (
                _quarter(conditional.constraint.start_time),
                _quarter(conditional.constraint.end_time),
            )
        prices.append(Price(start, hours, _rates(conditional.prices)))
    return prices


def latest_price() -> str:
    """The newest day in the past from which a price is given: the table is at least as new."""
    today = datetime.now(UTC).date()
    days = [
        conditional.constraint.start_date
        for provider in get_snapshot().providers
        for model in provider.models
        if not isinstance(model.prices, ModelPrice)
        for conditional in model.prices
        if isinstance(conditional.constraint, StartDateConstraint)
    ]
    return max((day for day in days if day <= today), default=_EPOCH).isoformat()


def _find(model: str) -> Any:
    maker = next((provider for start, provider in _MAKERS.items() if model.startswith(start)), None)
    for provider in (None, maker, "openrouter") if maker else (None,):
        try:
            return get_snapshot().find_provider_model(model, None, provider, None)[1]
        except LookupError:
            continue
    return None


def _rates(price: ModelPrice) -> dict[str, list[tuple[int, int]]]:
    found = {}
    for kind in KINDS:
        value = getattr(price, f"{kind}_mtok", None)
        if isinstance(value, TieredPrices):
            found[kind] = [
                (-1, _whole(value.base)),
                *((tier.start, _whole(tier.price)) for tier in value.tiers),
            ]
        elif value is not None:
            found[kind] = [(-1, _whole(value))]
    return found


def _whole(rate: Decimal) -> int:
    return int((rate * SCALE).to_integral_value())


def _quarter(when: time) -> int:
    offset = when.utcoffset()
    minutes = when.hour * 60 + when.minute - (int(offset.total_seconds() // 60) if offset else 0)
    return minutes * 60_000_000 // QUARTER % 96
