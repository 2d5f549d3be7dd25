"""Writes the demo's session of OpenCode: the tree `storage` of version 1.1."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from agent_journal.demo.steps import Call, Say, Story
from agent_journal.demo.story_files import read_stories
from agent_journal.demo.writing import Clock, Meter, Tokens, project_path, put, token


def write_opencode(home: str, now: datetime) -> None:
    """Write all of OpenCode's storage."""
    for story in read_stories(Story, "opencode", "healthcheck"):
        _Tree(f"{home}/.local/share/opencode/storage", story, now).write()


class _Tree:
    """The files of one session: itself, its messages, and their parts."""

    def __init__(self, root: str, story: Story, now: datetime) -> None:
        self.root = root
        self.story = story
        self.clock = Clock(story, now)
        self.id = token("ses_", story.key)
        self.meter = Meter(9_400)
        self.parts = 0

    def write(self) -> None:
        """Go through the steps of the story, then write what is known of the session."""
        started = _millis(self.clock.now)
        prompt_id = ""
        for number, step in enumerate(self.story.steps):
            if isinstance(step, str):
                prompt_id = self._prompt(step, number)
            elif isinstance(step, Say):
                self._say(step, number, prompt_id)
        session = {
            "id": self.id,
            "version": self.story.version,
            "projectID": "global",
            "directory": project_path(self.story),
            "title": self.story.title,
            "time": {"created": started, "updated": _millis(self.clock.now)},
        }
        self._put(f"session/global/{self.id}", session)

    def _prompt(self, text: str, number: int) -> str:
        self.meter.hear(text)
        time = {"created": _millis(self.clock.tick(4))}
        model = {"providerID": "anthropic", "modelID": self.story.model}
        values = {"role": "user", "time": time, "agent": "build", "model": model}
        return self._message(number, values, [{"type": "text", "text": text}])

    def _say(self, say: Say, number: int, prompt_id: str) -> None:
        created = _millis(self.clock.now)
        answer = say.text + str([call.input for call in say.calls])
        tokens = self.meter.call(answer, say.thinking)
        parts: list[dict[str, Any]] = [{"type": "step-start"}]
        if say.thinking:
            parts.append({"type": "reasoning", "text": say.thinking})
        parts.append({"type": "text", "text": say.text})
        self.clock.tick(say.seconds)
        parts += [self._tool(call, at) for at, call in enumerate(say.calls)]
        reason = "tool-calls" if say.calls else "stop"
        spent = {"cost": _cost(tokens), "tokens": _tokens(tokens)}
        parts.append({"type": "step-finish", "reason": reason, **spent})
        values = {
            "role": "assistant",
            "time": {"created": created, "completed": _millis(self.clock.now)},
            "parentID": prompt_id,
            "modelID": self.story.model,
            "providerID": "anthropic",
            "mode": "build",
            "agent": "build",
            **spent,
            "finish": reason,
        }
        self._message(number, values, parts)

    def _tool(self, call: Call, number: int) -> dict[str, Any]:
        self.meter.hear(call.output)
        start = _millis(self.clock.now)
        end = _millis(self.clock.tick(call.seconds))
        given = dict(call.input)
        if "filePath" in given:
            given["filePath"] = f"{project_path(self.story)}/{given['filePath']}"
        state = {
            "status": "completed",
            "input": given,
            "output": call.output,
            "title": given.get("description", call.input.get("filePath")),
            "metadata": _metadata(call.tool, given, call),
            "time": {"start": start, "end": end},
        }
        name = token("toolu_", self.story.key, self.parts, number)
        return {"type": "tool", "callID": name, "tool": call.tool, "state": state}

    def _message(self, number: int, values: dict[str, Any], parts: list[dict[str, Any]]) -> str:
        name = f"msg_{number:04d}{token('', self.story.key, number)}"
        self._put(f"message/{self.id}/{name}", {"id": name, "sessionID": self.id, **values})
        for part in parts:
            self.parts += 1
            part_id = f"prt_{self.parts:04d}{token('', self.story.key, 'part', self.parts)}"
            ids = {"id": part_id, "sessionID": self.id, "messageID": name}
            self._put(f"part/{name}/{part_id}", {**ids, **part})
        return name

    def _put(self, name: str, values: dict[str, Any]) -> None:
        text = json.dumps(values, indent=2, ensure_ascii=False)
        put(f"{self.root}/{name}.json", text, self.clock.now)


def _metadata(tool: str, given: dict[str, Any], call: Call) -> dict[str, Any]:
    if tool == "bash":
        return {"output": call.output, "exit": call.exit_code}
    if tool != "edit":
        return {}
    patch = f"@@ -2 +2 @@\n-{given['oldString']}+{given['newString']}"
    diff = {"file": given["filePath"], "patch": patch, "additions": 1, "deletions": 1}
    return {"diff": patch, "filediff": diff}


def _tokens(tokens: Tokens) -> dict[str, Any]:
    given = tokens.fresh + tokens.cache_read + tokens.cache_write
    return {
        "total": given + tokens.output,
        "input": tokens.fresh,
        "output": tokens.output,
        "reasoning": tokens.reasoning,
        "cache": {"read": tokens.cache_read, "write": tokens.cache_write},
    }


def _cost(tokens: Tokens) -> float:
    """Return dollars, at $3 for a million tokens in and $15 for those out."""
    given = 3 * tokens.fresh + 0.3 * tokens.cache_read + 3.75 * tokens.cache_write
    return round((given + 15 * tokens.output) / 1_000_000, 6)


def _millis(when: datetime) -> int:
    return int(when.timestamp() * 1000)
