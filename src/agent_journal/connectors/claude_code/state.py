"""What a transcript reader remembers between lines, and between syncs: small, because it is saved
with every file.
"""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import TypeVar

import msgspec

from agent_journal.connectors.claude_code.records import Record
from agent_journal.connectors.values import one_line
from agent_journal.model import Session

AGENT = "claude-code"

CUSTOM_TITLE, AI_TITLE, LAST_PROMPT, SUMMARY, FIRST_PROMPT = 50, 40, 30, 20, 10
_TITLE_SOURCES = {
    50: "custom-title",
    40: "ai-title",
    30: "last-prompt",
    20: "summary",
    10: "prompt",
}

V = TypeVar("V")


class Facts(msgspec.Struct, omit_defaults=True):
    """What is known about one session of a file."""

    id: str = ""
    real: bool = False  # whether any line is about this session itself
    titles: dict[int, str] = {}
    cwd: str | None = None
    branch: str | None = None
    repository: str | None = None
    host: str | None = None
    version: str | None = None
    models: list[str] = []
    started: datetime | None = None
    ended: datetime | None = None
    parent: str | None = None
    parent_call: str | None = None
    fork_of: str | None = None
    tag: str | None = None
    slug: str | None = None
    cost: int | None = None
    by_sdk: bool = False
    by_person: bool = False
    by_machine: bool = False

    def note(self, record: Record, when: datetime | None) -> None:
        """Learns from the envelope of one transcript line."""
        self.real = True
        if when is not None:
            if self.started is None:
                self.started = self.ended = when
            elif self.ended is None or when > self.ended:
                self.ended = when
        if self.cwd is None and record.cwd:
            self.cwd = record.cwd
        if record.git_branch and record.git_branch != "HEAD":
            self.branch = record.git_branch
        if record.version:
            self.version = record.version
        if record.entrypoint and record.entrypoint != self.host:
            self.host = record.entrypoint
            self.by_sdk |= record.entrypoint.startswith("sdk-")
            self.by_person |= not record.entrypoint.startswith("sdk-")
        if record.slug:
            self.slug = record.slug
        if record.session_kind == "daemon" or record.team_name:
            self.by_machine = True
        if record.forked_from is not None and self.fork_of is None:
            self.fork_of = record.forked_from.session_id

    def note_metadata(self, record: Record) -> bool:
        """Takes over what a line says about the session as a whole; the last line of a kind wins."""
        kind = record.type
        if kind == "custom-title":
            self.titles[CUSTOM_TITLE] = one_line(record.custom_title or "")
        elif kind == "ai-title":
            self.titles[AI_TITLE] = one_line(record.ai_title or "")
        elif kind == "last-prompt":
            if record.last_prompt:
                self.titles[LAST_PROMPT] = one_line(record.last_prompt)
        elif kind == "tag":
            self.tag = record.tag or None
        elif kind == "cost-state":
            if record.total_cost_usd is not None:
                self.cost = round(record.total_cost_usd * 1_000_000)
        else:
            return False
        self.real = True
        return True

    def session(self, project_dir: str | None) -> Session:
        """The facts as the model has them."""
        rank = max((rank for rank, title in self.titles.items() if title), default=0)
        return Session(
            agent=AGENT,
            id=self.id,
            title=self.titles.get(rank),
            title_rank=rank,
            title_source=_TITLE_SOURCES.get(rank),
            project_path=self.cwd,
            project_dir=project_dir,
            repository=self.repository,
            git_branch=self.branch,
            host_app=self.host,
            agent_version=self.version,
            models=tuple(self.models),
            started_at=self.started,
            ended_at=self.ended,
            parent_id=self.parent,
            parent_call_id=self.parent_call,
            fork_of=self.fork_of,
            slug=self.slug,
            tags=(self.tag,) if self.tag else (),
            recorded_cost_micro_usd=self.cost,
            is_automated=self.by_machine or (self.by_sdk and not self.by_person),
        )


class OpenCall(msgspec.Struct, omit_defaults=True):
    """A tool call whose result is worth a second look, until the result comes."""

    name: str
    message_id: str | None = None
    input: bytes = b""


class State(msgspec.Struct, omit_defaults=True):
    """Everything a transcript reader remembers. The maps are bounded: a forgotten entry costs a
    link, not a message.
    """

    main: Facts = msgspec.field(default_factory=Facts)
    # Threads of sub-agents written into the main file, by short id
    sidechains: dict[str, Facts] = {}
    sidechain_of: dict[str, str] = {}  # uuid of a sidechain line -> short id
    tasks: dict[str, str] = {}  # prompt given to a sub-agent (hash) -> call id
    bridges: dict[str, str] = {}  # uuid of a line that is no message -> the message before it
    calls: dict[str, OpenCall] = {}
    recent: dict[str, int] = {}  # ids of the last messages of the model
    seen: bytearray = msgspec.field(default_factory=bytearray)  # 8 bytes of hash for every uuid
    summaries: dict[str, str] = {}  # titles whose last line has not been seen, by its uuid
    backups: dict[str, str] = {}  # path -> the newest backup told


def remember(where: dict[str, V], key: str, value: V, limit: int) -> None:
    """Adds to a bounded map; when it is full the older half goes."""
    where[key] = value
    if len(where) > limit:
        for old in list(islice(where, len(where) // 2)):
            del where[old]
