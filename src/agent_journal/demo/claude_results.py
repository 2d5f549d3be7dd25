"""Tool results as Claude Code writes them: the text the model saw, and the `toolUseResult` beside
it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from agent_journal.demo.steps import Call
from agent_journal.demo.writing import Tokens, hunks

Outcome = tuple[object, object]


def _bash(call: Call, given: dict[str, Any]) -> Outcome:
    if call.exit_code:
        text = f"Exit code {call.exit_code}\n{call.output}"
        return text, f"Error: {text}"
    detail = {
        "stdout": call.output,
        "stderr": "",
        "interrupted": False,
        "isImage": False,
        "noOutputExpected": False,
    }
    return call.output, detail


def _read(call: Call, given: dict[str, Any]) -> Outcome:
    lines, start = call.output.split("\n"), given.get("offset", 1)
    text = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, start))
    file = {
        "filePath": given["file_path"],
        "content": call.output,
        "numLines": len(lines),
        "startLine": start,
    }
    return text, {"type": "text", "file": file | {"totalLines": start + len(lines) + 20}}


def _grep(call: Call, given: dict[str, Any]) -> Outcome:
    lines = call.output.split("\n")
    found = {
        "mode": "content",
        "numFiles": 0,
        "filenames": [],
        "content": call.output,
        "numLines": len(lines),
    }
    return call.output, found


def _edit(call: Call, given: dict[str, Any]) -> Outcome:
    path, old, new = given["file_path"], given["old_string"], given["new_string"]
    patch = list(hunks(call.before, call.before.replace(old, new, 1)))
    text = f"The file {path} has been updated successfully."
    return text, {
        "filePath": path,
        "oldString": old,
        "newString": new,
        "originalFile": call.before,
        "structuredPatch": patch,
        "userModified": False,
        "replaceAll": False,
    }


def _write(call: Call, given: dict[str, Any]) -> Outcome:
    path = given["file_path"]
    detail = {"type": "create", "filePath": path, "content": given["content"]}
    detail |= {"structuredPatch": [], "originalFile": None, "userModified": False}
    return f"File created successfully at: {path}", detail


def _todos(call: Call, given: dict[str, Any]) -> Outcome:
    return "Todos have been modified successfully.", {"oldTodos": [], "newTodos": given["todos"]}


def _plan(call: Call, given: dict[str, Any]) -> Outcome:
    return call.output, {"plan": given["plan"], "isAgent": False}


RESULTS: dict[str, Callable[[Call, dict[str, Any]], Outcome]] = {
    "Bash": _bash,
    "Read": _read,
    "Grep": _grep,
    "Edit": _edit,
    "Write": _write,
    "TodoWrite": _todos,
    "ExitPlanMode": _plan,
}


def task(call: Call, tasks: dict[str, dict[str, Any]]) -> Outcome:
    """TaskCreate and TaskUpdate, which also change the files in tasks/."""
    if call.tool == "TaskCreate":
        number, subject = str(len(tasks) + 1), call.input["subject"]
        tasks[number] = {
            "id": number,
            **call.input,
            "status": "pending",
            "blocks": [],
            "blockedBy": [],
        }
        return f"Task #{number} created successfully: {subject}", {
            "task": {"id": number, "subject": subject}
        }
    number, status = call.input["taskId"], call.input["status"]
    change = {"from": tasks[number]["status"], "to": status}
    tasks[number]["status"] = status
    detail = {
        "success": True,
        "taskId": number,
        "updatedFields": ["status"],
        "statusChange": change,
    }
    return f"Updated task #{number} status", detail


def spilled(call: Call, path: str, limit: int) -> Outcome:
    """Output that was too long for the transcript: the text is in a file beside it."""
    size = len(call.output.encode())
    text = f"<persisted-output>\nOutput too large ({size / 1024:.1f}KB). Full output saved to: {path}\n\n"
    text += f"Preview (first 2KB):\n{call.output[:2000]}\n...\n</persisted-output>"
    _, detail = _bash(call._replace(output=call.output[:limit]), {})
    assert isinstance(detail, dict)
    return text, detail | {"persistedOutputPath": path, "persistedOutputSize": size}


def agent(
    call: Call, agent_id: str, usage: dict[str, Any], context: int, took: timedelta
) -> Outcome:
    """What a sub-agent answered."""
    answer = [{"type": "text", "text": call.child[-1].text}]
    milliseconds, uses = (
        took // timedelta(milliseconds=1),
        sum(len(say.calls) for say in call.child),
    )
    usage_text = f"total_tokens: {context}\ntool_uses: {uses}\nduration_ms: {milliseconds}"
    trailer = f"agentId: {agent_id}\n<usage>{usage_text}</usage>"
    detail = {
        "status": "completed",
        "prompt": call.input["prompt"],
        "agentId": agent_id,
        "agentType": call.input["subagent_type"],
        "content": answer,
        "totalDurationMs": milliseconds,
        "totalTokens": context,
        "totalToolUseCount": uses,
        "usage": usage,
    }
    return [*answer, {"type": "text", "text": trailer}], detail


def cost_state(
    calls: Sequence[tuple[str, Tokens]],
    prices: Mapping[str, tuple[float, ...]],
    started: datetime,
    ended: datetime,
) -> dict[str, Any]:
    """What the session cost so far, by model."""
    by_model: dict[str, Any] = {}
    for model in dict.fromkeys(model for model, _ in calls):
        total = Tokens(
            *map(sum, zip(*(tokens for name, tokens in calls if name == model), strict=True))
        )
        billed = (total.fresh, total.cache_read, total.cache_write, total.output)
        dollars = (
            sum(count * price for count, price in zip(billed, prices[model], strict=True))
            / 1_000_000
        )
        by_model[model] = {
            "inputTokens": total.fresh,
            "outputTokens": total.output,
            "thinkingTokens": total.reasoning,
            "cacheReadInputTokens": total.cache_read,
            "cacheCreationInputTokens": total.cache_write,
            "cacheCreationEphemeral5mInputTokens": 0,
            "cacheCreationEphemeral1hInputTokens": total.cache_write,
            "webSearchRequests": 0,
            "costUSD": round(dollars, 6),
        }
    milliseconds = (ended - started) // timedelta(milliseconds=1)
    return {
        "totalCostUSD": round(sum(one["costUSD"] for one in by_model.values()), 6),
        "totalAPIDuration": milliseconds // 3,
        "totalDuration": milliseconds,
        "startTime": int(started.timestamp() * 1000),
        "modelUsage": by_model,
        "hasUnknownModelCost": False,
    }


def pretty(record: object) -> str:
    """JSON over several lines, as task files have it."""
    return json.dumps(record, ensure_ascii=False, indent=2)
