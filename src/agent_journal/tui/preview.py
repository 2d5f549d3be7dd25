"""The part of a session that was found, or its beginning, beside the list."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agent_journal.journal import Journal
from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.text.human import human_time, plural, short_path
from agent_journal.text.plain import one_line
from agent_journal.tui.finding import Entry
from agent_journal.tui.lines import Line, Piece

if TYPE_CHECKING:
    from agent_journal.tui.blocks import Block

_AROUND = 12  # messages before and after what was found


class Preview(NamedTuple):
    """What is known of a session, and the blocks around a place in it."""

    row: SessionRow
    blocks: list[Block]
    position: int | None  # of what was found


def load_preview(journal: Journal, entry: Entry) -> Preview | None:
    """Read the part of a session that the preview shows; None when the session is gone."""
    from agent_journal.store.catalog.listing import children_of, find_session_row
    from agent_journal.tui.blocks import Conversation
    from agent_journal.tui.words import STEPS, STORY

    row = find_session_row(journal.db, *entry.key)
    if row is None:
        return None
    position = found_position(journal, entry)
    session = journal.around(row, position or 0, _AROUND, whole=False)
    depth = STORY
    if entry.item_id is not None:
        depth = STEPS
    children = children_of(journal.db, row.agent, row.id)
    blocks = Conversation(session, children, depth).blocks()
    if entry.item_id is not None:
        blocks = [_opened(block, position) for block in blocks]
    return Preview(row, blocks, position)


def is_same_place(one: Preview | None, other: Preview | None) -> bool:
    """Whether two previews show the same place of a session."""
    if one is None or other is None:
        return False
    return (one.row.row_id, one.position) == (other.row.row_id, other.position)


def found_position(journal: Journal, entry: Entry) -> int | None:
    """Return the position of the message with what was found; None for a title or a plan."""
    if entry.item_id is None:
        return None
    from agent_journal.store.catalog.item_positions import item_positions

    positions = item_positions(journal.db, entry.row.row_id, [entry.item_id])
    if positions:
        return positions[0]
    return None


def head_lines(row: SessionRow, now: float, width: int) -> list[Line]:
    """Return what is known of a session: its title, where and when, and how much."""
    from agent_journal.text.width import cut_to_width

    facts = [row.agent, short_path(row.project_path) or row.project_dir or "", row.git_branch or ""]
    counts = [
        human_time(row.ended_at or row.started_at, now),
        plural(row.prompt_count, "prompt"),
        plural(row.message_count, "message"),
        plural(row.tool_count, "tool call"),
    ]
    title = one_line(row.title, 400) or "(no title)"
    lines: list[Line] = [(Piece(title, "bold"),)]
    lines.append((Piece(one_line(" · ".join(filter(None, facts)), 400), "dim"),))
    lines.append((Piece(" · ".join(counts), "dim"),))
    tags = row.own_tag_names()
    if tags:
        lines.append((Piece(one_line(" ".join(f"#{tag}" for tag in tags), 400), "note"),))
    cut = [(Piece(cut_to_width(line[0].text, width), line[0].look),) for line in lines]
    return [*cut, ()]


def _opened(block: Block, position: int | None) -> Block:
    """Open what was found, also where it is a call."""
    if position is None or block.position != position:
        return block
    return block._replace(is_open=True)
