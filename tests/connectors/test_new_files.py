"""Where an agent says that a file is new, and its text is known, all of the text was added."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parent
EXPECTED = sorted(CASES.glob("*/*/expected.json"))


def edits_in(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [edit for part in value for edit in edits_in(part)]
    if not isinstance(value, dict):
        return []
    return value.get("file_edits", []) + edits_in(list(value.values()))


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_a_new_file_has_a_diff(path: Path) -> None:
    edits = edits_in(json.loads(path.read_text()))
    created = [edit for edit in edits if edit.get("kind") == "create" and edit.get("after")]
    assert [edit["path"] for edit in created if not edit.get("diff")] == []
