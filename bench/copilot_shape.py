"""Copilot CLI sessions for the benchmark, in the shape of 1.0.102: three events per tool call,
usage per response.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from random import Random

from mix import HOME, Mix
from realtext import RealText
from text import close, opaque, token, uuid

MODELS = ("claude-sonnet-4.5", "gpt-5")
TOOLS = (*["bash"] * 9, *["view"] * 5, *["grep"] * 3, *["edit"] * 4)
CUT = "\\n"  # between the lines of a text that is escaped for JSON


class Log:
    """One events.jsonl."""

    def __init__(
        self,
        folder: str,
        text: RealText,
        mix: Mix,
        rng: Random,
        project: int,
        session: str,
        start_ms: int,
        size: int,
    ) -> None:
        self.text = text.part(rng)
        self.mix = mix
        self.rng = rng
        self.session = session
        self.cwd = f"/home/dev/project_{project:02d}"
        self.now = start_ms
        self.written = 0
        self.parent = "null"
        self.agent = ""
        self.task = ""
        self.sequence = 0
        self.model = rng.choice(MODELS)
        self.files = self.text.files(rng, size)
        self.longest = max(300, size // 8)
        os.makedirs(folder, exist_ok=True)
        path = f"{folder}/events.jsonl"
        # Closed by write_*
        self.out = open(path, "w", encoding="utf-8", newline="\n", buffering=1 << 20)  # noqa: SIM115

    def stamp(self) -> str:
        self.now += self.rng.randrange(20, 4_000)
        return (
            datetime.fromtimestamp(self.now / 1000, UTC).isoformat(timespec="milliseconds")[:-6]
            + "Z"
        )

    def event(self, kind: str, data: str) -> None:
        own = f'"{uuid(self.rng)}"'
        tail = f'{self.agent}"id":{own},"timestamp":"{self.stamp()}","parentId":{self.parent}}}\n'
        line = f'{{"type":"{kind}","data":{{{data}}},{tail}'
        self.out.write(line)
        self.written += len(line)
        self.parent = own

    def prompt(self, interaction: str) -> None:
        text = self.text.prose(self.rng, self.mix.prompt.draw(self.rng))
        source = f'"source":"agent-{self.session}",' if self.agent else ""
        seen = f"<current_datetime>2026-11-01</current_datetime>\\n\\n{text}"
        place = f'"delivery":"idle","interactionId":"{interaction}","turnId":"0"'
        ids = f'{source}"messageId":"{uuid(self.rng)}"'
        self.event(
            "user.message", f'"content":"{text}","transformedContent":"{seen}",{ids},{place}'
        )

    def usage(self, api: str, calls: int) -> None:
        rng = self.rng
        self.sequence += 1
        read, write, output = (
            rng.randrange(9_000, 90_000),
            rng.randrange(200, 6_000),
            rng.randrange(20, 1_500),
        )
        self.event(
            "session.usage_record",
            f'"usage":{{"model":"{self.model}","modelDisplayName":"{self.model}",'
            f'"inputTokens":{read + write + 9},'
            f'"outputTokens":{output},"cacheReadTokens":{read},"cacheWriteTokens":{write},'
            f'"reasoningTokens":{output // 4},"cost":1.0,"duration":{rng.randrange(900, 30_000)},'
            f'"timeToFirstTokenMs":{rng.random() * 900:.6f},'
            '"initiator":"agent","interactionType":"conversation-agent","isByok":false,'
            '"transport":"http",'
            f'"apiCallId":"{api}","apiEndpoint":"/chat/completions",'
            f'"accounting":{{"sourceSessionId":"{self.session}",'
            f'"sequence":{self.sequence},"usageId":"{api}"}},"aiCreditsStatus":"complete",'
            f'"availableToolCount":17,'
            f'"numToolCalls":{calls},"finishReason":"tool_calls","contentFilterTriggered":false}}',
        )

    def answer(self, interaction: str, turn: int, tools: int) -> None:
        """One response with its tool calls."""
        rng, place = self.rng, f'"interactionId":"{interaction}","turnId":"{turn}"'
        self.event("assistant.turn_start", f"{place}{self.task}")
        api = f"chatcmpl-{token(rng)}"
        self.usage(api, tools)
        content = ""
        if not tools or rng.random() < self.mix.speaks:
            content = self.text.prose(rng, self.mix.answer.draw(rng))
        thought = ""
        if rng.random() < self.mix.thinks:
            reasoning = self.text.prose(rng, self.mix.thought.draw(rng))
            secret = opaque(rng, rng.randrange(100, 700))
            thought = f',"reasoningText":"{reasoning}","reasoningOpaque":"{secret}"'
        calls = [(f"call_{token(rng)}", *self.call()) for _ in range(tools)]
        requests = ",".join(
            f'{{"toolCallId":"{key}","name":"{name}","arguments":{given},"type":"function"}}'
            for key, name, given, _ in calls
        )
        said = (
            f'"messageId":"{uuid(rng)}","model":"{self.model}","content":"{content}",'
            f'"toolRequests":[{requests}]'
        )
        self.event(
            "assistant.message",
            f'{said},{place}{thought},"rte":false,"apiCallId":"{api}"{self.task}',
        )
        for key, name, given, _ in calls:
            start = (
                f'"toolCallId":"{key}","toolName":"{name}","arguments":{given},"turnId":"{turn}"'
            )
            self.event("tool.execution_start", f'{start},"model":"{self.model}"{self.task}')
        for key, name, given, result in calls:
            self.hook(name, given, result)
            measured = (
                f'"properties":{{"command":"{name}"}},"metrics":{{"resultLength":{len(result)}}}'
            )
            done = (
                f'"toolCallId":"{key}","model":"{self.model}",{place},"rte":false,'
                f'"success":true,{result}'
            )
            self.event(
                "tool.execution_complete", f'{done},"toolTelemetry":{{{measured}}}{self.task}'
            )
        self.event("assistant.turn_end", f'"turnId":"{turn}"{self.task}')

    def hook(self, name: str, given: str, result: str) -> None:
        """A hook after a call: it gets the arguments and the result once more."""
        if self.rng.random() >= self.mix.hooks:
            return
        own = uuid(self.rng)
        place = f'"sessionId":"{self.session}","timestamp":{self.now},"cwd":"{self.cwd}"'
        seen = f'{place},"toolName":"{name}","toolArgs":{given},"toolResult":{{{result}}}'
        kind = f'"hookInvocationId":"{own}","hookType":"postToolUse"'
        self.event("hook.start", f'{kind},"input":{{{seen}}}')
        self.event("hook.end", f'{kind},"success":true')

    def call(self) -> tuple[str, str, str]:
        """Name, arguments and result of one call."""
        rng, name = self.rng, self.rng.choice(TOOLS)
        path = f"{self.cwd}/src/module_{rng.randrange(40)}.py"
        file = rng.choice(self.files)
        start = rng.randrange(len(file) // 2)
        size = min(self.longest, self.mix.result.draw(rng))
        if name == "view":
            lines = file[start : start + max(1, size // 45)]
            seen = "\\n".join(f"{number}. {line}" for number, line in enumerate(lines, start + 1))
            return (
                name,
                f'{{"path":"{path}"}}',
                f'"result":{{"content":"{seen}","detailedContent":"{seen}"}}',
            )
        if name == "edit":
            lines = file[start : start + 4]
            old, new = CUT.join(lines), CUT.join(self.text.changed(rng, lines))
            diff = (
                f"\\ndiff --git a{path} b{path}\\n@@ -{start},4 +{start},5 @@\\n-{old}\\n+{new}\\n"
            )
            edits = f'"fileEdits":[{{"path":"{path}","kind":"edit"}}]'
            result = (
                f'{edits},"result":{{"content":"File {path} updated with changes.",'
                f'"detailedContent":"{diff}"}}'
            )
            return name, f'{{"path":"{path}","old_str":"{old}","new_str":"{new}"}}', result
        output = self.text.output(rng, size)
        if name == "grep":
            pattern = self.text.prose(rng, 30).partition(CUT)[0]
            given = f'{{"pattern":"{pattern}","path":"{self.cwd}"}}'
            return name, given, f'"result":{{"content":"{output}"}}'
        code = rng.random() < 0.1
        trailer = f"\\n<shellId: 0 completed with exit code {code:d}>"
        result = (
            f'"shellExecution":{{"exitCode":{code:d}}},"result":{{"content":"{output}{trailer}"}}'
        )
        command = self.text.command(rng, min(self.longest, self.mix.command.draw(rng)))
        given = f'{{"command":"{command}","description":"{self.text.prose(rng, 40)}"}}'
        return name, given, result


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
    """Writes a session of about `size` bytes, sub-agents in the same file; the bytes written."""
    session = uuid(rng)
    folder = f"{root}/.copilot/session-state/{session}"
    log = Log(folder, text, mix, rng, project, session, start_ms, size)
    started = log.stamp()
    maker = '"version":1,"producer":"copilot-agent","copilotVersion":"1.0.102"'
    place = f'"context":{{"cwd":"{log.cwd}","gitRoot":"{log.cwd}","branch":"main"}}'
    model = f'"selectedModel":"{log.model}","contextTier":null'
    log.event(
        "session.start", f'"sessionId":"{session}",{maker},"startTime":"{started}",{model},{place}'
    )
    turns = 0
    while log.written < size:
        interaction = uuid(rng)
        log.prompt(interaction)
        if not turns and size > 50_000:
            # The same for all sessions of a version
            prompt = text.prose(Random(f"system {project % 3}"), min(size // 4, 50_000))
            log.event(
                "system.message",
                f'"role":"system","content":"{prompt}","interactionId":"{interaction}"',
            )
        for turn in range(rng.choice(mix.rounds)):
            if log.written >= size:
                break
            log.answer(interaction, turn, rng.choice(mix.calls))
        log.answer(interaction, 12, 0)
        turns += 1
        if turns % 20 == 5 and not alone:
            _subagent(log, min(size // 20, 400_000))
    changes = '"codeChanges":{"linesAdded":40,"linesRemoved":12,"filesModified":[]}'
    log.event(
        "session.shutdown",
        f'"shutdownType":"routine","totalPremiumRequests":{turns},"totalApiDurationMs":90210,'
        f'"sessionStartTime":{start_ms},{changes},"modelMetrics":{{}},"currentModel":"{log.model}"',
    )
    close(log.out, log.now)
    workspace = (
        f"id: {session}\ncwd: {log.cwd}\ngit_root: {log.cwd}\nbranch: main\nclient_name: "
        f"github/cli\n"
        f"name: Session {session[:8]}\nuser_named: false\nsummary_count: 0\ncreated_at: {started}\n"
        f"updated_at: {log.stamp()}\n"
    )
    with open(f"{folder}/workspace.yaml", "w", encoding="utf-8") as file:
        file.write(workspace)
    return log.written + len(workspace)


def _subagent(log: Log, size: int) -> None:
    rng, before = log.rng, log.written
    key, names = f"call_{token(rng)}", '"agentName":"explore","agentDisplayName":"look-around"'
    log.agent, log.task = f'"agentId":"{uuid(rng)}",', f',"parentToolCallId":"{key}"'
    log.event("subagent.started", f'"toolCallId":"{key}",{names},"agentDescription":"Look around"')
    interaction = uuid(rng)
    log.prompt(interaction)
    while log.written - before < size:
        log.answer(interaction, 0, 1)
    log.answer(interaction, 1, 0)
    log.event(
        "subagent.completed", f'"toolCallId":"{key}",{names},"totalToolCalls":3,"totalTokens":2110'
    )
    log.agent = log.task = ""
