"""What a purge makes of the packs of an archive, when files lie in several of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.journals import aj, append, claude_line, journal_digest, variables, write_claude

# Begins a new pack, as when the newest one is full
RUN = """
import sys
from agent_journal.cli.main import run
from agent_journal.store import archive
archive.PACK_LIMIT = 1
sys.exit(run(sys.argv[1:]))
"""


def small(home: Path, *args: str) -> None:
    command = [sys.executable, "-c", RUN, *args]
    subprocess.run(command, env=variables(home), check=True, capture_output=True)


def test_older_bytes_in_a_newer_pack_change_no_time(tmp_path: Path) -> None:
    """The time of a file is that of its end, also in a catalog made from the archive."""
    write_claude(tmp_path, "goes", count=3)
    growing = write_claude(tmp_path, "grows", count=3)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0  # both in one pack
    append(growing, claude_line("user", 3, "and more", "grows"))
    small(tmp_path, "sync", "--no-index")
    archive = tmp_path / ".agent-journal/archive"
    assert len(list(archive.glob("*.pack"))) == 2
    assert aj(tmp_path, "prune", "goes", "--purge", "--yes").returncode == 0
    assert aj(tmp_path, "verify").returncode == 0
    before = journal_digest(tmp_path)
    assert aj(tmp_path, "sync", "--rebuild").returncode == 0
    assert journal_digest(tmp_path) == before
    assert aj(tmp_path, "verify").returncode == 0
