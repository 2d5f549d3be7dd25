"""VS Code chats for the benchmark, in the shape of 1.130: logs of changes to one document per
session.

A few turns are made as templates and put together anew for every session, with other ids and times,
which writes a gigabyte in seconds. VS Code replaces a log by one line with the whole document after
1,024 changes, so a huge session is one huge line and some more.
"""

from __future__ import annotations

import os
import shutil
import sys
from random import Random
from typing import NamedTuple

from text import Text, escaped, opaque, token, uuid

VERSION = 1  # incremented when the corpus changes, so that cached ones are rebuilt
TEMPLATES = 48
MODEL = "claude-sonnet-4.5"
TOOLS = (
    "run_in_terminal",
    "read_file",
    "read_file",
    "grep_search",
    "list_dir",
    "replace_string_in_file",
)
TOOL_IDS = {
    "read_file": "copilot_readFile",
    "grep_search": "copilot_findTextInFiles",
    "list_dir": "copilot_listDirectory",
    "replace_string_in_file": "copilot_replaceString",
}
_CACHE = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".corpus")
_USER_DATA = {"darwin": "Library/Application Support", "win32": "AppData/Roaming"}.get(
    sys.platform, ".config"
)
_COMPACTION = 1_024
_FENCE = (
    '{"value":"\\n```\\n","supportThemeIcons":false,"supportHtml":false,'
    '"supportAlertSyntax":false,"uris":{}}'
)
_BUILT_IN = '"source":{"type":"internal","label":"Built-In"}'
# What differs between two uses of a template: the number of the turn, a part of every id, a part of
# every time.
NUMBER, SALT, TIME = "@n@", "@i@", "@t@"


class Turn(NamedTuple):
    """One turn: the changes that made it, and the request they leave."""

    changes: bytes
    request: bytes
    entries: int

    def at(self, number: int, rng: Random, start: int, whole: bool) -> bytes:
        """The changes, or the request alone, as turn `number` of a session that started then (in 10
        s).
        """
        salt, when = f"{rng.getrandbits(32):08x}", f"{start + number * 30:09d}"
        template = (
            self.request if whole else self.changes.replace(NUMBER.encode(), str(number).encode())
        )
        return template.replace(SALT.encode(), salt.encode()).replace(TIME.encode(), when.encode())


