"""Whose conversation a file holds: a session's, a later part of one, or a sub-agent's.

Older versions begin another file with the same session id after /clear and /compress, and for
each sub-agent.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

from agent_journal.connectors.base import Content, FileIdentity, Part
from agent_journal.connectors.gemini.prompts import instructed_agent
from agent_journal.connectors.gemini.records import Header
from agent_journal.connectors.recognition import stem
from agent_journal.text.dates import parse_time

_ASIDE = "~"  # before the name of a sub-agent: sorts after the names of all parts
_UNNAMED = "sub-agent"
_LETTERS = 8  # of the session id in a file's name
_SEPARATOR = re.compile(r"[/\\]")
_DATED = re.compile(r"session-\d{4}-\d\d-\d\dT\d\d-\d\d-(.{1,8})")


class Identity(NamedTuple):
    """The session that a file holds, and what it comes from."""

    session_id: str
    parent_id: str | None = None
    fork_of: str | None = None
    agent_name: str | None = None
    is_subagent: bool = False


def identity(
    file: FileIdentity, header: Header, opening: str, first_id: str | None, content: Content
) -> Identity:
    """Return whose conversation it is; `opening` is the first text after the context.

    `first_id` is the id of its first message, empty when that has none, None when it is not known.
    """
    nested = _nested(file)
    if nested is not None:
        return nested
    part = part_of(stem(file.name), header, opening, first_id)
    # A file that does not tell its conversation is a copy of any with its name
    earlier = [
        other
        for other in content.earlier_parts(part)
        if other.name != part.name or other.conversation
    ]
    name = part.name.removeprefix(_ASIDE)
    if any(other.name == part.name for other in earlier):
        name += f"-{part.conversation[:_LETTERS]}"
    recorded = None
    if header.session_id != name:
        recorded = header.session_id
    if part.name.startswith(_ASIDE):
        is_unknown = all(other.name.startswith(_ASIDE) for other in earlier)
        return _flat_subagent(name, recorded, instructed_agent(opening), is_unknown)
    if not earlier:
        return Identity(part.session_id)
    return Identity(name, fork_of=recorded)


def _flat_subagent(
    name: str, recorded: str | None, instructed: str | None, is_recorded_unknown: bool
) -> Identity:
    """A sub-agent in a file beside the sessions.

    Versions whose sub-agents open with an instruction of the harness record the id of the session
    that these work for. Others may record the sub-agent's own.
    """
    parent_id = recorded
    if instructed is None and is_recorded_unknown:
        parent_id = None
    return Identity(name, parent_id, agent_name=instructed or _UNNAMED, is_subagent=True)


def part_of(file_stem: str, header: Header, opening: str, first_id: str | None = None) -> Part:
    """Return which part of which session a file is; sub-agents are beside the parts."""
    recorded = header.session_id or file_stem
    name = _part_name(file_stem, recorded, header.started)
    if header.kind == "subagent" or instructed_agent(opening) is not None:
        name = _ASIDE + name
    return Part(recorded, name, _conversation(header, opening, first_id))


def _conversation(header: Header, opening: str, first_id: str | None) -> str:
    """What the copies of a conversation share: the id of the first message, or what it says."""
    if first_id is None:
        return ""
    key = first_id or f"{header.started}\n{opening}"
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _part_name(file_stem: str, recorded: str, started: str | None) -> str:
    """The name of a part of a session: that of its file as Gemini CLI names it."""
    dated = _DATED.fullmatch(file_stem)
    start = parse_time(started)
    if start is None or (dated is not None and recorded.startswith(dated[1])):
        return file_stem
    return f"session-{start:%Y-%m-%dT%H-%M}-{recorded[:_LETTERS]}"


def _nested(file: FileIdentity) -> Identity | None:
    """The sub-agent of the session that a folder is named after."""
    parent = ("", *_SEPARATOR.split(file.path))[-2]
    session_id = file.session_id or ""
    if not session_id.startswith(f"{parent}/"):  # an id that was recorded may have a slash, too
        return None
    return Identity(session_id, parent, is_subagent=True)
