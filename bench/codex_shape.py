"""Codex sessions for the benchmark, in the shape of 0.142: what was sent to the model, and events
that say the same to the screen.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from random import Random

from mix import HOME, Mix
from realtext import RealText
from text import close, escaped, opaque, token, uuid

MODELS = ("gpt-5.5", "gpt-5-codex")


class Rollout:
    """One rollout file."""

    def __init__(
        self, path: str, text: RealText, mix: Mix, rng: Random, cwd: str, start_ms: int, size: int
    ) -> None:
        self.text = text.part(rng)
        self.common = text
        self.mix = mix
        self.rng = rng
        self.cwd = cwd
        self.now = start_ms
        self.written = 0
        self.turn = ""
        self.model = rng.choice(MODELS)
        self.totals = [0, 0, 0]
        self.files = self.text.files(rng, size)
        self.longest = max(300, size // 8)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # Closed by write_session
        self.out = open(path, "w", encoding="utf-8", newline="\n", buffering=1 << 20)  # noqa: SIM115

    def record(self, kind: str, payload: str) -> None:
        """One line."""
        self.now += self.rng.randrange(20, 4_000)
        when = datetime.fromtimestamp(self.now / 1000, UTC).isoformat(timespec="milliseconds")
        line = f'{{"timestamp":"{when[:-6]}Z","type":"{kind}","payload":{{{payload}}}}}\n'
        self.out.write(line)
        self.written += len(line)

    def item(self, payload: str) -> None:
        """What was sent to the model, or came from it."""
        passed = f'"internal_chat_message_metadata_passthrough":{{"turn_id":"{self.turn}"}}'
        self.record("response_item", f"{payload},{passed}")

    def head(self, session: str, size: int) -> None:
        """The first line: the session, and the instructions of the agent."""
        instructions = self.common.prose(Random("instructions"), max(200, min(20_000, size // 4)))
        self.record(
            "session_meta",
            f'"session_id":"{session}","id":"{session}","timestamp":"2026-06-26T12:20:52.590Z",'
            f'"cwd":"{self.cwd}","originator":"codex-tui","cli_version":"0.142.2","source":"cli",'
            f'"thread_source":"user","model_provider":"openai",'
            f'"base_instructions":{{"text":"{instructions}"}},'
            f'"git":{{"commit_hash":"{self.rng.getrandbits(160):040x}","branch":"main"}}',
        )

    def prompt(self) -> None:
        """The beginning of a turn."""
        self.turn = uuid(self.rng)
        text = self.text.prose(self.rng, self.mix.prompt.draw(self.rng))
        self.record(
            "event_msg",
            f'"type":"task_started","turn_id":"{self.turn}","model_context_window":258400,'
            f'"collaboration_mode_kind":"default"',
        )
        rules = self.common.prose(Random("rules"), 900)
        self.record(
            "turn_context",
            f'"turn_id":"{self.turn}","cwd":"{self.cwd}","workspace_roots":["{self.cwd}"],'
            f'"approval_policy":"never","sandbox_policy":{{"type":"danger-full-access"}},'
            f'"model":"{self.model}","effort":"high","collaboration_mode":{{"mode":"default",'
            f'"settings":{{"model":"{self.model}","developer_instructions":"{rules}"}}}}',
        )
        content = f'[{{"type":"input_text","text":"{text}"}}]'
        self.item(f'"type":"message","role":"user","content":{content}')
        self.record(
            "event_msg",
            f'"type":"user_message","message":"{text}","images":[],"local_images":[],'
            f'"text_elements":[]',
        )

    def answer(self, calls: int) -> str:
        """One response, with the results of its calls; what it says."""
        rng, said = self.rng, ""
        if rng.random() < self.mix.thinks * 2:
            summary = ""
            if rng.random() < 0.5:
                thought = self.text.prose(rng, self.mix.thought.draw(rng))
                summary = f'{{"type":"summary_text","text":"{thought}"}}'
            secret = opaque(rng, rng.randrange(150, 800))
            self.item(
                f'"type":"reasoning","id":"rs_{token(rng)}{token(rng)}","summary":[{summary}],'
                f'"encrypted_content":"{secret}"'
            )
        if not calls or rng.random() < self.mix.speaks:
            said = self.text.prose(rng, self.mix.answer.draw(rng))
            phase = "commentary" if calls else "final_answer"
            self.record(
                "event_msg",
                f'"type":"agent_message","message":"{said}","phase":"{phase}",'
                f'"memory_citation":null',
            )
            content = f'[{{"type":"output_text","text":"{said}"}}]'
            self.item(f'"type":"message","role":"assistant","content":{content},"phase":"{phase}"')
        for _ in range(calls):
            if rng.random() < 0.15:
                self.patch()
            else:
                self.command()
        self.tokens()
        return said

    def command(self) -> None:
        """A command that was run."""
        rng, key = self.rng, f"call_{token(self.rng)}"
        command = self.text.command(rng, min(self.longest, self.mix.command.draw(rng)))
        # The arguments are JSON within a string of JSON.
        given = escaped(
            f'{{"cmd":"{command}","workdir":"{self.cwd}","yield_time_ms":10000,'
            f'"max_output_tokens":30000}}'
        )
        self.item(
            f'"type":"function_call","id":"fc_{token(rng)}{token(rng)}","name":"exec_command",'
            f'"arguments":"{given}","call_id":"{key}"'
        )
        size = min(self.longest, self.mix.result.draw(rng))
        if rng.random() < 0.4:
            file = rng.choice(self.files)
            output = "\\n".join(file[: max(1, size // 45)])
        else:
            output = self.text.output(rng, size)
        head = (
            f"Chunk ID: {rng.getrandbits(24):06x}\\nWall time: {rng.random():.4f} seconds\\n"
            f"Process exited with code 0\\nOriginal token count: {size // 4}\\nOutput:\\n"
        )
        self.item(f'"type":"function_call_output","call_id":"{key}","output":"{head}{output}"')

    def patch(self) -> None:
        """A patch that was applied."""
        rng, key = self.rng, f"call_{token(self.rng)}"
        path = f"{self.cwd}/src/module_{rng.randrange(40)}.py"
        old = self.text.file(rng, rng.randrange(1, 9))
        new = self.text.changed(rng, old)
        hunk = "\\n".join([f"-{line}" for line in old] + [f"+{line}" for line in new])
        self.item(
            f'"type":"custom_tool_call","id":"ctc_{token(rng)}{token(rng)}","status":"completed",'
            f'"call_id":"{key}","name":"apply_patch",'
            f'"input":"*** Begin Patch\\n*** Update File: {path}\\n@@\\n{hunk}\\n*** End Patch"'
        )
        done = f"Success. Updated the following files:\\nM {path}\\n"
        self.record(
            "event_msg",
            f'"type":"patch_apply_end","call_id":"{key}","turn_id":"{self.turn}",'
            f'"stdout":"{done}","stderr":"","success":true,"changes":{{"{path}":'
            f'{{"type":"update","unified_diff":"@@ -1 +1 @@\\n{hunk}\\n","move_path":null}}}}',
        )
        self.item(f'"type":"custom_tool_call_output","call_id":"{key}","output":"{done}"')

    def tokens(self) -> None:
        """The usage so far, and that of the last response."""
        rng = self.rng
        last = [rng.randrange(9_000, 90_000), rng.randrange(9_000), rng.randrange(20, 1_500)]
        self.totals = [total + more for total, more in zip(self.totals, last, strict=True)]
        used, latest = (
            f'{{"input_tokens":{given},"cached_input_tokens":{cached},"output_tokens":{made},'
            f'"reasoning_output_tokens":{made // 3},"total_tokens":{given + made}}}'
            for given, cached, made in (self.totals, last)
        )
        limits = json.dumps({"used_percent": 4.0, "window_minutes": 300, "resets_at": 1782407153})
        self.record(
            "event_msg",
            f'"type":"token_count","info":{{"total_token_usage":{used},'
            f'"last_token_usage":{latest},"model_context_window":258400}},'
            f'"rate_limits":{{"limit_id":"codex","primary":{limits},"secondary":{limits},'
            f'"plan_type":"pro"}}',
        )


def write_session(
    root: str,
    text: RealText,
    rng: Random,
    project: int,
    size: int,
    start_ms: int,
    alone: bool,
    mix: Mix = HOME,
) -> int:
    """Writes a session of about `size` bytes; the bytes written. There are no sub-agents, `alone`
    or not.
    """
    session = uuid(rng)
    when = datetime.fromtimestamp(start_ms / 1000, UTC)
    path = (
        f"{root}/.codex/sessions/{when:%Y/%m/%d}/rollout-{when:%Y-%m-%dT%H-%M-%S}-{session}.jsonl"
    )
    log = Rollout(path, text, mix, rng, f"/home/dev/project_{project:02d}", start_ms, size)
    log.head(session, size)
    while log.written < size:
        log.prompt()
        for _ in range(rng.choice(mix.rounds)):
            if log.written >= size:
                break
            log.answer(rng.choice(mix.calls))
        said = log.answer(0)
        log.record(
            "event_msg",
            f'"type":"task_complete","turn_id":"{log.turn}","last_agent_message":"{said}",'
            f'"duration_ms":{rng.randrange(900_000)}',
        )
    close(log.out, log.now)
    return log.written
