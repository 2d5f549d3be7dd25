"""What becomes of a session in another agent: the command, and what would be lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.convert.resuming import command, find_method
from agent_journal.convert.targets import TARGETS
from agent_journal.errors import UsageError
from agent_journal.text.plain import shell_word

if TYPE_CHECKING:
    from agent_journal.convert.job import Job, Made
    from agent_journal.convert.losses import Loss
    from agent_journal.journal import Journal
    from agent_journal.store.catalog.listing import SessionRow


class Continuation(NamedTuple):
    """A way to go on with a session; `losses` is None where they were not looked for."""

    target: str
    title: str
    command: str
    losses: list[Loss] | None = None
    refusal: str = ""  # why it cannot be converted


def convert_row(journal: Journal, row: SessionRow, job: Job, folder: str | None = None) -> Made:
    """Convert one session in memory; for another folder, where one is given."""
    from agent_journal.store.restore import files_of

    originals = []
    if row.agent == job.agent and folder is None:
        originals = files_of(journal.db, row)
    return job.convert(journal.db, journal.archive, row, originals, folder)


def resume_command(row: SessionRow) -> str | None:
    """The command that continues a session in its own agent; None where there is none."""
    if "/" in row.id or command(row.agent, row.id, row.project_path) is None:
        return None  # a sub-agent, or an agent that resumes nothing from outside
    return f"aj resume {_name(row)}"


def continuations(row: SessionRow) -> Iterator[Continuation]:
    """The other agents that a session can be continued in, without what would be lost."""
    for target, entry in TARGETS.items():
        if entry.agent == row.agent:
            continue
        title = "VS Code"
        folder = shell_word(row.project_path or "FOLDER")
        how = f"aj convert {_name(row)} --to {target} --into {folder}"
        if entry.agent is not None:
            method = find_method(entry.agent)
            title = entry.agent
            if method is not None:
                title = method.title
            how = f"aj resume {_name(row)} --with {target}"
        yield Continuation(target, title, how)


def with_losses(journal: Journal, row: SessionRow, way: Continuation) -> Continuation:
    """The same with what would be lost; nothing is written."""
    from agent_journal import __version__
    from agent_journal.convert.job import Job

    job = Job(journal.config, journal.env, way.target, False, f"agent-journal {__version__}")
    try:
        made = convert_row(journal, row, job)
    except UsageError as error:
        return way._replace(losses=[], refusal=error.message)
    lost = [loss for loss in made.converted.losses.entries() if loss.fate == "dropped"]
    return way._replace(losses=lost)


def _name(row: SessionRow) -> str:
    return shell_word(f"{row.agent}:{row.id}")
