"""The conversation of a session: its blocks, which of them are open, and the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import events
from textual.binding import Binding
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

    # Else they would go to the ends of what is loaded
    BINDINGS: ClassVar = [Binding("home", "screen.beginning"), Binding("end", "screen.end")]

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
        self.pane = ""  # what is shown in place of the conversation
        self._before_pane = Anchor("", 0)  # what is at the top when it is closed

    def lay_out(self, blocks: Sequence[Block]) -> None:
        """Show other blocks, at the same line."""
        self._blocks = blocks
        self.page = make_page(blocks, self.columns - 1, self._folds, self.marker)
        if self.current is None or self.current.key not in self.page.first:
            self.current = next(iter(self.page.blocks), None)
        self._show()

    def lay_out_again(self) -> None:
        """Show the same blocks in another width, or with other marks."""
        self.lay_out(self._blocks)

    def open_pane(self, name: str) -> None:
        """Keep the conversation as it is until something else is closed, which is shown next."""
        self._before_pane = self.top_block()
        self.pane = name

    def show_pane(self, name: str, lines: list[Line]) -> None:
        """Show something in place of the conversation, unless it was closed meanwhile."""
        if self.pane == name:
            self.show(lines)
            self.go_to(0)

    def close_pane(self) -> None:
        """Show the conversation again, where it was."""
        self.pane = ""
        self._show()
        self.go_to(0)
        self.return_to(self._before_pane)

    def unfold_as_depth_says(self) -> None:
        """Forget what was opened and folded by hand."""
        self._folds.clear()

    # -- where the screen is ---------------------------------------------------------------------

    def top_block(self) -> Anchor:
        """Return what is at the top of the screen."""
        if self.pane:
            return self._before_pane
        return self._anchor(self.scroll_offset.y)

    def _anchor(self, top: int) -> Anchor:
        if top >= len(self.page.blocks):
            return Anchor("", 0)
        key = self.page.blocks[top].key
        return Anchor(key, top - self.page.first[key])

    def return_to(self, anchor: Anchor) -> None:
        """Scroll back to what was at the top."""
        if anchor.key in self.page.first:
            self._go_to_line(self.page.first[anchor.key] + anchor.above)

    def _go_to_line(self, line: int) -> None:
        """Scroll to a line of the conversation, now or when what is in its place is closed."""
        if self.pane:
            self._before_pane = self._anchor(max(0, line))
        else:
            self.go_to(line)

    def go_to_end(self) -> None:
        """Choose the last block, and scroll to its end."""
        self.current = self.page.blocks[-1] if self.page.blocks else None
        self._show()
        self._go_to_line(len(self.page.lines) - max(1, self.size.height))

    def is_at_end(self) -> bool:
        """Whether the last line is on the screen."""
        if self.pane:
            return False
        return self.scroll_offset.y + self.size.height >= len(self.page.lines)

    def position(self) -> int | None:
        """Return the position of the message at the top; None behind the last one."""
        line = self.page.first.get(self.top_block().key)
        if line is None:
            return None
        return self.page.blocks[line].position

    def go_to_position(self, position: int, *, is_hit: bool) -> None:
        """Choose the message at a position; where it `is_hit`, with its words in sight."""
        line = self.page.line_of(position)
        if is_hit:
            line = self._open_hit(line, position)
        if line < len(self.page.blocks):
            self.current = self.page.blocks[line]
        self._show()
        self._go_to_line(line - 2)

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
        """Return the chosen block; where it was scrolled away, choose what is at the top.

        In a pane, nothing is chosen.
        """
        if self.pane:
            return None
        top = self.scroll_offset.y
        seen = self.page.blocks[top : top + self.size.height]
        if seen and self.current not in seen:
            self.current = seen[0]
            self._show()
        return self.current

    def choose_next(self, by: int) -> None:
        """Choose the next or the previous block."""
        keys = list(self.page.first)
        block = self.choose_in_sight()
        if block is None:
            return
        place = keys.index(block.key) + by
        if 0 <= place < len(keys):
            self._choose_line(self.page.first[keys[place]])

    def toggle(self) -> None:
        """Open or fold the chosen block; follow it where it leads to a sub-agent."""
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
        if self.pane or line >= len(self.page.blocks):
            return
        self._choose_line(line)
        if self.page.first[self.page.blocks[line].key] == line:
            self.toggle()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell the screen, which loads more near the end of what is loaded."""
        super().watch_scroll_y(old_value, new_value)
        if not self.pane:
            self.post_message(self.Scrolled())

    def _choose_line(self, line: int) -> None:
        self.current = self.page.blocks[line]
        self._show()
        top = self.scroll_offset.y
        if not top <= line < top + self.size.height - 1:
            self.go_to(line - 1)

    def _show(self) -> None:
        if self.pane:
            return
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
