"""The lines that edits and commands put into files, and the hash that finds a line again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import NamedTuple

from agent_journal.model.structs import FileEdit

LEAST_LETTERS = 5  # letters and digits of a line that says enough to be looked for
_GAP = 100  # between hunks, so that no line of one seems to follow a line of another
_MOST_LETTERS = 2_000  # of a line that count: longer ones are data or were packed by a program
_MARK = "\ufeff"  # of the byte order
_PRINTED = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.*)$", re.MULTILINE)
_HEREDOC = re.compile(r"<<-?\s*[\"']?(\w+)")
_TARGET = re.compile(r"(?:>|\btee (?:-a )?)\s*(\"[^\"]+\"|'[^']+'|[^\s;|&<>\"']+)")
_LONGEST_HEAD = 1_000  # letters of the line that begins a text in a command
_HEADS = ("--- ", "+++ ", "diff ", "index ")  # before the first hunk
_ABBREVIATED = 7  # letters of a commit's id that every tool prints


class WrittenLine(NamedTuple):
    """A line, and its place among those of the edit: places of neighbours differ by 1."""

    place: int
    text: str


class WrittenFile(NamedTuple):
    """The lines that a command wrote into a file."""

    path: str
    lines: list[WrittenLine]


class PrintedCommit(NamedTuple):
    """A commit that a tool reported to have made."""

    sha: str
    subject: str


# -- hashes ------------------------------------------------------------------------------------


def collapsed(text: str) -> str:
    """A line with one space for each run of white space, and none at its ends.

    Some programs begin a file with a mark of its byte order, and some do not.
    """
    return " ".join(text[:_MOST_LETTERS].removeprefix(_MARK).split())


def says_enough(line: str) -> bool:
    """Whether a collapsed line is one to look for: `}` and `else:` stand everywhere."""
    if len(line) < LEAST_LETTERS:
        return False
    if line[:LEAST_LETTERS].isalnum():
        return True
    count = 0
    for letter in line:
        if letter.isalnum():
            count += 1
            if count == LEAST_LETTERS:
                return True
    return False


def line_hash(line: str) -> int:
    """The 64 bits that a collapsed line is found by."""
    digest = blake2b(line.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def hash_of(text: str) -> int | None:
    """The hash of a line; None for one that does not say enough."""
    line = collapsed(text)
    if not says_enough(line):
        return None
    return line_hash(line)


def commit_hash(sha: str) -> int:
    """The hash that a commit which a tool reported is found by."""
    return line_hash(f"\0commit {sha[:_ABBREVIATED]}")


def hasher() -> Callable[[str], int | None]:
    """The same as `hash_of`, for many lines: what comes again is not computed again."""
    known: dict[str, int | None] = {}

    def hashed(text: str) -> int | None:
        if text in known:
            return known[text]
        if len(known) > 100_000:
            known.clear()
        known[text] = hash_of(text)
        return known[text]

    return hashed


# -- edits -------------------------------------------------------------------------------------


def has_text(edit: FileEdit) -> bool:
    """Whether an edit says which lines it wrote."""
    return bool(edit.diff) or edit.after is not None


def written_lines(edit: FileEdit) -> list[WrittenLine]:
    """The lines that an edit put into the file.

    Lines that it also takes out were only moved or indented: it did not write them.
    """
    if edit.kind in ("backup", "delete") or edit.state == "undone":
        return []
    if edit.diff:
        added, removed = _changed_lines(edit.diff)
    elif edit.after is not None:
        added = [WrittenLine(place, text) for place, text in enumerate(edit.after.split("\n"))]
        removed = (edit.before or "").split("\n")
    else:
        return []
    gone = {collapsed(text) for text in removed}
    if not gone:
        return added
    return [line for line in added if collapsed(line.text) not in gone]


def removed_lines(edit: FileEdit) -> list[str]:
    """The lines that an edit took out of the file, as far as it says."""
    if not edit.diff:
        return []
    return _changed_lines(edit.diff)[1]


def _changed_lines(diff: str) -> tuple[list[WrittenLine], list[str]]:
    """The lines that a diff adds, each with its place, and those that it removes."""
    added = []
    removed = []
    place = 0
    is_head = True
    for line in diff.split("\n"):
        sign = line[:1]
        if line.startswith("@@"):
            is_head = False
            place += _GAP
        elif sign == "\\" or (is_head and line.startswith(_HEADS)):
            continue
        elif sign == "-":
            removed.append(line[1:])
        else:
            if sign == "+":
                added.append(WrittenLine(place, line[1:]))
            place += 1
    return added, removed


# -- commands ----------------------------------------------------------------------------------


def heredocs(command: str) -> Iterator[WrittenFile]:
    """The files that a command of a shell writes from texts in it: `cat > a.py <<EOF`."""
    if "<<" not in command:
        return
    lines = command.split("\n")
    at = 0
    while at < len(lines):
        head = lines[at][:_LONGEST_HEAD]
        at += 1
        begin = _HEREDOC.search(head)
        target = _TARGET.search(head)
        if begin is None or target is None:
            continue
        start = at
        while at < len(lines) and lines[at].strip() != begin[1]:
            at += 1
        texts = lines[start:at]
        path = target[1].strip("\"'")
        yield WrittenFile(path, [WrittenLine(place, text) for place, text in enumerate(texts)])


def printed_commits(output: str) -> Iterator[PrintedCommit]:
    """The commits that `git commit` reports in an output: `[main 1a2b3c4] Merge cart lines`."""
    for found in _PRINTED.finditer(output):
        yield PrintedCommit(found[1], found[2])
