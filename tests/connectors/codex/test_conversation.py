"""Codex: prompts, answers, tool calls and results; the whole of each case is in expected.json."""

from __future__ import annotations

import hashlib
import time

import pytest

from agent_journal.connectors.codex.contents import Content
from agent_journal.connectors.codex.context import cut, kind_of
from agent_journal.connectors.codex.outcomes import outcome_of
from tests.connectors.codex.rollouts import (
    line,
    messages,
    read_case,
    read_lines,
    session,
    sid,
    turn,
)

PNG = hashlib.sha256(b"PNG").hexdigest()


def test_each_text_is_read_once() -> None:
    found = messages(read_case("conversation"), sid(1))
    spoken = [message for message in found if message.kind in ("prompt", "answer")]
    assert [(message.kind, message.text[:30], message.reasoning) for message in spoken] == [
        ("prompt", "fix the pump", ""),
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


def test_an_image_may_be_in_any_record_of_a_prompt() -> None:
    for case, number, image in (("turns", 90, PNG), ("items", 70, "/tmp/a.png")):
        prompts = [m for m in messages(read_case(case), sid(number)) if m.kind == "prompt"]
        images = [image for prompt in prompts for image in prompt.attachments]
        assert [image.sha256 or image.path for image in images] == [image]


def test_an_image_in_two_records_is_one() -> None:
    found = read_lines(
        line(0, "event_msg", type="user_message", message="hm", local_images=["/tmp/a.png"]),
        line(
            1,
            "response_item",
            type="message",
            role="user",
            content=[
                {"type": "input_text", "text": "hm"},
                {"type": "input_image", "image_url": "data:image/png;base64,UE5H"},
            ],
        ),
    )
    (prompt,) = found.messages.values()
    assert [image.path for image in prompt.attachments] == ["/tmp/a.png"]


def test_turns_that_were_taken_back_are_hidden() -> None:
    found = messages(read_case("turns"), sid(90))
    prompts = [(message.text, message.state) for message in found if message.kind == "prompt"]
    assert prompts == [
        ("go ahead", None),
        ("open the gate", "hidden"),
        ("ask a scout", "hidden"),
        ("and be quick", "hidden"),
        ("paint it red", "hidden"),
        ("what is that?", None),
    ]
    assert [
        message.text for message in found if message.kind == "answer" and not message.state
    ] == [
        "What shall I do with the orchard?",
        "A gate.",
    ]
    assert session(read_case("turns"), sid(90)).title == "what is that?"


@pytest.mark.parametrize("count", [None, -1, 0, 99, "x"])
def test_odd_numbers_of_turns(count: object) -> None:
    found = read_lines(
        *turn(0, "a pump", "b"), line(9, "event_msg", type="thread_rolled_back", num_turns=count)
    )
    states = {message.state for message in found.messages.values()}
    assert states == ({"hidden"} if count == 99 else {None})


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
        ("Message Type: MESSAGE\nTask name: /root\nSender: /root/a\nPayload:\nx", "notification"),
        ("Message Type: unknown", "prompt"),
        ("", "prompt"),
    ],
)
def test_the_kind_of_a_text_of_the_role_user(text: str, kind: str) -> None:
    assert kind_of(text) == kind


ENVIRONMENT = "<environment_context>\n<cwd>/r</cwd>\n</environment_context>"
INSTRUCTIONS = "# AGENTS.md instructions for /r\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>"
EDITOR = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:"


@pytest.mark.parametrize(
    ("parts", "context", "words"),
    [
        (["fix it"], "", "fix it"),
        ([" <div>fix</div> "], "", " <div>fix</div> "),
        ([f"{ENVIRONMENT}\n\nfix it"], ENVIRONMENT, "fix it"),
        ([f"{INSTRUCTIONS}\n{ENVIRONMENT}\nfix it"], f"{INSTRUCTIONS}\n{ENVIRONMENT}", "fix it"),
        ([f"fix it\n\n{ENVIRONMENT}"], ENVIRONMENT, "fix it"),
        ([INSTRUCTIONS, "fix it", ENVIRONMENT], f"{INSTRUCTIONS}\n\n{ENVIRONMENT}", "fix it"),
        ([f"{EDITOR}\nfix it\n"], EDITOR, "fix it"),
        ([f"{EDITOR}\n"], f"{EDITOR}\n", ""),
        ([f"{ENVIRONMENT}\n{EDITOR}\nfix it"], f"{ENVIRONMENT}\n{EDITOR}", "fix it"),
        (
            ["# Files:\n\n## My request for Codex:\nfix"],
            "# Files:\n\n## My request for Codex:",
            "fix",
        ),
        (["why\n## My request for Codex:\nx"], "", "why\n## My request for Codex:\nx"),
        ([f"{ENVIRONMENT}\n<skill>\nx"], f"{ENVIRONMENT}\n<skill>\nx", ""),
        ([INSTRUCTIONS, ENVIRONMENT], f"{INSTRUCTIONS}\n\n{ENVIRONMENT}", ""),
        (["# AGENTS.md instructions for /r\n\nx"], "# AGENTS.md instructions for /r\n\nx", ""),
        (["</skill>"], "", "</skill>"),
        ([""], "", ""),
    ],
)
def test_context_is_cut_off_the_words(parts: list[str], context: str, words: str) -> None:
    content = Content("\n\n".join(parts), parts=tuple(parts))
    assert cut(content) == (context, words)
    if len(parts) == 1:
        assert cut(Content(parts[0])) == (context, words)


@pytest.mark.parametrize(
    "text",
    ["x" + "<skill></skill>" * 100_000, "# AGENTS.md instructions" + " " * 1_000_000 + "x<"],
)
def test_cutting_takes_no_longer_for_odd_texts(text: str) -> None:
    started = time.process_time()
    cut(Content(text))
    assert time.process_time() - started < 2


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
        ("unsupported custom tool call: apply_patch", "error", None, None),
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
