"""Events around the conversation: a short text for people, or the reason why they are skipped.

`{"type":"thread_rolled_back","num_turns":2}` -> "turns rolled back: 2"
"""

from __future__ import annotations

import re
from typing import Any

from agent_journal.connectors.values import mapping

_MAX_TEXT = 500
_FIELD = re.compile(r"\{([\w.]+)\}")

TEMPLATES = {
    "collab_agent_interaction_end": "message to agent {receiver_agent_nickname}: {prompt}",
    "collab_close_end": "agent {receiver_agent_nickname} closed",
    "collab_resume_end": "agent {receiver_agent_nickname} resumed",
    "collab_waiting_end": "waited for agents",
    "deprecation_notice": "{summary}",
    "dynamic_tool_call_request": "host tool requested: {tool}",
    "dynamic_tool_call_response": "host tool answered: {tool}",
    "entered_review_mode": "review started: {user_facing_hint}",
    "exited_review_mode": "review ended: "
    "{review_output.overall_correctness} {review_output.overall_explanation}",
    "guardian_assessment": "approval assessed: {status} {risk_level} {rationale}",
    "guardian_warning": "{message}",
    "model_reroute": "model changed from {from_model} to {to_model}",
    "plan_update": "plan updated",
    "sub_agent_activity": "agent {agent_path}: {kind}",
    "thread_goal_updated": "goal: {goal.objective} ({goal.status})",
    "thread_rolled_back": "turns rolled back: {num_turns}",
    "undo_completed": "undo: {message}",
    "view_image_tool_call": "image viewed: {path}",
    "warning": "{message}",
}
_STREAM = "live stream only"
_CALL = "repeats a call and its result"
REPEATED = {
    "agent_message_delta": _STREAM,
    "agent_reasoning_delta": _STREAM,
    "agent_reasoning_raw_content_delta": _STREAM,
    "agent_reasoning_section_break": _STREAM,
    "apply_patch_approval_request": _CALL,
    "compaction": "encrypted",
    "context_compacted": "repeats the compacted record",
    "context_compaction": "encrypted",
    "exec_approval_request": _CALL,
    "exec_command_begin": _CALL,
    "exec_command_output_delta": _STREAM,
    "ghost_snapshot": "a commit of the working folder for undo",
    "inter_agent_communication_metadata": "a marker without content",
    "item_started": "repeated when the item is completed",
    "mcp_tool_call_begin": _CALL,
    "patch_apply_begin": _CALL,
    "raw_response_item": "repeats a response item",
    "session_configured": "repeats the head of the session",
    "task_started": "a marker without content",
    "thread_settings_applied": "repeats the turn contexts",
    "token_usage_record": "repeats the token counts",
    "turn_diff": "repeats the patches",
    "turn_started": "a marker without content",
    "web_search_begin": _CALL,
    "world_state": "a description of the environment for the model",
}


def describe(kind: str, payload: dict[str, Any]) -> str:
    """Return a short text for an event; what the event does not contain is left out."""
    values: dict[str, Any] = {}
    for key, value in payload.items():
        if isinstance(value, (str, int, float)):
            values[key] = value
        for name, inner in mapping(value).items():
            values[f"{key}.{name}"] = inner
    text = _FIELD.sub(lambda field: str(values.get(field[1], "")), TEMPLATES[kind])
    return text.strip().rstrip(":").removesuffix("()").strip()[:_MAX_TEXT]
