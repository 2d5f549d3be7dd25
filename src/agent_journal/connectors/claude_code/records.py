"""The lines of a transcript as structs: only the fields that are read, all of them optional.

    {"parentUuid":null,"isSidechain":false,"cwd":"/home/u/app","sessionId":"…","version":"2.1.325",
     "type":"user","message":{"role":"user","content":"hello"},"uuid":"…",
     "timestamp":"2026-11-15T18:00:10.561Z"}

Values that are large and seldom needed stay `Raw`: they are skipped over, not built.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Raw, Struct, field

T = TypeVar("T")
# Numbers out of these ranges are not counts or prices, and their sums would not fit a column.
Count = Annotated[int, Meta(ge=0, le=2**48)]
Milliseconds = Annotated[float, Meta(ge=0, le=2**48)]
Dollars = Annotated[float, Meta(ge=0, le=1e9)]


class LineContext(NamedTuple):
    """What a line's pieces have in common: session, time, and the line's place in the file."""

    session_id: str
    time: datetime | None
    offset: int
    length: int
    record_ids: tuple[str, ...]
    is_child: bool  # of a sub-agent
    path: tuple[str, ...] = ()  # to the message in the line


class Block(Struct, gc=False):
    """One content block of a message, of any type."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    server_name: str | None = None
    input: Raw = Raw()
    tool_use_id: str | None = None
    content: Any = None
    is_error: Any = None
    source: Raw = Raw()
    title: str | None = None
    tool_name: str | None = None


class CacheCreation(Struct, gc=False):
    """Tokens written to the cache, by how long they stay there."""

    ephemeral_5m_input_tokens: Count | None = None
    ephemeral_1h_input_tokens: Count | None = None


class OutputDetails(Struct, gc=False):
    """What the output tokens were spent on."""

    thinking_tokens: Count | None = None


class ServerTools(Struct, gc=False):
    """How often the provider ran its own tools for a response."""

    web_search_requests: Count | None = None


class Tokens(Struct, gc=False):
    """The usage of one API response."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    cache_creation: CacheCreation | None = None
    output_tokens_details: OutputDetails | None = None
    server_tool_use: ServerTools | None = None


class ApiMessage(Struct, gc=False):
    """The message inside a `user` or `assistant` line."""

    id: str | None = None
    model: str | None = None
    content: str | list[Block | str] | None = None
    stop_reason: str | None = None
    usage: Tokens | None = None


class Origin(Struct, gc=False):
    """Where a prompt came from."""

    kind: str | None = None


class Fork(Struct, gc=False, rename="camel"):
    """The session that the SDK forked this one from."""

    session_id: str | None = None


class Attached(Struct, gc=False, rename="camel"):
    """The content of an `attachment` line: mostly text that the harness gives to the model."""

    type: str | None = None
    prompt: str | list[Block | str] | None = None
    origin: Origin | None = None
    is_meta: Any = None
    hook_name: str | None = None
    content: Raw = Raw()
    filename: str | None = None
    display_path: str | None = None
    description: str | None = None
    status: str | None = None
    stderr: str | None = None
    blocking_error: Raw = Raw()


class Record(Struct, gc=False, rename="camel"):
    """One line of a transcript, of any type."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    session_id: str | None = None
    timestamp: str | int | float | None = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    session_kind: str | None = None
    team_name: str | None = None
    slug: str | None = None
    is_sidechain: bool | None = None
    agent_id: str | None = None
    attribution_agent: str | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    is_api_error_message: bool | None = None
    is_aborted_mid_stream: bool | None = None
    prompt_source: str | None = None
    origin: Origin | None = None
    forked_from: Fork | None = None
    source_tool_use_id: str | None = field(default=None, name="sourceToolUseID")
    tool_denial_kind: str | None = None
    request_id: str | None = None
    cost_usd: Dollars | None = field(default=None, name="costUSD")
    message: ApiMessage = field(default_factory=ApiMessage)
    tool_use_result: Raw = Raw()
    attachment: Attached = field(default_factory=Attached)
    content: str | list[Block | str] | None = None
    error: Raw = Raw()
    retry_attempt: Count | None = None
    compact_metadata: Raw = Raw()
    hook_errors: list[Any] | None = None
    operation: str | None = None
    # metadata lines
    summary: str | None = None
    leaf_uuid: str | None = None
    ai_title: str | None = None
    agent_setting: str | None = None
    custom_title: str | None = None
    last_prompt: str | None = None
    tag: str | None = None
    total_cost_usd: Dollars | None = field(default=None, name="totalCostUSD")
    pr_repository: str | None = None
    pr_url: str | None = None
    message_id: str | None = None
    snapshot: Raw = Raw()
    snapshot_message_id: str | None = None
    tracking_path: str | None = None
    backup: Raw = Raw()


