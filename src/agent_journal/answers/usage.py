"""`usage`: tokens and what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, cast

from agent_journal.answers.answer import Answer, page_answer

if TYPE_CHECKING:
    from agent_journal.store.catalog.session_names import SessionName
    from agent_journal.usage.prices import Book
    from agent_journal.usage.report import Line, Report

_CREDITS_PER_DOLLAR = 100


class UsageNumbers(TypedDict):
    """Tokens and what they cost."""

    requests: int
    input_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    cache_write_1h_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    total_tokens: int | None
    cost_micro_usd: int | None
    recorded_cost_micro_usd: int | None
    premium_requests: float | None
    web_searches: int | None
    credits: float | None
    unpriced: dict[str, int | None]
    models: dict[str, int | None]
    agents: list[str]


class UsageItem(UsageNumbers):
    """What was used in one period, by one model, project or agent, or in one session.

    Sessions have `agent`, `session_id` and `title`, everything else has `key`.
    """

    key: NotRequired[str]
    agent: NotRequired[str | None]
    session_id: NotRequired[str | None]
    title: NotRequired[str | None]


class PricesItem(TypedDict):
    """Which price table was used; null where none is installed."""

    source: str
    version: str | None
    dated: str | None


class UsageExtra(TypedDict):
    """How the items are grouped, their sum, and whose prices they are."""

    group: str
    totals: UsageItem
    prices: PricesItem


def usage_answer(
    report: Report,
    lines: Sequence[Line],
    group: str,
    sessions: Mapping[int, SessionName],
    limit: int | None,
) -> Answer:
    """Return some lines of a report; `sessions` has the names of sessions by their row id."""
    items = []
    for line in lines:
        item = cast("UsageItem", usage_numbers(line))
        if group == "session":
            item.update(_session(sessions.get(line.key)))
        else:
            item["key"] = line.key
        items.append(item)
    totals = cast("UsageItem", usage_numbers(report.total))
    totals["key"] = report.total.key
    return page_answer(
        "usage",
        items,
        total=len(report.lines),
        limit=limit,
        group=group,
        totals=totals,
        prices=prices_item(report.book),
    )


def prices_item(book: Book) -> PricesItem:
    """Return which price table was used."""
    return PricesItem(source="genai-prices", version=book.version, dated=book.dated)


def _session(name: SessionName | None) -> Any:
    if name is None:
        return {"agent": None, "session_id": None, "title": None}
    return {"agent": name.agent, "session_id": name.id, "title": name.title}


def usage_numbers(line: Line) -> UsageNumbers:
    """Return the numbers of a line."""
    credits = None
    if line.credits_micro is not None:
        credits = line.credits_micro * _CREDITS_PER_DOLLAR / 1_000_000
    return UsageNumbers(
        requests=line.requests,
        input_tokens=line.input,
        cache_read_tokens=line.cache_read,
        cache_write_tokens=line.cache_write,
        cache_write_1h_tokens=line.cache_write_1h,
        output_tokens=line.output,
        reasoning_tokens=line.reasoning,
        total_tokens=line.total,
        cost_micro_usd=line.cost_micro_usd,
        recorded_cost_micro_usd=line.recorded,
        premium_requests=line.premium,
        web_searches=line.web_searches,
        credits=credits,
        unpriced=line.unpriced,
        models=line.models,
        agents=list(line.agents),
    )
