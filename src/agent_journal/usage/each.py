"""What single responses cost: as the agent wrote it down, or by the prices."""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.model import Usage
from agent_journal.store.catalog.sums import QUARTER, SIZES
from agent_journal.text.dates import to_micros
from agent_journal.text.names import model_name
from agent_journal.usage.prices import SCALE, Book, Tokens


def learn_prices(book: Book, used: Iterable[Usage]) -> None:
    """Looks up the prices of the models that were used, all at once."""
    book.learn({model_name(one.model) for one in used if one.model and one.cost_micro_usd is None})


def cost_of(book: Book, usage: Usage) -> int | None:
    """Micro-dollars; None when the tokens or the price are not known."""
    if usage.cost_micro_usd is not None:
        return usage.cost_micro_usd
    if usage.input_tokens is None or usage.output_tokens is None or not usage.model:
        return None
    tokens = Tokens(
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        usage.cache_write_1h_tokens,
        usage.output_tokens,
    )
    prompt = sum(part or 0 for part in tokens[:3]) // max(1, usage.requests)
    quarter = (
        -1 if usage.timestamp is None else max(-1, (to_micros(usage.timestamp) or 0) // QUARTER)
    )
    rates = book.rates(model_name(usage.model), quarter, sum(prompt > size for size in SIZES))
    return None if rates is None else (tokens.cost(rates) + SCALE // 2) // SCALE
