"""Tool results as Claude Code writes them: the text the model saw, and its `toolUseResult`."""

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
    lines = call.output.split("\n")
    start = given.get("offset", 1)
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
    path = given["file_path"]
    old = given["old_string"]
    new = given["new_string"]
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
    """Return the result of TaskCreate or TaskUpdate, and change the tasks."""
    if call.tool == "TaskCreate":
        number = str(len(tasks) + 1)
        subject = call.input["subject"]
        state = {"status": "pending", "blocks": [], "blockedBy": []}
        tasks[number] = {"id": number, **call.input, **state}
        created = {"task": {"id": number, "subject": subject}}
        return f"Task #{number} created successfully: {subject}", created
    number = call.input["taskId"]
    status = call.input["status"]
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
    """Return the result of output too long for the transcript: the text is in a file beside it."""
    size = len(call.output.encode())
    text = (
        "<persisted-output>\n"
        f"Output too large ({size / 1024:.1f}KB). Full output saved to: {path}\n\n"
        f"Preview (first 2KB):\n{call.output[:2000]}\n...\n</persisted-output>"
    )
    _, detail = _bash(call._replace(output=call.output[:limit]), {})
    assert isinstance(detail, dict)
    return text, detail | {"persistedOutputPath": path, "persistedOutputSize": size}


def agent(
    call: Call, agent_id: str, usage: dict[str, Any], context: int, took: timedelta
) -> Outcome:
    """Return what a sub-agent answered."""
    answer = [{"type": "text", "text": call.child[-1].text}]
    milliseconds = took // timedelta(milliseconds=1)
    uses = sum(len(say.calls) for say in call.child)
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
    """Return what the session cost so far, by model."""
    by_model: dict[str, Any] = {}
    for model in dict.fromkeys(model for model, _ in calls):
        tokens = [tokens for name, tokens in calls if name == model]
        by_model[model] = _model_usage(tokens, prices[model])
    milliseconds = (ended - started) // timedelta(milliseconds=1)
    return {
        "totalCostUSD": round(sum(usage["costUSD"] for usage in by_model.values()), 6),
        "totalAPIDuration": milliseconds // 3,
        "totalDuration": milliseconds,
        "startTime": int(started.timestamp() * 1000),
        "modelUsage": by_model,
        "hasUnknownModelCost": False,
    }


def _model_usage(calls: Sequence[Tokens], prices: tuple[float, ...]) -> dict[str, Any]:
    fresh = sum(tokens.fresh for tokens in calls)
    cache_read = sum(tokens.cache_read for tokens in calls)
    cache_write = sum(tokens.cache_write for tokens in calls)
    output = sum(tokens.output for tokens in calls)
    billed = zip((fresh, cache_read, cache_write, output), prices, strict=True)
    dollars = sum(count * price for count, price in billed) / 1_000_000
    return {
        "inputTokens": fresh,
        "outputTokens": output,
        "thinkingTokens": sum(tokens.reasoning for tokens in calls),
        "cacheReadInputTokens": cache_read,
        "cacheCreationInputTokens": cache_write,
        "cacheCreationEphemeral5mInputTokens": 0,
        "cacheCreationEphemeral1hInputTokens": cache_write,
        "webSearchRequests": 0,
        "costUSD": round(dollars, 6),
    }


def pretty(record: object) -> str:
    """Return JSON on several lines, as task files have it."""
    return json.dumps(record, ensure_ascii=False, indent=2)
