"""The calls that the model asked for, in `toolCallRounds`, and the parts that show them.

{"id":"x","toolCalls":[{"id":"toolu_01__vscode-1768","name":"read_file","arguments":"{}"}]}
"""

from __future__ import annotations

import bisect
from collections import Counter, deque
from typing import Any, NamedTuple

import msgspec

from agent_journal.connectors.values import items, string

TOOL = "toolInvocationSerialized"
_SUFFIX = "__vscode-"
_MODEL_NAMES = {
    "copilot_readFile": "read_file",
    "copilot_replaceString": "replace_string_in_file",
    "copilot_listDirectory": "list_dir",
    "copilot_multiReplaceString": "multi_replace_string_in_file",
    "copilot_findTextInFiles": "grep_search",
    "copilot_insertEdit": "insert_edit_into_file",
    "vscode_editFile_internal": "insert_edit_into_file",
    "copilot_findFiles": "file_search",
    "copilot_createFile": "create_file",
    "copilot_searchCodebase": "semantic_search",
    "copilot_createDirectory": "create_directory",
    "copilot_applyPatch": "apply_patch",
    "copilot_editNotebook": "edit_notebook_file",
    "copilot_getErrors": "get_errors",
    "copilot_runNotebookCell": "run_notebook_cell",
    "copilot_getChangedFiles": "get_changed_files",
    "copilot_fetchWebPage": "fetch_webpage",
    "vscode_fetchWebPage_internal": "fetch_webpage",
    "copilot_readNotebookCellOutput": "read_notebook_cell_output",
    "copilot_githubRepo": "github_repo",
    "copilot_memory": "memory",
    "copilot_searchWorkspaceSymbols": "search_workspace_symbols",
    "copilot_viewImage": "view_image",
    "copilot_findTestFiles": "test_search",
    "copilot_installExtension": "install_extension",
    "copilot_getVSCodeAPI": "get_vscode_api",
    "copilot_runVscodeCommand": "run_vscode_command",
}


class RequestedCall(NamedTuple):
    """A call as the model asked for it; `full_id` is the id with its suffix."""

    id: str
    full_id: str
    name: str
    arguments: str | None
    timestamp: Any


class RequestedCalls:
    """The calls of one turn as the model asked for them."""

    def __init__(self, metadata: dict[str, Any]) -> None:
        self._asked = [
            _asked(call, round_.get("timestamp"))
            for round_ in items(metadata.get("toolCallRounds"))
            for call in items(round_.get("toolCalls"))
        ]
        self._used: set[int] = set()

    def without_repeats(self, parts: list[Any]) -> list[Any]:
        """The parts of a response, each call once.

        VS Code may write a call when it begins and again when it is done: what the later part
        says replaces what the first one says.
        """
        ids = [part_id(part) for part in parts if is_tool(part)]
        if len(ids) == len(set(ids)):
            return parts
        times_asked = Counter(asked.id for asked in self._asked)
        places: dict[tuple[str, str], list[int]] = {}
        kept: list[Any] = []
        for part in parts:
            if not is_tool(part) or not part_id(part):
                kept.append(part)
                continue
            call = (part_id(part), model_name(part))
            earlier = places.setdefault(call, [])
            if len(earlier) < max(1, times_asked[call[0]]):
                earlier.append(len(kept))
                kept.append(part)
                continue
            known = {key: value for key, value in part.items() if value is not None}
            kept[earlier[-1]] = {**kept[earlier[-1]], **known}
        return kept

    def match(self, parts: list[dict[str, Any]]) -> list[RequestedCall | None]:
        """For each part of the response, in order, what the model asked."""
        by_id: dict[str, deque[int]] = {}
        by_name: dict[str, list[int]] = {}
        for place, asked in enumerate(self._asked):
            by_id.setdefault(asked.id, deque()).append(place)
            by_name.setdefault(asked.name, []).append(place)
        matched: list[RequestedCall | None] = []
        after = 0
        for part in parts:
            found = None
            call_id = part_id(part)
            if call_id:
                # A model may count its calls from the start again in each round: one id then
                # stands for several calls, in order.
                found = self._first_unused(by_id.get(call_id, deque()))
            if found is None and not is_child(part):
                found = self._next_unused(by_name.get(model_name(part), []), after)
            if found is None:
                matched.append(None)
                continue
            self._used.add(found)
            after = found + 1
            matched.append(self._asked[found])
        return matched

    def _first_unused(self, places: deque[int]) -> int | None:
        while places and places[0] in self._used:
            places.popleft()
        if not places:
            return None
        return places[0]

    def _next_unused(self, places: list[int], after: int) -> int | None:
        at = bisect.bisect_left(places, after)
        return next((place for place in places[at:] if place not in self._used), None)

    def leftovers(self) -> list[RequestedCall]:
        """What the model asked for that no part of the response shows."""
        return [asked for place, asked in enumerate(self._asked) if place not in self._used]


def is_tool(part: Any) -> bool:
    """Whether a part of a response is a call."""
    return isinstance(part, dict) and part.get("kind") == TOOL


def plain_id(call_id: str) -> str:
    """An id without the suffix VS Code gives it."""
    return call_id.partition(_SUFFIX)[0]


def model_name(part: dict[str, Any]) -> str:
    """The name the model knows a tool by."""
    tool = string(part.get("toolId")) or ""
    return _MODEL_NAMES.get(tool, tool)


def is_child(part: dict[str, Any]) -> bool:
    """Whether a call was made by a sub-agent."""
    return string(part.get("subAgentInvocationId")) is not None or part.get("fromSubAgent") is True


def part_id(part: dict[str, Any]) -> str:
    """The id of a part's call; empty if it has none."""
    return plain_id(string(part.get("toolCallId")) or "")


def _asked(call: dict[str, Any], timestamp: Any) -> RequestedCall:
    full_id = string(call.get("id")) or ""
    arguments = call.get("arguments")
    if arguments and not isinstance(arguments, str):
        arguments = msgspec.json.encode(arguments).decode()
    return RequestedCall(
        id=plain_id(full_id),
        full_id=full_id,
        name=string(call.get("name")) or "",
        arguments=arguments or None,
        timestamp=timestamp,
    )
