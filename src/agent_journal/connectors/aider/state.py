"""What the reader of a history remembers from line to line, and from sync to sync."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from typing import Literal

import msgspec

from agent_journal.model import MessageKind, Role, Session
from agent_journal.text.dates import parse_time

HEADER = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
TITLE_RANK = 10
COMMAND_TITLE_RANK = 5
MAX_HELD = 1000  # names of files and models that are remembered
BlockKind = Literal["", "prompt", "answer", "output"]
EditForm = Literal["block", "whole", "diff", "patch"]
Mode = Literal["", "search", "replace", "whole", "code", "diff", "patch"]
Verb = Literal["", "Add", "Update", "Delete"]


def run_id(path: str, header: str, repeat: int) -> str:
    """Return the id of a run, made from its file, its start and its number among equal starts."""
    name = f"{path}\n{header}\n{repeat}"
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Run(msgspec.Struct):
    """One run of aider, a session."""

    id: str
    header: str = ""
    title: str | None = None
    title_rank: int = 0
    version: str | None = None
    models: list[str] = []
    cost: int | None = None
    is_scripted: bool = False

    @property
    def started_at(self) -> datetime | None:
        """The start as written: local time without a zone, read as UTC."""
        if not self.header:
            return None
        return parse_time(self.header)

    def use(self, model: str) -> None:
        """Set the model of the answers that follow: the last of `models`."""
        others = [name for name in self.models if name != model]
        self.models = [*others, model][-MAX_HELD:]

    def propose_title(self, title: str, rank: int) -> None:
        """Use the first prompt as the title; a command only while there is no prompt."""
        if title and rank > self.title_rank:
            self.title = title[:500]
            self.title_rank = rank

    def session(self, agent: str, folder: str) -> Session:
        """Return what the file says about the run."""
        return Session(
            agent=agent,
            id=self.id,
            title=self.title,
            title_rank=self.title_rank,
            title_source={TITLE_RANK: "prompt", COMMAND_TITLE_RANK: "command"}.get(self.title_rank),
            project_path=folder,
            agent_version=self.version,
            models=tuple(self.models),
            started_at=self.started_at,
            recorded_cost_micro_usd=self.cost,
            is_automated=self.is_scripted,
        )


class MessageBlock(msgspec.Struct):
    """The message that the current lines belong to."""

    kind: BlockKind = ""
    id: str = ""
    role: Role = "system"
    message_kind: MessageKind = "notice"
    offset: int = 0
    blanks: int = 0  # blank lines since its last line: part of it when another line follows
    has_text: bool = False  # whether a part of its text was yielded before
    has_reasoning: bool = False
    is_thinking: bool = False

    @property
    def is_begun(self) -> bool:
        """Whether a part of its text, or of its reasoning while thinking, was yielded before."""
        if self.is_thinking:
            return self.has_reasoning
        return self.has_text

    def begin(self) -> None:
        """Note that a part of its text, or of its reasoning while thinking, was yielded."""
        if self.is_thinking:
            self.has_reasoning = True
        else:
            self.has_text = True


class ProposedEdit(msgspec.Struct):
    """A change that an answer proposes."""

    path: str
    form: EditForm
    before: str | None = None
    after: str | None = None
    diff: str | None = None
    verb: Verb = ""


class Proposals(msgspec.Struct):
    """The edits found in an answer so far, and the one that is being read."""

    mode: Mode = ""
    path: str = ""
    last_path: str = ""
    fence: str = ""
    recent: list[str] = []  # the last lines: one of them may be a file's name
    old: list[str] = []
    new: list[str] = []
    size: int = 0
    found: list[ProposedEdit] = []


class HistoryState(msgspec.Struct):
    """Everything that is remembered from line to line."""

    kind: Literal["", "chat", "prompts"] = ""
    # a chat
    run: Run | None = None
    latest: str = ""  # the latest start so far
    repeat: int = 0  # how many others had it
    # Whether this run's own lines end with two spaces, as aider writes them
    is_spaced: bool = False
    previous: Literal["start", "blank", "prompt", "output", "text"] = "start"
    blanks: int = 0
    fence: str = ""
    is_quoting: bool = False  # whether the fence quotes a history
    block: MessageBlock = msgspec.field(default_factory=MessageBlock)
    prompt: str | None = None
    answer: str | None = None
    is_command: bool = False
    may_run: bool = False
    subject: str = ""  # aider's last plain line: what its next question is about
    edits: Proposals = msgspec.field(default_factory=Proposals)
    created: list[str] = []
    applied: list[str] = []
    # a prompt history
    position: int = -1
    when: str = ""
    entry: list[str] = []
    size: int = 0
