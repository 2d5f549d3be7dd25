"""`aj log`: every session that changed a file, and how much of that still stands."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from agent_journal.model import FileEdit
from agent_journal.model.written_lines import has_text
from agent_journal.provenance.blame import FileBlame
from agent_journal.provenance.candidates import Candidate
from agent_journal.provenance.verdicts import LineClass
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.line_rows import (
    Writing,
    edits_of_sessions,
    sessions_with_file,
)

_HELD_BYTES = 64 * 2**20


class FileSession(NamedTuple):
    """What a session did to a file; lines are None where an edit does not say how many."""

    session: int
    edits: list[Candidate]
    added: int | None
    removed: int | None
    undone: int  # edits
    without_text: int  # edits of which only the file is known
    left: Counter[LineClass]  # lines of the file as it is now

    @property
    def last(self) -> int:
        """When its last edit was made."""
        return max(edit.time for edit in self.edits)


def file_log(found: FileBlame) -> list[FileSession]:
    """The sessions that changed a file, under all its names, the newest first."""
    paths = {found.file.path, *(line.path for line in found.file.lines)}
    edits = _edits(found, paths)
    left: dict[int, Counter[LineClass]] = {}
    for verdict in found.verdicts:
        if verdict.session is not None:
            left.setdefault(verdict.session, Counter())[verdict.line_class] += 1
            if verdict.candidate is not None:  # it may have been written in another file
                own = edits.setdefault(verdict.session, {})
                if not own:
                    own[verdict.candidate.edit] = verdict.candidate
    bodies = BodyReader(found.finder.db, _HELD_BYTES)
    sessions = [
        _session(bodies, session, list(own.values()), left.get(session, Counter()))
        for session, own in edits.items()
    ]
    return sorted(sessions, key=lambda session: session.last, reverse=True)


def _edits(found: FileBlame, paths: set[str]) -> dict[int, dict[int, Candidate]]:
    """The edits of a file by main session and id, in the order of time."""
    finder = found.finder
    writings: dict[int, Writing] = {}
    for name in {path.rpartition("/")[2] for path in paths}:
        rows = sessions_with_file(finder.db, name)
        finder.sessions.load(rows)
        for writing in edits_of_sessions(finder.db, rows, name):
            if any(finder.places.match(writing, path) for path in paths):
                writings[writing.id] = writing
    edits: dict[int, dict[int, Candidate]] = {}
    for writing in sorted(writings.values(), key=lambda one: (one.time or 0, one.id)):
        session = finder.sessions.main_of(writing.session)
        edits.setdefault(session, {})[writing.id] = Candidate(writing, 0, session, True)
    return edits


def _session(
    bodies: BodyReader, session: int, edits: list[Candidate], left: Counter[LineClass]
) -> FileSession:
    added: int | None = 0
    removed: int | None = 0
    undone = without_text = 0
    for candidate in edits:
        if candidate.writing.source != "edit":
            continue
        edit = bodies.read(candidate.writing.spot, FileEdit)
        if edit.state == "undone":
            undone += 1
            continue
        without_text += _lacks_text(edit)
        added = _sum(added, edit.lines_added)
        removed = _sum(removed, edit.lines_removed)
    return FileSession(session, edits, added, removed, undone, without_text, left)


def _lacks_text(edit: FileEdit) -> bool:
    """Whether an edit changed lines that it does not have."""
    if has_text(edit) or edit.kind in ("delete", "rename"):
        return False
    changed_nothing = edit.lines_added == 0 and edit.lines_removed == 0
    return not changed_nothing


def _sum(total: int | None, more: int | None) -> int | None:
    """A sum; None as soon as one of its numbers is not known."""
    if total is None or more is None:
        return None
    return total + more
