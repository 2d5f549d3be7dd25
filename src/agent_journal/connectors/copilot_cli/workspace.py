"""`workspace.yaml` of a session: flat `key: value` lines, the one kind of YAML that Copilot CLI
writes.

`name: "Fix: the tests"` / `cwd: C:\\src\\a: b` / `summary: |-` with an indented block below
"""

from __future__ import annotations

import json
import re

_KEY = re.compile(r"([A-Za-z_][\w.-]*):(?:[ \t]+|$)")
_BLOCK = re.compile(r"[|>][+-]?\d?[+-]?\s*(?:#.*)?$")


def read_flat_yaml(text: str) -> dict[str, str]:
    """The keys with a value, all as text; lines that are no `key: value` are left out."""
    values: dict[str, str] = {}
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    at = 0
    while at < len(lines):
        found = _KEY.match(lines[at])
        first = lines[at][found.end() :].strip() if found else ""
        at += 1
        below: list[str] = []
        while at < len(lines) and (
            lines[at][:1] in (" ", "\t") or (not lines[at].strip() and _goes_on(lines, at))
        ):
            below.append(lines[at])
            at += 1
        if found:
            value = _value(first, below)
            if value is not None:
                values[found[1]] = value
    return values


def _goes_on(lines: list[str], at: int) -> bool:
    """Whether a blank line is inside a block: an indented line follows."""
    following = next((line for line in lines[at:] if line.strip()), "")
    return following[:1] in (" ", "\t")


def _value(first: str, below: list[str]) -> str | None:
    if _BLOCK.match(first):
        return _block(first[0], below)
    text = " ".join([first, *(line.strip() for line in below if line.strip())]).strip()
    if text[:1] == '"':
        return _double_quoted(text)
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return None if text in ("", "null", "~") else text


def _block(style: str, below: list[str]) -> str:
    indent = min((len(line) - len(line.lstrip()) for line in below if line.strip()), default=0)
    lines = [line[indent:].rstrip() for line in below]
    if style == "|":
        return "\n".join(lines).strip("\n")
    paragraphs = "\n".join(lines).strip("\n").split("\n\n")
    return "\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)


def _double_quoted(text: str) -> str:
    try:
        value = json.loads(text, strict=False)
        return value if isinstance(value, str) else text
    except ValueError:
        return text.strip(
            '"'
        )  # an escape of YAML that JSON does not know, or a quote inside plain text
