"""Little conversations in the shape of Claude Code, and searching them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from agent_journal.cli import group
from tests.support.journals import variables

LOG = ".claude/projects/-work-app/s1.jsonl"
TALK = (
    "How do I delete a file from the repository?",
    "Paint the kitchen walls in a light colour",
    "Retry the connection",
)


def record(kind: str, uuid: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "id": f"m-{uuid}", "content": content}
    return {
        "type": kind,
        "uuid": uuid,
        "sessionId": "s1",
        "cwd": "/work/zebraproject",
        "gitBranch": "yakbranch",
        "timestamp": "2026-11-10T10:00:00.000Z",
        "message": message,
        **more,
    }


def write(home: Path, records: list[dict[str, Any]], name: str = LOG) -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records))
    return path


def hits(home: Path, *query: str) -> list[dict[str, Any]]:
    """What a search finds; in this process, for there are many of them."""
    done = CliRunner().invoke(
        group.aj, ["search", "--no-sync", "--json", *query], env=variables(home)
    )
    assert done.exit_code == 0, (done.output, done.exception)
    return list(json.loads(done.stdout)["items"])


def talk(home: Path, *prompts: str) -> None:
    for number, text in enumerate(prompts):
        name = f"t{number}"
        one = {**record("user", f"p-{name}", text), "sessionId": name, "cwd": "/w"}
        write(home, [one], f".claude/projects/-w/{name}.jsonl")


def first(home: Path, *query: str) -> str:
    return str(hits(home, *query)[0]["session"])
