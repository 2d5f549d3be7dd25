"""Chat histories of Aider for tests: reading them from memory, writing them to disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agent_journal.connectors.aider import CONNECTOR
from agent_journal.connectors.base import FileIdentity, Pause
from tests.support.assemble import Assembly, BytesContent

CASES_FOLDER = Path(__file__).parent.parent / "connectors/aider"
CASES = sorted(path.parent.name for path in CASES_FOLDER.glob("*/home"))
CHAT = ".aider.chat.history.md"
INPUT = ".aider.input.history"
RUN = "\n# aider chat started at 2026-11-02 09:15:00\n\n"


def project(case: str) -> Path:
    return CASES_FOLDER / case / "home/project"


def read(
    text: str | bytes, name: str = CHAT, parts: list[int] | None = None, chunk: int = 1 << 16
) -> Assembly:
    """Read a text as a file of that name, at once or continued from the state at each part."""
    data = text.encode() if isinstance(text, str) else text
    assembly = Assembly()
    sessions: dict[str, Any] = {}
    state = None
    for end in [*(parts or []), len(data)]:
        reader = CONNECTOR.reader(FileIdentity(name, f"/p/{name}", "log", None), state)
        for piece in reader.read(BytesContent(data[:end], chunk)):
            if not isinstance(piece, Pause):
                assembly.add(piece)
        sessions.update({run.id: run for run in reader.sessions()})
        state = reader.save()
    assembly.sessions = list(sessions.values())
    return assembly


def history(folder: Path, text: str = RUN + "#### hello  \n", name: str = CHAT) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder / name
