"""Connectors of other packages: the names they declare, found without importing them.

[project.entry-points."agent_journal.connectors"]
notes-agent = "notes_agent:CONNECTOR"

Installing writes this into `<package>.dist-info/entry_points.txt`. importlib.metadata would read
it, but importing that takes longer than most of our commands; reading a hundred such files takes
two milliseconds.
"""

from __future__ import annotations

import os
import sys
from functools import cache

GROUP = "agent_journal.connectors"
_FOLDERS = (".dist-info", ".egg-info")


@cache
def declared() -> dict[str, str]:
    """The declared connectors by name: `module:attribute`, of the first package on the path."""
    found: dict[str, str] = {}
    for folder in dict.fromkeys(sys.path):
        try:
            with os.scandir(folder or ".") as entries:
                packages = sorted(entry.path for entry in entries if entry.name.endswith(_FOLDERS))
        except OSError:  # missing, not readable, or a zip file
            continue
        for package in packages:
            for name, value in _group(os.path.join(package, "entry_points.txt")):
                found.setdefault(name, value)
    return found


def _group(path: str) -> list[tuple[str, str]]:
    """The entries of our group in a file of entry points."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return []
    if GROUP.encode() not in data:
        return []
    found = []
    is_ours = False
    for line in data.decode("utf-8", "replace").splitlines():
        line = line.strip()
        if line.startswith("["):
            is_ours = line.strip("[] ") == GROUP
        elif is_ours and "=" in line and line[0] not in "#;":
            name, _, value = line.partition("=")
            found.append((name.strip(), value.partition("[")[0].strip()))
    return found
