"""Codex: prompts, answers, tool calls and results; the whole of each case is in expected.json."""

from __future__ import annotations

import hashlib

import pytest

from agent_journal.connectors.codex.conversation import kind_of
from agent_journal.connectors.codex.outcomes import outcome_of
from tests.connectors.codex.rollouts import messages, read_case, session, sid

PNG = hashlib.sha256(b"PNG").hexdigest()


def test_each_text_is_read_once() -> None:
    found = messages(read_case("conversation"), sid(1))
    spoken = [message for message in found if message.kind in ("prompt", "answer")]
    assert [(message.kind, message.text[:30], message.reasoning) for message in spoken] == [
        ("prompt", "# Context from my IDE setup:\n\n", ""),
        ("answer", "I look at the pump.", "**Looking**"),
        ("answer", "", ""),
        ("answer", "Done.", ""),
        ("answer", "Done.", ""),
    ]
    assert [message.kind for message in found if message not in spoken] == [
        "system_prompt",
        "injected",
        "injected",
        "injected",
    ]


def test_what_is_known_of_a_session() -> None:
    assembly = read_case("conversation")
    first = session(assembly, sid(1))
    assert first.title == "fix the pump"
    assert first.title_source == "prompt"
    assert first.git_branch == "main"
    assert first.repository == "sam/orchard"
    assert first.project_path == "/home/sam/orchard"
    assert first.host_app == "codex_cli_rs"
    assert first.models == ("gpt-5.2-codex",)
    names = {hint.id: hint.title for hint in assembly.sessions if hint.is_hint}
    assert names == {sid(2): "Picture of a pump", "gone": "x"}


def test_images_are_attachments_by_hash() -> None:
    assembly = read_case("conversation")
    (prompt,) = (message for message in messages(assembly, sid(2)) if message.kind == "prompt")
    assert prompt.text == "what is this?"
    assert [(image.mime_type, image.size, image.sha256) for image in prompt.attachments] == [
        ("image/png", 3, PNG)
    ]
    assert [image.sha256 for image in assembly.calls[sid(2), "c4"].attachments] == [PNG]


def test_calls_of_every_kind() -> None:
    calls = read_case("conversation").calls
    shell = calls[sid(1), "c1"]
    assert (shell.kind, shell.status, shell.exit_code) == ("shell", "ok", 0)
    assert (shell.result, shell.duration_ms) == ("pump.py\n", 250)
    failed = calls[sid(1), "c2"]
    assert (failed.status, failed.exit_code, failed.duration_ms) == ("failed", 2, 500)
    mcp = calls[sid(2), "c2"]
    assert (mcp.kind, mcp.server, mcp.name) == ("mcp", "docs", "ask")
    assert (mcp.status, mcp.duration_ms) == ("error", 1500)
    assert calls[sid(2), "c1"].name == "local_shell"
    assert calls[sid(2), "c6"].status == "interrupted"
    searches = [call for call in calls.values() if call.session_id == sid(2) and call.kind == "web"]
    assert len(searches) == 2
    assert all(call.message_id for call in calls.values())


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("fix it", "prompt"),
        ("<div>what is this?</div>", "prompt"),
        ("<my_tag> is odd", "prompt"),
        ("<environment_context>\n<cwd>/r</cwd>\n</environment_context>", "injected"),
        ("<environment_context> cut off", "injected"),
        ("# AGENTS.md instructions for /r\n\nx", "injected"),
        ("# AGENTS is a file", "prompt"),
        ("<user_action>\n<context>review</context>\n</user_action>", "injected"),
        ('<goal_context source="x">\nx\n</goal_context>', "injected"),
        ("<skill>\n<name>x</name>\n</skill>", "skill"),
        ("<subagent_notification>\n{}\n</subagent_notification>", "notification"),
        ("", "prompt"),
    ],
)
def test_the_kind_of_a_text_of_the_role_user(text: str, kind: str) -> None:
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    ("output", "status", "exit_code", "text"),
    [
        ('{"output":"a","metadata":{"exit_code":1}}', "failed", 1, "a"),
        ('{"output":"a"}', "ok", None, "a"),
        ('{"output":7}', "ok", None, '{"output":7}'),
        ('{"output":"a', "ok", None, '{"output":"a'),
        ("Exit code: 0\nOutput:\nExit code: 3", "ok", 0, None),
        ("Output:\nExit code: 3", "ok", None, None),
        ("exec command rejected by user", "denied", None, None),
        ("aborted", "interrupted", None, None),
        (
            "Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n",
            "running",
            None,
            None,
        ),
        ({"content": "x", "success": False}, "error", None, "x"),
        ({"output": "x", "metadata": {"exit_code": 0}}, "ok", 0, "x"),
        ({"name": "x"}, "ok", None, '{"name":"x"}'),
        ([{"type": "input_text", "text": "x"}], "ok", None, "x"),
        (None, None, None, None),
        (7, "ok", None, "7"),
    ],
)
def test_outcomes(
    output: object, status: str | None, exit_code: int | None, text: str | None
) -> None:
    found = outcome_of(output)
    assert (found.status, found.exit_code) == (status, exit_code)
    assert found.text == (output if text is None else text)
