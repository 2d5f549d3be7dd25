"""`backup`: the files of a backup, and how much of each was copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from agent_journal.answers.answer import Answer, whole_answer

if TYPE_CHECKING:
    from agent_journal.store.backup.folder import BackedUp


class BackupItem(TypedDict):
    """One file."""

    name: str
    size: int
    new_bytes: int


class BackupExtra(TypedDict):
    """What stands beside the files."""

    target: str
    warnings: list[str]


def backup_answer(target: str, backed_up: BackedUp) -> Answer:
    """Return what a backup consists of now."""
    items = [
        BackupItem(name=file.name, size=file.size, new_bytes=file.new_bytes)
        for file in backed_up.files
    ]
    extra = BackupExtra(target=target, warnings=backed_up.warnings)
    return whole_answer("backup", items, problems=len(backed_up.warnings), **extra)
