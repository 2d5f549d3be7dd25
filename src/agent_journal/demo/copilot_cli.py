"""Writes the demo's sessions as Copilot CLI does: `.copilot/session-state/<id>`."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from agent_journal.demo import copilot_usage
from agent_journal.demo.copilot_files import SessionFiles, git_diff, write_folder
from agent_journal.demo.steps import Call, Mark, Say, Step, Story
from agent_journal.demo.story_files import read_stories
from agent_journal.demo.writing import (
    PERSON,
    Clock,
    Meter,
    compact,
    iso,
    project_path,
    put,
    token,
    uuid,
    with_full_paths,
)

_SYSTEM_PROMPT = "You are a coding agent in a terminal. Work in small steps and run the tests."
_STORIES = ("rate-limit", "python-314", "bisect")


def write_copilot_cli(home: str, now: datetime) -> None:
    """Write all of `.copilot`."""
    root = f"{home}/.copilot"
    typed: list[tuple[datetime, str]] = []
    for story in read_stories(Story, "copilot_cli", *_STORIES):
        session = _Session(story, Clock(story, now))
        session.play()
        write_folder(f"{root}/session-state/{session.id}", session.files())
        typed += session.typed
    typed.sort(reverse=True)  # newest first
    newest, _ = typed[0]
    history = {"commandHistory": [text for _, text in typed]}
    text = json.dumps(history, indent=2, ensure_ascii=False)
    put(f"{root}/command-history-state.json", text, newest)


class _Session:
    """The events of one session."""

    def __init__(self, story: Story, clock: Clock) -> None:
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
        self.totals = copilot_usage.UsageTotals(self.id, story.model)
        self.typed: list[tuple[datetime, str]] = []
        self.queries: list[str] = []
        self.name = ""
        self.turn = 0
        self.interaction = ""

    def event(self, kind: str, **data: Any) -> str:
        """Add an event; return its id."""
        own = uuid(self.id, len(self.lines))
        record: dict[str, Any] = {"type": kind, "data": data}
        if self.agent:
            record["agentId"] = self.agent
        record["id"] = own
        record["timestamp"] = iso(self.clock.now)
        record["parentId"] = self.parent
        self.lines.append(compact(record))
        self.parent = own
        return own

    def play(self) -> None:
        """Go through the steps of the story."""
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
        return {
            "cwd": path,
            "gitRoot": path,
            "repository": f"sam/{self.story.project}",
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
            fields = {"content": _SYSTEM_PROMPT, "interactionId": self.interaction}
            self.event("system.message", role="system", **fields)

    def _say(self, say: Say) -> None:
        turn = str(self.turn)
        link = {"parentToolCallId": self.task} if self.task else {}
        self.event("assistant.turn_start", turnId=turn, interactionId=self.interaction, **link)
        self.clock.tick(say.seconds)
        api_call = self._usage_record(say)
        calls = [
            (token("call_", self.id, len(self.lines), index), call)
            for index, call in enumerate(say.calls)
        ]
        self._answer(say, api_call, calls, link)
        for call_id, call in calls:
            self.event(
                "tool.execution_start",
                toolCallId=call_id,
                toolName=call.tool,
                arguments=self._arguments(call),
                turnId=turn,
                model=self.story.model,
                **link,
            )
        for call_id, call in calls:
            self._complete(call, call_id, link)
        self.event("assistant.turn_end", turnId=turn, **link)
        self.turn += 1

    def _usage_record(self, say: Say) -> str:
        """Add the usage of a call to the API; return the id of the call."""
        api_call = token("chatcmpl-", self.id, len(self.lines))
        inputs = str([call.input for call in say.calls])
        tokens = self.meters[self.agent].call(say.text + inputs, say.thinking)
        is_first = self.turn == 0 and self.agent is None
        usage = self.totals.record(tokens, api_call, self.agent, say.seconds * 1000, is_first)
        self.event("session.usage_record", usage=usage)
        return api_call

    def _answer(
        self, say: Say, api_call: str, calls: list[tuple[str, Call]], link: dict[str, str]
    ) -> None:
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
            interactionId=self.interaction,
            turnId=str(self.turn),
            **thought,
            rte=False,
            apiCallId=api_call,
            **link,
        )

    def _complete(self, call: Call, call_id: str, link: dict[str, str]) -> None:
        self.clock.tick(call.seconds)
        if call.child:
            outcome = self._subagent(call, call_id)
        else:
            outcome = self._outcome(call)
        self.meters[self.agent].hear(outcome["result"]["content"])
        self.event(
            "tool.execution_complete",
            toolCallId=call_id,
            model=self.story.model,
            interactionId=self.interaction,
            turnId=str(self.turn),
            rte=False,
            success=True,
            **outcome,
            **link,
        )

    def _arguments(self, call: Call) -> dict[str, Any]:
        return with_full_paths(call, project_path(self.story))

    def _outcome(self, call: Call) -> dict[str, Any]:
        if call.tool == "bash":
            text = f"{call.output}\n<shellId: 0 completed with exit code {call.exit_code}>"
            return {"shellExecution": {"exitCode": call.exit_code}, "result": {"content": text}}
        if call.tool in ("edit", "create"):
            return self._edited(call)
        if call.tool == "sql":
            if self.story.plan:
                self.event("session.plan_changed", operation="update" if self.queries else "create")
            self.queries.append(call.input["query"])
        return {"result": {"content": call.output}}

    def _edited(self, call: Call) -> dict[str, Any]:
        given = self._arguments(call)
        path = given["path"]
        if call.tool == "create":
            after = given["file_text"]
            text = f"Created file {path} with {len(after)} characters"
        else:
            after = call.before.replace(given["old_str"], given["new_str"], 1)
            text = f"File {path} updated."
        self.totals.changed(path, call.before, after)
        detail = git_diff(path, call.before, after)
        return {
            "fileEdits": [{"path": path, "kind": call.tool}],
            "result": {"content": text, "detailedContent": detail},
        }

    def _subagent(self, call: Call, call_id: str) -> dict[str, Any]:
        started = self.clock.now
        interaction = self.interaction
        turn = self.turn
        agent = {"agentName": call.input["agent_type"], "agentDisplayName": call.input["name"]}
        self.agent = uuid(self.id, "agent", call_id)
        self.task = call_id
        self.meters[self.agent] = Meter(8_100)
        self.totals.agents[self.agent] = agent
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
        self.agent = None
        self.task = None
        self.interaction = interaction
        self.turn = turn
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
        """Add a shell line the person typed: `!command`."""
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
        totals = self.totals.shutdown(self.started, self.meters[None].context)
        self.event("session.shutdown", **totals)

    def files(self) -> SessionFiles:
        """Return what the folder of the session holds."""
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
        return SessionFiles(
            events=self.lines,
            workspace=workspace,
            checkpoint=self.story.checkpoint,
            plan=self.story.plan,
            queries=self.queries,
            started=self.started,
            ended=self.clock.now,
        )
