"""The newest recording of an editing session, played again: what each request did to each file.

{"checkpoints":[{"requestId":"r1","epoch":1}],"currentEpoch":5,
 "fileBaselines":[["file:///w/a::r1",{"uri":{…},"requestId":"r1","content":"a\\n","epoch":2}]],
 "operations":[{"type":"textEdit","uri":{…},"requestId":"r1","epoch":3,"edits":[{"range":{…},"text":"B"}]}]}
"""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Callable, Iterator
from enum import Enum
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple

from agent_journal.connectors.vscode_chat.uris import path_of

_MANY = 100  # edits in one operation, from which it is cheaper to put the text together anew
_POSITIONS = ("startLineNumber", "startColumn", "endLineNumber", "endColumn")


class Unknown(Enum):
    """The text of a file that exists but is not recorded."""

    UNKNOWN = "unknown"


UNKNOWN = Unknown.UNKNOWN
State = str | None | Literal[Unknown.UNKNOWN]  # None: the file does not exist
Trouble = Callable[[str], None]
# Last line and its end, first line and its start, order, text
_Placed = tuple[int, int, int, int, int, str]


class Change(NamedTuple):
    """What one request did to one file; `origin` is the path the file had before."""

    path: str
    origin: str
    request_id: str | None
    before: State
    after: State
    is_undone: bool = False
    is_notebook: bool = False
    verdict: Literal["kept", "undone"] | None = None
    is_untouched: bool = False  # renamed and nothing else, also where the text is not known


class Work:
    """A bound on characters copied, in proportion to what is read: a file made to be slow must not
    be.
    """

    def __init__(self, size: int) -> None:
        self._left = 2**32
        self.allow(size)

    def allow(self, size: int) -> None:
        """More is read, so more may be done."""
        self._left += 64 * size

    def spend(self, amount: int) -> bool:
        """Whether there was enough left."""
        self._left -= amount
        return not self.is_over

    @property
    def is_over(self) -> bool:
        """Whether something had to be left out."""
        return self._left < 0


