"""`workspace.yaml` of a session: flat `key: value` lines, all the YAML that Copilot CLI writes.

name: "Fix: the tests"
cwd: C:\\src\\a: b
summary: |-
  First line
"""

from __future__ import annotations

import json
import re

_KEY = re.compile(r"([A-Za-z_][\w.-]*):(?:[ \t]+|$)")
_BLOCK = re.compile(r"[|>][+-]?\d?[+-]?\s*(?:#.*)?$")


def read_flat_yaml(text: str) -> dict[str, str]:
    """The keys with a value, all as text; other lines are left out."""
    values: dict[str, str] = {}
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    start = 0
    while start < len(lines):
        end = _block_end(lines, start + 1)
        key = _KEY.match(lines[start])
        if key is not None:
            first = lines[start][key.end() :].strip()
            value = _value(first, below=lines[start + 1 : end])
            if value is not None:
                values[key[1]] = value
        start = end
    return values


def _block_end(lines: list[str], start: int) -> int:
    """The end of the indented lines from `start` on, with the blank lines between them."""
    end = start
    for number in range(start, len(lines)):
        line = lines[number]
        if line[:1] in (" ", "\t"):
            end = number + 1
        elif line.strip():
            break
    return end


def _value(first: str, below: list[str]) -> str | None:
    if _BLOCK.match(first):
        return _block(first[0], below)
    text = " ".join([first, *(line.strip() for line in below if line.strip())]).strip()
    if text[:1] == '"':
        return _double_quoted(text)
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if text in ("", "null", "~"):
        return None
    return text


def _block(style: str, below: list[str]) -> str:
    indent = min((len(line) - len(line.lstrip()) for line in below if line.strip()), default=0)
    lines = [line[indent:].rstrip() for line in below]
    if style == "|":
        return "\n".join(lines).strip("\n")
    paragraphs = "\n".join(lines).strip("\n").split("\n\n")
    return "\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)


def _double_quoted(text: str) -> str:
    try:
        return str(json.loads(text, strict=False))
    except ValueError:  # an escape of YAML that JSON does not know, or a quote inside plain text
        return text.strip('"')
