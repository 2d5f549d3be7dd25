"""`sessions`: a list of sessions, without their conversations."""

from __future__ import annotations

import json
from typing import TypedDict

from agent_journal.answers.answer import Answer, iso_time, page_answer
from agent_journal.answers.session_list import SessionList
from agent_journal.store.catalog.listing import SessionRow


class SessionItem(TypedDict):
    """A session in a list."""

    agent: str
    id: str
    title: str | None
    title_source: str | None
    project_path: str | None
    project_dir: str | None
    repository: str | None
    git_branch: str | None
    host_app: str | None
    agent_version: str | None
    models: list[str]
    started_at: str | None
    ended_at: str | None
    parent_id: str | None
    parent_call_id: str | None
    fork_of: str | None
    agent_name: str | None
    slug: str | None
    tags: list[str]
    recorded_cost_micro_usd: int | None
    is_automated: bool
    message_count: int
    prompt_count: int
    tool_count: int
    edit_count: int
    input_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None
    cost_micro_usd: int | None
    ended_as: str | None
    project: str | None
    starred_at: str | None
    own_tags: list[str]
    agent_title: str | None
    sub_agents: int


def sessions_answer(found: SessionList, limit: int | None) -> Answer:
    """Return a list of sessions."""
    items = [session_item(row, found.children.get((row.agent, row.id), 0)) for row in found.rows]
    return page_answer("sessions", items, total=found.total, limit=limit)


def session_item(row: SessionRow, sub_agents: int) -> SessionItem:
    """Return one session of a list."""
    return SessionItem(
        agent=row.agent,
        id=row.id,
        title=row.title,
        title_source=row.title_source,
        project_path=row.project_path,
        project_dir=row.project_dir,
        repository=row.repository,
        git_branch=row.git_branch,
        host_app=row.host_app,
        agent_version=row.agent_version,
        models=json.loads(row.models or "[]"),
        started_at=iso_time(row.started_at),
        ended_at=iso_time(row.ended_at),
        parent_id=row.parent_id,
        parent_call_id=row.parent_call_id,
        fork_of=row.fork_of,
        agent_name=row.agent_name,
        slug=row.slug,
        tags=json.loads(row.tags or "[]"),
        recorded_cost_micro_usd=row.recorded_cost_micro_usd,
        is_automated=bool(row.is_automated),
        message_count=row.message_count,
        prompt_count=row.prompt_count,
        tool_count=row.tool_count,
        edit_count=row.edit_count,
        input_tokens=row.input_tokens,
        cache_read_tokens=row.cache_read_tokens,
        cache_write_tokens=row.cache_write_tokens,
        output_tokens=row.output_tokens,
        cost_micro_usd=row.cost_micro_usd,
        ended_as=row.ended_as,
        project=row.project,
        starred_at=iso_time(row.starred_at),
        own_tags=row.own_tag_names(),
        agent_title=row.agent_title,
        sub_agents=sub_agents,
    )
