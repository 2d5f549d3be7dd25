"""`aj mcp` in a journal of a million messages: ready, how long calls take, and a minute of calls.

The journal of latency.py has no tool calls: sessions with commands that fail and work, and with
edits, are added to it.

    python bench/recall.py HOME JOURNAL    on a journal that exists already
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import messages
from lab import AJ, Lab, Row

SESSIONS = 300
CALLS = 400  # of a session
READY_TIMES = 40  # times bare Python
CALL_MS = 50
A_SECOND = 30  # calls
SECONDS = 60
GROWTH_MB = 10
_TOOLS = ("pytest", "npm", "make", "cargo", "go", "docker", "ruff", "mypy")


def write_calls(out: str) -> None:
    """Writes sessions with tool calls beside those of a home."""
    rng = Random("calls")
    vocabulary = messages.Vocabulary(rng)
    for number in range(SESSIONS):
        folder = os.path.join(out, ".claude", "projects", f"-home-dev-calls-{number % 20}")
        os.makedirs(folder, exist_ok=True)
        name = f"ca115000-0000-4000-8000-{number:012d}"
        with open(os.path.join(folder, f"{name}.jsonl"), "w", encoding="utf-8") as file:
            for place in range(CALLS):
                for line in _call(rng, vocabulary, name, number, place):
                    file.write(json.dumps(line) + "\n")


def _call(
    rng: Random, vocabulary: messages.Vocabulary, session: str, number: int, place: int
) -> Iterator[dict[str, Any]]:
    call = f"toolu_{number}_{place}"
    time_of_day = f"{place // 60 % 24:02d}:{place % 60:02d}:00.000Z"
    if rng.random() < 0.3:
        path = f"/home/dev/calls-{number % 20}/src/module_{rng.randrange(200)}.py"
        given = {"file_path": path, "old_string": "a", "new_string": vocabulary.text(rng, 20)}
        use = {"type": "tool_use", "id": call, "name": "Edit", "input": given}
    else:
        program = rng.choice(_TOOLS)
        given = {
            "command": f"{program} test -k case_{rng.randrange(300)} --jobs {rng.randrange(9)}"
        }
        use = {"type": "tool_use", "id": call, "name": "Bash", "input": given}
    failed = rng.random() < 0.2
    printed = vocabulary.text(rng, rng.randrange(20, 400))
    if failed:
        printed = f"Error: connection refused on port {rng.randrange(50)}\n{printed}"
    said = {"id": f"m{call}", "role": "assistant", "model": "claude-opus-5-5", "content": [use]}
    result = {"type": "tool_result", "tool_use_id": call, "content": printed, "is_error": failed}
    for half, (kind, message) in enumerate(
        (("assistant", said), ("user", {"role": "user", "content": [result]}))
    ):
        yield {
            "type": kind,
            "message": message,
            "uuid": f"{session}-{2 * place + half}",
            "parentUuid": None,
            "sessionId": session,
            "cwd": f"/home/dev/calls-{number % 20}",
            "timestamp": f"2026-11-{1 + number % 17:02d}T{time_of_day}",
            "version": "2.1.325",
        }


class Client:
    """Asks a running `aj mcp`."""

    def __init__(self, home: str, journal: str) -> None:
        env = {"PATH": os.environ["PATH"], "HOME": home, "AJ_HOME": journal}
        self.process = subprocess.Popen(
            [AJ, "mcp"],
            env=env,
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._number = 0

    def ask(self, method: str, **params: Any) -> float:
        """Asks, and returns the milliseconds until the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        started = time.perf_counter()
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "result" in answer, answer
        assert not answer["result"].get("isError"), answer
        return (time.perf_counter() - started) * 1000

    def call(self, tool: str, given: dict[str, Any]) -> float:
        """Calls a tool, and returns the milliseconds until the answer."""
        return self.ask("tools/call", name=tool, arguments=given)

    def cpu(self) -> float:
        """Milliseconds that its threads have run."""
        spent = 0
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            try:
                with open(f"/proc/{self.process.pid}/task/{task}/schedstat") as file:
                    spent += int(file.read().split()[0])
            except OSError:
                pass  # a thread that has ended
        return spent / 1e6

    def memory(self) -> float:
        """Megabytes that the server has."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096 / 1e6

    def end(self) -> None:
        """Ends the server."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(30)


