"""Usage of a session as the catalog counts it."""

from __future__ import annotations

from agent_journal.model import Event, Usage
from tests.connectors.copilot_cli.cases import pieces
from tests.support.assemble import Assembly


def counted(assembly: Assembly, session_id: str) -> list[Usage]:
    """The rows that count: the highest rank of each segment.

    Compactions count too, unless the rows of the database do.
    """
    borders = [
        event.timestamp
        for event in pieces(assembly, Event, session_id)
        if event.type == "session.shutdown"
    ]
    segments: dict[int, dict[str, Usage]] = {}
    for row in pieces(assembly, Usage):
        if row.session_id.partition("/")[0] == session_id:
            segment = row.segment
            if segment is None:
                segment = sum(row.timestamp > border for border in borders)
            segments.setdefault(segment, {})[row.key] = row
    rows = []
    for segment_rows in segments.values():
        top = max(
            (row.rank for row in segment_rows.values() if row.origin != "compaction"), default=0
        )
        rows += [
            row
            for row in segment_rows.values()
            if row.rank == top or (row.origin == "compaction" and top <= 30)
        ]
    return rows


def totals(assembly: Assembly, session_id: str) -> tuple[int, int, int, int, int]:
    rows = counted(assembly, session_id)
    fields = (
        "input_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "output_tokens",
        "requests",
    )
    return tuple(sum(getattr(row, field) or 0 for row in rows) for field in fields)  # type: ignore[return-value]
