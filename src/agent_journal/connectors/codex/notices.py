"""Events that are not part of the conversation: a short text for people, or the reason why they are
left out.

`{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":2}}` -> "turns rolled back:
2"
"""

from __future__ import annotations

from typing import Any

from agent_journal.connectors.values import mapping

_MAX_TEXT = 500

TEMPLATES = {
    "collab_agent_interaction_end": "message to agent {receiver_agent_nickname}: {prompt}",
    "collab_close_end": "agent {receiver_agent_nickname} closed",
    "collab_resume_end": "agent {receiver_agent_nickname} resumed",
    "collab_waiting_end": "waited for agents",
    "deprecation_notice": "{summary}",
    "dynamic_tool_call_request": "tool of the host asked for: {tool}",
    "dynamic_tool_call_response": "tool of the host answered: {tool}",
    "entered_review_mode": "review started: {user_facing_hint}",
    "exited_review_mode": "review ended: {review_output.overall_correctness} {review_output.overall_explanation}",
    "guardian_assessment": "approval looked at: {status} {risk_level} {rationale}",
    "guardian_warning": "{message}",
    "model_reroute": "model changed from {from_model} to {to_model}",
    "plan_update": "plan updated",
    "sub_agent_activity": "agent {agent_path}: {kind}",
    "thread_goal_updated": "goal: {goal.objective} ({goal.status})",
    "thread_rolled_back": "turns rolled back: {num_turns}",
    "undo_completed": "undo: {message}",
    "view_image_tool_call": "picture looked at: {path}",
    "warning": "{message}",
}
_STREAM = "live stream only"
_CALL = "the call and its result tell it"
REPEATED = {
    "agent_message_delta": _STREAM,
    "agent_reasoning_delta": _STREAM,
    "agent_reasoning_raw_content_delta": _STREAM,
    "agent_reasoning_section_break": _STREAM,
    "apply_patch_approval_request": _CALL,
    "compaction": "encrypted",
    "context_compacted": "the compacted record tells it",
    "context_compaction": "encrypted",
    "exec_approval_request": _CALL,
    "exec_command_begin": _CALL,
    "exec_command_output_delta": _STREAM,
    "ghost_snapshot": "a commit of the working folder for undo",
    "inter_agent_communication_metadata": "a marker without content",
    "item_started": "told when it is completed",
    "mcp_tool_call_begin": _CALL,
    "patch_apply_begin": _CALL,
    "raw_response_item": "told as a response item",
    "session_configured": "the session's head tells it",
    "task_started": "a marker without content",
    "thread_settings_applied": "turn contexts tell it",
    "token_usage_record": "the token counts tell it",
    "turn_diff": "the patches tell it",
    "turn_started": "a marker without content",
    "web_search_begin": _CALL,
    "world_state": "what the model was told about its surroundings",
}


class _Values(dict[str, Any]):
    """What is missing shows as nothing."""

    def __missing__(self, name: str) -> str:
        return ""


def describe(kind: str, payload: dict[str, Any]) -> str:
    """A short text for an event, without what it does not tell."""
    values = _Values(
        {key: value for key, value in payload.items() if isinstance(value, (str, int, float))}
    )
    template = TEMPLATES[kind]
    for key, inner in payload.items():
        for name, value in mapping(inner).items():
            if f"{{{key}.{name}}}" in template:
                values[f"{key}_{name}"] = value
    text = (
        template.replace("{goal.", "{goal_")
        .replace("{review_output.", "{review_output_")
        .format_map(values)
    )
    return text.strip().rstrip(":").removesuffix("()").strip()[:_MAX_TEXT]
