"""The two shapes of a thread's messages, as one.

0.3: {"User":{"id":"…","content":[{"Text":"Prune it"}]}}, {"Agent":{"content":[{"Text":"…"},
     {"ToolUse":{"id":"t1","name":"read_file","input":{…}}}],"tool_results":{"t1":{…}}}}
0.2: {"id":0,"role":"user","segments":[{"type":"text","text":"Prune it"}],"tool_uses":[…]}
0.1: the same, and the results of calls are in the message after them
none: {"id":0,"role":"user","text":"Prune it","tool_uses":[…]}
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from agent_journal.connectors.assets import decoded_asset
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import array, items, mapping, string
from agent_journal.model import Attachment, FileEdit, Role, ToolCall, ToolStatus

Path = tuple[str | int, ...]
RESUME = "Resume"  # a mark where Zed went on
_STATUSES: dict[bool | None, ToolStatus] = {None: "running", True: "error", False: "ok"}


class Use(NamedTuple):
    """A tool that was used, and what came back; `path` leads to the text in the message."""

    id: str
    name: str | None
    arguments: Any
    result: str | None = None
    path: Path | None = None
    is_error: bool | None = None  # None while there is no result
    output: Any = None


class Turn(NamedTuple):
    """A message of either shape."""

    role: Role
    id: str
    texts: list[str]
    thoughts: list[str]
    attachments: list[Attachment]
    uses: list[Use]
    others: list[tuple[str, Any]]  # parts of unknown kinds
    is_hidden: bool = False  # Zed wrote it, and does not show it


def turn_of(message: Any, number: int) -> Turn | None:
    """Return a message; None for a mark that is not one, ValueError for anything else."""
    if message == RESUME:
        return None
    if not isinstance(message, dict):
        raise ValueError("a message that is not an object")
    if "role" in message:
        return _old(message, number)
    if isinstance(message.get("User"), dict):
        return _tagged(message["User"], "user", "User", number)
    if isinstance(message.get("Agent"), dict):
        return _tagged(message["Agent"], "assistant", "Agent", number)
    raise ValueError("a message of an unknown kind")


# -- since 0.3 -----------------------------------------------------------------------------------


def _tagged(values: dict[str, Any], role: Role, tag: str, number: int) -> Turn:
    turn = Turn(role, string(values.get("id")) or f"message-{number}", [], [], [], [], [])
    results = mapping(values.get("tool_results"))
    for part in array(values.get("content")):
        kind, value = _part(part)
        if kind == "Text":
            turn.texts.append(string(value) or "")
        elif kind == "Thinking":
            turn.thoughts.append(string(mapping(value).get("text")) or "")
        elif kind == "Mention":
            uri = mapping(mapping(value).get("uri"))
            turn.attachments.append(_mention(mapping(value), uri))
        elif kind == "Image":
            turn.attachments.append(_picture(mapping(value)))
        elif kind == "ToolUse":
            turn.uses.append(_use(mapping(value), results, tag, f"{turn.id}#{len(turn.uses)}"))
        elif kind != "RedactedThinking":
            turn.others.append((kind, part))
    return turn


def _part(part: Any) -> tuple[str, Any]:
    """Return the kind of a part and its value; a part without a value is only its kind."""
    if isinstance(part, dict) and len(part) == 1:
        return next(iter(part.items()))
    if isinstance(part, str):
        return part, None
    return "part", part


def _mention(values: dict[str, Any], uri: dict[str, Any]) -> Attachment:
    """Return what the person referred to: a file, a symbol, a thread."""
    kind, place = next(iter(uri.items()), ("mention", None))
    fields = mapping(place)
    path = string(fields.get("abs_path")) or string(fields.get("path"))
    return Attachment(
        kind=kind.lower(),
        name=string(fields.get("name")),
        path=path,
        text=string(values.get("content")),
    )


def _picture(values: dict[str, Any]) -> Attachment:
    asset = decoded_asset(values.get("source"), "image/png")
    return Attachment(kind="image", mime_type=None, size=asset.size, sha256=asset.sha256)


def _use(values: dict[str, Any], results: dict[str, Any], tag: str, unnamed: str) -> Use:
    name = string(values.get("id")) or unnamed
    use = Use(name, string(values.get("name")), values.get("input"))
    if name not in results:
        return use
    result = mapping(results[name])
    text, path = _content(result.get("content"))
    if path is not None:
        path = (tag, "tool_results", name, "content", *path)
    return use._replace(
        result=text,
        path=path,
        is_error=result.get("is_error") is True,
        output=result.get("output"),
    )


def _content(content: Any) -> tuple[str | None, Path | None]:
    """Return the text of a result: a string, {"Text":"…"}, or a list of these."""
    if isinstance(content, str):
        return content, ()
    if isinstance(content, dict):
        for name in ("Text", "text"):
            if isinstance(content.get(name), str):
                return content[name], (name,)
        return None, None
    texts = [text for text, _ in map(_content, array(content)) if text]
    return "\n".join(texts) or None, None


# -- before --------------------------------------------------------------------------------------


def with_own_results(messages: list[Any]) -> list[Any]:
    """The messages, with the results of calls beside them, as since 0.2.

    Before, the message after them has them; Zed wrote it, not the person, and drops its text.
    """
    found: list[Any] = []
    for message in messages:
        results = array(message.get("tool_results")) if _has_role(message, "user") else []
        if not results or not found or not _has_role(found[-1], "assistant"):
            found.append(message)
            continue
        own = array(found[-1].get("tool_results"))
        found[-1] = {**found[-1], "tool_results": [*own, *results]}
        found.append(RESUME)
    return found


def _has_role(message: Any, role: Role) -> bool:
    return isinstance(message, dict) and message.get("role") == role


def _old(values: dict[str, Any], number: int) -> Turn:
    roles: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
    role = roles.get(str(values["role"]))
    if role is None:
        raise ValueError(f"a message of the role {str(values['role'])[:40]!r}")
    turn = Turn(
        role, f"message-{number}", [], [], [], [], [], is_hidden=values.get("is_hidden") is True
    )
    text = string(values.get("text"))
    if text is not None:
        turn.texts.append(text)
    for segment in items(values.get("segments")):
        kind = segment.get("type")
        text = string(segment.get("text")) or ""
        if kind == "text":
            turn.texts.append(text)
        elif kind == "thinking":
            turn.thoughts.append(text)
        elif kind != "redacted_thinking":
            turn.others.append((str(kind)[:60], segment))
    context = string(values.get("context"))
    if context:
        turn.attachments.append(Attachment(kind="context", text=context))
    results = {str(each.get("tool_use_id")): each for each in items(values.get("tool_results"))}
    for each in items(values.get("tool_uses")):
        use = _use(each, results, "", f"{turn.id}#{len(turn.uses)}")
        turn.uses.append(use._replace(path=None))
    return turn


# -- calls ---------------------------------------------------------------------------------------


def tool_call(use: Use, session_id: str, message_id: str) -> ToolCall:
    """Return the call of a tool."""
    arguments = None
    if use.arguments is not None:
        arguments = msgspec.json.encode(use.arguments).decode()
    return ToolCall(
        session_id=session_id,
        id=use.id,
        message_id=message_id,
        name=use.name,
        kind=tool_kind(use.name),
        arguments=arguments,
        result=use.result,
        status=_STATUSES[use.is_error],
    )


def file_edit(use: Use, call: ToolCall) -> FileEdit | None:
    """Return the change that a call made to a file, if its output has both texts."""
    output = mapping(use.output)
    if len(output) == 1:  # the outcome around it
        output = mapping(next(iter(output.values())))
    path = string(output.get("input_path")) or string(mapping(use.arguments).get("path"))
    before, after = output.get("old_text"), output.get("new_text")
    if call.status != "ok" or path is None:
        return None
    if not isinstance(before, str) or not isinstance(after, str):
        return None
    from agent_journal.model.diffs import Differ

    diff = Differ().diff(path, path, before or None, after)
    return FileEdit(
        session_id=call.session_id,
        path=path,
        kind="edit" if before else "create",
        message_id=call.message_id,
        call_id=call.id,
        diff=diff.text,
        before=before or None,
        after=after,
        lines_added=diff.added,
        lines_removed=diff.removed,
    )
