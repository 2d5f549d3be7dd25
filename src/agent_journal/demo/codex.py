"""Writes the demo's session of Codex CLI:
`.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from agent_journal.demo.steps import Call, Say, Story
from agent_journal.demo.writing import Clock, Meter, compact, iso, project_path, put, token, uuid

POOL = "    def release(self, conn):\n        if conn.broken:\n            return\n        self.idle.append(conn)\n"
PATCH = """\
*** Begin Patch
*** Update File: relay/pool.py
@@ def release(self, conn):
         if conn.broken:
+            conn.close()
             return
*** End Patch
"""

STORY = Story(
    "codex",
    "descriptors",
    "relay",
    "main",
    3,
    "11:40",
    "gpt-5.2-codex",
    "0.90.0",
    steps=(
        "The load test ends with 'Too many open files' after an hour. Where do the descriptors go?",
        Say(
            "I'll see what stays open.",
            (
                Call(
                    "exec_command",
                    {"cmd": "ls /proc/$(pgrep relay)/fd | wc -l; rg -n 'def release' relay"},
                    "1019\nrelay/pool.py:41:    def release(self, conn):",
                ),
            ),
            "A thousand descriptors: connections that nobody closes.",
        ),
        Say(calls=(Call("exec_command", {"cmd": "sed -n 41,46p relay/pool.py"}, POOL),)),
        Say(
            "A broken connection is dropped without being closed.",
            (
                Call(
                    "apply_patch",
                    {"input": PATCH},
                    "Success. Updated the following files:\nM relay/pool.py\n",
                ),
            ),
        ),
        Say(
            calls=(
                Call(
                    "exec_command",
                    {"cmd": "pytest -q tests/test_pool.py"},
                    "22 passed in 3.08s",
                    seconds=4,
                ),
            )
        ),
        Say(
            "`release` now closes broken connections. The number of descriptors stays at 31 through the load test."
        ),
    ),
)


def write_codex(home: str, now: datetime) -> None:
    """Writes all of `.codex`."""
    clock = Clock(STORY, now)
    session = _Rollout(clock)
    started = clock.now
    session.play()
    folder = f"{home}/.codex/sessions/{started:%Y/%m/%d}"
    put(
        f"{folder}/rollout-{started:%Y-%m-%dT%H-%M-%S}-{session.id}.jsonl",
        "".join(session.lines),
        clock.now,
    )


class _Rollout:
    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.id = uuid("session", STORY.key)
        self.lines: list[str] = []
        self.meter = Meter(9_400)
        self.totals = dict.fromkeys(
            (
                "input_tokens",
                "cached_input_tokens",
                "output_tokens",
                "reasoning_output_tokens",
                "total_tokens",
            ),
            0,
        )

    def line(self, record_type: str, **payload: Any) -> None:
        """Adds a line."""
        self.lines.append(
            compact({"timestamp": iso(self.clock.now), "type": record_type, "payload": payload})
            + "\n"
        )

    def play(self) -> None:
        """Everything from the first line to the last."""
        path = project_path(STORY)
        git = {
            "branch": STORY.branch,
            "repository_url": f"https://github.com/sam/{STORY.project}.git",
        }
        self.line(
            "session_meta",
            id=self.id,
            timestamp=iso(self.clock.now),
            cwd=path,
            originator="codex_cli_rs",
            cli_version=STORY.version,
            source="cli",
            git=git,
        )
        for step in STORY.steps:
            if isinstance(step, str):
                self.clock.tick(12)
                self.meter.hear(step)
                self.line(
                    "turn_context",
                    cwd=path,
                    approval_policy="on-request",
                    model=STORY.model,
                    effort="medium",
                )
                self._message("user", "input_text", step)
                self.line("event_msg", type="user_message", message=step, images=[])
            elif isinstance(step, Say):
                self._say(step)
        self.line("event_msg", type="task_complete", turn_id="1")

    def _message(self, role: str, kind: str, text: str) -> None:
        self.line(
            "response_item", type="message", role=role, content=[{"type": kind, "text": text}]
        )

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

    def _call(self, call: Call, name: str) -> None:
        kind = "custom_tool_call" if call.tool == "apply_patch" else "function_call"
        given = (
            {"input": call.input["input"]}
            if call.tool == "apply_patch"
            else {"arguments": compact(call.input)}
        )
        self.line("response_item", type=kind, name=call.tool, call_id=name, **given)
        self.clock.tick(call.seconds)
        head = f"Process exited with code {call.exit_code}\nOriginal token count: {len(call.output) // 4}\n"
        head = f"Chunk ID: {name[-6:]}\nWall time: {call.seconds:.4f} seconds\n{head}"
        if call.tool == "apply_patch":
            head = "Exit code: 0\nWall time: 0 seconds\n"
        self.meter.hear(call.output)
        self.line(
            "response_item",
            type=f"{kind}_output",
            call_id=name,
            output=f"{head}Output:\n{call.output}",
        )

    def _count(self, say: Say) -> None:
        """What the response was billed for, and all of them so far."""
        one = self.meter.call(say.text + str([call.input for call in say.calls]), say.thinking)
        given = one.fresh + one.cache_read + one.cache_write
        numbers = (given, one.cache_read, one.output, one.reasoning, given + one.output)
        last = dict(zip(self.totals, numbers, strict=True))
        self.totals = {name: self.totals[name] + last[name] for name in last}
        self.line(
            "event_msg",
            type="token_count",
            info={"total_token_usage": self.totals, "last_token_usage": last},
        )
