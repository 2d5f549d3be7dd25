"""A small home folder of invented sessions, for `aj demo`: every supported agent, as it would write them itself."""

from __future__ import annotations

from datetime import datetime

from agent_journal.demo.claude_code import write_claude_code
from agent_journal.demo.copilot_cli import write_copilot_cli
from agent_journal.demo.vscode_chat import write_vscode_chat


def write_demo_home(home: str, now: datetime) -> None:
    """Writes `.claude`, `.copilot` and VS Code's user data into `home`; the same `now` gives the same files."""
    write_claude_code(home, now)
    write_copilot_cli(home, now)
    write_vscode_chat(home, now)
