"""Editing sessions before VS Code 1.106: snapshots of files, each made before a change.

{"linearHistory":[{"requestId":"r1","stops":[{"entries":[E]}]}],"linearHistoryIndex":2,…}  1.98 on
{"linearHistory":[{"requestId":"r1","entries":[E]}],"recentSnapshot":{"entries":[E]},…}    1.96 on
E = {"resource":"file:///w/f","originalHash":"6fcf9df","currentHash":"9063a9f","state":1,
     "telemetryInfo":{…}}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby, zip_longest
from typing import Any, NamedTuple

from agent_journal.connectors.values import array, exact_integer, mapping, string
from agent_journal.connectors.vscode_chat.changes import (
    Change,
    FileText,
    ReportTrouble,
    Verdict,
)
from agent_journal.connectors.vscode_chat.uris import path_of

EMPTY_HASH = "da39a3e"  # of a file without text
_VERDICTS: dict[int | None, Verdict] = {1: "kept", 2: "undone"}
# What is kept of a notebook is a snapshot of its cells, not its text
_NOTEBOOK = "VSCodeChatNotebookSnapshotLanguage"
_BEFORE_ALL = -1  # the place of a request that the history does not list


class FileSnapshot(NamedTuple):
    """A file in a snapshot."""

    original: str | None = None
    current: str | None = None
    verdict: Verdict | None = None
    request_id: str | None = None
    is_deleted: bool = False
    is_notebook: bool = False

    def has_same_text(self, other: FileSnapshot) -> bool:
        """Whether the file is the same in both snapshots."""
        return self.current == other.current and self.is_deleted == other.is_deleted


def snapshot_files(snapshot: Any, report: ReportTrouble) -> dict[str, FileSnapshot]:
    """The files of a snapshot by path."""
    found: dict[str, FileSnapshot] = {}
    entries = mapping(snapshot).get("entries")
    if snapshot is not None and not isinstance(entries, list):
        report("a snapshot has no entries")
    for entry in array(entries):
        path = path_of(mapping(entry).get("resource"))
        if path is None:
            report("an entry of a snapshot names no file")
            continue
        found[path] = FileSnapshot(
            original=string(entry.get("originalHash")),
            current=string(entry.get("currentHash")),
            verdict=_VERDICTS.get(exact_integer(entry.get("state"))),
            request_id=string(mapping(entry.get("telemetryInfo")).get("requestId")),
            is_deleted=entry.get("isDeleted") is True,
            is_notebook=entry.get("languageId") == _NOTEBOOK or path.endswith(".ipynb"),
        )
    return found


def initial_hashes(value: Any, report: ReportTrouble) -> dict[str, str]:
    """The hash of each file's text before the session."""
    found: dict[str, str] = {}
    for item in array(value):
        path = None
        content = None
        if isinstance(item, list) and len(item) == 2:
            path = path_of(item[0])
            content = item[1]
        if path is None or not isinstance(content, str):
            report("an initial content names no file or no text")
            continue
        found[path] = content
    return found


class _Listing(NamedTuple):
    """A file in a stop, as it was before what the request of the stop did next."""

    stop: int  # its number, counted over all requests
    request: int
    file: FileSnapshot


class _Step(NamedTuple):
    """A change of a file from one snapshot to another."""

    request: int
    before: FileSnapshot
    after: FileSnapshot
    is_undone: bool
    verdict: Verdict | None = None