class CompactMetadata(Struct, gc=False, rename="camel"):
    """How a conversation was compacted."""

    trigger: str | None = None
    pre_tokens: Count | None = None


class Backup(Struct, gc=False, rename="camel"):
    """The copy of a file made before it was changed."""

    backup_file_name: str | None = None
    backup_time: str | int | float | None = None
    real_parent_dir: str | None = None


class Snapshot(Struct, gc=False, rename="camel"):
    """The files that were about to change."""

    message_id: str | None = None
    tracked_file_backups: dict[str, Backup | None] = field(default_factory=dict)
    timestamp: str | int | float | None = None


class Hunk(Struct, gc=False, rename="camel"):
    """One hunk of a structured patch."""

    old_start: Count = 0
    old_lines: Count = 0
    new_start: Count = 0
    new_lines: Count = 0
    lines: list[str] = field(default_factory=list)


class EditResult(Struct, gc=False):
    """The result of Edit, Write, MultiEdit and NotebookEdit, without its copy of the whole file."""

    type: str | None = None
    file_path: str | None = field(default=None, name="filePath")
    old_string: str | None = field(default=None, name="oldString")
    new_string: str | None = field(default=None, name="newString")
    content: str | None = None
    structured_patch: list[Hunk] | None = field(default=None, name="structuredPatch")
    notebook_path: str | None = None
    old_source: str | None = None
    new_source: str | None = None
    edit_mode: str | None = None


class EditInput(Struct, gc=False):
    """The arguments of Edit, Write, MultiEdit and NotebookEdit."""

    file_path: str | None = None
    notebook_path: str | None = None
    old_string: str | None = None
    new_string: str | None = None
    content: str | None = None
    new_source: str | None = None
    edit_mode: str | None = None
    edits: list[EditInput] = field(default_factory=list)


class TimedResult(Struct, gc=False, rename="camel"):
    """How long a tool ran, in the words of several tools."""

    duration_ms: Milliseconds | None = None
    duration_seconds: Milliseconds | None = None


class ShellResult(Struct, gc=False):
    """The result of Bash, without its output."""

    interrupted: bool = False


class AgentResult(Struct, gc=False, rename="camel"):
    """The result of Task and Agent."""

    agent_id: str | None = None
    total_duration_ms: Count | None = None


class BackgroundTask(Struct, gc=False):
    """A task that runs in the background, as the queue of prompts has it."""

    description: str | None = None


class TaskInput(Struct, gc=False):
    """The arguments of Task and Agent."""

    prompt: str | None = None
    description: str | None = None
    subagent_type: str | None = None


class PlanInput(Struct, gc=False):
    """The arguments of ExitPlanMode."""

    plan: str | None = None


class PlanResult(Struct, gc=False, rename="camel"):
    """The result of ExitPlanMode."""

    plan: str | None = None
    file_path: str | None = None


class TodoItem(Struct, gc=False):
    """One item of TodoWrite's list or of a `todos/*.json` file."""

    content: str | None = None
    status: str | None = None
    id: str | int | None = None
    active_form: str | None = field(default=None, name="activeForm")


class TodoInput(Struct, gc=False):
    """The arguments of TodoWrite."""

    todos: list[TodoItem] = field(default_factory=list)


class ImageSource(Struct, gc=False):
    """The bytes of an image or document, or its address."""

    type: str | None = None
    media_type: str | None = None
    data: str | None = None
    url: str | None = None


def decoded(raw: Raw, decoder: msgspec.json.Decoder[T]) -> T | None:
    """The value of a raw part, or None when it is absent or has another shape."""
    if not bytes(raw):
        return None
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None
