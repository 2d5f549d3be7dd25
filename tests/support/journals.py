"""Journals for tests: a home folder in a temporary place, the real pipeline on it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from agent_journal.config.loading import load
from agent_journal.health.verify import digest
from agent_journal.journal import Journal
from tests.support.paths import ROOT

SRC = ROOT / "src"
# The last one is how `make coverage` reaches the commands that tests run.
KEPT_VARIABLES = ("PATH", "SYSTEMROOT", "TMPDIR", "COVERAGE_PROCESS_CONFIG")


def variables(home: Path, **more: str) -> dict[str, str]:
    """An environment whose HOME and journal are under `home`, without the developer's agents."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "AJ_HOME": str(home / ".agent-journal"),
        "PYTHONPATH": str(SRC),
        **more,
    }


def open_journal(home: Path, **more: str) -> Journal:
    env = variables(home, **more)
    return Journal(load(env), env)


def journal_digest(home: Path, **more: str) -> dict[str, str]:
    """Everything the journal says, to compare two journals with."""
    with open_journal(home, **more) as journal:
        return digest(journal.db, journal.archive)


def aj(
    home: Path, *args: str, env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Runs the real command."""
    return subprocess.run(
        [sys.executable, "-m", "agent_journal", *args],
        env={**variables(home), **(env or {})},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


def sync(home: Path, *, index: bool = True) -> None:
    """Syncs in this process, which costs a tenth of the command."""
    with open_journal(home) as journal:
        journal.sync(index=index)


def aj_here(home: Path, *args: str) -> str:
    """What a command prints, run in this process: for tests that run very many.

    It is empty when the command fails.
    """
    from click.testing import CliRunner

    from agent_journal.cli.group import aj as command

    with mock.patch.dict(os.environ, variables(home), clear=True):
        done = CliRunner().invoke(command, list(args))
    return done.stdout if done.exit_code == 0 else ""


def aj_json(home: Path, *args: str, **options: Any) -> Any:
    done = aj(home, *args, "--json", **options)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def flip_a_byte_of_the_archive(home: Path) -> None:
    """Damages the middle of the first pack."""
    pack = home / ".agent-journal/archive/000001.pack"
    data = bytearray(pack.read_bytes())
    data[len(data) // 2] ^= 1
    pack.write_bytes(data)


def replace_bytes(path: Path, data: bytes | bytearray) -> None:
    """Give a file other bytes, under its name only.

    A file that shrinks would kill a process that has it mapped, as this one may have an index.
    """
    other = path.with_name(f"{path.name}.other")
    other.write_bytes(data)
    other.replace(path)


def claude_line(
    kind: str, number: int, text: str, session: str = "s1", **more: Any
) -> dict[str, Any]:
    """A transcript line of Claude Code, as small as it may be."""
    message: dict[str, Any] = {"role": kind, "content": text}
    if kind == "assistant":
        message = {
            "id": f"msg_{session}_{number}",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "usage": {
                "input_tokens": 10,
                "output_tokens": 5,
                "cache_read_input_tokens": 100,
                "cache_creation_input_tokens": 0,
            },
        }
        more.setdefault("requestId", f"req_{session}_{number}")
    day = 1 + number // 1440 % 27
    clock = f"{number // 60 % 24:02d}:{number % 60:02d}:00.000Z"
    return {
        "parentUuid": f"{session}-u{number - 1}" if number else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/work/app",
        "sessionId": session,
        "version": "2.1.325",
        "gitBranch": "main",
        "type": kind,
        "message": message,
        "uuid": f"{session}-u{number}",
        "timestamp": f"2026-11-{day:02d}T{clock}",
        **more,
    }


def write_claude(
    home: Path, session: str = "s1", count: int = 4, start: int = 0, project: str = "-work-app"
) -> Path:
    """Appends `count` lines of a plain conversation to a session's transcript."""
    path = home / ".claude" / "projects" / project / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", newline="") as out:
        for number in range(start, start + count):
            kind = "assistant" if number % 2 else "user"
            line = claude_line(kind, number, f"{kind} text {number} of {session}", session)
            out.write(json.dumps(line) + "\n")
    return path


def texts(home: Path, session: str = "s1") -> list[str]:
    """The texts of a session's messages."""
    with open_journal(home) as journal:
        return [message.text for message in journal.session(session).messages]


def append(path: Path, *lines: dict[str, Any] | str) -> None:
    """Appends lines to a log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as out:
        out.writelines(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)


def pack_of(home: Path) -> Path:
    """The first pack of the archive."""
    return home / ".agent-journal/archive/000001.pack"


def assert_like_a_fresh_journal(home: Path) -> None:
    """The journal says what one says that was made now."""
    grown = journal_digest(home)
    assert aj(home, "verify").returncode == 0
    shutil.rmtree(home / ".agent-journal")
    aj(home, "sync")
    assert journal_digest(home) == grown


def wait_until(is_true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Waits for a condition; fails when it does not come true in time."""
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline, "waited for too long"
        time.sleep(0.001)
