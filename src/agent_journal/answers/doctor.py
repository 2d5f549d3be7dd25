"""`doctor`: the state of each agent, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from agent_journal.answers.answer import Answer, whole_answer
from agent_journal.answers.schedule import ScheduleItem
from agent_journal.answers.watching import WatchingItem, watching_item
from agent_journal.config.loading import source_setting
from agent_journal.connectors import BUILT_IN
from agent_journal.store.catalog.ledger import ARCHIVE_DAMAGED
from agent_journal.text.human import human_size, plural, short_path
from agent_journal.text.plain import safe

if TYPE_CHECKING:
    from agent_journal.health.examine import AgentHealth, Root
    from agent_journal.sync.watching.holder import Holder


class RootItem(TypedDict):
    """A folder of an agent."""

    path: str
    exists: bool
    files: int
    unkept_files: int
    unkept_bytes: int
    refused_files: int
    retention_days: int | None
    due_files: int
    due_unkept: int
    unlisted: list[str]
    is_configured: bool


class UnknownItem(TypedDict):
    """A kind of record that the reader does not know."""

    kind: str
    records: int
    versions: list[str]


class TroubleItem(TypedDict):
    """A place that could not be read."""

    path: str
    offset: int | None
    reason: str
    kind: str


class RescuedItem(TypedDict):
    """A session that was read in spite of damage, or that the agent does not list, or lost."""

    session: str
    title: str | None
    path: str
    reason: str


class CountItem(TypedDict):
    """Something that the agent and the journal count differently."""

    what: str
    own: int
    journal: int
    why: str


class EarlierItem(TypedDict):
    """An earlier version of a file with messages of a session that no later one has."""

    session: str
    title: str | None
    path: str
    version: int
    messages: int
    command: str


class CopyItem(TypedDict):
    """A file with messages of a session that is read from another file."""

    session: str
    title: str | None
    path: str
    other_path: str
    messages: int


class DoctorItem(TypedDict):
    """The state of one agent."""

    agent: str
    title: str
    roots: list[RootItem]
    sessions: int
    vanished_files: int
    records: dict[str, int]
    pending_bytes: int
    unknown: list[UnknownItem]
    troubles: list[TroubleItem]
    trouble_count: int
    unlooked: list[str]
    recovered: list[RescuedItem]
    hidden: list[RescuedItem]
    lost: list[RescuedItem]
    earlier: list[RescuedItem]
    earlier_messages: list[EarlierItem]
    uncompared_files: int
    other_copies: list[CopyItem]
    differences: list[CountItem]
    is_scattered: bool
    broken: str
    is_installed: bool


class DoctorExtra(TypedDict):
    """What to do, in sentences, and what keeps the journal up to date."""

    advice: list[str]
    watching: WatchingItem | None
    schedule: list[ScheduleItem]


def doctor_answer(
    agents: Sequence[AgentHealth],
    advice: list[str],
    holder: Holder | None,
    schedule: list[ScheduleItem],
) -> Answer:
    """Return the state of the agents, and what to do."""
    items = [_item(health) for health in agents]
    problems = sum(health.trouble_count for health in agents)
    return whole_answer(
        "doctor",
        items,
        problems=problems,
        advice=advice,
        watching=watching_item(holder),
        schedule=schedule,
    )


def _item(health: AgentHealth) -> DoctorItem:
    # The rows of these lists are named tuples whose fields are the fields of their items.
    return DoctorItem(
        agent=health.agent,
        title=health.title,
        roots=_items(health.roots),
        sessions=health.sessions,
        vanished_files=health.vanished_files,
        records=dict(health.records),
        pending_bytes=health.pending_bytes,
        unknown=_items(health.unknown),
        troubles=_items(health.troubles),
        trouble_count=health.trouble_count,
        unlooked=list(health.unlooked),
        recovered=_items(health.recovered),
        hidden=_items(health.hidden),
        lost=_items(health.lost),
        earlier=_items(health.earlier),
        earlier_messages=_items(health.earlier_messages),
        uncompared_files=health.uncompared_files,
        other_copies=_items(health.other_copies),
        differences=_items(health.differences),
        is_scattered=health.is_scattered,
        broken=health.broken,
        is_installed=health.is_installed,
    )


def _items(rows: Iterable[Any]) -> list[Any]:
    return [row._asdict() for row in rows]


def advice_on(health: AgentHealth) -> Iterator[str]:
    """Return what to do about an agent; nothing when all is well."""
    if health.broken:
        yield f"{safe(health.broken)}: update or remove its package"
    for root in health.roots:
        yield from _advice_on_root(health, root)
    for path in health.unlooked:
        yield (
            f"{short_path(path)} has files of {health.title}, but the settings do not name it: "
            f"run 'aj config unset {source_setting(health.agent)}', or add the folder"
        )
    if any(_is_unopened(trouble.kind, trouble.reason) for trouble in health.troubles):
        yield (
            f"some files of {health.title} cannot be opened: "
            "check their permissions, then run 'aj sync'"
        )
    is_damaged = any(trouble.reason.startswith(ARCHIVE_DAMAGED) for trouble in health.troubles)
    if is_damaged or health.lost_files:
        yield (
            f"the archive is damaged, and has lost bytes of some files of {health.title}: "
            "copy it from a backup, then run 'aj sync'"
        )
    if any(trouble.reason.startswith("not kept: ") for trouble in health.troubles):
        yield f"some files of {health.title} have names that are not UTF-8: rename them"
    failures = _reader_failures(health)
    if failures:
        package = "the package of its connector"
        if health.agent in BUILT_IN:
            package = "agent-journal"
        places = plural(failures, "place")
        yield f"the reader of {health.title} failed at {places}: update {package}, or report it"


def _advice_on_root(health: AgentHealth, root: Root) -> Iterator[str]:
    title = health.title
    if root.is_configured and not root.exists:
        yield (
            f"the folder that the settings name for {title} is missing: {short_path(root.path)}; "
            f"'aj config set {source_setting(health.agent)} PATH' names another"
        )
    if root.due_unkept:
        files = plural(root.due_unkept, "file")
        yield f"{title} will delete {files} within a week, not fully kept: run 'aj sync'"
    elif root.unkept_files:
        files = plural(root.unkept_files, "file")
        size = human_size(root.unkept_bytes)
        yield f"{size} in {files} of {title} not kept yet: run 'aj sync'"
    if root.unlisted:
        places = plural(len(root.unlisted), "place")
        yield f"{places} of {title} cannot be listed: check names and permissions"


def _is_unopened(kind: str, reason: str) -> bool:
    return kind == "file" and reason.startswith("cannot be read: ")


def _reader_failures(health: AgentHealth) -> int:
    """Return how often a reader failed where the agent's files may be all right."""
    words = (f"the {health.title} reader failed: ", "cannot be read: ")
    kinds = [trouble.kind for trouble in health.troubles if trouble.reason.startswith(words)]
    if health.agent in BUILT_IN:
        return sum(kind == "reader" for kind in kinds)
    return sum(kind != "file" for kind in kinds)
