"""Attachments and the project of a session: cases 34 to 36 of the format notes."""

from __future__ import annotations

import pytest

from tests.support.vscode import PNG, Doc, attached, case, document, read_session, uri


@pytest.mark.parametrize("number", [0, 1])
def test_case_34_an_image_in_bytes(number: int) -> None:
    (image,) = attached(case(34)[number])
    assert (image.kind, image.name, image.mime_type, image.size, image.sha256) == (
        "image",
        "a.png",
        "image/png",
        3,
        PNG,
    )


def test_case_34_an_image_by_its_address() -> None:
    (image,) = attached(case(34)[2])
    assert (image.kind, image.name, image.size, image.sha256) == ("image", "a.png", None, None)


def test_attachments_have_the_texts_that_the_model_got() -> None:
    variables = [
        {"kind": "file", "name": "file:a.py", "value": uri("/w/a.py")},
        {"kind": "promptFile", "name": "prompt:b.md", "value": uri("/w/b.md")},
        {"kind": "paste", "name": "pasted", "code": "x"},
        {"kind": "directory", "name": "docs", "value": uri("/w/docs")},
    ]
    rendered = """<attachments>
<attachment id="file:a.py">
lines 1 to 2: <b>
</attachment>
<attachment filePath="/w/a.py">
the whole of a.py
</attachment>
<attachment id="prompt:b.md" filePath="/w/b.md">
Be brief.
</attachment>
<attachment id="pasted">
```x```
</attachment>
<attachment id="empty">
</attachment>
<attachment id="cut off">
"""
    parts = [{"type": 3}, {"type": 1, "text": f"<context>\n{rendered}"}, {"type": 1, "text": "y"}]
    request = {
        "requestId": "r",
        "message": "x",
        "variableData": {"variables": variables},
        "result": {"metadata": {"renderedUserMessage": parts}},
    }
    (prompt,) = read_session(document(request)).prompts
    assert [(one.kind, one.name, one.path, one.text) for one in prompt.attachments] == [
        ("file", "file:a.py", "/w/a.py", "lines 1 to 2: <b>"),
        ("promptFile", "prompt:b.md", "/w/b.md", "Be brief."),
        ("paste", "pasted", None, "x"),
        ("directory", "docs", "/w/docs", None),
        ("context", None, "/w/a.py", "the whole of a.py"),
    ]


def test_images_of_the_buffer_kind_do_not_raise() -> None:
    for value in (
        {"type": "Buffer", "data": [137, 80, 78]},
        {"0": 999},
        {"1": 2},
        {"$base64": "%%"},
        {"0": "x"},
        {},
    ):
        (image,) = attached({"kind": "image", "name": "a.png", "value": value})
        assert (image.kind, image.name) == ("image", "a.png")


def test_case_35_context_that_was_not_attached_and_instructions() -> None:
    chat = read_session(document({"requestId": "r", "message": "x", "variableData": case(35)}))
    assert [
        (attachment.kind, attachment.name, attachment.path)
        for attachment in chat.prompts[0].attachments
    ] == [
        ("instructions", "prompt:copilot-instructions.md", "/w/.github/copilot-instructions.md"),
        ("file", "file:b.py", "/w/b.py"),
    ]
    assert chat.counted("skipped").get("variable/implicit") == 1
    assert chat.counted("unknown") == {}


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        ({"kind": "file", "name": "a", "value": uri("/w/a.py")}, ("file", "a", "/w/a.py", None)),
        (
            {"kind": "file", "name": "a", "value": {"uri": uri("/w/a.py")}},
            ("file", "a", "/w/a.py", None),
        ),
        (
            {"kind": "directory", "name": "d", "value": uri("/w/d")},
            ("directory", "d", "/w/d", None),
        ),
        (
            {"kind": "paste", "name": "p", "code": "x = 1", "value": "x = 1"},
            ("paste", "p", None, "x = 1"),
        ),
        (
            {"kind": "promptText", "name": "t", "value": "Be brief."},
            ("promptText", "t", None, "Be brief."),
        ),
        (
            {"kind": "promptText", "name": "t", "value": "Be brief.", "automaticallyAdded": True},
            ("instructions", "t", None, "Be brief."),
        ),
        (
            {"kind": "promptText", "name": "t", "value": "Note: be brief"},
            ("promptText", "t", None, "Note: be brief"),
        ),
        (
            {"kind": "debugVariable", "name": "v", "expression": "len(x)", "value": "5"},
            ("debugVariable", "v", None, "len(x)\n5"),
        ),
        (
            {"kind": "implicit", "name": "i", "value": {"uri": uri("/w/a"), "value": "seen"}},
            ("implicit", "i", "/w/a", "seen"),
        ),
        (
            {"kind": "agentFeedback", "name": "r", "feedbackItems": [{"text": "rename it"}]},
            ("agentFeedback", "r", None, "rename it"),
        ),
        (
            {"kind": "scmHistoryItem", "name": "c", "historyItem": {"message": "Fix #5"}},
            ("scmHistoryItem", "c", None, "Fix #5"),
        ),
        (
            {"kind": "promptFile", "name": "f", "value": uri("/w/p.md")},
            ("promptFile", "f", "/w/p.md", None),
        ),
        (
            {"kind": "string", "name": "s", "value": "text", "handle": 1},
            ("string", "s", None, "text"),
        ),
        (
            {"kind": "implicit", "name": "i", "enabled": True, "value": uri("/w/a.py")},
            ("implicit", "i", "/w/a.py", None),
        ),
        ({"name": "n", "value": uri("/w/a.py")}, ("file", "n", "/w/a.py", None)),
        ({"name": "n", "value": {"any": 1}}, ("generic", "n", None, None)),
    ],
)
def test_an_attachment_of_each_kind(variable: Doc, expected: tuple[str | None, ...]) -> None:
    (attachment,) = attached({"id": "v", **variable})
    assert (attachment.kind, attachment.name, attachment.path, attachment.text) == expected


