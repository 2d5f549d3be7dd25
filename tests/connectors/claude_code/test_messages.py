"""What lines of a Claude Code transcript become: messages, calls, usage, events."""

from __future__ import annotations

from agent_journal.connectors.claude_code.state import SessionFacts
from agent_journal.model import Attachment, Event
from tests.connectors.claude_code.cases import PNG, at, case, pieces, session, skipped, thread


def test_lines_of_one_response_are_one_message_with_its_calls() -> None:
    message = case("split-messages").messages["split", "m1"]
    calls = case("split-messages").calls
    assert (message.text, message.reasoning, message.stop_reason) == (
        "Running.",
        "two commands",
        "tool_use",
    )
    assert message.record_ids == ("a1", "a2", "a3", "a4")
    assert message.parent_id == "u1"  # through an attachment
    assert (message.model, message.timestamp, message.api_id) == ("claude-opus-5", at(3), "m1")
    first, second = calls["split", "A"], calls["split", "B"]
    assert (first.message_id, first.name, first.kind, first.status) == ("m1", "Bash", "shell", "ok")
    assert (first.arguments, first.result) == ('{"command":"echo alpha"}', "alpha")
    assert (first.started_at, first.ended_at, first.record_ids) == (at(5), at(6), ("r1",))
    assert (second.message_id, second.result) == ("m1", "beta")


def test_usage_is_once_per_response_and_the_largest() -> None:
    first = case("split-messages").messages["split", "m1"].usage
    assert first is not None
    assert (first.key, first.message_id, first.model) == ("m1:req_m1", "m1", "claude-opus-5")
    assert (first.input_tokens, first.cache_read_tokens, first.output_tokens) == (3, 200, 10)
    assert (first.cache_write_tokens, first.cache_write_1h_tokens, first.reasoning_tokens) == (
        100,
        60,
        4,
    )
    grown = case("split-messages").messages["split", "m2"]
    assert grown.usage is not None
    assert grown.usage.output_tokens == 631
    assert (grown.parent_id, grown.text) == ("r2", "Wor\n\nBoth done.")


def test_web_searches_of_the_provider_are_counted() -> None:
    usage = case("titles").messages["empty-words", "m1"].usage
    assert usage is not None
    assert usage.web_searches == 2


def test_local_answers_have_no_model_and_no_usage() -> None:
    messages = case("split-messages").messages
    synthetic, nameless, error = (messages["split", key] for key in ("synthetic-1", "a9", "m3"))
    assert (synthetic.kind, synthetic.model, synthetic.usage) == ("notice", None, None)
    assert (nameless.api_id, nameless.usage, nameless.model) == (None, None, "claude-opus-5")
    assert (error.kind, error.state, error.usage) == ("error", "failed", None)
    aborted = messages["split", "m4"]
    assert (aborted.text, aborted.reasoning, aborted.state) == ("Half an ans", "", "cancelled")


def test_a_sidechain_copy_is_a_message_of_its_session() -> None:
    messages = case("split-messages").messages
    main, side = messages["copied", "m9"].usage, messages["copied/sidechain-c3", "m9"].usage
    assert main is not None
    assert side is not None
    assert [(u.message_id, u.key, u.is_sidechain) for u in (main, side)] == [
        ("m9", "m9:req_main", False),
        ("m9", "m9:req_side", True),
    ]


