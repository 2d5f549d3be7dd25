"""Sessions as rollouts that Codex CLI resumes: `sessions/2026/11/15/rollout-…-<id>.jsonl`.

Nothing is written to Codex's database: it finds a new rollout by its id. The title goes into
`session_index.jsonl`, which Codex only ever appends to.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from agent_journal.convert.accounting import TITLE, Written, account
from agent_journal.convert.codex.lines import Rollout, left_out
from agent_journal.convert.codex.rules import rules
from agent_journal.convert.parts import iso, json_line, nothing_to_continue
from agent_journal.convert.target import Converted, NewFile, NewIdentity
from agent_journal.model import Session
from agent_journal.text.plain import one_line


class CodexTarget:
    """Writes for Codex CLI."""

    name = "codex"

    def convert(self, family: Sequence[Session], fresh: NewIdentity) -> Converted:
        """The session (first) and its sub-agents as the agent's own files."""
        main = family[0]
        ids = {main.id: fresh.session_id}
        for child in family[1:]:
            ids[child.id] = fresh.new_id()
        rollouts = {session.id: Rollout(session, main, ids, fresh) for session in family}
        if not rollouts[main.id].has_messages:
            raise nothing_to_continue(main)
        files = []
        written = Written()
        for session in family:
            rollout = rollouts[session.id]
            written.update(rollout.written)
            if rollout.has_messages:
                name = _file_name(rollout.started, ids[session.id])
                files.append(NewFile(name, b"".join(rollout.lines)))
        names = b"".join(_name_entry(session, ids[session.id], fresh) for session in family)
        if names:
            files.append(NewFile("session_index.jsonl", names, is_appended=True))
        losses = account(family, rules(family, written), left_out)
        return Converted(fresh.session_id, tuple(files), losses)


def _name_entry(session: Session, session_id: str, fresh: NewIdentity) -> bytes:
    """The name of a session in Codex's index; nothing for one without a title."""
    title = one_line(session.title, TITLE)
    if not title:
        return b""
    updated = iso(session.ended_at or fresh.now)
    return json_line({"id": session_id, "thread_name": title, "updated_at": updated})


def _file_name(started: datetime, session_id: str) -> str:
    when = started.astimezone(UTC)
    return f"sessions/{when:%Y/%m/%d}/rollout-{when:%Y-%m-%dT%H-%M-%S}-{session_id}.jsonl"
