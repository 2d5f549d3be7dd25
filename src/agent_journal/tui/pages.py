"""The lines of blocks on a page of some width, and which block each line is of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.text.width import cut_to_width, display_width
from agent_journal.tui.blocks import Block
from agent_journal.tui.lines import Line, Piece, Style

if TYPE_CHECKING:
    from agent_journal.search.marks import Marker

_STEP = "  "
_FOLDED, _OPEN, _NEITHER = "▸ ", "▾ ", "  "


class Page(NamedTuple):
    """Lines, the block of each, and the first line of each block by its key."""

    lines: list[Line]
    blocks: list[Block]
    first: dict[str, int]

    def line_of(self, position: int) -> int:
        """Return the first line of the message at a position, or of the next one."""
        for number, block in enumerate(self.blocks):
            if block.position >= position:
                return number
        return max(0, len(self.lines) - 1)

    def is_hit(self, line: int, position: int) -> bool:
        """Whether a line has a mark and is of the message at a position."""
        if line >= len(self.lines) or self.blocks[line].position != position:
            return False
        return any(piece.look == "hit" for piece in self.lines[line])

    def hit_after(self, line: int) -> int:
        """Return the first line from a line on that has a mark; that line if there is none."""
        for number in range(line, len(self.lines)):
            if any(piece.look == "hit" for piece in self.lines[number]):
                return number
        return line


def make_page(
    blocks: Sequence[Block], width: int, folds: Mapping[str, bool], marker: Marker | None = None
) -> Page:
    """Lay blocks out; `folds` says which ones were opened or folded by hand."""
    page = Page([], [], {})
    for block in blocks:
        if block.is_prompt and page.lines:
            _add(page, page.blocks[-1], [()])
        _place(page, block, 0, width, folds, marker)
    return page


def is_open(block: Block, folds: Mapping[str, bool]) -> bool:
    """Whether what is below the line of a block is shown."""
    return folds.get(block.key, block.is_open)


def _place(
    page: Page,
    block: Block,
    depth: int,
    width: int,
    folds: Mapping[str, bool],
    marker: Marker | None,
) -> None:
    indent = _STEP * depth
    sign = _NEITHER
    is_shown = is_open(block, folds)
    if block.can_fold:
        sign = _OPEN if is_shown else _FOLDED
    head = (Piece(indent + sign, "dim"), *block.head)
    if block.body is not None or not block.parts:  # else it only counts what is below it
        head = _marked_head(head, marker)
    page.first[block.key] = len(page.lines)
    _add(page, block, [_cut(head, width)])
    if not is_shown:
        return
    if block.body is not None:
        _add(page, block, list(block.body(Style(width, indent + _STEP, "", marker))))
    for part in block.parts:
        _place(page, part, depth + 1, width, folds, marker)


def _add(page: Page, block: Block, lines: Sequence[Line]) -> None:
    page.lines.extend(lines)
    page.blocks.extend([block] * len(lines))


def _marked_head(line: Line, marker: Marker | None) -> Line:
    if marker is None:
        return line
    pieces: list[Piece] = []
    for piece in line:
        at = 0
        for mark in marker.marks(piece.text):
            pieces += [Piece(piece.text[at : mark.start], piece.look)]
            pieces += [Piece(piece.text[mark.start : mark.end], "hit")]
            at = mark.end
        pieces.append(Piece(piece.text[at:], piece.look))
    return tuple(pieces)


def _cut(line: Line, width: int) -> Line:
    """Cut a line to a width; its last piece, a status, stays where there is one."""
    last = line[-1]
    room = max(8, width - display_width(last.text))
    pieces: list[Piece] = []
    for piece in line[:-1]:
        text = cut_to_width(piece.text, room)
        room -= display_width(text)
        pieces.append(Piece(text, piece.look))
        if room <= 0 or text != piece.text:
            break
    if not pieces:
        return (Piece(cut_to_width(last.text, width), last.look),)
    return (*pieces, Piece(cut_to_width(last.text, max(8, width)), last.look))