def questions(count: int) -> dict[str, list[dict[str, Any]]]:
    """For each tool many different questions."""
    rng = Random("questions")
    words = messages.vocabulary(count).words
    numbers = range(60)
    return {
        "search": [{"query": f"{rng.choice(words)} {rng.choice(words)}"} for _ in numbers],
        "read": [
            {"session": f"ca115000-0000-4000-8000-{number:012d}", "at": 40, "depth": "steps"}
            for number in numbers
        ],
        "list_sessions": [{"offset": number} for number in numbers],
        "file_history": [{"path": f"module_{number}.py"} for number in numbers],
        "find_fix": [
            {"error": f"Error: connection refused on port {number % 50}"} for number in numbers
        ],
        "how_run": [{"what": f"{rng.choice(_TOOLS)} case_{number}"} for number in numbers],
        "usage": [{"by": by} for by in ("day", "model", "project", "month")] * 15,
    }


def _ready(lab: Lab, home: str, journal: str) -> Iterator[Row]:
    """The CPU time until the list of tools is answered, and the process has ended."""
    bare = lab.bare()
    best = 1e9
    for _ in range(lab.sizes.repeats):
        before = _spent_by_children()
        client = Client(home, journal)
        client.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={})
        client.ask("tools/list")
        client.end()
        best = min(best, _spent_by_children() - before)
    beside = f"{best * 1000:.0f} ms, bare Python {bare.cpu * 1000:.0f}"
    yield Row("mcp", "ready / bare Python", best / bare.cpu, "x", READY_TIMES, beside=beside)


def _spent_by_children() -> float:
    """CPU seconds of all processes that have ended; those of os.times are hundredths."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _calls(home: str, journal: str, count: int) -> Iterator[Row]:
    asked = questions(count)
    client = Client(home, journal)
    first = client.call("search", asked["search"][0])
    yield Row("mcp", "first call", first, "ms", None)
    for tool, given in asked.items():
        client.call(tool, given[0])  # what it imports
        spent, cpu = [], []
        for one in given[1:]:
            before = client.cpu()
            spent.append(client.call(tool, one))
            cpu.append(client.cpu() - before)
        p95 = _p95(spent)
        beside = f"median {sorted(spent)[len(spent) // 2]:.1f} ms, CPU p95 {_p95(cpu):.1f} ms"
        yield Row("mcp", f"{count:,} messages: {tool}, p95", p95, "ms", CALL_MS, beside=beside)
    yield from _a_minute(client, asked)
    client.end()


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def _a_minute(client: Client, asked: dict[str, list[dict[str, Any]]]) -> Iterator[Row]:
    """Calls at a steady pace: does the server keep up, and does it grow?"""
    rounds = zip(*asked.values(), strict=True)
    mixed = [pair for given in rounds for pair in zip(asked, given, strict=True)]
    for tool, one in mixed:
        client.call(tool, one)  # its caches are full
    before = client.memory()
    started = time.perf_counter()
    made = 0
    while time.perf_counter() - started < SECONDS:
        client.call(*mixed[made % len(mixed)])
        made += 1
        left = started + made / A_SECOND - time.perf_counter()
        if left > 0:
            time.sleep(left)
    pace = made / (time.perf_counter() - started)
    yield Row("mcp", "calls a second for a minute", pace, "", A_SECOND * 0.99, at_least=True)
    grown = client.memory() - before
    yield Row(
        "mcp", "memory after it", grown, "MB more", GROWTH_MB, beside=f"{before:.0f} MB before"
    )


def measure_recall(lab: Lab) -> Iterator[Row]:
    """The server in the largest journal."""
    count = lab.sizes.messages[-1]
    home = tempfile.mkdtemp(dir=lab.scratch)
    shutil.copytree(messages.cached(count), home, dirs_exist_ok=True)
    write_calls(home)
    journal = tempfile.mkdtemp(dir=lab.scratch)
    lab.aj("sync", home=home, journal=journal)
    yield from _ready(lab, home, journal)
    yield from _calls(home, journal, count)


if __name__ == "__main__":
    for row in _calls(sys.argv[1], sys.argv[2], 1_000_000):
        print(f"{row.name}: {row.value:.1f} {row.unit} (at most {row.limit}) {row.beside}")
