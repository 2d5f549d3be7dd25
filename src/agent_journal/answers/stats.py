"""`stats`: activity by day, hour, agent, project, branch, model, tool and file."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING, Any, TypedDict

from agent_journal.answers.answer import Answer, whole_answer

if TYPE_CHECKING:
    from agent_journal.store.catalog.usage_rows import ToolActivity
    from agent_journal.usage.activity import Activity


class ShareItem(TypedDict):
    """The activity of one agent, project, branch or model; null where it is not known."""

    name: str
    sessions: int
    prompts: int | None
    answers: int | None
    tools: int | None


class ToolItem(TypedDict):
    """How a tool was used. `success` is the share of finished calls that worked."""

    name: str
    calls: int
    ok: int
    failed: int
    stopped: int
    mean_ms: float | None
    longest_ms: int | None
    success: float | None


class FileItem(TypedDict):
    """How often a file was changed."""

    path: str
    edits: int
    sessions: int
    added: int | None
    removed: int | None


class StatsItem(TypedDict):
    """All statistics."""

    sessions: int
    sub_agents: int
    prompts: int
    answers: int
    tools: int
    edits: int
    days: dict[str, int]
    hours: list[int]
    weekdays: list[int]
    week_hours: list[list[int]]
    shares: dict[str, list[ShareItem]]
    tool_list: list[ToolItem]
    files: list[FileItem]
    lengths: dict[str, int]
    median_seconds: float | None
    longest_seconds: float | None
    streak_days: int
    longest_streak_days: int


def stats_answer(activity: Activity, today: date) -> Answer:
    """Return the statistics as of a day."""
    current, longest = activity.streaks(today)
    item = StatsItem(
        sessions=activity.sessions,
        sub_agents=activity.sub_agents,
        prompts=activity.prompts,
        answers=activity.answers,
        tools=activity.tools,
        edits=activity.edits,
        days={day.isoformat(): count for day, count in sorted(activity.days.items())},
        hours=activity.hours,
        weekdays=activity.weekdays,
        week_hours=activity.week_hours,
        shares={name: _items(shares) for name, shares in activity.shares.items()},
        tool_list=[_tool(tool) for tool in activity.tool_list],
        files=_items(activity.files),
        lengths=dict(activity.lengths),
        median_seconds=activity.median_seconds,
        longest_seconds=activity.longest_seconds,
        streak_days=current,
        longest_streak_days=longest,
    )
    return whole_answer("stats", [item])


def _items(rows: Iterable[Any]) -> list[Any]:
    # Named tuples whose fields are the fields of their items.
    return [row._asdict() for row in rows]


def _tool(tool: ToolActivity) -> Any:
    return tool._asdict() | {"success": tool.success}
