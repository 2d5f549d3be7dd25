"""Sessions as files that Copilot CLI resumes: `session-state/<id>/events.jsonl` and small files
beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent_journal.convert.accounting import Written, account
from agent_journal.convert.copilot_cli.events import Events, left_out
from agent_journal.convert.copilot_cli.files import (
    checkpoints,
    context,
    find_plan,
    todo_list,
    workspace,
)
from agent_journal.convert.copilot_cli.rules import rules
from agent_journal.convert.parts import nothing_to_continue
from agent_journal.convert.target import Converted, NewFile, NewIdentity
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
            "converted": fresh.origin(main),  # Copilot CLI ignores other fields
        }
        events = Events(family, start, fresh)
        if not events.message_count:
            raise nothing_to_continue(main)
        files = [
            NewFile(f"{folder}/events.jsonl", b"".join(events.lines)),
            NewFile(f"{folder}/workspace.yaml", workspace(main, fresh)),
        ]
        plan = find_plan(main)
        if plan:
            files.append(NewFile(f"{folder}/plan.md", plan.text.encode("utf-8", "replace")))
        files += [NewFile(f"{folder}/checkpoints/{name}", body) for name, body in checkpoints(main)]
        if main.todos:
            files.append(NewFile(f"{folder}/session.db", todo_list(main.todos, fresh.now)))
        saved_plans = [other for other in main.plans if other.kind == "checkpoint"]
        written = Written([*events.written, main, *main.todos, plan, *saved_plans])
        losses = account(family, rules(family, written), left_out)
        return Converted(fresh.session_id, tuple(files), losses)
