"""Lists the sessions of the tree of JSON files: each is one file, with the messages beside it.

    storage/session/<project>/<session>.json
    storage/message/<session>/<message>.json
    storage/part/<message>/<part>.json
    storage/todo/<session>.json
    storage/session_diff/<session>.json                found alone

A session has the size and the times of all of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain

from agent_journal.connectors.base import (
    FoundFile,
    Unlisted,
    found_file,
    found_path,
    is_folder,
    listing,
    stamp,
)
from agent_journal.connectors.opencode import is_session_file, restored_sessions

_SUFFIX = ".json"
_LARGEST = 2**63 - 1


def tree_files(storage: str, unlisted: list[Unlisted]) -> Iterator[FoundFile]:
    """Yield the sessions and their diffs."""
    for project in listing(os.path.join(storage, "session"), unlisted.append):
        if not is_folder(project):
            continue
        name = f"storage/session/{project.name}"
        entries = listing(project.path, unlisted.append)
        for entry in entries:
            if is_session_file(entry.name):
                for file in found_file(entry, f"{name}/{entry.name}", "rows", unlisted):
                    yield _with_messages(file, storage, unlisted)
        yield from restored_sessions(entries, name, unlisted)
    for entry in listing(os.path.join(storage, "session_diff"), unlisted.append):
        if is_session_file(entry.name):
            yield from found_file(entry, f"storage/session_diff/{entry.name}", "kept", unlisted)


def session_with(path: str) -> tuple[FoundFile | Unlisted, ...]:
    """Return the session that a file of a tree belongs to, wherever it is; nothing for others."""
    folder, name = os.path.split(path)
    storage, kind = os.path.split(os.path.dirname(folder))
    if name.endswith(_SUFFIX) and kind == "session":
        return _session(storage, os.path.basename(folder), name)
    session_id = None
    if kind == "message":
        session_id = os.path.basename(folder)
    elif kind == "part":
        session_id = _session_of_message(storage, os.path.basename(folder))
    elif os.path.basename(folder) == "todo":
        storage = os.path.dirname(folder)
        session_id = name.removesuffix(_SUFFIX)
    if session_id is None:
        return ()
    projects = _folders(os.path.join(storage, "session"))
    found = (_session(storage, project, session_id + _SUFFIX) for project in projects)
    return tuple(chain.from_iterable(found))


def _session(storage: str, project: str, name: str) -> tuple[FoundFile | Unlisted, ...]:
    if os.path.basename(storage) != "storage" or not is_session_file(name):
        return ()
    path = os.path.join(storage, "session", project, name)
    unlisted: list[Unlisted] = []  # reading the session tells the same
    return tuple(
        _with_messages(found, storage, unlisted) if isinstance(found, FoundFile) else found
        for found in found_path(path, f"storage/session/{project}/{name}", "rows")
    )


def _session_of_message(storage: str, message_id: str) -> str | None:
    messages = os.path.join(storage, "message")
    for session_id in _folders(messages):
        if os.path.lexists(os.path.join(messages, session_id, message_id + _SUFFIX)):
            return session_id
    return None


def _folders(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except OSError:
        return []


def _with_messages(file: FoundFile, storage: str, unlisted: list[Unlisted]) -> FoundFile:
    """Return a session with a fingerprint that changes with its messages.

    Of the parts of a message, only those of the newest are looked at one by one: those of others
    are not written any more, but they may arrive late when a tree is copied. That changes the time
    of their folder.
    """
    session_id = os.path.basename(file.path).removesuffix(_SUFFIX)
    messages = listing(os.path.join(storage, "message", session_id), unlisted.append)
    folders = [
        os.path.join(storage, "part", entry.name.removesuffix(_SUFFIX)) for entry in messages
    ]
    newest: list[os.DirEntry[str]] = []
    if folders:
        newest = listing(folders[-1], unlisted.append)
    paths = [entry.path for entry in (*messages, *newest)]
    paths.append(os.path.join(storage, "todo", session_id + _SUFFIX))
    stamps = list(_stamps(paths))
    times = [file.mtime_ns, *(mtime_ns for _, mtime_ns, _ in stamps)]
    folder_times = [mtime_ns for _, mtime_ns, _ in _stamps(folders)]
    return file._replace(
        size=file.size + sum(size for size, _, _ in stamps),
        mtime_ns=max(times),
        inode=sum(times + folder_times) & _LARGEST,
        companions=(),
    )


def _stamps(paths: Iterable[str]) -> Iterator[tuple[int, int, int]]:
    for path in paths:
        try:
            yield stamp(os.lstat(path))
        except OSError:
            continue
