"""The conversation of a session: its blocks, which of them are open, and the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from textual import events
from textual.message import Message

from agent_journal.tui.blocks import Block
from agent_journal.tui.lines import Line, Piece
from agent_journal.tui.lines_view import LinesView
from agent_journal.tui.pages import Page, is_open, make_page

if TYPE_CHECKING:
    from agent_journal.search.marks import Marker


class Anchor(NamedTuple):
    """What is at the top of the screen: a block, and how many of its lines are above."""

    key: str
    above: int


class Talk(LinesView):
    """Blocks as lines; the block that keys act on has a bar."""

    class Scrolled(Message):
        """Another part of the lines is on the screen."""

    class Followed(Message):
        """A block that leads to another session was opened."""

        def __init__(self, block: Block) -> None:
            super().__init__()
            self.block = block

    def __init__(self, marker: Marker | None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.marker = marker
        self.page = Page([], [], {})
        self.current: Block | None = None
        self._blocks: Sequence[Block] = ()
        self._folds: dict[str, bool] = {}  # what was opened or folded by hand
        self._is_pane = False

    def lay_out(self, blocks: Sequence[Block]) -> None:
        """Show other blocks, at the same line."""
        self._blocks = blocks
        self._is_pane = False
        self.page = make_page(blocks, self.columns - 1, self._folds, self.marker)
        if self.current is None or self.current.key not in self.page.first:
            self.current = next(iter(self.page.blocks), None)
        self._show()

    def lay_out_again(self) -> None:
        """Show the same blocks in another width, or with other marks."""
        if not self._is_pane:
            self.lay_out(self._blocks)

    def show_pane(self, lines: list[Line]) -> None:
        """Show something else in place of the conversation."""
        self._is_pane = True
        self.show(lines)
        self.go_to(0)

    def unfold_as_depth_says(self) -> None:
        """Forget what was opened and folded by hand."""
        self._folds.clear()

    # -- where the screen is ---------------------------------------------------------------------

    def top_block(self) -> Anchor:
        """Return what is at the top of the screen."""
        top = self.scroll_offset.y
        if top >= len(self.page.blocks):
            return Anchor("", 0)
        key = self.page.blocks[top].key
        return Anchor(key, top - self.page.first[key])

    def return_to(self, anchor: Anchor) -> None:
        """Scroll back to what was at the top."""
        if anchor.key in self.page.first:
            self.go_to(self.page.first[anchor.key] + anchor.above)

    def go_to_end(self) -> None:
        """Choose the last block, and scroll to its end."""
        self.current = self.page.blocks[-1] if self.page.blocks else None
        self._show()
        self.go_to(len(self.page.lines))

    def is_at_end(self) -> bool:
        """Whether the last line is on the screen."""
        return self.scroll_offset.y + self.size.height >= len(self.page.lines)

    def position(self) -> int | None:
        """Return the position of the message at the top; None behind the last one."""
        top = self.scroll_offset.y
        if top >= len(self.page.blocks):
            return None
        return self.page.blocks[top].position

    def go_to_position(self, position: int, *, is_hit: bool) -> None:
        """Choose the message at a position; where it `is_hit`, with its words in sight."""
        line = self.page.line_of(position)
        if is_hit:
            line = self._open_hit(line, position)
        if line < len(self.page.blocks):
            self.current = self.page.blocks[line]
        self._show()
        self.go_to(line - 2)

    def _open_hit(self, line: int, position: int) -> int:
        """Open what is at a position until the words are in sight; return their line."""
        for _ in range(2):  # steps, and in them a call
            hit = self.page.hit_after(line)
            if self.page.is_hit(hit, position):
                return hit
            for block in self.page.blocks:
                if block.can_fold and _covers(block, position):
                    self._folds[block.key] = True
            self.lay_out(self._blocks)
        return self.page.hit_after(self.page.line_of(position))

    # -- the chosen block ------------------------------------------------------------------------

    def choose_in_sight(self) -> Block | None:
        """Return the chosen block; where it was scrolled away, choose what is at the top."""
        top = self.scroll_offset.y
        seen = self.page.blocks[top : top + self.size.height]
        if seen and self.current not in seen:
            self.current = seen[0]
            self._show()
        return self.current

    def choose_next(self, by: int) -> None:
        """Choose the next or the previous block."""
        keys = list(self.page.first)
        self.choose_in_sight()
        if self.current is None:
            return
        place = keys.index(self.current.key) + by
        if 0 <= place < len(keys):
            self._choose_line(self.page.first[keys[place]])

    def toggle(self) -> None:
        """Open or fold the chosen block; follow it where it leads to a sub-agent."""
        if self._is_pane:
            return
        block = self.choose_in_sight()
        if block is None:
            return
        if block.can_fold:
            self._folds[block.key] = not is_open(block, self._folds)
            self.lay_out_again()
        elif block.child is not None:
            self.post_message(self.Followed(block))

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked; on the line of a block, fold or open it."""
        line = self.line_at(event.y)
        if self._is_pane or line >= len(self.page.blocks):
            return
        self._choose_line(line)
        if self.page.first[self.page.blocks[line].key] == line:
            self.toggle()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell the screen, which loads more near the end of what is loaded."""
        super().watch_scroll_y(old_value, new_value)
        if not self._is_pane:
            self.post_message(self.Scrolled())

    def _choose_line(self, line: int) -> None:
        self.current = self.page.blocks[line]
        self._show()
        top = self.scroll_offset.y
        if not top <= line < top + self.size.height - 1:
            self.go_to(line - 1)

    def _show(self) -> None:
        current = self.current and self.current.key
        lines: list[Line] = []
        for line, block in zip(self.page.lines, self.page.blocks, strict=True):
            bar = Piece(" ")
            if block.key == current:
                bar = Piece("▌", "key")
            lines.append((bar, *line))
        self.show(lines)


def _covers(block: Block, position: int) -> bool:
    """Whether a block is at a position, or has a part that is."""
    if block.position == position:
        return True
    return any(_covers(part, position) for part in block.parts)
