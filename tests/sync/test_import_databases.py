"""`aj import` of databases of agents, by their names or with the folder they are in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.journals import aj, open_journal
from tests.support.paths import CASES
from tests.support.row_databases import rows_in, write_rows


@pytest.mark.parametrize(
    ("agent", "case", "place"),
    [
        ("opencode", "opencode/conversation", ".local/share/opencode/opencode.db"),
        ("crush", "crush/conversation", ".crush/crush.db"),
        ("crush", "crush/old", ".crush/opencode.db"),
        ("goose", "goose/conversation", ".local/share/goose/sessions/sessions.db"),
        ("zed", "zed/conversation", ".local/share/zed/threads/threads.db"),
        ("amazon-q", "amazon_q/conversation", ".local/share/amazon-q/data.sqlite3"),
        ("kiro", "kiro/conversation", ".local/share/kiro-cli/data.sqlite3"),
    ],
)
@pytest.mark.parametrize("is_file", [True, False])
def test_a_database_is_imported_by_its_name_or_folder(
    tmp_path: Path, agent: str, case: str, place: str, is_file: bool
) -> None:
    """Also a database that is not in a home: the folder may lie anywhere."""
    copied = tmp_path / "usb" / Path(*Path(place).parts[-2:])
    copied.parent.mkdir(parents=True)
    write_rows(copied, rows_in((CASES / case / "home" / place).parent))
    named = copied if is_file else copied.parent
    assert aj(tmp_path, "import", str(named)).returncode == 0
    with open_journal(tmp_path) as journal:
        assert {session.agent for session in journal.sessions()} == {agent}
