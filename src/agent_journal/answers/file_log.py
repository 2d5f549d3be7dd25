"""`file_log`: the sessions that changed a file, and how many of their lines still stand."""

from __future__ import annotations

from typing import TypedDict

from agent_journal.answers.answer import Answer, iso_time, whole_answer
from agent_journal.answers.attributed_line import PromptItem, prompt_item
from agent_journal.answers.blame import find_blame
from agent_journal.journal import Journal
from agent_journal.provenance.blame import FileBlame
from agent_journal.provenance.file_log import FileSession, file_log


class FileLogItem(TypedDict):
    """What a session did to a file; lines are null where an edit does not say how many."""

    session: str
    agent: str
    title: str | None
    first_edit_at: str | None
    last_edit_at: str | None
    edits: int
    lines_added: int | None
    lines_removed: int | None
    lines_left: int
    classes: dict[str, int]
    edits_undone: int
    edits_without_text: int
    prompts: list[PromptItem]


class FileLogExtra(TypedDict):
    """Which file it is, and how many lines it has."""

    path: str
    lines: int
    lines_of_sessions: int


def find_file_log(journal: Journal, path: str) -> tuple[FileBlame, list[FileSession]]:
    """Find the sessions that changed a file; the path is from the working folder."""

    def find() -> tuple[FileBlame, list[FileSession]]:
        found = find_blame(journal, path, may_be_gone=True)
        return found, file_log(found)

    return journal.with_indexes(find)


def file_log_answer(found: FileBlame, sessions: list[FileSession]) -> Answer:
    """Return the sessions that changed a file, the newest first."""
    return whole_answer(
        "file_log",
        [_item(found, session) for session in sessions],
        path=found.file.path,
        lines=len(found.file.lines),
        lines_of_sessions=sum(verdict.session is not None for verdict in found.verdicts),
    )


def _item(found: FileBlame, session: FileSession) -> FileLogItem:
    row = found.finder.sessions.row(session.session)
    prompts: dict[int, PromptItem] = {}
    for candidate in session.edits:
        item = prompt_item(found.prompts.prompt_of(candidate.writing))
        if item is not None:
            prompts.setdefault(item["position"], item)
    times = [edit.writing.time for edit in session.edits if edit.writing.time is not None]
    return FileLogItem(
        session=row.uid,
        agent=row.agent,
        title=row.title,
        first_edit_at=iso_time(min(times, default=None)),
        last_edit_at=iso_time(max(times, default=None)),
        edits=len(session.edits),
        lines_added=session.added,
        lines_removed=session.removed,
        lines_left=session.left.total(),
        classes=dict(session.left.most_common()),
        edits_undone=session.undone,
        edits_without_text=session.without_text,
        prompts=list(prompts.values()),
    )
