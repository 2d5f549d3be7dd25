"""The tables of the DuckDB extension agent_data as views of ours.

Each has the columns of the extension first, and then further ones.
"""

from __future__ import annotations

# The extension's names of agents; others have the name that we use.
_SOURCE = (
    "CASE {0}.agent WHEN 'claude-code' THEN 'claude' WHEN 'copilot-cli' THEN 'copilot' "
    "ELSE {0}.agent END"
)
_NAME = "parse_filename({0}.file, false, 'both_slash')"
_ISO = "strftime({0} AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ')"


def _conversation(table: str, values: dict[str, str]) -> str:
    """The rows of one table as rows of `conversations`; columns it does not have are NULL."""
    shared = {
        "source": _SOURCE.format("t"),
        "session_id": (
            "CASE WHEN s.parent_id IS NULL THEN t.session_id "
            "ELSE split_part(t.session_id, '/', 1) END"
        ),
        "project_path": "s.project_path",
        "project_dir": "s.project_dir",
        "file_name": _NAME.format("t"),
        "is_agent": "s.parent_id IS NOT NULL",
        "line_number": "t.seq + 1",
        "slug": "s.slug",
        "git_branch": "s.git_branch",
        "cwd": "s.project_path",
        "version": "s.agent_version",
        "repository": "s.repository",
        "agent": "t.agent",
        "session_key": "t.session_key",
        "thread_id": "t.session_id",
        "agent_id": "s.agent_name",
        "source_file": "t.file",
        "byte_offset": "t.byte_offset",
        **values,
    }
    cells = [
        f"CAST({shared.get(name, 'NULL')} AS {kind}) AS {name}" for name, kind, _ in CONVERSATIONS
    ]
    return (
        f"SELECT {', '.join(cells)} FROM {table} t "
        "LEFT JOIN mirror.sessions s ON s.session_key = t.session_key"
    )


