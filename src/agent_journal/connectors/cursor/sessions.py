"""What the row of a conversation says about its session: title, times, branch, parent, cost.

{"composerId":"…","name":"Two for x","createdAt":1772359200000,"createdOnBranch":"main",
 "subagentInfo":{"parentComposerId":"…","subagentTypeName":"explore"}}
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.cursor.times import time_of
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.values import items, mapping, one_line, string, strings
from agent_journal.model import Message, Session, Todo

AGENT = "cursor"
NAME_RANK = 40
PROMPT_RANK = 10
_TASK = "task-"  # how the ids of sub-agents begin that are named by the call they were started by


def titled(session: Session, spoken: SpokenTitle, name: str = "") -> Session:
    """Give a session its name, or else a title from what was said."""
    name = one_line(name)
    if name:
        return replace(session, title=name, title_rank=NAME_RANK, title_source="name")
    if spoken.text is None:
        return session
    return replace(session, title=spoken.text, title_rank=PROMPT_RANK, title_source=spoken.source)


def timed(session: Session, composer: dict[str, Any], times: list[datetime]) -> Session:
    """Set when a session began and ended: by its messages, else by its own row."""
    created = time_of(composer.get("createdAt"))
    starts = list(times)
    if created is not None:
        starts.append(created)
    ended = (
        max(times, default=None)
        or time_of(composer.get("lastUpdatedAt"))
        or time_of(composer.get("lastSendTime"))
        or created
    )
    return replace(session, started_at=min(starts, default=None), ended_at=ended)


# -- sub-agents --------------------------------------------------------------------------------


def as_task(message: Message) -> Message:
    """Return the message of a sub-agent: its agent gave it the task, nobody typed it."""
    if message.kind == "prompt":
        return replace(message, kind="injected")
    return message


def is_sub_agent(session_id: str, composer: dict[str, Any]) -> bool:
    """Whether a conversation is a sub-agent, as Cursor itself decides it."""
    if composer.get("isBestOfNSubcomposer"):
        return False
    return session_id.startswith(_TASK) or parent_of(session_id, composer) is not None


def parent_of(session_id: str, composer: dict[str, Any]) -> str | None:
    """Return the conversation that started a sub-agent."""
    parent = string(mapping(composer.get("subagentInfo")).get("parentComposerId"))
    if parent == session_id:
        return None
    return parent


def parent_call_of(session_id: str, composer: dict[str, Any]) -> str | None:
    """Return the call that started a sub-agent."""
    call_id = string(mapping(composer.get("subagentInfo")).get("toolCallId"))
    if call_id is None and session_id.startswith(_TASK):
        return session_id.removeprefix(_TASK) or None
    return call_id


# -- facts of the row --------------------------------------------------------------------------


def branch_of(composer: dict[str, Any]) -> str | None:
    """Return the branch a conversation was held on."""
    repositories = items(composer.get("trackedGitRepos"))
    repository = mapping(next(iter(repositories), None))
    return string(composer.get("createdOnBranch")) or string(repository.get("branchName"))


def todos_of(composer: dict[str, Any]) -> tuple[Todo, ...]:
    """Return the todo list of a conversation."""
    todos = (_todo(item) for item in items(composer.get("todos")))
    return tuple(todo for todo in todos if todo is not None)


def _todo(item: dict[str, Any]) -> Todo | None:
    content = string(item.get("content"))
    if content is None:
        return None
    return Todo(
        content=content,
        status=string(item.get("status")),
        id=string(item.get("id")),
        depends_on=tuple(strings(item.get("dependencies"))),
        created_at=time_of(item.get("createdAt")),
        updated_at=time_of(item.get("lastUpdatedAt") or item.get("updatedAt")),
    )


def cost_of(composer: dict[str, Any]) -> int | None:
    """Return what the requests of a conversation cost; older versions recorded it by model."""
    costs = [
        mapping(usage).get("costInCents") for usage in mapping(composer.get("usageData")).values()
    ]
    cents = [
        cost for cost in costs if isinstance(cost, (int, float)) and not isinstance(cost, bool)
    ]
    total = sum(cents)
    if not 0 < total < 1e9:
        return None
    return round(total * 10_000)
