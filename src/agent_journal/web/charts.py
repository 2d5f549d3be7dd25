"""Charts as SVG, each beside a table of its numbers: what is not known is hatched, never 0.

Script and readers of screens have the table; the chart itself is only looked at, so its links
cannot be reached with Tab.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from agent_journal.export.prose import in_tag

SERIES = 7  # that have a colour of their own; the last one is for the rest
_WIDTH = 960
_HEIGHT = 240
_LEFT = 56
_RIGHT = 12  # half of the last name may be there
_TOP = 16
_BOTTOM = 22
_GRID_LINES = 4
_LETTER = 8.0  # of the larger ones on a phone
_HATCH = 10  # height of what is not known
_CELL = 15
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_LEVELS = 4
_WEEKS = 53
# What is not known is filled with this; a page with charts has it once
HATCHING = (
    '<svg class="unseen" aria-hidden="true"><pattern id="hatch" width="5" height="5" '
    'patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<path class="hatch" d="M0 0V5"/></pattern></svg>\n'
)


class Bar(NamedTuple):
    """One bar: a value for each series; `is_partial` where not all of it is known."""

    name: str
    values: Sequence[tuple[int, float]]  # a series, and its value
    title: str
    is_partial: bool = False
    address: str = ""  # escaped

    @property
    def total(self) -> float:
        """Its height."""
        return sum(value for _, value in self.values)


def stacked_bars(bars: Sequence[Bar], number: Callable[[float], str]) -> Iterator[str]:
    """Bars of several series on each other."""
    top = _round_up(max((bar.total for bar in bars), default=0) or 1)
    plot = _HEIGHT - _TOP - _BOTTOM
    yield '<div class="scrolls from-end" tabindex="0" role="group" aria-label="Chart">'
    yield _opening(_WIDTH, _HEIGHT)
    for step in range(_GRID_LINES + 1):
        y = _TOP + plot * (1 - step / _GRID_LINES)
        yield f'<path class="grid-line" d="M{_LEFT} {y:.1f}H{_WIDTH}"/>'
        words = in_tag(number(top * step / _GRID_LINES))
        yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{words}</text>'
    width = (_WIDTH - _LEFT - _RIGHT) / max(1, len(bars))
    every = max(1, math.ceil(_longest(bars) * _LETTER / width))
    for place, bar in enumerate(bars):
        left = _LEFT + place * width
        yield from _bar(bar, left, width, plot / top, plot + _TOP)
        if place % every == 0:
            yield (
                f'<text x="{left + width / 2:.1f}" y="{_HEIGHT - 6}" text-anchor="middle">'
                f"{in_tag(bar.name, 20)}</text>"
            )
    yield "</svg></div>\n"


def _bar(bar: Bar, left: float, width: float, scale: float, floor: float) -> Iterator[str]:
    inner = max(1.0, width * 0.8)
    x = left + (width - inner) / 2
    y = floor
    if bar.address:
        yield f'<a href="{bar.address}" tabindex="-1">'
    yield f"<g><title>{in_tag(bar.title, 300)}</title>"
    for series, value in bar.values:
        height = value * scale
        y -= height
        yield _box(x, y, inner, height, f"s{min(series, SERIES - 1)}")
    if bar.is_partial:
        yield _box(x, y - _HATCH, inner, _HATCH, "hatched", 'fill="url(#hatch)"')
    yield "</g>"
    if bar.address:
        yield "</a>"


def legend(names: Sequence[str], has_unknown: bool) -> Iterator[str]:
    """Which colour is which series."""
    yield '<ul class="key">'
    for place, name in enumerate(names):
        square = _box(0, 0, 10, 10, f"s{min(place, SERIES - 1)}")
        yield f"<li>{_small(square)}{in_tag(name, 60)}</li>"
    if has_unknown:
        square = _box(0, 0, 10, 10, "hatched", 'fill="url(#hatch)"')
        yield f"<li>{_small(square)}cost not known</li>"
    yield "</ul>\n"


# -- calendars -------------------------------------------------------------------------------------


class Day(NamedTuple):
    """A day of a calendar; None: something happened, how much is not known."""

    value: float | None
    title: str
    is_partial: bool = False
    address: str = ""  # escaped


def calendar(days: Mapping[date, Day], last: date) -> Iterator[str]:
    """A year until a day: a column is a week."""
    monday = last - timedelta(days=last.weekday(), weeks=_WEEKS - 1)
    most = _most(day.value for day in days.values())
    yield '<div class="scrolls from-end" tabindex="0" role="group" aria-label="Chart">'
    yield _opening(36 + _WEEKS * _CELL, 20 + 7 * _CELL, "chart calendar")
    for weekday in (0, 2, 4):
        yield f'<text x="0" y="{31 + weekday * _CELL}">{DAYS[weekday]}</text>'
    for week in range(_WEEKS):
        first = monday + timedelta(weeks=week)
        if first.day <= 7:
            yield f'<text x="{32 + week * _CELL}" y="12">{_MONTHS[first.month - 1]}</text>'
        for weekday in range(7):
            when = first + timedelta(days=weekday)
            if when <= last:
                x, y = 32 + week * _CELL, 20 + weekday * _CELL
                yield _day(days.get(when, Day(0, when.isoformat())), x, y, most)
    yield "</svg></div>\n"


def _day(day: Day, x: float, y: float, most: float) -> str:
    side = _CELL - 3
    shade = _box(x, y, side, side, f"c{level(day.value or 0, most)}", 'rx="2"')
    if day.value is None or day.is_partial:
        shade += _box(x, y, side, side, "hatched", 'rx="2" fill="url(#hatch)"')
    cell = f"<g><title>{in_tag(day.title, 200)}</title>{shade}</g>"
    if day.address:
        return f'<a href="{day.address}" tabindex="-1">{cell}</a>'
    return cell


def week_hours(counts: Sequence[Sequence[int]], what: str) -> Iterator[str]:
    """Weekdays by hours of the day."""
    most = _most(float(count) for row in counts for count in row)
    width, height = 26, 20
    yield '<div class="scrolls" tabindex="0" role="group" aria-label="Chart">'
    yield _opening(40 + 24 * width, 20 + 7 * height)
    for hour in range(0, 24, 3):
        yield f'<text x="{40 + hour * width}" y="12">{hour:02d}</text>'
    for weekday, row in enumerate(counts):
        y = 18 + weekday * height
        yield f'<text x="0" y="{y + 13}">{DAYS[weekday]}</text>'
        for hour, count in enumerate(row):
            shade = f"c{level(count, most)}"
            cell = _box(40 + hour * width, y, width - 3, height - 3, shade, 'rx="2"')
            title = f"{DAYS[weekday]} {hour:02d}:00: {count:,} {what}"
            yield f"<g><title>{in_tag(title)}</title>{cell}</g>"
    yield "</svg></div>\n"


def share_bar(share: float | None) -> str:
    """A share as a short bar: hatched where it is not known."""
    if share is None:
        inside = _box(0, 0, 60, 10, "hatched", 'fill="url(#hatch)"')
    else:
        inside = _box(0, 0, 60, 10, "c0") + _box(0, 0, 60 * share, 10, "s1")
    return f'<svg class="chart share" viewBox="0 0 60 10" aria-hidden="true">{inside}</svg>'


def level(value: float, most: float) -> int:
    """A shade from 0 for nothing to 4."""
    if value <= 0:
        return 0
    if most <= 0:
        return 1
    return min(_LEVELS, 1 + int(_LEVELS * math.sqrt(value / most) * 0.999))


def _most(values: Iterator[float | None]) -> float:
    return max((value for value in values if value is not None), default=0)


# -- tables ----------------------------------------------------------------------------------------


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> Iterator[str]:
    """A table of figures; columns and caption are text, cells are HTML."""
    yield f'<div class="wide" tabindex="0" role="group" aria-label="{in_tag(caption)}">'
    yield f'<table class="figures"><caption class="unseen">{in_tag(caption)}'
    yield "</caption><thead><tr>"
    for column in columns:
        yield _heading(column)
    yield "</tr></thead><tbody>\n"
    for first, *others in rows:
        yield f'<tr><th scope="row">{first}</th>'
        yield "".join(f"<td>{cell}</td>" for cell in others)
        yield "</tr>\n"
    yield "</tbody></table></div>\n"


def numbers(columns: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> Iterator[str]:
    """The numbers of a chart, behind a line that opens."""
    yield f'<details class="numbers"><summary>{in_tag(caption)} in numbers</summary>'
    yield from table(columns, rows, caption)
    yield "</details>\n"


# -- parts -----------------------------------------------------------------------------------------


def _opening(width: float, height: float, kind: str = "chart") -> str:
    return f'<svg class="{kind}" viewBox="0 0 {width} {height}" aria-hidden="true">'


def _small(inside: str) -> str:
    return f'<svg class="chart" viewBox="0 0 10 10" aria-hidden="true">{inside}</svg>'


def _box(x: float, y: float, width: float, height: float, kind: str, more: str = "") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{max(0, height):.1f}"'
    return f'<rect class="{kind}" {place} {more}/>'


def _longest(bars: Sequence[Bar]) -> int:
    return max((len(bar.name) + 2 for bar in bars), default=1)


def _round_up(value: float) -> float:
    """The next number that is easy to divide by four."""
    size = 10.0 ** math.floor(math.log10(value))
    for step in (1, 2, 4, 6, 8, 10):
        if value <= step * size:
            return step * size
    return value


def _heading(column: str) -> str:
    """The heading of a column; one without a name is an empty cell."""
    if not column:
        return "<td></td>"
    return f'<th scope="col">{in_tag(column, 40)}</th>'
