"""What single responses cost: as the agent recorded it, or by the prices."""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.model import Usage
from agent_journal.store.catalog.sum_classes import SIZES
from agent_journal.store.catalog.usage_rows import quarter_of
from agent_journal.text.dates import to_micros
from agent_journal.usage.prices import SCALE, Book, Tokens


def learn_prices(book: Book, responses: Iterable[Usage]) -> None:
    """Look up the prices of the models that responded, all at once."""
    unpriced = (usage for usage in responses if usage.model and usage.cost_micro_usd is None)
    book.learn({usage.model or "" for usage in unpriced})


def cost_of(book: Book, usage: Usage) -> int | None:
    """Micro-dollars; None when the tokens or the price are not known."""
    if usage.cost_micro_usd is not None:
        return usage.cost_micro_usd
    if usage.input_tokens is None or usage.output_tokens is None or not usage.model:
        return None
    tokens = Tokens(
        input=usage.input_tokens,
        cache_read=usage.cache_read_tokens,
        cache_write=usage.cache_write_tokens,
        cache_write_1h=usage.cache_write_1h_tokens,
        output=usage.output_tokens,
    )
    quarter = -1
    if usage.timestamp is not None:
        quarter = max(-1, quarter_of(to_micros(usage.timestamp)))
    prompt = tokens.prompt // max(1, usage.requests)
    size_class = sum(prompt > size for size in SIZES)
    rates = book.rates(usage.model, quarter, size_class)
    if rates is None:
        return None
    return (tokens.cost(rates) + SCALE // 2) // SCALE
