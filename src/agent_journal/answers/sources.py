"""`sources`: where each agent's files are, and what is kept of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict

from agent_journal.answers.answer import Answer, iso_time, whole_answer

if TYPE_CHECKING:
    from agent_journal.health.sources import AgentSource
    from agent_journal.store.catalog.sources import KeptFile


class SourceRoot(TypedDict):
    """A folder that is read."""

    path: str
    exists: bool


class SourceFile(TypedDict):
    """A file that is kept."""

    path: str
    role: str
    session: str | None
    status: str
    size: int
    vanished_at: str | None
    versions: int
    captured_at: str | None


class SourceItem(TypedDict):
    """One agent; `files` only where they were asked for."""

    agent: str
    title: str
    error: str | None
    roots: list[SourceRoot]
    files: NotRequired[list[SourceFile]]


def sources_answer(sources: Sequence[AgentSource], with_files: bool) -> Answer:
    """Return the folders of agents, and their files where these are wanted."""
    items = []
    for source in sources:
        item = SourceItem(
            agent=source.agent,
            title=source.title,
            error=source.error,
            roots=[SourceRoot(path=root.path, exists=root.exists) for root in source.roots],
        )
        if with_files:
            item["files"] = [_file(file) for file in source.files]
        items.append(item)
    return whole_answer("sources", items)


def _file(file: KeptFile) -> SourceFile:
    return SourceFile(
        path=file.path,
        role=file.role,
        session=file.session,
        status=file.status,
        size=file.size,
        vanished_at=iso_time(file.vanished_at),
        versions=file.versions,
        captured_at=iso_time(file.captured_at),
    )
