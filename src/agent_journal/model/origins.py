"""Values by which a reader says how a piece counts; no other code knows which agents use them.

They are stored in the journal, so they stay as they are.
"""

from __future__ import annotations

# FileEdit.origin: where a session has edits that the editor recorded, those that were only
# mentioned in answers are not counted again.
RECORDED_EDIT = "editing-session"
MENTIONED_EDIT = "response"
# FileEdit.origin: edits that an answer proposed; whether they were made is not recorded.
PROPOSED_EDIT = "proposed"
# FileEdit.origin: edits that a fork has from its parent; they count only without the parent.
COPIED_EDIT = "copied"

# Usage.origin: calls that only the place of the highest rank lists among its others; next to any
# other place they are added.
ADDED_USAGE = "compaction"
# Usage.origin: what a converted session carries of the one it was made of, and nobody used again.
CARRIED_USAGE = "converted"

# Usage.origin: what an agent counted for a whole session. It never counts; what it has beyond the
# responses does, as a row of its own.
RECORDED_TOTAL = "total"
UNLISTED_USAGE = "unlisted"

# Event.type: ends a segment of a session, for usage that is ranked by segments.
SEGMENT_END = "session.shutdown"

# Message.id, as GLOB patterns: ids that the reader made because the agent gave none. They tell
# nothing about which session another one was forked from.
MADE_IDS = ("line-*", "request-[0-9]*")
