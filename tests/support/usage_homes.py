"""Homes with a known usage of tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.journals import aj, aj_json, claude_line

PRICES = """
[pricing."model-a"]
input = 2
output = 10
cache_read = 0.5
cache_write = 3
cache_write_1h = 4
[pricing."model-b"]
input = 1
output = 5
"""


def priced(home: Path, text: str = PRICES) -> None:
    (home / ".agent-journal").mkdir(exist_ok=True)
    (home / ".agent-journal/config.toml").write_text(text)


def answer(
    number: int, tokens: dict[str, Any], model: str = "model-a", session: str = "s1", **more: Any
) -> Any:
    line = claude_line("assistant", number, "said", session, **more)
    line["message"] |= {"model": model, "usage": tokens}
    return line


def claude(home: Path, session: str, lines: list[Any]) -> None:
    path = home / f".claude/projects/-work-app/{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def copilot(home: Path, session: str, *events: tuple[str, dict[str, Any]]) -> None:
    path = home / f".copilot/session-state/{session}/events.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    start = ("session.start", {"sessionId": session, "version": 1, "producer": "copilot-agent"})
    with path.open("w") as out:
        for number, (kind, data) in enumerate((start, *events)):
            when = f"2026-03-01T10:00:{number:02d}.000Z"
            out.write(
                json.dumps(
                    {"type": kind, "data": data, "id": f"{session}-{number}", "timestamp": when}
                )
                + "\n"
            )


def shutdown(
    count: int, fresh: int, output: int, model: str = "model-a"
) -> tuple[str, dict[str, Any]]:
    usage = {
        "inputTokens": fresh,
        "outputTokens": output,
        "cacheReadTokens": 0,
        "cacheWriteTokens": 0,
    }
    metrics = {model: {"requests": {"count": count, "cost": 0}, "usage": usage}}
    return "session.shutdown", {"shutdownType": "routine", "modelMetrics": metrics}


def total(home: Path, *args: str) -> dict[str, Any]:
    aj(home, "sync", "--no-index")
    found: dict[str, Any] = aj_json(home, "usage", *args)["totals"]
    return found


def tokens(found: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        found[f"{name}_tokens"]
        for name in ("input", "cache_read", "cache_write", "cache_write_1h", "output")
    )


def codex(
    home: Path, number: int, counts: list[tuple[int, int, int]], fork_of: int | None = None
) -> None:
    """A rollout with cumulative counts: input with the cache in it, cache, output; a fork begins
    with a copy.
    """
    name = f"019a4389-{0x1000 + number:04x}-7000-8000-{number:012d}"
    meta = {
        "id": name,
        "timestamp": "2026-11-02T09:00:00.000Z",
        "cwd": "/work/app",
        "cli_version": "0.60.0",
    }
    if fork_of is not None:
        meta["forked_from_id"] = f"019a4389-{0x1000 + fork_of:04x}-7000-8000-{fork_of:012d}"
    records: list[tuple[str, dict[str, Any]]] = [
        ("session_meta", meta),
        ("turn_context", {"model": "model-a"}),
    ]
    for place, (whole, cached, output) in enumerate(counts):
        content = [{"type": "input_text", "text": f"question {place}"}]
        records.append(("response_item", {"type": "message", "role": "user", "content": content}))
        content = [{"type": "output_text", "text": f"answer {place}"}]
        records.append(
            ("response_item", {"type": "message", "role": "assistant", "content": content})
        )
        used = {"input_tokens": whole, "cached_input_tokens": cached, "output_tokens": output}
        records.append(("event_msg", {"type": "token_count", "info": {"total_token_usage": used}}))
    path = home / f".codex/sessions/2026/11/02/rollout-2026-11-02T09-00-00-{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        {
            "timestamp": f"2026-11-02T09:{number:02d}:{place:02d}.000Z",
            "type": kind,
            "payload": payload,
        }
        for place, (kind, payload) in enumerate(records)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
