"""Writes all sessions into a home folder, or all but one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.provenance.session import Agent, Session
from bench.provenance.writers import claude_code, codex, copilot_cli, gemini

_WRITERS: dict[Agent, Callable[[str, Session], None]] = {
    "claude-code": claude_code.write,
    "codex": codex.write,
    "copilot-cli": copilot_cli.write,
    "gemini": gemini.write,
}


def write_home(home: str, sessions: Sequence[Session], without: Session | None = None) -> None:
    """Write what the agents left of these sessions; of `without` there is nothing."""
    for session in sessions:
        if session is not without:
            _WRITERS[session.agent](home, session)