class SnapshotHistory:
    """A history of snapshots, each made before something was changed."""

    def __init__(
        self,
        document: dict[str, Any],
        recent: dict[str, FileSnapshot],
        initial: dict[str, str],
        report: ReportTrouble,
    ) -> None:
        self._initial = initial
        self._report = report
        # The stop to which everything is undone
        self._now = exact_integer(document.get("linearHistoryIndex"))
        pending = snapshot_files(document.get("pendingSnapshot"), report)
        # Once something is undone, the newest snapshot has the files as they are now, and the
        # pending one what is undone.
        self._last = {**pending, **recent}
        self._last_undone = {**recent, **pending}
        self._requests: list[str | None] = []
        self._first_stops: list[int] = []
        self._places: dict[str, int] = {}  # of the requests by their ids

    def changes(
        self, history: list[Any], text_of_hash: Callable[[str | None], FileText]
    ) -> list[Change]:
        """What changed, in the order of the requests."""
        listings = self._listings(history)
        found: list[tuple[int, Change]] = []
        for path in dict.fromkeys((*listings, *self._last)):
            is_first = True
            for step in self._steps(path, listings.get(path, [])):
                change = self._change(path, step, is_first, text_of_hash)
                found.append((step.request, change))
                is_first = False
        found.sort(key=lambda item: item[0])
        return [change for _, change in found]

    def _change(
        self,
        path: str,
        step: _Step,
        is_first: bool,
        text_of_hash: Callable[[str | None], FileText],
    ) -> Change:
        before: FileText = None
        after: FileText = None
        # A new file is recorded as an empty one; files that were empty before are rarely edited.
        is_new = step.before.is_deleted or (is_first and step.before.current == EMPTY_HASH)
        if not is_new:
            before = text_of_hash(step.before.current)
        if not step.after.is_deleted:
            after = text_of_hash(step.after.current)
        request_id = step.after.request_id
        if step.request != _BEFORE_ALL:
            request_id = self._requests[step.request]
        return Change(
            path=path,
            origin=path,
            request_id=request_id,
            before=before,
            after=after,
            is_undone=step.is_undone,
            is_notebook=step.after.is_notebook,
            verdict=step.after.verdict or step.verdict,
        )

    def _listings(self, history: list[Any]) -> dict[str, list[_Listing]]:
        """Where each file is listed."""
        found: dict[str, list[_Listing]] = {}
        count = 0
        for item in history:
            stops = None
            if isinstance(item, dict):
                stops = item.get("stops", [item])
            if not isinstance(stops, list):
                self._report("a part of the history has no stops")
                continue
            request = len(self._requests)
            for stop, snapshot in enumerate(stops, count):
                for path, file in snapshot_files(snapshot, self._report).items():
                    found.setdefault(path, []).append(_Listing(stop, request, file))
            request_id = string(item.get("requestId"))
            self._places.setdefault(request_id or "", request)
            self._requests.append(request_id)
            self._first_stops.append(count)
            count += len(stops)
        return found

    def _steps(self, path: str, listings: list[_Listing]) -> Iterator[_Step]:
        steps = [*self._arrival(path, listings)]
        groups = [list(group) for _, group in groupby(listings, key=_request_of)]
        for group, following in zip_longest(groups, groups[1:]):
            next_file = following[0].file if following else None
            steps += self._request(path, group, next_file)
        for step in steps:
            if not step.before.has_same_text(step.after):
                yield step

    def _arrival(self, path: str, listings: list[_Listing]) -> Iterator[_Step]:
        """The change that brought a file into the history.

        The snapshot before that change does not list the file yet.
        """
        if listings:
            file = listings[0].file
        else:
            file = self._last[path]
        request = self._places.get(file.request_id or "", _BEFORE_ALL)
        if listings and (file.request_id is None or request >= listings[0].request):
            return
        stop = _BEFORE_ALL
        if request != _BEFORE_ALL:
            stop = self._first_stops[request]
        before = FileSnapshot(current=self._initial.get(path, file.original))
        yield _Step(request, before, file, self._is_undone(stop))

    def _request(
        self, path: str, group: list[_Listing], following: FileSnapshot | None
    ) -> Iterator[_Step]:
        """What a request did, from the stops that list the file.

        When only one stop does, the next snapshot tells it.
        """
        first = group[0]
        last = group[-1]
        if len(group) == 1:
            is_undone = self._is_undone(first.stop)
            ends = self._last_undone if is_undone else self._last
            after = following or ends.get(path)
            if after is not None:
                yield _Step(first.request, first.file, after, is_undone)
            return
        in_force = [listing for listing in group if self._is_in_force(listing.stop)]
        middle = in_force[-1] if in_force else first
        verdict = _verdict_on(first.file, following)
        yield _Step(first.request, first.file, middle.file, False, verdict)
        yield _Step(first.request, middle.file, last.file, True)

    def _is_in_force(self, stop: int) -> bool:
        """Whether the files of a stop are as the person left them, or came before that."""
        return self._now is None or stop <= self._now

    def _is_undone(self, stop: int) -> bool:
        return self._now is not None and stop >= self._now


def _request_of(listing: _Listing) -> int:
    return listing.request


def _verdict_on(file: FileSnapshot, following: FileSnapshot | None) -> Verdict | None:
    """What the person decided about the change of a file, by the next snapshot of it."""
    if following is None:
        return None
    if following.verdict == "undone" and following.current != file.current:
        return None
    return following.verdict
