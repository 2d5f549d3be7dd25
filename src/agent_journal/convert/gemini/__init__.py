"""Sessions as documents that Gemini CLI resumes: `tmp/<project>/chats/session-….json`.

Gemini CLI 0.61 deletes every file whose name ends in the first eight characters of a session that
was resumed, and sessions that were last changed 30 days ago: so the name ends in others, and the
time of the change is now.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from datetime import UTC
from typing import Any

from agent_journal.connectors.values import mapping, string
from agent_journal.convert.accounting import TITLE, Written, account
from agent_journal.convert.gemini.messages import Messages, left_out
from agent_journal.convert.gemini.rules import rules
from agent_journal.convert.parts import iso, moved, nothing_to_continue
from agent_journal.convert.target import Converted, NewFile, NewIdentity
from agent_journal.model import Session
from agent_journal.text.plain import one_line

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")  # of a folder
_LETTERS = 8  # of a session's id in the name of its file


class GeminiTarget:
    """Writes for Gemini CLI."""

    name = "gemini"

    def convert(self, family: Sequence[Session], fresh: NewIdentity) -> Converted:
        """The session (first) and its sub-agents as the agent's own files."""
        main = family[0]
        project = hashlib.sha256((main.project_path or "/").encode("utf-8", "replace")).hexdigest()
        folder = f"tmp/{project}/chats"
        children = {child.id: f"agent-{fresh.new_id()[:_LETTERS]}" for child in family[1:]}
        talks = {session.id: Messages(session, fresh, children) for session in family}
        if not talks[main.id].has_messages:
            raise nothing_to_continue(main)
        files = []
        written = Written()
        for session in family:
            talk = talks[session.id]
            written.update(talk.written)
            if session is main:
                path = f"{folder}/{_file_name(main, fresh)}"
            else:
                path = f"{folder}/{fresh.session_id}/{children[session.id]}.json"
            if talk.has_messages:
                document = _document(session, talk, project, fresh, is_main=session is main)
                files.append(NewFile(path, json.dumps(document).encode()))
        losses = account(family, rules(family, written), left_out)
        return Converted(fresh.session_id, tuple(files), losses)


def _file_name(main: Session, fresh: NewIdentity) -> str:
    started = (main.started_at or fresh.now).astimezone(UTC)
    letters = fresh.new_id()[:_LETTERS]
    while fresh.session_id.startswith(letters):
        letters = fresh.new_id()[:_LETTERS]
    return f"session-{started:%Y-%m-%dT%H-%M}-{letters}.json"


def _document(
    session: Session, talk: Messages, project: str, fresh: NewIdentity, *, is_main: bool
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "sessionId": fresh.session_id if is_main else fresh.new_id(),
        "projectHash": project,
        "startTime": iso(talk.started),
        "lastUpdated": iso(fresh.now),
        "kind": "main" if is_main else "subagent",
        "converted": fresh.origin(session),
        "messages": talk.all,
    }
    title = one_line(session.title, TITLE)
    if title:
        document["summary"] = title
    return document


def installed_files(
    files: tuple[NewFile, ...], root: str, folder: str | None
) -> tuple[NewFile, ...]:
    """The files for Gemini's own folder, where a project that it knows has a name."""
    name = _project_name(root, folder)
    if name is None:
        return files
    kept_in = files[0].path.split("/chats/")[0]
    return moved(files, kept_in, f"tmp/{name}")


def _project_name(root: str, folder: str | None) -> str | None:
    try:
        with open(os.path.join(root, "projects.json"), encoding="utf-8") as file:
            projects = mapping(mapping(json.load(file)).get("projects"))
    except (OSError, ValueError, RecursionError):
        return None
    name = string(projects.get(folder or ""))
    if name is None or not _PLAIN_NAME.fullmatch(name):
        return None
    return name
