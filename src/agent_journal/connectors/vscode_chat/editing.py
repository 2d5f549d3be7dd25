"""Editing sessions: what each request of a chat did to which files, with their texts before and after.

    chatEditingSessions/<session>/state.json          three layouts since VS Code 1.96, told apart by what they have
    chatEditingSessions/<session>/contents/6fcf9df    the text of a file, named by the start of its SHA-1

{"timeline":{"checkpoints":[…],"fileBaselines":[…],"operations":[…],"currentEpoch":5},…}        since 1.106
{"linearHistory":[{"requestId":"r1","stops":[{"entries":[E]}]}],"linearHistoryIndex":2,…}       since 1.98
{"linearHistory":[{"requestId":"r1","entries":[E]}],"recentSnapshot":{"entries":[E]},…}         since 1.96
E = {"resource":"file:///w/f","originalHash":"6fcf9df","currentHash":"9063a9f","state":1,"telemetryInfo":{…}}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from itertools import groupby, zip_longest
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.base import Content
from agent_journal.connectors.jsonl import DocumentReader
from agent_journal.connectors.values import string
from agent_journal.connectors.vscode_chat.timeline import (
    UNKNOWN,
    Change,
    Replay,
    State,
    Trouble,
    Unknown,
    Work,
)
from agent_journal.connectors.vscode_chat.uris import path_of
from agent_journal.model import FileEdit, Piece
from agent_journal.model.diffs import ALL_STEPS, Differ

_EMPTY = "da39a3e"  # the hash of no text
_VERDICTS: dict[int, Literal["kept", "undone"]] = {1: "kept", 2: "undone"}
# What is kept of a notebook is a snapshot of its cells, not its text
_NOTEBOOK = "VSCodeChatNotebookSnapshotLanguage"
_COMPARING = 16  # what comparing a character costs, in characters copied


class EditingReader(DocumentReader):
    """Reads `state.json` of an editing session."""

    kind = "editing-session"
    max_size = 512 * 2**20

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """A FileEdit for each file that each request changed."""
        document = _decoded(data)
        if not isinstance(document, dict):
            raise ValueError("not a JSON object")
        work = Work(len(data))
        contents = _Contents(
            content, work, lambda reason: self.ledger.trouble(0, "contents", reason)
        )
        recent = _entries(document.get("recentSnapshot"), self._trouble)
        maker = _Maker(
            self.file.name.split("/")[-2:][0], work, Differ(ALL_STEPS + len(data)), recent
        )
        edits = [
            edit
            for change in self._changes(document, recent, contents, work)
            for edit in maker.edits(change)
        ]
        if work.is_over:
            self._trouble("too much work: some changes are listed without their text")
        return maker.judged(edits)

    def _changes(
        self, document: dict[str, Any], recent: dict[str, _Entry], contents: _Contents, work: Work
    ) -> Iterator[Change]:
        """The changes, in whichever layout they are."""
        initial = _initial(document.get("initialFileContents"), self._trouble)
        timeline, history = document.get("timeline"), document.get("linearHistory")
        if isinstance(timeline, dict):
            replay = Replay(lambda path: contents.text(initial.get(path)), self._trouble, work)
            return replay.changes(timeline)
        if isinstance(history, list) or (history is None and timeline is None and recent):
            linear = _Linear(document, recent, initial, self._trouble)
            return linear.changes(history or [], contents)
        if timeline is None and history is None and "version" in document:
            return iter(())  # nothing has happened yet
        raise ValueError("a layout that is not known")

    def _trouble(self, reason: str) -> None:
        self.ledger.trouble(0, self.kind, reason)


def _decoded(data: bytes) -> Any:
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        # With half of a surrogate pair in it, which VS Code writes and no text of ours can hold.
        text = json.dumps(json.loads(data), ensure_ascii=False)
        return msgspec.json.decode(
            text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    except (msgspec.DecodeError, ValueError) as error:
        raise ValueError(f"not JSON: {error}") from None


class _Contents:
    """The kept texts by their hash."""

    def __init__(self, content: Content, work: Work, trouble: Trouble) -> None:
        self._content = content
        self._work = work
        self._trouble = trouble
        self._texts: dict[str, State] = {_EMPTY: ""}

    def text(self, name: str | None) -> State:
        """The text of a hash; unknown when there is no hash or no such text."""
        if name is None:
            return UNKNOWN
        if name not in self._texts:
            self._texts[name] = self._load(name)
        return self._texts[name]

    def _load(self, name: str) -> State:
        # Anyone may have written the name: it must not lead out of the folder.
        data = self._content.sibling(f"contents/{name}") if name.isalnum() else None
        if data is None:
            self._trouble(f"contents/{name[:40]} is missing")
            return UNKNOWN
        self._work.allow(len(data))
        try:
            return data.decode()
        except UnicodeDecodeError:
            self._trouble(f"contents/{name[:40]} is not text")
            return UNKNOWN


# -- the layouts before 1.106 ------------------------------------------------------------------


class _Entry(NamedTuple):
    """A file in a snapshot."""

    original: str | None = None
    current: str | None = None
    verdict: Literal["kept", "undone"] | None = None
    request_id: str | None = None
    is_deleted: bool = False
    is_notebook: bool = False


def _entries(snapshot: Any, trouble: Trouble) -> dict[str, _Entry]:
    """The files of a snapshot by path."""
    found: dict[str, _Entry] = {}
    entries = snapshot.get("entries") if isinstance(snapshot, dict) else None
    if snapshot is not None and not isinstance(entries, list):
        trouble("a snapshot has no entries")
    for entry in entries if isinstance(entries, list) else ():
        path = path_of(entry.get("resource")) if isinstance(entry, dict) else None
        if path is None:
            trouble("an entry of a snapshot names no file")
            continue
        info, state = entry.get("telemetryInfo"), entry.get("state")
        found[path] = _Entry(
            original=string(entry.get("originalHash")),
            current=string(entry.get("currentHash")),
            verdict=_VERDICTS.get(state) if type(state) is int else None,
            request_id=string(info.get("requestId")) if isinstance(info, dict) else None,
            is_deleted=entry.get("isDeleted") is True,
            is_notebook=entry.get("languageId") == _NOTEBOOK or path.endswith(".ipynb"),
        )
    return found


def _initial(value: Any, trouble: Trouble) -> dict[str, str]:
    """The hash of each file's text before the session."""
    found: dict[str, str] = {}
    for item in value if isinstance(value, list) else ():
        path = path_of(item[0]) if isinstance(item, list) and len(item) == 2 else None
        if path is None or not isinstance(item[1], str):
            trouble("an initial content names no file or no text")
            continue
        found[path] = item[1]
    return found


