"""Messages as they were sent to the model: roles, and blocks of text, thinking, calls and results.

{"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"run_commands","input":{…}}]}
{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"…"}]}

Cline's new store and `api_conversation_history.json` share this shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.cline.edits import edits_of
from agent_journal.connectors.cline.results import Outcome, outcome_of, written_results
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import count, first_string, items, mapping, string
from agent_journal.model import Attachment, FileEdit, Message, Piece, ToolCall, Usage
from agent_journal.text.dates import parse_time

_PERSON = re.compile(
    r"<(user_input|task|feedback|user_message|answer)\b[^>]*>\s*(.*?)\s*</\1>", re.DOTALL
)
# Calls of before 2026, which are written in the text of an answer
_TOOLS = """
    execute_command read_file write_to_file replace_in_file apply_diff insert_content search_files
    search_and_replace list_files list_code_definition_names browser_action use_mcp_tool
    access_mcp_resource ask_followup_question plan_mode_respond attempt_completion new_task
    codebase_search switch_mode update_todo_list web_fetch use_subagents"""
_CALL = re.compile(rf"<({'|'.join(_TOOLS.split())})>(.*?)(?:</\1>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<(\w+)>(.*?)</\1>", re.DOTALL)


class Said(NamedTuple):
    """The texts of a user's message: the words of the person, and the rest."""

    words: str
    rest: str


class Exchange:
    """Reads the messages of one session in their order."""

    def __init__(self, session_id: str, *, is_subagent: bool = False) -> None:
        self.session_id = session_id
        self.is_subagent = is_subagent
        self.title = SpokenTitle()
        self.models: dict[str, None] = {}
        self.calls: dict[str, ToolCall] = {}
        self.first_time: datetime | None = None
        self.last_time: datetime | None = None
        self.messages = 0

    def pieces(self, message: dict[str, Any], number: int) -> Iterator[Piece]:
        """Yield the pieces of a message."""
        when = parse_time(message.get("ts"))
        if when is not None:
            self.first_time = min(self.first_time or when, when)
            self.last_time = max(self.last_time or when, when)
        name = string(message.get("id")) or f"message-{number}"
        if message.get("role") == "assistant":
            yield from self._answer(message, name, when)
        else:
            yield from self._user(message, name, when)

    # -- the side of the model -----------------------------------------------------------------

    def _answer(self, message: dict[str, Any], name: str, when: datetime | None) -> Iterator[Piece]:
        self.messages += 1
        blocks = blocks_of(message)
        text = "\n\n".join(texts_of(blocks, "text"))
        if _is_error(message):
            yield self._message(name, "error", text, when)
            return
        calls = _native_calls(blocks) or _written_calls(text, name)
        text = _CALL.sub("", text).strip()
        model = first_string(mapping(message.get("modelInfo")), "id", "modelId")
        if model:
            self.models.setdefault(model)
        self.title.note_answer(text)
        answer = self._message(name, "answer", text, when)
        yield replace(
            answer,
            reasoning="\n\n".join(texts_of(blocks, "thinking")),
            model=model,
            usage=self._usage(message, name, model, when),
        )
        for call in calls:
            tool = call.get("name")
            piece = ToolCall(
                session_id=self.session_id,
                id=string(call.get("id")) or f"{name}#{len(self.calls)}",
                message_id=name,
                name=string(tool),
                kind=tool_kind(string(tool)),
                arguments=as_json(call.get("input")),
                status="running",
                started_at=when,
            )
            self.calls[piece.id] = piece
            yield piece

    def _usage(
        self, message: dict[str, Any], name: str, model: str | None, when: datetime | None
    ) -> Usage | None:
        """Return the tokens of a response; those of the cache are part of `inputTokens`."""
        metrics = mapping(message.get("metrics"))
        sent = count(metrics.get("inputTokens"))
        received = count(metrics.get("outputTokens"))
        if sent is None and received is None:
            return None
        read = count(metrics.get("cacheReadTokens"))
        written = count(metrics.get("cacheWriteTokens"))
        if sent is not None:
            sent = max(0, sent - (read or 0) - (written or 0))
        return Usage(
            session_id=self.session_id,
            key=f"{name}:{message.get('ts')}",
            message_id=name,
            model=model,
            timestamp=when,
            input_tokens=sent,
            cache_read_tokens=read,
            cache_write_tokens=written,
            output_tokens=received,
            cost_micro_usd=micro_dollars(metrics.get("cost")),
        )

    # -- the side of the person ----------------------------------------------------------------

    def _user(self, message: dict[str, Any], name: str, when: datetime | None) -> Iterator[Piece]:
        blocks = blocks_of(message)
        for block in blocks:
            if block.get("type") == "tool_result":
                outcome = outcome_of(block)
                yield from self._result(string(block.get("tool_use_id")), outcome, when)
        written = written_results(texts_of(blocks, "text"))
        for outcome in written.results:
            yield from self._result(self._unanswered(outcome.tool), outcome, when)
        said = said_in(written.others)
        pictures = [block for block in blocks if block.get("type") in ("image", "document")]
        attachments = [Attachment(kind=str(block["type"])) for block in pictures]
        if said.words and not self.is_subagent:
            self.messages += 1
            self.title.note_prompt(said.words)
            if said.rest:
                attachments.append(Attachment(kind="context", text=said.rest))
            prompt = self._message(name, "prompt", said.words, when)
            yield replace(prompt, attachments=tuple(attachments))
        elif said.words or said.rest:
            text = said.words or said.rest
            if self.is_subagent:
                self.title.note_prompt(text)
            yield self._message(name, "injected", text, when)

    def _unanswered(self, tool: str | None) -> str | None:
        """The id of the first call of a tool that has no result."""
        for call in self.calls.values():
            if call.name == tool and call.result is None:
                return call.id
        return None

    def _result(
        self, call_id: str | None, outcome: Outcome, when: datetime | None
    ) -> Iterator[Piece]:
        if call_id is None:
            return
        call = self.calls.get(call_id) or ToolCall(session_id=self.session_id, id=call_id)
        call = replace(
            call,
            name=call.name or outcome.tool,
            result=outcome.text,
            status=outcome.status,
            exit_code=outcome.exit_code,
            ended_at=when,
        )
        self.calls[call_id] = call
        yield call
        yield from self._edits(call)

    def _edits(self, call: ToolCall) -> list[FileEdit]:
        return edits_of(call, arguments_of(call))

    # -- both ----------------------------------------------------------------------------------

    def _message(self, name: str, kind: Any, text: str, when: datetime | None) -> Message:
        is_answer = kind in ("answer", "error")
        return Message(
            session_id=self.session_id,
            id=name,
            role="assistant" if is_answer else "user",
            kind=kind,
            text=text,
            timestamp=when,
        )


