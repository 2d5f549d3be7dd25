"""A session as a row: what lists, searches and exports know of it without its messages."""

from __future__ import annotations

from typing import NamedTuple

# What SESSION_COLUMNS are columns of: sessions, with what a person has marked them with
SESSIONS = "sessions s LEFT JOIN marks k ON k.agent = s.agent AND k.uid = s.uid"
SESSION_COLUMNS = (
    "s.id, s.agent, s.uid, coalesce(k.title, s.title), "
    "CASE WHEN k.title IS NULL THEN s.title_source ELSE 'own' END, s.project_path, s.project_dir, "
    "s.repository, s.git_branch, s.host_app, s.agent_version, s.models, s.started_at, "
    "s.ended_at, s.parent_uid, s.parent_call_uid, s.fork_of, s.agent_name, s.slug, s.tags, "
    "s.recorded_cost_micro_usd, s.is_automated, s.message_count, s.prompt_count, s.tool_count, "
    "s.edit_count, s.input_tokens, s.cache_read_tokens, s.cache_write_tokens, "
    "s.output_tokens, s.cost_micro_usd, s.ended_as, "
    "(SELECT p.project FROM projects p WHERE p.path = s.project_path), "
    "k.starred_at, k.tags, s.title, s.title_source"
)


class SessionRow(NamedTuple):
    """A session as the catalog lists it; times are microseconds."""

    row_id: int
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
    models: str | None
    started_at: int | None
    ended_at: int | None
    parent_id: str | None
    parent_call_id: str | None
    fork_of: str | None
    agent_name: str | None
    slug: str | None
    tags: str | None
    recorded_cost_micro_usd: int | None
    is_automated: int
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
    project: str | None  # the same for all folders of one repository; None when it is not known
    # What a person has said of it: with a title of its own, `title` is that one
    starred_at: int | None = None
    own_tags: str | None = None  # as JSON: when each was given
    agent_title: str | None = None
    agent_title_source: str | None = None

    def without_marks(self) -> SessionRow:
        """The session as its agent has it."""
        return self._replace(
            title=self.agent_title,
            title_source=self.agent_title_source,
            starred_at=None,
            own_tags=None,
        )

    def own_tag_names(self) -> list[str]:
        """The tags that a person gave it, in the order of the alphabet."""
        if not self.own_tags:
            return []
        import json

        return sorted(json.loads(self.own_tags), key=str.casefold)
