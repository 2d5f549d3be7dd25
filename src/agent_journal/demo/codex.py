"""Writes the demo's session of Codex CLI: `.codex/sessions/<day>/rollout-<time>-<id>.jsonl`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from agent_journal.demo.steps import Call, Say, Story
from agent_journal.demo.story_files import read_stories
from agent_journal.demo.writing import Clock, Meter, compact, iso, project_path, put, token, uuid


def write_codex(home: str, now: datetime) -> None:
    """Write all of `.codex`."""
    for story in read_stories(Story, "codex", "descriptors"):
        session = _Rollout(story, Clock(story, now))
        started = session.clock.now
        session.play()
        folder = f"{home}/.codex/sessions/{started:%Y/%m/%d}"
        name = f"rollout-{started:%Y-%m-%dT%H-%M-%S}-{session.id}.jsonl"
        put(f"{folder}/{name}", "".join(session.lines), session.clock.now)


class _Rollout:
    """The log of one session."""

    def __init__(self, story: Story, clock: Clock) -> None:
        self.story = story
        self.clock = clock
        self.id = uuid("session", story.key)
        self.lines: list[str] = []
        self.meter = Meter(9_400)
        self.totals: dict[str, int] = {}

    def line(self, record_type: str, **payload: Any) -> None:
        """Add a line."""
        record = {"timestamp": iso(self.clock.now), "type": record_type, "payload": payload}
        self.lines.append(compact(record) + "\n")

    def play(self) -> None:
        """Write everything from the first line to the last."""
        self._head()
        for step in self.story.steps:
            if isinstance(step, str):
                self._prompt(step)
            elif isinstance(step, Say):
                self._say(step)
        self.line("event_msg", type="task_complete", turn_id="1")

    def _head(self) -> None:
        git = {
            "branch": self.story.branch,
            "repository_url": f"https://github.com/sam/{self.story.project}.git",
        }
        self.line(
            "session_meta",
            id=self.id,
            timestamp=iso(self.clock.now),
            cwd=project_path(self.story),
            originator="codex_cli_rs",
            cli_version=self.story.version,
            source="cli",
            git=git,
        )

    def _prompt(self, text: str) -> None:
        self.clock.tick(12)
        self.meter.hear(text)
        self.line(
            "turn_context",
            cwd=project_path(self.story),
            approval_policy="on-request",
            model=self.story.model,
            effort="medium",
        )
        self._message("user", "input_text", text)
        self.line("event_msg", type="user_message", message=text, images=[])

    def _message(self, role: str, kind: str, text: str) -> None:
        content = [{"type": kind, "text": text}]
        self.line("response_item", type="message", role=role, content=content)

    def _say(self, say: Say) -> None:
        self.clock.tick(say.seconds)
        if say.thinking:
            summary = [{"type": "summary_text", "text": say.thinking}]
            self.line("response_item", type="reasoning", summary=summary, content=None)
        if say.text:
            self.line("event_msg", type="agent_message", message=say.text)
            self._message("assistant", "output_text", say.text)
        for call in say.calls:
            self._call(call, token("call_", self.id, len(self.lines)))
        self._count(say)

    def _call(self, call: Call, call_id: str) -> None:
        if call.tool == "apply_patch":
            kind = "custom_tool_call"
            given = {"input": call.input["input"]}
            head = "Exit code: 0\nWall time: 0 seconds\n"
        else:
            kind = "function_call"
            given = {"arguments": compact(call.input)}
            head = (
                f"Chunk ID: {call_id[-6:]}\n"
                f"Wall time: {call.seconds:.4f} seconds\n"
                f"Process exited with code {call.exit_code}\n"
                f"Original token count: {len(call.output) // 4}\n"
            )
        self.line("response_item", type=kind, name=call.tool, call_id=call_id, **given)
        self.clock.tick(call.seconds)
        self.meter.hear(call.output)
        output = f"{head}Output:\n{call.output}"
        self.line("response_item", type=f"{kind}_output", call_id=call_id, output=output)

    def _count(self, say: Say) -> None:
        """Add what the response was billed for, and the totals so far."""
        tokens = self.meter.call(say.text + str([call.input for call in say.calls]), say.thinking)
        given = tokens.fresh + tokens.cache_read + tokens.cache_write
        last = {
            "input_tokens": given,
            "cached_input_tokens": tokens.cache_read,
            "output_tokens": tokens.output,
            "reasoning_output_tokens": tokens.reasoning,
            "total_tokens": given + tokens.output,
        }
        self.totals = {name: self.totals.get(name, 0) + count for name, count in last.items()}
        info = {"total_token_usage": self.totals, "last_token_usage": last}
        self.line("event_msg", type="token_count", info=info)