def blocks_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The content of a message as blocks; a plain text is one block."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return items(content)


def texts_of(blocks: list[dict[str, Any]], kind: str) -> list[str]:
    """The texts in blocks of a kind."""
    key = "thinking" if kind == "thinking" else "text"
    found = [string(block.get(key)) for block in blocks if block.get("type") == kind]
    return [text for text in found if text is not None]


def said_in(texts: list[str]) -> Said:
    """What a person said in the texts of a message, and what the harness added to it."""
    words: list[str] = []
    rest: list[str] = []
    for text in texts:
        words += [found[2] for found in _PERSON.finditer(text)]
        rest.append(_PERSON.sub("", text).strip())
    return Said("\n\n".join(filter(None, words)), "\n\n".join(filter(None, rest)))


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """The arguments of a call as an object."""
    try:
        return mapping(msgspec.json.decode(call.arguments or "{}"))
    except msgspec.DecodeError:
        return {}


def as_json(value: object) -> str | None:
    """A value as JSON; None stays None."""
    if value is None:
        return None
    return msgspec.json.encode(value).decode("utf-8", "replace")


def micro_dollars(dollars: object) -> int | None:
    """Dollars as whole micro-dollars; None for what is no amount."""
    if isinstance(dollars, bool) or not isinstance(dollars, (int, float)):
        return None
    if not 0 <= dollars < 10**6:
        return None
    return round(dollars * 10**6)


def _is_error(message: dict[str, Any]) -> bool:
    """Whether a message only shows an error of the provider."""
    return mapping(message.get("metadata")).get("displayRole") == "error"


def _native_calls(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [block for block in blocks if block.get("type") == "tool_use"]


def _written_calls(text: str, name: str) -> list[dict[str, Any]]:
    """The calls in a text: `<read_file><path>a.py</path></read_file>`."""
    calls: list[dict[str, Any]] = []
    for number, found in enumerate(_CALL.finditer(text)):
        values = {key: value.strip("\n") for key, value in _PARAMETER.findall(found[2])}
        calls.append({"id": f"{name}#{number}", "name": found[1], "input": values})
    return calls