class _Listing(NamedTuple):
    """A file in a stop, as it was before what the request of the stop did next."""

    stop: int  # its number, counted over all requests
    request: int
    entry: _Entry


class _Step(NamedTuple):
    """A change of a file from one snapshot to another."""

    request: int
    before: _Entry
    after: _Entry
    is_undone: bool
    verdict: Literal["kept", "undone"] | None = None


class _Linear:
    """A history of snapshots, each made before something was changed."""

    def __init__(
        self,
        document: dict[str, Any],
        recent: dict[str, _Entry],
        initial: dict[str, str],
        trouble: Trouble,
    ) -> None:
        self._initial = initial
        self._trouble = trouble
        now = document.get("linearHistoryIndex")
        self._now = now if type(now) is int else None  # the stop to which everything is undone
        pending = _entries(document.get("pendingSnapshot"), trouble)
        # Once something is undone the newest snapshot is of the files as they stand, and what is
        # undone is pending.
        self._ends = {False: {**pending, **recent}, True: {**recent, **pending}}
        self._requests: list[str | None] = []
        self._starts: list[int] = []
        self._places: dict[str, int] = {}  # of the requests by their ids

    def changes(self, history: list[Any], contents: _Contents) -> Iterator[Change]:
        """What changed, in the order of the requests."""
        listings = self._listings(history)
        found: list[tuple[int, Change]] = []
        for path in dict.fromkeys((*listings, *self._ends[False])):
            is_new = True
            for step in self._steps(path, listings.get(path, [])):
                before, after = step.before, step.after
                # A new file is recorded as an empty one; empty files that were there before are
                # hardly ever edited.
                is_new = before.is_deleted or (is_new and before.current == _EMPTY)
                change = Change(
                    path=path,
                    origin=path,
                    request_id=self._requests[step.request]
                    if step.request >= 0
                    else after.request_id,
                    before=None if is_new else contents.text(before.current),
                    after=None if after.is_deleted else contents.text(after.current),
                    is_undone=step.is_undone,
                    is_notebook=after.is_notebook,
                    verdict=after.verdict or step.verdict,
                )
                found.append((step.request, change))
                is_new = False
        return (change for _, change in sorted(found, key=lambda item: item[0]))

    def _listings(self, history: list[Any]) -> dict[str, list[_Listing]]:
        """Where each file is listed."""
        found: dict[str, list[_Listing]] = {}
        count = 0
        for item in history:
            stops = item.get("stops", [item]) if isinstance(item, dict) else None
            if not isinstance(stops, list):
                self._trouble("a part of the history has no stops")
                continue
            for stop, snapshot in enumerate(stops, count):
                for path, entry in _entries(snapshot, self._trouble).items():
                    found.setdefault(path, []).append(_Listing(stop, len(self._requests), entry))
            request_id = string(item.get("requestId"))
            self._places.setdefault(request_id or "", len(self._requests))
            self._requests.append(request_id)
            self._starts.append(count)
            count += len(stops)
        return found

    def _steps(self, path: str, listings: list[_Listing]) -> Iterator[_Step]:
        steps = [*self._arrival(path, listings)]
        groups = [
            list(group) for _, group in groupby(listings, key=lambda listing: listing.request)
        ]
        for group, following in zip_longest(groups, groups[1:]):
            steps += self._request(path, group, following[0].entry if following else None)
        for step in steps:
            before, after = step.before, step.after
            if (before.current, before.is_deleted) != (after.current, after.is_deleted):
                yield step

    def _arrival(self, path: str, listings: list[_Listing]) -> Iterator[_Step]:
        """The change that brought a file into the history: the snapshot before it does not list the
        file yet.
        """
        entry = listings[0].entry if listings else self._ends[False][path]
        request = self._places.get(entry.request_id or "", -1)
        if listings and (entry.request_id is None or request >= listings[0].request):
            return
        before = _Entry(current=self._initial.get(path, entry.original))
        yield _Step(
            request, before, entry, self._is_undone(self._starts[request] if request >= 0 else -1)
        )

    def _request(
        self, path: str, group: list[_Listing], following: _Entry | None
    ) -> Iterator[_Step]:
        """What a request did, from the stops that list the file, or from the next snapshot when
        only one does.
        """
        first, last = group[0], group[-1]
        if len(group) == 1:
            is_undone = self._is_undone(first.stop)
            after = following or self._ends[is_undone].get(path)
            if after is not None:
                yield _Step(first.request, first.entry, after, is_undone)
            return
        verdict = following.verdict if following else None
        if (
            verdict == "undone"
            and following is not None
            and following.current != first.entry.current
        ):
            verdict = None
        standing = [listing for listing in group if self._now is None or listing.stop <= self._now]
        middle = standing[-1] if standing else first
        yield _Step(first.request, first.entry, middle.entry, False, verdict)
        yield _Step(first.request, middle.entry, last.entry, True)

    def _is_undone(self, stop: int) -> bool:
        return self._now is not None and stop >= self._now


