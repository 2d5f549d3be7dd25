"""A file that cannot be read any more beside another one of its session: `aj verify` finds what the
sync found, whichever of the two was read first.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from agent_journal.health.verify import verify
from tests.support.arrivals import sync
from tests.support.journals import open_journal

FOLDER = ".config/Code/User/workspaceStorage/w1/chatSessions"
DOCUMENT = (
    '{"version":3,"sessionId":"stub","creationDate":1,'
    '"requests":[{"requestId":"r1","message":"one"}]}'
)
LOGS = {
    "empty": "",
    "cut off": '{"kind":0,',
    "without requests": '{"kind":0,"v":{"version":3,"sessionId":"stub","requests":[]}}\n',
    "not a session": '{"kind":0,"v":{"version":3}}\n',
}
HISTORIES = [names for names in product(LOGS, repeat=3) if names[0] != names[1] != names[2]]


@pytest.mark.parametrize("history", HISTORIES, ids=" then ".join)
def test_a_copy_is_the_same_whatever_was_read_before(
    tmp_path: Path, history: tuple[str, ...]
) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True)
    (folder / "stub.json").write_text(DOCUMENT)
    for name in history:
        (folder / "stub.jsonl").write_text(LOGS[name])
        sync(tmp_path)
        with open_journal(tmp_path) as journal:
            found = verify(journal.db, journal.archive)
        assert not found.differences
