"""What a transcript reader remembers between lines and between syncs.

It is saved with every file, so it stays small. Field names are part of what is saved.
"""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import TypeVar

import msgspec

from agent_journal.connectors.claude_code.records import Record
from agent_journal.connectors.titles import SpokenTitle, prompt_title, says_something
from agent_journal.connectors.values import one_line
from agent_journal.model import MessageKind, Session

AGENT = "claude-code"

# Ranks of titles: the highest is shown
CUSTOM_TITLE = 50
AI_TITLE = 40
DESCRIPTION = 35  # of a sub-agent's task
LAST_PROMPT = 30
SUMMARY = 20
SPOKEN = 10
COMMAND = 5
QUEUED = 3
SAYS_NOTHING = 2
_TITLE_SOURCES = {
    CUSTOM_TITLE: "custom-title",
    AI_TITLE: "ai-title",
    DESCRIPTION: "description",
    LAST_PROMPT: "last-prompt",
    SUMMARY: "summary",
    COMMAND: "command",
    QUEUED: "prompt",
}

# Types of lines that describe the session as a whole
SESSION_METADATA = ("custom-title", "ai-title", "last-prompt", "tag", "cost-state")

V = TypeVar("V")


class SessionFacts(msgspec.Struct, omit_defaults=True):
    """What is known about one session of a file."""

    id: str = ""
    # Whether any line is about this session; titles of other sessions do not count
    has_lines: bool = msgspec.field(default=False, name="real")
    titles: dict[int, str] = {}
    spoken: SpokenTitle = msgspec.field(default_factory=SpokenTitle)
    queued: datetime | None = None  # when the first prompt was queued
    cwd: str | None = None
    branch: str | None = None
    repository: str | None = None
    host: str | None = None
    version: str | None = None
    models: list[str] = []
    last_line: str | None = None
    started: datetime | None = None
    ended: datetime | None = None
    parent: str | None = None
    parent_call: str | None = None
    fork_of: str | None = None
    # The session that the first lines are of: this one continues it
    continues: str | None = None
    has_own_lines: bool = False
    agent_name: str | None = None
    tag: str | None = None
    slug: str | None = None
    settings: dict[str, str] = {}  # the last of each, as the lines name them
    cost: int | None = None
    by_sdk: bool = False
    by_person: bool = False
    by_machine: bool = False

    def note(self, record: Record, when: datetime | None) -> None:
        """Learn from the fields that every line of a conversation has."""
        self.has_lines = True
        self.last_line = record.uuid or self.last_line
        if when is not None:
            self._note_time(when)
        if self.cwd is None and record.cwd:
            self.cwd = record.cwd
        if record.git_branch and record.git_branch != "HEAD":
            self.branch = record.git_branch
        self.version = record.version or self.version
        self.slug = record.slug or self.slug
        if record.entrypoint and record.entrypoint != self.host:
            self._note_host(record.entrypoint)
        if record.session_kind == "daemon" or record.team_name:
            self.by_machine = True
        if record.forked_from is not None and self.fork_of is None:
            self.fork_of = record.forked_from.session_id
        if record.attribution_agent and self.parent is not None:
            self.agent_name = record.attribution_agent

    def note_setting(self, name: str, value: str | None) -> bool:
        """Learn a setting; whether it is new or another than before."""
        if not value or self.settings.get(name) == value:
            return False
        self.settings[name] = value
        return True

    def _note_time(self, when: datetime) -> None:
        if self.started is None:
            self.started = when
            self.ended = when
        elif self.ended is None or when > self.ended:
            self.ended = when

    def _note_host(self, entrypoint: str) -> None:
        self.host = entrypoint
        if entrypoint.startswith("sdk-"):
            self.by_sdk = True
        else:
            self.by_person = True

    def note_text(self, kind: MessageKind, text: str, *, is_child: bool = False) -> None:
        """Learn a title from a text of the user's side, when there is none better yet."""
        if kind == "prompt" or (kind == "injected" and is_child):
            self.spoken.note_prompt(text)
        elif kind == "command" and COMMAND not in self.titles:
            self.titles[COMMAND] = one_line(text)

    def note_queued(self, kind: MessageKind, text: str, when: datetime | None) -> None:
        """Learn from a prompt that waits in the queue; the person may still take it back."""
        self.has_lines = True
        self.queued = self.queued or when
        title = prompt_title(text)
        if kind == "prompt" and title and says_something(title):
            self.titles.setdefault(QUEUED, title)

    def note_metadata(self, record: Record) -> None:
        """Learn from a line of a SESSION_METADATA type; the last line of a type wins."""
        self.has_lines = True
        kind = record.type
        if kind == "custom-title":
            self.titles[CUSTOM_TITLE] = one_line(record.custom_title or "")
        elif kind == "ai-title":
            self.titles[AI_TITLE] = one_line(record.ai_title or "")
        elif kind == "tag":
            self.tag = record.tag or None
        elif kind == "last-prompt" and record.last_prompt:
            self._note_last_prompt(record.last_prompt)
        elif kind == "cost-state" and record.total_cost_usd is not None:
            self.cost = round(record.total_cost_usd * 1_000_000)

    def _note_last_prompt(self, text: str) -> None:
        title = prompt_title(text)
        if title is not None and says_something(title):
            self.titles[LAST_PROMPT] = title

    def _title(self) -> tuple[int, str | None, str | None]:
        """Rank, text and source of the best title."""
        rank = max((rank for rank, title in self.titles.items() if title), default=0)
        spoken = self.spoken
        spoken_rank = SPOKEN
        if spoken.text is None:
            spoken_rank = 0
        elif not spoken.is_telling and spoken.source == "prompt":
            spoken_rank = SAYS_NOTHING
        if spoken_rank > rank:
            return spoken_rank, spoken.text, spoken.source
        return rank, self.titles.get(rank), _TITLE_SOURCES.get(rank)

    def session(self, project_dir: str | None) -> Session:
        """The session as a piece of the model."""
        rank, title, source = self._title()
        tags: tuple[str, ...] = ()
        if self.tag:
            tags = (self.tag,)
        last_line = None
        if self.parent is None:
            last_line = self.last_line
        return Session(
            agent=AGENT,
            id=self.id,
            title=title,
            title_rank=rank,
            title_source=source,
            project_path=self.cwd,
            project_dir=project_dir,
            repository=self.repository,
            git_branch=self.branch,
            host_app=self.host,
            agent_version=self.version,
            models=tuple(self.models),
            started_at=self.started or self.queued,
            ended_at=self.ended,
            parent_id=self.parent,
            parent_call_id=self.parent_call,
            fork_of=self.fork_of or self.continues,
            agent_name=self.agent_name,
            slug=self.slug,
            tags=tags,
            recorded_cost_micro_usd=self.cost,
            is_automated=self.by_machine or (self.by_sdk and not self.by_person),
            last_line_id=last_line,
        )


