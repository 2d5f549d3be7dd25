"""Writes the demo's sessions as Copilot CLI does: `.copilot/session-state/<id>/events.jsonl` and
its neighbours.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from agent_journal.connectors.copilot_cli.todo_lists import write_todo_database
from agent_journal.demo import copilot_usage
from agent_journal.demo.copilot_stories import STORIES
from agent_journal.demo.steps import Call, Mark, Say, Step, Story
from agent_journal.demo.writing import (
    PERSON,
    Clock,
    Meter,
    compact,
    hunks,
    iso,
    project_path,
    put,
    token,
    touch,
    uuid,
    with_full_paths,
)

_SYSTEM_PROMPT = "You are a coding agent in a terminal. Work in small steps and run the tests."
_CHECKPOINT_INDEX = """\
# Checkpoint History

Checkpoints are listed in chronological order. Checkpoint 1 is the oldest, higher numbers are more recent.

| # | Title | File |
|---|-------|------|
"""


def write_copilot_cli(home: str, now: datetime) -> None:
    """Writes all of `.copilot`."""
    root = f"{home}/.copilot"
    typed: list[tuple[datetime, str]] = []
    for story in STORIES:
        session = _Session(
            f"{root}/session-state/{uuid('session', story.key)}", story, Clock(story, now)
        )
        session.play()
        session.finish()
        typed += session.typed
    typed.sort(reverse=True)  # newest first
    history = json.dumps(
        {"commandHistory": [text for _, text in typed]}, indent=2, ensure_ascii=False
    )
    put(f"{root}/command-history-state.json", history, typed[0][0])


class _Session:
    """One session folder."""

    def __init__(self, folder: str, story: Story, clock: Clock) -> None:
        self.folder = folder
        self.story = story
        self.clock = clock
        self.id = uuid("session", story.key)
        self.started = clock.now
        self.lines: list[str] = []
        self.parent: str | None = None
        self.agent: str | None = None  # the sub-agent that is speaking
        self.task: str | None = None  # and the call that started it
        self.meters: dict[str | None, Meter] = {None: Meter(16_900)}
        self.greeted: set[str | None] = set()
        self.ledger = copilot_usage.Ledger(self.id, story.model)
        self.typed: list[tuple[datetime, str]] = []
        self.queries: list[str] = []
        self.name = ""
        self.turn = 0
        self.interaction = ""

    def event(self, kind: str, **data: Any) -> str:
        """Adds an event; its id."""
        own = uuid(self.id, len(self.lines))
        record: dict[str, Any] = {"type": kind, "data": data}
        if self.agent:
            record["agentId"] = self.agent
        self.lines.append(
            compact(record | {"id": own, "timestamp": iso(self.clock.now), "parentId": self.parent})
        )
        self.parent = own
        return own

    def play(self) -> None:
        self.event(
            "session.start",
            sessionId=self.id,
            version=1,
            producer="copilot-agent",
            copilotVersion=self.story.version,
            startTime=iso(self.started),
            selectedModel=self.story.model,
            contextTier=None,
            context=self._context(),
            alreadyInUse=False,
            remoteSteerable=False,
        )
        self._steps(self.story.steps)
        self._shutdown()

    def _steps(self, steps: tuple[Step, ...]) -> None:
        marks: dict[str, Callable[[Mark], None]] = {
            "compact": self._compact,
            "rename": self._rename,
            "resume": self._resume,
            "shell": self._shell,
        }
        for step in steps:
            if isinstance(step, str):
                self.clock.tick(21)
                self.typed.append((self.clock.now, step))
                self.name = self.name or step
                self._prompt(step)
            elif isinstance(step, Say):
                self._say(step)
            else:
                if step.kind == "resume":
                    self._shutdown()
                self.clock.tick(step.minutes * 60 + 3)
                marks[step.kind](step)

    def _context(self) -> dict[str, str]:
        path = project_path(self.story)
        repository = f"sam/{self.story.project}"
        return {
            "cwd": path,
            "gitRoot": path,
            "repository": repository,
            "hostType": "github",
            "branch": self.story.branch,
        }

    def _prompt(self, text: str, **data: Any) -> None:
        self.interaction = uuid(self.id, "interaction", len(self.lines))
        self.turn = 0
        self.meters[self.agent].hear(text)
        seen = f"<current_datetime>{iso(self.clock.now)}</current_datetime>\n\n{text}"
        self.event(
            "user.message",
            content=text,
            transformedContent=seen,
            messageId=uuid(self.id, text),
            **data,
            delivery="idle",
            interactionId=self.interaction,
            turnId="0",
        )
        if self.agent not in self.greeted:  # every agent's system prompt follows its first message
            self.greeted.add(self.agent)
            self.event(
                "system.message",
                role="system",
                content=_SYSTEM_PROMPT,
                interactionId=self.interaction,
            )

    def _say(self, say: Say) -> None:
        link = {"parentToolCallId": self.task} if self.task else {}
        place = {"interactionId": self.interaction, "turnId": str(self.turn)}
        self.event(
            "assistant.turn_start", turnId=str(self.turn), interactionId=self.interaction, **link
        )
        self.clock.tick(say.seconds)
        api_call = token("chatcmpl-", self.id, len(self.lines))
        tokens = self.meters[self.agent].call(
            say.text + str([call.input for call in say.calls]), say.thinking
        )
        is_first = self.turn == 0 and self.agent is None
        usage = self.ledger.record(tokens, api_call, self.agent, say.seconds * 1000, is_first)
        self.event("session.usage_record", usage=usage)
        calls = [
            (token("call_", self.id, len(self.lines), index), call)
            for index, call in enumerate(say.calls)
        ]
        requests = [
            {
                "toolCallId": call_id,
                "name": call.tool,
                "arguments": self._arguments(call),
                "type": "function",
            }
            for call_id, call in calls
        ]
        thought = {"reasoningText": say.thinking} if say.thinking else {}
        self.event(
            "assistant.message",
            messageId=uuid(self.id, api_call),
            model=self.story.model,
            content=say.text,
            toolRequests=requests,
            **place,
            **thought,
            rte=False,
            apiCallId=api_call,
            **link,
        )
        for call_id, call in calls:
            self.event(
                "tool.execution_start",
                toolCallId=call_id,
                toolName=call.tool,
                arguments=self._arguments(call),
                turnId=str(self.turn),
                model=self.story.model,
                **link,
            )
        for call_id, call in calls:
            self.clock.tick(call.seconds)
            outcome = self._subagent(call, call_id) if call.child else self._outcome(call)
            self.meters[self.agent].hear(outcome["result"]["content"])
            self.event(
                "tool.execution_complete",
                toolCallId=call_id,
                model=self.story.model,
                **place,
                rte=False,
                success=True,
                **outcome,
                **link,
            )
        self.event("assistant.turn_end", turnId=str(self.turn), **link)
        self.turn += 1

    def _arguments(self, call: Call) -> dict[str, Any]:
        return with_full_paths(call, project_path(self.story))

    def _outcome(self, call: Call) -> dict[str, Any]:
        given = self._arguments(call)
        if call.tool == "bash":
            text = f"{call.output}\n<shellId: 0 completed with exit code {call.exit_code}>"
            return {"shellExecution": {"exitCode": call.exit_code}, "result": {"content": text}}
        if call.tool == "sql":
            if self.story.plan:
                self.event("session.plan_changed", operation="update" if self.queries else "create")
            self.queries.append(call.input["query"])
        if call.tool in ("edit", "create"):
            after = given.get("file_text") or call.before.replace(
                given["old_str"], given["new_str"], 1
            )
            kind, path = call.tool, given["path"]
            text = (
                f"Created file {path} with {len(after)} characters"
                if kind == "create"
                else f"File {path} updated."
            )
            self.ledger.changed(path, call.before, after)
            detail = _diff(path, call.before, after)
            return {
                "fileEdits": [{"path": path, "kind": kind}],
                "result": {"content": text, "detailedContent": detail},
            }
        return {"result": {"content": call.output}}

    def _subagent(self, call: Call, call_id: str) -> dict[str, Any]:
        started, place = self.clock.now, (self.interaction, self.turn)
        agent = {"agentName": call.input["agent_type"], "agentDisplayName": call.input["name"]}
        self.agent, self.task = uuid(self.id, "agent", call_id), call_id
        self.meters[self.agent] = Meter(8_100)
        self.ledger.agents[self.agent] = agent
        self.event(
            "subagent.started",
            toolCallId=call_id,
            **agent,
            agentDescription=call.input["description"],
            model=self.story.model,
            agentType=call.input["agent_type"],
            executionMode="sync",
        )
        self._prompt(call.input["prompt"], source=f"agent-{self.id}")
        for say in call.child:
            self._say(say)
        calls = sum(len(say.calls) for say in call.child)
        self.event(
            "subagent.completed",
            toolCallId=call_id,
            **agent,
            model=self.story.model,
            totalToolCalls=calls,
            totalTokens=self.meters[self.agent].context,
            durationMs=round((self.clock.now - started).total_seconds() * 1000),
        )
        self.agent = self.task = None
        self.interaction, self.turn = place
        return {"result": {"content": call.child[-1].text}}

    def _compact(self, mark: Mark) -> None:
        before = self.meters[None].context
        tokens = self.meters[None].call(mark.text, "")
        self.meters[None].context = 17_400
        self.event(
            "session.compaction_start",
            model=self.story.model,
            currentTokens=before,
            trigger="manual",
        )
        self.clock.tick(11)
        path = f"{PERSON}/.copilot/session-state/{self.id}/checkpoints/001-dependencies.md"
        used = copilot_usage.compaction(tokens, self.story.model)
        self.event(
            "session.compaction_complete",
            success=True,
            outcome="applied",
            preCompactionTokens=before,
            postCompactionTokens=17_400,
            messagesRemoved=5,
            summaryContent=mark.text,
            checkpointNumber=1,
            checkpointPath=path,
            trigger="manual",
            compactionTokensUsed=used,
        )

    def _rename(self, mark: Mark) -> None:
        self.typed.append((self.clock.now, f"/rename {mark.text}"))

    def _resume(self, mark: Mark) -> None:
        self.event(
            "session.resume",
            resumeTime=iso(self.clock.now),
            eventCount=len(self.lines),
            sessionLimits=None,
            selectedModel=self.story.model,
            context=self._context(),
            alreadyInUse=False,
        )

    def _shell(self, mark: Mark) -> None:
        """A shell line the person typed: `!command`."""
        command, _, output = mark.text.partition("\n")
        call_id = token("call_", self.id, "shell")
        self.typed.append((self.clock.now, "!" + command))
        self.event(
            "tool.user_requested",
            toolCallId=call_id,
            toolName="local_shell",
            arguments={"command": command},
        )
        self.event(
            "tool.execution_complete",
            toolCallId=call_id,
            success=True,
            isUserRequested=True,
            result={"content": output},
            shellExecution={"exitCode": 0},
        )

    def _shutdown(self) -> None:
        self.event(
            "session.shutdown", **self.ledger.shutdown(self.started, self.meters[None].context)
        )

    def finish(self) -> None:
        """Writes the folder."""
        put(f"{self.folder}/events.jsonl", "\n".join(self.lines) + "\n", self.clock.now)
        place = self._context()
        workspace = {
            "id": self.id,
            "cwd": place["cwd"],
            "git_root": place["gitRoot"],
            "repository": place["repository"],
            "host_type": "github",
            "branch": self.story.branch,
            "client_name": "github/cli",
            "name": self.story.title or self.name,
            "user_named": str(bool(self.story.title)).lower(),
            "summary_count": int(bool(self.story.checkpoint)),
            "fork_count": 0,
            "created_at": iso(self.started),
            "updated_at": iso(self.clock.now),
        }
        lines = "".join(f"{key}: {value}\n" for key, value in workspace.items())
        put(f"{self.folder}/workspace.yaml", lines, self.clock.now)
        index = _CHECKPOINT_INDEX
        if self.story.checkpoint:
            index += "| 1 | Dependencies and Python 3.14 | 001-dependencies.md |\n"
            put(
                f"{self.folder}/checkpoints/001-dependencies.md",
                self.story.checkpoint,
                self.clock.now,
            )
        put(f"{self.folder}/checkpoints/index.md", index, self.clock.now)
        if self.story.plan:
            put(f"{self.folder}/plan.md", self.story.plan, self.clock.now)
        if self.queries:
            database = f"{self.folder}/session.db"
            write_todo_database(database, self.queries, self.started, self.clock.now)
            touch(database, self.clock.now)


def _diff(path: str, before: str, after: str) -> str:
    text = f"\ndiff --git a{path} b{path}\nindex 0000000..0000000 100644\n"
    text += f"--- a{path if before else '/dev/null'}\n+++ b{path}\n"
    for hunk in hunks(before, after):
        text += (
            f"@@ -{hunk['oldStart']},{hunk['oldLines']} +{hunk['newStart']},{hunk['newLines']} @@\n"
        )
        text += "".join(line + "\n" for line in hunk["lines"])
    return text
