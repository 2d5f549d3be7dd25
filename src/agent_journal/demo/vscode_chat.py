"""Writes the demo's chats as VS Code does: `User/workspaceStorage` and `User/globalStorage`."""

from __future__ import annotations

import json
import os
import sys
from datetime import datetime, timedelta

from agent_journal.connectors.vscode_chat.chat_list import KEY, create_state
from agent_journal.demo.steps import Call, Chat, Say
from agent_journal.demo.story_files import read_stories
from agent_journal.demo.vscode_edits import EditingSession
from agent_journal.demo.vscode_parts import (
    PROJECT,
    Json,
    arguments,
    markdown,
    prompt,
    result,
    shown,
    uri,
    without_links,
)
from agent_journal.demo.writing import Meter, compact, hexadecimal, put, token, touch, uuid

_CHATS = (
    "slow-orchard",
    "docker-image",
    "who-closes",
    "orphan-trees",
    "bulk-status",
    "semver",
)
_TOOL_IDS = {
    "read_file": "copilot_readFile",
    "grep_search": "copilot_findTextInFiles",
    "replace_string_in_file": "copilot_replaceString",
}
_USER_DATA = {"darwin": "Library/Application Support", "win32": "AppData/Roaming"}
_AGENT_NAMES = {"agent": "editsAgent", "ask": "default"}


def write_vscode_chat(home: str, now: datetime) -> None:
    """Write all of `User`."""
    root = f"{home}/{_USER_DATA.get(sys.platform, '.config')}/Code/User"
    workspace = f"{root}/workspaceStorage/{hexadecimal(32, PROJECT)}"
    sessions = [_Session(chat, now) for chat in read_stories(Chat, "vscode_chat", *_CHATS)]
    for session in sessions:
        session.play()
        folder = f"{root}/globalStorage/emptyWindowChatSessions"
        if session.story.has_folder:
            folder = f"{workspace}/chatSessions"
        session.write(folder)
        if session.edits.has_edits:
            session.edits.write(f"{workspace}/chatEditingSessions/{session.id}", session.now)
    first = min(session.started for session in sessions)
    last = max(session.now for session in sessions)
    put(f"{workspace}/workspace.json", json.dumps({"folder": f"file://{PROJECT}"}, indent=2), first)
    with_folder = [session for session in sessions if session.story.has_folder]
    without_folder = [session for session in sessions if not session.story.has_folder]
    _write_state(f"{workspace}/state.vscdb", with_folder, last)
    _write_state(f"{root}/globalStorage/state.vscdb", without_folder, last)


