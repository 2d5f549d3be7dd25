"""What the files of Copilot CLI have in common when they describe a session."""

from __future__ import annotations

from msgspec.structs import replace

from agent_journal.model import Session

AGENT = "copilot-cli"

# Ranks of titles: the highest is shown
USER_TITLE = 50
VSCODE_TITLE = 45
GIVEN_TITLE = 40
SUMMARY_TITLE = 30
PROMPT_TITLE = 10
EMPTY_TITLE = 5  # of a prompt that says nothing


def session_of(name: str) -> str:
    """The session a file belongs to: the folder below `session-state`."""
    parts = name.split("/")
    if len(parts) > 2:
        return parts[1]
    return parts[-1].partition(".")[0]


def with_title(session: Session, title: str | None, rank: int, source: str | None) -> Session:
    """The session with a title; unchanged when there is none."""
    if not title:
        return session
    return replace(session, title=title, title_rank=rank, title_source=source)
