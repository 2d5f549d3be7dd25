"""Sessions as files that Copilot CLI resumes: `session-state/<id>/events.jsonl` and the small files
beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent_journal.convert.accounting import account
from agent_journal.convert.copilot_cli.events import Events, left_out
from agent_journal.convert.copilot_cli.files import (
    checkpoints,
    context,
    the_plan,
    todo_list,
    workspace,
)
from agent_journal.convert.copilot_cli.rules import rules
from agent_journal.convert.target import Converted, NewFile, NewIdentity
from agent_journal.errors import UsageError
from agent_journal.model import Session

VERSION = "1.0.102"


class CopilotCliTarget:
    """Writes for Copilot CLI."""

    name = "copilot-cli"

    def convert(self, family: Sequence[Session], fresh: NewIdentity) -> Converted:
        """The session (first) and its sub-agents as the agent's own files."""
        main = family[0]
        folder = f"session-state/{fresh.session_id}"
        start = {
            "sessionId": fresh.session_id,
            "version": 1,
            "producer": "agent-journal",
            "copilotVersion": VERSION,
            "context": context(main),
        }
        events = Events(family, start, fresh)
        if not events.count:
            raise UsageError(
                f"{main.agent}:{main.id} has no message to go on from",
                "'aj show' shows what is in it",
            )
        files = [
            NewFile(f"{folder}/events.jsonl", b"".join(events.lines)),
            NewFile(f"{folder}/workspace.yaml", workspace(main, fresh)),
        ]
        plan = the_plan(main)
        if plan:
            files.append(NewFile(f"{folder}/plan.md", plan.text.encode("utf-8", "replace")))
        files += [NewFile(f"{folder}/checkpoints/{name}", body) for name, body in checkpoints(main)]
        if main.todos:
            files.append(NewFile(f"{folder}/session.db", todo_list(main.todos, fresh.now)))
        kept = [main, *main.todos, plan, *(one for one in main.plans if one.kind == "checkpoint")]
        losses = account(family, rules(family, events.written | set(map(id, kept))), left_out)
        return Converted(fresh.session_id, tuple(files), losses)
