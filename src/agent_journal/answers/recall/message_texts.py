"""The messages of a session as text, at three depths of reading."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from agent_journal.answers.recall.cleaning import LONGEST_SECRET
from agent_journal.answers.recall.lines import first_line, indented, moment_of
from agent_journal.export.words import NOT_SHOWN, REWOUND, WORDS
from agent_journal.model import Message, Session, ToolCall
from agent_journal.model.arguments import parse_arguments, split_arguments
from agent_journal.text.dates import to_micros
from agent_journal.text.human import plural
from agent_journal.text.plain import one_line

STORY, STEPS, EVERYTHING = DEPTHS = ("story", "steps", "everything")
_CALL = 200  # letters of what a tool was called with
_FAILURE = 400  # letters of a failure among the steps
_LONGEST_RESULT = 20_000  # letters


def trimmed(session: Session, depth: str) -> Session:
    """A session with only what is shown at a depth: the rest need not be searched for secrets."""
    messages = tuple(_trimmed(message, depth) for message in session.messages if _is_shown(message))
    return replace(
        session,
        messages=messages,
        events=(),
        file_edits=(),
        plans=(),
        todos=(),
        usage=(),
        documents=(),
    )


def message_text(message: Message, depth: str) -> str:
    """A message without secrets, as text with a first line that says whose it is."""
    return "\n".join(_lines(message, depth))


def _is_shown(message: Message) -> bool:
    return message.kind not in NOT_SHOWN and message.state != "hidden"


def _trimmed(message: Message, depth: str) -> Message:
    message = replace(message, file=None, offset=None, length=None, record_ids=())
    if depth != EVERYTHING:
        message = replace(message, reasoning="")
    calls = tuple(_trimmed_call(call, depth) for call in message.tool_calls)
    return replace(message, tool_calls=calls)


def _trimmed_call(call: ToolCall, depth: str) -> ToolCall:
    """A call with as much of its result as is shown, and what follows that."""
    length = _LONGEST_RESULT + LONGEST_SECRET
    if depth == STORY or (depth == STEPS and call.success is not False):
        length = 0
    result = call.result
    if result is not None:
        result = result[:length] or None
    arguments = call.arguments
    if depth == STORY:
        arguments = None
    return replace(
        call,
        arguments=arguments,
        result=result,
        display=None,
        attachments=(),
        record_ids=(),
        offset=None,
        length=None,
    )


def _lines(message: Message, depth: str) -> Iterator[str]:
    facts = [f"#{message.seq} {message.role}"]
    if message.kind in WORDS:
        facts.append(f"({WORDS[message.kind]})")
    if message.is_branch:
        facts.append(f"({REWOUND})")
    yield f"{' '.join(facts)}  {moment_of(to_micros(message.timestamp))}"
    if message.reasoning:
        yield indented(message.reasoning, "  ~ ")
    if message.text:
        yield indented(message.text)
    for attachment in message.attachments:
        yield f"  [{attachment.kind} {one_line(attachment.name or attachment.path, 100)}]"
    if message.tool_calls and depth == STORY:
        yield f"  ({_summary(message.tool_calls)})"
        return
    for call in message.tool_calls:
        yield from _call_lines(call, depth)


def _summary(calls: tuple[ToolCall, ...]) -> str:
    names = dict.fromkeys(one_line(call.name or "unknown tool", 40) for call in calls)
    failed = sum(call.success is False for call in calls)
    text = f"{plural(len(calls), 'tool call')}: {', '.join(list(names)[:4])}"
    if failed:
        text += f"; {failed} failed"
    return text


def _call_lines(call: ToolCall, depth: str) -> Iterator[str]:
    arguments = split_arguments(call.kind, parse_arguments(call.arguments) or {})
    called = arguments.main
    if depth != EVERYTHING:
        called = one_line(called, _CALL)
    yield f"  > {one_line(call.name or 'unknown tool', 60)}: {outcome_of(call)}"
    yield indented(called, "    ")
    if call.result is None:
        return
    result = call.result[:_LONGEST_RESULT]
    if depth == STEPS:
        result = first_line(result, _FAILURE)
    yield indented(result, "    = ")
    if depth == EVERYTHING and len(call.result) > _LONGEST_RESULT:
        yield "    = … (cut: 'aj show' has the rest)"


def outcome_of(call: ToolCall) -> str:
    """What became of a call, in a few words."""
    words = {True: "ok", False: "failed", None: "no result known"}[call.success]
    if call.status in ("denied", "interrupted", "running"):
        words = call.status
    if call.exit_code:
        words += f" (exit code {call.exit_code})"
    return words