CONVERSATIONS = (
    ("source", "VARCHAR", "`claude`, `copilot`, or the name of the agent."),
    ("session_id", "VARCHAR", "Session; for a sub-agent, its main session."),
    ("project_path", "VARCHAR", "Folder the session worked in."),
    ("project_dir", "VARCHAR", "The agent's name for that folder."),
    ("file_name", "VARCHAR", "Name of the file it was read from."),
    ("is_agent", "BOOLEAN", "Whether it is from a sub-agent."),
    ("line_number", "BIGINT", "Position in the session, from 1."),
    (
        "message_type",
        "VARCHAR",
        "`user`, `assistant`, `system`, `summary`, `tool_use`, `usage`, or the kind of event.",
    ),
    ("uuid", "VARCHAR", "Id of the message, call or event."),
    ("parent_uuid", "VARCHAR", "Id of the previous one."),
    ("timestamp", "VARCHAR", "When, as ISO 8601 in UTC."),
    ("message_role", "VARCHAR", "`user`, `assistant`, `system` or `tool`."),
    ("message_content", "VARCHAR", "Text."),
    ("model", "VARCHAR", "Model, by the agent's name for it."),
    ("tool_name", "VARCHAR", "Tool; one row for each call."),
    ("tool_use_id", "VARCHAR", "Id of the call."),
    ("tool_input", "VARCHAR", "Arguments, as JSON."),
    (
        "input_tokens",
        "BIGINT",
        "Uncached input tokens; each API response counts once, so sums are right.",
    ),
    ("output_tokens", "BIGINT", "Output tokens."),
    ("cache_creation_tokens", "BIGINT", "Input tokens written to the cache."),
    ("cache_read_tokens", "BIGINT", "Input tokens read from the cache."),
    ("reasoning_tokens", "BIGINT", "Tokens of the reasoning, part of the output."),
    ("slug", "VARCHAR", "Name of the session's plan."),
    ("git_branch", "VARCHAR", "Branch."),
    ("cwd", "VARCHAR", "Folder the session worked in."),
    ("version", "VARCHAR", "Version of the agent."),
    ("stop_reason", "VARCHAR", "Why the answer ended."),
    ("reasoning_effort", "VARCHAR", "Always NULL: it is part of the model's name."),
    ("repository", "VARCHAR", "Repository, as the agent recorded it."),
    ("agent", "VARCHAR", "Name of the agent."),
    ("session_key", "BIGINT", "Number of the session or sub-agent, to join `sessions`."),
    ("thread_id", "VARCHAR", "Id of the session or sub-agent."),
    ("agent_id", "VARCHAR", "Name of the sub-agent."),
    ("kind", "VARCHAR", "Kind of the message or tool."),
    ("is_meta", "BOOLEAN", "Whether a program wrote it, not the person or the model."),
    ("message_id", "VARCHAR", "Message that a call or usage belongs to; otherwise its id."),
    ("request_id", "VARCHAR", "Id of the API request."),
    ("usage_key", "VARCHAR", "Key of the response that the tokens belong to."),
    ("usage_counted", "BOOLEAN", "Whether its tokens count here."),
    ("reasoning", "VARCHAR", "Reasoning of the model."),
    ("tool_output", "VARCHAR", "Result of the tool."),
    ("tool_status", "VARCHAR", "`ok`, `error`, `failed`, `denied`, `interrupted` or `running`."),
    ("exit_code", "BIGINT", "Exit code of a shell."),
    ("duration_ms", "BIGINT", "How long the tool took."),
    ("sent_at", "TIMESTAMP WITH TIME ZONE", "When."),
    ("byte_offset", "BIGINT", "Its offset in the file."),
    ("source_file", "VARCHAR", "Path of the file."),
)
_TOKENS = {
    "input_tokens": "t.input_tokens",
    "output_tokens": "t.output_tokens",
    "cache_creation_tokens": "t.cache_write_tokens",
    "cache_read_tokens": "t.cache_read_tokens",
    "reasoning_tokens": "t.reasoning_tokens",
    "model": "t.model",
}
_MESSAGES = {
    **_TOKENS,
    "message_type": "CASE WHEN t.kind = 'compaction' THEN 'summary' ELSE t.role END",
    "uuid": "coalesce(t.record_id, t.message_id)",
    "parent_uuid": "t.parent_id",
    "timestamp": _ISO.format("t.timestamp"),
    "message_role": "t.role",
    "message_content": "t.text",
    "stop_reason": "t.stop_reason",
    "kind": "t.kind",
    "is_meta": "t.kind NOT IN ('prompt', 'answer')",
    "message_id": "t.message_id",
    "request_id": "t.api_id",
    "usage_key": "t.usage_key",
    "usage_counted": "t.usage_counted",
    "reasoning": "t.reasoning",
    "sent_at": "t.timestamp",
}
_CALLS = {
    "message_type": "'tool_use'",
    "uuid": "t.call_id",
    "parent_uuid": "t.message_id",
    "timestamp": _ISO.format("coalesce(t.started_at, t.ended_at)"),
    "message_role": "'tool'",
    "tool_name": "t.name",
    "tool_use_id": "t.call_id",
    "tool_input": "t.arguments",
    "kind": "t.kind",
    "is_meta": "false",
    "message_id": "t.message_id",
    "tool_output": "t.result",
    "tool_status": "t.status",
    "exit_code": "t.exit_code",
    "duration_ms": "t.duration_ms",
    "sent_at": "coalesce(t.started_at, t.ended_at)",
}
_EVENTS = {
    "message_type": "replace(regexp_replace(t.type, '^(assistant|tool)[.]', ''), '.', '_')",
    "uuid": "t.event_id",
    "timestamp": _ISO.format("t.timestamp"),
    "message_content": "t.text",
    "kind": "t.type",
    "is_meta": "true",
    "sent_at": "t.timestamp",
}
_USAGE = {
    **_TOKENS,
    "file_name": "NULL",
    "line_number": "NULL",
    "source_file": "NULL",
    "byte_offset": "NULL",
    "message_type": "'usage'",
    "timestamp": _ISO.format("t.timestamp"),
    "kind": "t.origin",
    "is_meta": "true",
    "message_id": "t.message_id",
    "usage_key": "t.key",
    "usage_counted": "true",
    "sent_at": "t.timestamp",
}
PLANS = (
    ("source", "VARCHAR", "`claude`, `copilot`, or the name of the agent."),
    ("session_id", "VARCHAR", "Session, where it is known."),
    ("plan_name", "VARCHAR", "Name of the plan; also in `conversations.slug`."),
    ("file_name", "VARCHAR", "Name of the file."),
    ("file_path", "VARCHAR", "Path of the file."),
    ("content", "VARCHAR", "The plan."),
    ("file_size", "BIGINT", "Its size in bytes."),
    ("agent", "VARCHAR", "Name of the agent."),
    ("session_key", "BIGINT", "Number of the session, to join `sessions`."),
    (
        "kind",
        "VARCHAR",
        "`plan`, `checkpoint`, `exit_plan_mode` or `memory` (notes about a project).",
    ),
    ("approved", "BOOLEAN", "Whether the person approved it."),
    ("feedback", "VARCHAR", "Reply of the person."),
    ("created_at", "TIMESTAMP WITH TIME ZONE", "When."),
)
TODOS = (
    ("source", "VARCHAR", "`claude`, `copilot`, or the name of the agent."),
    ("session_id", "VARCHAR", "Session."),
    ("agent_id", "VARCHAR", "Sub-agent that the list belongs to."),
    ("file_name", "VARCHAR", "Name of the file."),
    ("item_index", "BIGINT", "Position in the list, from 0."),
    ("content", "VARCHAR", "Task."),
    ("status", "VARCHAR", "`pending`, `in_progress`, `completed`, or a status of the agent."),
    ("active_form", "VARCHAR", "Text displayed while it is in progress."),
    ("agent", "VARCHAR", "Name of the agent."),
    ("session_key", "BIGINT", "Number of the session, to join `sessions`."),
    ("todo_id", "VARCHAR", "Id in the list."),
    ("description", "VARCHAR", "Details."),
    ("depends_on", "VARCHAR", "Ids of the tasks it depends on, as a JSON list."),
    ("origin", "VARCHAR", "`sql`, `tasks`, `todowrite`, `todos_json` or `markdown`."),
    ("own_status", "VARCHAR", "The status, by the agent's name for it."),
    ("created_at", "TIMESTAMP WITH TIME ZONE", "When it was created."),
    ("updated_at", "TIMESTAMP WITH TIME ZONE", "When it was changed."),
)
HISTORY = (
    ("source", "VARCHAR", "`claude`, `copilot`, or the name of the agent."),
    ("line_number", "BIGINT", "Position in the agent's history, from 1."),
    ("timestamp_ms", "BIGINT", "When, in milliseconds since 1970."),
    ("project", "VARCHAR", "Folder."),
    ("session_id", "VARCHAR", "Session."),
    ("display", "VARCHAR", "The prompt, as typed."),
    ("pasted_contents", "VARCHAR", "What was pasted into it."),
    ("agent", "VARCHAR", "Name of the agent."),
    ("session_key", "BIGINT", "Number of the session, to join `sessions`."),
    ("sent_at", "TIMESTAMP WITH TIME ZONE", "When."),
    ("source_file", "VARCHAR", "Path of the file."),
)
STATS = (
    ("source", "VARCHAR", "`claude`, `copilot`, or the name of the agent."),
    ("date", "VARCHAR", "Day, in your time zone."),
    (
        "message_count",
        "BIGINT",
        "Messages, as the agent counted them; otherwise prompts and answers in the journal.",
    ),
    ("session_count", "BIGINT", "Sessions, likewise."),
    ("tool_call_count", "BIGINT", "Tool calls, likewise."),
    ("agent", "VARCHAR", "Name of the agent."),
    ("origin", "VARCHAR", "`agent` or `journal`: who counted."),
    ("journal_message_count", "BIGINT", "Prompts and answers in the journal."),
    ("journal_session_count", "BIGINT", "Sessions with such a message in the journal."),
    ("journal_tool_call_count", "BIGINT", "Tool calls in the journal."),
    ("tokens_by_model", "VARCHAR", "Tokens, as the agent counted them, as JSON."),
)