# -- edits -------------------------------------------------------------------------------------


class _Maker:
    """Makes the edits of changes; each says what its file was before, where the edit before it does
    not.
    """

    def __init__(
        self, session_id: str, work: Work, differ: Differ, recent: dict[str, _Entry]
    ) -> None:
        self._session_id = session_id
        self._work = work
        self._recent = {path: entry for path, entry in recent.items() if entry.verdict is not None}
        self._differ = differ
        self._last: dict[str, State] = {}  # after the last edit of a file, undone or not
        self._standing: dict[str, State] = {}  # after the last edit that was not undone
        self._hashes: dict[str, list[str]] = {}  # of the texts before the edits of rejected files

    def edits(self, change: Change) -> Iterator[FileEdit]:
        """The edit of a change; none when nothing is different."""
        before, after = change.before, change.after
        if change.is_notebook:
            before, after = (None if state is None else UNKNOWN for state in (before, after))
        elif before == after and change.path == change.origin and before is not UNKNOWN:
            return
        path = change.origin if after is None else change.path
        state = "undone" if change.is_undone else change.verdict
        diff = None
        if not isinstance(before, Unknown) and not isinstance(after, Unknown):
            if self._work.spend(_COMPARING * (len(before or "") + len(after or ""))):
                diff = self._differ.diff(change.origin, path, before, after)
        elif change.is_untouched and path != change.origin:
            # The names are known, whatever the text
            diff = self._differ.diff(change.origin, path, "", "")
        is_told = before == self._last.get(path, UNKNOWN) and (
            state == "undone" or before == self._standing.get(path, UNKNOWN)
        )
        is_left_out = diff is None and before is not UNKNOWN
        self._remember(change, path, before, UNKNOWN if is_left_out else after, state == "undone")
        yield FileEdit(
            session_id=self._session_id,
            path=path,
            kind=_kind(path, change.origin, before, after),
            message_id=change.request_id,
            diff=diff.text if diff else None,
            before=before if isinstance(before, str) and not is_told else None,
            after=after if isinstance(after, str) and before is UNKNOWN else None,
            lines_added=diff.added if diff else None,
            lines_removed=diff.removed if diff else None,
            state=state,
            origin="editing-session",
        )

    def _remember(
        self, change: Change, path: str, before: State, after: State, is_undone: bool
    ) -> None:
        for states in (self._last,) if is_undone else (self._last, self._standing):
            states[change.origin] = None
            states[path] = after
        entry = self._recent.get(path)
        if entry is not None and entry.verdict == "undone":
            text = before if isinstance(before, str) else ""
            name = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:7]
            self._hashes.setdefault(path, []).append("" if before is UNKNOWN else name)

    def judged(self, edits: list[FileEdit]) -> list[FileEdit]:
        """The edits with what the person decided last about each file.

        Rejecting takes a file back to the text that was accepted last, through all edits since;
        accepting is of all edits that led to the text as it is.
        """
        places: dict[str, list[int]] = {}
        for place, edit in enumerate(edits):
            places.setdefault(edit.path, []).append(place)
        for path, entry in self._recent.items():
            hashes = self._hashes.get(path, [])
            open_ones = [
                (n, place)
                for n, place in enumerate(places.get(path, ()))
                if edits[place].state is None
            ]
            accepted = {n for n, _ in open_ones if hashes and hashes[n] == entry.original}
            for n, place in reversed(open_ones):
                edit = edits[place]
                edits[place] = replace(edit, state=entry.verdict)
                if entry.verdict == "undone" and (n in accepted or not accepted):
                    break  # without that text among ours, only the last edit is sure to be gone
                if entry.verdict == "kept" and edit.before is not None:
                    break
        return edits


def _kind(
    path: str, origin: str, before: State, after: State
) -> Literal["create", "edit", "delete", "rename"]:
    if after is None:
        return "delete"
    if before is None:
        return "create"
    return "edit" if path == origin else "rename"
