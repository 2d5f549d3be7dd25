"""The prices of genai-prices for text tokens. Imported only when a model has to be looked up."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelPrice, StartDateConstraint, TieredPrices, TimeOfDateConstraint

from agent_journal.store.catalog.sum_classes import QUARTER
from agent_journal.text.names import listed_names
from agent_journal.usage.prices import KINDS, SCALE, Price

_EPOCH = date(1970, 1, 1)
# Who makes the models that several providers sell: `glm-4.6` matches no provider's pattern.
_MAKERS = {
    "glm": "zai",
    "kimi": "moonshotai",
    "qwen": "openrouter",
    "minimax": "openrouter",
    "grok": "x-ai",
}


def look_up(model: str) -> list[Price] | None:
    """The prices of a model by the agent's name for it; None when it is not known."""
    found = next(filter(None, map(_find, listed_names(model))), None)
    if found is None:
        return None
    if isinstance(found.prices, ModelPrice):
        return [Price(None, None, _rates(found.prices))]
    return [_conditional_price(conditional) for conditional in found.prices]


def _conditional_price(conditional: Any) -> Price:
    start_day = None
    hours = None
    constraint = conditional.constraint
    if isinstance(constraint, StartDateConstraint):
        start_day = (constraint.start_date - _EPOCH).days
    elif isinstance(constraint, TimeOfDateConstraint):
        hours = (_quarter(constraint.start_time), _quarter(constraint.end_time))
    return Price(start_day, hours, _rates(conditional.prices))


def latest_price() -> str:
    """The newest past day with a dated price: the table is at least as new."""
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
    providers: list[str | None] = [None]
    for start, maker in _MAKERS.items():
        if model.startswith(start):
            providers += [maker, "openrouter"]
    for provider in providers:
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
            tiers = [(tier.start, _whole(tier.price)) for tier in value.tiers]
            found[kind] = [(-1, _whole(value.base)), *tiers]
        elif value is not None:
            found[kind] = [(-1, _whole(value))]
    return found


def _whole(rate: Decimal) -> int:
    return int((rate * SCALE).to_integral_value())


def _quarter(when: time) -> int:
    minutes = when.hour * 60 + when.minute
    offset = when.utcoffset()
    if offset is not None:
        minutes -= int(offset.total_seconds() // 60)
    return minutes * 60_000_000 // QUARTER % 96
