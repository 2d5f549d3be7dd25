"""Writes the demo's chats as VS Code does: `<user data>/User/workspaceStorage/<id>` and
`globalStorage`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from datetime import datetime, timedelta
from typing import Any

from agent_journal.connectors.vscode_chat.chat_list import KEY, create_state
from agent_journal.demo.steps import Call, Say
from agent_journal.demo.vscode_stories import CHATS, Chat
from agent_journal.demo.writing import PERSON, Meter, compact, hexadecimal, put, token, touch, uuid

PROJECT = f"{PERSON}/work/orchard-api"
_Json = dict[str, Any]
_TOOL_IDS = {
    "read_file": "copilot_readFile",
    "grep_search": "copilot_findTextInFiles",
    "replace_string_in_file": "copilot_replaceString",
}
_FENCE = {"value": "\n```\n", "supportThemeIcons": False, "supportHtml": False}


def write_vscode_chat(home: str, now: datetime) -> None:
    """Writes all of `User`."""
    root = f"{home}/{_user_data(sys.platform)}/Code/User"
    workspace = f"{root}/workspaceStorage/{hexadecimal(32, PROJECT)}"
    chats = [_Session(chat, now) for chat in CHATS]
    for chat in chats:
        chat.play()
        folder = (
            f"{workspace}/chatSessions"
            if chat.story.has_folder
            else f"{root}/globalStorage/emptyWindowChatSessions"
        )
        if chat.story.era == "log":
            put(f"{folder}/{chat.id}.jsonl", "".join(chat.lines), chat.now)
        elif chat.story.era == "json":
            put(
                f"{folder}/{chat.id}.json",
                json.dumps(chat.document(), indent=2, ensure_ascii=False),
                chat.now,
            )
        if chat.edits.operations:
            chat.edits.write(f"{workspace}/chatEditingSessions/{chat.id}", chat.now)
    first, last = min(chat.started for chat in chats), max(chat.now for chat in chats)
    put(f"{workspace}/workspace.json", json.dumps({"folder": f"file://{PROJECT}"}, indent=2), first)
    ours = [chat for chat in chats if chat.story.has_folder]
    _write_state(f"{workspace}/state.vscdb", ours, last)
    _write_state(
        f"{root}/globalStorage/state.vscdb", [chat for chat in chats if chat not in ours], last
    )


def _user_data(platform: str) -> str:
    return {"darwin": "Library/Application Support", "win32": "AppData/Roaming"}.get(
        platform, ".config"
    )


class _Session:
    """One chat: its document, and the lines of its log."""

    def __init__(self, story: Chat, now: datetime) -> None:
        hour, minute = map(int, story.time.split(":"))
        day = now - timedelta(days=story.days_ago)
        self.story = story
        self.now = self.started = day.replace(
            hour=hour, minute=minute, second=11, microsecond=406_000
        )
        self.id = uuid("vscode", story.key)
        self.is_new = story.era == "log"
        self.requests: list[_Json] = []
        self.lines: list[str] = []
        self.rounds: list[_Json] = []
        self.results: _Json = {}
        self.meter = Meter(12_600)
        self.prompt = self.output = 0  # tokens of the last call, and of all calls of a turn
        self.edits = _Edits(self)

    def ms(self, seconds: float = 0) -> int:
        """The time now, after so many seconds."""
        self.now += timedelta(seconds=seconds, milliseconds=int(seconds * 41) % 97)
        return int(self.now.timestamp() * 1000)

    def play(self) -> None:
        self.line(0, v=self.document())
        for step in self.story.steps:
            if isinstance(step, str):
                self._ask(step)
            else:
                self._say(step)
        self._end_turn()

    def document(self) -> _Json:
        """The whole session as it is now."""
        begin = int(self.started.timestamp() * 1000)
        head: _Json = {"version": 3}
        if not self.is_new:
            head |= {
                "requesterUsername": "sam",
                "responderAvatarIconUri": {"id": "copilot"},
                "isImported": False,
                "lastMessageDate": self.requests[-1]["timestamp"] if self.requests else begin,
            }
        head |= {
            "creationDate": begin,
            "initialLocation": "panel",
            "responderUsername": "GitHub Copilot",
        }
        if self.is_new:
            mode = {"id": self.story.mode, "kind": self.story.mode}
            state = {
                "attachments": [],
                "mode": mode,
                "inputText": "",
                "selections": [],
                "contrib": {},
            }
            head |= {"hasPendingEdits": False, "inputState": state}
        return head | {"sessionId": self.id, "requests": list(self.requests)}

    def line(self, kind: int, *path: str | int, **fields: object) -> None:
        """One change of the document."""
        place = {"k": list(path)} if path else {}
        self.lines.append(compact({"kind": kind, **place, **fields}) + "\n")

    def _ask(self, text: str) -> None:
        if self.requests:
            self._end_turn()
        # The crash; the next change is written behind the half line
        if self.story.torn and self.requests:
            self.lines.append('{"kind":1,"k":["inputState","inputText"],"v":"Two sta')
        self.meter.hear(text)
        message, variables = _message(text)
        request: _Json = {
            "requestId": f"request_{uuid(self.id, text)}",
            "timestamp": self.ms(24),
            "message": message,
            "variableData": {"variables": variables},
            "response": [],
            "agent": self._agent(),
            "responseId": f"response_{uuid(self.id, text, 'response')}",
            "followups": [],
            "contentReferences": [
                {"kind": "reference", "reference": one["value"]} for one in variables
            ],
            "codeCitations": [],
        }
        if self.story.model:
            request["modelId"] = f"copilot/{self.story.model}"
        if self.is_new:
            request["modelState"] = {"value": 0}
        if self.edits.files:
            request["editedFileEvents"] = [
                {"uri": _uri(path), "eventKind": 1} for path in self.edits.files
            ]
        self.line(2, "requests", v=[request])
        self.requests.append(request)
        self.rounds, self.results, self.output = [], {}, 0

    def _agent(self) -> _Json:
        name = {"agent": "editsAgent", "ask": "default"}[self.story.mode]
        return {
            "extensionId": {"value": "GitHub.copilot-chat", "_lower": "github.copilot-chat"},
            "extensionVersion": self.story.version,
            "publisherDisplayName": "GitHub",
            "extensionPublisherId": "GitHub",
            "extensionDisplayName": "GitHub Copilot Chat",
            "id": f"github.copilot.{name}",
            "name": self.story.mode,
            "fullName": "GitHub Copilot",
            "isDefault": True,
            "locations": ["panel"],
            "modes": [self.story.mode],
            "metadata": {"hasFollowups": False, "supportIssueReporting": False},
            "slashCommands": [],
            "disambiguation": [],
        }

    def _say(self, say: Say) -> None:
        """One call of the model: its thoughts, words and tools, streamed in two steps."""
        self.ms(say.seconds)
        request, place = self.requests[-1], ("requests", len(self.requests) - 1, "response")
        tokens = self.meter.call(say.text + str([call.input for call in say.calls]), say.thinking)
        self.prompt = tokens.fresh + tokens.cache_read + tokens.cache_write
        self.output += tokens.output
        parts: list[_Json] = []
        if say.thinking and self.is_new:
            thought = token("rs_", self.id, say.thinking)
            parts.append(
                {"kind": "thinking", "value": say.thinking, "id": thought, "generatedTitle": ""}
            )
        parts += _words(say.text)
        ids = [
            token("toolu_01", self.id, len(self.requests), len(self.rounds), index)
            for index in range(len(say.calls))
        ]
        self._round(say, ids)
        if parts and len(say.text) > 80:
            value = parts[-1]["value"]
            self.line(2, *place, v=[*parts[:-1], parts[-1] | {"value": value[: len(value) // 2]}])
            start = len(request["response"]) + len(parts) - 1
            tail = [parts[-1], *self._calls(say.calls, ids)]
            self.line(2, *place, v=tail, i=start)
            parts = [*parts[:-1], *tail]
        else:
            parts += self._calls(say.calls, ids)
            self.line(2, *place, v=parts)
        request["response"] = request["response"] + parts

    def _round(self, say: Say, ids: list[str]) -> None:
        calls = [
            {
                "id": f"{own}__vscode-{self.ms()}",
                "name": call.tool,
                "arguments": compact(_arguments(call)),
            }
            for own, call in zip(ids, say.calls, strict=True)
        ]
        one: _Json = {
            "id": uuid(self.id, ids, say.text),
            "response": say.text.replace("[[", "").replace("]]", ""),
            "toolCalls": calls,
            "toolInputRetry": 0,
            "timestamp": self.ms(),
        }
        if say.thinking:
            one["thinking"] = {"id": token("rs_", self.id, say.thinking), "text": say.thinking}
        self.rounds.append(one)
        for made, call in zip(calls, say.calls, strict=True):
            content = _result(call)
            self.meter.hear(call.output)
            self.results[made["id"]] = {"$mid": 20, "content": [content]}

    def _calls(self, calls: tuple[Call, ...], ids: list[str]) -> list[_Json]:
        parts: list[_Json] = []
        for call, own in zip(calls, ids, strict=True):
            took = int(call.seconds * 1000)
            self.ms(call.seconds)
            if not self.is_new:  # the ids of the parts were others than those of the calls
                parts.append({"kind": "prepareToolInvocation", "toolName": _TOOL_IDS[call.tool]})
                own = uuid(self.id, own)
            shown, specific = _shown(call, self.ms(), took)
            more = {"toolSpecificData": specific} if specific else {}
            parts.append(
                {
                    "kind": "toolInvocationSerialized",
                    "invocationMessage": shown[0],
                    "pastTenseMessage": shown[1],
                    "isConfirmed": {"type": 4 if call.tool == "run_in_terminal" else 1},
                    "isComplete": True,
                    "source": {"type": "internal", "label": "Built-In"},
                    "toolCallId": own,
                    "toolId": _TOOL_IDS.get(call.tool, call.tool),
                    **more,
                }
            )
            if call.before:
                parts += self.edits.edit(call, uuid(own, "undo"), self.requests[-1]["requestId"])
        return parts

    def _end_turn(self) -> None:
        """What is known when an answer is complete."""
        request, number = self.requests[-1], len(self.requests) - 1
        is_stopped = self.story.stopped and number > 0
        took = self.ms() - request["timestamp"]
        metadata = {
            "codeBlocks": [],
            "toolCallRounds": self.rounds,
            "toolCallResults": self.results,
            "modelMessageId": uuid(self.id, number, "message"),
            "responseId": uuid(self.id, number),
            "sessionId": self.id,
            "agentId": request["agent"]["id"],
        }
        result: _Json = {
            "timings": {"firstProgress": 2_140, "totalElapsed": took},
            "metadata": metadata,
        }
        if is_stopped:
            result = {"errorDetails": {"message": "Canceled"}, "timings": {"totalElapsed": took}}
        if not self.is_new:
            request |= {"result": result, "isCanceled": is_stopped}
            return
        metadata |= {
            "promptTokens": self.prompt,
            "outputTokens": self.output,
            "resolvedModel": self.story.model,
        }
        result["details"] = f"{self.story.model} • 1x"
        place = ("requests", number)
        ends: _Json = {
            "result": result,
            "modelState": {"value": 1, "completedAt": self.ms()},
            "elapsedMs": took,
        }
        ends |= {"promptTokens": self.prompt, "completionTokens": self.output}
        for name, value in ends.items():
            self.line(1, *place, name, v=value)
        request |= ends
        if number == 0 and self.story.title:
            self.line(1, "customTitle", v=self.story.title)

    def listed(self) -> _Json:
        """The entry in the list that VS Code shows."""
        last = self.requests[-1]["timestamp"]
        timing = {"created": int(self.started.timestamp() * 1000), "lastRequestStarted": last}
        return {
            "sessionId": self.id,
            "title": self.story.listed_as,
            "lastMessageDate": last,
            "timing": timing,
            "initialLocation": "panel",
            "hasPendingEdits": False,
            "isEmpty": False,
            "isExternal": False,
            "lastResponseState": 2 if self.story.stopped else 1,
        }


class _Edits:
    """The `chatEditingSessions` folder of a chat: every edit, by the counter that VS Code calls
    epoch.
    """

    def __init__(self, session: _Session) -> None:
        self.session = session
        self.epoch = 1
        self.checkpoints: list[_Json] = [
            {"checkpointId": uuid(session.id, 0), "epoch": 0, "label": "Initial State"}
        ]
        self.baselines: list[list[Any]] = []
        self.operations: list[_Json] = []
        # Path: first and last content, last request
        self.files: dict[str, tuple[str, str, str]] = {}

    def edit(self, call: Call, stop: str, request: str) -> list[_Json]:
        """Notes an edit; the parts of the answer that show it."""
        path, old, new = (
            f"{PROJECT}/{call.input['filePath']}",
            call.input["oldString"],
            call.input["newString"],
        )
        if all(one.get("requestId") != request for one in self.checkpoints):
            self._checkpoint(requestId=request, label=f"Request {request}")
            telemetry = {
                "requestId": request,
                "agentId": "github.copilot.editsAgent",
                "modelId": "copilot",
            }
            file = {
                "uri": _uri(path),
                "requestId": request,
                "content": call.before,
                "epoch": self._next(),
            }
            self.baselines.append(
                [f"file://{path}::{request}", file | {"telemetryInfo": telemetry}]
            )
        line = call.before[: call.before.index(old)].count("\n") + 1
        place = {
            "startLineNumber": line,
            "startColumn": 1,
            "endLineNumber": line + old.count("\n"),
            "endColumn": 1,
        }
        edits = [{"range": place, "text": new}]
        operation = {
            "type": "textEdit",
            "uri": _uri(path),
            "requestId": request,
            "epoch": self._next(),
        }
        self.operations.append(operation | {"edits": edits})
        self._checkpoint(requestId=request, undoStopId=stop, label="Edit")
        first = self.files[path][0] if path in self.files else call.before
        self.files[path] = first, call.before.replace(old, new, 1), request
        group = {"kind": "textEditGroup", "uri": _uri(path), "edits": [edits, []], "done": True}
        block = {"kind": "codeblockUri", "uri": _uri(path), "isEdit": True, "undoStopId": stop}
        return [_FENCE, {"kind": "undoStop", "id": stop}, block, group, _FENCE]

    def write(self, folder: str, when: datetime) -> None:
        """Writes `state.json` and the contents it names."""
        timeline = {
            "checkpoints": self.checkpoints,
            "fileBaselines": self.baselines,
            "operations": self.operations,
            "currentEpoch": self.epoch,
            "epochCounter": self.epoch,
        }
        entries, initial = [], []
        for path, (first, last, request) in self.files.items():
            hashes = [
                hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:7]
                for text in (first, last)
            ]
            for name, text in zip(hashes, (first, last), strict=True):
                put(f"{folder}/contents/{name}", text, when)
            entries.append(
                {
                    "resource": f"file://{path}",
                    "languageId": "python",
                    "originalHash": hashes[0],
                    "currentHash": hashes[1],
                    "state": 1,
                    "snapshotUri": f"chat-editing-snapshot-text-model:{path}",
                    "telemetryInfo": {"requestId": request, "agentId": "github.copilot.editsAgent"},
                }
            )
            initial.append([f"file://{path}", hashes[0]])
        state = {
            "version": 2,
            "initialFileContents": initial,
            "timeline": timeline,
            "recentSnapshot": {"entries": entries},
        }
        put(f"{folder}/state.json", compact(state), when)

    def _checkpoint(self, **fields: str) -> None:
        own = uuid(self.session.id, "checkpoint", self.epoch)
        self.checkpoints.append({"checkpointId": own, **fields, "epoch": self._next()})

    def _next(self) -> int:
        self.epoch += 1
        return self.epoch - 1


def _uri(path: str) -> _Json:
    return {"$mid": 1, "fsPath": path, "external": f"file://{path}", "path": path, "scheme": "file"}


def _arguments(call: Call) -> _Json:
    return {
        name: f"{PROJECT}/{value}" if name == "filePath" else value
        for name, value in call.input.items()
    }


def _message(text: str) -> tuple[_Json, list[_Json]]:
    """A prompt with its parts, and the files it attaches."""
    parts, variables = [], []
    for found in re.finditer(r"#file:\S+|@workspace|(?:(?!#file:|@workspace).)+", text):
        start, end = found.span()
        editor = {
            "startLineNumber": 1,
            "startColumn": start + 1,
            "endLineNumber": 1,
            "endColumn": end + 1,
        }
        place = {"start": start, "endExclusive": end}
        part: _Json = {"range": place, "editorRange": editor}
        if found[0].startswith("#file:"):
            file = _uri(f"{PROJECT}/{found[0][6:]}")
            part |= {
                "text": found[0],
                "id": file["external"],
                "isFile": True,
                "data": file,
                "kind": "dynamic",
            }
            variables.append(
                {
                    "id": file["external"],
                    "name": found[0][1:],
                    "value": file,
                    "kind": "file",
                    "range": place,
                }
            )
        elif found[0] == "@workspace":
            part |= {
                "agent": {"id": "github.copilot.workspace", "name": "workspace"},
                "kind": "agent",
            }
        else:
            part |= {"text": found[0], "kind": "text"}
        parts.append(part)
    return {"parts": parts, "text": text}, variables


def _words(text: str) -> list[_Json]:
    """Markdown, cut where a file is named."""
    parts: list[_Json] = []
    for index, piece in enumerate(re.split(r"\[\[(.+?)\]\]", text)):
        if index % 2:
            parts.append({"kind": "inlineReference", "inlineReference": _uri(f"{PROJECT}/{piece}")})
        elif piece:
            base = {
                "supportThemeIcons": False,
                "supportHtml": False,
                "baseUri": _uri(PROJECT + "/"),
            }
            parts.append({"value": piece} | base)
    return parts


def _shown(call: Call, ended: int, took: int) -> tuple[tuple[object, object], _Json | None]:
    """What VS Code showed while a tool ran and after it, and what it kept of the tool's own."""
    given = call.input
    if call.tool == "run_in_terminal":
        specific = {
            "kind": "terminal",
            "commandLine": {"original": given["command"]},
            "language": "sh",
            "cwd": _uri(PROJECT),
            "terminalCommandOutput": {
                "text": call.output + "\r\n",
                "lineCount": call.output.count("\n") + 1,
            },
            "terminalCommandState": {
                "exitCode": call.exit_code,
                "timestamp": ended - took,
                "duration": took,
            },
        }
        return ('Using "Run in Terminal"', "Ran terminal command"), specific
    if call.tool == "manage_todo_list":
        todos = [todo | {"id": str(todo["id"])} for todo in given["todoList"]]
        return ("Updating todo list", f"Updated todo list of {len(todos)}"), {
            "kind": "todoList",
            "todoList": todos,
        }
    if call.tool == "grep_search":
        what = f"text for `{given['query']}`"
        return (
            {"value": f"Searching {what}"},
            {"value": f"Searched {what}, {call.output.splitlines()[0]}"},
        ), None
    file = _uri(f"{PROJECT}/{given['filePath']}")
    doing, done = ("Editing", "Edited") if call.before else ("Reading", "Read")
    link = {"uris": {file["external"]: file}, "supportThemeIcons": False}
    shown = [{"value": f"{verb} [](file://{file['path']})"} | link for verb in (doing, done)]
    return (shown[0], shown[1]), None


