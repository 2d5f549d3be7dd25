"""Commands run on a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

from tests.support.journals import variables


def on_terminal(home: Path, *args: str, columns: int = 0, lines: int = 0, **env: str) -> str:
    """What a person at a terminal sees; one of 0 columns and lines does not say its size."""
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (lines, columns))
    process = subprocess.Popen(
        [sys.executable, "-m", "agent_journal", *args],
        env={**variables(home), "TERM": "xterm", "PAGER": "cat", **env},
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    process.wait()
    os.close(leader)
    return seen.decode("utf-8", "replace")