class Maker:
    """Makes the templates."""

    def __init__(self, text: Text, rng: Random) -> None:
        self.text = text
        self.rng = rng
        self.files = text.files(rng, 2_000_000)
        self.step = 0

    def turn(self) -> Turn:
        """A turn of 1 to 14 rounds."""
        rng = self.rng
        self.step = 0
        head, groups, rounds, results = self._head(), [], [], []
        for _ in range(rng.randrange(1, 15)):
            parts, one, made = self._round(rng.choice((1, 1, 1, 2)))
            groups.append(parts)
            rounds.append(one)
            results += made
        groups.append([self._words(rng.randrange(3, 25))])
        end = self._end(rounds, results)
        everything = ",".join(part for group in groups for part in group)
        state = f'"modelState":{{"value":1,"completedAt":{self._time()}}}'
        used = (
            f'"completionTokens":{rng.randrange(9_000)},'
            f'"promptTokens":{rng.randrange(9_000, 120_000)}'
        )
        request = f'{{{head},"response":[{everything}],"result":{end},{state},{used}}}'
        if rng.random() < 0.5:  # saved once, when it was complete
            changes = [f'{{"kind":2,"k":["requests"],"v":[{request}]}}']
        else:
            changes = self._streamed(head, groups, f'"result":{end}', state, *used.split(","))
        changes.insert(0, '{"kind":1,"k":["inputState","inputText"],"v":""}')
        changes.append('{"kind":1,"k":["hasPendingEdits"],"v":true}')
        return Turn(
            "".join(line + "\n" for line in changes).encode(), request.encode(), len(changes)
        )

    def _streamed(self, head: str, groups: list[list[str]], *ends: str) -> list[str]:
        """Saved while it grew: the last part was written half, and is written again with the next
        ones.
        """
        place = f'"k":["requests",{NUMBER}'
        changes = [
            f'{{"kind":2,"k":["requests"],"v":[{{{head},"response":[],'
            f'"modelState":{{"value":0}}}}]}}'
        ]
        written, waiting = 0, list[str]()
        for index, group in enumerate(groups):
            waiting += group
            if index % 3 == 2 or index == len(groups) - 1:
                half = '{"value":"…","supportThemeIcons":false}'
                last = [] if index == len(groups) - 1 else [half]
                cut = f',"i":{written}' if written else ""
                changes.append(
                    f'{{"kind":2,{place},"response"],"v":[{",".join(waiting + last)}]{cut}}}'
                )
                written += len(waiting)
                waiting = []
        for end in ends:
            name, _, value = end.partition(":")
            changes.append(f'{{"kind":1,{place},{name}],"v":{value}}}')
        return changes

    def _time(self) -> str:
        self.step += self.rng.randrange(20, 900)
        return f"{TIME}{min(9_999, self.step):04d}"

    def _id(self) -> str:
        return SALT + uuid(self.rng)[8:]

    def _head(self) -> str:
        text = self.text.prose(self.rng, self.rng.randrange(1, 7))
        place = f'"range":{{"start":0,"endExclusive":{len(text)}}}'
        editor = (
            '"editorRange":{"startLineNumber":1,"startColumn":1,"endLineNumber":1,"endColumn":9}'
        )
        message = (
            f'{{"parts":[{{{place},{editor},"text":"{text}","kind":"text"}}],"text":"{text}"}}'
        )
        files = ",".join(
            f'{{"id":"file:///{number}","name":"file:m_{number}.py",'
            f'"value":{self._uri(number)},"kind":"file"}}'
            for number in self.rng.sample(range(40), self.rng.randrange(3))
        )
        commands = ",".join(
            f'{{"name":"{name}","description":"{self.text.prose(self.rng, 1)}"}}' for name in TOOLS
        )
        agent = (
            '{"extensionId":{"value":"GitHub.copilot-chat","_lower":"github.copilot-chat"},'
            '"extensionVersion":"0.58.1",'
            '"id":"github.copilot.editsAgent","name":"agent","fullName":"GitHub Copilot",'
            '"isDefault":true,'
            f'"metadata":{{"hasFollowups":false}},"locations":["panel"],"modes":["agent"],'
            f'"slashCommands":[{commands}]}}'
        )
        return (
            f'"requestId":"request_{self._id()}","timestamp":{self._time()},'
            f'"responseId":"response_{self._id()}",'
            f'"message":{message},"variableData":{{"variables":[{files}]}},"agent":{agent},'
            f'"modelId":"copilot/{MODEL}","followups":[],"contentReferences":[],"codeCitations":[]'
        )

    def _uri(self, number: int) -> str:
        path = f"/home/dev/work/src/module_{number}.py"
        return (
            f'{{"$mid":1,"fsPath":"{path}","external":"file://{path}","path":"{path}",'
            f'"scheme":"file"}}'
        )

    def _words(self, sentences: int) -> str:
        base = '"supportThemeIcons":false,"supportHtml":false,"supportAlertSyntax":false'
        return (
            f'{{"value":"{self.text.prose(self.rng, sentences)}",{base},"baseUri":{self._uri(0)}}}'
        )

    def _round(self, calls: int) -> tuple[list[str], str, list[str]]:
        """One call of the model: the parts of the answer, the round, the results of its tools."""
        rng, parts = self.rng, list[str]()
        thought = ""
        if rng.random() < 0.6:
            text, key = self.text.prose(rng, rng.randrange(2, 14)), f"rs_{token(rng)}"
            parts.append(
                f'{{"kind":"thinking","value":"{text}","id":"{key}","generatedTitle":"Thinking"}}'
            )
            secret = opaque(rng, rng.randrange(150, 500))
            thought = f',"thinking":{{"id":"{key}","text":"{text}","encrypted":"{secret}"}}'
        if rng.random() < 0.4:
            parts.append(self._words(rng.randrange(1, 5)))
        asked, results = [], []
        for _ in range(calls):
            key, name, number = (
                f"toolu_01{SALT}{token(rng)[:16]}",
                rng.choice(TOOLS),
                rng.randrange(40),
            )
            arguments, result, shown = self._call(name, number, key)
            parts += shown
            stored = f"{key}__vscode-{self._time()}"
            asked.append(f'{{"id":"{stored}","name":"{name}","arguments":"{escaped(arguments)}"}}')
            results.append(f'"{stored}":{{"$mid":20,"content":[{result}]}}')
        body = (
            f'"toolCalls":[{",".join(asked)}],"toolInputRetry":0,"timestamp":{self._time()},'
            f'"modelId":"{MODEL}"'
        )
        return parts, f'{{"id":"{self._id()}","response":"",{body}{thought}}}', results

    def _call(self, name: str, number: int, key: str) -> tuple[str, str, list[str]]:
        """Arguments (JSON), result and parts of one call."""
        rng, path = self.rng, f"/home/dev/work/src/module_{number}.py"
        file = rng.choice(self.files)
        start = rng.randrange(len(file) // 2)
        if name == "read_file":
            lines = file[start : start + rng.randrange(15, 300)]
            seen = _tree(["```python\\n" + "\\n".join(lines) + "\\n```"])
            given = (
                f'{{"filePath":"{path}","startLine":{start + 1},"endLine":{start + len(lines)}}}'
            )
            return given, seen, [self._part(name, key, f"Read [](file://{path})")]
        if name == "replace_string_in_file":
            old, new = "\\n".join(file[start : start + 4]), "\\n".join(self.text.file(rng, 5))
            given = f'{{"filePath":"{path}","oldString":"{old}","newString":"{new}"}}'
            return (
                given,
                _tree([f"The following files were successfully edited:\\n{path}"]),
                [
                    self._part(name, key, f"Edited [](file://{path})"),
                    *self._edit(number, start, new),
                ],
            )
        output = self.text.output(rng, int(min(20_000, 1_000 * rng.paretovariate(0.9))))
        if name == "run_in_terminal":
            given = (
                '{"command":"pytest -q tests","explanation":"Run the tests","isBackground":false}'
            )
            state = (
                f'"terminalCommandState":{{"exitCode":{rng.random() < 0.1:d},'
                f'"duration":{rng.randrange(60_000)}}}'
            )
            kept = f'"terminalCommandOutput":{{"text":"{output}","lineCount":9}},{state}'
            line = '"commandLine":{"original":"pytest -q tests"},"language":"sh"'
            data = f',"toolSpecificData":{{"kind":"terminal",{line},{kept}}}'
            return (
                given,
                f'{{"$mid":21,"value":"{output}"}}',
                [self._part(name, key, "Ran terminal command", data)],
            )
        pieces = output.split("\\n") if name == "grep_search" else [output]
        return (
            '{"query":"self.*index","isRegexp":true}',
            _tree(pieces),
            [self._part(name, key, "Searched for text")],
        )

    def _part(self, name: str, key: str, done: str, more: str = "") -> str:
        message = f'{{"value":"{done}","supportThemeIcons":false,"supportHtml":false,"uris":{{}}}}'
        return (
            f'{{"kind":"toolInvocationSerialized","invocationMessage":{message},'
            f'"pastTenseMessage":{message},'
            f'"isConfirmed":{{"type":1}},"isComplete":true,{_BUILT_IN},"toolCallId":"{key}",'
            f'"toolId":"{TOOL_IDS.get(name, name)}"{more}}}'
        )

    def _edit(self, number: int, start: int, new: str) -> list[str]:
        uri, stop = self._uri(number), self._id()
        place = (
            f'"startLineNumber":{start},"startColumn":1,"endLineNumber":{start + 4},"endColumn":1'
        )
        edits = f'"edits":[[{{"text":"{new}","range":{{{place}}}}}],[]]'
        block = f'{{"kind":"codeblockUri","uri":{uri},"isEdit":true,"undoStopId":"{stop}"}}'
        group = f'{{"kind":"textEditGroup","uri":{uri},{edits},"done":true}}'
        return [_FENCE, f'{{"kind":"undoStop","id":"{stop}"}}', block, group, _FENCE]

    def _end(self, rounds: list[str], results: list[str]) -> str:
        context = self.text.prose(self.rng, 40)
        return (
            f'{{"timings":{{"firstProgress":2140,'
            f'"totalElapsed":{self.rng.randrange(300_000)}}},"metadata":{{'
            f'"codeBlocks":[],"renderedUserMessage":[{{"type":1,'
            f'"text":"<context>\\n{context}\\n</context>"}}],'
            f'"toolCallRounds":[{",".join(rounds)}],"toolCallResults":{{{",".join(results)}}},'
            f'"modelMessageId":"{self._id()}","agentId":"github.copilot.editsAgent",'
            f'"resolvedModel":"{MODEL}"}},'
            '"details":"Claude Sonnet 4.5 • 1x"}'
        )


def _tree(texts: list[str]) -> str:
    """Text as a prompt-tsx tree."""
    leaves = ",".join(
        f'{{"type":2,"priority":9007199254740991,"text":"{text}","references":[],'
        f'"lineBreakBefore":true}}'
        for text in texts
    )
    node = '"type":1,"ctor":2,"ctorName":"Tag","props":{},"references":[]'
    return (
        f'{{"$mid":23,"value":{{"node":{{{node},"children":[{{{node},"children":[{leaves}]}}]}}}}}}'
    )


def make(out: str, sessions: int, size: int, seed: int = 1) -> int:
    """Writes a home folder with so many sessions of about `size` bytes; the bytes written."""
    rng = Random(f"vscode {seed}")
    maker = Maker(Text(seed), rng)
    turns = [maker.turn() for _ in range(TEMPLATES)]
    written = 0
    for index in range(sessions):
        project = index % 7
        folder = f"{out}/{_USER_DATA}/Code/User/workspaceStorage/{project:032x}"
        os.makedirs(f"{folder}/chatSessions", exist_ok=True)
        with open(f"{folder}/workspace.json", "w", encoding="utf-8") as file:
            file.write(f'{{"folder":"file:///home/dev/project_{project:02d}"}}')
        written += _write_session(
            f"{folder}/chatSessions", turns, Random(f"session {seed} {index}"), size
        )
    return written


def _write_session(folder: str, turns: list[Turn], rng: Random, size: int) -> int:
    session, start = uuid(rng), 179_000_000 + rng.randrange(350_000)
    chosen: list[Turn] = []
    ahead: list[Turn] = []
    total = 0
    while total < size:
        # A turn comes again only when all others have come
        ahead = ahead or rng.sample(turns, len(turns))
        chosen.append(ahead.pop())
        total += len(chosen[-1].request)
    since = 0  # turns that fit between two compactions
    while (
        since < len(chosen)
        and sum(turn.entries for turn in chosen[len(chosen) - since - 1 :]) < _COMPACTION
    ):
        since += 1
    with open(f"{folder}/{session}.jsonl", "wb", buffering=1 << 20) as file:
        head = (
            f'"version":3,"creationDate":{start}0000,"initialLocation":"panel",'
            f'"responderUsername":"GitHub Copilot"'
        )
        state = (
            '"inputState":{"attachments":[],"mode":{"id":"agent","kind":"agent"},"inputText":""}'
        )
        file.write(f'{{"kind":0,"v":{{{head},"sessionId":"{session}",{state},"requests":['.encode())
        for number, turn in enumerate(chosen):
            is_compacted = number < len(chosen) - since
            if number == len(chosen) - since:
                file.write(b"]}}\n")
            if is_compacted and number:
                file.write(b",")
            file.write(turn.at(number, rng, start, is_compacted))
        title = f'{{"kind":1,"k":["customTitle"],"v":"Session {session[:8]}"}}\n'
        file.write(title.encode())
        return file.tell()


def cached(sessions: int, size: int) -> str:
    """The folder of a corpus, made when it is not there yet."""
    path = os.path.join(_CACHE, f"v{VERSION}-vscode-{sessions}files-{size // 1_000_000}mb")
    if not os.path.isdir(path):
        part = path + ".part"
        shutil.rmtree(part, ignore_errors=True)
        make(part, sessions, size)
        os.rename(part, path)
    return path
