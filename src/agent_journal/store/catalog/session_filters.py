"""The sessions that a field of a query means, by what the catalog knows about them."""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import REPOSITORY, is_not_among
from agent_journal.store.catalog.project_filters import (
    PROJECT,
    folder_condition,
    project_condition,
)

# Fields that nobody can type
EXACT_SESSION = "exact session"
IN_FOLDER = "in folder"  # sessions that were held in a folder or below it
SESSION_ROWS = "session rows"  # its values are numbers of rows
_COLUMNS = {
    "agent": "s.agent",
    "repo": REPOSITORY,
    "branch": "coalesce(s.git_branch, '')",
    "model": "model_names(s.models)",
    "session": "s.uid",
    EXACT_SESSION: "s.agent || ':' || s.uid",
}
_OF_SESSIONS = "SELECT DISTINCT {column} FROM sessions s WHERE s.is_known = 1"
_VALUES_IN_USE = {
    "agent": "SELECT DISTINCT agent FROM sessions WHERE is_known = 1",
    "tool": "SELECT DISTINCT name FROM tool_calls",
    "project": _OF_SESSIONS.format(column=PROJECT),
    "repo": _OF_SESSIONS.format(column=_COLUMNS["repo"]),
    "branch": _OF_SESSIONS.format(column=_COLUMNS["branch"]),
    "model": _OF_SESSIONS.format(column=_COLUMNS["model"]),
    "tag": "SELECT t.key FROM marks k, json_each(k.tags) t "
    "UNION SELECT t.value FROM sessions s, json_each(s.tags) t",
}
_MARKED = "EXISTS (SELECT 1 FROM marks k WHERE k.agent = s.agent AND k.uid = s.uid AND {condition})"
# Tags that a person gave a session, and those that its agent recorded
_TAGS = (
    "(SELECT t.key AS tag FROM marks k, json_each(k.tags) t "
    "WHERE k.agent = s.agent AND k.uid = s.uid "
    "UNION ALL SELECT t.value FROM json_each(s.tags) t)"
)
_FLAGS = {
    "subagent": "coalesce(s.parent_uid, s.agent_name) IS NOT NULL",
    "edited": "s.edit_count > 0",
    "waiting": "s.ended_as = 'waiting'",
    "interrupted": "s.ended_as = 'interrupted'",
    "starred": _MARKED.format(condition="k.starred_at NOT NULL"),
    "unfinished": "s.ended_as IN ('waiting', 'in_tool', 'interrupted', 'cut_off')",
}

_EQUAL = "folded({column}) = ?1"
_STARTS_WITH = "substr(folded({column}), 1, length(?1)) = ?1"
_CONTAINS = "instr(folded({column}), ?1) > 0"
_HAS_WORD_STARTING_WITH = "instr(' ' || folded({column}), ' ' || ?1) > 0"
_ENDS_WITH_PATH = "substr('/' || folded({column}), -length('/' || ?1)) = '/' || ?1"
# How a value is compared with the column of a field, without and with a star at its end.
_COMPARISONS = {
    "agent": (_STARTS_WITH, _STARTS_WITH),
    "repo": (_ENDS_WITH_PATH, _HAS_WORD_STARTING_WITH),
    "branch": (_ENDS_WITH_PATH, _STARTS_WITH),
    "model": (_CONTAINS, _HAS_WORD_STARTING_WITH),
    "session": (_STARTS_WITH, _STARTS_WITH),
    "tag": (_EQUAL, _STARTS_WITH),
    EXACT_SESSION: (_EQUAL, _STARTS_WITH),
}


def is_session_field(name: str) -> bool:
    """Whether a field is a property of sessions."""
    return name in _COMPARISONS or name in ("project", IN_FOLDER, SESSION_ROWS)


def is_session_flag(name: str) -> bool:
    """Whether a value of `is:` is a property of sessions."""
    return name in _FLAGS


def sessions_with_value(db: Connection, field: str, text: str, *, is_prefix: bool) -> list[int]:
    """The rows of the sessions whose field has a value."""
    if field == SESSION_ROWS:
        return [int(text)]
    if field == "project":
        of_project = project_condition(text, is_prefix=is_prefix)
        return _session_ids(db, of_project.sql, of_project.values)
    if field == IN_FOLDER:
        in_folder = folder_condition(text)
        return _session_ids(db, in_folder.sql, in_folder.values)
    comparison = _COMPARISONS[field][is_prefix]
    text = text.lower()
    if field == "tag":
        condition = f"EXISTS (SELECT 1 FROM {_TAGS} WHERE {comparison.format(column='tag')})"
        return _session_ids(db, condition, (text.removeprefix("#"),))
    if field == "session":
        text = text.rpartition(":")[2]
    return _session_ids(db, comparison.format(column=_COLUMNS[field]), (text,))


def values_in_use(db: Connection, field: str) -> list[str]:
    """The values that a field has in the journal, each once."""
    rows = db.execute(_VALUES_IN_USE[field])
    values = [value for (value,) in rows if value]
    if field == "model":  # the models of a session are in one row, by all of their names
        values = " ".join(values).split()
    return list(dict.fromkeys(values))


def agents_in_use(db: Connection, without: Iterable[int]) -> list[str]:
    """The agents that have sessions beside those in some rows."""
    condition = f"s.is_known = 1 AND {is_not_among(without)}"
    return [
        agent for (agent,) in db.execute(f"SELECT DISTINCT agent FROM sessions s WHERE {condition}")
    ]


def sessions_with_flag(db: Connection, flag: str) -> list[int]:
    """The rows of the sessions with a flag, such as `subagent` or `edited`."""
    return _session_ids(db, _FLAGS[flag], ())


def message_counts(db: Connection) -> dict[int, int]:
    """The number of messages of each session, by its row."""
    return dict(db.execute("SELECT id, message_count FROM sessions WHERE is_known = 1"))


def _session_ids(db: Connection, condition: str, values: Iterable[str]) -> list[int]:
    query = f"SELECT s.id FROM sessions s WHERE s.is_known = 1 AND {condition}"
    return [session_id for (session_id,) in db.execute(query, tuple(values))]
