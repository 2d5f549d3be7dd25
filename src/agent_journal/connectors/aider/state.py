"""What the reader of a history remembers between two lines, and between two syncs."""

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


def run_id(path: str, header: str, repeat: int) -> str:
    """The id of a run: of its file, its start as written, and what tells it from others of the same
    start.
    """
    return hashlib.sha256(
        f"{path}\n{header}\n{repeat}".encode("utf-8", "surrogatepass")
    ).hexdigest()[:32]


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
        """The start as written: local time without a zone, taken for UTC."""
        return parse_time(self.header) if self.header else None

    def use(self, model: str) -> None:
        """Takes the model of the answers that follow: it stands last."""
        self.models = [*(one for one in self.models if one != model), model][-MAX_HELD:]

    def entitle(self, title: str, rank: int) -> None:
        """Takes the first prompt as the title; a command only while there is no prompt."""
        if title and rank > self.title_rank:
            self.title, self.title_rank = title[:500], rank

    def session(self, agent: str, folder: str) -> Session:
        """What the file says about the run."""
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


class Block(msgspec.Struct):
    """The message that the lines at hand belong to."""

    kind: BlockKind = ""
    id: str = ""
    role: Role = "system"
    message_kind: MessageKind = "notice"
    offset: int = 0
    blanks: int = 0  # blank lines since its last line: part of it when another line follows
    has_text: bool = False  # whether a part of its text was told before
    has_reasoning: bool = False
    is_thinking: bool = False


class Edit(msgspec.Struct):
    """A change that an answer proposes."""

    path: str
    form: EditForm
    before: str | None = None
    after: str | None = None
    diff: str | None = None
    verb: Literal["", "Add", "Update", "Delete"] = ""


class Blocks(msgspec.Struct):
    """Where the search for edits in an answer stands."""

    mode: Literal["", "search", "replace", "whole", "code", "diff", "patch"] = ""
    path: str = ""
    last_path: str = ""
    fence: str = ""
    recent: list[str] = []  # the last lines: one of them may be a file's name
    old: list[str] = []
    new: list[str] = []
    size: int = 0
    found: list[Edit] = []


class State(msgspec.Struct):
    """Everything that is carried from line to line."""

    kind: Literal["", "chat", "prompts"] = ""
    # a chat
    run: Run | None = None
    latest: str = ""  # the latest start so far
    repeat: int = 0  # how many others had it
    is_spaced: bool = (
        False  # whether this run's own lines end with two spaces, as aider writes them
    )
    previous: Literal["start", "blank", "prompt", "output", "text"] = "start"
    blanks: int = 0
    fence: str = ""
    is_quoting: bool = False  # whether a history is shown in the fence
    block: Block = msgspec.field(default_factory=Block)
    prompt: str | None = None
    answer: str | None = None
    is_command: bool = False
    may_run: bool = False
    subject: str = ""  # the last plain line of aider's: what the next question is about
    edits: Blocks = msgspec.field(default_factory=Blocks)
    created: list[str] = []
    applied: list[str] = []
    # a prompt history
    position: int = -1
    when: str = ""
    entry: list[str] = []
    size: int = 0
