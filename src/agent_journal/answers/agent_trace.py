"""A commit as a record of Agent Trace 0.1, which other tools read.

A line is `ai` only where its session is named as `written` or `beside`. Of all others the record
says `unknown`: what else is known of them is in `metadata`.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid5

from agent_journal import __version__
from agent_journal.answers.answer import iso_time
from agent_journal.provenance.commits import CommitShares
from agent_journal.provenance.shares import LinesOf, Share
from agent_journal.text.names import model_name

VERSION = "0.1.0"
_OURS = "io.agent-journal"
_NAMESPACE = UUID("5d3c7e0a-6f0e-5c39-9a9c-0d6a4b1f7a52")  # the same commit gets the same id
_SURE = ("written", "beside")
# How the names of models begin, and who makes them
_MAKERS = {"claude": "anthropic", "gpt": "openai", "gemini": "google"}


def agent_trace(found: CommitShares) -> dict[str, Any]:
    """Return the record of a commit."""
    files: dict[str, list[dict[str, Any]]] = {}
    classes: dict[str, list[dict[str, Any]]] = {}
    for share in found.shares:
        for path in share.files:
            ranges = [lines for lines in share.ranges if lines.path == path]
            files.setdefault(path, []).extend(_conversations(found, share, ranges))
            classes.setdefault(path, []).extend(_classes(found, share, ranges))
    return {
        "version": VERSION,
        "id": str(uuid5(_NAMESPACE, found.commit.sha)),
        "timestamp": iso_time(found.commit.committed),
        "vcs": {"type": "git", "revision": found.commit.sha},
        "tool": {"name": "agent-journal", "version": __version__},
        "files": [{"path": path, "conversations": told} for path, told in files.items()],
        "metadata": {_OURS: {"lines": classes}},
    }


def _conversations(
    found: CommitShares, share: Share, ranges: list[LinesOf]
) -> list[dict[str, Any]]:
    """Return what one session wrote in one file: what is sure, and what is not."""
    told = []
    for is_sure in (True, False):
        own = [lines for lines in ranges if (lines.line_class in _SURE) == is_sure]
        if not own:
            continue
        conversation: dict[str, Any] = {"contributor": {"type": "unknown"}}
        if is_sure:
            conversation["contributor"] = _contributor(found, share)
        if share.session is not None:
            conversation["url"] = f"urn:agent-journal:{quote(_name(found, share), safe=':/')}"
        conversation["ranges"] = _joined(own)
        told.append(conversation)
    return told


def _contributor(found: CommitShares, share: Share) -> dict[str, str]:
    """Return the agent as a contributor, with its model where the session had only one."""
    assert share.session is not None
    models = json.loads(found.finder.sessions.row(share.session).models or "[]")
    names = {model_name(model) for model in models}
    contributor = {"type": "ai"}
    if len(names) == 1:
        name = names.pop()
        for start, maker in _MAKERS.items():
            if name.startswith(start):
                contributor["model_id"] = f"{maker}/{name}"
    return contributor


def _classes(found: CommitShares, share: Share, ranges: list[LinesOf]) -> list[dict[str, Any]]:
    session = None
    if share.session is not None:
        session = _name(found, share)
    return [{**_range(lines), "class": lines.line_class, "session": session} for lines in ranges]


def _name(found: CommitShares, share: Share) -> str:
    assert share.session is not None
    row = found.finder.sessions.row(share.session)
    return f"{row.agent}:{row.uid}"


def _joined(ranges: list[LinesOf]) -> list[dict[str, int]]:
    """Return ranges without regard to the classes of their lines."""
    joined: list[LinesOf] = []
    for lines in ranges:
        if joined and joined[-1].last == lines.first - 1:
            joined[-1] = joined[-1]._replace(last=lines.last)
        else:
            joined.append(lines)
    return [_range(lines) for lines in joined]


def _range(lines: LinesOf) -> dict[str, int]:
    return {"start_line": lines.first, "end_line": lines.last}
