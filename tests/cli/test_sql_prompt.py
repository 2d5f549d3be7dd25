"""The prompt of `aj sql`, on a terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.support.journals import aj, variables, write_claude

pty = pytest.importorskip("pty")


def talk(home: Path, *lines: str) -> str:
    """What the prompt shows to somebody who types these lines."""
    pid, terminal = pty.fork()
    if pid == 0:
        arguments = [sys.executable, "-m", "agent_journal", "sql", "--no-sync"]
        os.execve(sys.executable, arguments, variables(home, TERM="dumb"))
    shown = b""
    waiting = list(lines)
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        shown += data
        if waiting and shown.rstrip().endswith((b"aj>", b"...")):
            os.write(terminal, waiting.pop(0).encode() + b"\n")
            shown += b"\n"
    os.waitpid(pid, 0)
    os.close(terminal)
    return shown.decode().replace("\r", "")


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_queries_mistakes_and_history(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    lines = (
        "SELECT count(*) AS n",
        "FROM messages;",
        "SELECT nope FROM usage;",
        ".columns problems",
        ".quit",
    )
    shown = talk(tmp_path, *lines)
    assert "n\n4\n1 row" in shown
    assert 'Referenced column "nope" not found' in shown
    for word in ("quit", "exit", "EXIT;"):
        ended = talk(tmp_path, "help", word)
        assert ended.count("end a query with ;") == 2
        assert "..." not in ended
    assert "byte_offset" in shown
    history = tmp_path / ".agent-journal/sql-history"
    assert "FROM messages;" in history.read_text()
    assert history.stat().st_mode & 0o777 == 0o600
