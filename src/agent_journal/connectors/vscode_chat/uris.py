"""URIs as VS Code writes them: strings in workspace.json, objects inside sessions; both become
paths people know.

{"folder":"vscode-remote://wsl%2Bubuntu-22.04/home/me/p"} -> /home/me/p, remote wsl:ubuntu-22.04
{"$mid":1,"scheme":"file","path":"/c:/Users/me/x.py"} -> c:\\Users\\me\\x.py
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple
from urllib.parse import unquote

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*))?([^?#]*)")
_DRIVE = re.compile(r"/[A-Za-z]:(?=/|$)")
_WSL_HOSTS = ("wsl$", "wsl.localhost")


class Place(NamedTuple):
    """What a URI means: the scheme, the path on the machine it is on, and that machine (`ssh:host`,
    `wsl:distro`).
    """

    scheme: str
    path: str
    remote: str = ""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.replace("\\", "/").rstrip("/").rpartition("/")[2] or self.path


def decode(text: str) -> Place | None:
    """The place a URI string means; None when it is no URI."""
    found = _SCHEME.match(text)
    if found is None or len(found[1]) == 1:  # one letter is a drive, not a scheme
        return None
    authority, path = unquote(found[2] or ""), unquote(found[3])
    return _place(found[1], authority, path)


def place_of(value: Any) -> Place | None:
    """The place of a URI object, a Location `{uri, range}`, or a URI string; None when it is none
    of these.
    """
    if isinstance(value, str):
        return decode(value)
    if not isinstance(value, dict):
        return None
    scheme, path = value.get("scheme"), value.get("path")
    if isinstance(scheme, str) and isinstance(path, str):
        native = value.get("fsPath")
        if scheme == "file" and isinstance(native, str) and native:
            return Place(scheme, native)
        authority = value.get("authority")
        return _place(scheme, authority if isinstance(authority, str) else "", path)
    return place_of(value["uri"]) if isinstance(value.get("uri"), (dict, str)) else None


def path_of(value: Any) -> str | None:
    """The path of a URI object or string."""
    place = place_of(value)
    return None if place is None else place.path


def range_of(value: Any) -> tuple[int, int] | None:
    """First and last line of a Location."""
    lines = value.get("range") if isinstance(value, dict) else None
    if not isinstance(lines, dict):
        return None
    start, end = lines.get("startLineNumber"), lines.get("endLineNumber")
    return (start, end if isinstance(end, int) else start) if isinstance(start, int) else None


def _place(scheme: str, authority: str, path: str) -> Place:
    if scheme == "file":
        if authority.lower() in _WSL_HOSTS:
            distro, _, inner = path.lstrip("/").partition("/")
            return Place(scheme, f"/{inner}", f"wsl:{distro}")
        if authority:
            return Place(scheme, "\\\\" + authority + path.replace("/", "\\"))
        if _DRIVE.match(path):
            return Place(scheme, path[1].lower() + path[2:].replace("/", "\\"))
        return Place(scheme, path)
    if scheme == "vscode-remote":
        return Place(scheme, path, _remote(authority))
    return Place(scheme, f"/{authority}{path}" if authority else path)


def _remote(authority: str) -> str:
    kind, _, name = authority.partition("+")
    kind = {"ssh-remote": "ssh"}.get(kind, kind)
    name, at, host = name.partition("@")
    told = _unhexed(name, is_path="container" in kind)
    return f"{kind}:{told}" + (f"@{host.partition('+')[2] or host}" if at else "")


def _unhexed(name: str, is_path: bool) -> str:
    """Some hosts are named by hex of a JSON object, containers also by that of a path."""
    try:
        text = bytes.fromhex(name).decode()
    except ValueError:
        return name
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text if is_path and text.isprintable() else name
    if isinstance(value, dict):
        for key in ("hostPath", "hostName", "containerName", "containerId"):
            told = value.get(key)
            if isinstance(told, str) and told:
                return told.encode("utf-8", "replace").decode()
    return name
