"""Views for questions about code: the lines that edits wrote, and the commits that tools made."""

from __future__ import annotations

_EDITED = (
    "SELECT id, session_key, agent, session_id, path, timestamp, diff IS NULL AS is_whole, "
    "string_split(coalesce(diff, after), chr(10)) AS lines FROM mirror.file_edits "
    "WHERE kind NOT IN ('backup', 'delete') AND state IS DISTINCT FROM 'undone' "
    "AND coalesce(diff, after) IS NOT NULL"
)
_LINES = (
    "SELECT * EXCLUDE (lines), unnest(lines) AS line_text, "
    f"generate_subscripts(lines, 1) AS line FROM ({_EDITED})"
)
_IS_HEAD = "line_text LIKE '+++ %' AND line <= 2"
_WRITTEN_LINES_VIEW = (
    "SELECT id AS edit_id, session_key, agent, session_id, path, timestamp, "
    "CAST(line AS BIGINT) AS line, "
    "CASE WHEN is_whole THEN line_text ELSE substr(line_text, 2) END AS text "
    f"FROM ({_LINES}) WHERE is_whole OR (line_text LIKE '+%' AND NOT ({_IS_HEAD}))"
)
_PRINTED = r"'(?m)^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.*)$'"
_COMMITS = (
    f"SELECT *, unnest(regexp_extract_all(result, {_PRINTED})) AS printed "
    "FROM mirror.tool_calls WHERE kind = 'shell' AND contains(arguments, 'commit')"
)
_SESSION_COMMITS_VIEW = (
    "SELECT session_key, agent, session_id, id AS call_key, "
    f"regexp_extract(printed, {_PRINTED}, 1) AS sha, "
    f"regexp_extract(printed, {_PRINTED}, 2) AS subject, started_at AS printed_at "
    f"FROM ({_COMMITS})"
)
_SESSION = (
    ("session_key", "BIGINT", "Number of the session in this journal, to join `sessions`."),
    ("agent", "VARCHAR", "Name of the agent."),
    ("session_id", "VARCHAR", "The agent's id of the session."),
)
LINE_VIEWS = {
    "written_lines": _WRITTEN_LINES_VIEW,
    "session_commits": _SESSION_COMMITS_VIEW,
}
LINE_COLUMNS = {
    "written_lines": (
        ("edit_id", "BIGINT", "The edit, to join `file_edits`."),
        *_SESSION,
        ("path", "VARCHAR", "File that was changed."),
        ("timestamp", "TIMESTAMP WITH TIME ZONE", "When."),
        ("line", "BIGINT", "Place in the diff or the text of the edit, from 1."),
        ("text", "VARCHAR", "The line that the edit put into the file."),
    ),
    "session_commits": (
        *_SESSION,
        ("call_key", "BIGINT", "The call that printed the commit, to join `tool_calls`."),
        ("sha", "VARCHAR", "The commit, as it was printed: seven letters or more."),
        ("subject", "VARCHAR", "First line of its message."),
        ("printed_at", "TIMESTAMP WITH TIME ZONE", "When."),
    ),
}
