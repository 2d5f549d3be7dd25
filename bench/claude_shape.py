"""Claude Code sessions for the benchmark, in the shape of 2.1.325: one line per block, usage
repeated on every line.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from random import Random

from mix import HOME, Mix
from realtext import RealText
from text import close, opaque, token, uuid

MODELS = ("claude-opus-5-5", "claude-sonnet-4-5-20250929")
TOOLS = (*["Bash"] * 9, *["Read"] * 5, *["Grep"] * 3, *["Edit"] * 4, "Write")
IMAGES = 0.007  # share of the files read that are one
MOVES = 0.3  # share of the calls that are about another file than the one before
CUT = "\\n"  # between the lines of a text that is escaped for JSON
ATTACHMENTS = (
    "environment",
    "skill_listing",
    "task_reminder",
    "date",
    "deferred_tools_delta",
    "session_context",
)


class Thread:
    """One transcript file: a session's, or a sub-agent's."""

    def __init__(
        self,
        path: str,
        text: RealText,
        mix: Mix,
        rng: Random,
        cwd: str,
        session: str,
        start_ms: int,
        size: int,
        agent: str = "",
    ) -> None:
        self.text = text.part(rng)
        self.mix = mix
        self.rng = rng
        self.path = path
        self.session = session
        self.now = start_ms
        self.written = 0
        self.parent = "null"
        self.prompt_id = uuid(rng)
        self.model = rng.choice(MODELS)
        self.context = 15_000
        self.files = self.text.files(rng, size)
        self.file = self.files[0]
        self.longest = max(300, size // 8)
        self.side = f'"isSidechain":true,"agentId":"{agent}"' if agent else '"isSidechain":false'
        self.tail = (
            f'"userType":"external","entrypoint":"cli","cwd":"{cwd}","sessionId":"{session}",'
            f'"version":"2.1.325","gitBranch":"main"}}\n'
        )
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # Closed by write_*
        self.out = open(path, "w", encoding="utf-8", newline="\n", buffering=1 << 20)  # noqa: SIM115

    def put(self, line: str) -> None:
        self.out.write(line)
        self.written += len(line)  # characters: near enough to bytes for a target size

    def stamp(self) -> str:
        self.now += self.rng.randrange(200, 9_000)
        when = datetime.fromtimestamp(self.now / 1000, UTC)
        return when.isoformat(timespec="milliseconds")[:-6] + "Z"

    def line(self, kind: str, body: str, parent: str | None = None) -> str:
        """A transcript line; its id, quoted."""
        own = f'"{uuid(self.rng)}"'
        self.put(
            f'{{"parentUuid":{parent or self.parent},{self.side},{body},"type":"{kind}",'
            f'"uuid":{own},'
            f'"timestamp":"{self.stamp()}",{self.tail}'
        )
        self.parent = own
        return own

    def note(self, kind: str, body: str) -> None:
        """A metadata line."""
        self.put(f'{{"type":"{kind}",{body},"sessionId":"{self.session}"}}\n')

    def user(self, content: str, more: str = "", parent: str | None = None) -> None:
        body = (
            f'"promptId":"{self.prompt_id}","message":{{"role":"user","content":{content}}}{more}'
        )
        self.line("user", body, parent)

    def prompt(self) -> None:
        self.prompt_id = uuid(self.rng)
        text = self.text.prose(self.rng, self.mix.prompt.draw(self.rng))
        if self.longest > 20_000 and self.rng.random() < 0.02:
            size = self.rng.randrange(20_000, 90_000)
            image = f'"type":"base64","media_type":"image/png","data":"{opaque(self.rng, size)}"'
            self.user(
                f'[{{"type":"text","text":"{text}"}},{{"type":"image","source":{{{image}}}}}]'
            )
        else:
            self.user(
                f'"{text}"',
                ',"permissionMode":"default","promptSource":"typed","origin":{"kind":"human"}',
            )

    def usage(self) -> str:
        fresh, write, output = (
            self.rng.randrange(1, 12),
            self.rng.randrange(200, 6_000),
            self.rng.randrange(20, 1_500),
        )
        read = self.context
        self.context = 15_000 if self.context > 160_000 else self.context + write + output
        return (
            f'{{"input_tokens":{fresh},"cache_creation_input_tokens":{write},'
            f'"cache_read_input_tokens":{read},'
            f'"output_tokens":{output},"output_tokens_details":{{"thinking_tokens":{output // 3}}},'
            '"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},'
            '"service_tier":"standard",'
            f'"cache_creation":{{"ephemeral_1h_input_tokens":{write},'
            f'"ephemeral_5m_input_tokens":0}},'
            '"inference_geo":"","iterations":[],"speed":"standard","fallback_credit":null}'
        )

    def answer(self, tools: int) -> None:
        """One API message and the results of its tool calls."""
        rng, blocks = self.rng, []
        if rng.random() < self.mix.thinks:
            thinking = self.text.prose(rng, self.mix.thought.draw(rng))
            signature = opaque(rng, rng.randrange(150, 1_100))
            blocks.append(
                f'{{"type":"thinking","thinking":"{thinking}","signature":"{signature}"}}'
            )
        if not tools or rng.random() < self.mix.speaks:
            said = self.text.prose(rng, self.mix.answer.draw(rng))
            blocks.append(f'{{"type":"text","text":"{said}"}}')
        calls = [(f"toolu_01{token(rng)}", *self.call()) for _ in range(tools)]
        for key, name, given, *_ in calls:
            blocks.append(f'{{"type":"tool_use","id":"{key}","name":"{name}","input":{given}}}')
        stop = "tool_use" if tools else "end_turn"
        head = (
            f'"message":{{"id":"msg_01{token(rng)}","type":"message","role":"assistant",'
            f'"model":"{self.model}"'
        )
        foot = (
            f'"stop_reason":"{stop}","stop_sequence":null,"usage":{self.usage()},'
            f'"stop_details":null}}'
        )
        request = (
            f'"requestId":"req_011C{token(rng)}","requestedModel":"{self.model}","madeBy":"model"'
        )
        asked = [
            self.line(
                "assistant", f'{head},"content":[{block}],{foot},"apiBlockIndex":{index},{request}'
            )
            for index, block in enumerate(blocks)
        ]
        for (key, name, _, content, detail), parent in zip(
            calls, asked[len(asked) - len(calls) :], strict=True
        ):
            self.progress(key, name)
            result = f'[{{"tool_use_id":"{key}","type":"tool_result","content":{content}}}]'
            self.user(
                result, f',"toolUseResult":{detail},"sourceToolAssistantUUID":{parent}', parent
            )

    def progress(self, key: str, name: str) -> None:
        """A quarter of all lines in real files: hooks before and after a call, what a command has
        printed so far.
        """
        hook = (
            '"type":"hook_progress","hookEvent":"PreToolUse","hookName":"PreToolUse:check",'
            '"command":"./check.sh"'
        )
        data = [hook] if self.rng.random() < self.mix.hooks else []
        seconds = self.rng.randrange(4) if name == "Bash" else 0
        printed: list[str] = []
        if seconds:
            printed = self.text.output(self.rng, self.rng.randrange(3_600)).split(CUT)
        for second in range(seconds):
            whole = CUT.join(printed[: max(1, len(printed) - 2 * (seconds - second))])
            data.append(
                f'"type":"bash_progress","output":"{whole[:200].rpartition(CUT)[0]}",'
                f'"fullOutput":"{whole}","elapsedTimeSeconds":{second},"totalLines":6,'
                f'"taskId":"b{token(self.rng)[:8]}"'
            )
        for one in data:
            self.line(
                "progress", f'"data":{{{one}}},"toolUseID":"progress-0","parentToolUseID":"{key}"'
            )

    def call(self) -> tuple[str, str, str, str]:
        """Name, input, content and toolUseResult of one call; the last two say the same twice, as
        in real files.
        """
        rng, name = self.rng, self.rng.choice(TOOLS)
        path = f"/home/dev/work/src/module_{rng.randrange(40)}.py"
        if rng.random() < MOVES:
            self.file = rng.choice(self.files)
        file = self.file
        start = rng.randrange(len(file) // 2)
        size = min(self.longest, self.mix.result.draw(rng))
        if name == "Read" and self.longest > 20_000 and rng.random() < IMAGES:
            return name, *self.image(path)
        lines = file[start : start + max(1, size // 45)]
        content = "\\n".join(lines)
        if name == "Read":
            seen = "\\n".join(f"{number}\\t{line}" for number, line in enumerate(lines, start + 1))
            detail = (
                f'{{"type":"text","file":{{"filePath":"{path}","content":"{content}",'
                f'"numLines":{len(lines)},'
                f'"startLine":{start + 1},"totalLines":{len(file)}}}}}'
            )
            return name, f'{{"file_path":"{path}","offset":{start + 1}}}', f'"{seen}"', detail
        if name == "Edit":
            return name, *self.edit(path, file, start)
        if name == "Write":
            detail = (
                f'{{"type":"create","filePath":"{path}","content":"{content}",'
                f'"structuredPatch":[]}}'
            )
            return (
                name,
                f'{{"file_path":"{path}","content":"{content}"}}',
                f'"File created at: {path}"',
                detail,
            )
        output = self.text.output(rng, size)
        if name == "Grep":
            detail = (
                f'{{"mode":"content","numFiles":0,"filenames":[],"content":"{output}",'
                f'"numLines":9}}'
            )
            pattern = self.text.prose(rng, 30).partition(CUT)[0]
            given = f'{{"pattern":"{pattern}","path":"{path}","output_mode":"content"}}'
            return name, given, f'"{output}"', detail
        detail = (
            f'{{"stdout":"{output}","stderr":"","interrupted":false,"isImage":false,'
            f'"noOutputExpected":false}}'
        )
        command = self.text.command(rng, min(self.longest, self.mix.command.draw(rng)))
        described = self.text.prose(rng, 40)
        given = f'{{"command":"{command}","description":"{described}"}}'
        return name, given, f'"{output}"', detail

    def image(self, path: str) -> tuple[str, str, str]:
        """Input, content and toolUseResult of a call that reads a picture."""
        data = opaque(self.rng, self.rng.randrange(20_000, 300_000))
        source = f'"type":"base64","data":"{data}","media_type":"image/png"'
        detail = f'{{"type":"image","file":{{"base64":"{data}","type":"image/png"}}}}'
        given = f'{{"file_path":"{path[:-3]}.png"}}'
        return given, f'[{{"type":"image","source":{{{source}}}}}]', detail

    def edit(self, path: str, file: list[str], at: int) -> tuple[str, str, str]:
        count = self.rng.randrange(1, 9)
        old = file[at : at + count]
        new = self.text.changed(self.rng, old)
        before, after = "\\n".join(old), "\\n".join(new)
        patch = ",".join([f'"-{line}"' for line in old] + [f'"+{line}"' for line in new])
        whole = "\\n".join(file)
        file[at : at + count] = new
        detail = (
            f'{{"filePath":"{path}","oldString":"{before}","newString":"{after}",'
            f'"originalFile":"{whole}",'
            f'"structuredPatch":[{{"oldStart":{at + 1},"oldLines":{count},"newStart":{at + 1},'
            f'"newLines":{count + 1},'
            f'"lines":[{patch}]}}],"userModified":false,"replaceAll":false}}'
        )
        given = (
            f'{{"file_path":"{path}","old_string":"{before}","new_string":"{after}",'
            f'"replace_all":false}}'
        )
        return given, f'"The file {path} has been updated successfully."', detail


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
    """Writes a session of about `size` bytes, some with sub-agents (unless `alone`); the bytes
    written.
    """
    session = uuid(rng)
    folder = f"{root}/.claude/projects/-home-dev-project-{project:02d}"
    thread = Thread(
        f"{folder}/{session}.jsonl",
        text,
        mix,
        rng,
        f"/home/dev/project_{project:02d}",
        session,
        start_ms,
        size,
    )
    thread.note("permission-mode", '"permissionMode":"default"')
    child_bytes, turns = 0, 0
    while thread.written + child_bytes < size:
        turns += 1
        _turn(thread, size - child_bytes)
        if turns % 6 == 3 and size > 200_000 and not alone:
            child_bytes += _subagent(thread, f"{folder}/{session}", min(size // 12, 400_000))
        if turns % 60 == 59:
            _compact(thread)
    title = text.prose(rng, 40).partition(CUT)[0]
    thread.note("ai-title", f'"aiTitle":"{title}"')
    thread.note("last-prompt", f'"lastPrompt":"{title}","leafUuid":{thread.parent}')
    close(thread.out, thread.now)
    return thread.written + child_bytes


def _turn(thread: Thread, size: int) -> None:
    rng = thread.rng
    if rng.random() < 0.3:
        thread.note("queue-operation", f'"operation":"dequeue","timestamp":"{thread.stamp()}"')
    thread.prompt()
    if thread.mix.notes:
        _snapshot(thread)
    for kind in rng.sample(ATTACHMENTS, rng.randrange(thread.mix.remarks)):
        # Much the same each time
        reminder = thread.text.prose(Random(kind), rng.randrange(6_000))
        thread.line(
            "attachment",
            f'"attachment":{{"type":"{kind}","content":"{reminder}"}},"renderedRole":"system"',
        )
    for _ in range(rng.choice(thread.mix.rounds)):
        if thread.written >= size:
            break
        thread.answer(rng.choice(thread.mix.calls))
    thread.answer(0)
    if thread.mix.notes:
        took = rng.randrange(900_000)
        thread.line("system", f'"subtype":"turn_duration","durationMs":{took},"isMeta":false')


def _snapshot(thread: Thread) -> None:
    """Which files have a backup; none here."""
    snapshot = (
        f'{{"messageId":{thread.parent},"trackedFileBackups":{{}},"timestamp":"{thread.stamp()}"}}'
    )
    kept = f'"messageId":{thread.parent},"snapshot":{snapshot},"isSnapshotUpdate":false'
    thread.put(f'{{"type":"file-history-snapshot",{kept}}}\n')


def _subagent(parent: Thread, folder: str, size: int) -> int:
    rng = parent.rng
    agent = "a" + f"{rng.getrandbits(64):016x}"
    path = f"{folder}/subagents/agent-{agent}"
    child = Thread(
        f"{path}.jsonl",
        parent.text,
        parent.mix,
        rng,
        "/home/dev/work",
        parent.session,
        parent.now,
        size,
        agent,
    )
    child.prompt()
    while child.written < size:
        child.answer(1)
    child.answer(0)
    close(child.out, child.now)
    meta = (
        f'{{"agentType":"Explore","isBuiltIn":true,"description":"Look around",'
        f'"toolUseId":"toolu_01{token(rng)}"'
    )
    with open(f"{path}.meta.json", "w", encoding="utf-8") as file:
        file.write(meta + ',"spawnDepth":1,"finished":true}')
    return child.written


def _compact(thread: Thread) -> None:
    leaf, thread.parent = thread.parent, "null"
    body = (
        f'"logicalParentUuid":{leaf},"subtype":"compact_boundary","content":"Conversation '
        f'compacted","isMeta":false'
    )
    thread.line(
        "system", body + ',"level":"info","compactMetadata":{"trigger":"auto","preTokens":155250}'
    )
    summary = thread.text.prose(thread.rng, 4_000)
    more = ',"isVisibleInTranscriptOnly":true,"isCompactSummary":true'
    thread.user(f'"This session is being continued from a previous conversation. {summary}"', more)
