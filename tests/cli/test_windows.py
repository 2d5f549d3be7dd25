"""A part of a session: its messages, and what belongs to them."""

from __future__ import annotations

from pathlib import Path

from tests.support.journals import aj_json, open_journal


def test_a_window_has_the_edits_of_its_messages(demo: Path) -> None:
    with open_journal(demo) as journal:
        row = next(row for row in journal.rows() if row.edit_count > 1)
        whole = journal.session(f"{row.agent}:{row.id}")
        edit = next(edit for edit in whole.file_edits if edit.call_id is not None)
        owner = next(
            message
            for message in whole.messages
            if edit.call_id in [call.id for call in message.tool_calls]
        )
        place = owner.seq or 0
        window = journal.window(f"{row.agent}:{row.id}", place, place)
    assert edit in window.file_edits
    assert len(window.file_edits) < len(whole.file_edits)
    assert (window.plans, window.todos, window.documents) == (
        whole.plans,
        whole.todos,
        whole.documents,
    )


def test_show_prints_a_part_as_the_whole_has_it(demo: Path) -> None:
    for item in aj_json(demo, "ls")["items"][:3]:
        [whole] = aj_json(demo, "show", item["id"])["items"]
        middle = len(whole["messages"]) // 2
        position = whole["messages"][middle]["seq"]
        [part] = aj_json(demo, "show", item["id"], "-m", str(position), "-C", "1")["items"]
        assert part.pop("messages") == whole.pop("messages")[max(0, middle - 1) : middle + 2]
        whole.pop("events", None)
        part.pop("events", None)
        assert part == whole