def test_kinds_of_user_lines() -> None:
    assert thread("prompts", "prompts") == [
        ("prompt", "fix this"),
        ("prompt", "explain [Image #1]"),
        ("command", "/init"),
        ("command_output", ""),
        ("injected", "<local-command-caveat>Caveat: …</local-command-caveat>"),
        ("shell", "echo hi"),
        ("command_output", "hi\nwarn"),
        ("notification", "<task-notification>\n<task-id>1</task-id>\n</task-notification>"),
        ("notification", '<teammate-message teammate_id="b">hello</teammate-message>'),
        ("interrupt", "[Request interrupted by user]"),
        ("skill", "Base directory for this skill: /s\n\n# Skill"),
        ("skill", "Skill body"),
        ("injected", "<system-reminder>\nThe session was named.\n</system-reminder>"),
        ("prompt", "what now?"),
        ("notification", "from a peer"),
        ("injected", "by the system"),
        ("notice", "seen only here"),
        ("hook", "<user-prompt-submit-hook>context</user-prompt-submit-hook>"),
        ("prompt", "<div> is a tag I ask about"),
        ("prompt", ""),
        ("command", "/rename new name"),
        ("command_output", "Renamed"),
        ("hook", "remember\nthe milk"),
        ("prompt", "last"),
    ]
    messages = case("prompts").messages
    opened = Attachment(kind="ide", text="The user opened /home/u/app/a.py")
    assert messages["prompts", "p01"].attachments == (opened,)
    assert messages["prompts", "p02"].attachments == (Attachment(kind="ide", text="lines 1-3"), PNG)
    assert messages["prompts", "p14"].attachments == (Attachment(kind="reminder", text="be brief"),)
    assert messages["prompts", "p20"].attachments == (PNG,)
    assert messages["prompts", "p23"].parent_id == "e06"  # the nearest line that is a message
    assert [messages["prompts", p].role for p in ("p21", "p22")] == ["user", "system"]


def test_harness_text_is_told_by_its_look_not_by_its_place() -> None:
    modified = (
        "Note: /home/u/app/a.py was modified, either by the user or by a linter. "
        "This change was intentional."
    )
    assert [said for said in thread("prompts", "beside") if said[0] != "answer"] == [
        ("prompt", "fix it"),
        ("prompt", "also run the tests"),
        ("prompt", "and lint"),
        ("injected", "<system-reminder>\nUse the task list.\n</system-reminder>"),
        ("injected", modified),
        ("hook", "Operation stopped by hook: another session is active"),
        ("injected", "(no content)"),
        ("prompt", "Note: the parser was modified by me"),
        ("interrupt", "[Request interrupted by user for tool use]"),
        ("prompt", "what does <system-reminder>x</system-reminder> mean?"),
    ]
    messages = case("prompts").messages
    assert messages["beside", "u1"].attachments == (Attachment(kind="reminder", text="Be brief."),)
    assert messages["beside", "u3"].attachments == (
        Attachment(kind="reminder", text="Use the task list."),
        Attachment(kind="reminder", text=modified),
    )
    assert case("prompts").calls["beside", "T1"].result == "ok"


def test_lines_of_the_harness_are_events() -> None:
    assert [(event.type, event.text) for event in pieces("prompts", Event)] == [
        ("promptSource", "system"),
        ("api_error", "Overloaded"),
        ("informational", "Model replaced"),
        ("stop_hook_summary", "hook failed"),
        ("system", "plain notice"),
        ("attachment/file", "a.py"),
        ("attachment/hook_blocking_error", "not yet"),
    ]
    assert skipped("prompts", "projects/-home-u-app/prompts.jsonl") == {
        ("system/stop_hook_summary", "hooks ran without an error"),
        ("attachment/hook_success", "a hook ran and said nothing"),
    }


def test_queued_prompts_appear_once_and_copies_of_requests_never() -> None:
    assert thread("queue", "queued") == [
        ("prompt", "do x"),
        ("answer", ""),
        ("prompt", "do y"),
        ("prompt", "do z"),
        ("notification", "task 7 finished"),
        ("notification", "<task-notification>\n<task-id>7</task-id>\n</task-notification>"),
        ("answer", "done"),
    ]
    assert case("queue").messages["queued", "k2"].attachments == (PNG,)
    assert case("queue").messages["queued", "m2"].parent_id == "k4"
    assert [(event.type, event.text) for event in case("queue").others] == [
        ("promptSource", "typed")
    ]
    assert {kind for kind, _ in skipped("queue", "projects/-home-u-app/queued.jsonl")} == {
        "queue-operation",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "tools-used",
        "atis-latch",
    }


