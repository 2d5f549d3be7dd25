"""Transcripts of plain text, `agent-transcripts/<id>.txt`: speakers, and sections in brackets.

user:
<user_query>…</user_query>

assistant:
[Thinking] Which files are there?
Let me look.
[Tool call] Shell
  command: ls
  description: List the files

[Tool result] Shell
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import Any, NamedTuple

from agent_journal.connectors.jsonl import decode_document

_SPEAKER = re.compile(r"^(user|assistant|A|system|tool):[ \t]*$")
_SPEAKER_ROLES = {"A": "assistant"}
_HEADING = re.compile(r"^\[(Thinking|Tool call|Tool result)\][ \t]*(.*)$")
_ARGUMENT = re.compile(r"^  ([A-Za-z_][A-Za-z0-9_]*)(?:(: ?)|=)(.*)$")
_PATCH_STARTS = ("*** Begin Patch", "@@", "--- ")
# Arguments of one line: what follows them after an empty line is no part of them
_SHORT_ARGUMENTS = frozenset(
    (
        "block_until_ms",
        "description",
        "explanation",
        "is_background",
        "limit",
        "offset",
        "path",
        "replace_all",
        "target_directory",
        "target_file",
        "timeout",
        "working_directory",
    )
)
# Lines that go on with what is above them, and lines that the next one belongs to
_LISTED = re.compile(r"[-*+] |\d+[.)] |[>|#]|\s|$")
_INTRODUCES = re.compile(r"(?::|\*\*)\s*$")
_FENCE = "```"


class Speech(NamedTuple):
    """What one speaker says, as blocks."""

    role: str
    blocks: list[dict[str, Any]]


class _Section(NamedTuple):
    """A heading in brackets, or none, and the lines below it."""

    kind: str
    name: str
    lines: list[str]


def speeches(text: str) -> Iterator[Speech]:
    """Yield what each speaker says; ValueError when nobody speaks."""
    role = ""
    lines: list[str] = []
    for line in text.split("\n"):
        speaker = _SPEAKER.match(line)
        if speaker is not None:
            if role:
                yield Speech(role, list(_blocks(lines)))
            role = _SPEAKER_ROLES.get(speaker[1], speaker[1])
            lines = []
        elif role:
            lines.append(line)
        elif line.strip():
            raise ValueError("not a transcript: it does not begin with 'user:' or 'assistant:'")
    if role:
        yield Speech(role, list(_blocks(lines)))


def _blocks(lines: list[str]) -> Iterator[dict[str, Any]]:
    sections = list(_sections(lines))
    for number, section in enumerate(sections, 1):
        if section.kind == "Tool result":
            result, text = _result(section.lines)
            yield {"type": "tool_result", "name": section.name or None, "content": result}
        elif section.kind == "Tool call":
            arguments, text = _arguments(section.lines)
            yield {"type": "tool_use", "name": section.name or None, "input": arguments}
        elif section.kind == "Thinking":
            thought, text = _thought(section, is_last=number == len(sections))
            if thought:
                yield {"type": "thinking", "thinking": thought}
        else:
            text = "\n".join(section.lines)
        if text.strip():
            yield {"type": "text", "text": text.strip("\n")}


def _sections(lines: list[str]) -> Iterator[_Section]:
    section = _Section("", "", [])
    for line in lines:
        heading = _HEADING.match(line)
        if heading is None:
            section.lines.append(line)
            continue
        yield section
        section = _Section(heading[1], heading[2].strip(), [])
    yield section


# -- thoughts and results ----------------------------------------------------------------------


def _thought(section: _Section, *, is_last: bool) -> tuple[str, str]:
    """Return a thought, and the answer after it.

    Nothing marks where the answer begins. Paragraphs of a thought are apart, and the answer stands
    directly below the last one. A speech does not end in a thought, so that the second paragraph of
    the last one is an answer if nothing else is.
    """
    if not section.name and section.lines and _is_indented(section.lines[0]):
        return _indented(section.lines)
    lines = [section.name, *section.lines]
    at = _answer_line(lines)
    if at is None and is_last:
        at = next((number for number, line in enumerate(lines) if not line.strip()), None)
    if at is None:
        at = len(lines)
    return "\n".join(lines[:at]).strip(), "\n".join(lines[at:])


def _answer_line(lines: list[str]) -> int | None:
    """Return the first line that stands below another one and does not continue it."""
    if not lines[0]:
        return 1
    is_code = False
    for number, line in enumerate(lines):
        above = lines[number - 1] if number else ""
        if line.startswith(_FENCE):
            is_code = not is_code
        elif is_code or not above.strip() or _LISTED.match(line):
            continue
        elif number == 1 or not _INTRODUCES.search(above):
            return number
    return None


def _result(lines: list[str]) -> tuple[str | None, str]:
    """Return a result, None where it was left out, and the answer after it."""
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return None, ""
    if _is_indented(lines[first]):
        return _indented(lines[first:])
    text = "\n".join(lines).strip("\n")
    if first == 0:
        return text, ""
    return None, text


def _indented(lines: Sequence[str]) -> tuple[str, str]:
    """Return the indented lines at the beginning, without the indent, and the other lines."""
    margin = (
        number for number, line in enumerate(lines) if line.strip() and not _is_indented(line)
    )
    at = next(margin, len(lines))
    return dedent("\n".join(lines[:at])).strip("\n"), "\n".join(lines[at:])


def _is_indented(line: str) -> bool:
    return line[:1] in (" ", "\t")


# -- arguments ---------------------------------------------------------------------------------


def _arguments(lines: list[str]) -> tuple[dict[str, Any], str]:
    """Return the arguments of a call, and the answer after them.

    They are lines `name: value` or `name=value`, a JSON object, or a patch.
    """
    text, rest = _indented(lines)
    if text.startswith(_PATCH_STARTS):
        return {"patch": text}, rest
    if text.startswith("{"):
        try:
            value = decode_document(text.encode())
        except ValueError:
            value = None
        if isinstance(value, dict):
            return value, rest
    return _named_arguments(lines)


def _named_arguments(lines: list[str]) -> tuple[dict[str, str], str]:
    """Return the arguments with names; a value may have many lines, at any indent."""
    values: dict[str, list[str]] = {}
    name = ""
    mark = None
    for number, line in enumerate(lines):
        argument = _ARGUMENT.match(line)
        if argument is not None and (not values or bool(argument[2]) == mark):
            mark = bool(argument[2])
            name = argument[1]
            values[name] = [argument[3]]
            continue
        if line.strip() and not _is_indented(line) and _has_ended(name, values, is_colon=mark):
            return _joined(values), "\n".join(lines[number:])
        if name:
            values[name].append(line)
    return _joined(values), ""


def _has_ended(name: str, values: dict[str, list[str]], *, is_colon: bool | None) -> bool:
    """Whether a line at the margin is no longer part of the value of an argument."""
    if not is_colon:
        return True
    is_after_blank = not values[name][-1].strip()
    return is_after_blank and name in _SHORT_ARGUMENTS


def _joined(values: dict[str, list[str]]) -> dict[str, str]:
    return {name: "\n".join(lines).rstrip("\n") for name, lines in values.items()}
