"""What a killed conversion has written so far: noted before, removed by the next run.

<journal>/unfinished/<random>.json
    {"top":"/home/a/.claude","session":"projects/-x/1.jsonl","files":[["projects/-x/1.jsonl","…"]]}

A note is locked while its conversion runs, and removed when that ends. Of what a note names, only
files that have the bytes we wrote are removed, and folders that are empty.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agent_journal.store.below import folder_below
from agent_journal.store.catalog.store import try_lock

_FOLDER = "unfinished"


class Listing(NamedTuple):
    """A list of chats that names a session once it is finished, and the copies made of it."""

    database: str
    session_id: str
    copies: list[str]  # files beside the database that did not exist before


class Plan(NamedTuple):
    """What a conversion is about to write below a folder."""

    top: str
    session: str  # the file that is written last; paths have slashes and are below `top`
    files: list[tuple[str, str]]  # those that do not exist yet, with the sha256 of their content
    folders: list[str]  # those that do not exist yet, outer ones first
    listing: Listing | None = None


def plan_of(
    top: str, contents: Sequence[tuple[str, bytes]], listing: Listing | None = None
) -> Plan:
    """The plan for some files, of which the first is the session."""
    top = os.path.abspath(top)
    session = "".join(path for path, _ in contents[:1])
    files = []
    folders: dict[str, None] = {}
    for path, content in contents:
        if not os.path.lexists(os.path.join(top, path)):
            files.append((path, hashlib.sha256(content).hexdigest()))
        parts = path.split("/")
        for count in range(1, len(parts)):
            folder = "/".join(parts[:count])
            if not os.path.lexists(os.path.join(top, folder)):
                folders[folder] = None
    return Plan(top, session, files, list(folders), listing)


@contextlib.contextmanager
def noted(journal: str | None, plan: Plan) -> Iterator[str | None]:
    """Note a plan in the journal while it is carried out; the name for temporary files.

    A journal that cannot be written takes no note.
    """
    name = os.urandom(8).hex()
    try:
        path, descriptor = _write_note(journal, name, plan)
    except OSError:
        yield None
        return
    try:
        yield _partial(name)
        os.unlink(path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise
    finally:
        os.close(descriptor)
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(path))


def _write_note(journal: str | None, name: str, plan: Plan) -> tuple[str, int]:
    if journal is None:
        raise FileNotFoundError("there is no journal")
    folder = os.path.join(journal, _FOLDER)
    path = os.path.join(folder, f"{name}.json")
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try_lock(descriptor)
    os.write(descriptor, json.dumps(plan).encode())
    return path, descriptor


def _partial(name: str) -> str:
    return f".aj-{name}.part"


def remove_unfinished(journal: str) -> None:
    """Undo what killed conversions have left; what cannot be undone now stays noted."""
    folder = os.path.join(journal, _FOLDER)
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        with contextlib.suppress(OSError):
            _end(os.path.join(folder, name), name.removesuffix(".json"))
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def _end(path: str, name: str) -> None:
    """Undo one plan, unless its conversion still runs."""
    descriptor = os.open(path, os.O_RDWR)
    with open(descriptor, "rb") as file:
        if not try_lock(descriptor):
            return
        plan = _read(file.read())
        # One that was not written whole: nothing was done yet
        if plan is None or _undo(plan, _partial(name)):
            os.unlink(path)


def _read(text: bytes) -> Plan | None:
    try:
        top, session, files, folders, listing = json.loads(text)
        if listing is not None:
            listing = Listing(*listing)
        return Plan(top, session, [(path, sha) for path, sha in files], folders, listing)
    except (ValueError, TypeError):
        return None


def _undo(plan: Plan, partial: str) -> bool:
    """Remove what was written, unless the session was finished; false if it cannot be known."""
    is_finished = os.path.lexists(os.path.join(plan.top, plan.session))
    if plan.listing is not None:
        listed = _is_listed(plan.listing)
        if listed is None:
            return False
        is_finished = listed
    for path, sha256 in plan.files:
        *folders, name = path.split("/")
        folder_of_file = folder_below(plan.top, folders, follows_links=True)
        with contextlib.suppress(OSError), folder_of_file as folder:
            with contextlib.suppress(FileNotFoundError):
                folder.remove(partial)
            if not is_finished and _sha256(folder.open(name)) == sha256:
                folder.remove(name)
    if not is_finished:
        _remove_rest(plan)
    return True


def _remove_rest(plan: Plan) -> None:
    for path in reversed(plan.folders):
        with contextlib.suppress(OSError):
            os.rmdir(os.path.join(plan.top, path))
    if plan.listing is not None:
        for path in plan.listing.copies:
            with contextlib.suppress(OSError):
                os.unlink(path)


def _sha256(descriptor: int) -> str:
    with open(descriptor, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_listed(listing: Listing) -> bool | None:
    """Whether a list names the session; None if it cannot be read."""
    from agent_journal.connectors.sqlite_writing import DatabaseUnusable
    from agent_journal.connectors.vscode_chat.chat_list import UnknownList, has_chat

    if not os.path.exists(listing.database):
        return False
    try:
        return has_chat(listing.database, listing.session_id)
    except (DatabaseUnusable, UnknownList):
        return None