def test_a_queued_prompt_that_never_comes_again_is_shown_where_it_was_queued() -> None:
    assert thread("queue", "lost") == [
        ("prompt", "fix the parser"),
        ("prompt", "also the docs"),
        ("answer", "Fixing."),
        ("answer", "And the docs."),
        ("prompt", "continue"),
        ("answer", "More."),
        ("prompt", "continue"),
        ("answer", "More still."),
        ("prompt", "third part"),
        ("prompt", "first part\nsecond part"),
        ("notification", "Build"),
        ("notification", "<task-notification>\n<task-id>9</task-id>\n</task-notification>"),
        ("command", "/compact keep it short"),
        ("answer", "Done."),
        ("prompt", "and then stop"),
    ]
    messages = case("queue").messages
    assert [(id, messages["lost", id].timestamp) for id in ("u3", "u4", "u7")] == [
        ("u3", at(19)),
        ("u4", at(20)),
        ("u7", at(31)),
    ]
    assert messages["lost", "m5"].parent_id == "u7"


def test_a_session_of_one_queued_prompt_has_its_title_and_time() -> None:
    (queued,) = thread("queue", "only-queued")
    assert queued == ("prompt", "say hello to the garden")
    only = session("queue", "only-queued")
    assert (only.title, only.started_at) == ("say hello to the garden", at(1))


def test_a_queued_prompt_that_was_taken_back_is_not_the_title() -> None:
    facts = SessionFacts()
    facts.note_text("prompt", "go")
    facts.note_queued("prompt", "remove the walnut file", None)
    assert facts.session(None).title == "remove the walnut file"
    facts.note_text("prompt", "do not remove the walnut file yet")
    assert facts.session(None).title == "do not remove the walnut file yet"


def test_a_compaction_joins_the_thread() -> None:
    messages = case("compaction").messages
    assert thread("compaction", "compacted") == [
        ("prompt", "long work"),
        ("answer", "working"),
        (
            "compaction",
            "This session is being continued from a previous conversation. It was about work.",
        ),
        ("injected", "Instructions for the model"),
        ("command", "/compact keep it short"),
        ("command_output", "Compacted"),
        ("prompt", "go on"),
        ("answer", "going on"),
    ]
    assert messages["compacted", "s1"].parent_id == "a1"
    assert messages["compacted", "u2"].parent_id == "o1"
    assert [(e.type, e.text) for e in pieces("compaction", Event)] == [
        ("compact_boundary", "Conversation compacted (manual, 633 tokens before)"),
        ("microcompact_boundary", "Context microcompacted"),
    ]


def test_forks_keep_their_own_chain_and_one_usage_key() -> None:
    messages = case("forks").messages
    origin, fork = messages["origin", "m1"], messages["fork", "m1"]
    assert (origin.record_ids, fork.record_ids) == (("p1",), ("p1",))
    assert (origin.parent_id, fork.parent_id) == ("q", "s")
    assert origin.usage is not None
    assert fork.usage is not None
    assert origin.usage.key == fork.usage.key == "m1:r1"
    assert [session("forks", s).recorded_cost_micro_usd for s in ("origin", "fork")] == [
        14_400,
        21_600,
    ]
    sdk = session("forks", "sdkfork")
    assert (sdk.fork_of, sdk.host_app, sdk.is_automated) == ("origin", "sdk-py", True)
    assert session("forks", "origin").is_automated is False


def test_branches_dangling_parents_and_cycles_are_kept() -> None:
    parents = {
        m.id: m.parent_id for m in case("forks").messages.values() if m.session_id == "rewound"
    }
    assert (parents["b1"], parents["b2"]) == ("a1", "a1")
    assert (parents["l1"], parents["l2"], parents["l3"]) == ("gone", "l3", "l2")
