"""Writes the demo's session of Gemini CLI: `.gemini/tmp/<project>/chats/session-<time>.jsonl`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from agent_journal.demo.steps import Call, Say, Story
from agent_journal.demo.story_files import read_stories
from agent_journal.demo.writing import (
    Clock,
    Meter,
    compact,
    hexadecimal,
    iso,
    project_path,
    put,
    uuid,
    with_full_paths,
)


def write_gemini(home: str, now: datetime) -> None:
    """Write all of `.gemini`."""
    root = f"{home}/.gemini"
    for story in read_stories(Story, "gemini", "indexes"):
        chat = _Chat(story, Clock(story, now))
        started = chat.clock.now
        chat.play()
        name = f"session-{started:%Y-%m-%dT%H-%M}-{chat.id[:8]}.jsonl"
        lines = "".join(compact(record) + "\n" for record in chat.records)
        put(f"{root}/tmp/{story.project}/chats/{name}", lines, chat.clock.now)
        projects = {"projects": {project_path(story): story.project}}
        put(f"{root}/projects.json", compact(projects), started)


class _Chat:
    """The log of one session."""

    def __init__(self, story: Story, clock: Clock) -> None:
        self.story = story
        self.clock = clock
        self.id = uuid("session", story.key)
        self.meter = Meter(7_800)
        head = {
            "sessionId": self.id,
            "projectHash": hexadecimal(64, story.project),
            "startTime": iso(clock.now),
            "lastUpdated": iso(clock.now),
            "kind": "main",
        }
        self.records: list[dict[str, Any]] = [head]

    def play(self) -> None:
        """Go through the steps of the story."""
        for number, step in enumerate(self.story.steps):
            if isinstance(step, str):
                self._prompt(step, number)
            elif isinstance(step, Say):
                self._say(step, number)

    def _prompt(self, text: str, number: int) -> None:
        self.meter.hear(text)
        record = {
            "id": uuid(self.story.key, number),
            "timestamp": iso(self.clock.tick(9)),
            "type": "user",
            "content": [{"text": text}],
        }
        self.records.append(record)

    def _say(self, say: Say, number: int) -> None:
        when = iso(self.clock.tick(say.seconds))
        record: dict[str, Any] = {
            "id": uuid(self.story.key, number),
            "timestamp": when,
            "type": "gemini",
            "content": say.text,
        }
        if say.thinking:
            thought = {"subject": "Looking", "description": say.thinking, "timestamp": when}
            record["thoughts"] = [thought]
        record["tokens"] = self._tokens(say)
        record["model"] = self.story.model
        if say.calls:
            record["toolCalls"] = [self._call(call, f"{call.tool}-{number}") for call in say.calls]
        self.records.append(record)

    def _tokens(self, say: Say) -> dict[str, int]:
        tokens = self.meter.call(say.text + str([call.input for call in say.calls]), say.thinking)
        given = tokens.fresh + tokens.cache_read + tokens.cache_write
        return {
            "input": given,
            "output": tokens.output - tokens.reasoning,
            "cached": tokens.cache_read,
            "thoughts": tokens.reasoning,
            "tool": 0,
            "total": given + tokens.output,
        }

    def _call(self, call: Call, call_id: str) -> dict[str, Any]:
        given = with_full_paths(call, project_path(self.story))
        display: object = call.output
        output = (
            f"Command: {given.get('command')}\nOutput: {call.output}\nExit Code: {call.exit_code}"
        )
        if call.tool == "write_file":
            display = _new_file(given["file_path"], given["content"])
            output = f"Successfully created and wrote to new file: {given['file_path']}."
        response = {"id": call_id, "name": call.tool, "response": {"output": output}}
        return {
            "id": call_id,
            "name": call.tool,
            "args": given,
            "status": "success",
            "timestamp": iso(self.clock.tick(1)),
            "result": [{"functionResponse": response}],
            "resultDisplay": display,
        }


def _new_file(path: str, text: str) -> dict[str, Any]:
    return {
        "fileDiff": f"--- Current\n+++ Written\n@@ -0,0 +1 @@\n+{text}",
        "fileName": path.rpartition("/")[2],
        "filePath": path,
        "originalContent": "",
        "newContent": text,
        "isNewFile": True,
    }
