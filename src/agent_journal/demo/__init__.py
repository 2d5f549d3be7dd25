"""A small home folder of invented sessions for `aj demo`, as each supported agent writes them."""

from __future__ import annotations

from datetime import datetime

from agent_journal.demo.aider import write_aider
from agent_journal.demo.claude_code import write_claude_code
from agent_journal.demo.cline import write_cline
from agent_journal.demo.codex import write_codex
from agent_journal.demo.copilot_cli import write_copilot_cli
from agent_journal.demo.cursor import write_cursor
from agent_journal.demo.gemini import write_gemini
from agent_journal.demo.opencode import write_opencode
from agent_journal.demo.pi import write_pi
from agent_journal.demo.vscode_chat import write_vscode_chat


def write_demo_home(home: str, now: datetime) -> None:
    """Write what each agent leaves in a home folder; the same `now` gives the same files."""
    write_aider(home, now)
    write_claude_code(home, now)
    write_cline(home, now)
    write_codex(home, now)
    write_copilot_cli(home, now)
    write_cursor(home, now)
    write_gemini(home, now)
    write_pi(home, now)
    write_opencode(home, now)
    write_vscode_chat(home, now)
