"""The newest recording of an editing session, replayed: what each request did to each file.

{"checkpoints":[{"requestId":"r1","epoch":1}],"currentEpoch":5,
 "fileBaselines":[["file:///w/a::r1",{"uri":{…},"requestId":"r1","content":"a\\n","epoch":2}]],
 "operations":[{"type":"textEdit","uri":{…},"requestId":"r1","epoch":3,
                "edits":[{"range":{…},"text":"B"}]}]}
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from agent_journal.connectors.values import exact_integer
from agent_journal.connectors.vscode_chat.buffer import Buffer
from agent_journal.connectors.vscode_chat.changes import (
    UNKNOWN,
    Budget,
    Change,
    FileText,
    ReportTrouble,
)
from agent_journal.connectors.vscode_chat.uris import path_of


class _Step(NamedTuple):
    """A baseline or an operation; compared by its time."""

    epoch: int
    is_operation: bool
    order: int
    kind: str
    path: str
    request_id: str | None
    value: dict[str, Any]

    @property
    def time(self) -> tuple[int, bool, int]:
        """What steps are sorted by: a baseline comes before the operations of its epoch."""
        return self.epoch, self.is_operation, self.order


class _OpenChange:
    """What the current request has done to a file so far."""

    def __init__(self, origin: str, before: FileText, is_notebook: bool) -> None:
        self.origin = origin
        self.before = before
        self.is_notebook = is_notebook
        self.is_untouched = True


class Replay:
    """Replays a timeline and yields the changes, request by request."""

    def __init__(
        self, initial: Callable[[str], FileText], report: ReportTrouble, budget: Budget
    ) -> None:
        self._initial = initial  # the text a file had before the session, where that is kept
        self._report = report
        self._budget = budget
        self._steps = _Steps(report)
        self._files: dict[str, FileText | Buffer] = {}
        self._based: dict[str, str | None] = {}  # the request of a file's last baseline
        self._notebooks: set[str] = set()
        self._open: dict[str, _OpenChange] = {}
        self._group: tuple[str | None, bool] | None = None

    def changes(self, timeline: dict[str, Any]) -> Iterator[Change]:
        """What changed, in the order of the requests and of the files in them."""
        now = exact_integer(timeline.get("currentEpoch"))
        if now is None:
            self._report("currentEpoch is not a number")
        for step in self._steps.read(timeline):
            group = (step.request_id, now is not None and step.epoch >= now)
            if self._begins_group(step, group):
                yield from self._flush()
            if step.is_operation:
                self._group = group
                self._operation(step)
            else:
                self._baseline(step)
        yield from self._flush()

    def _begins_group(self, step: _Step, group: tuple[str | None, bool]) -> bool:
        if self._group is None or group == self._group:
            return False
        return step.is_operation or step.path in self._open

    def _flush(self) -> Iterator[Change]:
        if self._group is not None:
            request_id, is_undone = self._group
            for path, change in self._open.items():
                after = self._text_now(path)
                if change.before is None and after is None:
                    continue  # created and deleted again
                yield Change(
                    path=path,
                    origin=change.origin,
                    request_id=request_id,
                    before=change.before,
                    after=after,
                    is_undone=is_undone,
                    is_notebook=change.is_notebook or path in self._notebooks,
                    is_untouched=change.is_untouched,
                )
        self._open = {}
        self._group = None

    def _text_now(self, path: str) -> FileText:
        if path in self._steps.unreadable:
            return UNKNOWN
        state = self._files[path]
        if not isinstance(state, Buffer):
            return state
        text = state.text
        if not self._budget.spend(len(text)):
            return UNKNOWN
        return text

    def _baseline(self, step: _Step) -> None:
        self._files[step.path] = self._recorded_text(step.value.get("content"))
        self._based[step.path] = step.request_id
        if step.value.get("notebookViewType"):
            self._notebooks.add(step.path)

    def _operation(self, step: _Step) -> None:
        if step.kind == "rename":
            self._rename(step)
            return
        if step.path not in self._open:
            self._correct_state(step)
        change = self._touch(step.path)
        change.is_untouched = False
        is_cell = step.value.get("cellIndex") is not None
        if step.kind == "create":
            self._files[step.path] = self._recorded_text(step.value.get("initialContent"))
            if step.value.get("notebookViewType"):
                self._notebooks.add(step.path)
        elif step.kind == "delete":
            self._files[step.path] = None
        elif step.kind == "notebookEdit" or (step.kind == "textEdit" and is_cell):
            change.is_notebook = True
            self._notebooks.add(step.path)
        elif step.kind == "textEdit":
            self._files[step.path] = self._edited(step)
        else:
            self._report(f"an operation of unknown kind: {step.kind[:40]}")
            self._files[step.path] = UNKNOWN

    def _correct_state(self, step: _Step) -> None:
        """Correct the state of a file from what its first operation of a request says about it."""
        if step.kind == "delete" and isinstance(step.value.get("finalContent"), str):
            self._files[step.path] = step.value["finalContent"]  # read from disk just before
        if step.kind == "create" and self._based.get(step.path, "") != step.request_id:
            self._files[step.path] = None  # even if we know the file: it was deleted meanwhile

    def _touch(self, path: str) -> _OpenChange:
        """The change of a file by the current request, begun if there is none yet."""
        if path not in self._files:
            self._files[path] = self._initial(path)
        if path not in self._open:
            self._open[path] = _OpenChange(path, self._text_now(path), path in self._notebooks)
        return self._open[path]

    def _rename(self, step: _Step) -> None:
        old = path_of(step.value.get("oldUri"))
        new = path_of(step.value.get("newUri"))
        if old is None or new is None or old == new:
            self._report("a rename does not say from where to where")
            return
        change = self._touch(old)
        del self._open[old]
        self._open[new] = change
        if change.before is None:
            change.origin = new  # created by this request, under another name
        self._files[new] = self._files[old]
        self._files[old] = None
        if old in self._notebooks:
            self._notebooks.add(new)

    def _edited(self, step: _Step) -> FileText | Buffer:
        state = self._files[step.path]
        if state is None:
            self._report("an edit of a file that does not exist")
            return UNKNOWN
        if state is UNKNOWN or step.path in self._notebooks:
            return UNKNOWN
        if isinstance(state, str):
            is_windows = "\\" in step.path
            state = Buffer(state, self._budget, eol="\r\n" if is_windows else "\n")
        edits = step.value.get("edits")
        if not isinstance(edits, list):
            edits = [None]
        try:
            state.apply(edits)
        except ValueError as error:
            self._report(str(error))
            return UNKNOWN
        return state

    def _recorded_text(self, value: Any) -> FileText:
        if isinstance(value, str):
            return value
        self._report("the text of a file is not text")
        return UNKNOWN


class _Checkpoint(NamedTuple):
    """The moment a request began; compared by its time."""

    epoch: int
    order: int
    request_id: str


class _Steps:
    """Reads the steps of a timeline."""

    def __init__(self, report: ReportTrouble) -> None:
        self._report = report
        # Files with an operation whose place in the order is unknown
        self.unreadable: set[str] = set()

    def read(self, timeline: dict[str, Any]) -> list[_Step]:
        """The baselines and operations, in the order of time."""
        baselines = self._baselines(timeline.get("fileBaselines"))
        operations = self._operations(timeline)
        return sorted([*baselines, *operations], key=lambda step: step.time)

    def _baselines(self, value: Any) -> Iterator[_Step]:
        for order, item in enumerate(self._list(value, "fileBaselines")):
            baseline = None
            if isinstance(item, list) and len(item) == 2:
                baseline = item[1]
            step = self._step(baseline, order)
            if step is not None:
                yield step

    def _operations(self, timeline: dict[str, Any]) -> Iterator[_Step]:
        checkpoints = sorted(self._checkpoints(timeline.get("checkpoints")))
        epochs = [checkpoint.epoch for checkpoint in checkpoints]
        for order, item in enumerate(self._list(timeline.get("operations"), "operations")):
            step = self._step(item, order, is_operation=True)
            if step is None:
                continue
            begun = bisect_right(epochs, step.epoch)
            if step.request_id is None and begun:
                step = step._replace(request_id=checkpoints[begun - 1].request_id)
            yield step

    def _checkpoints(self, value: Any) -> Iterator[_Checkpoint]:
        for order, point in enumerate(self._list(value, "checkpoints")):
            if not isinstance(point, dict):
                continue
            epoch = point.get("epoch")
            request_id = point.get("requestId")
            if type(epoch) is int and isinstance(request_id, str):
                yield _Checkpoint(epoch, order, request_id)

    def _step(self, value: Any, order: int, is_operation: bool = False) -> _Step | None:
        what = "an operation" if is_operation else "a baseline"
        path = None
        if isinstance(value, dict):
            path = path_of(value.get("uri") or value.get("newUri"))
        if path is None:
            self._report(f"{what} names no file")
            return None
        epoch = value.get("epoch")
        if type(epoch) is not int:
            self._report(f"{what} has no epoch")
            if is_operation:
                self.unreadable.add(path)
            return None
        kind = value.get("type")
        if not is_operation:
            kind = "baseline"
        elif not isinstance(kind, str):
            kind = "?"
        request_id = value.get("requestId")
        if not isinstance(request_id, str):
            request_id = None
        return _Step(epoch, is_operation, order, kind, path, request_id, value)

    def _list(self, value: Any, name: str) -> list[Any]:
        if isinstance(value, list):
            return value
        self._report(f"{name} is not a list")
        return []
