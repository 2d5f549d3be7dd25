"""Lines that are not the conversation: which of them become events, and why others are left out.

{"type":"system","subtype":"turn_duration","durationMs":263,…}
{"type":"attachment","attachment":{"type":"skill_listing","content":"…"},…}
"""

from __future__ import annotations

from typing import Any

import msgspec

from agent_journal.connectors.claude_code.records import Attached, CompactMetadata, Record, decoded
from agent_journal.connectors.values import string, strings

_any = msgspec.json.Decoder()
_compact = msgspec.json.Decoder(CompactMetadata)
_MAX_NESTED_ERRORS = 6


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_REQUEST_COPY = "copy of the request, repeats the conversation"
_WINDOW = "state of the program's window, not of the conversation"
_INTERNAL = "internal bookkeeping without content"

# Metadata lines that are known and carry nothing for a reader.
SKIPPED_TYPES = {
    "api-request": _REQUEST_COPY,
    "api-request-blob": _REQUEST_COPY,
    "api-request-shape": _REQUEST_COPY,
    "tools-used": "list of tools, repeated by the calls",
    "mode": _WINDOW,
    "permission-mode": _WINDOW,
    "agent-color": _WINDOW,
    "agent-name": "repeats the title or the name of the agent",
    "atis-latch": _INTERNAL,
    "isolation-latch": _INTERNAL,
    "attribution-snapshot": _INTERNAL,
    "observer-ref": _INTERNAL,
}
# Metadata lines that are known and rare: events with the line itself.
RAW_TYPES = _names(
    "relocated worktree-state bridge-session frame-link fork-context-ref content-replacement "
    "task-summary ended-by-model launched started result"
)
RAW_PREFIXES = ("marble-origami-",)

_SYSTEM_EVENTS = _names(
    "compact_boundary microcompact_boundary api_error away_summary informational bridge_status "
    "api_refusal error model_refusal_fallback agents_killed scheduled_task_fire memory_saved "
    "permission_retry stop_hook_summary"
)
_SYSTEM_SKIPPED = {
    "turn_duration": "how long a turn took; the messages have times",
    "api_metrics": "timing of a request",
    "session_start": _INTERNAL,
}

_CONTEXT = "context the harness gives to the model"
_REMINDER = "reminder the harness gives to the model"
_CONTEXT_TYPES = _names(
    "environment model date date_change session_context skill_listing deferred_tools_delta "
    "deferred_tools_record "
    "agent_listing_delta mcp_instructions_delta remote_session_change nested_memory dynamic_skill "
    "companion_intro output_style invoked_skills"
)
_REMINDER_TYPES = _names(
    "silent_turn_reminder task_reminder todo_reminder total_tokens_reminder token_usage budget_usd "
    "batching_reminder_sent read_truncation_notice ultrathink_effort ultra_effort_enter "
    "ultra_effort_exit auto_mode auto_mode_exit critical_system_reminder verify_plan_reminder"
)
_ATTACHMENTS_SKIPPED = {
    **dict.fromkeys(_CONTEXT_TYPES, _CONTEXT),
    **dict.fromkeys(_REMINDER_TYPES, _REMINDER),
    "prompt_snapshot": "copy of the system prompt",
    "command_permissions": "tools a command may use",
}
_INSTRUCTIONS = ("nested_memory", "prompt_snapshot")  # without a text they are left out
_ATTACHMENT_EVENTS = _names(
    "file directory compact_file_reference edited_text_file hook_blocking_error "
    "hook_non_blocking_error hook_system_message hook_cancelled hook_permission_decision "
    "async_hook_response hook_stopped_continuation hook_success plan_mode plan_mode_exit "
    "plan_mode_reentry goal_status max_turns_reached task_status selected_lines_in_ide "
    "opened_file_in_ide diagnostics pdf_reference already_read_file agent_mention mcp_resource"
)


def system_reason(record: Record) -> str | None:
    """Why a system line is left out; None for one that is an event or unknown."""
    if record.subtype == "stop_hook_summary" and not record.hook_errors:
        return "hooks ran without an error"
    return _SYSTEM_SKIPPED.get(record.subtype or "")


def is_system_event(record: Record) -> bool:
    """Whether a system line becomes an event."""
    return record.subtype is None or record.subtype in _SYSTEM_EVENTS


def system_text(record: Record) -> str:
    """The text of a system line."""
    text = plain(record.content)
    if record.subtype == "compact_boundary":
        return _compaction_text(text, record)
    if record.hook_errors:
        return "\n".join(str(error) for error in record.hook_errors)
    return text or _error_text(decoded(record.error, _any))


def _compaction_text(text: str, record: Record) -> str:
    metadata = decoded(record.compact_metadata, _compact) or CompactMetadata()
    details: list[str] = []
    if metadata.trigger:
        details.append(metadata.trigger)
    if metadata.pre_tokens:
        details.append(f"{metadata.pre_tokens} tokens before")
    if not details:
        return text
    return f"{text or 'Conversation compacted'} ({', '.join(details)})"


def attachment_reason(attached: Attached) -> str | None:
    """Why an attachment is left out; None for one that is an event or unknown."""
    if attached.type == "hook_success" and not content_text(attached):
        return "a hook ran and said nothing"
    return _ATTACHMENTS_SKIPPED.get(attached.type or "")


def instructions(attached: Attached) -> str:
    """The system prompt, or a project's own instructions; empty for other attachments."""
    if attached.type not in _INSTRUCTIONS:
        return ""
    content = decoded(attached.content, _any)
    if isinstance(content, dict):
        content = content.get("content")
    return string(content) or ""


def is_attachment_event(attached: Attached) -> bool:
    """Whether an attachment becomes an event."""
    return attached.type in _ATTACHMENT_EVENTS


def attachment_text(attached: Attached) -> str:
    """The subject of an attachment: a path, an error, a description, or the text of a hook."""
    error = decoded(attached.blocking_error, _any)
    if isinstance(error, dict):
        error = error.get("blockingError")
    return (
        attached.display_path
        or attached.filename
        or string(error)
        or attached.stderr
        or attached.description
        or content_text(attached)
        or attached.status
        or ""
    )


def content_text(attached: Attached) -> str:
    """The content of an attachment when it is text or a list of texts."""
    content = decoded(attached.content, _any)
    if isinstance(content, list):
        return "\n".join(strings(content)).strip()
    return (string(content) or "").strip()


def plain(content: Any) -> str:
    """The text of a string or of text blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts: list[str] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        else:
            texts.append(part.text or "")
    return "\n\n".join(text for text in texts if text)


def _error_text(error: Any) -> str:
    """The message of an error, which may be nested in the errors of several libraries."""
    for _ in range(_MAX_NESTED_ERRORS):
        if isinstance(error, str):
            return error
        if not isinstance(error, dict):
            return ""
        if isinstance(error.get("message"), str):
            return str(error["message"])
        if isinstance(error.get("formatted"), str):
            return str(error["formatted"])
        cause = error.get("error") or error.get("cause")
        if not cause and error.get("status"):
            return f"status {error['status']}"
        error = cause
    return ""