def _result(call: Call) -> _Json:
    """What the model saw: plain text of a terminal, of other tools a tree of text."""
    if call.tool == "run_in_terminal":
        ending = f"\n\nCommand exited with code {call.exit_code}" if call.exit_code else ""
        return {"$mid": 21, "value": call.output + ending}
    text = call.output or "Successfully wrote todo list"
    file, references = call.input.get("filePath"), []
    if call.before:
        text = f"The following files were successfully edited:\n{PROJECT}/{file}"
    if file:
        references = [{"anchor": _uri(f"{PROJECT}/{file}"), "options": {"isFromTool": True}}]
    lines = [
        {
            "type": 2,
            "priority": 9007199254740991,
            "text": line,
            "references": [],
            "lineBreakBefore": index > 0,
        }
        for index, line in enumerate(text.splitlines())
    ]
    inner = {
        "type": 1,
        "ctor": 2,
        "ctorName": "Tag",
        "children": lines,
        "props": {},
        "references": [],
    }
    node = {
        "type": 1,
        "ctor": 2,
        "ctorName": "ToolResult",
        "children": [inner],
        "props": {},
        "references": references,
    }
    return {"$mid": 23, "value": {"node": node}}


def _write_state(path: str, sessions: list[_Session], when: datetime) -> None:
    """A `state.vscdb`: the list of sessions, those of the oldest versions, and things that are
    nobody's business.
    """
    entries = {one.id: one.listed() for one in sessions if one.story.listed_as}
    rows: dict[str, object] = {KEY: {"version": 1, "entries": entries}}
    rows["memento/workbench.view.explorer"] = {"viewState": {"focus": [], "selection": []}}
    old = [one.document() for one in sessions if one.story.era == "row"]
    if old:
        rows["interactive.sessions"] = old
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    create_state(path, {key: compact(value) for key, value in rows.items()})
    touch(path, when)
