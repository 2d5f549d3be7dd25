"""Writes the demo's session of Cursor:
`.cursor/projects/<folder>/agent-transcripts/<id>/<id>.jsonl`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from agent_journal.demo.steps import Call, Say, Story
from agent_journal.demo.writing import Clock, compact, iso, project_path, put, uuid, with_full_paths

STORY = Story(
    "cursor",
    "log-levels",
    "relay",
    "main",
    8,
    "15:30",
    "composer-1",
    "2.4",
    steps=(
        "Every reconnect is logged as an error, and the pager rings at night. Make it a warning until the fifth try.",
        Say(
            "Reconnects are logged in one place.",
            (
                Call("Grep", {"pattern": "log.error", "path": "relay"}),
                Call("Read", {"path": "relay/link.py"}),
            ),
        ),
        Say(
            calls=(
                Call(
                    "StrReplace",
                    {
                        "path": "relay/link.py",
                        "old_string": "log.error(tries)",
                        "new_string": "log.log(ERROR if tries >= 5 else WARNING, tries)",
                    },
                ),
                Call("Shell", {"command": "pytest -q tests/test_link.py"}),
            )
        ),
        Say("A reconnect is a warning now, and an error from the fifth try on. The tests pass."),
    ),
)


def write_cursor(home: str, now: datetime) -> None:
    """Writes all of `.cursor`."""
    clock = Clock(STORY, now)
    own = uuid("session", STORY.key)
    lines = [
        compact(_record(step, clock)) + "\n" for step in STORY.steps if isinstance(step, (str, Say))
    ]
    lines.append(compact({"type": "turn_ended", "status": "success"}) + "\n")
    folder = project_path(STORY).strip("/").replace("/", "-")
    put(
        f"{home}/.cursor/projects/{folder}/agent-transcripts/{own}/{own}.jsonl",
        "".join(lines),
        clock.now,
    )


def _record(step: str | Say, clock: Clock) -> dict[str, Any]:
    """A line: Cursor keeps what was asked of its tools, not what they answered."""
    if isinstance(step, str):
        content = [{"type": "text", "text": f"<user_query>\n{step}\n</user_query>"}]
        return {"role": "user", "message": {"content": content}, "timestamp": iso(clock.tick(5))}
    when = iso(clock.tick(step.seconds))
    parts: list[dict[str, Any]] = [{"type": "text", "text": step.text}] if step.text else []
    for call in step.calls:
        parts.append(
            {
                "type": "tool_use",
                "name": call.tool,
                "input": with_full_paths(call, project_path(STORY)),
            }
        )
    return {
        "role": "assistant",
        "model": STORY.model,
        "message": {"content": parts},
        "timestamp": when,
    }
