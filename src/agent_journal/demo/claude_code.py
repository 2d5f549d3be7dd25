"""Writes the demo's sessions as Claude Code does: `.claude/projects/<folder>/<id>.jsonl`, …"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from agent_journal.demo import claude_results
from agent_journal.demo.steps import Call, Mark, Say, Story
from agent_journal.demo.story_files import read_stories
from agent_journal.demo.writing import (
    PERSON,
    Clock,
    Meter,
    Tokens,
    compact,
    hexadecimal,
    iso,
    project_path,
    put,
    token,
    uuid,
    with_full_paths,
)

_STORIES = ("flaky-retry", "slow-host", "pagination", "migration")
SUBAGENT_MODEL = "claude-haiku-4-5-20251001"
_SPILL = 30_000  # longer output goes to tool-results/
# Dollars for a million tokens: fresh, cache read, cache write (1 h), output.
_PRICES = {"claude-opus-5-5": (4, 0.2, 8, 20), SUBAGENT_MODEL: (1, 0.1, 2, 5)}


def write_claude_code(home: str, now: datetime) -> None:
    """Write all of `.claude`."""
    root = f"{home}/.claude"
    history: list[tuple[datetime, str]] = []
    for story in read_stories(Story, "claude_code", *_STORIES):
        session = _Session(root, story, Clock(story, now))
        session.play()
        session.finish()
        history += session.history
    history.sort()
    put(f"{root}/history.jsonl", "".join(line + "\n" for _, line in history), history[-1][0])


class _Thread:
    """The lines of one file: a session, or one of its sub-agents."""

    def __init__(
        self, story: Story, clock: Clock, session_id: str, agent_id: str | None = None
    ) -> None:
        self.story = story
        self.clock = clock
        self.session_id = session_id
        self.agent_id = agent_id
        self.model = SUBAGENT_MODEL if agent_id else story.model
        self.meter = Meter(9_400 if agent_id else 17_800)
        self.lines: list[str] = []
        # Model and tokens of every API call, also of sub-agents
        self.calls: list[tuple[str, Tokens]] = []
        self.parent: str | None = None
        self.prompt_id = ""

    def id(self, *seed: object) -> str:
        """Return an id for the next line."""
        return uuid(self.session_id, self.agent_id, len(self.lines), *seed)

    def line(
        self, kind: str, *, at: datetime | None = None, parent: str | None = None, **fields: Any
    ) -> str:
        """Add a transcript line; return its id."""
        own = self.id(kind)
        head: dict[str, object] = {
            "parentUuid": parent or self.parent,
            "isSidechain": self.agent_id is not None,
        }
        if self.agent_id:
            head["agentId"] = self.agent_id
        tail = {
            "type": kind,
            "uuid": own,
            "timestamp": iso(at or self.clock.now),
            "userType": "external",
            "entrypoint": "cli",
            "cwd": project_path(self.story),
            "sessionId": self.session_id,
            "version": self.story.version,
            "gitBranch": self.story.branch,
        }
        self.lines.append(compact(head | fields | tail))
        self.parent = own
        return own

    def note(self, kind: str, **fields: object) -> None:
        """Add a metadata line."""
        self.lines.append(compact({"type": kind, **fields, "sessionId": self.session_id}))

    def user(self, content: object, **fields: Any) -> str:
        """Add a line in the person's name; return its id."""
        message = {"role": "user", "content": content}
        return self.line("user", promptId=self.prompt_id, message=message, **fields)

    def prompt(self, text: str, **fields: Any) -> str:
        """Add a prompt; return its id."""
        self.prompt_id = self.id("prompt")
        self.meter.hear(text)
        return self.user(text, **fields)

    def say(self, say: Say) -> None:
        """Add one API message: a line for every block, then a line for every result."""
        self.clock.tick(say.seconds)
        inputs = "".join(str(call.input) for call in say.calls)
        tokens = self.meter.call(say.text + inputs, say.thinking)
        self.calls.append((self.model, tokens))
        blocks: list[dict[str, Any]] = []
        if say.thinking:
            signature = token("Er", self.session_id, say.thinking) * 6
            blocks.append({"type": "thinking", "thinking": say.thinking, "signature": signature})
        if say.text:
            blocks.append({"type": "text", "text": say.text})
        ids = [
            token("toolu_01", self.session_id, len(self.lines), index)
            for index in range(len(say.calls))
        ]
        for call, call_id in zip(say.calls, ids, strict=True):
            given = with_full_paths(call, project_path(self.story))
            blocks.append({"type": "tool_use", "id": call_id, "name": call.tool, "input": given})
        uuids = self._blocks(blocks, tokens, "tool_use" if say.calls else "end_turn")
        asked_in = uuids[len(uuids) - len(ids) :]  # the blocks of the calls come last
        for call, call_id, block_id in zip(say.calls, ids, asked_in, strict=True):
            self._result(call, call_id, block_id)

    def _blocks(self, blocks: list[dict[str, Any]], tokens: Tokens, stop: str) -> list[str]:
        seed = (self.session_id, self.agent_id, len(self.lines))
        message = {
            "id": token("msg_01", *seed),
            "type": "message",
            "role": "assistant",
            "model": self.model,
        }
        uuids = []
        for index, block in enumerate(blocks):
            self.clock.tick(0.4)
            ending = {"stop_reason": stop, "stop_sequence": None, "usage": _usage(tokens)}
            body = message | {"content": [block]} | ending
            request = token("req_011C", *seed)
            own = self.line("assistant", message=body, apiBlockIndex=index, requestId=request)
            uuids.append(own)
        return uuids

    def _result(self, call: Call, call_id: str, asked_in: str) -> None:
        self.clock.tick(call.seconds)
        content, detail = self.outcome(call, call_id)
        self.meter.hear(str(content))
        block: dict[str, Any] = {"tool_use_id": call_id, "type": "tool_result", "content": content}
        if call.exit_code:
            block["is_error"] = True
        self.user([block], parent=asked_in, toolUseResult=detail, sourceToolAssistantUUID=asked_in)

    def outcome(self, call: Call, call_id: str) -> tuple[object, object]:
        """Return what the model saw, and what Claude Code kept for itself."""
        given = with_full_paths(call, project_path(self.story))
        return claude_results.RESULTS[call.tool](call, given)


