"""Whether a file is a session in the lines of Pi, and whose."""

from __future__ import annotations

import re

from agent_journal.connectors.base import Recognition
from agent_journal.connectors.pi import session_in_name
from agent_journal.connectors.recognition import first_records
from agent_journal.connectors.values import mapping, string

_OPENCLAW_VERSION = 4  # of the header; Pi is at 3
_OPENCLAW_FIELDS = ("__openclaw", "openclawDelivery", "idempotencyKey")


def recognise_session(path: str, head: bytes, is_of_openclaw: bool) -> Recognition | None:
    """A log that begins with a header, if it is OpenClaw's or not, as asked."""
    records = first_records(head)
    if not records:
        return None
    header = records[0]
    session_id = string(header.get("id"))
    if header.get("type") != "session" or session_id is None or not string(header.get("cwd")):
        return None
    if _is_of_openclaw(path, records) != is_of_openclaw:
        return None
    return Recognition("log", session_in_name(path) or session_id)


def _is_of_openclaw(path: str, records: tuple[dict[str, object], ...]) -> bool:
    """Whether OpenClaw wrote the lines, by its fields or by the folder it puts files into."""
    if records[0].get("version") == _OPENCLAW_VERSION:
        return True
    if re.search(r"(^|/)agents/[^/]+/sessions/[^/]+$", path.replace("\\", "/")):
        return True
    for record in records:
        custom = string(record.get("customType")) or ""
        if custom == "model-snapshot" or custom.startswith("openclaw."):
            return True
        if any(field in mapping(record.get("message")) for field in _OPENCLAW_FIELDS):
            return True
    return False
