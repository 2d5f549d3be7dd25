"""The one model every agent's sessions are read into.

Connectors yield pieces of it; pieces with the same identity are joined (see merging.py). `None`
always means that the agent did not record the value. Times are aware UTC, money is integer
micro-dollars, durations are milliseconds.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from agent_journal.model.light_msgspec import msgspec

Role = Literal["user", "assistant", "system", "tool"]
MessageKind = Literal[
    "prompt",  # what a person typed
    "answer",  # what the model said (text, reasoning and tool calls of one response)
    "injected",  # text the harness put into the conversation
    "command",  # a slash command the person gave
    "command_output",  # what a slash command printed
    "shell",  # the person's own shell line (`!ls`), its output in a tool call
    "notification",  # background work that finished, other agents' messages
    "compaction",  # the summary that replaced earlier messages
    "skill",  # the body of a skill
    "hook",  # text added by a hook
    "interrupt",  # the person stopped the agent
    "error",  # an error shown in the conversation
    "notice",  # anything else the harness said
    "system_prompt",  # the system prompt: never shown or found unless it is asked for
]
ToolKind = Literal[
    "shell", "read", "edit", "search", "web", "todo", "agent", "mcp", "plan", "ask", "other"
]
ToolStatus = Literal["ok", "error", "failed", "denied", "interrupted", "running"]
# Who let a tool run, or did not
Approval = Literal["auto", "setting", "rule", "user", "denied", "skipped", "pending"]
MessageState = Literal["complete", "cancelled", "failed", "hidden"]
Ending = Literal[
    "finished",  # the last answer is complete
    "waiting",  # the agent asked the person something
    "in_tool",  # the last tool call has no result
    "interrupted",  # the person stopped the agent
    "cut_off",  # the last prompt or result has no answer, or the answer failed
]


class _Struct(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    pass


class Attachment(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that came with a message or a tool result: an image, a file, a selection."""

    kind: str
    name: str | None = None
    path: str | None = None
    mime_type: str | None = None
    size: int | None = None
    sha256: str | None = None
    text: str | None = None
    note: str | None = None


