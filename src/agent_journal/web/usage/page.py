"""Usage: cost by day and model, a calendar, the most expensive sessions, by agent and project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.errors import UsageError
from agent_journal.export.html.figures import counted, money, short
from agent_journal.export.prose import in_tag, short_title
from agent_journal.journal import Journal
from agent_journal.query.filters import Query
from agent_journal.store.catalog.search_rows import session_rows
from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.text.human import short_path
from agent_journal.usage.overview import UsageOverview, usage_overview
from agent_journal.usage.report import PERIODS, Line, report
from agent_journal.usage.zones import Calendar
from agent_journal.web.addresses import link, session_address
from agent_journal.web.charts import (
    HATCHING,
    SERIES,
    Bar,
    Day,
    calendar,
    legend,
    numbers,
    stacked_bars,
    table,
)
from agent_journal.web.context import context_of
from agent_journal.web.frame import page, respond
from agent_journal.web.narrowed import Narrowed, narrowing, read_narrowed

_PATH = "/usage"
_SHOWN = 15  # lines of a table
_MOST_DAYS = 100  # as bars; of more, weeks are shown
_MOST_WEEKS = 110
_MOST_BARS = 400
_NEVER = "9999"  # after the name of every period
_MICRO = 1_000_000
_COLUMNS = ("cost", "tokens", "requests")
_UNKNOWN = '<span class="meta">not known</span>'


class Shown(NamedTuple):
    """What the page shows."""

    usage: UsageOverview
    period: str
    year: list[Line]  # by day
    rows: dict[int, SessionRow]  # of the most expensive sessions


def usage_page(request: Request) -> Response:
    """What the sessions cost."""
    asked = read_narrowed(_PATH, request.query_params, since="30d")
    period = request.query_params.get("by", "")
    if period and period not in PERIODS:
        raise UsageError(f"by is one of {', '.join(PERIODS)}")
    query = asked.query
    context = context_of(request)
    with context.journal() as journal:
        shown = context.remembered.get(
            journal, ("usage", asked, period), lambda: _collect(journal, query, period)
        )
    main = [
        '<div class="place"><h1>Usage</h1>\n',
        *narrowing(asked),
        HATCHING,
        *_body(shown, asked),
        "</div>\n",
    ]
    return respond(page("Usage · aj", main, place=_PATH))


def _collect(journal: Journal, query: Query, period: str) -> Shown:
    days = Calendar(None)
    db = journal.find_db()
    book = journal.prices()
    period = period or _fitting(query)
    usage = usage_overview(db, book, period, query, days)
    year = datetime.now().astimezone() - timedelta(days=371)
    whole = query._replace(since=year, until=None)
    by_day = report(db, book, "daily", whole, days.labels("daily"), days).lines
    rows: dict[int, SessionRow] = {}
    if db is not None:
        rows = session_rows(db, [line.key for line in usage.sessions[:_SHOWN]])
    return Shown(usage, period, by_day, rows)


def _fitting(query: Query) -> str:
    """The period of a bar: days, unless there would be too many of them."""
    if query.since is None:
        return "monthly"
    until = query.until or datetime.now().astimezone()
    days = (until - query.since).days
    if days <= _MOST_DAYS:
        return "daily"
    if days <= _MOST_WEEKS * 7:
        return "weekly"
    return "monthly"


# -- HTML ------------------------------------------------------------------------------------------


def _body(shown: Shown, asked: Narrowed) -> Iterator[str]:
    usage = shown.usage
    if not usage.periods:
        yield '<p class="remark">No usage is recorded for this time.</p>\n'
    else:
        yield f'<p class="lead">{_sum(usage.total)}</p>\n'
        yield from _without_price(usage)
        yield from _bars(shown, asked)
    yield "<h2>The last year</h2>\n"
    yield from _year(shown.year, asked)
    if not usage.periods:
        return
    yield '<div class="grid">\n<section>'
    yield from _group("Models", "model", _model_rows(usage.models))
    yield "</section><section>"
    yield from _group("Agents", "agent", _named_rows(usage.agents, asked, "agent"))
    yield "</section><section>"
    yield from _group("Projects", "project", _named_rows(usage.projects, asked, "project"))
    yield "</section><section>"
    yield from _group("Most expensive sessions", "session", _session_rows(shown))
    yield "</section></div>\n"
    yield f'<p class="meta">{_prices(usage)}</p>\n'


def _sum(line: Line) -> str:
    parts = [f"<b>{_cost(line)}</b>"]
    if line.total is not None:
        parts.append(f"{short(line.total)} tokens")
    parts.append(counted(line.requests, "request"))
    if line.premium:
        parts.append(f"{line.premium:,g} premium requests")
    return " · ".join(parts)


def _cost(line: Line) -> str:
    """The cost of a line; with a mark where it is not all of it."""
    if line.cost_micro_usd is None:
        return _UNKNOWN
    cost = money(line.cost_micro_usd)
    if line.unpriced:
        return f'<span title="some of it has no price">{cost} + ?</span>'
    return cost


def _without_price(usage: UsageOverview) -> Iterator[str]:
    unpriced = usage.total.unpriced
    if not unpriced:
        return
    known = sorted(unpriced.items(), key=lambda item: -(item[1] or 0))
    names = [f"{in_tag(model, 40)} ({_tokens(tokens)})" for model, tokens in known[:5]]
    if len(known) > len(names):
        names.append(f"{len(known) - len(names)} more")
    missing = ", ".join(names)
    yield f'<p class="remark">The cost of {missing} is not known; the sums leave it out.</p>\n'


def _tokens(tokens: int | None) -> str:
    if tokens is None:
        return "tokens not recorded"
    return f"{short(tokens)} tokens"


def _bars(shown: Shown, asked: Narrowed) -> Iterator[str]:
    usage = shown.usage
    series = [str(line.key) for line in usage.models if line.cost_micro_usd is not None]
    named = series[: SERIES - 1]
    parts: dict[str, dict[int, float]] = {}
    for line in usage.model_periods:
        when, model = line.key
        place = named.index(model) if model in named else SERIES - 1
        values = parts.setdefault(when, {})
        values[place] = values.get(place, 0) + (line.cost_micro_usd or 0) / _MICRO
    lines = {line.key: line for line in usage.periods}
    bars = [
        _bar(when, lines.get(when), parts.get(when, {}), asked, shown.period)
        for when in _without_gaps(list(lines), shown.period, asked.query)
    ]
    names = [*named]
    if len(series) > len(named):
        names += ["others"] if len(names) == SERIES - 1 else []
    yield f"<h2>Cost {_BY[shown.period]}</h2>\n"
    yield from stacked_bars(bars, lambda dollars: money(round(dollars * _MICRO)))
    yield from legend(names, any(bar.is_partial for bar in bars))
    rows = [
        [
            f'<a href="{_narrowed_to(asked, line.key, shown.period)}">{in_tag(line.key)}</a>',
            *_figures(line),
            ", ".join(in_tag(model, 40) for model in line.models),
        ]
        for line in reversed(usage.periods)
    ]
    yield from numbers((_BY[shown.period][3:], *_COLUMNS, "models"), rows, "Cost")


_BY = {"daily": "by day", "weekly": "by week", "monthly": "by month"}


def _bar(
    when: str, line: Line | None, values: dict[int, float], asked: Narrowed, period: str
) -> Bar:
    name = when
    if period != "monthly" and len(when) == 10:
        name = when[5:]
    if line is None:
        return Bar(name, (), f"{when}: nothing used")
    cost = "cost not known"
    if line.cost_micro_usd is not None:
        cost = money(line.cost_micro_usd)
        if line.unpriced:
            cost += ", and some without a price"
    title = f"{when}: {cost} ({', '.join(line.models)})"
    address = _narrowed_to(asked, when, period)
    is_partial = bool(line.unpriced) or line.cost_micro_usd is None
    return Bar(name, sorted(values.items()), title, is_partial, address)


def _narrowed_to(asked: Narrowed, when: str, period: str) -> str:
    """The address of the page for one period only."""
    if period != "weekly" or len(when) != 10:
        return asked.link(since=when, until=when)
    monday = date.fromisoformat(when)
    return asked.link(since=when, until=(monday + timedelta(days=6)).isoformat())


def _without_gaps(names: Sequence[str], period: str, query: Query) -> list[str]:
    """The periods of the time that was asked for; those in which nothing was used, too."""
    known = [name for name in names if name != "unknown"]
    found: list[str] = []
    if known:
        first, last = _ends(query, period)
        name, last = min([*known, first]), max([*known, last])
        while name <= last and len(found) < _MOST_BARS:
            found.append(name)
            name = _next(name, period)
    if len(found) == _MOST_BARS:  # of a clock that was far wrong
        found = sorted(known)[-_MOST_BARS:]
    if len(known) < len(names):
        found.append("unknown")
    return found


def _ends(query: Query, period: str) -> tuple[str, str]:
    """The periods with which a chart begins and ends; without a limit, what is known decides."""
    first, last = _NEVER, ""
    if query.since is not None:
        first = _period_of(query.since, period)
        last = _period_of(datetime.now().astimezone(), period)
    if query.until is not None:
        last = min(last, _period_of(query.until, period))
    return first, last


def _period_of(when: datetime, period: str) -> str:
    day = when.astimezone().date()
    if period == "monthly":
        return day.isoformat()[:7]
    if period == "weekly":
        day -= timedelta(days=day.weekday())
    return day.isoformat()


def _next(name: str, period: str) -> str:
    """The period after one."""
    if period == "monthly":
        first = date.fromisoformat(f"{name}-01")
        return (first + timedelta(days=31)).isoformat()[:7]
    days = 7 if period == "weekly" else 1
    return (date.fromisoformat(name) + timedelta(days=days)).isoformat()


def _year(lines: Iterable[Line], asked: Narrowed) -> Iterator[str]:
    days: dict[date, Day] = {}
    rows = []
    for line in lines:
        if line.key == "unknown":
            continue
        address = asked.link(since=line.key, until=line.key)
        cost = "cost not known"
        value = None
        if line.cost_micro_usd is not None:
            value = line.cost_micro_usd / _MICRO
            cost = money(line.cost_micro_usd)
        title = f"{line.key}: {cost}"
        days[date.fromisoformat(line.key)] = Day(value, title, bool(line.unpriced), address)
        rows.append([f'<a href="{address}">{in_tag(line.key)}</a>', *_figures(line)])
    yield from calendar(days, datetime.now().astimezone().date())
    yield from numbers(("day", *_COLUMNS), rows[::-1], "The last year")


def _group(title: str, name: str, rows: Iterable[list[str]]) -> Iterator[str]:
    yield f"<h2>{title}</h2>\n"
    yield from table((name, *_COLUMNS), list(rows), title)


def _figures(line: Line) -> list[str]:
    tokens = _UNKNOWN
    if line.total is not None:
        tokens = short(line.total)
    return [_cost(line), tokens, f"{line.requests:,}"]


def _model_rows(lines: Sequence[Line]) -> Iterator[list[str]]:
    for line in lines[:_SHOWN]:
        name = in_tag(str(line.key), 60) or "(no name)"
        address = link("/", q=f"model:{line.key}")
        yield [f'<a href="{address}">{name}</a>', *_figures(line)]
    yield from _rest(lines)


def _named_rows(lines: Sequence[Line], asked: Narrowed, field: str) -> Iterator[list[str]]:
    for line in lines[:_SHOWN]:
        name = in_tag(short_path(str(line.key)), 60)
        if not line.key:
            yield [f"(no {field})", *_figures(line)]
        else:
            address = asked.link(**{field: line.key})
            yield [f'<a href="{address}">{name}</a>', *_figures(line)]
    yield from _rest(lines)


def _session_rows(shown: Shown) -> Iterator[list[str]]:
    lines = shown.usage.sessions
    for line in lines[:_SHOWN]:
        row = shown.rows.get(line.key)
        name = "(no session)"
        if row is not None:
            title = in_tag(short_title(row.title), 80) or "(no title)"
            name = f'<a href="{session_address(row)}" dir="auto">{title}</a>'
        yield [name, *_figures(line)]
    yield from _rest(lines)


def _rest(lines: Sequence[Line]) -> Iterator[list[str]]:
    """One line for those that are not shown."""
    rest = lines[_SHOWN:]
    if not rest:
        return
    total = Line("rest")
    for line in rest:
        total.include(line)
    yield [f'<span class="meta">{len(rest):,} more</span>', *_figures(total)]


def _prices(usage: UsageOverview) -> str:
    book = usage.book
    if not book.version:
        return "genai-prices is not installed: only costs that agents recorded are shown."
    text = f"Prices: genai-prices {in_tag(book.version, 40)}"
    if book.dated:
        text += f", up to {in_tag(book.dated, 40)}"
    return f"{text}. The same figures: <code>aj usage</code>."
