"""Cursor: everything the readers make of a case is in its `expected.json`.

AJ_WRITE_EXPECTED=1 writes these files; check the difference before you commit it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_journal.connectors.base import FileIdentity, FoundFile, Pause
from agent_journal.connectors.cursor import CONNECTOR
from tests.support.assemble import DiskContent
from tests.support.cursor_home import CASES, build, files_of


def described(home: Path, file: FoundFile) -> dict[str, Any]:
    """Everything a reader makes of a file, with HOME in place of the home folder."""
    reader = CONNECTOR.reader(FileIdentity(file.name, file.path, file.role, file.session_id), None)
    pieces = [
        piece for piece in reader.read(DiskContent(file.path)) if not isinstance(piece, Pause)
    ]
    found = {
        "role": file.role,
        "completeness": reader.completeness,
        "sessions": list(reader.sessions()),
        "pieces": [[type(piece).__name__, piece] for piece in pieces],
        "ledger": sorted([*entry, *sums] for entry, sums in reader.ledger.counts.items()),
        "troubles": reader.ledger.troubles,
    }
    text = json.dumps(msgspec.to_builtins(found), ensure_ascii=False)
    return json.loads(text.replace(str(home), "HOME"))  # type: ignore[no-any-return]


@pytest.mark.parametrize("case", sorted(path.parent.name for path in CASES.glob("*/home")))
def test_case(case: str, tmp_path: Path) -> None:
    found = {file.name: described(tmp_path, file) for file in files_of(build(case, tmp_path))}
    expected = CASES / case / "expected.json"
    if os.environ.get("AJ_WRITE_EXPECTED"):
        expected.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n")
    assert found == json.loads(expected.read_text())