class Usage(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens and cost of one API response; input is fresh input only, reasoning is part of output.

    `key` identifies the response everywhere: the same key in two sessions (forks, resumed copies)
    is counted once. Of several origins that describe the same calls of a session, only the highest
    `rank` within a `segment` counts. The origin `converted` never counts: it belongs to the session
    that this one was converted from.
    """

    session_id: str
    key: str
    model: str | None = None
    message_id: str | None = None
    timestamp: datetime | None = None
    input_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    cache_write_1h_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_micro_usd: int | None = None
    premium_requests: float | None = None
    web_searches: int | None = None
    requests: int = 1
    origin: str = "message"
    rank: int = 0
    segment: int | None = None
    is_sidechain: bool = False


class Quote(msgspec.Struct, frozen=True, array_like=True):
    """Where a text is found: the bytes of a record, and the path to the string in its JSON."""

    offset: int
    length: int
    path: tuple[str | int, ...]


class ToolCall(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One use of a tool. `arguments` is the JSON text that the agent wrote.

    `result_at` says where a long result is in the file; the catalog then keeps the place, not a
    second copy. A loaded session has the result instead, unless the archive has lost those bytes.
    `spilled_to` names the document with the whole of a result that is cut off in the file; in a
    loaded session it is left only where that document is not kept.
    """

    session_id: str
    id: str
    message_id: str | None = None
    name: str | None = None
    kind: ToolKind = "other"
    title: str | None = None
    server: str | None = None
    arguments: str | None = None
    result: str | None = None
    result_at: Quote | None = None
    display: str | None = None
    status: ToolStatus | None = None
    approval: Approval | None = None
    exit_code: int | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    duration_ms: int | None = None
    child_session_id: str | None = None
    spilled_to: str | None = None
    attachments: tuple[Attachment, ...] = ()
    record_ids: tuple[str, ...] = ()
    offset: int | None = None
    length: int | None = None

    @property
    def success(self) -> bool | None:
        """Whether the call did what it was asked; None while it is unknown."""
        if self.status in (None, "running"):
            return None
        return self.status == "ok"


class Message(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message. `id` is the agent's own; `record_ids` are the ids of all its records.

    `continues` (pieces only) joins the text to the earlier piece without a paragraph break.
    """

    session_id: str
    id: str
    role: Role
    kind: MessageKind
    text: str = ""
    reasoning: str = ""
    model: str | None = None
    timestamp: datetime | None = None
    parent_id: str | None = None
    record_ids: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    usage: Usage | None = None
    state: MessageState | None = None
    stop_reason: str | None = None
    api_id: str | None = None
    is_branch: bool = False
    continues: bool = False
    file: str | None = None
    offset: int | None = None
    length: int | None = None
    seq: int | None = None


class Event(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A record that is not a message: a marker, a notice, or an unknown kind (with `raw`)."""

    session_id: str
    type: str
    id: str | None = None
    text: str = ""
    raw: str | None = None
    timestamp: datetime | None = None
    file: str | None = None
    offset: int | None = None
    length: int | None = None
    seq: int | None = None


class FileEdit(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A change to a file, by the request (`message_id`) and tool call it belongs to."""

    session_id: str
    path: str
    kind: Literal["create", "edit", "delete", "rename", "backup"] = "edit"
    message_id: str | None = None
    call_id: str | None = None
    timestamp: datetime | None = None
    diff: str | None = None
    before: str | None = None
    after: str | None = None
    lines_added: int | None = None
    lines_removed: int | None = None
    backup: str | None = None
    state: Literal["kept", "undone"] | None = None
    origin: str = "tool"
    offset: int | None = None
    seq: int | None = None


class Plan(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A plan, a checkpoint summary, or a note that an agent keeps about a project, as Markdown."""

    text: str
    name: str
    session_id: str | None = None
    kind: Literal["plan", "checkpoint", "exit_plan_mode", "memory"] = "plan"
    path: str | None = None
    approved: bool | None = None
    feedback: str | None = None
    created_at: datetime | None = None


class Todo(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One item of a todo list."""

    content: str
    status: str | None = None
    id: str | None = None
    description: str | None = None
    active_form: str | None = None
    depends_on: tuple[str, ...] = ()
    created_at: datetime | None = None
    updated_at: datetime | None = None


class TodoList(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The whole todo list of a session from one origin; a later list of that origin replaces it.

    Where several origins know the list of a session, the one with the highest `rank` is shown.
    """

    session_id: str
    origin: Literal["sql", "tasks", "todowrite", "todos_json", "markdown"]
    items: tuple[Todo, ...]
    rank: int = 0
    agent_id: str | None = None


class HistoryEntry(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of an agent's own prompt history."""

    text: str
    position: int
    timestamp: datetime | None = None
    project_path: str | None = None
    session_id: str | None = None
    pasted: str | None = None


class DailyStat(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One day of an agent's own statistics."""

    date: str
    message_count: int | None = None
    session_count: int | None = None
    tool_call_count: int | None = None
    tokens_by_model: dict[str, int] = msgspec.field(default_factory=dict)


class Document(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A kept file of a session, read only when asked for: spilled output, a file backup."""

    session_id: str
    name: str
    kind: str


class Withdrawal(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Takes back an earlier message, or only the edits that it proposed.

    A later record is the one that counts, or says what became of the edits.
    """

    session_id: str
    message_id: str
    is_of_edits: bool = False


class LineTitle(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The title of the session whose last line has this id, in the file of another session."""

    line_id: str
    title: str
    rank: int
    source: str


class Problem(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something in an agent's file that could not be read, and where."""

    reason: str
    path: str | None = None
    kind: str = "record"
    offset: int | None = None


class Session(_Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One conversation with an agent, or one sub-agent's thread of it (then with `parent_id`).

    `title_rank` orders the places a title can come from: the highest wins. `slug` names the plan
    file of the session where the agent keeps plans apart. `is_hint` (pieces only): the file knows
    of the session but does not hold it, and alone does not make one. `last_line_id` (pieces only):
    other files may have a title for the session with that line (LineTitle). `ended_as` is derived
    from the last messages (store/catalog/endings.py). `messages` and the lists after it are empty
    in listings and in the pieces that connectors yield.
    """

    agent: str
    id: str
    title: str | None = None
    title_rank: int = 0
    title_source: str | None = None
    project_path: str | None = None
    project_dir: str | None = None
    repository: str | None = None
    git_branch: str | None = None
    host_app: str | None = None
    agent_version: str | None = None
    models: tuple[str, ...] = ()
    started_at: datetime | None = None
    ended_at: datetime | None = None
    parent_id: str | None = None
    parent_call_id: str | None = None
    fork_of: str | None = None
    agent_name: str | None = None
    slug: str | None = None
    tags: tuple[str, ...] = ()
    recorded_cost_micro_usd: int | None = None
    is_automated: bool = False
    is_hint: bool = False
    last_line_id: str | None = None
    ended_as: Ending | None = None
    messages: tuple[Message, ...] = ()
    events: tuple[Event, ...] = ()
    file_edits: tuple[FileEdit, ...] = ()
    plans: tuple[Plan, ...] = ()
    todos: tuple[Todo, ...] = ()
    usage: tuple[Usage, ...] = ()
    documents: tuple[Document, ...] = ()


Piece = (
    Message
    | ToolCall
    | Event
    | FileEdit
    | Usage
    | Plan
    | TodoList
    | HistoryEntry
    | DailyStat
    | Document
    | LineTitle
    | Problem
    | Withdrawal
)
