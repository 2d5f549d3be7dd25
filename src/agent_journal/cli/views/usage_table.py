"""The table of `aj usage`: compact with bars on a terminal, all digits in a pipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from agent_journal.cli.output import current_screen, is_utf8
from agent_journal.cli.table import Cell, Column, Table
from agent_journal.store.catalog.session_names import SessionName
from agent_journal.text.human import (
    compact_count,
    human_count,
    human_money,
    short_ids,
    short_path,
)
from agent_journal.text.plain import one_line, safe
from agent_journal.usage.report import Line, Report, sum_of

PERIODS = {"daily": "day", "weekly": "week", "monthly": "month"}
_HEADINGS = {**PERIODS, "blocks": "block"}
_BAR_WIDTH = 8
_FILLING = 0.7  # of a limit
_FULL = 0.9
_WIDE = 100  # columns of a terminal that shows what was cached
_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
_TOTAL = ("bold",)
_NOTHING = Cell("")


class UsageTable:
    """Lines of usage as rows, cost first, and their sums."""

    def __init__(
        self, found: Report, group: str, plain: bool, token_limit: int | None = None
    ) -> None:
        self._found = found
        self._group = group
        self._is_plain = plain
        self._token_limit = token_limit
        width = current_screen().width
        self._is_compact = width is not None and not plain
        self._has_caches = width is None or plain or width >= _WIDE
        self._has_bars = self._is_compact and is_utf8()
        self._has_premium = found.total.premium is not None
        # Bars are of cost, or of tokens where nothing is priced
        self._is_money = bool(found.total.cost_micro_usd)
        self._most = 0

    def print(
        self,
        lines: Sequence[Line],
        names: Sequence[Cell | str],
        titles: Sequence[str] = (),
        gaps: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """Print some lines of the report under their names.

        `gaps` has what is printed before a line, by its place. `--plain` has neither gaps nor sums,
        which would be added twice.
        """
        made = Table(self._columns())
        self._most = max((self._size(line) or 0 for line in lines), default=0)
        for place, line in enumerate(lines):
            if place in gaps and not self._is_plain:
                made.add(gaps[place], *[""] * (len(made.columns) - 1), styles=("dim",))
            share = limit_share(line, self._token_limit)
            numbers = self._numbers(line, self._bar(line), share)
            used = used_by(line, self._group, self._is_compact)
            made.add(names[place], *numbers, used, *titles[place : place + 1])
        if not self._is_plain:
            for total in self._totals(lines):
                rest = [""] * (1 + bool(titles))
                made.add(Cell(str(total.key), _TOTAL), *self._numbers(total, styles=_TOTAL), *rest)
        made.print(self._is_plain)

    def _columns(self) -> list[Column]:
        """Return the columns; on a narrow terminal the caches are left out first."""
        first = Column(_HEADINGS.get(self._group, self._group))
        if self._group in ("model", "project"):
            first = first._replace(least=24, most=40, is_path=self._group == "project")
        columns = [first, Column("cost", is_number=True)]
        if self._has_bars:
            columns.append(Column("", leaves=2))
        columns.append(Column("tokens", is_number=True))
        if self._token_limit is not None:
            columns.append(Column("limit", is_number=True))
        columns += [
            Column("input", is_number=True, leaves=4),
            Column("output", is_number=True, leaves=3),
        ]
        if self._has_caches:
            columns.append(Column("cache write", is_number=True, leaves=7))
            columns.append(Column("cache read", is_number=True, leaves=7))
        if self._has_premium:
            columns.append(Column("premium", is_number=True, leaves=6))
        if self._group == "session":
            return [*columns, Column("models", least=14, leaves=8), Column("title", least=28)]
        if self._group == "model":
            return [*columns, Column("agents", least=14, leaves=5)]
        return [*columns, Column("models", least=20, leaves=5)]

    def _numbers(
        self,
        line: Line,
        bar: str = "",
        share: Cell = _NOTHING,
        styles: tuple[str, ...] = (),
    ) -> list[Cell]:
        cells = [Cell(money(line), styles, plain=plain_money(line))]
        if self._has_bars:
            cells.append(Cell(bar, ("cyan",)))
        cells.append(self._number(line.total, styles))
        if self._token_limit is not None:
            cells.append(share)
        numbers = [line.input, line.output]
        if self._has_caches:
            numbers += [line.cache_write, line.cache_read]
        cells += [self._number(number, styles) for number in numbers]
        if self._has_premium:
            cells.append(Cell(_premium(line), styles))
        return cells

    def _number(self, number: int | None, styles: tuple[str, ...]) -> Cell:
        text = human_count(number)
        if self._is_compact:
            text = compact_count(number)
        return Cell(text, styles, plain=_plain_number(number))

    def _bar(self, line: Line) -> str:
        return bar_of(self._size(line) or 0, self._most)

    def _size(self, line: Line) -> int | None:
        if self._is_money:
            return line.cost_micro_usd
        return line.total

    def _totals(self, lines: Sequence[Line]) -> list[Line]:
        """Return the sum, and where not all lines are shown, that of those shown."""
        total = sum_of([self._found.total], "total")
        if len(lines) == len(self._found.lines):
            return [total]
        total.key = f"all {len(self._found.lines):,}"
        return [sum_of(lines, f"{len(lines):,} shown"), total]


def bar_of(size: float, most: float) -> str:
    """Return a bar for a share of the largest size."""
    if size <= 0 or most <= 0:
        return ""
    eighths = max(1, round(size / most * _BAR_WIDTH * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8]


def limit_share(line: Line, limit: int | None) -> Cell:
    """Return how much of a limit a line used; coloured where that is much."""
    if not limit:
        return _NOTHING
    if line.total is None:
        return Cell("?")
    share = line.total / limit
    styles: tuple[str, ...] = ()
    if share >= _FULL:
        styles = ("red",)
    elif share >= _FILLING:
        styles = ("yellow",)
    return Cell(f"{share:.0%}", styles)


def money(line: Line) -> str:
    """Return what a line cost; with `+ ?` where a part of it has no price, `?` where all has."""
    if line.cost_micro_usd is None:
        return "?"
    cost = human_money(line.cost_micro_usd)
    if line.unpriced:
        return f"{cost} + ?"
    return cost


def plain_money(line: Line) -> str:
    """Return the same as an exact number of dollars."""
    if line.cost_micro_usd is None:
        return "?"
    cost = f"{line.cost_micro_usd / 1e6:.6f}"
    if line.unpriced:
        return f"{cost} + ?"
    return cost


def line_names(
    lines: Sequence[Line], group: str, sessions: Mapping[int, SessionName]
) -> tuple[list[Cell], list[str]]:
    """Return what each line is called, and titles where they are sessions."""
    if group == "session":
        names = [sessions.get(line.key) or SessionName("", str(line.key)) for line in lines]
        ids = short_ids([name.id.rpartition("/")[2] for name in names])
        cells = [Cell(short, plain=name.id) for short, name in zip(ids, names, strict=True)]
        return cells, [_title(name) for name in names]
    if group == "project":
        return [_folder(line.key) for line in lines], []
    return [Cell(str(line.key)) for line in lines], []


def _folder(path: str) -> Cell:
    if not path:
        return Cell("(no folder)")
    return Cell(short_path(path), plain=path)


def used_by(line: Line, group: str, is_short: bool) -> str:
    """Return the models of a line, the most used first; for a model, the agents."""
    if group == "model":
        names = list(line.agents)
    else:
        names = sorted(line.models, key=lambda model: -(line.models[model] or 0))
    if is_short and len(names) > 2:
        return ", ".join(names[:2]) + f" +{len(names) - 2}"
    return ", ".join(names)


def _title(name: SessionName) -> str:
    title = name.title or "(no title)"
    if name.parent_id is None:
        return title
    agent_name = one_line(name.agent_name, 20) or "sub-agent"
    return f"{agent_name} of {safe(name.parent_id)[:8]}: {title}"


def _premium(line: Line) -> str:
    if line.premium is None:
        return ""
    return f"{line.premium:g}"


def _plain_number(number: int | None) -> str:
    if number is None:
        return "?"
    return str(number)
