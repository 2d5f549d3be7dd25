"""`pruned.jsonl`: which sessions the user has removed, apart from the catalog.

A line has a checksum, a session, and what was decided when; of several lines about a session the
newest counts. Files are named by checksums of their paths: after a purge, nothing here tells what
a session was about.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterable
from typing import NamedTuple

from agent_journal.store.atomic import write_private

NAME = "pruned.jsonl"
HIDDEN = "hidden"
PURGING = "purging"  # a purge has begun and was not finished
PURGED = "purged"
LIFTED = "lifted"
# Ids that can be part of no name by chance
_UNIQUE_ID = re.compile(r"\w{8}-\w{4}-\w{4}-\w{4}-\w{12}", re.ASCII)
_LATEST = 2**53  # microseconds; a later time is none
SessionKey = tuple[str, str]  # agent and id


class Decision(NamedTuple):
    """What was decided about one session."""

    agent: str
    session: str
    state: str
    at: int  # microseconds
    title: str | None = None
    folder: str | None = None
    parent: str | None = None  # the session that was named, when this is a sub-agent of it
    own: tuple[str, ...] = ()  # files with nothing else in them
    shared: tuple[str, ...] = ()  # files with other sessions, too
    size: int = 0  # bytes of the files of its own
    # Which parts of sessions its own files are, as the catalog has them: the ids of others that
    # began with the same one follow from it.
    parts: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> SessionKey:
        """The session it is about."""
        return self.agent, self.session

    @property
    def is_in_force(self) -> bool:
        """Whether the session is to be left out."""
        return self.state != LIFTED


def file_key(agent: str, path: str) -> str:
    """The name of a file in the list."""
    text = f"{agent}\0{path.replace(os.sep, '/')}"
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:20]


class Decisions:
    """What was decided about every session that was ever pruned."""

    def __init__(self, decisions: Iterable[Decision] = ()) -> None:
        self.all: dict[SessionKey, Decision] = {}
        for decision in decisions:
            self.add(decision)

    def add(self, decision: Decision) -> bool:
        """Add a decision; false when a newer one is known."""
        before = self.all.get(decision.key)
        if before is not None and before.at >= decision.at:
            return False
        self.all[decision.key] = decision
        return True

    def after(self, decision: Decision) -> Decision:
        """A decision that counts from now on, also where the clock was set back."""
        before = self.all.get(decision.key)
        if before is None or before.at < decision.at:
            return decision
        return decision._replace(at=before.at + 1)

    def in_force(self, *states: str) -> list[Decision]:
        """The decisions by which sessions are left out, or those in some of the states."""
        found = [decision for decision in self.all.values() if decision.is_in_force]
        if states:
            found = [decision for decision in found if decision.state in states]
        return sorted(found, key=lambda decision: (decision.at, decision.key))


class Pruned:
    """Tells which sessions and files are to be left out."""

    def __init__(self, decisions: Iterable[Decision] = ()) -> None:
        in_force = [decision for decision in decisions if decision.is_in_force]
        self._sessions = {decision.key for decision in in_force}
        self._own = {key for decision in in_force for key in decision.own}
        self._shared = {key for decision in in_force for key in decision.shared}
        self._unique = {key for key in self._sessions if _UNIQUE_ID.fullmatch(key[1])}

    def __bool__(self) -> bool:
        return bool(self._sessions)

    def has(self, agent: str, session: str | None) -> bool:
        """Whether a session is left out, also as a part of another one."""
        if session is None or not self._sessions:
            return False
        if (agent, session) in self._sessions:
            return True
        return (agent, session.partition("/")[0]) in self._sessions

    def has_file(self, agent: str, path: str, session: str | None, name: str) -> bool:
        """Whether a file is left out: it was when the session was, or it is one more of it.

        A name tells only by an id that is nothing else: any word may be that of a folder, too.
        """
        if not self._sessions:
            return False
        key = file_key(agent, path)
        if key in self._own:
            return True
        if key in self._shared:
            return False
        if session is not None and self.has(agent, session):
            return True
        if not self._unique:
            return False
        return any((agent, uid) in self._unique for uid in _UNIQUE_ID.findall(name))


def read_decisions(path: str) -> Decisions:
    """The decisions in a file; lines that cannot be read are left out."""
    found = Decisions()
    try:
        with open(path, "rb") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return found
    for line in lines:
        decision = _parsed(line)
        if decision is not None:
            found.add(decision)
    return found


def append_decisions(path: str, decisions: Iterable[Decision]) -> None:
    """Add decisions to a file, each later than what the file says of its session."""
    known = read_decisions(path)
    lines = [_line(known.after(decision)) for decision in decisions]
    if not lines:
        return
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    with open(descriptor, "r+b") as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":  # the last line was cut off
                lines.insert(0, b"\n")
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())


def write_decisions(path: str, decisions: Iterable[Decision]) -> None:
    """Replace a file, so that nothing is left of what it said before."""
    write_private(path, map(_line, decisions), durable=True)


def encode(decisions: Iterable[Decision]) -> str:
    """Decisions as one text, for the catalog."""
    return json.dumps(list(decisions), ensure_ascii=False, separators=(",", ":"))


def decode(text: str) -> list[Decision]:
    """The decisions of such a text; none where it is damaged."""
    from agent_journal.model.light_msgspec import msgspec

    try:
        return msgspec.json.decode(text, type=list[Decision])
    except ValueError:
        return []


def _line(decision: Decision) -> bytes:
    text = json.dumps(decision, ensure_ascii=False, separators=(",", ":")).encode()
    return b"%08x " % zlib.crc32(text) + text + b"\n"


def _parsed(line: bytes) -> Decision | None:
    """The decision of a line; None where it is damaged, or not as we write it."""
    from agent_journal.model.light_msgspec import msgspec

    check, _, text = line.partition(b" ")
    if check != b"%08x" % zlib.crc32(text):
        return None
    try:
        decision = msgspec.json.decode(text, type=Decision)
    except ValueError:
        return None
    if not 0 <= decision.at < _LATEST:
        return None
    return decision
