"""`converted`: sessions written as files of another agent, and what was lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict

from agent_journal.answers.answer import Answer, whole_answer

if TYPE_CHECKING:
    from agent_journal.convert.job import Made
    from agent_journal.convert.losses import Loss


class LossItem(TypedDict):
    """What became of one field: `mapped`, `adapted` or `dropped`."""

    field: str
    fate: str
    count: int
    why: NotRequired[str]


class ResumeCommand(TypedDict):
    """The command that continues a session, and the folder to run it in."""

    argv: list[str]
    cwd: str | None


class ConvertedItem(TypedDict):
    """One session; `path` is null where it was refused."""

    agent: str
    session: str
    to: str
    new_session: str
    path: str | None
    size: int
    files: list[str]
    is_original: bool
    is_lossy: bool
    losses: list[LossItem]
    resume: ResumeCommand | None


def converted_answer(written: Sequence[tuple[Made, str | None]], problems: int) -> Answer:
    """Return the converted sessions, each with the path it was written to."""
    items = [_item(made, path) for made, path in written]
    return whole_answer("converted", items, problems=problems)


def _item(made: Made, path: str | None) -> ConvertedItem:
    losses = made.converted.losses
    resume = None
    command = made.command()
    if command is not None:
        resume = ResumeCommand(argv=list(command.argv), cwd=command.folder)
    return ConvertedItem(
        agent=made.row.agent,
        session=made.row.id,
        to=made.target,
        new_session=made.converted.session_id,
        path=path,
        size=made.size,
        files=[file.path for file in made.converted.files],
        is_original=made.is_original,
        is_lossy=losses.is_lossy,
        losses=[_loss(loss) for loss in losses.entries()],
        resume=resume,
    )


def _loss(loss: Loss) -> LossItem:
    item = LossItem(field=loss.field, fate=loss.fate, count=loss.count)
    if loss.why:
        item["why"] = loss.why
    return item
