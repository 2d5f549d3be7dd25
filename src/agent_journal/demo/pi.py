"""Writes the demo's session of Pi: `.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl`."""

from __future__ import annotations

from datetime import UTC, datetime
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

# Dollars for a million tokens: fresh, read from the cache, written to it, output
_PRICES = (3.0, 0.3, 3.75, 15.0)


def write_pi(home: str, now: datetime) -> None:
    """Write all of `.pi`."""
    for story in read_stories(Story, "pi", "changed-port"):
        session = _Session(story, Clock(story, now))
        started = session.clock.now.astimezone(UTC)
        session.play()
        folder = project_path(story).strip("/").replace("/", "-")
        name = f"{started:%Y-%m-%dT%H-%M-%S}-{started.microsecond // 1000:03}Z_{session.id}.jsonl"
        lines = "".join(compact(entry) + "\n" for entry in session.entries)
        put(f"{home}/.pi/agent/sessions/--{folder}--/{name}", lines, session.clock.now)


class _Session:
    """The entries of one session."""

    def __init__(self, story: Story, clock: Clock) -> None:
        self.story = story
        self.clock = clock
        self.id = uuid("session", story.key)
        self.meter = Meter(21_000)
        header = {
            "type": "session",
            "version": 3,
            "id": self.id,
            "timestamp": iso(clock.now),
            "cwd": project_path(story),
        }
        self.entries: list[dict[str, Any]] = [header]
        self._add("model_change", provider="anthropic", modelId=story.model)

    def play(self) -> None:
        """Go through the steps of the story."""
        for number, step in enumerate(self.story.steps):
            if isinstance(step, str):
                self.meter.hear(step)
                self.clock.tick(9)
                self._message(role="user", content=[_text(step)])
            elif isinstance(step, Say):
                self._say(step, number)

    def _say(self, say: Say, number: int) -> None:
        self.clock.tick(say.seconds)
        content: list[dict[str, Any]] = []
        if say.thinking:
            content.append({"type": "thinking", "thinking": say.thinking})
        if say.text:
            content.append(_text(say.text))
        call_ids = [
            token("toolu_", self.story.key, number, place) for place in range(len(say.calls))
        ]
        for call, call_id in zip(say.calls, call_ids, strict=True):
            given = with_full_paths(call, project_path(self.story))
            block = {"type": "toolCall", "id": call_id, "name": call.tool, "arguments": given}
            content.append(block)
        self._message(
            role="assistant",
            content=content,
            api="anthropic-messages",
            provider="anthropic",
            model=self.story.model,
            usage=self._usage(say),
            stopReason="toolUse" if say.calls else "stop",
            responseId=token("msg_", self.story.key, number),
        )
        for call, call_id in zip(say.calls, call_ids, strict=True):
            self._result(call, call_id)

    def _usage(self, say: Say) -> dict[str, Any]:
        tokens = self.meter.call(say.text + str([call.input for call in say.calls]), say.thinking)
        counts = (tokens.fresh, tokens.cache_read, tokens.cache_write, tokens.output)
        costs = [count * price / 1e6 for count, price in zip(counts, _PRICES, strict=True)]
        names = ("input", "cacheRead", "cacheWrite", "output")
        cost = {**dict(zip(names, costs, strict=True)), "total": sum(costs)}
        return {**dict(zip(names, counts, strict=True)), "totalTokens": sum(counts), "cost": cost}

    def _result(self, call: Call, call_id: str) -> None:
        self.meter.hear(call.output)
        self.clock.tick(call.seconds)
        self._message(
            role="toolResult",
            toolCallId=call_id,
            toolName=call.tool,
            content=[_text(call.output)],
            isError=call.exit_code != 0,
        )

    def _message(self, **fields: Any) -> None:
        moment = round(self.clock.now.timestamp() * 1000)
        self._add("message", message={**fields, "timestamp": moment})

    def _add(self, kind: str, **fields: Any) -> None:
        """Add an entry behind the last one."""
        entry = {
            "type": kind,
            "id": hexadecimal(8, self.story.key, len(self.entries)),
            "parentId": self.entries[-1]["id"] if len(self.entries) > 1 else None,
            "timestamp": iso(self.clock.now),
        }
        self.entries.append({**entry, **fields})


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
