"""What `aj usage` says below its table: what is not shown, and what has no price."""

from __future__ import annotations

from collections.abc import Sequence

from agent_journal.cli.output import note
from agent_journal.text.human import compact_count, plural
from agent_journal.text.plain import one_line
from agent_journal.usage.prices import Book
from agent_journal.usage.report import Line, Report

_NAMED = 2  # models without a price, unless -v asks for all


def print_notes(found: Report, lines: Sequence[Line], verbose: bool) -> None:
    """Print notes about the lines of a report that are shown."""
    if len(lines) < len(found.lines):
        note(f"{len(lines):,} of {len(found.lines):,} lines; -n {len(found.lines)} shows all")
    if verbose:
        _print_details(found)
        return
    missing = _without_cost(found.total)
    if missing:
        note(f"cost not known: {missing}; -v says why")


def _without_cost(total: Line) -> str:
    """Return on one line what has no known cost; empty where everything has one."""
    models = _unpriced_models(total)
    parts = []
    for model, tokens in models[:_NAMED]:
        parts.append(f"{one_line(model, 24)} ({compact_count(tokens)} tokens)")
    if len(models) > _NAMED:
        parts.append(plural(len(models) - _NAMED, "more model"))
    if total.web_searches:
        parts.append(f"web searches ({total.web_searches:,})")
    return ", ".join(parts)


def _unpriced_models(total: Line) -> list[tuple[str, int | None]]:
    return sorted(total.unpriced.items(), key=lambda item: -(item[1] or 0))


def _print_details(found: Report) -> None:
    if found.total.web_searches:
        note(f"web searches: {found.total.web_searches:,}, which have no price here")
    for model, tokens in _unpriced_models(found.total):
        note(f"unpriced: {one_line(model, 60)}{_why_unpriced(found.book, model, tokens)}")
    note(f"prices: {_price_table(found.book)}")


def _why_unpriced(book: Book, model: str, tokens: int | None) -> str:
    if tokens is None:
        return ": its tokens were not recorded"
    if book.is_priced(model):
        return f", {tokens:,} tokens: not all its tokens were recorded"
    return f", {tokens:,} tokens: no price is known"


def _price_table(book: Book) -> str:
    if not book.version:
        return "genai-prices is not installed"
    if not book.dated:
        return f"genai-prices {book.version}"
    return f"genai-prices {book.version}, with prices up to {book.dated}"
