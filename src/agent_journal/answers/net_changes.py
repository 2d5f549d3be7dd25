"""What a session did to each file, from its first edit to its last: the net change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agent_journal.answers.edits import RequestEdit, edits_by_request
from agent_journal.errors import UsageError
from agent_journal.model import Session
from agent_journal.model.diffs import Diff, Differ
from agent_journal.model.file_history import FileVersion, NumberedEdit, version_after
from agent_journal.model.joined_diffs import join_diffs
from agent_journal.model.origins import PROPOSED_EDIT


class NetChange(NamedTuple):
    """What became of one file; `diff` is None where its text before or after is not known."""

    path: str
    edits: list[RequestEdit]
    before: FileVersion
    after: FileVersion
    diff: str | None
    added: int | None
    removed: int | None

    @property
    def requests(self) -> list[int]:
        """The numbers of the requests that changed it, each once."""
        return list(dict.fromkeys(found.number for found in self.edits))


class Changed(NamedTuple):
    """The edits of a session by file, in the order of their first edit."""

    by_path: dict[str, list[RequestEdit]]
    renames: list[RequestEdit]
    places: dict[int, int]  # of each edit, by its identity, in the order of all

    def version(self, path: str, number: int) -> FileVersion:
        """A file as it was after a request; -1 is before the session."""
        return version_after(self._timeline(path), path, number)

    def _timeline(self, path: str) -> list[NumberedEdit]:
        """The edits that may concern a file: its own, and renames, which may be of it."""
        others = [found for found in self.renames if found.edit.path != path]
        own = [*self.by_path.get(path, ()), *others]
        own.sort(key=lambda found: self.places[id(found)])
        return [NumberedEdit(found.number, found.edit) for found in own]


def find_changed(session: Session) -> Changed:
    """Return the edits of a session by file."""
    by_path: dict[str, list[RequestEdit]] = {}
    renames = []
    edits = edits_by_request(session)
    for found in edits:
        by_path.setdefault(found.edit.path, []).append(found)
        if found.edit.kind == "rename":
            renames.append(found)
    places = {id(found): number for number, found in enumerate(edits)}
    return Changed(by_path, renames, places)


def net_changes(changed: Changed, paths: Iterable[str]) -> list[NetChange]:
    """Return the net changes of some files."""
    differ = Differ()
    return [_net_change(changed, path, differ) for path in paths]


def _net_change(changed: Changed, path: str, differ: Differ) -> NetChange:
    edits = changed.by_path[path]
    last = max(found.number for found in edits)
    before = changed.version(path, -1)
    after = changed.version(path, last)
    if "unknown" not in (before.missing, after.missing):
        diff = differ.diff(path, path, before.text, after.text)
    else:
        joined = _joined(path, edits, differ)
        if joined is None:
            added, removed = _sums(edits)
            return NetChange(path, edits, before, after, None, added, removed)
        diff = joined
    return NetChange(path, edits, before, after, diff.text, diff.added, diff.removed)


def _joined(path: str, edits: Sequence[RequestEdit], differ: Differ) -> Diff | None:
    """Return the edits as one diff, where each was made and says what it changed."""
    diffs = []
    for found in edits:
        edit = found.edit
        if edit.kind != "edit" or edit.state == "undone" or edit.origin == PROPOSED_EDIT:
            return None
        diffs.append(edit.diff or "")
    if not all(diffs):
        return None
    return join_diffs(path, diffs, differ)


def _sums(edits: Sequence[RequestEdit]) -> tuple[int | None, int | None]:
    """Return the lines that all edits added and removed; None where one does not say."""
    added: int | None = 0
    removed: int | None = 0
    for found in edits:
        edit = found.edit
        if edit.lines_added is None or added is None:
            added = None
        else:
            added += edit.lines_added
        if edit.lines_removed is None or removed is None:
            removed = None
        else:
            removed += edit.lines_removed
    return added, removed


def check_path(changed: Changed, path: str) -> str:
    """Return a path that the session changed; UsageError for any other."""
    if path not in changed.by_path:
        raise UsageError("this session has not changed that file", "the Changes tab lists them")
    return path
