"""Events of a transcript: lines that are not messages, and settings that changed on a line.

{"type":"pr-link","prUrl":"https://…","prRepository":"u/app",…}
{"type":"user","promptSource":"typed","sessionKind":"daemon",…}
"""

from __future__ import annotations

from collections.abc import Iterator

from agent_journal.connectors.claude_code.records import LineContext, Record
from agent_journal.connectors.claude_code.state import SessionFacts
from agent_journal.model import Event


def changed_settings(record: Record, context: LineContext, facts: SessionFacts) -> Iterator[Event]:
    """Where prompts come from and what kind of session it is, when that is new."""
    settings = (("promptSource", record.prompt_source), ("sessionKind", record.session_kind))
    for name, value in settings:
        if facts.note_setting(name, value):
            yield line_event(name, context, text=value or "")


def line_event(
    kind: str,
    context: LineContext,
    event_id: str | None = None,
    *,
    text: str = "",
    raw: bytes | None = None,
) -> Event:
    """A line that is not a message; `raw` is the line itself, for kinds without a text."""
    json_text = None
    if raw is not None:
        json_text = raw.decode("utf-8", "replace")
    return Event(
        session_id=context.session_id,
        type=kind,
        id=event_id,
        text=text,
        raw=json_text,
        timestamp=context.time,
        offset=context.offset,
        length=context.length,
    )
