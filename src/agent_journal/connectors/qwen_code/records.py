"""The lines that Qwen Code writes: those of Claude Code around messages of Gemini's API.

{"uuid":"a1","parentUuid":"u1","sessionId":"6ead…","type":"assistant","message":{"parts":[…]},…}
{"uuid":"s1","parentUuid":"a1","sessionId":"6ead…","type":"system","subtype":"ui_telemetry",…}
"""

from __future__ import annotations

from typing import Any

import msgspec

from agent_journal.connectors.titles import SpokenTitle


class Line(msgspec.Struct, rename="camel"):
    """The fields of a line that are read; a value of another type counts as missing."""

    uuid: str | None = None
    parent_uuid: str | None = None
    session_id: str | None = None
    timestamp: str | None = None
    type: str = ""
    subtype: str | None = None
    provenance: str | None = None
    cwd: str | None = None
    version: str | None = None
    git_branch: str | None = None
    model: str | None = None
    agent_id: str | None = None
    agent_name: str | None = None
    message: Any = None
    usage_metadata: Any = None
    tool_call_result: Any = None
    system_payload: Any = None


class PendingCall(msgspec.Struct, omit_defaults=True):
    """A call without a result: what its edit needs to know."""

    message_id: str
    name: str | None = None
    path: str | None = None


class State(msgspec.Struct, omit_defaults=True):
    """What must be known to continue later."""

    title: SpokenTitle = msgspec.field(default_factory=SpokenTitle)
    named: str | None = None  # the title that a person or the model gave
    is_named_by_person: bool = False
    folder: str | None = None
    branch: str | None = None
    version: str | None = None
    started: str | None = None
    ended: str | None = None
    agent_id: str | None = None
    agent_name: str | None = None
    parent: str | None = None
    models: list[str] = []
    pending: dict[str, PendingCall] = {}
    # Lines that become no message, and the message that they follow
    bridges: dict[str, str] = {}
