"""`aj sync --detach`: real processes, of which one waits and none is in the way when killed."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agent_journal.store.catalog.store import write_lock
from tests.support.journals import aj, open_journal, variables, wait_until, write_claude

_PROCESSES = Path("/proc")
pytestmark = pytest.mark.skipif(
    not (_PROCESSES / "self/environ").exists(), reason="looks for processes in /proc"
)


def _detached(home: Path) -> list[int]:
    """The processes in the background that belong to a home."""
    found = []
    for folder in _PROCESSES.iterdir():
        try:
            command = (folder / "cmdline").read_bytes()
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:  # not a process, or it has just ended
            continue
        if b"agent_journal.cli.detached" in command and f"HOME={home}".encode() in variables:
            found.append(int(folder.name))
    return found


def _waiting(home: Path) -> str:
    """The process that says of itself that it waits."""
    try:
        return (home / ".agent-journal/waiting.lock").read_text()
    except FileNotFoundError:
        return ""


def _detach(home: Path) -> None:
    done = aj(home, "sync", "--detach")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def _sessions(home: Path) -> set[str]:
    with open_journal(home) as journal:
        return {session.id for session in journal.sessions()}


def test_a_detached_sync_reads_what_was_written_before(tmp_path: Path) -> None:
    write_claude(tmp_path)
    _detach(tmp_path)
    wait_until(lambda: not _detached(tmp_path))
    assert _sessions(tmp_path) == {"s1"}
    lock = tmp_path / ".agent-journal/waiting.lock"
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600


def test_one_sync_waits_for_the_one_that_runs_and_reads_everything(tmp_path: Path) -> None:
    journal = tmp_path / ".agent-journal"
    with write_lock(str(journal), 0):
        for session in ("s1", "s2", "s3"):
            write_claude(tmp_path, session)
            _detach(tmp_path)
        wait_until(lambda: len(_detached(tmp_path)) == 1)
        (waiting,) = _detached(tmp_path)
        wait_until(lambda: _waiting(tmp_path) == str(waiting))
        write_claude(tmp_path, "s4")
        _detach(tmp_path)
        assert _detached(tmp_path) == [waiting]
        assert os.getsid(waiting) == waiting != os.getsid(0)
    wait_until(lambda: not _detached(tmp_path))
    assert _sessions(tmp_path) == {"s1", "s2", "s3", "s4"}


def test_a_killed_one_leaves_the_way_free(tmp_path: Path) -> None:
    write_claude(tmp_path)
    with write_lock(str(tmp_path / ".agent-journal"), 0):
        _detach(tmp_path)
        wait_until(lambda: _waiting(tmp_path) != "")
        killed = int(_waiting(tmp_path))
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: killed not in _detached(tmp_path))
        _detach(tmp_path)
        wait_until(lambda: _waiting(tmp_path) not in ("", str(killed)))
        assert len(_detached(tmp_path)) == 1
    wait_until(lambda: not _detached(tmp_path))
    assert _sessions(tmp_path) == {"s1"}


def test_nothing_in_the_working_folder_is_imported(tmp_path: Path) -> None:
    write_claude(tmp_path)
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "agent_journal.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'w')")
    command = "from agent_journal.cli.detached import detach; detach()"
    subprocess.run(
        [sys.executable, "-P", "-c", command], cwd=folder, env=variables(tmp_path), check=True
    )
    wait_until(lambda: not _detached(tmp_path))
    assert _sessions(tmp_path) == {"s1"}
    assert not (tmp_path / "imported").exists()


def test_it_takes_no_other_options(tmp_path: Path) -> None:
    done = aj(tmp_path, "sync", "--detach", "--full")
    assert done.returncode == 2
    assert "--detach takes no other options" in done.stderr
