"""The changes of an editing session as edits of the model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Literal

from msgspec.structs import replace

from agent_journal.connectors.vscode_chat.changes import (
    UNKNOWN,
    Budget,
    Change,
    FileText,
    Unknown,
)
from agent_journal.connectors.vscode_chat.snapshots import FileSnapshot
from agent_journal.model import FileEdit
from agent_journal.model.diffs import Diff, Differ
from agent_journal.model.origins import RECORDED_EDIT

_COMPARING = 16  # the cost of comparing a character, in characters copied


class EditMaker:
    """Makes edits of changes.

    An edit has the text of its file before it, unless the edit before it leads to that text.
    """

    def __init__(
        self, session_id: str, budget: Budget, differ: Differ, recent: dict[str, FileSnapshot]
    ) -> None:
        self._session_id = session_id
        self._budget = budget
        self._differ = differ
        self._decided = {path: file for path, file in recent.items() if file.verdict is not None}
        self._last: dict[str, FileText] = {}  # after the last edit of a file, undone or not
        self._in_force: dict[str, FileText] = {}  # after the last edit that was not undone
        self._hashes: dict[str, list[str]] = {}  # of the texts before the edits of rejected files

    def edits(self, change: Change) -> Iterator[FileEdit]:
        """The edit of a change; none if nothing is different."""
        if _changes_nothing(change):
            return
        before = change.before
        after = change.after
        if change.is_notebook:
            before = _without_text(before)
            after = _without_text(after)
        path = change.origin if after is None else change.path
        state = "undone" if change.is_undone else change.verdict
        diff = self._diff(change, path, before, after)
        is_repeated = self._is_repeated(path, before, is_undone=state == "undone")
        is_left_out = diff is None and before is not UNKNOWN
        self._remember_texts(
            change.origin, path, UNKNOWN if is_left_out else after, is_undone=state == "undone"
        )
        self._remember_hash(path, before)
        edit = FileEdit(
            session_id=self._session_id,
            path=path,
            kind=_kind(path, change.origin, before, after),
            message_id=change.request_id,
            state=state,
            origin=RECORDED_EDIT,
        )
        if diff is not None:
            edit = replace(edit, diff=diff.text, lines_added=diff.added, lines_removed=diff.removed)
        if isinstance(before, str) and not is_repeated:
            edit = replace(edit, before=before)
        if isinstance(after, str) and before is UNKNOWN:
            edit = replace(edit, after=after)
        yield edit

    def _diff(self, change: Change, path: str, before: FileText, after: FileText) -> Diff | None:
        if isinstance(before, Unknown) or isinstance(after, Unknown):
            if change.is_untouched and path != change.origin:
                return self._differ.diff(change.origin, path, "", "")  # the names are known
            return None
        if not self._budget.spend(_COMPARING * (len(before or "") + len(after or ""))):
            return None
        return self._differ.diff(change.origin, path, before, after)

    def _is_repeated(self, path: str, before: FileText, is_undone: bool) -> bool:
        """Whether the edits before this one already lead to the text before it."""
        if before != self._last.get(path, UNKNOWN):
            return False
        return is_undone or before == self._in_force.get(path, UNKNOWN)

    def _remember_texts(self, origin: str, path: str, after: FileText, is_undone: bool) -> None:
        self._last[origin] = None
        self._last[path] = after
        if not is_undone:
            self._in_force[origin] = None
            self._in_force[path] = after

    def _remember_hash(self, path: str, before: FileText) -> None:
        file = self._decided.get(path)
        if file is None or file.verdict != "undone":
            return
        name = ""
        if not isinstance(before, Unknown):
            name = hashlib.sha1((before or "").encode(), usedforsecurity=False).hexdigest()[:7]
        self._hashes.setdefault(path, []).append(name)

    def with_verdicts(self, edits: list[FileEdit]) -> list[FileEdit]:
        """The edits with what the person decided last about each file."""
        places: dict[str, list[int]] = {}
        for place, edit in enumerate(edits):
            places.setdefault(edit.path, []).append(place)
        decided = list(edits)
        for path, file in self._decided.items():
            for place in self._places_decided(path, file, edits, places.get(path, [])):
                decided[place] = replace(edits[place], state=file.verdict)
        return decided

    def _places_decided(
        self, path: str, file: FileSnapshot, edits: list[FileEdit], places: list[int]
    ) -> Iterator[int]:
        """The places of the edits that the verdict on a file is about.

        Rejecting takes a file back to the text that was accepted last, through all edits since;
        accepting is of all edits that led to its current text.
        """
        hashes = self._hashes.get(path, [])
        undecided = [n for n, place in enumerate(places) if edits[place].state is None]
        accepted = {n for n in undecided if hashes and hashes[n] == file.original}
        for n in reversed(undecided):
            yield places[n]
            if file.verdict == "undone" and (n in accepted or not accepted):
                break  # if that text is none of ours, only the last edit is certainly undone
            if file.verdict == "kept" and edits[places[n]].before is not None:
                break


def _changes_nothing(change: Change) -> bool:
    if change.is_notebook or change.before is UNKNOWN:
        return False
    return change.before == change.after and change.path == change.origin


def _without_text(text: FileText) -> FileText:
    """What is known of a notebook: whether it exists."""
    if text is None:
        return None
    return UNKNOWN


def _kind(
    path: str, origin: str, before: FileText, after: FileText
) -> Literal["create", "edit", "delete", "rename"]:
    if after is None:
        return "delete"
    if before is None:
        return "create"
    if path != origin:
        return "rename"
    return "edit"
