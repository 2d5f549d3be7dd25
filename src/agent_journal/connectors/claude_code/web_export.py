"""Sessions of Claude Code on the web, as its API gives them out; imported with `aj import`.

{"loglines":[{"type":"user","uuid":"…","sessionId":"…","message":{…}},…]}

The lines are those of a transcript, as one list.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from agent_journal.connectors.base import Content, FileIdentity, Pause, Recognition
from agent_journal.connectors.claude_code.transcript import TranscriptReader
from agent_journal.connectors.hooks import UUID
from agent_journal.connectors.json_repair import PADDING, UNREADABLE
from agent_journal.connectors.recognition import stem
from agent_journal.connectors.values import items, string
from agent_journal.model import Piece, Session

RANK = -1  # the transcript on this machine also has what never left it
_MAX_SIZE = 256 * 2**20
_SESSION_NAME = re.compile(rf"{UUID}|(?:session|cse)_[A-Za-z0-9]+")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONE_SURROGATE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_SPOKEN = ("user", "assistant")


class _Export(msgspec.Struct):
    loglines: list[msgspec.Raw]


_decode = msgspec.json.Decoder(_Export).decode


def recognise_document(path: str, document: Any) -> Recognition | None:
    """Recognise an export by its list of lines."""
    if not isinstance(document, dict) or not isinstance(document.get("loglines"), list):
        return None
    lines = items(document["loglines"])
    if not any(line.get("type") in _SPOKEN and "message" in line for line in lines):
        raise ValueError("its 'loglines' have no message")
    return Recognition("session", _session_id(path, document, lines), RANK)


def _session_id(path: str, document: dict[str, Any], lines: list[dict[str, Any]]) -> str:
    """The session that the last line names; the first ones may be of one that it continues."""
    named = (string(line.get("sessionId")) for line in reversed(lines))
    session_id = next(filter(None, named), None)
    session_id = session_id or string(document.get("session_id")) or string(document.get("id"))
    if session_id:
        return session_id
    name = _SESSION_NAME.fullmatch(stem(path))
    if name is not None:
        return name[0]
    first = string(lines[0].get("uuid")) or msgspec.json.encode(lines[0], order="sorted").decode()
    return "web-" + hashlib.sha256(first.encode("utf-8", "replace")).hexdigest()[:32]


class WebExportReader(TranscriptReader):
    """Reads an export whole."""

    def __init__(self, file: FileIdentity) -> None:
        # It may have any name, and its session any id, also one that would mean a sub-agent
        session_id = file.session_id or stem(file.name)
        super().__init__(file._replace(name="export.jsonl", session_id=session_id), None)
        self._is_damaged = False

    def sessions(self) -> Iterable[Session]:
        """The session of the export; none when it cannot be read."""
        if self._is_damaged:
            return ()
        return super().sessions()

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """The pieces of all lines."""
        self._agents.content = content
        lines = self._lines_of(content)
        for offset, line in lines:
            self.offset = offset
            yield from self._export_line(line)
        self.offset = content.size
        if not self._is_damaged:
            around = content.size - sum(len(line) for _, line in lines)
            self.ledger.add("skipped", "list", around, "what is around the lines")

    def _lines_of(self, content: Content) -> list[tuple[int, bytes]]:
        """The lines with their places; none when the export is too large or damaged."""
        if content.size > _MAX_SIZE:
            self._cannot_be_read(content.size, f"larger than {_MAX_SIZE >> 20} MiB; kept, not read")
            return []
        data = b"".join(content.chunks())
        try:
            lines = _raw_lines(data)
        except UNREADABLE:
            # Half of a pair of surrogates stands for no letter; the length stays the same
            data = _LONE_SURROGATE.sub(rb"\\ufffd", data)
            lines = []
        try:
            lines = lines or _raw_lines(data)
        except UNREADABLE as error:
            self._cannot_be_read(content.size, f"not an export with loglines: {error}")
            return []
        places = []
        at = 0
        for line in lines:
            at = data.index(line, at)
            places.append((at, line))
            at += len(line)
        return places

    def _cannot_be_read(self, size: int, reason: str) -> None:
        self._is_damaged = True
        self._malformed(size, reason, "export")

    def _export_line(self, line: bytes) -> Iterable[Piece]:
        try:
            record = self._decode(line)
        except UNREADABLE:
            self._is_plain = False
            return self._odd_line(line)
        self._is_plain = True
        return self._pieces(record, len(line), line)  # type: ignore[arg-type]


def _raw_lines(data: bytes) -> list[bytes]:
    text = data.removeprefix(_BYTE_ORDER_MARK).strip(PADDING)
    return [bytes(line) for line in _decode(text).loglines]