_PLANS_VIEW = f"""
SELECT
    {_SOURCE.format("t")} AS source, session_id, name AS plan_name,
    {_NAME.format("t")} AS file_name, file AS file_path, text AS content,
    octet_length(encode(text)) AS file_size, agent, session_key, kind, approved, feedback,
    created_at
FROM mirror.plans t
"""
_TODOS_VIEW = f"""
SELECT
    {_SOURCE.format("t")} AS source, session_id, agent_id, {_NAME.format("t")} AS file_name,
    item_index, content, CASE status WHEN 'done' THEN 'completed' ELSE status END AS status,
    active_form, agent, session_key, todo_id, description, depends_on, origin,
    status AS own_status, created_at, updated_at
FROM mirror.todos t
QUALIFY rank = max(rank) OVER (PARTITION BY session_key)
"""
_HISTORY_VIEW = f"""
SELECT
    {_SOURCE.format("t")} AS source, position + 1 AS line_number,
    epoch_ms(timestamp) AS timestamp_ms, project_path AS project, session_id, text AS display,
    pasted AS pasted_contents, agent, session_key, timestamp AS sent_at, file AS source_file
FROM mirror.history t
"""
# What a fork has copied from its origin counts only there.
_STATS_VIEW = f"""
WITH copied AS (
    SELECT s.session_key, o.message_id
    FROM mirror.sessions s
    JOIN mirror.messages o ON o.session_id = s.fork_of AND o.agent = s.agent
    WHERE s.fork_of IS NOT NULL
), written AS (
    SELECT
        m.agent, strftime(coalesce(m.timestamp, s.started_at), '%Y-%m-%d') AS date,
        count(*) AS messages, count(DISTINCT session_key) AS sessions
    FROM mirror.messages m
    LEFT JOIN mirror.sessions s USING (session_key)
    ANTI JOIN copied c ON c.session_key = m.session_key AND c.message_id = m.message_id
    WHERE m.kind IN ('prompt', 'answer') AND m.state IS DISTINCT FROM 'hidden'
        AND date IS NOT NULL
    GROUP BY ALL
), done AS (
    SELECT
        t.agent,
        strftime(coalesce(t.started_at, t.ended_at, s.started_at), '%Y-%m-%d') AS date,
        count(*) AS calls
    FROM mirror.tool_calls t
    LEFT JOIN mirror.sessions s USING (session_key)
    WHERE date IS NOT NULL
    GROUP BY ALL
), ours AS (
    SELECT agent, date, messages, sessions, calls FROM written FULL JOIN done USING (agent, date)
), own AS (
    SELECT
        agent, date, max(message_count) AS message_count, max(session_count) AS session_count,
        max(tool_call_count) AS tool_call_count, any_value(tokens_by_model) AS tokens_by_model
    FROM catalog.agent_stats
    GROUP BY ALL
), counts AS (
    SELECT
        agent, date, coalesce(message_count, messages, 0) AS message_count,
        coalesce(session_count, sessions, 0) AS session_count,
        coalesce(tool_call_count, calls, 0) AS tool_call_count,
        CASE
            WHEN own.message_count IS NULL AND own.session_count IS NULL THEN 'journal'
            ELSE 'agent'
        END AS origin,
        messages AS journal_message_count, sessions AS journal_session_count,
        calls AS journal_tool_call_count, tokens_by_model
    FROM own FULL JOIN ours USING (agent, date)
)
SELECT
    {_SOURCE.format("t")} AS source, date, message_count, session_count, tool_call_count, agent,
    origin, journal_message_count, journal_session_count, journal_tool_call_count, tokens_by_model
FROM counts t
"""

VIEWS = {
    "conversations": " UNION ALL ".join(
        (
            _conversation("mirror.messages", _MESSAGES),
            _conversation("mirror.tool_calls", _CALLS),
            _conversation("mirror.events", _EVENTS),
            _conversation("mirror.usage", _USAGE) + " WHERE NOT t.on_message",
        )
    ),
    "plans": _PLANS_VIEW,
    "todos": _TODOS_VIEW,
    "history": _HISTORY_VIEW,
    "stats": _STATS_VIEW,
}
COLUMNS = {
    "conversations": CONVERSATIONS,
    "plans": PLANS,
    "todos": TODOS,
    "history": HISTORY,
    "stats": STATS,
}