class _Session(_Thread):
    """A main thread, with the files around it."""

    def __init__(self, root: str, story: Story, clock: Clock) -> None:
        super().__init__(story, clock, uuid("session", story.key))
        self.root = root
        project = re.sub("[^A-Za-z0-9]", "-", project_path(story))
        self.inside = f"projects/{project}/{self.session_id}"
        self.started = clock.now
        self.history: list[tuple[datetime, str]] = []
        self.tasks: dict[str, dict[str, Any]] = {}
        self.last_prompt = ""
        self.asked_at = clock.now

    def play(self) -> None:
        """Go through the steps of the story."""
        marks: dict[str, Callable[[Mark], None]] = {
            "rename": self._rename,
            "compact": self._compact,
            "interrupt": self._interrupt,
            "queued": self._queued,
            "api_error": self._api_error,
        }
        self.note("permission-mode", permissionMode="plan" if self.story.plan else "default")
        for step in self.story.steps:
            if isinstance(step, str):
                self._ask(step)
            elif isinstance(step, Say):
                self.say(step)
                if not step.calls:
                    took = (self.clock.now - self.asked_at) // timedelta(milliseconds=1)
                    self.line("system", subtype="turn_duration", durationMs=took, isMeta=False)
            else:
                self.clock.tick(step.minutes * 60 + 2)
                marks[step.kind](step)

    def _ask(self, text: str) -> None:
        self.clock.tick(25)
        self._remember(text)
        self.asked_at = self.clock.now
        typed = self.id("user")
        self.prompt(text, origin={"kind": "human"}, promptSource="typed")
        snapshot = {
            "messageId": typed,
            "trackedFileBackups": {},
            "timestamp": iso(self.clock.now),
        }
        kept = {"messageId": typed, "snapshot": snapshot, "isSnapshotUpdate": False}
        # These lines do not name the session.
        self.lines.append(compact({"type": "file-history-snapshot", **kept}))

    def outcome(self, call: Call, call_id: str) -> tuple[object, object]:
        """Return the same, with the files that some tools write."""
        if call.tool == "Agent":
            return self._subagent(call, call_id)
        if call.tool in ("TaskCreate", "TaskUpdate"):
            return claude_results.task(call, self.tasks)
        content, detail = super().outcome(call, call_id)
        if len(call.output) > _SPILL:
            return self._spilled(call)
        if call.tool == "ExitPlanMode":
            path = f"plans/{hexadecimal(8, self.session_id)}-quiet-orchard.md"
            put(f"{self.root}/{path}", self.story.plan + "\n", self.clock.now)
            detail = {
                "plan": self.story.plan,
                "isAgent": False,
                "filePath": f"{PERSON}/.claude/{path}",
            }
        return content, detail

    def finish(self) -> None:
        """Add the last lines, and write the transcript and the tasks."""
        if self.story.title and not any('"customTitle"' in line for line in self.lines):
            self.note("ai-title", aiTitle=self.story.title)
        self.note("last-prompt", lastPrompt=self.last_prompt, leafUuid=self.parent)
        if self.story.model in _PRICES:
            cost = claude_results.cost_state(self.calls, _PRICES, self.started, self.clock.now)
            self.note("cost-state", **cost)
        put(f"{self.root}/{self.inside}.jsonl", "\n".join(self.lines) + "\n", self.clock.now)
        for number, task in self.tasks.items():
            path = f"{self.root}/tasks/{self.session_id}/{number}.json"
            put(path, claude_results.pretty(task), self.clock.now)

    def _remember(self, text: str) -> None:
        self.last_prompt = text
        when = self.clock.now
        entry = {"display": text, "pastedContents": {}, "timestamp": int(when.timestamp() * 1000)}
        entry |= {"project": project_path(self.story), "sessionId": self.session_id}
        self.history.append((when, compact(entry)))

    def _spilled(self, call: Call) -> tuple[object, object]:
        name = f"{self.inside}/tool-results/b{hexadecimal(8, self.session_id, call.input)}.txt"
        put(f"{self.root}/{name}", call.output, self.clock.now)
        return claude_results.spilled(call, f"{PERSON}/.claude/{name}", _SPILL)

    def _subagent(self, call: Call, call_id: str) -> tuple[object, object]:
        agent_id = "a" + hexadecimal(16, self.session_id, call_id)
        started = self.clock.now
        child = _Thread(self.story, self.clock, self.session_id, agent_id)
        child.prompt(call.input["prompt"])
        for step in call.child:
            child.say(step)
        self.calls += child.calls
        path = f"{self.root}/{self.inside}/subagents/agent-{agent_id}"
        put(path + ".jsonl", "\n".join(child.lines) + "\n", self.clock.now)
        meta = {
            "agentType": call.input["subagent_type"],
            "isBuiltIn": True,
            "description": call.input["description"],
            "toolUseId": call_id,
            "spawnDepth": 1,
            "finished": True,
        }
        put(path + ".meta.json", compact(meta), self.clock.now)
        _, last_tokens = child.calls[-1]
        took = self.clock.now - started
        return claude_results.agent(call, agent_id, _usage(last_tokens), child.meter.context, took)

    def _rename(self, mark: Mark) -> None:
        self._remember(f"/rename {mark.text}")
        self.note("custom-title", customTitle=mark.text)
        self.note("agent-name", agentName=mark.text)
        command = (
            "<command-name>/rename</command-name>\n"
            "            <command-message>rename</command-message>\n"
            f"            <command-args>{mark.text}</command-args>"
        )
        output = f"<local-command-stdout>Session renamed to: {mark.text}</local-command-stdout>"
        for content in (command, output):
            self._system("local_command", content)
        path = f"{self.root}/{self.inside}/custom-title.json"
        put(path, compact({"customTitle": mark.text}), self.clock.now)

    def _system(self, subtype: str, content: str) -> None:
        self.line("system", subtype=subtype, content=content, level="info", isMeta=False)

    def _compact(self, mark: Mark) -> None:
        before = self.meter.context
        leaf = self.parent
        self.meter.context = 19_300
        self.parent = None
        metadata = {
            "trigger": "auto",
            "preTokens": before + 141_000,
            "postTokens": 19_300,
            "durationMs": 38_112,
        }
        self.line(
            "system",
            logicalParentUuid=leaf,
            subtype="compact_boundary",
            content="Conversation compacted",
            isMeta=False,
            level="info",
            compactMetadata=metadata,
        )
        text = (
            "This session is being continued from a previous conversation that ran out of context. "
            f"The conversation is summarized below:\n{mark.text}"
        )
        self.meter.hear(text)
        self.user(text, isVisibleInTranscriptOnly=True, isCompactSummary=True)

    def _interrupt(self, mark: Mark) -> None:
        self.user([{"type": "text", "text": "[Request interrupted by user]"}])

    def _queued(self, mark: Mark) -> None:
        self._remember(mark.text)
        when = iso(self.clock.now)
        self.note("queue-operation", operation="enqueue", timestamp=when, content=mark.text)
        self.meter.hear(mark.text)
        queued = {"type": "queued_command", "prompt": mark.text, "commandMode": "prompt"}
        self.line("attachment", attachment=queued)

    def _api_error(self, mark: Mark) -> None:
        usage = _usage(Tokens(0, 0, 0, 0, 0))
        content = [{"type": "text", "text": mark.text}]
        message = {
            "id": self.id("error"),
            "type": "message",
            "role": "assistant",
            "model": "<synthetic>",
            "content": content,
            "stop_reason": "stop_sequence",
            "stop_sequence": "",
            "usage": usage,
        }
        self.line(
            "assistant",
            message=message,
            error="overloaded",
            isApiErrorMessage=True,
            apiErrorStatus=529,
        )


def _usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "input_tokens": tokens.fresh,
        "cache_creation_input_tokens": tokens.cache_write,
        "cache_read_input_tokens": tokens.cache_read,
        "output_tokens": tokens.output,
        "output_tokens_details": {"thinking_tokens": tokens.reasoning},
        "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
        "service_tier": "standard",
        "cache_creation": {
            "ephemeral_1h_input_tokens": tokens.cache_write,
            "ephemeral_5m_input_tokens": 0,
        },
    }
