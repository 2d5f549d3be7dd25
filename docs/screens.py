"""Writes docs/screens.md: what the everyday commands print on terminals of 80 and 120 columns.

They run on the demo's sessions, in a pseudo-terminal, at a fixed time. `make docs` runs it; a test
fails when the page is out of date.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
import termios
from datetime import UTC, datetime
from pathlib import Path

PAGE = Path(__file__).parent / "screens.md"
NOW = datetime(2026, 11, 16, 8, 30, tzinfo=UTC)
WIDTHS = (80, 120)
COMMANDS = (
    ("ls",),
    ("search", "--no-sync", "flaky", "retry", "jitter"),
    ("show", "818f4c1f", "--depth", "assistant"),
    ("usage", "daily"),
    ("usage", "blocks"),
    ("stats",),
    ("doctor",),
    ("resume", "818f4c1f", "--print"),
)
_FROZEN = """
import sys, time_machine
with time_machine.travel(float(sys.argv[1]), tick=False):
    from agent_journal.cli.main import run
    sys.exit(run(sys.argv[2:]))
"""
_ID = "c4ce7b10"


def screens_page() -> str:
    """The page: every command at every width."""
    parts = [
        "# Screens\n\nWhat the everyday commands print, on the sessions of `aj demo`. Made by "
        "`make docs`.\nA terminal also has colours; [output.md](output.md) says how lines fit.\n"
    ]
    with tempfile.TemporaryDirectory(prefix="aj-screens-") as folder:
        home = _prepared(folder)
        # It is made from the folder, which is another one each time
        listed = _run(home, ("ls", "--agent", "aider", "--plain"), 80)
        aider_id = re.sub(r"\x1b\[[0-9;]*m", "", listed)[: len(_ID)]
        for command in COMMANDS:
            typed = " ".join(word for word in ("aj", *command) if word != "--no-sync")
            parts.append(f"## {typed}\n")
            for width in WIDTHS:
                shown = _run(home, command, width).replace(aider_id, _ID)
                parts.append(_block(typed, _plain(shown, home), width))
    return "\n".join(parts)


def _prepared(folder: str) -> str:
    """A home with a journal of the demo's sessions."""
    from agent_journal.demo import write_demo_home

    home = os.path.join(folder, "home")
    os.makedirs(home)
    write_demo_home(home, NOW)
    _run(home, ("sync",), 80)
    # Its time says when the last sync was
    os.utime(os.path.join(home, ".agent-journal/index/synced"), (NOW.timestamp(), NOW.timestamp()))
    return home


def _block(typed: str, shown: str, width: int) -> str:
    lines = [line.rstrip() for line in shown.splitlines()]
    text = "\n".join(lines).strip("\n")
    return f"{width} columns:\n\n```console\n$ {typed}\n{text}\n```\n"


def _plain(text: str, home: str) -> str:
    text = re.sub(r"\x1b\[[0-9;]*m", "", text.replace("\r\n", "\n"))
    return text.replace(home, "~")


def _run(home: str, command: tuple[str, ...], width: int) -> str:
    """What a command prints on a terminal of that width."""
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (50, width))
    process = subprocess.Popen(
        [sys.executable, "-c", _FROZEN, str(NOW.timestamp()), *command],
        cwd=home,
        env={
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "HOME": home,
            "AJ_HOME": os.path.join(home, ".agent-journal"),
            "TERM": "xterm",
            "PAGER": "cat",
            "TZ": "UTC",
        },
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            part = os.read(leader, 65_536)
        except OSError:  # the command has ended
            break
        if not part:
            break
        seen += part
    process.wait()
    os.close(leader)
    return seen.decode("utf-8", "replace")


if __name__ == "__main__":
    PAGE.write_text(screens_page(), encoding="utf-8")
