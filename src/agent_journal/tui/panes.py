"""What a session changed in files, and what it used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from agent_journal.export.html.figures import Total, total
from agent_journal.journal import Journal
from agent_journal.model import FileEdit, Session, Usage
from agent_journal.store.catalog.listing import children_of
from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.store.catalog.windows import Span, load_window
from agent_journal.text.human import human_count, human_duration, human_money, plural
from agent_journal.text.plain import one_line
from agent_journal.text.width import pad_to_width
from agent_journal.tui.bodies import edit_head, edit_lines
from agent_journal.tui.lines import Line, Piece, Style

_MOST_LINES = 400  # of one diff
_MOST_EDITS = 500
_MODEL = 24  # columns; the whole line has to fit into 80
_NUMBER = 11


def changes_lines(journal: Journal, row: SessionRow, width: int) -> list[Line]:
    """Return every file that the session changed, with the diffs in their order."""
    edits: dict[str, list[FileEdit]] = {}
    for edit in _whole(journal, row).file_edits:
        if edit.kind != "backup":
            edits.setdefault(edit.path, []).append(edit)
    lines: list[Line] = [(Piece(" Changes", "bold"), Piece(f"  {_counted(edits)}", "dim"))]
    if not edits:
        return [*lines, (), (Piece(" No file was changed in this session.", "dim"),)]
    lines += [(Piece(f"   {one_line(path, 300)}"),) for path in edits]
    style = Style(width, "  ")
    shown = 0
    for path, own in edits.items():
        lines += [(), (Piece(f" {one_line(path, 300)}", "speaker"),)]
        for edit in own:
            shown += 1
            if shown <= _MOST_EDITS:
                lines += [edit_head(edit, style), *edit_lines(edit, style, _MOST_LINES)]
    if shown > _MOST_EDITS:
        more = plural(shown - _MOST_EDITS, "more edit")
        lines.append((Piece(f" … {more}; 'aj show --edits' has all", "dim"),))
    return lines


def usage_lines(journal: Journal, row: SessionRow, width: int) -> list[Line]:
    """Return tokens and cost of the session by model, and what its sub-agents used."""
    from agent_journal.usage.responses import cost_of, learn_prices

    book = journal.prices()
    used = _whole(journal, row).usage
    learn_prices(book, used)
    cost = partial(cost_of, book)
    lines: list[Line] = [(Piece(" Usage", "bold"),), (), _usage_head()]
    models = dict.fromkeys(usage.model or "unknown model" for usage in used)
    for model in models:
        own = [usage for usage in used if (usage.model or "unknown model") == model]
        lines.append(_usage_line(model, own, total(own, cost)))
    if len(models) > 1:
        lines.append(_usage_line("all models", used, total(used, cost)))
    if not used:
        lines = [lines[0], (), (Piece(" This session records no usage.", "dim"),)]
    lines += [(), *_facts(journal, row)]
    return lines


def _whole(journal: Journal, row: SessionRow) -> Session:
    """Return the session without its messages, but with all edits and usage."""
    return load_window(journal.db, row, journal.quotes(), Span(-1, -1), whole=True)


def _counted(edits: dict[str, list[FileEdit]]) -> str:
    every = [edit for own in edits.values() for edit in own]
    return f"{plural(len(edits), 'file')}, {plural(len(every), 'edit')}"


def _usage_head() -> Line:
    titles = ("responses", "input", "cached", "output", "cost")
    text = " " + pad_to_width("model", _MODEL) + "".join(f"{title:>{_NUMBER}}" for title in titles)
    return (Piece(text, "dim"),)


def _usage_line(name: str, used: Sequence[Usage], sums: Total) -> Line:
    cost = "unknown"
    if sums.cost is not None:
        cost = human_money(sums.cost)
    if sums.cost is not None and sums.unpriced:
        cost = f"≥ {cost}"
    requests = sum(usage.requests for usage in used)
    cached = [usage.cache_read_tokens for usage in used if usage.cache_read_tokens is not None]
    cells = (
        f"{requests:,}",
        human_count(sums.input),
        human_count(sum(cached) if cached else None),  # a part of the input
        human_count(sums.output),
        cost,
    )
    text = " " + pad_to_width(one_line(name, _MODEL - 2), _MODEL)
    return (Piece(text), Piece("".join(f"{cell:>{_NUMBER}}" for cell in cells)))


def _facts(journal: Journal, row: SessionRow) -> Iterator[Line]:
    if row.started_at is not None and row.ended_at is not None:
        took = human_duration((row.ended_at - row.started_at) // 1000)
        yield (Piece(f" from first to last message: {took}", "dim"),)
    costs = journal.session_costs()
    children = children_of(journal.db, row.agent, row.id)
    if children:
        yield (Piece(f" {plural(len(children), 'sub-agent')}:", "dim"),)
    for child in children:
        spent = costs.get(child.row_id)
        cost = "cost unknown"
        if spent is not None:
            cost = human_money(round(spent * 1_000_000))
        yield (Piece(f"   {one_line(child.title, 80)}  "), Piece(cost, "dim"))
