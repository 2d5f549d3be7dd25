"""What the reader of a history remembers from line to line, and from sync to sync."""

from __future__ import annotations

import hashlib
import os
import re
from datetime import datetime
from typing import Literal

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.titles import SpokenTitle
from agent_journal.model import MessageKind, Role, Session
from agent_journal.text.dates import parse_time

HEADER = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
HEAD_SIZE = 2**16  # in which the first prompt is looked for
_BLANK = b"\xef\xbb\xbf\0 \t\r"
_SPOKEN_RANK = 10
_COMMAND_RANK = 5
MAX_HELD = 1000  # names of files and models that are remembered
BlockKind = Literal["", "prompt", "echo", "answer", "output"]
EditForm = Literal["block", "whole", "diff", "patch"]
Mode = Literal["", "search", "replace", "whole", "code", "diff", "patch"]
Verb = Literal["", "Add", "Update", "Delete"]


def history_name(path: str, head: bytes) -> str | None:
    """Return what tells a history from others, wherever it is moved; None while it has no prompt.

    That is its folder, its first line and its first prompt: runs of a script may begin at once.
    """
    *whole, _ = head[:HEAD_SIZE].split(b"\n")
    lines = [line.strip(_BLANK) for line in whole]
    first = next(filter(None, lines), b"")
    prompt = next((line for line in lines if line.startswith(b"####")), b"")
    if not prompt and len(head) < HEAD_SIZE:
        return None
    folder = os.path.basename(os.path.dirname(path))
    return "\n".join((folder, first.decode("utf-8", "replace"), prompt.decode("utf-8", "replace")))


def run_id(history: str, header: str, repeat: int) -> str:
    """Return the id of a run, made from its history, its start and its number among equal ones."""
    name = f"{history}\n{header}\n{repeat}"
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Run(msgspec.Struct):
    """One run of aider, a session."""

    id: str
    header: str = ""
    spoken: SpokenTitle = msgspec.field(default_factory=SpokenTitle)
    command: str | None = None  # the first slash command, a title where nothing was said
    version: str | None = None
    models: list[str] = []
    edit_format: str = ""  # of the current model: whole, diff, architect, …
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

    def session(self, agent: str, folder: str) -> Session:
        """Return what the file says about the run."""
        session = Session(
            agent=agent,
            id=self.id,
            project_path=folder,
            agent_version=self.version,
            models=tuple(self.models),
            started_at=self.started_at,
            recorded_cost_micro_usd=self.cost,
            is_automated=self.is_scripted,
        )
        spoken = self.spoken
        if spoken.text is not None:
            return replace(
                session, title=spoken.text, title_rank=_SPOKEN_RANK, title_source=spoken.source
            )
        if self.command is not None:
            return replace(
                session, title=self.command, title_rank=_COMMAND_RANK, title_source="command"
            )
        return session


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
    is_noted: bool = False  # whether the first line of an answer's text was looked at

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
    has_outcome: bool = False  # whether aider said what became of them, or cannot apply any
    is_counted: bool = False  # whether aider printed the tokens of the answer
    is_yielded: bool = False  # at the end of the file, until more of it is read


class HistoryState(msgspec.Struct):
    """Everything that is remembered from line to line."""

    kind: Literal["", "chat", "prompts"] = ""
    # a chat
    history: str = ""  # its name, of which the ids of runs are made
    run: Run | None = None
    latest: str = ""  # the latest start so far
    repeat: int = 0  # how many others had it
    # Whether aider's own lines, and the prompts, of this run end with two spaces, as aider writes
    # them. The first prompt decides: a formatter strips them.
    is_spaced: bool = False
    has_spaced_prompts: bool | None = None
    previous: Literal["start", "blank", "prompt", "output", "text"] = "start"
    blanks: int = 0
    fence: str = ""
    is_quoting: bool = False  # whether the fence quotes a history
    block: MessageBlock = msgspec.field(default_factory=MessageBlock)
    prompt: str | None = None
    answer: str | None = None
    answer_offset: int = 0
    is_command: bool = False
    # The first line of what aider repeats as a prompt, until the next one
    echo: str = ""
    held: str = ""  # a command whose words may follow
    mode: str = ""  # the command of the current prompt: ask, code, architect
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
