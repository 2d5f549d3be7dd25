"""Parts of a response that are neither text nor tools: questions, buttons, notices, edits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.values import array, count, items, mapping, string, strings
from agent_journal.connectors.vscode_chat.results import text_of
from agent_journal.connectors.vscode_chat.uris import path_of
from agent_journal.model import FileEdit
from agent_journal.model.origins import MENTIONED_EDIT

# Known and left out: they steer the window, or repeat what other parts say.
SKIPPED = {
    "prepareToolInvocation": "announces a tool call",
    "progressMessage": "progress",
    "progressTask": "progress",
    "progressTaskSerialized": "progress",
    "mcpServersStarting": "progress",
    "mcpServersStartingSlow": "progress",
    "mcpAuthenticationRequired": "progress",
    "voiceProgress": "progress",
    "disabledClaudeHooks": "a notice of the window",
    "undoStop": "a checkpoint",
    "codeblockUri": "names the file of an edit",
    "autoModeResolution": "names the model",
    "toolInvocation": "live stream only",
    "reference": "live stream only",
    "usedContext": "live stream only",
    "codeCitation": "live stream only",
    "usage": "live stream only",
    "move": "live stream only",
    "agentDetection": "live stream only",
    "textEdit": "live stream only",
    "notebookEdit": "live stream only",
    "externalEdits": "live stream only",
}
EVENTS = frozenset(
    (
        "confirmation",
        "elicitation",
        "elicitation2",
        "elicitationSerialized",
        "questionCarousel",
        "command",
        "warning",
        "info",
        "systemNotification",
        "extensions",
        "pullRequest",
        "hook",
        "multiDiffData",
        "treeData",
    )
)
EDITS = frozenset(("textEditGroup", "notebookEditGroup", "workspaceEdit", "externalEdit"))


def event_text(kind: str, part: dict[str, Any]) -> str:
    """What a notice says."""
    write = _WRITERS.get(kind, _dialog)
    return write(part)


def _dialog(part: dict[str, Any]) -> str:
    """A question or a notice: its texts, its buttons, and what the person chose."""
    lines = [text_of(part.get(key)) for key in ("title", "subtitle", "message", "content")]
    buttons = strings(part.get("buttons"))
    if buttons:
        lines.append(f"[{' | '.join(buttons)}]")
    if string(part.get("state")) is not None:
        lines.append(f"→ {part['state']}")
    result = mapping(part.get("acceptedResult"))
    lines += [f"{key}: {value}" for key, value in result.items()]
    return "\n".join(filter(None, lines))


def _command(part: dict[str, Any]) -> str:
    return text_of(mapping(part.get("command")).get("title")) or ""


def _extensions(part: dict[str, Any]) -> str:
    return ", ".join(strings(part.get("extensions")))


def _hook(part: dict[str, Any]) -> str:
    keys = ("hookType", "toolDisplayName", "stopReason", "systemMessage")
    return ": ".join(filter(None, [string(part.get(key)) for key in keys]))


def _multi_diff(part: dict[str, Any]) -> str:
    diff = mapping(part.get("multiDiffData"))
    lines = [text_of(diff.get("title"))]
    for item in items(diff.get("resources")):
        lines.append(path_of(item.get("modifiedUri") or item.get("originalUri")))
    return "\n".join(filter(None, lines))


def _pull_request(part: dict[str, Any]) -> str:
    lines = [text_of(part.get(key)) for key in ("title", "description", "author", "linkTag")]
    lines.append(path_of(part.get("uri")))
    return "\n".join(filter(None, lines))


def _carousel(part: dict[str, Any]) -> str:
    """The questions, each with what the person answered."""
    answers = mapping(part.get("data"))
    lines = [text_of(part.get("message"))]
    for question in items(part.get("questions")):
        lines.append(text_of(question.get("title")) or text_of(question.get("message")))
        answer = answers.get(str(question.get("id")))
        lines += [f"→ {value}" for value in _answers(answer)]
    return "\n".join(filter(None, lines))


def _answers(answer: Any) -> list[str]:
    if isinstance(answer, str):
        values = [answer]
    else:
        given = mapping(answer)
        single = [given.get("selectedValue"), given.get("freeformValue")]
        values = strings([*single, *array(given.get("selectedValues"))])
    return [value for value in values if value]


def _tree(part: dict[str, Any]) -> str:
    lines: list[str] = []
    root = mapping(part.get("treeData")) or part
    stack: list[tuple[int, Any]] = [(0, root)]
    while stack and len(lines) < 10_000:
        depth, node = stack.pop()
        node = mapping(node)
        label = string(node.get("label")) or path_of(node.get("uri"))
        if label:
            lines.append("  " * min(depth, 20) + label)
        stack += [(depth + 1, child) for child in reversed(array(node.get("children")))]
    return "\n".join(lines)


_WRITERS: dict[str, Callable[[dict[str, Any]], str]] = {
    "questionCarousel": _carousel,
    "command": _command,
    "extensions": _extensions,
    "hook": _hook,
    "multiDiffData": _multi_diff,
    "treeData": _tree,
    "tree": _tree,
    "pullRequest": _pull_request,
}


def edits_of(kind: str, part: dict[str, Any], session_id: str, request_id: str) -> list[FileEdit]:
    """The files a part says were changed."""
    if kind == "workspaceEdit":
        found = (_moved(edit, session_id, request_id) for edit in items(part.get("edits")))
        return [edit for edit in found if edit is not None]
    path = path_of(part.get("uri"))
    if path is None:
        return []
    edit = FileEdit(session_id=session_id, path=path, message_id=request_id, origin=MENTIONED_EDIT)
    if kind == "externalEdit":
        edit = _external(part, edit)
    elif kind == "textEditGroup":
        edit = _grouped(part, edit)
    return [edit]


def _moved(edit: dict[str, Any], session_id: str, request_id: str) -> FileEdit | None:
    old = path_of(edit.get("oldResource"))
    new = path_of(edit.get("newResource"))
    path = new or old
    if path is None:
        return None
    moved = FileEdit(session_id=session_id, path=path, message_id=request_id, origin=MENTIONED_EDIT)
    if old and new:
        return replace(moved, kind="rename", backup=old)
    if new:
        return replace(moved, kind="create")
    return replace(moved, kind="delete")


def _external(part: dict[str, Any], edit: FileEdit) -> FileEdit:
    kind = part.get("editKind")
    if kind not in ("create", "delete", "rename"):
        kind = "edit"
    changed = mapping(part.get("diff"))
    return replace(
        edit,
        kind=kind,
        lines_added=count(changed.get("added")),
        lines_removed=count(changed.get("removed")),
        backup=path_of(part.get("originalUri")),
    )


def _grouped(part: dict[str, Any], edit: FileEdit) -> FileEdit:
    """The diff of a group with one edit.

    Several edits are the steps of a stream, which no longer tell the change.
    """
    changes = [change for group in array(part.get("edits")) for change in items(group)]
    if len(changes) != 1:
        return edit
    lines = mapping(changes[0].get("range"))
    text = changes[0].get("text")
    start = count(lines.get("startLineNumber"))
    end = count(lines.get("endLineNumber"))
    if start is None or end is None or not isinstance(text, str):
        return edit
    added = text.split("\n")
    if added[-1] == "":
        added.pop()
    removed = max(0, end - start)
    hunk = [f"@@ -{start},{removed} +{start},{len(added)} @@"]
    hunk += [f"+{line}" for line in added]
    diff = "\n".join(hunk) + "\n"
    return replace(edit, diff=diff, lines_added=len(added), lines_removed=removed)
