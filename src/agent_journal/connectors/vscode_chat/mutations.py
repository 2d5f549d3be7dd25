"""The log of VS Code 1.109 and later: each line changes a document, which is the session.

{"kind":0,"v":{"version":3,"sessionId":"s","requests":[]}}
{"kind":2,"k":["requests"],"v":[{"requestId":"request_1","message":{"text":"hi"}}]}
{"kind":1,"k":["customTitle"],"v":"Greetings"}
"""

from __future__ import annotations

from typing import Any

from agent_journal.connectors.vscode_chat.packed import INITIAL, unpacked

SET, PUSH, DELETE = 1, 2, 3
NAMES = {INITIAL: "initial", SET: "set", PUSH: "push", DELETE: "delete"}
_MAX_PADDING = 1_000  # a damaged index must not fill the memory


def apply(document: Any, entry: dict[str, Any], *, lenient: bool = False) -> Any:
    """The document after one entry of the log.

    Raises ValueError, and changes nothing, if the entry does not fit the document. With `lenient`,
    objects and lists that are missing on the way are created: for logs that lost their first line.
    """
    kind = entry.get("kind")
    if kind == INITIAL:
        return entry.get("v")
    if kind not in (SET, PUSH, DELETE):
        raise ValueError(f"unknown kind {kind!r} of a change")
    path = entry.get("k")
    if not isinstance(path, list):
        raise ValueError("a change without a path")
    if not path:
        if kind == SET:
            return document  # VS Code does nothing either
        raise ValueError("a change of the whole document")
    parent = _parent(document, path, lenient)
    if kind == PUSH:
        _push(parent, path[-1], entry.get("v"), entry.get("i"))
    elif kind == SET and "v" in entry:
        _assign(parent, path[-1], entry["v"])
    else:
        _remove(parent, path[-1])
    return document


def _parent(document: Any, path: list[Any], lenient: bool) -> Any:
    here = document
    for step, key in enumerate(path[:-1]):
        below = _get(here, key)
        if below is None and lenient:
            below = [] if isinstance(path[step + 1], int) else {}
            _assign(here, key, below)
        here = below
    if not isinstance(here, (dict, list)):
        place = "/".join(str(key)[:80] for key in path[:-1][:20])
        raise ValueError(f"there is no {place or 'document'} to change")
    return here


def _get(here: Any, key: Any) -> Any:
    if isinstance(here, dict):
        return here.get(_name(key))
    if isinstance(here, list):
        index = _index(key)
        if index < len(here):
            here[index] = unpacked(here[index])
            return here[index]
    return None


def _assign(here: Any, key: Any, value: Any) -> None:
    if isinstance(here, dict):
        here[_name(key)] = value
    elif isinstance(here, list):
        index = _index(key)
        _pad(here, index)
        here[index : index + 1] = [value]
    else:
        raise ValueError("a change inside a value that has no parts")


def _remove(here: Any, key: Any) -> None:
    """What JavaScript does with `undefined`: a key goes, a place in a list becomes a hole."""
    if isinstance(here, dict):
        here.pop(_name(key), None)
    else:
        index = _index(key)
        if index < len(here):
            here[index] = None


def _push(here: Any, key: Any, values: Any, start: Any) -> None:
    target = _get(here, key)
    if target is None:
        target = []
        _assign(here, key, target)
    if not isinstance(target, list):
        raise ValueError("a push onto something that is not a list")
    if not isinstance(values, (list, type(None))):
        raise ValueError("a push of something that is not a list")
    if start is not None:
        index = _index(start)
        _pad(target, index)
        del target[index:]  # everything from there on goes, however much follows
    target.extend(values or ())


def _pad(target: list[Any], length: int) -> None:
    if length - len(target) > _MAX_PADDING:
        raise ValueError(f"place {length} of a list of {len(target)}")
    target.extend([None] * (length - len(target)))


def _name(key: Any) -> str:
    if isinstance(key, bool) or not isinstance(key, (str, int)):
        raise ValueError("a path with something other than names and numbers")
    return str(key)


def _index(key: Any) -> int:
    if isinstance(key, str) and key.isdecimal() and len(key) < 10:
        return int(key)
    if isinstance(key, bool) or not isinstance(key, int) or key < 0:
        raise ValueError("a path with an invalid index of a list")
    return key
