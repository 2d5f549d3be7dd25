"""How errors are printed; imported only when there is one."""

from __future__ import annotations

from agent_journal.answers.failure import Failure, failure_of
from agent_journal.cli.output import echo, note
from agent_journal.text.plain import safe

__all__ = ["Failure", "failure_of", "report"]


def report(failure: Failure, as_json: bool) -> None:
    """Print a failure: as JSON on stdout, or as a sentence on stderr."""
    if as_json:
        import json

        echo(json.dumps(failure.envelope(), separators=(",", ":")))
        return
    note(f"aj: {safe(failure.message)}")
    if failure.hint:
        for line in failure.hint.splitlines():
            note(f"    {line}")
