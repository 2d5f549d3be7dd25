"""What tools gave back, in the shapes of both stores.

[{"query":"ls","result":"a.py","success":true}]       a result of the new store
{"type":"tool_result","content":"…","is_error":true}  a call that was not carried out
[read_file for 'a.py'] Result:                        a result of before 2026, as a text
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agent_journal.connectors.json_repair import UNREADABLE, decode_any
from agent_journal.connectors.values import first_string, items, string
from agent_journal.model import ToolStatus

_WRITTEN = re.compile(r"\A\[(\w+)(?: for '[^\n]*')?\] Result:[ \t]*\n?")
_EXIT = re.compile(r"Command exited with code (\d{1,6})")
_DENIED = "The user denied this operation"
_NOT_DONE = "The tool execution failed"
_LONGEST_JSON = 2**20


class Outcome(NamedTuple):
    """What a call gave back."""

    text: str
    status: ToolStatus
    exit_code: int | None = None
    tool: str | None = None


def outcome_of(block: dict[str, Any]) -> Outcome:
    """The outcome in a block of the type `tool_result`."""
    found = _parts(block.get("content"))
    texts = [_text(part) for part in found]
    text = "\n".join(filter(None, texts))
    code = _exit_code(found)
    status = _status(text)
    if any(part.get("success") is False for part in found):
        status = "failed"
    if block.get("is_error") is True and status == "ok":
        status = "error"
    return Outcome(text, status, code, string(block.get("name")))


class Written(NamedTuple):
    """The results that a message has as texts, and its other texts."""

    results: list[Outcome]
    others: list[str]


def written_results(texts: list[str]) -> Written:
    """Return the results in texts; a result may be in the text after its heading."""
    found = Written([], [])
    is_waiting = False
    for text in texts:
        heading = _WRITTEN.match(text)
        if heading is not None:
            result = text[heading.end() :]
            is_waiting = not result.strip()
            found.results.append(Outcome(result, _status(result), tool=heading[1]))
        elif is_waiting:
            found.results[-1] = found.results[-1]._replace(text=text, status=_status(text))
            is_waiting = False
        else:
            found.others.append(text)
    return found


def _parts(content: object) -> list[dict[str, Any]]:
    """The parts of a result; a text may be the JSON of one."""
    if not isinstance(content, str):
        return items(content)
    part: dict[str, Any] = {"text": content}
    if content.startswith("{") and len(content) <= _LONGEST_JSON:
        try:
            value = decode_any(content.encode("utf-8", "surrogatepass"))
        except UNREADABLE:
            return [part]
        if isinstance(value, dict) and _text(value) is not None:
            return [value]
    return [part]


def _text(part: dict[str, Any]) -> str | None:
    return first_string(part, "result", "text", "error")


def _exit_code(parts: list[dict[str, Any]]) -> int | None:
    """The exit code of a single command; of several it does not say which one ended so."""
    if len(parts) != 1:
        return None
    found = _EXIT.search(string(parts[0].get("error")) or "")
    if found is not None:
        return int(found[1])
    return None


def _status(text: str) -> ToolStatus:
    if text.startswith(_DENIED):
        return "denied"
    if text.startswith(_NOT_DONE):
        return "error"
    return "ok"
