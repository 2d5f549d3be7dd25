"""What a person gave along with a prompt: files, folders, selections, images, rules, links.

"context":{"fileSelections":[{"uri":{"fsPath":"/w/a.py",…}}],"selections":[{"uri":…,"rawText":"x = 1","range":…}],
           "selectedImages":[{"path":"/tmp/a.png"}],"cursorRules":[{"filename":"style"}],"externalLinks":[{"url":…}]}
"""

from __future__ import annotations

from typing import Any

from agent_journal.connectors.values import items, mapping, string, strings
from agent_journal.connectors.vscode_chat.uris import path_of
from agent_journal.model import Attachment

_KINDS = {
    "fileSelections": "file",
    "folderSelections": "folder",
    "selections": "selection",
    "terminalSelections": "terminal",
    "terminalFiles": "terminal",
    "selectedImages": "image",
    "selectedDocs": "doc",
    "externalLinks": "link",
    "cursorRules": "rule",
    "cursorCommands": "command",
    "selectedCommits": "commit",
    "notepads": "notepad",
    "selectedPullRequests": "pull request",
    "quotes": "quote",
    "composers": "chat",
}
_ALSO = {
    "attachedCodeChunks": "selection",
    "attachedFileCodeChunksMetadataOnly": "file",
    "attachedFolders": "folder",
    "attachedFoldersNew": "folder",
    "images": "image",
    "docsReferences": "doc",
    "webReferences": "link",
    "externalLinks": "link",
    "attachedFileCodeChunksUris": "file",
}
_NAMES = ("name", "title", "filename", "docId", "composerId", "sha", "message", "uuid")
_PATHS = ("relativeWorkspacePath", "relativePath", "path", "fsPath", "url")
_TEXTS = ("rawText", "text", "markdown", "content")


def attachments_of(bubble: dict[str, Any]) -> tuple[Attachment, ...]:
    """Everything attached to a message, each thing once. In the oldest chats it stands in the
    message itself.
    """
    context = mapping(bubble.get("context")) or (bubble if "fileSelections" in bubble else {})
    found = [_one(kind, item) for key, kind in _KINDS.items() for item in _list(context.get(key))]
    found += [_one(kind, item) for key, kind in _ALSO.items() for item in _list(bubble.get(key))]
    told = [one for one in found if one is not None]
    whole = {(one.kind, one.path) for one in told if one.text}
    return tuple(
        dict.fromkeys(one for one in told if one.text or (one.kind, one.path) not in whole)
    )


def _list(value: Any) -> list[Any]:
    return [*items(value), *strings(value)]


def _one(kind: str, item: Any) -> Attachment | None:
    if isinstance(item, str):
        return Attachment(kind=kind, path=path_of(item) or item) if item else None
    lines = item.get("lines")
    text = "\n".join(strings(lines)) if isinstance(lines, list) else _first(item, _TEXTS)
    path = path_of(item.get("uri")) or path_of(item) or _first(item, _PATHS)
    name = _first(item, _NAMES)
    if path is None and name is None and not text:
        return None
    return Attachment(kind=kind, name=name, path=path, text=text or None)


def _first(item: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((text for key in keys if (text := string(item.get(key)))), None)
