"""Whether VS Code opens a chat document, judged by the rules of its own importers and by nothing of
ours.

Written from the description of the format alone: it imports nothing of agent-journal, so that a
mistake of the writer is not repeated here. Three generations of importers are known: up to 1.106,
1.107 to 1.130, and later.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

OLD, MIDDLE, NEW = "1.106", "1.130", "later"
GENERATIONS = (OLD, MIDDLE, NEW)

_MESSAGE_KINDS = {
    "text",
    "agent",
    "subcommand",
    "slash",
    "prompt",
    "tool",
    "toolset",
    "dynamic",
    "var",
}
_LOCATIONS = {"panel", "editor", "terminal", "notebook"}
# Kinds of response parts and the first version that knows them. Up to 1.106 an unknown one blanks
# the whole chat.
_SINCE = {
    "markdownContent": 95,
    "markdownVuln": 95,
    "inlineReference": 95,
    "toolInvocationSerialized": 95,
    "textEditGroup": 95,
    "codeblockUri": 95,
    "treeData": 95,
    "command": 95,
    "confirmation": 95,
    "progressMessage": 95,
    "progressTask": 95,
    "warning": 95,
    "undoStop": 98,
    "notebookEditGroup": 98,
    "extensions": 99,
    "prepareToolInvocation": 101,
    "progressTaskSerialized": 101,
    "elicitation": 102,
    "multiDiffData": 103,
    "pullRequest": 103,
    "thinking": 104,
    "clearToPreviousToolInvocation": 104,
    "mcpServersStarting": 106,
    "elicitationSerialized": 107,
    "workspaceEdit": 109,
    "questionCarousel": 109,
    "hook": 110,
    "planReview": 118,
    "info": 118,
    "externalEdit": 120,
    "systemNotification": 125,
    "autoModeResolution": 125,
}
_OLDEST = 95
_WITH_URIS = {
    "textEditGroup": ("uri",),
    "notebookEditGroup": ("uri",),
    "codeblockUri": ("uri",),
    "externalEdit": ("uri",),
    "inlineReference": ("inlineReference",),
}
_WITH_CONTENT = {
    "warning",
    "info",
    "progressMessage",
    "progressTask",
    "progressTaskSerialized",
    "systemNotification",
}
_STATES = {0, 1, 2, 3, 4}
_TODO_STATES = {"not-started", "in-progress", "completed"}


def problems(
    document: Any, generations: tuple[str, ...] = GENERATIONS, is_ours: bool = True
) -> list[str]:
    """Everything for which one of the generations of importers would refuse, blank or break the
    chat.

    `is_ours`: the document was written by a converter, for which stricter rules hold than for VS
    Code's own.
    """
    return list(_Validator(generations, is_ours).document(document))


class _Validator:
    def __init__(self, generations: tuple[str, ...], is_ours: bool) -> None:
        self.generations = generations
        self.is_ours = is_ours

    # -- the gates -----------------------------------------------------------------------------

    def document(self, document: Any) -> Iterator[str]:
        if not isinstance(document, dict):
            yield "the document is no object"
            return
        if OLD in self.generations and not isinstance(document.get("requesterUsername"), str):
            yield "1.106 refuses: requesterUsername is no string"
        if not isinstance(document.get("responderUsername"), str):
            yield "1.107 and later refuse: responderUsername is no string"
        if not isinstance(document.get("requests"), list):
            yield "1.107 and later refuse: requests is no array"
            return
        yield from self._full(document)
        if self.is_ours:
            yield from _trusted(document)
        ids: list[Any] = []
        for number, request in enumerate(document["requests"]):
            for problem in self._request(request):
                yield f"request {number}: {problem}"
            ids.append(request.get("requestId") if isinstance(request, dict) else None)
        if self.is_ours and len(set(map(str, ids))) != len(ids):
            yield "two requests have the same id"

    def _full(self, document: dict[str, Any]) -> Iterator[str]:
        """What makes it a full session, which keeps its title and is saved to the history."""
        session_id = document.get("sessionId")
        if not isinstance(session_id, str) or not session_id:
            yield "sessionId is no string"
        elif not all(
            letter.isascii() and (letter.isalnum() or letter == "-") for letter in session_id
        ):
            yield "sessionId has letters that do not belong into a file name"
        for name in ("creationDate", "lastMessageDate"):
            if not _is_time(document.get(name)):
                yield f"{name} is no time in milliseconds"
        if document.get("initialLocation") not in ({"panel"} if self.is_ours else _LOCATIONS):
            yield "initialLocation is not one that is known"
        if not isinstance(document.get("customTitle", ""), str):
            yield "customTitle is no string"
        if document.get("version", 3) != 3:
            yield "version is not 3"

    # -- a request -----------------------------------------------------------------------------

    def _request(self, request: Any) -> Iterator[str]:
        if not isinstance(request, dict):
            yield "no object"
            return
        yield from _message(request.get("message"))
        variables = request.get("variableData", {})
        if not isinstance(variables, dict) or not isinstance(variables.get("variables", []), list):
            yield "variableData has no list of variables"
        else:
            for variable in variables.get("variables", []):
                yield from self._variable(variable)
        yield from self._response(request)
        yield from _outcome(request)
        if self.is_ours:
            for name in ("usedContext", "agent", "slashCommand"):
                if name in request:
                    yield f"{name} is not to be written"
            if not isinstance(request.get("requestId"), str) or not request["requestId"]:
                yield "requestId is no string"

    def _variable(self, variable: Any) -> Iterator[str]:
        if not isinstance(variable, dict):
            yield "a variable that is no object"
            return
        if not isinstance(variable.get("id"), str) or not isinstance(variable.get("name"), str):
            yield "a variable without id and name"
        if isinstance(variable.get("value"), (dict, list)):
            yield from self._uris(variable["value"], "a variable")

    # -- the response --------------------------------------------------------------------------

    def _response(self, request: dict[str, Any]) -> Iterator[str]:
        response = request.get("response")
        if response is None:
            if "response" in request and self.is_ours:
                yield "response is null"
            return
        if not isinstance(response, list):
            yield "response is no array"
            return
        calls = set()
        for place, part in enumerate(response):
            for problem in self._part(part):
                yield f"part {place}: {problem}"
            if isinstance(part, dict) and part.get("kind") == "toolInvocationSerialized":
                if part.get("toolCallId") in calls and self.is_ours:
                    yield f"part {place}: the toolCallId was there before"
                calls.add(part.get("toolCallId"))
                parent = part.get("subAgentInvocationId")
                if parent is not None and parent not in calls and self.is_ours:
                    yield f"part {place}: belongs to a sub-agent that no call before it started"

    def _part(self, part: Any) -> Iterator[str]:
        if not isinstance(part, dict):
            yield f"a {type(part).__name__} in the response blanks the chat"
            return
        kind = part.get("kind")
        if kind is None:
            yield from self._kindless(part)
            return
        if kind not in _SINCE:
            if OLD in self.generations or self.is_ours:
                yield f"the kind {kind!r} is not known, which blanks the chat up to 1.106"
            return
        # A part with a string `value` is taken for Markdown by versions that do not know its kind.
        is_text = isinstance(part.get("value"), str)
        if OLD in self.generations and _SINCE[kind] > _OLDEST and not is_text:
            since = f"1.{_SINCE[kind]}"
            yield f"the kind {kind!r} came with {since}, and blanks the chat in older versions"
        if kind == "thinking" and not isinstance(part.get("value", ""), (str, list)):
            yield "thinking without text"
        if kind in _WITH_CONTENT and not _is_markdown(part.get("content")):
            yield f"{kind} without content"
        for name in _WITH_URIS.get(kind, ()):
            if not part.get(name):
                yield f"{kind} without a target"
            yield from self._uris(part, kind)
        if kind == "command" and self.is_ours:
            yield "a button that runs a command"
        if kind == "toolInvocationSerialized":
            yield from self._call(part)

    def _kindless(self, part: dict[str, Any]) -> Iterator[str]:
        if isinstance(part.get("value"), str):
            return
        is_tree = isinstance(part.get("label"), str) and isinstance(part.get("uri"), dict)
        if self.is_ours or not is_tree:
            yield "a part without kind and text is shown as a file tree"

    def _call(self, part: dict[str, Any]) -> Iterator[str]:
        if not _is_markdown(part.get("invocationMessage")):
            yield "a call without invocationMessage"
        if self.is_ours and not (
            isinstance(part.get("toolId"), str) and isinstance(part.get("toolCallId"), str)
        ):
            yield "a call without toolId or toolCallId"
        confirmed = part.get("isConfirmed")
        if isinstance(confirmed, dict):
            if confirmed.get("type") not in range(6):
                yield "isConfirmed has a type that is not known"
        elif self.is_ours or not isinstance(confirmed, (bool, type(None))):
            yield "isConfirmed is no object"
        yield from _data(part.get("toolSpecificData"))
        yield from self._details(part.get("resultDetails"))

    def _details(self, details: Any) -> Iterator[str]:
        if details is None:
            return
        if isinstance(details, list):
            for one in details:
                yield from self._uris(one, "resultDetails")
            return
        if not isinstance(details, dict):
            yield "resultDetails is no object"
            return
        if self.is_ours and not (
            isinstance(details.get("input"), str) and isinstance(details.get("output"), list)
        ):
            yield "resultDetails without input and output"
        for one in details.get("output") if isinstance(details.get("output"), list) else ():
            is_embedded = isinstance(one, dict) and isinstance(one.get("value"), str)
            if not is_embedded and not (isinstance(one, dict) and isinstance(one.get("uri"), dict)):
                yield "an output without value"
            elif self.is_ours and (one.get("type"), one.get("isText")) != ("embed", True):
                yield "an output that is no text"

    # -- addresses -----------------------------------------------------------------------------

    def _uris(self, value: Any, where: str) -> Iterator[str]:
        """Addresses come alive only with `$mid`, and up to 1.106 not at all."""
        stack = [value]
        while stack:
            one = stack.pop()
            if isinstance(one, list):
                stack += one
            elif isinstance(one, dict):
                if isinstance(one.get("scheme"), str) and isinstance(one.get("path"), str):
                    if one.get("$mid") != 1:
                        yield f"{where} has an address without $mid"
                    elif OLD in self.generations and self.is_ours:
                        yield f"{where} has an address, which 1.106 does not bring to life"
                stack += one.values()


def _message(message: Any) -> Iterator[str]:
    if isinstance(message, str):
        return
    if not isinstance(message, dict):
        yield "message is neither text nor object"
        return
    if not isinstance(message.get("text"), str):
        yield "message without text"
        return
    parts = message.get("parts")
    if not isinstance(parts, list):
        yield "message without parts"
        return
    units = message["text"].encode("utf-16-le", "surrogatepass")
    for part in parts:
        yield from _message_part(part, units)


def _message_part(part: Any, units: bytes) -> Iterator[str]:
    if not isinstance(part, dict) or part.get("kind") not in _MESSAGE_KINDS:
        yield "a part of the message of a kind that is not known"
        return
    if part["kind"] == "agent" and not isinstance(part.get("agent"), dict):
        yield "an agent part without agent"
    span = part.get("range")
    start, end = (
        (span.get("start"), span.get("endExclusive")) if isinstance(span, dict) else (None, None)
    )
    if not _is_int(start) or not _is_int(end):
        yield "a part of the message without range"
        return
    if start > end or start < 0:
        yield "a range that ends before it starts"
    elif end > len(units) // 2:
        yield "a range beyond the end of the text"
    elif part["kind"] == "text" and units[2 * start : 2 * end] != _encoded(part.get("text")):
        yield "a text part that is not the text of its range in UTF-16"
    place = part.get("editorRange")
    if not isinstance(place, dict) or not all(
        _is_int(place.get(name)) and place[name] >= 1
        for name in ("startLineNumber", "startColumn", "endLineNumber", "endColumn")
    ):
        yield "a part of the message without editorRange"


def _encoded(text: Any) -> bytes | None:
    return text.encode("utf-16-le", "surrogatepass") if isinstance(text, str) else None


def _outcome(request: dict[str, Any]) -> Iterator[str]:
    result = request.get("result")
    if result is not None and not isinstance(result, dict):
        yield "result is no object"
    result = result if isinstance(result, dict) else {}
    error = result.get("errorDetails")
    if error is not None and not (
        isinstance(error, dict) and isinstance(error.get("message"), str)
    ):
        yield "errorDetails without message"
    timings = result.get("timings")
    if timings is not None and not (
        isinstance(timings, dict) and all(map(_is_number, timings.values()))
    ):
        yield "timings that are no numbers"
    state = request.get("modelState")
    if state is not None:
        if not isinstance(state, dict) or state.get("value") not in _STATES:
            yield "modelState has a value that is not known"
        elif "completedAt" in state and not _is_time(state["completedAt"]):
            yield "completedAt is no time in milliseconds"
    if "timestamp" in request and not _is_time(request["timestamp"]):
        yield "timestamp is no time in milliseconds"
    for name in ("requestId", "responseId", "modelId"):
        if not isinstance(request.get(name, ""), str):
            yield f"{name} is no string"


def _data(data: Any) -> Iterator[str]:
    if data is None:
        return
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str):
        yield "toolSpecificData without kind"
        return
    if data["kind"] == "terminal":
        line = data.get("commandLine")
        has_line = isinstance(line, dict) and isinstance(line.get("original"), str)
        if not has_line and not isinstance(data.get("command"), str):
            yield "terminal data without a command"
        output = data.get("terminalCommandOutput")
        if output is not None and not (
            isinstance(output, dict) and isinstance(output.get("text"), str)
        ):
            yield "terminal output without text"
    if data["kind"] == "todoList":
        items = data.get("todoList")
        for item in items if isinstance(items, list) else [None]:
            if not isinstance(item, dict) or not isinstance(item.get("title"), str):
                yield "a todo without title"
            elif item.get("status") not in _TODO_STATES or not isinstance(
                item.get("id"), (str, int)
            ):
                yield "a todo without a known status and an id"


def _trusted(document: Any) -> Iterator[str]:
    """Markdown that VS Code would let run commands or draw HTML."""
    stack = [document]
    while stack:
        one = stack.pop()
        if isinstance(one, list):
            stack += one
        elif isinstance(one, dict):
            if one.get("isTrusted") or one.get("supportHtml"):
                yield "trusted Markdown"
            stack += one.values()


def _is_markdown(value: Any) -> bool:
    text = value.get("value") if isinstance(value, dict) else value
    return isinstance(text, str) and bool(text)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_time(value: Any) -> bool:
    return _is_number(value) and value > 1e9
