"""Writes the demo's session of Cline's command line: `.cline/data/sessions/<id>/`."""

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
    token,
    uuid,
    with_full_paths,
)


def write_cline(home: str, now: datetime) -> None:
    """Write all of `.cline`."""
    for story in read_stories(Story, "cline", "timeouts"):
        _Session(story, Clock(story, now)).write(f"{home}/.cline/data/sessions")


class _Session:
    """One session: its manifest, and its messages."""

    def __init__(self, story: Story, clock: Clock) -> None:
        self.story = story
        self.clock = clock
        self.started = clock.now
        # Real ids are the time in milliseconds; one that changes every day would change the docs
        number = int(hexadecimal(8, story.key), 16) % 10**9
        self.id = f"1794{number:09}_{uuid('session', story.key)[:5]}"
        self.meter = Meter(6_400)
        self.messages: list[dict[str, Any]] = []

    def write(self, folder: str) -> None:
        """Go through the steps of the story, and write the files."""
        for number, step in enumerate(self.story.steps):
            if isinstance(step, str):
                self._prompt(step, number)
            elif isinstance(step, Say):
                self._say(step, number)
        for suffix, document in (
            (".json", self._manifest()),
            (".messages.json", self._conversation()),
        ):
            put(f"{folder}/{self.id}/{self.id}{suffix}", compact(document), self.clock.now)

    def _prompt(self, text: str, number: int) -> None:
        self.meter.hear(text)
        content = [{"type": "text", "text": f'<user_input mode="act">{text}</user_input>'}]
        self._add("user", uuid(self.story.key, number), content, 9)

    def _say(self, say: Say, number: int) -> None:
        blocks: list[dict[str, Any]] = []
        if say.thinking:
            blocks.append({"type": "thinking", "thinking": say.thinking})
        if say.text:
            blocks.append({"type": "text", "text": say.text})
        ids = [token("toolu_", self.story.key, number, call.tool) for call in say.calls]
        project = project_path(self.story)
        for call_id, call in zip(ids, say.calls, strict=True):
            given = with_full_paths(call, project)
            blocks.append({"type": "tool_use", "id": call_id, "name": call.tool, "input": given})
        message = self._add("assistant", self._message_id(number), blocks, say.seconds)
        message["modelInfo"] = {"id": self.story.model, "provider": "anthropic"}
        message["metrics"] = self._metrics(say)
        if say.calls:
            results = [_result(*pair) for pair in zip(ids, say.calls, strict=True)]
            self._add("user", self._message_id(number, "results"), results, 1)

    def _add(
        self, role: str, name: str, content: list[dict[str, Any]], seconds: float
    ) -> dict[str, Any]:
        when = _milliseconds(self.clock.tick(seconds))
        self.messages.append({"id": name, "role": role, "content": content, "ts": when})
        return self.messages[-1]

    def _message_id(self, *seed: object) -> str:
        return token("msg_", self.story.key, *seed)[:12]

    def _metrics(self, say: Say) -> dict[str, int]:
        tokens = self.meter.call(say.text + str([call.input for call in say.calls]), say.thinking)
        return {
            "inputTokens": tokens.fresh + tokens.cache_read + tokens.cache_write,
            "outputTokens": tokens.output,
            "cacheReadTokens": tokens.cache_read,
            "cacheWriteTokens": tokens.cache_write,
        }

    def _manifest(self) -> dict[str, Any]:
        project = project_path(self.story)
        return {
            "version": 1,
            "session_id": self.id,
            "source": "cli",
            "started_at": iso(self.started),
            "ended_at": iso(self.clock.now),
            "exit_code": 0,
            "status": "completed",
            "interactive": True,
            "provider": "anthropic",
            "model": self.story.model,
            "cwd": project,
            "workspace_root": project,
            "prompt": self.story.steps[0],
            "metadata": {"title": self.story.title, "git": {"branch": self.story.branch}},
        }

    def _conversation(self) -> dict[str, Any]:
        origin = {
            "source": "cli",
            "mode": "user",
            "sessionId": self.id,
            "version": self.story.version,
        }
        return {
            "version": 1,
            "updated_at": iso(self.clock.now),
            "agent": "lead",
            "sessionId": self.id,
            "origin": origin,
            "messages": self.messages,
        }


def _result(call_id: str, call: Call) -> dict[str, Any]:
    part: dict[str, Any] = {"query": call.tool, "result": call.output}
    if call.exit_code:
        part["error"] = f"Command exited with code {call.exit_code}"
    part["success"] = call.exit_code == 0
    return {"type": "tool_result", "tool_use_id": call_id, "name": call.tool, "content": [part]}


def _milliseconds(when: datetime) -> int:
    return int(when.timestamp() * 1000)
