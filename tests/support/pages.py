"""HTML pages for tests, made of sessions without a journal; and hostile sessions."""

from __future__ import annotations

import json
from typing import Any

from agent_journal.export.family import Member
from agent_journal.export.html.page import PageOptions, PageSet
from agent_journal.model import Attachment, FileEdit, Message, Plan, Session, Todo, ToolCall
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.text.dates import parse_bound

ROLES = {"prompt": "user", "command": "user", "shell": "user", "answer": "assistant"}
# Each would set window.owned, open a dialog, load something or add an element, if it were taken for
# more than text.
HOSTILE = [
    "<script>window.owned=1</script>",
    "</script><script>window.owned=1</script>",
    "<img src=x onerror=window.owned=1>",
    "<svg onload=window.owned=1><script>window.owned=1</script></svg>",
    '"><iframe srcdoc="<script>parent.owned=1">',
    "' onmouseover='window.owned=1' x='",
    '" autofocus onfocus="window.owned=1',
    "</style><style>body{display:none}",
    "<style>@import url(https://evil.example/x.css)</style>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<base href=https://evil.example/>",
    "<form action=https://evil.example/><input name=x></form>",
    "<object data=x></object><embed src=x>",
    "<!-- ",
    "]]>",
    "<math><mtext></mtext></math>",
    "<template><b>x</b></template>",
    "<plaintext>",
    "</details></article></main>",
    "</summary>",
    "</textarea>",
    "</title>",
    "<a href=javascript:alert(1)>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](java\tscript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    "[x](//evil.example)",
    "[x][r]\n\n[r]: javascript:alert(1)",
    "<javascript:alert(1)>",
    "![p](https://evil.example/p.png)",
    "![p](data:image/svg+xml;base64,PHN2Zz4=)",
    '![p"onerror=alert(1)](x)',
    '[x](https://e.example "\\" onclick=alert(1)")',
    '```" onclick="window.owned=1\n</code></pre><script>window.owned=1</script>\n```',
    "```<b>x\ncode\n```",
    "~~~\nopen",
    "| <script>window.owned=1</script> |\n|---|\n| <img src=x onerror=window.owned=1> |",
    "# <svg/onload=window.owned=1>",
    "\x1b[31mred\x1b[0m\x1b]8;;https://evil.example\x07link\x1b]8;;\x07",
    "\x1b]0;title\x07",
    "\x1b[38;5;999999m",
    "\x1b[2J",
    '\x1b[31"><script>window.owned=1</script>m',
    "\x9b31m",
    "a\u202egnp.exe",
    "\u2066x\u2069",
    "a\x00b",
    "\ud800",
    "\u2028",
    "../../../etc/passwd",
    "C:\\Windows\\x",
    "javascript:alert(1)",
    "{{7*7}}",
    "${7*7}",
    "&lt;script&gt;",
    "%3Cscript%3E",
]


def joined(texts: list[str], most: int = 300) -> list[str]:
    """All texts, several in one: a request for each would take long."""
    found = [""]
    for text in texts:
        if len(found[-1]) + len(text) > most:
            found.append("")
        found[-1] += f" {text}"
    return found


def row(session: Session) -> SessionRow:
    values: dict[str, Any] = dict.fromkeys(SessionRow._fields)
    return SessionRow(
        **values
        | {"agent": session.agent, "id": session.id, "title": session.title, "prompt_count": 1}
    )


def page_set(
    *sessions: Session, split: int | None = None, pictures: Any = None, **look: Any
) -> PageSet:
    wished = PageOptions(
        **{"theme": "auto", "made_by": "agent-journal 9", "is_redacted": True, "has_calls": True}
        | look,
        split=split,
    )
    family = [Member(row(one), one) for one in sessions]
    name = lambda number: "talk.html" if number == 1 else f"talk-{number}.html"  # noqa: E731
    return PageSet(family, wished, pictures or {}, lambda usage: usage.cost_micro_usd, name)


def page(*sessions: Session, **options: Any) -> str:
    (parts,) = page_set(*sessions, **options).rendered()
    return "".join(parts)


def message(number: int, kind: Any, text: str, session: str = "s", **more: Any) -> Message:
    when = parse_bound(f"2026-11-0{1 + number % 9}T10:00:00")
    return Message(
        session_id=session,
        id=more.pop("id", f"m{number}"),
        role=ROLES.get(kind, "system"),
        kind=kind,
        text=text,  # type: ignore[arg-type]
        timestamp=when,
        **more,
    )


def call(uid: str, name: str, kind: Any = "other", **more: Any) -> ToolCall:
    return ToolCall(session_id="s", id=uid, name=name, kind=kind, **{"status": "ok", **more})


def hostile_session(texts: list[str], uid: str = "s") -> Session:
    """A session in which every field tries every text."""
    messages: list[Message] = []
    edits: list[FileEdit] = []
    for number, text in enumerate(texts):
        calls = [
            call(
                f"{text}-{kind}-{number}",
                text,
                kind,
                title=text,
                result=text,
                spilled_to=text,
                arguments=json.dumps(
                    {
                        "command": text,
                        "file_path": text,
                        "prompt": text,
                        "plan": text,
                        text: text,
                        "long": text * 20,
                    }
                ),
                attachments=(Attachment(kind=text, name=text, text=text, note=text),),
            )
            for kind in ("shell", "edit", "search", "web", "agent", "plan", "mcp")
        ]
        calls.append(
            call(
                f"todo{number}", text, "todo", arguments=json.dumps({"todos": [{"content": text}]})
            )
        )
        calls.append(call(f"bare{number}", text, arguments=text, status=None))
        edits.append(
            FileEdit(
                session_id=uid,
                path=text,
                call_id=calls[1].id,
                diff=f"@@ -1 +1 @@\n-{text}\n+{text}\n",
            )
        )
        image = Attachment(kind="image", mime_type="image/svg+xml", name=text, path=text)
        messages += [
            message(number, "prompt", text, uid, id=f"{text}{number}", attachments=(image,)),
            message(
                number,
                "answer",
                text,
                uid,
                id=f"a{text}{number}",
                reasoning=text,
                model=text,
                tool_calls=tuple(calls),
            ),
            message(number, "injected", text, uid, id=f"i{number}"),
            message(number, "shell", text, uid, id=f"s{number}"),
        ]
    whole = " ".join(texts)
    return Session(
        agent="claude-code",
        id=uid,
        title=whole,
        project_path=whole,
        git_branch=whole,
        models=(whole,),
        messages=tuple(messages),
        file_edits=(*edits, FileEdit(session_id=uid, path=whole, before=whole, after="x")),
        todos=tuple(Todo(content=text) for text in texts),
        plans=(Plan(name=whole, text=whole),),
        agent_name=whole,
        agent_version=whole,
    )
