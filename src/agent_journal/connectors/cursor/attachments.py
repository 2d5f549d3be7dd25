"""What a person attached to a prompt: files, folders, selections, images, rules, links.

"context":{"fileSelections":[{"uri":{"fsPath":"/w/a.py",…}}],
           "selections":[{"uri":…,"rawText":"x = 1","range":…}],
           "selectedImages":[{"path":"/tmp/a.png"}],"cursorRules":[{"filename":"style"}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent_journal.connectors.values import items, mapping, string, strings
from agent_journal.connectors.vscode_chat.uris import path_of
from agent_journal.model import Attachment

# In the context of a message
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
# In the message itself
_MESSAGE_KINDS = {
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


def attachments_of(values: dict[str, Any]) -> tuple[Attachment, ...]:
    """Return everything attached to a message, each thing once."""
    context = mapping(values.get("context"))
    if not context and "fileSelections" in values:
        context = values  # the oldest chats have no context
    found = [*_listed(context, _KINDS), *_listed(values, _MESSAGE_KINDS)]
    # A thing that is listed with its text is not listed again without it
    with_text = {(attachment.kind, attachment.path) for attachment in found if attachment.text}
    return tuple(
        dict.fromkeys(
            attachment
            for attachment in found
            if attachment.text or (attachment.kind, attachment.path) not in with_text
        )
    )


def _listed(values: dict[str, Any], kinds: dict[str, str]) -> Iterator[Attachment]:
    for key, kind in kinds.items():
        listed = values.get(key)
        for item in items(listed):
            attachment = _attachment(kind, item)
            if attachment is not None:
                yield attachment
        for text in strings(listed):
            if text:
                yield Attachment(kind=kind, path=path_of(text) or text)


def _attachment(kind: str, item: dict[str, Any]) -> Attachment | None:
    lines = item.get("lines")
    if isinstance(lines, list):
        text = "\n".join(strings(lines)) or None
    else:
        text = _first_text(item, _TEXTS)
    path = path_of(item.get("uri")) or path_of(item) or _first_text(item, _PATHS)
    name = _first_text(item, _NAMES)
    if path is None and name is None and text is None:
        return None
    return Attachment(kind=kind, name=name, path=path, text=text)


def _first_text(item: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((text for key in keys if (text := string(item.get(key)))), None)
