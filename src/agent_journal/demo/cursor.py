"""Writes the demo's session of Cursor: `.cursor/projects/<folder>/agent-transcripts/<id>`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from agent_journal.demo.steps import Call, Say, Story
from agent_journal.demo.story_files import read_stories
from agent_journal.demo.writing import Clock, compact, iso, project_path, put, uuid, with_full_paths


def write_cursor(home: str, now: datetime) -> None:
    """Write all of `.cursor`."""
    for story in read_stories(Story, "cursor", "log-levels"):
        clock = Clock(story, now)
        session_id = uuid("session", story.key)
        records: list[dict[str, Any]] = []
        for step in story.steps:
            if isinstance(step, str):
                records.append(_prompt(step, clock))
            elif isinstance(step, Say):
                records.append(_answer(step, story, clock))
        records.append({"type": "turn_ended", "status": "success"})
        lines = "".join(compact(record) + "\n" for record in records)
        project = project_path(story).strip("/").replace("/", "-")
        folder = f"{home}/.cursor/projects/{project}/agent-transcripts/{session_id}"
        put(f"{folder}/{session_id}.jsonl", lines, clock.now)


def _prompt(text: str, clock: Clock) -> dict[str, Any]:
    content = [{"type": "text", "text": f"<user_query>\n{text}\n</user_query>"}]
    return {"role": "user", "message": {"content": content}, "timestamp": iso(clock.tick(5))}


def _answer(say: Say, story: Story, clock: Clock) -> dict[str, Any]:
    """Return an answer: Cursor keeps what was asked of its tools, not what they answered."""
    parts: list[dict[str, Any]] = []
    if say.text:
        parts.append({"type": "text", "text": say.text})
    parts += [_tool_use(call, story) for call in say.calls]
    return {
        "role": "assistant",
        "model": story.model,
        "message": {"content": parts},
        "timestamp": iso(clock.tick(say.seconds)),
    }


def _tool_use(call: Call, story: Story) -> dict[str, Any]:
    given = with_full_paths(call, project_path(story))
    return {"type": "tool_use", "name": call.tool, "input": given}
