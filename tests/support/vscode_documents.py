"""Sessions as chats of VS Code, and read again."""

from __future__ import annotations

import json
from typing import Any

from agent_journal.convert.vscode import TARGET
from agent_journal.model import Session
from tests.support.conversions import fresh
from tests.support.read_back import read_vscode
from tests.support.vscode_validator import problems

HOSTILE = (
    "](command:evil) <script>x</script> ../../etc\x1b]0;t\x07\u202e ```\n"
    "# h [a]: javascript:x ![i](http://x/y)"
)


def document(*family: Session) -> dict[str, Any]:
    converted = TARGET.convert(family, fresh())
    found: dict[str, Any] = json.loads(converted.files[0].content)
    assert problems(found) == []
    return found


def back(*family: Session) -> list[Session]:
    converted = TARGET.convert(family, fresh())
    return read_vscode(converted.session_id, converted.files)


def parts(*family: Session, kind: str | None = None) -> list[dict[str, Any]]:
    response = document(*family)["requests"][0]["response"]
    return [part for part in response if kind is None or part.get("kind") == kind]
