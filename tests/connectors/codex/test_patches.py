"""Codex: what patches change."""

from __future__ import annotations

from agent_journal.connectors.codex.patches import find_patch, planned_changes
from agent_journal.model import FileEdit
from agent_journal.model.diffs import apply_diff
from tests.connectors.codex.rollouts import pieces_of, read_case, sid


def test_each_change_counts_once() -> None:
    edits: list[FileEdit] = pieces_of(read_case("patches"), FileEdit, sid(10))
    assert [
        (edit.call_id, edit.path, edit.kind, edit.lines_added, edit.lines_removed) for edit in edits
    ] == [
        ("p1", "/r/a.py", "edit", 2, 1),
        ("p1", "/r/b.py", "create", 2, 0),
        ("p2", "c.py", "delete", None, None),
        ("p2", "e.py", "rename", 1, 1),
        ("p3", "f.py", "create", 1, 0),
        ("p7", "i.py", "create", 1, 0),
        ("p7", "k.py", "rename", 1, 1),
        ("p7", "l.py", "delete", 0, 1),
    ]
    assert apply_diff("old\n", edits[0].diff or "") == "new\nmore\n"
    assert edits[4].after == "x\n"


def test_a_patch_in_a_command_must_be_applied_there() -> None:
    patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"
    assert find_patch("shell", {"command": ["apply_patch", patch]}) == patch
    assert find_patch("exec_command", {"cmd": f"apply_patch <<'X'\n{patch}\nX"})
    assert find_patch("exec_command", {"cmd": f"cat <<'X'\n{patch}\nX"}) is None
    assert find_patch("shell", {"command": 7}) is None
    assert find_patch(None, None) is None
    assert [change.after for change in planned_changes(f"{patch}\n{patch}")] == ["x\n", "x\n"]
