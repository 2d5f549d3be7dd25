"""Commands run on a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

from tests.support.journals import variables


def on_terminal(home: Path, *args: str, **env: str) -> str:
    """What a person at a terminal sees."""
    leader, follower = pty.openpty()
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
