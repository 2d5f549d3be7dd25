"""Parts of a response that are neither text nor tools: questions, plans, buttons, notices, edits of
files.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.values import count, items, mapping, string, strings
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
    "autoModeResolution": "tells the model",
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
    if kind == "questionCarousel":
        return _carousel(part)
    if kind == "command":
        return text_of(mapping(part.get("command")).get("title")) or ""
    if kind == "extensions":
        return ", ".join(strings(part.get("extensions")))
    if kind == "hook":
        told = (
            part.get(key) for key in ("hookType", "toolDisplayName", "stopReason", "systemMessage")
        )
        return ": ".join(filter(None, map(string, told)))
    if kind == "multiDiffData":
        diff = mapping(part.get("multiDiffData"))
        paths = [
            path_of(item.get("modifiedUri") or item.get("originalUri"))
            for item in items(diff.get("resources"))
        ]
        return "\n".join(filter(None, (text_of(diff.get("title")), *paths)))
    if kind in ("treeData", "tree"):
        return _tree(mapping(part.get("treeData")) or part)
    if kind == "pullRequest":
        told = (part.get(key) for key in ("title", "description", "author", "linkTag"))
        return "\n".join(filter(None, (*map(text_of, told), path_of(part.get("uri")))))
    words = [text_of(part.get(key)) for key in ("title", "subtitle", "message", "content")]
    return "\n".join(filter(None, (*words, *_answer(part))))


def _answer(part: dict[str, Any]) -> list[str | None]:
    buttons = strings(part.get("buttons"))
    result = part.get("acceptedResult")
    return [
        f"[{' | '.join(buttons)}]" if buttons else None,
        f"→ {part['state']}" if string(part.get("state")) else None,
        "\n".join(f"{key}: {value}" for key, value in mapping(result).items()) or None,
    ]


def _carousel(part: dict[str, Any]) -> str:
    """The questions, each with what the person answered."""
    answers = mapping(part.get("data"))
    lines = [text_of(part.get("message")) or ""]
    for question in items(part.get("questions")):
        lines.append(text_of(question.get("title")) or text_of(question.get("message")) or "")
        answer = answers.get(str(question.get("id")))
        given = mapping(answer)
        values = (
            [answer]
            if isinstance(answer, str)
            else [given.get("selectedValue"), given.get("freeformValue")]
        )
        more = given.get("selectedValues")
        values += more if isinstance(more, list) else []
        lines += [f"→ {value}" for value in values if isinstance(value, str) and value]
    return "\n".join(filter(None, lines))


def _tree(root: dict[str, Any]) -> str:
    lines: list[str] = []
    stack: list[tuple[int, Any]] = [(0, root)]
    while stack and len(lines) < 10_000:
        depth, node = stack.pop()
        label = string(mapping(node).get("label")) or path_of(mapping(node).get("uri"))
        if label:
            lines.append("  " * min(depth, 20) + label)
        children = mapping(node).get("children")
        stack += (
            [(depth + 1, child) for child in reversed(children)]
            if isinstance(children, list)
            else []
        )
    return "\n".join(lines)


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
        return [_external(part, edit)]
    return [_grouped(part, edit) if kind == "textEditGroup" else edit]


def _moved(edit: dict[str, Any], session_id: str, request_id: str) -> FileEdit | None:
    old, new = path_of(edit.get("oldResource")), path_of(edit.get("newResource"))
    path = new or old
    if path is None:
        return None
    kind = "rename" if old and new else "create" if new else "delete"
    backup = old if kind == "rename" else None
    return FileEdit(
        session_id=session_id,
        path=path,
        message_id=request_id,
        origin=MENTIONED_EDIT,
        kind=kind,  # type: ignore[arg-type]
        backup=backup,
    )


def _external(part: dict[str, Any], edit: FileEdit) -> FileEdit:
    kind, changed = part.get("editKind"), mapping(part.get("diff"))
    return replace(
        edit,
        kind=kind if kind in ("create", "delete", "rename") else "edit",
        lines_added=count(changed.get("added")),
        lines_removed=count(changed.get("removed")),
        backup=path_of(part.get("originalUri")),
    )


def _grouped(part: dict[str, Any], edit: FileEdit) -> FileEdit:
    """What was written where, when it was one edit; many are steps of a stream, and no longer tell
    the change.
    """
    groups = part.get("edits")
    changes = (
        [change for group in groups for change in items(group)] if isinstance(groups, list) else []
    )
    if len(changes) != 1:
        return edit
    lines, text = mapping(changes[0].get("range")), changes[0].get("text")
    start, end = count(lines.get("startLineNumber")), count(lines.get("endLineNumber"))
    if start is None or end is None or not isinstance(text, str):
        return edit
    written = text.split("\n")
    written = written[:-1] if written[-1] == "" else written
    gone = max(0, end - start)
    hunk = [f"@@ -{start},{gone} +{start},{len(written)} @@", *(f"+{line}" for line in written)]
    return replace(edit, diff="\n".join(hunk) + "\n", lines_added=len(written), lines_removed=gone)
