"""The lines that are not the conversation: which of them are told as events, and why the others are
left out.

{"type":"system","subtype":"turn_duration","durationMs":263,…}
{"type":"attachment","attachment":{"type":"skill_listing","content":"…"},…}
"""

from __future__ import annotations

from typing import Any

import msgspec

from agent_journal.connectors.claude_code.records import Attached, CompactMetadata, Record, decoded

_any = msgspec.json.Decoder()
_compact = msgspec.json.Decoder(CompactMetadata)


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
    "queue-operation": "the queued prompt comes again as a message",
    "mode": _WINDOW,
    "permission-mode": _WINDOW,
    "agent-color": _WINDOW,
    "agent-setting": _WINDOW,
    "agent-name": "repeats the title or the name of the agent",
    "atis-latch": _INTERNAL,
    "isolation-latch": _INTERNAL,
    "attribution-snapshot": _INTERNAL,
    "observer-ref": _INTERNAL,
}
# Metadata lines that are known, rare, and told as they are.
RAW_TYPES = _names(
    "relocated worktree-state bridge-session frame-link fork-context-ref content-replacement task-summary "
    "ended-by-model started result"
)
RAW_PREFIXES = ("marble-origami-",)

_SYSTEM_EVENTS = _names(
    "compact_boundary microcompact_boundary api_error away_summary informational bridge_status api_refusal error "
    "model_refusal_fallback agents_killed scheduled_task_fire memory_saved permission_retry"
)
_SYSTEM_SKIPPED = {
    "turn_duration": "how long a turn took; the messages have times",
    "api_metrics": "timing of a request",
    "session_start": _INTERNAL,
}

_CONTEXT = "context the harness gives to the model"
_REMINDER = "reminder the harness gives to the model"
_ATTACHMENTS_SKIPPED = {
    **dict.fromkeys(
        _names(
            "environment model date date_change session_context skill_listing deferred_tools_delta agent_listing_delta "
            "mcp_instructions_delta remote_session_change nested_memory dynamic_skill companion_intro output_style "
            "invoked_skills"
        ),
        _CONTEXT,
    ),
    **dict.fromkeys(
        _names(
            "silent_turn_reminder task_reminder todo_reminder total_tokens_reminder token_usage budget_usd "
            "batching_reminder_sent read_truncation_notice ultrathink_effort ultra_effort_enter ultra_effort_exit "
            "auto_mode auto_mode_exit critical_system_reminder verify_plan_reminder"
        ),
        _REMINDER,
    ),
    "prompt_snapshot": "copy of the system prompt",
    "command_permissions": "tools a command may use",
}
_ATTACHMENT_EVENTS = _names(
    "file directory compact_file_reference edited_text_file hook_blocking_error hook_non_blocking_error "
    "hook_system_message hook_cancelled hook_permission_decision async_hook_response hook_stopped_continuation "
    "plan_mode plan_mode_exit plan_mode_reentry goal_status max_turns_reached task_status selected_lines_in_ide "
    "opened_file_in_ide diagnostics pdf_reference already_read_file agent_mention mcp_resource"
)


def system_reason(record: Record) -> str | None:
    """Why a system line is left out; None for one that is an event or unknown."""
    if record.subtype == "stop_hook_summary" and not record.hook_errors:
        return "hooks ran without an error"
    return _SYSTEM_SKIPPED.get(record.subtype or "")


def is_system_event(record: Record) -> bool:
    """Whether a system line is told as an event."""
    subtype = record.subtype
    return subtype is None or subtype in _SYSTEM_EVENTS or subtype == "stop_hook_summary"


def system_text(record: Record) -> str:
    """What a system line says, in one text."""
    text = plain(record.content)
    if record.subtype == "compact_boundary":
        about = decoded(record.compact_metadata, _compact) or CompactMetadata()
        details = [
            about.trigger or "",
            f"{about.pre_tokens} tokens before" if about.pre_tokens else "",
        ]
        told = ", ".join(filter(None, details))
        return f"{text or 'Conversation compacted'} ({told})" if told else text
    if record.hook_errors:
        return "\n".join(str(error) for error in record.hook_errors)
    error = decoded(record.error, _any) if not text else None
    return text or _error_text(error)


def attachment_reason(attached: Attached) -> str | None:
    """Why an attachment is left out; None for one that is an event or unknown."""
    if attached.type == "hook_success":
        return None if raw_text(attached) else "a hook ran and said nothing"
    return _ATTACHMENTS_SKIPPED.get(attached.type or "")


def is_attachment_event(attached: Attached) -> bool:
    """Whether an attachment is told as an event."""
    return attached.type in _ATTACHMENT_EVENTS or attached.type == "hook_success"


def attachment_text(attached: Attached) -> str:
    """What an attachment is about, in one line or the text of a hook."""
    error = decoded(attached.blocking_error, _any)
    if isinstance(error, dict):
        error = error.get("blockingError")
    for text in (
        attached.display_path,
        attached.filename,
        error,
        attached.stderr,
        attached.description,
    ):
        if isinstance(text, str) and text:
            return text
    return raw_text(attached) or attached.status or ""


def raw_text(attached: Attached) -> str:
    """The content of an attachment when it is text or a list of texts."""
    content = decoded(attached.content, _any)
    if isinstance(content, list):
        return "\n".join(part for part in content if isinstance(part, str)).strip()
    return content.strip() if isinstance(content, str) else ""


def plain(content: Any) -> str:
    """The text of a string or of text blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part if isinstance(part, str) else part.text or "" for part in content)
    return "\n\n".join(text for text in texts if text)


def _error_text(error: Any) -> str:
    """The message inside an error object, however deep the layers of libraries have put it."""
    for _ in range(6):
        if isinstance(error, str):
            return error
        if not isinstance(error, dict):
            return ""
        if isinstance(error.get("message"), str):
            return str(error["message"])
        if isinstance(error.get("formatted"), str):
            return str(error["formatted"])
        status = error.get("status")
        error = error.get("error") or error.get("cause") or (f"status {status}" if status else None)
    return ""
