"""The folders of an agent in words, and whether there is something to say about it."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.health.examine import AgentHealth, Root
from agent_journal.text.human import human_size, plural


class Detail(NamedTuple):
    """How much is shown of an agent."""

    show_all: bool = False  # every row of a list
    is_verbose: bool = False  # also what nobody has to act on


def is_present(health: AgentHealth, detail: Detail) -> bool:
    """Whether there is something to say about an agent."""
    if health.sessions or health.broken or health.vanished_files or not health.is_installed:
        return True
    if detail.is_verbose:
        return bool(health.roots)
    return has_folder(health) or any(root.is_configured for root in health.roots)


def has_folder(health: AgentHealth) -> bool:
    """Whether a folder of the agent exists on this machine."""
    return any(root.exists and not is_empty_project(health, root) for root in health.roots)


def is_empty_project(health: AgentHealth, root: Root) -> bool:
    """Whether a folder is one of the user's own, and the agent has no files in it."""
    return health.is_scattered and not (root.files or root.unlisted or root.is_configured)


def folder_state(root: Root) -> str:
    """How many files a folder has, how many are kept, and when the agent deletes them."""
    if not root.exists:
        return "missing"
    line = plural(root.files, "file")
    kept = root.files - root.unkept_files - root.refused_files
    if root.refused_files:
        line += f", {kept:,} of {root.files:,} kept"
    elif not root.unkept_files:
        line += _all_kept(root.files)
    if root.unkept_files:
        line += f", {root.unkept_files:,} not kept yet ({human_size(root.unkept_bytes)})"
    if root.retention_days is not None:
        line += f"; the agent deletes after {plural(root.retention_days, 'day')}"
    return line


def _all_kept(files: int) -> str:
    if files == 1:
        return ", kept"
    return ", all kept"
