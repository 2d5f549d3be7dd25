"""Which sessions belong to a project that a person names: by a part of a name, or by a folder.

A project has several folders when its repository was cloned, moved, or has worktrees: the name of
one of them means the sessions of all.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

# What joins the sessions of a project: its repository, its folder, or what the agent calls it.
PROJECT = (
    "coalesce((SELECT p.project FROM projects p "
    "WHERE p.path = coalesce(s.project_path, s.repository)), "
    "s.project_path, s.repository, s.project_dir)"
)
# Everything a project can be called by: its folder, its repository, and what joins its folders.
_NAMES = (
    "folded(coalesce(s.project_path, s.project_dir, '') || ' ' || coalesce(s.repository, '') "
    "|| ' ' || coalesce((SELECT p.project FROM projects p WHERE p.path = s.project_path), ''))"
)
_CONTAINS = f"instr({_NAMES}, ?) > 0"
_HAS_NAME_STARTING_WITH = f"instr(' ' || {_NAMES}, ' ' || ?) > 0"
_IS_OR_IS_BELOW = "substr(s.project_path || ?, 1, length(?)) = ?"
_DRIVE = r"[A-Za-z]:[\\/]"  # compiled when it is used: a sync is short


class Condition(NamedTuple):
    """A condition on the row `s` of a session, in SQL, and the values of its parameters."""

    sql: str
    values: tuple[str, ...]


def project_condition(text: str, *, is_prefix: bool = False) -> Condition:
    """The condition that a session is of the project that a text means."""
    folder = folder_meant(text)
    if folder is not None and not is_prefix:
        return _in_folder(folder)
    name = _CONTAINS
    if is_prefix:
        name = _HAS_NAME_STARTING_WITH
    return Condition(_of_projects_with(name), (text.lower(),))


def folder_meant(text: str) -> str | None:
    """The folder that a text means; None for a name. `/shop` is a part of a name."""
    is_relative = text in (".", "..", "~") or text.startswith(("./", "../", "~/", ".\\", "..\\"))
    is_absolute = bool(re.match(_DRIVE, text)) or (text.startswith("/") and text.rfind("/") > 0)
    if not is_relative and not is_absolute:
        return None
    try:
        return os.path.abspath(os.path.expanduser(text))
    except (OSError, ValueError):  # the working folder was deleted
        return None


def folder_condition(folder: str) -> Condition:
    """The condition that a session was held in a folder or below it, whatever its project is."""
    ways = []
    values: list[str] = []
    for path in dict.fromkeys((folder, os.path.realpath(folder))):
        start = path.rstrip(os.sep) + os.sep
        ways.append(_IS_OR_IS_BELOW)
        values += [os.sep, start, start]
    return Condition(f"({' OR '.join(ways)})", tuple(values))


def _in_folder(folder: str) -> Condition:
    from agent_journal.store.repositories import project_of

    here = folder_condition(folder)
    values = [*here.values]
    sql = _of_projects_with(here.sql)
    project = project_of(folder)
    if project is not None:  # perhaps of a clone that no agent has worked in
        sql = f"({sql} OR {PROJECT} = ?)"
        values.append(project)
    return Condition(sql, tuple(values))


def _of_projects_with(condition: str) -> str:
    """The condition that one of the sessions of the same project meets a condition."""
    return f"{PROJECT} IN (SELECT {PROJECT} FROM sessions s WHERE s.is_known = 1 AND ({condition}))"