class Buffer:
    """A text that edits are made in, line by line as VS Code counts them: CRLF, CR and LF each end
    a line.
    """

    def __init__(self, text: str, work: Work, eol: str = "\n") -> None:
        self._lines = _split(text)
        self._eol = _main_eol(text) or eol
        self._text: str | None = text
        self._work = work

    @property
    def text(self) -> str:
        """The text as it is now."""
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    def apply(self, edits: list[Any]) -> None:
        """Makes the edits of one operation, whose ranges all mean the text before it; ValueError
        where that fails.
        """
        found = sorted(
            (self._placed(edit, order) for order, edit in enumerate(edits)),
            key=lambda item: item[:5],
        )
        for (end_line, end, *_), (_, _, start_line, start, *_) in pairwise(found):
            if (start_line, start) < (end_line, end):
                raise ValueError("edits overlap")
        self._text = None
        if len(found) > _MANY:
            self._apply_many(found)
            return
        for end_line, end, start_line, start, _, text in reversed(found):
            last = self._lines[end_line]
            is_last = end_line == len(self._lines) - 1
            self._spend(start + len(last) + len(text) + len(self._lines) // 4)
            lines = _split(self._lines[start_line][:start] + text + last[end:])
            if not is_last:
                lines.pop()  # the line ended before and ends now
            self._lines[start_line : end_line + 1] = lines

    def _apply_many(self, found: list[_Placed]) -> None:
        starts = list(accumulate(map(len, self._lines), initial=0))
        whole = "".join(self._lines)
        parts: list[str] = []
        at = 0
        for end_line, end, start_line, start, _, text in found:
            parts += (whole[at : starts[start_line] + start], text)
            at = starts[end_line] + end
        parts.append(whole[at:])
        text = "".join(parts)
        self._spend(4 * len(text))
        self._lines = _split(text)

    def _spend(self, amount: int) -> None:
        if not self._work.spend(amount):
            raise ValueError("too much work")

    def _placed(self, edit: Any, order: int) -> _Placed:
        """End, start, order and text of an edit, in lines and characters of the text as it is."""
        text, area = (
            (edit.get("text"), edit.get("range")) if isinstance(edit, dict) else (None, None)
        )
        if not isinstance(text, str) or not isinstance(area, dict):
            raise ValueError("an edit has no text or no range")
        places: list[int] = [place for name in _POSITIONS if type(place := area.get(name)) is int]
        if len(places) != len(_POSITIONS):
            raise ValueError("the range of an edit is not four numbers")
        first, second = sorted(((places[0], places[1]), (places[2], places[3])))
        start = self._place(first, is_end=False)
        end = start if first == second else self._place(second, is_end=True)
        if "\n" in text or "\r" in text:
            # As VS Code does it: what is put in gets the line ends of the file, or of the system
            # where it has none.
            text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", self._eol)
        return (*end, *start, order, text)

    def _place(self, position: tuple[int, int], is_end: bool) -> tuple[int, int]:
        """Line and character, from 0, of a position counted from 1; what lies outside the text
        means its edge.
        """
        line, column = position
        if line < 1:
            return 0, 0
        if line > len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        self._spend(len(self._lines[line - 1]))
        body = self._lines[line - 1].rstrip("\r\n")
        return line - 1, _character(body, column - 1, is_end)


def _character(body: str, column: int, is_end: bool) -> int:
    """The character at a column of UTF-16 units; the middle of a pair belongs to what is replaced."""
    if column <= 0 or body.isascii():
        return max(0, min(column, len(body)))
    head = body[:column]
    units = head.encode("utf-16-le")[: 2 * column]
    whole = units.decode("utf-16-le", "ignore")
    is_half = len(whole.encode("utf-16-le")) < len(units)
    return len(whole) + (is_half and is_end)


def _split(text: str) -> list[str]:
    """The lines with their ends; the last has none, and may be empty."""
    lines = list(io.StringIO(text, newline=""))
    if not lines or lines[-1].endswith(("\r", "\n")):
        lines.append("")
    return lines


def _main_eol(text: str) -> str:
    """What most lines end with; nothing when there is one line."""
    both = text.count("\r\n")
    returns, feeds = text.count("\r"), text.count("\n")
    if not returns and not feeds:
        return ""
    return "\r\n" if 2 * returns > returns + feeds - both else "\n"


# -- playing the operations --------------------------------------------------------------------


class _Step(NamedTuple):
    """A baseline or an operation, in the order of time."""

    epoch: int
    is_operation: bool
    order: int
    kind: str
    path: str
    request_id: str | None
    value: dict[str, Any]


class _Open:
    """What the request at hand has done to a file so far."""

    def __init__(self, origin: str, before: State, is_notebook: bool) -> None:
        self.origin = origin
        self.before = before
        self.is_notebook = is_notebook
        self.is_untouched = True


class Replay:
    """Plays a timeline and gives the changes, request by request."""

    def __init__(self, initial: Callable[[str], State], trouble: Trouble, work: Work) -> None:
        self._initial = initial  # the text a file had before the session, where that is kept
        self._trouble = trouble
        self._work = work
        self._files: dict[str, State | Buffer] = {}
        self._based: dict[str, str | None] = {}  # the request that a file's last baseline is of
        self._notebooks: set[str] = set()
        self._unreadable: set[str] = set()  # files with an operation that nobody knows the place of
        self._open: dict[str, _Open] = {}
        self._group: tuple[str | None, bool] | None = None

    def changes(self, timeline: dict[str, Any]) -> Iterator[Change]:
        """What changed, in the order of the requests and of the files in them."""
        now = timeline.get("currentEpoch")
        end = now if type(now) is int else None
        if end is None:
            self._trouble("currentEpoch is not a number")
        steps = [*self._baselines(timeline.get("fileBaselines")), *self._operations(timeline)]
        for step in sorted(steps, key=lambda step: step[:3]):
            group = (step.request_id, end is not None and step.epoch >= end)
            if (
                self._group is not None
                and group != self._group
                and (step.is_operation or step.path in self._open)
            ):
                yield from self._flush()
            if not step.is_operation:
                self._baseline(step)
                continue
            self._group = group
            self._operation(step)
        yield from self._flush()

    def _flush(self) -> Iterator[Change]:
        if self._group is not None:
            request_id, is_undone = self._group
            for path, change in self._open.items():
                after = self._state(path)
                if change.before is None and after is None:
                    continue  # made and taken away again
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

    def _state(self, path: str) -> State:
        if path in self._unreadable:
            return UNKNOWN
        state = self._files[path]
        if not isinstance(state, Buffer):
            return state
        text = state.text
        return text if self._work.spend(len(text)) else UNKNOWN

    # -- reading -------------------------------------------------------------------------------

    def _baselines(self, value: Any) -> Iterator[_Step]:
        for order, item in enumerate(self._list(value, "fileBaselines")):
            baseline = item[1] if isinstance(item, list) and len(item) == 2 else None
            step = self._step(baseline, order, "baseline")
            if step is not None:
                yield step

    def _operations(self, timeline: dict[str, Any]) -> Iterator[_Step]:
        checkpoints = sorted(
            (point["epoch"], order, point.get("requestId"))
            for order, point in enumerate(self._list(timeline.get("checkpoints"), "checkpoints"))
            if isinstance(point, dict)
            and type(point.get("epoch")) is int
            and isinstance(point.get("requestId"), str)
        )
        epochs = [epoch for epoch, _, _ in checkpoints]
        for order, item in enumerate(self._list(timeline.get("operations"), "operations")):
            kind = item.get("type") if isinstance(item, dict) else None
            step = self._step(
                item, order, kind if isinstance(kind, str) else "?", is_operation=True
            )
            if step is None:
                continue
            if step.request_id is None:
                at = bisect_right(epochs, step.epoch)
                step = step._replace(request_id=checkpoints[at - 1][2] if at else None)
            yield step

    def _step(self, value: Any, order: int, kind: str, is_operation: bool = False) -> _Step | None:
        what = "an operation" if is_operation else "a baseline"
        path = path_of(value.get("uri") or value.get("newUri")) if isinstance(value, dict) else None
        if path is None:
            self._trouble(f"{what} names no file")
            return None
        epoch, request_id = value.get("epoch"), value.get("requestId")
        if type(epoch) is not int:
            self._trouble(f"{what} has no epoch")
            if is_operation:
                self._unreadable.add(path)
            return None
        return _Step(
            epoch,
            is_operation,
            order,
            kind,
            path,
            request_id if isinstance(request_id, str) else None,
            value,
        )

    def _list(self, value: Any, name: str) -> list[Any]:
        if isinstance(value, list):
            return value
        self._trouble(f"{name} is not a list")
        return []

    # -- doing ---------------------------------------------------------------------------------

    def _baseline(self, step: _Step) -> None:
        self._files[step.path] = self._text(step.value.get("content"))
        self._based[step.path] = step.request_id
        if step.value.get("notebookViewType"):
            self._notebooks.add(step.path)

    def _operation(self, step: _Step) -> None:
        if step.kind == "rename":
            self._rename(step)
            return
        if step.path not in self._open:
            if step.kind == "delete" and isinstance(step.value.get("finalContent"), str):
                self._files[step.path] = step.value["finalContent"]  # read from disk just before
            if step.kind == "create" and self._based.get(step.path, "") != step.request_id:
                self._files[step.path] = None  # also a file we know: someone has deleted it
        change = self._touch(step.path)
        change.is_untouched = False
        if step.kind == "create":
            self._files[step.path] = self._text(step.value.get("initialContent"))
            if step.value.get("notebookViewType"):
                self._notebooks.add(step.path)
        elif step.kind == "delete":
            self._files[step.path] = None
        elif step.kind == "notebookEdit" or (
            step.kind == "textEdit" and step.value.get("cellIndex") is not None
        ):
            change.is_notebook = True
            self._notebooks.add(step.path)
        elif step.kind == "textEdit":
            self._files[step.path] = self._edited(step)
        else:
            self._trouble(f"an operation of a kind that is not known: {step.kind[:40]}")
            self._files[step.path] = UNKNOWN

    def _touch(self, path: str) -> _Open:
        """What the request does to a file, which begins here unless it did something to it before."""
        if path not in self._files:
            self._files[path] = self._initial(path)
        change = self._open.get(path)
        if change is None:
            change = self._open[path] = _Open(path, self._state(path), path in self._notebooks)
        return change

    def _rename(self, step: _Step) -> None:
        old, new = path_of(step.value.get("oldUri")), path_of(step.value.get("newUri"))
        if old is None or new is None or old == new:
            self._trouble("a rename does not say from where to where")
            return
        change = self._touch(old)
        del self._open[old]
        self._open[new] = change
        if change.before is None:
            change.origin = new  # made by this request, under another name
        self._files[new], self._files[old] = self._files[old], None
        if old in self._notebooks:
            self._notebooks.add(new)

    def _edited(self, step: _Step) -> State | Buffer:
        state = self._files[step.path]
        if state is None:
            self._trouble("an edit of a file that does not exist")
        if state is None or state is UNKNOWN or step.path in self._notebooks:
            return UNKNOWN
        eol = "\r\n" if "\\" in step.path else "\n"  # the paths of Windows
        buffer = Buffer(state, self._work, eol) if isinstance(state, str) else state
        edits = step.value.get("edits")
        try:
            buffer.apply(edits if isinstance(edits, list) else [None])
        except ValueError as error:
            self._trouble(str(error))
            return UNKNOWN
        return buffer

    def _text(self, value: Any) -> State:
        if isinstance(value, str):
            return value
        self._trouble("the text of a file is not text")
        return UNKNOWN
