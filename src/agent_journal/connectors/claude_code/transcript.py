"""Reads a transcript, `projects/<folder>/<session>.jsonl`, or a sub-agent's, `…/subagents/agent-<id>.jsonl`.

    {"parentUuid":null,"type":"user","message":{"role":"user","content":"hello"},"uuid":"u1","timestamp":"…Z",…}
    {"type":"custom-title","customTitle":"Fix the parser","sessionId":"…"}

Every line becomes pieces on its own; what lines must know of each other is in state.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from msgspec import Raw

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.claude_code import harness
from agent_journal.connectors.claude_code.answers import SYNTHETIC, Answer, Where, usage_of
from agent_journal.connectors.claude_code.edits import delta_edits, snapshot_edits
from agent_journal.connectors.claude_code.outcomes import (
    LOOKED_AT,
    WITH_INPUT,
    Result,
    agent_prompt,
    outcome,
    prompt_mark,
)
from agent_journal.connectors.claude_code.prompts import Said, by_mark, queued, said
from agent_journal.connectors.claude_code.records import Block, Record
from agent_journal.connectors.claude_code.results import media, told_at
from agent_journal.connectors.claude_code.state import (
    FIRST_PROMPT,
    SUMMARY,
    Facts,
    OpenCall,
    State,
    remember,
)
from agent_journal.connectors.jsonl import LogReader
from agent_journal.connectors.values import one_line
from agent_journal.model import (
    Attachment,
    Event,
    Message,
    MessageKind,
    MessageState,
    Piece,
    Role,
    Session,
    ToolCall,
)
from agent_journal.text.dates import parse_time

_MAX_BRIDGES = 20_000
_MAX_SIDECHAIN_LINES = 20_000
_MAX_OPEN_CALLS = 500
_MAX_RECENT = 200
_MAX_SUMMARIES = 1_000
_MAX_INPUT = 256 * 1024
_UUID_LENGTH = 36
# Helpers that are given the whole conversation: what they repeat must not be found twice.
_HELPERS = ("acompact-", "aprompt_suggestion-", "aside_question-")


class TranscriptReader(LogReader[Record, State]):
    """Reads one transcript."""

    record_type = Record
    state_type = State

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        parts = file.name.split("/")
        stem = parts[-1].removesuffix(".jsonl")
        self.project_dir = parts[1] if parts[0] == "projects" and len(parts) > 2 else None
        self.agent_id = stem.removeprefix("agent-") if stem.startswith("agent-") else None
        # The session whose folder the file is in; an old sub-agent's file lies beside it, and only
        # its lines tell.
        self.owner = parts[parts.index("subagents") - 1] if "subagents" in parts else None
        if self.agent_id is None:
            self.owner = file.session_id or self.owner or stem
        self.is_helper = self.agent_id is not None and self.agent_id.startswith(_HELPERS)
        marks = bytes(self.state.seen)
        self._seen = {marks[at : at + 8] for at in range(0, len(marks), 8)}
        if not self.state.main.id and self.owner is not None:
            self._name_main(self.owner)
        elif self.state.main.parent is not None and self.owner is None:
            self.owner = self.state.main.parent

    def sessions(self) -> Iterable[Session]:
        """The session of the file, and the sub-agents' threads that old versions wrote into it."""
        facts = [self.state.main, *self.state.sidechains.values()]
        # A transcript that is empty, or holds only titles of other sessions, is an empty session of
        # its own.
        return [
            each.session(self.project_dir)
            for each in facts
            if each.real or (each.id and self.file.session_id)
        ]

    # -- which session -------------------------------------------------------------------------

    def _name_main(self, owner: str | None) -> None:
        main = self.state.main
        if self.agent_id is None:
            main.id = owner or ""
        else:
            main.id = f"{owner}/agent-{self.agent_id}" if owner else f"agent-{self.agent_id}"
            main.parent = self.owner = owner
            main.by_machine = self.is_helper

    def _thread(self, record: Record) -> Facts:
        state = self.state
        if not state.main.id:
            self._name_main(record.session_id or None)
        if self.agent_id is not None or not record.is_sidechain:
            return state.main
        uuid = record.uuid or f"line-{self.offset}"
        short = state.sidechain_of.get(record.parent_uuid or "") or uuid[:8]
        remember(state.sidechain_of, uuid, short, _MAX_SIDECHAIN_LINES)
        facts = state.sidechains.get(short)
        if facts is None:
            facts = Facts(
                id=f"{state.main.id}/sidechain-{short}", parent=state.main.id, titles={}, models=[]
            )
            state.sidechains[short] = facts
        return facts

    # -- the chain -----------------------------------------------------------------------------

    def _is_repeated(self, uuid: str) -> bool:
        mark = hashlib.blake2b(uuid.encode(), digest_size=8).digest()
        if mark in self._seen:
            # Versions before 0.2.106 wrote whole sessions twice. Short ids are made up and may
            # repeat by chance.
            return len(uuid) == _UUID_LENGTH
        self._seen.add(mark)
        self.state.seen += mark
        if self.state.summaries:
            title = self.state.summaries.pop(uuid, None)
            if title is not None:
                self.state.main.titles[SUMMARY] = title
        return False

    def _parent(self, uuid: str | None) -> str | None:
        """The message or call a line follows; lines that are neither stand in between."""
        return self.state.bridges.get(uuid, uuid) or None if uuid is not None else None

    def _bridge(self, record: Record) -> None:
        if record.uuid is not None:
            # After a compaction the chain starts anew; the last line before it is named apart.
            before = self._parent(record.parent_uuid or record.logical_parent_uuid)
            remember(self.state.bridges, record.uuid, before or "", _MAX_BRIDGES)

    # -- one line ------------------------------------------------------------------------------

    def record(self, record: Record, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one line."""
        kind = record.type
        if kind not in ("user", "assistant", "system", "attachment", "progress"):
            return self._metadata(record, offset, length, line)
        uuid = record.uuid
        if uuid is not None and self._is_repeated(uuid):
            self.skipped(kind, "written twice: the same uuid came before")
            return ()
        facts = self._thread(record)
        when = parse_time(record.timestamp)
        facts.note(record, when)
        record_ids = (uuid,) if uuid is not None else ()
        is_child = facts is not self.state.main or self.agent_id is not None
        where = Where(facts.id, when, offset, length, record_ids, is_child)
        if kind == "assistant":
            return self._assistant(record, where, facts, line)
        if kind == "user":
            return self._user(record, where, facts, line)
        if kind == "progress":
            self.skipped(kind, "live progress, repeated in the result")
            self._bridge(record)
            return ()
        return (
            self._system(record, where, line)
            if kind == "system"
            else self._attachment(record, where, facts, line)
        )

    # -- the model -----------------------------------------------------------------------------

    def _assistant(
        self, record: Record, where: Where, facts: Facts, line: bytes
    ) -> Iterable[Piece]:
        message = record.message
        message_id = message.id or record.uuid or f"line-{where.offset}"
        answer = Answer(message.content, message_id, where)
        for block in answer.opened:
            self._open_call(block, message_id)
        model = message.model if message.model != SYNTHETIC else None
        if model and model not in facts.models:
            facts.models.append(model)
        # The parent of a later line of a response is its own earlier line: that says nothing.
        continued = message_id in self.state.recent
        remember(self.state.recent, message_id, 0, _MAX_RECENT)
        kind: MessageKind = "notice" if message.model == SYNTHETIC else "answer"
        piece = Message(
            session_id=where.session_id,
            id=message_id,
            role="assistant",
            kind="error" if record.is_api_error_message else kind,
            text="\n\n".join(filter(None, answer.texts)),
            reasoning="\n\n".join(filter(None, answer.reasoning)),
            model=model,
            timestamp=where.time,
            parent_id=None if continued else self._parent(record.parent_uuid),
            record_ids=where.record_ids,
            tool_calls=tuple(answer.calls),
            attachments=tuple(answer.attachments),
            usage=usage_of(record, model, where),
            state=self._state_of(record),
            stop_reason=message.stop_reason,
            api_id=message.id,
            offset=where.offset,
            length=where.length,
        )
        if not answer.unknown:
            self.mapped("assistant")
            return (piece,)
        return (piece, self._unknown_block("assistant", answer.unknown[0], where, line))

    def _open_call(self, block: Block, message_id: str) -> None:
        if block.id is None or block.name not in LOOKED_AT:
            return
        given = bytes(block.input) if block.name in WITH_INPUT else b""
        call = OpenCall(block.name, message_id, given if len(given) <= _MAX_INPUT else b"")
        remember(self.state.calls, block.id, call, _MAX_OPEN_CALLS)
        prompt = agent_prompt(block) if self.agent_id is None else None
        if prompt is not None:
            remember(self.state.tasks, prompt, block.id, _MAX_OPEN_CALLS)

    def _state_of(self, record: Record) -> MessageState | None:
        if self.is_helper:
            return "hidden"
        if record.is_api_error_message:
            return "failed"
        return "cancelled" if record.is_aborted_mid_stream else None

    # -- the user side -------------------------------------------------------------------------

    def _user(self, record: Record, where: Where, facts: Facts, line: bytes) -> Iterable[Piece]:
        content = record.message.content
        blocks = [Block(type="text", text=content)] if isinstance(content, str) else content or []
        texts: list[str] = []
        attachments: list[Attachment] = []
        results: list[tuple[int, Block]] = []
        unknown: list[str] = []
        for index, block in enumerate(blocks):
            if isinstance(block, str):
                texts.append(block)
            elif block.type == "text":
                texts.append(block.text or "")
            elif block.type == "tool_result":
                results.append((index, block))
            elif block.type in ("image", "document"):
                attachments.append(media(block.type, block.source, block.title))
            else:
                unknown.append(str(block.type))
        pieces = self._results(results, record, where)
        text = "\n\n".join(filter(None, texts))
        if text or attachments:
            told = said(text, record, is_child=where.is_child, beside_result=bool(results))
            pieces += self._told(told, attachments, record, where, facts)
        if not pieces:
            self._bridge(record)
        if unknown:
            return [*pieces, self._unknown_block("user", unknown[0], where, line)]
        if pieces:
            self.mapped("user")
        else:
            self.skipped("user", "a message without content")
        return pieces

    def _results(
        self, results: list[tuple[int, Block]], record: Record, where: Where
    ) -> list[Piece]:
        pieces: list[Piece] = []
        details = record.tool_use_result if len(results) == 1 else Raw()
        for index, block in results:
            call_id = block.tool_use_id or record.source_tool_use_id or f"result-{where.offset}"
            call = self.state.calls.pop(call_id, None)
            text, path = told_at(block.content, index)
            place = self.quote(text, (where.offset, where.length), *path)
            result = Result(block, call_id, details, record.tool_denial_kind, place)
            pieces += outcome(result, call, where, self.owner)
        return pieces

    def _told(
        self, told: Said, attachments: list[Attachment], record: Record, where: Where, facts: Facts
    ) -> Iterable[Piece]:
        is_first = FIRST_PROMPT not in facts.titles
        if (
            is_first
            and told.text
            and (told.kind == "prompt" or (where.is_child and told.kind == "injected"))
        ):
            facts.titles[FIRST_PROMPT] = one_line(told.text)
        yield self._message(told, "user", record, where, (*told.attachments, *attachments))
        if (
            facts is not self.state.main
            and record.parent_uuid is None
            and facts.parent_call is None
        ):
            call_id = self.state.tasks.pop(prompt_mark(told.text), None)
            if call_id is not None:
                facts.parent_call = call_id
                yield ToolCall(session_id=self.state.main.id, id=call_id, child_session_id=facts.id)

    def _message(
        self,
        told: Said,
        role: Role,
        record: Record,
        where: Where,
        attachments: tuple[Attachment, ...] = (),
    ) -> Message:
        return Message(
            session_id=where.session_id,
            id=record.uuid or f"line-{where.offset}",
            role=role,
            kind=told.kind,
            text=told.text,
            timestamp=where.time,
            parent_id=self._parent(record.parent_uuid),
            record_ids=where.record_ids,
            attachments=attachments,
            state=self._state_of(record),
            offset=where.offset,
            length=where.length,
        )

    # -- the harness ---------------------------------------------------------------------------

    def _system(self, record: Record, where: Where, line: bytes) -> Iterable[Piece]:
        kind = f"system/{record.subtype}" if record.subtype else "system"
        if record.subtype == "local_command":
            text = harness.plain(record.content)
            told = by_mark(text) or Said("command_output", text)
            self.mapped(kind)
            return (
                self._message(told, "user" if told.kind == "command" else "system", record, where),
            )
        self._bridge(record)
        reason = harness.system_reason(record)
        if reason is not None:
            self.skipped(kind, reason)
            return ()
        if harness.is_system_event(record):
            self.mapped(kind)
            return (
                self._event(
                    record.subtype or "system", record, where, text=harness.system_text(record)
                ),
            )
        self.unknown(kind)
        return (self._event(kind, record, where, raw=line.decode("utf-8", "replace")),)

    def _attachment(
        self, record: Record, where: Where, facts: Facts, line: bytes
    ) -> Iterable[Piece]:
        attached = record.attachment
        kind = f"attachment/{attached.type}"
        if attached.type == "queued_command":
            self.mapped(kind)
            told, attachments = queued(attached, is_child=where.is_child)
            return self._told(told, attachments, record, where, facts)
        if attached.type == "hook_additional_context":
            self.mapped(kind)
            return (self._message(Said("hook", harness.raw_text(attached)), "user", record, where),)
        self._bridge(record)
        reason = harness.attachment_reason(attached)
        if reason is not None:
            self.skipped(kind, reason)
            return ()
        if harness.is_attachment_event(attached):
            self.mapped(kind)
            return (self._event(kind, record, where, text=harness.attachment_text(attached)),)
        self.unknown(kind)
        return (self._event(kind, record, where, raw=line.decode("utf-8", "replace")),)

    def _event(
        self,
        kind: str,
        record: Record | None,
        where: Where,
        *,
        text: str = "",
        raw: str | None = None,
    ) -> Event:
        return Event(
            session_id=where.session_id,
            type=kind,
            id=record.uuid if record is not None else None,
            text=text,
            raw=raw,
            timestamp=where.time,
            offset=where.offset,
            length=where.length,
        )

    def _unknown_block(self, side: str, block: str, where: Where, line: bytes) -> Event:
        self.unknown(f"{side}/{block}")
        return self._event(f"{side}/{block}", None, where, raw=line.decode("utf-8", "replace"))

    # -- metadata ------------------------------------------------------------------------------

    def _metadata(self, record: Record, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        kind = record.type or "?"
        main = self.state.main
        reason = harness.SKIPPED_TYPES.get(kind)
        if reason is not None:
            self.skipped(kind, reason)
            return ()
        session_id = main.id or record.session_id or f"agent-{self.agent_id}"
        where = Where(session_id, parse_time(record.timestamp), offset, length, (), False)
        if kind == "summary":
            return self._summary(record)
        self.mapped(kind)
        if main.note_metadata(record):
            return ()
        if kind == "pr-link":
            main.repository = record.pr_repository or main.repository
            return (self._event(kind, record, where, text=record.pr_url or ""),)
        if kind in ("file-history-snapshot", "file-history-delta"):
            edits = snapshot_edits if kind == "file-history-snapshot" else delta_edits
            return list(edits(record, self.state, where.session_id, offset))
        if kind not in harness.RAW_TYPES and not kind.startswith(harness.RAW_PREFIXES):
            self.unknown(kind)
        return (self._event(kind, record, where, raw=line.decode("utf-8", "replace")),)

    def _summary(self, record: Record) -> Iterable[Piece]:
        """Old versions wrote titles of other sessions here: one counts when its last line is in
        this file.
        """
        leaf, title = record.leaf_uuid, one_line(record.summary or "")
        if not leaf or not title:
            self.skipped("summary", "a title for no session")
            return ()
        self.mapped("summary")
        if hashlib.blake2b(leaf.encode(), digest_size=8).digest() in self._seen:
            self.state.main.titles[SUMMARY] = title
        else:
            remember(self.state.summaries, leaf, title, _MAX_SUMMARIES)
        return ()
