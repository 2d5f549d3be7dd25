"""Writes the demo's session of Aider: `.aider.chat.history.md`, in the folder it was started in."""

from __future__ import annotations

from datetime import datetime

from agent_journal.demo.steps import Say, Story
from agent_journal.demo.writing import Clock, put

EDIT = """\
The archive takes everything. An exclude for each folder keeps it small:

backup.sh
```bash
<<<<<<< SEARCH
tar -czf "$target" "$HOME/work"
=======
tar -czf "$target" --exclude=node_modules --exclude=.venv "$HOME/work"
>>>>>>> REPLACE
```
"""

STORY = Story(
    "aider",
    "backup",
    "",
    "",
    10,
    "20:15",
    "anthropic/claude-sonnet-4-5",
    "v0.86.1",
    steps=(
        "The backup has grown to 40 GB. Leave out node_modules and virtual environments.",
        Say(EDIT),
    ),
)


def write_aider(home: str, now: datetime) -> None:
    """Writes the history into the home folder: a script there is what was worked on."""
    clock = Clock(STORY, now)
    lines = [
        "",
        f"# aider chat started at {clock.now.astimezone():%Y-%m-%d %H:%M:%S}",
        "",
        f"> Aider {STORY.version}  ",
        f"> Main model: {STORY.model} with diff edit format  ",
        "> Git repo: none  ",
        "> Added backup.sh to the chat.  ",
        "",
    ]
    for step in STORY.steps:
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
    put(f"{home}/.aider.chat.history.md", "\n".join(lines) + "\n", clock.now)