def test_the_output_of_an_attached_command_is_its_text() -> None:
    (attachment,) = attached(
        {"kind": "terminalCommand", "name": "t", "command": "ls", "output": "a.py\n", "exitCode": 0}
    )
    assert attachment.kind == "terminalCommand"
    assert "a.py" in (attachment.text or "")


@pytest.mark.parametrize(
    ("number", "project", "tags"),
    [
        (0, "c:\\Users\\me\\My Proj#1", ()),
        (1, "/home/me/p", ("remote:wsl:ubuntu-22.04",)),
        (2, "/workspaces/proj", ("remote:dev-container:/home/me/proj",)),
        (3, "/home/me/both.code-workspace", ()),
        (4, "\\\\server\\share\\x y", ()),
    ],
)
def test_case_36_the_project_of_a_session(number: int, project: str, tags: tuple[str, ...]) -> None:
    plain = document({"requestId": "r", "message": "x"})
    chat = read_session(plain, siblings={"../workspace.json": case(36)[number]})
    assert (chat.session.project_path, chat.session.tags) == (project, tags)
    in_log = read_session(
        [{"kind": 0, "v": plain}], siblings={"../workspace.json": case(36)[number]}
    )
    assert in_log.sessions == chat.sessions


def test_the_project_where_there_is_no_workspace_file() -> None:
    asked = {"requestId": "r", "message": "x", "response": [{"value": "y"}]}
    chat = read_session(document(asked, workingDirectory="file:///work/app%20x"))
    assert chat.session.project_path == "/work/app x"
    for key in ("cacheKey", "globalContextCacheKey"):
        result = {"metadata": {key: "file:///work/one,file:///work/two"}}
        assert (
            read_session(document({**asked, "result": result})).session.project_path == "/work/one"
        )
    assert read_session(document(asked)).session.project_path is None


def test_the_project_of_the_agents_window_is_its_working_directory() -> None:
    siblings = {
        "../workspace.json": {
            "workspace": "file:///home/me/.config/Code/User/agent-sessions.code-workspace"
        }
    }
    chat = read_session(
        document({"message": "x"}, workingDirectory="file:///work/app"), siblings=siblings
    )
    assert chat.session.project_path == "/work/app"


@pytest.mark.parametrize(
    "workspace", ["", "{", "null", "[]", "5", '{"folder":5}', '{"folder":"no uri"}', "\xff"]
)
def test_a_broken_workspace_file_costs_only_the_project(workspace: str) -> None:
    chat = read_session(
        document({"message": "x"}), siblings={"../workspace.json": workspace.encode("latin-1")}
    )
    assert chat.session.project_path is None
    assert [prompt.text for prompt in chat.prompts] == ["x"]


@pytest.mark.parametrize("folder", ["untitled:Untitled-1", "vscode-userdata:/x"])
def test_what_is_no_project_path_is_none(folder: str) -> None:
    chat = read_session(
        document({"message": "x"}), siblings={"../workspace.json": {"folder": folder}}
    )
    assert chat.session.project_path is None
