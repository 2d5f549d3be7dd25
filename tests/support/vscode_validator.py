"""Whether VS Code opens a chat document, by the rules of its own importers.

Written from the description of the format alone: it imports nothing of agent-journal, so that a
mistake of the writer is not repeated here. Three generations of importers are known: up to 1.106,
1.107 to 1.130, and later.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.support.vscode_rules import (
    TRANSIENT,
    call_data_problems,
    continuation_problems,
    is_markdown,
    is_time,
    message_problems,
    outcome_problems,
    trust_problems,
)

OLD, MIDDLE, NEW = "1.106", "1.130", "later"
GENERATIONS = (OLD, MIDDLE, NEW)

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


def problems(
    document: Any, generations: tuple[str, ...] = GENERATIONS, is_ours: bool = True
) -> list[str]:
    """Everything for which one of the generations of importers would refuse or break the chat.

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
            yield from trust_problems(document)
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
            if not is_time(document.get(name)):
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
        yield from message_problems(request.get("message"))
        variables = request.get("variableData", {})
        if not isinstance(variables, dict) or not isinstance(variables.get("variables", []), list):
            yield "variableData has no list of variables"
        else:
            for variable in variables.get("variables", []):
                yield from self._variable(variable)
        yield from self._response(request)
        yield from outcome_problems(request)
        if self.is_ours:
            for name in ("usedContext", "slashCommand"):
                if name in request:
                    yield f"{name} is not to be written"
            yield from continuation_problems(request)
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
        yield from self._age(part, kind)
        yield from self._content(part, kind)
        if kind == "command" and self.is_ours:
            yield "a button that runs a command"
        if kind == "toolInvocationSerialized":
            yield from self._call(part)

    def _age(self, part: dict[str, Any], kind: str) -> Iterator[str]:
        # A part with a string `value` is taken for Markdown by versions that do not know its kind.
        is_text = isinstance(part.get("value"), str)
        if OLD in self.generations and _SINCE[kind] > _OLDEST and not is_text:
            since = f"1.{_SINCE[kind]}"
            yield f"the kind {kind!r} came with {since}, and blanks the chat in older versions"

    def _content(self, part: dict[str, Any], kind: str) -> Iterator[str]:
        if kind == "thinking" and not isinstance(part.get("value", ""), (str, list)):
            yield "thinking without text"
        if kind == "thinking" and self.is_ours and not part.get("generatedTitle"):
            yield "thinking without generatedTitle is sent to a model"
        if kind in TRANSIENT:
            yield f"{kind} empties the chat up to 1.105"
        if kind in _WITH_CONTENT and not is_markdown(part.get("content")):
            yield f"{kind} without content"
        for name in _WITH_URIS.get(kind, ()):
            if not part.get(name):
                yield f"{kind} without a target"
            yield from self._uris(part, kind)

    def _kindless(self, part: dict[str, Any]) -> Iterator[str]:
        if isinstance(part.get("value"), str):
            return
        is_tree = isinstance(part.get("label"), str) and isinstance(part.get("uri"), dict)
        if self.is_ours or not is_tree:
            yield "a part without kind and text is shown as a file tree"

    def _call(self, part: dict[str, Any]) -> Iterator[str]:
        if not is_markdown(part.get("invocationMessage")):
            yield "a call without invocationMessage"
        if self.is_ours and not (
            isinstance(part.get("toolId"), str) and isinstance(part.get("toolCallId"), str)
        ):
            yield "a call without toolId or toolCallId"
        confirmed = part.get("isConfirmed")
        if isinstance(confirmed, dict):
            if confirmed.get("type") not in range(6):
                yield "isConfirmed has a type that is not known"
            elif self.is_ours and confirmed["type"] == 0:
                yield "a denied call that is shown as approved before 1.104"
        elif self.is_ours and confirmed is not False:
            yield "isConfirmed is neither an object nor false"
        elif not isinstance(confirmed, (bool, type(None))):
            yield "isConfirmed is no object"
        if self.is_ours and not is_markdown(part.get("pastTenseMessage")):
            yield "a call without pastTenseMessage runs for ever before 1.100"
        if self.is_ours and not part.get("generatedTitle"):
            yield "a call without generatedTitle is sent to a model"
        yield from call_data_problems(part.get("toolSpecificData"), self.is_ours)
        yield from self._details(part.get("resultDetails"))

    def _details(self, details: Any) -> Iterator[str]:
        if details is None:
            return
        if isinstance(details, list):
            for detail in details:
                yield from self._uris(detail, "resultDetails")
            return
        if not isinstance(details, dict):
            yield "resultDetails is no object"
            return
        if self.is_ours and not (
            isinstance(details.get("input"), str) and isinstance(details.get("output"), str)
        ):
            yield "resultDetails without input and output as text"
        if isinstance(details.get("output"), list):
            for output in details["output"]:
                if not self._is_output(output):
                    yield "an output without value"

    def _is_output(self, output: Any) -> bool:
        if not isinstance(output, dict):
            return False
        return isinstance(output.get("value"), str) or isinstance(output.get("uri"), dict)

    # -- addresses -----------------------------------------------------------------------------

    def _uris(self, value: Any, where: str) -> Iterator[str]:
        """Addresses come alive only with `$mid`, and up to 1.106 not at all."""
        stack = [value]
        while stack:
            inner = stack.pop()
            if isinstance(inner, list):
                stack += inner
            elif isinstance(inner, dict):
                if isinstance(inner.get("scheme"), str) and isinstance(inner.get("path"), str):
                    if inner.get("$mid") != 1:
                        yield f"{where} has an address without $mid"
                    elif OLD in self.generations and self.is_ours:
                        yield f"{where} has an address, which 1.106 does not revive"
                stack += inner.values()
