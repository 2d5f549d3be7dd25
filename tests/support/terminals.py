"""Commands run on a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios
import time
from pathlib import Path
from select import select

from tests.support.journals import variables

DEADLINE = 120.0  # seconds; only a command that waits for keys takes as long


def on_terminal(home: Path, *args: str, columns: int = 0, lines: int = 0, **env: str) -> str:
    """What a person at a terminal sees; one of 0 columns and lines does not say its size.

    `aj` alone shows its overview, not the terminal UI, which would wait for keys.
    """
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (lines, columns))
    process = subprocess.Popen(
        [sys.executable, "-m", "agent_journal", *args],
        env={**variables(home), "TERM": "xterm", "PAGER": "cat", "NO_TUI": "1", **env},
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    seen = b""
    ends = time.monotonic() + DEADLINE
    while True:
        ready, _, _ = select([leader], [], [], max(0.0, ends - time.monotonic()))
        if not ready:
            process.kill()
            process.wait()
            os.close(leader)
            raise TimeoutError(f"aj {' '.join(args)} has not ended; it shows {seen[-2000:]!r}")
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    process.wait(DEADLINE)
    os.close(leader)
    return seen.decode("utf-8", "replace")
