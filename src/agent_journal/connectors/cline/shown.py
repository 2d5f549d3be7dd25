"""What was shown of a task, entry by entry, as pieces of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from msgspec.structs import replace

from agent_journal.connectors.checklists import checklist
from agent_journal.connectors.cline.exchange import Exchange, micro_dollars
from agent_journal.connectors.cline.products import Product
from agent_journal.connectors.cline.sent import folder_in_text
from agent_journal.connectors.cline.tools import SentCalls, Shown, shown_call, shown_edits
from agent_journal.connectors.json_repair import UNREADABLE, decode_any
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.values import count, first_string, mapping, string, strings
from agent_journal.model import (
    Attachment,
    Event,
    Message,
    MessageKind,
    MessageState,
    Piece,
    TodoList,
    ToolCall,
    Usage,
)
from agent_journal.text.dates import parse_time

# What the extension says about itself; everything it does not say here is unknown
_NOTICES = """
    api_req_finished api_req_retried api_req_retry_delayed api_req_rate_limited api_req_deleted
    error_retry clineignore_error rooignore_error command_permission_denied checkpoint_created
    checkpoint_saved condense_context_error sliding_window_truncation compaction hook_status
    hook_output_stream resume_task resume_completed_task mistake_limit_reached new_task condense
    summarize_task report_bug shell_integration_warning browser_session_status image info
    shell_integration_warning_with_suggestion mcp_server_request_started mcp_notification
    load_mcp_documentation generate_explanation conditional_rules_applied subagent
    auto_approval_max_req_reached"""
NOTICES = frozenset(_NOTICES.split())
_STATES: dict[str, MessageState] = {"user_cancelled": "cancelled"}
_OPEN = (None, "running")
_QUESTION = "ask_followup_question"


class Entry(NamedTuple):
    """One thing that was said or asked."""

    kind: str
    text: str
    ts: float | None
    value: dict[str, Any]

    @classmethod
    def of(cls, value: dict[str, Any]) -> Entry:
        """Return an entry of the list."""
        kind = first_string(value, str(value.get("type")), "say", "ask") or "no kind"
        ts = value.get("ts")
        if isinstance(ts, bool) or not isinstance(ts, (int, float)):
            ts = None
        return cls(kind, string(value.get("text")) or "", ts, value)

    @property
    def when(self) -> datetime | None:
        """The time of the entry."""
        return parse_time(self.ts)

    @property
    def object(self) -> dict[str, Any]:
        """The JSON object in the text; an empty one when it is something else."""
        try:
            return mapping(decode_any(self.text.encode("utf-8", "surrogatepass")))
        except UNREADABLE:
            return {}


class ShownTask:
    """Reads the entries of one task in their order."""

    def __init__(self, session_id: str, product: Product, sent: Exchange) -> None:
        self.session_id = session_id
        self.product = product
        self.is_subtask = False
        self.models_by_time: list[tuple[float, str]] = []
        self.title = SpokenTitle()
        self.models: dict[str, None] = {}
        self.folder: str | None = None
        self.first_time: datetime | None = None
        self.last_time: datetime | None = None
        self.messages = 0
        self._sent = SentCalls(sent.calls.values())
        self._answer: str | None = None  # the message that the model is writing
        self._answering: str | None = None  # that model
        self._call: ToolCall | None = None  # the last call
        self._ids: set[str] = set()
        self._before: tuple[str, str] | None = None  # the entry before this one
        self._todos: TodoList | None = None

    def entry(
        self, entry: Entry, handler: Callable[[ShownTask, Entry], Iterator[Piece]]
    ) -> list[Piece]:
        """Return the pieces of an entry; an entry that repeats the one before has none."""
        when = entry.when
        if when is not None:
            self.first_time = min(self.first_time or when, when)
            self.last_time = max(self.last_time or when, when)
        if entry.kind in NOTICES:
            return list(handler(self, entry))
        same = (entry.kind, entry.text)
        if same == self._before:
            return []
        self._before = same
        return list(handler(self, entry))

    def ending(self) -> list[Piece]:
        """Return what only the end of the list tells: the list of things to do as it is now."""
        if self._todos is None:
            return []
        return [self._todos]

    # -- the person ----------------------------------------------------------------------------

    def prompt(self, entry: Entry) -> Iterator[Piece]:
        """Yield what the person typed; the task of a subtask was written by another agent."""
        self._answer = None
        self._answering = None
        text = entry.text
        if entry.kind == "user_feedback_diff":
            text = string(entry.object.get("diff")) or text
        attachments = [Attachment(kind="image") for _ in strings(entry.value.get("images"))]
        for path in strings(entry.value.get("files")):
            attachments.append(Attachment(kind="file", path=path))
        if not text and not attachments:
            return
        yield from self._answered(text, entry)
        kind: MessageKind = "prompt"
        if self.is_subtask and not self.messages:
            kind = "injected"
        self.title.note_prompt(text)
        self.messages += 1
        message = self._message(entry, "user", kind)
        yield replace(message, text=text, attachments=tuple(attachments))

    def _answered(self, text: str, entry: Entry) -> Iterator[Piece]:
        """Yield the question that the person answers, if the model asked one."""
        call = self._call
        if call is not None and call.name == _QUESTION and call.status in _OPEN:
            self._call = replace(call, result=text, status="ok", ended_at=entry.when)
            yield self._call

    # -- the model -----------------------------------------------------------------------------

    def text(self, entry: Entry) -> Iterator[Piece]:
        """Yield what the model wrote; the first text of a task is the person's."""
        if not self.messages:
            yield from self.prompt(entry)
        else:
            yield from self.answer(entry)

    def answer(self, entry: Entry) -> Iterator[Piece]:
        """Yield a part of an answer, which may be in an object."""
        text = first_string(entry.object, "response") or entry.text
        if text:
            self.title.note_answer(text)
            yield replace(self._part(entry), text=text)

    def completion(self, entry: Entry) -> Iterator[Piece]:
        """Yield what the model says at the end: a message of its own when calls came before."""
        if self._call is not None and self._call.message_id == self._answer:
            self._answer = None
        yield from self.answer(entry)

    def reasoning(self, entry: Entry) -> Iterator[Piece]:
        """Yield a thought of the model."""
        text = entry.text or string(entry.value.get("reasoning"))
        if text:
            yield replace(self._part(entry), reasoning=text)

    def request(self, entry: Entry) -> Iterator[Piece]:
        """Yield a request, with which an answer begins, and what it used."""
        values = entry.object
        if self.folder is None:
            self.folder = folder_in_text(string(values.get("request")) or "")
        message = self._message(entry, "assistant", "answer")
        self._answer = message.id
        model = self._model(entry)
        self._answering = model
        if model is not None:
            self.models.setdefault(model)
        cancelled = string(values.get("cancelReason"))
        usage = self._usage(entry, values, message.id)
        if usage is None and cancelled is None:
            return  # it said nothing, unless entries follow that are its parts
        self.messages += 1
        state = _STATES.get(cancelled, "failed") if cancelled else None
        yield replace(message, model=model, usage=usage, state=state, stop_reason=cancelled)

    def other_usage(self, entry: Entry) -> Iterator[Piece]:
        """Yield what requests used that are not listed: deleted ones, those of sub-agents."""
        usage = self._usage(entry, entry.object, None)
        if usage is not None:
            yield replace(usage, key=f"{usage.key}:{entry.kind}", origin=entry.kind)

    def condensed(self, entry: Entry) -> Iterator[Piece]:
        """Yield the summary that replaces earlier messages, and what it cost."""
        values = mapping(entry.value.get("contextCondense")) or entry.object
        text = string(values.get("summary")) or ""
        message = self._message(entry, "user", "compaction")
        cost = micro_dollars(values.get("cost"))
        usage = None
        if cost is not None:
            usage = Usage(
                session_id=self.session_id,
                key=f"{self.session_id}:{entry.ts}:{entry.kind}",
                message_id=message.id,
                timestamp=entry.when,
                cost_micro_usd=cost,
                origin=entry.kind,
            )
        if text or usage:
            yield replace(message, text=text, usage=usage)

    def _usage(self, entry: Entry, values: dict[str, Any], name: str | None) -> Usage | None:
        """Return what was used; None while a request runs, or when it never ended."""
        sent = count(values.get("tokensIn"))
        received = count(values.get("tokensOut"))
        cost = micro_dollars(values.get("cost"))
        if sent is None and received is None and cost is None:
            return None
        read = count(values.get("cacheReads"))
        written = count(values.get("cacheWrites"))
        cached = (read or 0) + (written or 0)
        protocol = first_string(entry.value, "apiProtocol") or values.get("apiProtocol")
        has_cache = self.product.counts_cache_as_input and protocol != "anthropic"
        if has_cache and sent is not None and sent >= cached:
            sent -= cached
        return Usage(
            session_id=self.session_id,
            key=f"{self.session_id}:{entry.ts}",
            message_id=name,
            model=self._model(entry),
            timestamp=entry.when,
            input_tokens=sent,
            cache_read_tokens=read,
            cache_write_tokens=written,
            output_tokens=received,
            cost_micro_usd=cost,
        )

    def _model(self, entry: Entry) -> str | None:
        """The model of a request: recorded with it, or the last one before it."""
        recorded = string(mapping(entry.value.get("modelInfo")).get("modelId"))
        if recorded is not None or entry.ts is None:
            return recorded
        before = [model for since, model in self.models_by_time if since <= entry.ts]
        return before[-1] if before else None

    # -- tools ---------------------------------------------------------------------------------

    def tool(self, entry: Entry) -> Iterator[Piece]:
        """Yield a call of a tool that is about files, the web, or another task."""
        values = entry.object
        tool = string(values.get("tool"))
        if tool is None:
            yield from self.notice(entry)
            return
        shown = Shown(tool, {key: value for key, value in values.items() if key != "tool"})
        yield from self._called(entry, shown)
        if self._call is not None:
            yield from shown_edits(shown, self._call)

    def command(self, entry: Entry) -> Iterator[Piece]:
        """Yield a command."""
        if entry.text:
            yield from self._called(entry, Shown("command", {"command": entry.text}))

    def browser(self, entry: Entry) -> Iterator[Piece]:
        """Yield that a browser was opened at an address."""
        yield from self._called(entry, Shown(entry.kind, {"action": "launch", "url": entry.text}))

    def object_tool(self, entry: Entry) -> Iterator[Piece]:
        """Yield a call whose arguments are the object that was shown."""
        yield from self._called(entry, Shown(entry.kind, entry.object))

    def question(self, entry: Entry) -> Iterator[Piece]:
        """Yield a question to the person, whose answer is the next prompt."""
        values = entry.object or {"question": entry.text}
        yield from self._called(entry, Shown(entry.kind, values))
        if self._call is not None and self._call.status is None:
            self._call = replace(self._call, status="running")
            yield self._call

    def output(self, entry: Entry) -> Iterator[Piece]:
        """Yield what came of the last call, unless that is known from what was sent."""
        call = self._call
        if call is None or not entry.text:
            return
        if call.status not in _OPEN:
            return
        text = "\n".join(filter(None, (call.result, entry.text)))
        self._call = replace(call, result=text)
        yield replace(self._call, status="ok", ended_at=entry.when)

    def _called(self, entry: Entry, shown: Shown) -> Iterator[Piece]:
        """Yield a call, as it was sent where that is known."""
        answer = self._answer
        if answer is None:
            part = self._part(entry)
            answer = part.id
            yield part
        call = self._sent.match(shown)
        if call is None:
            call = shown_call(shown, self._unused(f"{entry.ts}#{shown.name}"))
        call = replace(call, session_id=self.session_id, message_id=answer, started_at=entry.when)
        self._call = call
        yield call

    # -- what the extension says ---------------------------------------------------------------

    def error(self, entry: Entry) -> Iterator[Piece]:
        """Yield an error that was shown."""
        if entry.text:
            yield replace(self._message(entry, "assistant", "error"), text=entry.text)

    def notice(self, entry: Entry) -> Iterator[Piece]:
        """Yield anything else that the extension said."""
        yield Event(
            session_id=self.session_id, type=entry.kind, text=entry.text, timestamp=entry.when
        )

    def todos(self, entry: Entry) -> Iterator[Piece]:
        """Note the list of things to do; the last one counts."""
        self._todos = checklist(entry.text, self.session_id) or self._todos
        return iter(())

    # -- messages ------------------------------------------------------------------------------

    def _part(self, entry: Entry) -> Message:
        """A part of the answer that the model is writing; without a request it begins one."""
        if self._answer is None:
            message = self._message(entry, "assistant", "answer")
            self._answer = message.id
            self.messages += 1
            return replace(message, model=self._answering)
        part = self._message(entry, "assistant", "answer", self._answer)
        return replace(part, model=self._answering)

    def _message(
        self, entry: Entry, role: Any, kind: MessageKind, name: str | None = None
    ) -> Message:
        return Message(
            session_id=self.session_id,
            id=name or self._unused(str(entry.ts)),
            role=role,
            kind=kind,
            timestamp=entry.when,
        )

    def _unused(self, name: str) -> str:
        """The name, or another one where several entries have the same time."""
        found = name
        number = 2
        while found in self._ids:
            found = f"{name}-{number}"
            number += 1
        self._ids.add(found)
        return found