class PendingCall(msgspec.Struct, omit_defaults=True):
    """A tool call whose result needs to know what was asked."""

    name: str
    message_id: str | None = None
    input: bytes = b""
    description: str | None = None  # of a sub-agent's task
    agent_type: str | None = None


class AgentThread(msgspec.Struct, omit_defaults=True):
    """A sub-agent that another transcript reports; `has_file`: it has a transcript of its own."""

    facts: SessionFacts
    last_line: str | None = None
    last_text: str | None = None  # its mark
    has_file: bool = False


class QueuedPrompt(msgspec.Struct, omit_defaults=True):
    """A prompt that waits for the agent, or that has left the queue and may still come again."""

    message_id: str
    text: str
    is_taken: bool = False  # by the agent
    is_popped: bool = False  # by the person, to edit it


class TranscriptState(msgspec.Struct, omit_defaults=True):
    """Everything a transcript reader remembers.

    The maps are bounded: a forgotten item loses a link, never a message.
    """

    main: SessionFacts = msgspec.field(default_factory=SessionFacts)
    # Sub-agents whose lines are in the main file, by short id
    sidechains: dict[str, SessionFacts] = {}
    sidechain_of: dict[str, str] = {}  # uuid of a sidechain line -> short id
    agents: dict[str, AgentThread] = {}  # sub-agents in `progress` lines, by id
    tasks: dict[str, str] = {}  # prompt given to a sub-agent (hash) -> call id
    bridges: dict[str, str] = {}  # uuid of a line that is not a message -> the message before it
    calls: dict[str, PendingCall] = {}
    recent: dict[str, int] = {}  # ids of the last messages of the model
    # 12 bytes for every line: a hash of its uuid, and a checksum of what it says
    seen: bytearray = msgspec.field(default_factory=bytearray)
    summaries: dict[str, str] = {}  # titles whose last line has not been seen, by its uuid
    backups: dict[str, str] = {}  # path -> its newest backup
    queue: list[QueuedPrompt] = []


def keep_recent(store: dict[str, V], key: str, value: V, limit: int) -> None:
    """Add to a bounded map; a full one drops its older half.

    `loose.remember` drops one item at a time, which is too slow for maps of this size.
    """
    store[key] = value
    if len(store) > limit:
        for old in list(islice(store, len(store) // 2)):
            del store[old]
