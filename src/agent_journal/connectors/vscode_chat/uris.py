"""URIs as VS Code writes them: strings in workspace.json, objects inside sessions.

Both become paths that people know:

{"folder":"vscode-remote://wsl%2Bubuntu-22.04/home/me/p"} -> /home/me/p, remote wsl:ubuntu-22.04
{"$mid":1,"scheme":"file","path":"/c:/Users/me/x.py"} -> c:\\Users\\me\\x.py
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple
from urllib.parse import unquote

from agent_journal.connectors.values import first_string, mapping, string

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*))?([^?#]*)")
_DRIVE = re.compile(r"/[A-Za-z]:(?=/|$)")
_WEB = ("http://", "https://")
_WSL_HOSTS = ("wsl$", "wsl.localhost")


class Place(NamedTuple):
    """What a URI means: the scheme, a path, and the machine of it (`ssh:host`, `wsl:distro`)."""

    scheme: str
    path: str
    remote: str = ""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.replace("\\", "/").rstrip("/").rpartition("/")[2] or self.path


class Lines(NamedTuple):
    """A range of lines, both included."""

    first: int
    last: int


def decode(text: str) -> Place | None:
    """The place a URI string means; None if it is not a URI."""
    found = _SCHEME.match(text)
    if found is None or len(found[1]) == 1:  # one letter is a drive, not a scheme
        return None
    return _place(scheme=found[1], authority=unquote(found[2] or ""), path=unquote(found[3]))


def place_of(value: Any) -> Place | None:
    """The place of a URI string, a URI object or a Location `{uri, range}`; None for others."""
    if isinstance(value, str):
        return decode(value)
    if not isinstance(value, dict):
        return None
    scheme = value.get("scheme")
    path = value.get("path")
    if isinstance(scheme, str) and isinstance(path, str):
        native = string(value.get("fsPath"))
        if scheme == "file" and native is not None:
            return Place(scheme, native)
        return _place(scheme, string(value.get("authority")) or "", path)
    return place_of(value.get("uri"))


def path_of(value: Any) -> str | None:
    """The path of a URI object or string."""
    place = place_of(value)
    if place is None:
        return None
    return place.path


def web_address(value: Any) -> str | None:
    """The whole URL of a URI string, a URI object or a Location on the web; None for others."""
    if isinstance(value, str):
        if value.startswith(_WEB):
            return value
        return None
    if not isinstance(value, dict):
        return None
    scheme = value.get("scheme")
    if not isinstance(scheme, str):
        return web_address(value.get("uri"))
    if f"{scheme}://" not in _WEB:
        return None
    external = string(value.get("external"))
    if external is not None:
        return external
    url = f"{scheme}://{string(value.get('authority')) or ''}{string(value.get('path')) or ''}"
    for mark, name in (("?", "query"), ("#", "fragment")):
        more = string(value.get(name))
        if more is not None:
            url += mark + more
    return url


def range_of(value: Any) -> Lines | None:
    """The lines of a Location."""
    lines = mapping(mapping(value).get("range"))
    first = lines.get("startLineNumber")
    last = lines.get("endLineNumber")
    if not isinstance(first, int):
        return None
    if not isinstance(last, int):
        last = first
    return Lines(first, last)


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
    if authority:
        path = f"/{authority}{path}"
    return Place(scheme, path)


def _remote(authority: str) -> str:
    kind, _, name = authority.partition("+")
    if kind == "ssh-remote":
        kind = "ssh"
    name, at, host = name.partition("@")
    remote = f"{kind}:{_unhexed(name, may_be_path='container' in kind)}"
    if at:
        remote += f"@{host.partition('+')[2] or host}"
    return remote


def _unhexed(name: str, may_be_path: bool) -> str:
    """Some hosts are named by the hex of a JSON object, containers also by that of a path."""
    try:
        text = bytes.fromhex(name).decode()
    except ValueError:
        return name
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        if may_be_path and text.isprintable():
            return text
        return name
    host = first_string(mapping(value), "hostPath", "hostName", "containerName", "containerId")
    if host is None:
        return name
    return host.encode("utf-8", "replace").decode()
