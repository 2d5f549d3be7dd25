"""Events that are not part of the conversation, each with a short text for people.

{"type":"session.model_change","data":{"newModel":"gpt-5","previousModel":"auto"},…}
model changed to gpt-5
"""

from __future__ import annotations

from typing import Any

from agent_journal.connectors.values import mapping

_MAX_TEXT = 500
# Fields of a permission request, the most telling first
_PERMISSION_OBJECTS = (
    "fullCommandText",
    "fileName",
    "path",
    "url",
    "toolName",
    "serverName",
    "intention",
)

# All types that versions up to 1.0.102 write to disk and that are not messages, calls or usage
TEMPLATES = {
    "assistant.fusion_phase_completed": "fusion phase {phaseKind} by {model}: {status}",
    "assistant.fusion_phase_failed": "fusion phase {phaseKind} by {model} failed: {reason}",
    "external_tool.completed": "tool of the host finished",
    "external_tool.requested": "tool of the host asked for: {toolName}",
    "factory.run_updated": "workflow run updated",
    "mcp.oauth_recovery_completed": "sign-in to MCP server {serverName}: {outcome}",
    "permission.assentDetected": "assent detected in turn {turnIndex}",
    "permission.carriedForward": "permission carried forward ({decisionSource})",
    "permission.contextualAuthorization": "authorization from context: {polarity}",
    "permission.messageAuthorization": "authorization by message: {polarity} {actionClass}",
    "permission.messageAuthorizationDegraded": "authorization by message could not be used",
    "permission.messageAuthorizationRead": "message read for authorizations",
    "session.auto_mode_resolved": "auto chose model {chosenModel}",
    "session.autopilot_objective_changed": "autopilot objective: {operation}",
    "session.canvas.recorded": "canvas {canvasId} opened",
    "session.canvas.removed": "canvas {canvasId} closed",
    "session.compaction_start": "compaction started",
    "session.completion_receipt": "turn completed ({stopReason}), {failedToolCount} tools failed",
    "session.context_changed": "working folder changed to {cwd}",
    "session.context_cleared": "context cleared ({messagesCleared} messages)",
    "session.fusion_change_checkpoint": "fusion changes recorded",
    "session.fusion_commit_started": "fusion commit from {sourceModel}",
    "session.fusion_completed": "fusion completed: {outcome}",
    "session.fusion_handoff": "fusion handed over to {targetModel}",
    "session.fusion_resolved": "fusion plan: {pattern}, primary model {primaryModel}",
    "session.fusion_route_failed": "fusion failed, using {fallbackModel}: {reason}",
    "session.handoff": "session handed over ({sourceType})",
    "session.info": "{message}",
    "session.mode_changed": "mode changed from {previousMode} to {newMode}",
    "session.mode_notice_delivered": "model informed of mode {mode}",
    "session.model_change": "model changed to {newModel}",
    "session.model_deselected": "model {previousModel} withdrawn ({reason})",
    "session.permission_recovery": "permission recovery: {status} ({reason})",
    "session.permissions_changed": "permission mode changed to {mode}",
    "session.plan_changed": "plan.md: {operation}",
    "session.remote_steerable_changed": "remote control: {remoteSteerable}",
    "session.request_body_compression_disabled": "request compression switched off",
    "session.schedule_cancelled": "schedule {id} cancelled",
    "session.schedule_created": "schedule {id} created: {prompt}",
    "session.schedule_rearmed": "schedule {id} armed again",
    "session.session_limits_changed": "session limits changed",
    "session.task_complete": "task complete: {summary}",
    "session.truncation": "context truncated to fit the model",
    "session.usage_checkpoint": "usage checkpoint",
    "session.warning": "{message}",
    "session.workspace_file_changed": "workspace file {path}: {operation}",
    "skill.context_delivered": "skill context delivered ({source})",
    "skill.context_delivered_ref": "skill context delivered again ({source})",
    "subagent.configured": "sub-agent configured with {model}",
    "subagent.deselected": "custom agent left",
    "subagent.selected": "agent selected: {agentDisplayName}",
    "tool_search.activated": "tool search activated",
}

# Types that are only sent to a live stream; recordings of that stream have them on disk.
_EPHEMERAL = """
    agent.interrupted assistant.fusion_phase_activity assistant.fusion_phase_started
    assistant.idle assistant.intent assistant.message_delta assistant.message_start
    assistant.reasoning_delta assistant.server_tool_progress assistant.streaming_delta
    assistant.tool_call_delta assistant.turn_retry assistant.usage auto_mode_switch.completed
    auto_mode_switch.requested capabilities.changed command.completed command.execute
    command.queued commands.changed elicitation.completed elicitation.requested
    exit_plan_mode.completed exit_plan_mode.requested hook.progress
    mcp.headers_refresh_completed mcp.headers_refresh_required mcp.oauth_completed
    mcp.oauth_required mcp.prompts.list_changed mcp.resources.list_changed
    mcp.tools.list_changed mcp_app.tool_call_complete pending_messages.modified
    prompt_cache_break sampling.completed sampling.requested sandbox.decision
    session.auto_tier_recommendation session.auto_tier_switch_failed session.autopilot_stopped
    session.background_tasks_changed session.canvas.closed session.canvas.opened
    session.canvas.registry_changed session.canvas.unavailable session.custom_agents_updated
    session.custom_notification session.extensions.attachments_pushed session.extensions_loaded
    session.fusion_route_started session.idle session.indexed_search
    session.managed_plugin_progress session.managed_settings_enforced
    session.managed_settings_resolved session.mcp_server_needs_reconnect
    session.mcp_server_removed session.mcp_server_status_changed session.mcp_server_tools_loaded
    session.mcp_servers_loaded session.memory_changed session.quota_observation
    session.skills_loaded session.snapshot_rewind session.title_changed session.todos_changed
    session.tools_updated session.usage_info session_limits_exhausted.completed
    session_limits_exhausted.requested tool.execution_partial_result tool.execution_progress
    tool.shell_output ui.ephemeral_query user_input.completed user_input.requested
    workflow.run_settled workflow.run_started workflow.run_updated
    """
EPHEMERAL = frozenset(_EPHEMERAL.split())


class _TemplateValues(dict[str, Any]):
    """The values of a template, with a question mark for missing ones."""

    def __missing__(self, key: str) -> str:
        return "?"


def describe(kind: str, data: dict[str, Any]) -> str:
    """A short text for an event, from its template."""
    values = _TemplateValues((key, value) for key, value in data.items() if value is not None)
    return TEMPLATES[kind].format_map(values)[:_MAX_TEXT]


def describe_permission(data: dict[str, Any]) -> str:
    """What was requested, or the decision."""
    if "permissionRequest" in data:
        request = mapping(data["permissionRequest"])
        objects = [request[key] for key in _PERMISSION_OBJECTS if request.get(key)]
        text = f"permission requested: {request.get('kind', '?')}"
        if objects:
            text = f"{text} {objects[0]}"
        return text.strip()[:_MAX_TEXT]
    result = data.get("result")
    if isinstance(result, str):
        return f"permission {result}"[:_MAX_TEXT]
    text = f"permission {mapping(result).get('kind', '?')}"
    feedback = mapping(result).get("feedback")
    if feedback:
        text = f"{text}: {feedback}"
    return text[:_MAX_TEXT]
