"""A session with a different word in every place that can be searched."""

from __future__ import annotations

from typing import Any

from tests.support.talks import record


def call(
    uuid: str, name: str, arguments: dict[str, Any], result: str, **more: Any
) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": f"t-{uuid}", "name": name, "input": arguments}
    done = {"type": "tool_result", "tool_use_id": f"t-{uuid}", "content": result}
    return [record("assistant", uuid, [use]), record("user", f"{uuid}-result", [done], **more)]


RECORDS = [
    record(
        "user",
        "p1",
        "Please fix the alphaprompt in getUserName, naïve Bryła 検索エンジン snake_case_name",
    ),
    record(
        "assistant",
        "a1",
        [
            {"type": "thinking", "thinking": "maybe a betathought"},
            {"type": "text", "text": "Running gammaanswer tests, libraries found"},
        ],
    ),
    *call(
        "c1",
        "Bash",
        {"command": "deltaargument --flag"},
        "epsilonresult " + "filler " * 400 + "zetalong",
    ),
    *call(
        "c2",
        "Edit",
        {"file_path": "/work/app/etafile.py", "old_string": "x", "new_string": "y"},
        "ok",
        toolUseResult={
            "filePath": "/work/app/etafile.py",
            "structuredPatch": [
                {
                    "oldStart": 1,
                    "oldLines": 1,
                    "newStart": 1,
                    "newLines": 1,
                    "lines": ["-x", "+thetaedit"],
                }
            ],
        },
    ),
    *call("c3", "TodoWrite", {"todos": [{"content": "iotatodo", "status": "pending"}]}, "ok"),
    *call("c4", "ExitPlanMode", {"plan": "kappaplan first"}, "ok"),
    {"type": "brand-new-2027", "uuid": "n1", "sessionId": "s1", "payload": "lambdaevent"},
    {"type": "custom-title", "sessionId": "s1", "customTitle": "Mutitle of it"},
]

EVERYWHERE = (
    "alphaprompt",
    "betathought",
    "gammaanswer",
    "deltaargument",
    "epsilonresult",
    "zetalong",
    "etafile",
    "thetaedit",
    "iotatodo",
    "kappaplan",
    "lambdaevent",
    "mutitle",
    "zebraproject",
    "yakbranch",
    "nuhistory",
)
