"""Writes the demo's session of Aider: `.aider.chat.history.md`, in the folder it was started in."""

from __future__ import annotations

from datetime import datetime

from agent_journal.demo.steps import Say, Story
from agent_journal.demo.story_files import read_stories
from agent_journal.demo.writing import Clock, put


def write_aider(home: str, now: datetime) -> None:
    """Write the history into the home folder: the session is about a script there."""
    for story in read_stories(Story, "aider", "backup"):
        clock = Clock(story, now)
        lines = _lines(story, clock)
        put(f"{home}/.aider.chat.history.md", "\n".join(lines) + "\n", clock.now)


def _lines(story: Story, clock: Clock) -> list[str]:
    lines = [
        "",
        f"# aider chat started at {clock.now.astimezone():%Y-%m-%d %H:%M:%S}",
        "",
        f"> Aider {story.version}  ",
        f"> Main model: {story.model} with diff edit format  ",
        "> Git repo: none  ",
        "> Added backup.sh to the chat.  ",
        "",
    ]
    for step in story.steps:
        if isinstance(step, str):
            lines += [f"#### {step}  ", ""]
        elif isinstance(step, Say):
            clock.tick(step.seconds)
            lines += [
                step.text,
                "> Tokens: 2.6k sent, 98 received. Cost: $0.01 message, $0.01 session.  ",
                "> Applied edit to backup.sh  ",
                "",
            ]
    return lines
