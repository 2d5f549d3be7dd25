"""Where the agents write: folders that the system tells changes of, and those to look at."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from agent_journal import connectors
from agent_journal.connectors import get_connector
from agent_journal.connectors.base import Connector, Env, is_scattered
from agent_journal.errors import JournalError
from agent_journal.sync.discovery import roots_of

if TYPE_CHECKING:
    from agent_journal.config.loading import Config

_MOUNTS = "/proc/self/mounts"
# File systems that do not tell what other machines, or the host of this one, write
_REMOTE = ("nfs", "cifs", "smb", "9p", "fuse.", "afs", "ceph", "gluster", "lustre", "vboxsf")


class Root(NamedTuple):
    """A root of an agent."""

    connector: Connector
    path: str


class Places(NamedTuple):
    """Which folders are listened to, and which are looked at now and then."""

    with_events: tuple[str, ...]  # with everything below them
    polled: tuple[Root, ...]
    missing: tuple[str, ...]  # that would be listened to
    why_polled: str = ""


def find_places(config: Config, env: Env, why_polled: str = "") -> Places:
    """The places of all agents; with `why_polled`, a reason, none is listened to."""
    mounts = _remote_mounts()
    with_events: list[str] = []
    polled: list[Root] = []
    missing: list[str] = []
    remote: set[str] = set()
    for root in _roots(config, env):
        if is_scattered(root.connector):  # folders of the user, which may hold anything
            polled.append(root)
        elif not os.path.isdir(root.path):
            missing.append(root.path)
        elif why_polled:
            polled.append(root)
        elif mounts and _is_below(root.path, mounts):
            polled.append(root)
            remote.add(root.path)
        else:
            with_events.append(root.path)
    if remote and not why_polled:
        why_polled = f"{', '.join(sorted(remote))}: on a network disk"
    return Places(_outermost(with_events), tuple(polled), tuple(missing), why_polled)


def _roots(config: Config, env: Env) -> Iterable[Root]:
    for name in connectors.NAMES:
        try:
            connector = get_connector(name)
            paths = roots_of(connector, config, env)
        except JournalError:  # of another package; a sync says so
            continue
        for path in paths:
            yield Root(connector, path)


def _outermost(folders: Iterable[str]) -> tuple[str, ...]:
    """Folders without those that are below others."""
    found: list[str] = []
    for folder in sorted(set(folders)):
        if not _is_below(folder, found):
            found.append(folder)
    return tuple(found)


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(
        path == folder or path.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders
    )


def _remote_mounts() -> list[str]:
    """The folders at which network disks are mounted; only Linux tells."""
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            fields = [line.split() for line in file]
    except OSError:
        return []
    return [
        _unescaped(parts[1])
        for parts in fields
        if len(parts) > 2 and parts[2].startswith(_REMOTE) and parts[1] != "/"
    ]


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)