class _Session:
    """One chat: its document, and the lines of its log."""

    def __init__(self, story: Chat, now: datetime) -> None:
        hour, minute = map(int, story.time.split(":"))
        day = now - timedelta(days=story.days_ago)
        self.story = story
        self.started = day.replace(hour=hour, minute=minute, second=11, microsecond=406_000)
        self.now = self.started
        self.id = uuid("vscode", story.key)
        self.is_log = story.era == "log"
        self.requests: list[Json] = []
        self.lines: list[str] = []
        self.rounds: list[Json] = []
        self.results: Json = {}
        self.meter = Meter(12_600)
        self.prompt_tokens = 0  # of the last call
        self.output_tokens = 0  # of all calls of a turn
        self.edits = EditingSession(self.id)

    @property
    def ms(self) -> int:
        """The time now."""
        return int(self.now.timestamp() * 1000)

    @property
    def started_ms(self) -> int:
        """The time of the start."""
        return int(self.started.timestamp() * 1000)

    def tick(self, seconds: float) -> None:
        """Advance the time, by not quite whole seconds."""
        self.now += timedelta(seconds=seconds, milliseconds=int(seconds * 41) % 97)

    def play(self) -> None:
        """Go through the steps of the story."""
        self.line(0, v=self.document())
        for step in self.story.steps:
            if isinstance(step, str):
                self._ask(step)
            elif isinstance(step, Say):
                self._say(step)
        self._end_turn()

    def write(self, folder: str) -> None:
        """Write the file of the chat; the oldest ones are rows of a database."""
        if self.story.era == "log":
            put(f"{folder}/{self.id}.jsonl", "".join(self.lines), self.now)
        elif self.story.era == "json":
            text = json.dumps(self.document(), indent=2, ensure_ascii=False)
            put(f"{folder}/{self.id}.json", text, self.now)

    def document(self) -> Json:
        """Return the whole session as it is now."""
        head: Json = {"version": 3}
        if not self.is_log:
            last = self.requests[-1]["timestamp"] if self.requests else self.started_ms
            head["requesterUsername"] = "sam"
            head["responderAvatarIconUri"] = {"id": "copilot"}
            head["isImported"] = False
            head["lastMessageDate"] = last
        head["creationDate"] = self.started_ms
        head["initialLocation"] = "panel"
        head["responderUsername"] = "GitHub Copilot"
        if self.is_log:
            head["hasPendingEdits"] = False
            head["inputState"] = {
                "attachments": [],
                "mode": {"id": self.story.mode, "kind": self.story.mode},
                "inputText": "",
                "selections": [],
                "contrib": {},
            }
        return head | {"sessionId": self.id, "requests": list(self.requests)}

    def line(self, kind: int, *path: str | int, **fields: object) -> None:
        """Add one change of the document to the log."""
        record: Json = {"kind": kind}
        if path:
            record["k"] = list(path)
        self.lines.append(compact(record | fields) + "\n")

    # -- requests ------------------------------------------------------------------------------

    def _ask(self, text: str) -> None:
        if self.requests:
            self._end_turn()
        if self.story.torn and self.requests:
            # The crash; the next change is written right after the half line.
            self.lines.append('{"kind":1,"k":["inputState","inputText"],"v":"Two sta')
        self.meter.hear(text)
        self.tick(24)
        request = self._request(text)
        self.line(2, "requests", v=[request])
        self.requests.append(request)
        self.rounds = []
        self.results = {}
        self.output_tokens = 0

    def _request(self, text: str) -> Json:
        asked = prompt(text)
        request: Json = {
            "requestId": f"request_{uuid(self.id, text)}",
            "timestamp": self.ms,
            "message": asked.message,
            "variableData": {"variables": asked.variables},
            "response": [],
            "agent": self._agent(),
            "responseId": f"response_{uuid(self.id, text, 'response')}",
            "followups": [],
            "contentReferences": [
                {"kind": "reference", "reference": variable["value"]}
                for variable in asked.variables
            ],
            "codeCitations": [],
        }
        if self.story.model:
            request["modelId"] = f"copilot/{self.story.model}"
        if self.is_log:
            request["modelState"] = {"value": 0}
        if self.edits.files:
            request["editedFileEvents"] = [
                {"uri": uri(path), "eventKind": 1} for path in self.edits.files
            ]
        return request

    def _agent(self) -> Json:
        return {
            "extensionId": {"value": "GitHub.copilot-chat", "_lower": "github.copilot-chat"},
            "extensionVersion": self.story.version,
            "publisherDisplayName": "GitHub",
            "extensionPublisherId": "GitHub",
            "extensionDisplayName": "GitHub Copilot Chat",
            "id": f"github.copilot.{_AGENT_NAMES[self.story.mode]}",
            "name": self.story.mode,
            "fullName": "GitHub Copilot",
            "isDefault": True,
            "locations": ["panel"],
            "modes": [self.story.mode],
            "metadata": {"hasFollowups": False, "supportIssueReporting": False},
            "slashCommands": [],
            "disambiguation": [],
        }

    # -- answers -------------------------------------------------------------------------------

    def _say(self, say: Say) -> None:
        """Add one call of the model: its thoughts, words and tools, streamed in two steps."""
        self.tick(say.seconds)
        request = self.requests[-1]
        place = ("requests", len(self.requests) - 1, "response")
        tokens = self.meter.call(say.text + str([call.input for call in say.calls]), say.thinking)
        self.prompt_tokens = tokens.fresh + tokens.cache_read + tokens.cache_write
        self.output_tokens += tokens.output
        parts: list[Json] = []
        if say.thinking and self.is_log:
            thought = {"kind": "thinking", "value": say.thinking, "id": self._thought_id(say)}
            parts.append(thought | {"generatedTitle": ""})
        parts += markdown(say.text)
        ids = [
            token("toolu_01", self.id, len(self.requests), len(self.rounds), index)
            for index in range(len(say.calls))
        ]
        self._round(say, ids)
        calls = self._calls(say.calls, ids)
        if parts and len(say.text) > 80:
            *before, last = parts
            half = last["value"][: len(last["value"]) // 2]
            self.line(2, *place, v=[*before, last | {"value": half}])
            start = len(request["response"]) + len(before)
            self.line(2, *place, v=[last, *calls], i=start)
        else:
            self.line(2, *place, v=[*parts, *calls])
        request["response"] = [*request["response"], *parts, *calls]

    def _thought_id(self, say: Say) -> str:
        return token("rs_", self.id, say.thinking)

    def _round(self, say: Say, ids: list[str]) -> None:
        calls = []
        for call_id, call in zip(ids, say.calls, strict=True):
            round_id = f"{call_id}__vscode-{self.ms}"
            calls.append({"id": round_id, "name": call.tool, "arguments": compact(arguments(call))})
            self.meter.hear(call.output)
            self.results[round_id] = {"$mid": 20, "content": [result(call)]}
        tool_round: Json = {
            "id": uuid(self.id, ids, say.text),
            "response": without_links(say.text),
            "toolCalls": calls,
            "toolInputRetry": 0,
            "timestamp": self.ms,
        }
        if say.thinking:
            tool_round["thinking"] = {"id": self._thought_id(say), "text": say.thinking}
        self.rounds.append(tool_round)

    def _calls(self, calls: tuple[Call, ...], ids: list[str]) -> list[Json]:
        parts: list[Json] = []
        for call, call_id in zip(calls, ids, strict=True):
            self.tick(call.seconds)
            part_id = call_id
            if not self.is_log:  # the ids of the parts differed from those of the calls
                parts.append({"kind": "prepareToolInvocation", "toolName": _TOOL_IDS[call.tool]})
                part_id = uuid(self.id, call_id)
            parts.append(self._invocation(call, part_id))
            if call.before:
                request_id = self.requests[-1]["requestId"]
                parts += self.edits.edit(call, uuid(part_id, "undo"), request_id)
        return parts

    def _invocation(self, call: Call, part_id: str) -> Json:
        seen = shown(call, self.ms, int(call.seconds * 1000))
        part: Json = {
            "kind": "toolInvocationSerialized",
            "invocationMessage": seen.during,
            "pastTenseMessage": seen.after,
            "isConfirmed": {"type": 4 if call.tool == "run_in_terminal" else 1},
            "isComplete": True,
            "source": {"type": "internal", "label": "Built-In"},
            "toolCallId": part_id,
            "toolId": _TOOL_IDS.get(call.tool, call.tool),
        }
        if seen.specific:
            part["toolSpecificData"] = seen.specific
        return part

    # -- the end of an answer ------------------------------------------------------------------

    def _end_turn(self) -> None:
        """Add what is known when an answer is complete."""
        request = self.requests[-1]
        number = len(self.requests) - 1
        took = self.ms - request["timestamp"]
        is_stopped = self.story.stopped and number > 0
        if is_stopped:
            ending: Json = {
                "errorDetails": {"message": "Canceled"},
                "timings": {"totalElapsed": took},
            }
        else:
            ending = {
                "timings": {"firstProgress": 2_140, "totalElapsed": took},
                "metadata": self._metadata(request, number),
            }
        if not self.is_log:
            request |= {"result": ending, "isCanceled": is_stopped}
            return
        ending["details"] = f"{self.story.model} • 1x"
        changes: Json = {
            "result": ending,
            "modelState": {"value": 1, "completedAt": self.ms},
            "elapsedMs": took,
            "promptTokens": self.prompt_tokens,
            "completionTokens": self.output_tokens,
        }
        for name, value in changes.items():
            self.line(1, "requests", number, name, v=value)
        request |= changes
        if number == 0 and self.story.title:
            self.line(1, "customTitle", v=self.story.title)

    def _metadata(self, request: Json, number: int) -> Json:
        metadata: Json = {
            "codeBlocks": [],
            "toolCallRounds": self.rounds,
            "toolCallResults": self.results,
            "modelMessageId": uuid(self.id, number, "message"),
            "responseId": uuid(self.id, number),
            "sessionId": self.id,
            "agentId": request["agent"]["id"],
        }
        if self.is_log:
            metadata["promptTokens"] = self.prompt_tokens
            metadata["outputTokens"] = self.output_tokens
            metadata["resolvedModel"] = self.story.model
        return metadata

    def listed(self) -> Json:
        """Return the entry in the list that VS Code shows."""
        last = self.requests[-1]["timestamp"]
        return {
            "sessionId": self.id,
            "title": self.story.listed_as,
            "lastMessageDate": last,
            "timing": {"created": self.started_ms, "lastRequestStarted": last},
            "initialLocation": "panel",
            "hasPendingEdits": False,
            "isEmpty": False,
            "isExternal": False,
            "lastResponseState": 2 if self.story.stopped else 1,
        }


def _write_state(path: str, sessions: list[_Session], when: datetime) -> None:
    """Write a `state.vscdb`: the list of sessions, the oldest ones, and a row of something else."""
    entries = {session.id: session.listed() for session in sessions if session.story.listed_as}
    rows: dict[str, object] = {KEY: {"version": 1, "entries": entries}}
    rows["memento/workbench.view.explorer"] = {"viewState": {"focus": [], "selection": []}}
    old = [session.document() for session in sessions if session.story.era == "row"]
    if old:
        rows["interactive.sessions"] = old
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    create_state(path, {key: compact(value) for key, value in rows.items()})
    touch(path, when)
