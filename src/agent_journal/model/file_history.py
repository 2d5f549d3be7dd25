"""Unified diffs of whole files: made so that they can be applied exactly, and applied to see a file
as it once stood.

Lines end at LF alone, so that CR, form feeds and U+2028 are ordinary text; a last line without LF
has the usual mark.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate, takewhile
from operator import eq
from typing import Literal, NamedTuple

from msgspec.structs import replace

from agent_journal.model.structs import FileEdit, Message, Session

_NO_NEWLINE = "\\ No newline at end of file"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_CONTEXT = 3
_MAX_MATCHED = 2 * 2**20  # characters: larger texts are not matched line by line
_STEPS_PER_DIFF = 2_000_000  # of difflib's inner loop: a quarter of a second
ALL_STEPS = 100_000_000
# The tools whose arguments hold the whole file: their diffs do not tell whether the last line
# ended.
_WRITERS = {"Write": ("file_path", "content"), "create": ("path", "file_text")}


# -- making ------------------------------------------------------------------------------------


class Diff(NamedTuple):
    """A unified diff and its numbers of lines."""

    text: str
    added: int
    removed: int


class _Change(NamedTuple):
    """Lines of the old text (first, end) and the lines of the new text in their place."""

    i1: int
    i2: int
    j1: int
    j2: int


class Differ:
    """Makes diffs. Texts that are hard to compare cost a bounded number of steps, each and all
    together.
    """

    def __init__(self, steps: int = ALL_STEPS) -> None:
        self._steps = steps

    def diff(self, old_path: str, new_path: str, before: str | None, after: str | None) -> Diff:
        """The diff between two texts; None is a file that does not exist."""
        old, new = _lines(before or ""), _lines(after or "")
        old_name = "/dev/null" if before is None else header_name("a", old_path)
        new_name = "/dev/null" if after is None else header_name("b", new_path)
        out = [f"--- {old_name}\n+++ {new_name}\n"]
        is_large = max(len(before or ""), len(after or "")) > _MAX_MATCHED
        changes = self._changes(old, new, 0 if is_large else min(_STEPS_PER_DIFF, self._steps))
        for hunk in _grouped(changes):
            first, last = hunk[0], hunk[-1]
            start, end = max(0, first.i1 - _CONTEXT), min(len(old), last.i2 + _CONTEXT)
            new_start, new_end = first.j1 - (first.i1 - start), last.j2 + (end - last.i2)
            out.append(f"@@ -{_range(start, end)} +{_range(new_start, new_end)} @@\n")
            for change in hunk:
                out += _marked(" ", old[start : change.i1])
                out += _marked("-", old[change.i1 : change.i2])
                out += _marked("+", new[change.j1 : change.j2])
                start = change.i2
            out += _marked(" ", old[start:end])
        added = sum(change.j2 - change.j1 for change in changes)
        return Diff("".join(out), added, sum(change.i2 - change.i1 for change in changes))

    def _changes(self, old: list[str], new: list[str], steps: int) -> list[_Change]:
        """What differs; everything between the common head and tail when there are no steps to look
        closer.
        """
        head = _common(old, new)
        tail = _common(reversed(old[head:]), reversed(new[head:]))
        i2, j2 = len(old) - tail, len(new) - tail
        if head in (i2, j2) or steps <= 0:
            return [_Change(head, i2, head, j2)] if (head, head) != (i2, j2) else []
        matcher = _Bounded(old[head:i2], new[head:j2], steps)
        codes = matcher.get_opcodes()
        self._steps -= matcher.used
        return [
            _Change(head + i, head + k, head + j, head + m)
            for tag, i, k, j, m in codes
            if tag != "equal"
        ]


class _Bounded(SequenceMatcher[str]):
    """Stops when its steps are used up, and what is left counts as replaced: difflib takes hours
    for some texts.
    """

    def __init__(self, old: list[str], new: list[str], steps: int) -> None:
        super().__init__(None, old, new)
        self.used = 0
        self._steps = steps
        places: dict[str, list[int]] = self.b2j  # type: ignore[attr-defined]
        self._costs = list(accumulate((2 + len(places.get(line, ())) for line in old), initial=0))
        self._size = len(old)

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """As difflib does it, while there are steps."""
        cost = self._costs[self._size if ahi is None else ahi] - self._costs[alo]
        if self.used + cost > self._steps:
            return Match(alo, blo, 0)
        self.used += cost
        return super().find_longest_match(alo, ahi, blo, bhi)


def header_name(side: str, path: str) -> str:
    """A path as it stands in the head of a diff: below `a` or `b`, on one line whatever is in it."""
    name = f"{side}/" + path.replace("\\", "/").lstrip("/")
    return name if name.isprintable() else json.dumps(name)


def _lines(text: str) -> list[str]:
    return list(io.StringIO(text, newline="\n"))  # splits at LF alone, and keeps it


def _common(old: Iterable[str], new: Iterable[str]) -> int:
    """How many lines both begin with."""
    return sum(takewhile(bool, map(eq, old, new)))


def _grouped(changes: list[_Change]) -> Iterator[list[_Change]]:
    """Changes whose contexts touch stand in one hunk."""
    hunk: list[_Change] = []
    for change in changes:
        if hunk and change.i1 - hunk[-1].i2 > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _range(start: int, end: int) -> str:
    return f"{start + 1 if end > start else start},{end - start}"


def _marked(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line if line.endswith("\n") else f"{mark}{line}\n{_NO_NEWLINE}\n"


# -- applying ----------------------------------------------------------------------------------


def apply_diff(text: str, diff: str) -> str:
    """The text after the change; ValueError when the diff is not one of this text."""
    old = _lines(text)
    new: list[str] = []
    at = 0
    for start, removed, added in _hunks(diff):
        end = start + len(removed)
        if start < at or old[start:end] != removed:
            raise ValueError("the diff does not fit the text")
        new += old[at:start]
        new += added
        at = end
        if at < len(old) and new and not new[-1].endswith("\n"):
            raise ValueError("the diff ends the text before its end")
    return "".join([*new, *old[at:]])


def _hunks(diff: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """Where each hunk begins, the lines it takes away (with the context) and those it puts there."""
    lines = diff.split("\n")
    at = 0
    is_diff = not diff
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line.startswith("@@"):
            # A file made empty or only renamed has no hunk
            is_diff = is_diff or line.startswith("+++ ")
            continue
        found = _HUNK.match(line)
        if found is None:
            raise ValueError("a hunk does not say where it belongs")
        old_count, new_count = int(found[2] or 1), int(found[3] or 1)
        at, removed, added = _hunk(lines, at, old_count, new_count)
        yield (int(found[1]) - 1 if old_count else int(found[1])), removed, added
        is_diff = True
    if not is_diff:
        raise ValueError("this is not a diff")


def _hunk(
    lines: list[str], at: int, old_count: int, new_count: int
) -> tuple[int, list[str], list[str]]:
    """The lines of one hunk by its counts, since a line that is taken away may look like a header."""
    removed: list[str] = []
    added: list[str] = []
    while (
        len(removed) < old_count
        or len(added) < new_count
        or (at < len(lines) and lines[at][:1] == "\\")
    ):
        if at == len(lines):
            raise ValueError("the diff is cut off")
        mark, body = lines[at][:1], lines[at][1:] + "\n"
        last = lines[at - 1][:1]
        at += 1
        if mark == "\\":
            for side in [removed] if last == "-" else [added] if last == "+" else [removed, added]:
                side[-1:] = [line.removesuffix("\n") for line in side[-1:]]
            continue
        if mark not in ("", " ", "-", "+"):
            raise ValueError("a line of the diff has no mark")
        if mark != "+":
            removed.append(body)
        if mark != "-":
            added.append(body)
    if (len(removed), len(added)) != (old_count, new_count):
        raise ValueError("a hunk has other lines than it says")
    return at, removed, added


# -- files as they stood -----------------------------------------------------------------------


class Standing(NamedTuple):
    """A file at one moment: its text, or that it did not exist then, or that nothing recorded
    tells.
    """

    text: str | None
    why: Literal["", "absent", "unknown"] = ""


ABSENT = Standing(None, "absent")
UNKNOWN = Standing(None, "unknown")


def file_at(edits: Iterable[FileEdit], path: str, request_ids: Sequence[str], n: int) -> str | None:
    """The text of a file after request number `n` (from 1); None where it did not exist or is not
    recorded.
    """
    return standing_at(edits, path, request_ids, n).text


def standing_at(
    edits: Iterable[FileEdit], path: str, request_ids: Sequence[str], n: int
) -> Standing:
    """How a file stood after request number `n`, without the edits that were undone."""
    name = header_name("a", path)
    mine = [
        (number, edit)
        for number, edit in timeline(edits, request_ids)
        if edit.path == path or (edit.kind == "rename" and _old_name(edit) == name)
    ]
    if not mine:
        return UNKNOWN
    state = _origin(mine[0][1], path)
    is_undone = False
    for number, edit in mine:
        if number > n:
            break
        if edit.state != "undone":
            state = _after(edit, state) if edit.path == path else ABSENT
        elif (
            not is_undone
            and edit.before is not None
            and edit.path == path
            and edit.kind != "rename"
        ):
            # Undoing gives back what the first of the undone edits found
            state = Standing(edit.before)
        is_undone = edit.state == "undone"
    return state


def timeline(edits: Iterable[FileEdit], request_ids: Sequence[str]) -> list[tuple[int, FileEdit]]:
    """The edits in the order of the requests, with the number of each (0: before the first), each
    change once.

    A conversation may name the files an answer changed beside the recording of what was changed in
    them: then the recording counts, with what the conversation knows about keeping and undoing.
    """
    numbers = {
        request_id: number for number, request_id in reversed(list(enumerate(request_ids, 1)))
    }
    numbered: list[tuple[int, FileEdit]] = []
    number = 0
    for edit in edits:
        number = numbers.get(edit.message_id or "", number)
        if edit.kind != "backup":
            numbered.append((number, edit))
    recorded = [
        (number, edit.path) for number, edit in numbered if edit.origin == "editing-session"
    ]
    paths = {path for _, path in recorded}
    end = max(recorded, default=(0, ""))[0]
    told = {
        (number, edit.path): edit.state for number, edit in numbered if edit.origin == "response"
    }
    found = []
    for number, edit in numbered:
        if edit.origin == "response" and number <= end and edit.path in paths:
            continue
        if edit.origin == "editing-session" and edit.state is None:
            edit = replace(edit, state=told.get((number, edit.path)))
        found.append((number, edit))
    return sorted(found, key=lambda item: item[0])


def _origin(edit: FileEdit, path: str) -> Standing:
    """How a file stood before its first edit."""
    if edit.path == path and edit.kind in ("create", "rename"):
        return ABSENT
    return UNKNOWN if edit.before is None else Standing(edit.before)


def _after(edit: FileEdit, state: Standing) -> Standing:
    if edit.after is not None:
        return Standing(edit.after)
    if edit.kind == "delete":
        return ABSENT
    base = edit.before if edit.before is not None else "" if edit.kind == "create" else state.text
    if edit.diff is None or base is None:
        return UNKNOWN
    try:
        return Standing(apply_diff(base, edit.diff))
    except ValueError:
        return UNKNOWN


def _old_name(edit: FileEdit) -> str:
    """The name in the head of a diff that a renamed file had."""
    return (edit.diff or "")[4:].partition("\n")[0]


# -- sessions ----------------------------------------------------------------------------------


def requests_of(session: Session) -> list[Message]:
    """The requests of a session in order: prompts, and whatever else a person or the editor sent
    that changed files.
    """
    changing = {edit.message_id for edit in session.file_edits if edit.kind != "backup"}
    return [
        message
        for message in session.messages
        if message.kind == "prompt"
        or (message.id in changing and message.role in ("user", "system"))
    ]


def edits_of(session: Session, requests: Sequence[Message]) -> list[FileEdit]:
    """The edits of a session with `message_id` set to the request they belong to, however the agent
    records that.
    """
    starts = {request.id for request in requests}
    owner: dict[str, str | None] = {}
    written: dict[str, tuple[str, str]] = {}
    current: str | None = None
    for message in session.messages:
        current = message.id if message.id in starts else current
        calls = message.tool_calls
        for name in (message.id, *message.record_ids, *(f"call {call.id}" for call in calls)):
            owner.setdefault(name, current)
        for call in calls:
            if call.name in _WRITERS and call.arguments:
                written[call.id] = _written(call.arguments, *_WRITERS[call.name])
    found = []
    for edit in session.file_edits:
        request = owner.get(edit.message_id or "") or owner.get(f"call {edit.call_id}")
        path, text = written.get(edit.call_id or "", (None, None))
        after = (
            text
            if edit.after is None and path == edit.path and edit.kind != "delete"
            else edit.after
        )
        found.append(replace(edit, message_id=request or edit.message_id, after=after))
    return found


def _written(arguments: str, path: str, text: str) -> tuple[str, str]:
    """The path and the text that a tool was told to write."""
    try:
        values = json.loads(arguments)
        return str(values[path]), str(values[text])
    except (ValueError, LookupError, TypeError, RecursionError):
        return "", ""
