"""Cursor: what was typed, thought and answered, out of what transcripts have around it."""

from __future__ import annotations

import pytest

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.cursor.plain_text import speeches
from agent_journal.connectors.cursor.prompts import unwrapped
from agent_journal.connectors.cursor.transcripts import describe_path


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("<user_query>\n a \n</user_query>", "prompt", "a"),
        ("<x>y</x>\n<user_query>a</user_query>\n<user_query>b</user_query>", "prompt", "a\n\nb"),
        (
            "<user_info>\nOS\n</user_info>\n<rules>r</rules>",
            "injected",
            "<user_info>\nOS\n</user_info>\n<rules>r</rules>",
        ),
        ("<timestamp>now</timestamp>\nfix it", "prompt", "fix it"),
        ("<agent_skills>\nSkills", "injected", "<agent_skills>\nSkills"),
        ("<div>mine</div>", "prompt", "<div>mine</div>"),
        ("look at <b>this</b>", "prompt", "look at <b>this</b>"),
        ("[Previous conversation summary]\nx", "compaction", "[Previous conversation summary]\nx"),
    ],
)
def test_what_a_person_typed(text: str, kind: str, words: str) -> None:
    assert unwrapped(text)[:2] == (kind, words)


def test_what_stands_around_a_prompt_is_kept() -> None:
    found = unwrapped('<rule name="a">r</rule>\n[Image]\nseen\n<user_query>a</user_query>')
    assert [(part.kind, part.text) for part in found.attachments] == [
        ("rule", "r"),
        ("context", "seen"),
        ("image", None),
    ]


@pytest.mark.parametrize(
    ("said", "thought", "answer"),
    [
        ("[Thinking] a\nb", "a", "b"),
        ("[Thinking] a\n\nb\nc\n\nd", "a\n\nb", "c\n\nd"),
        ("[Thinking] a:\n- b\n- c\n\nd\ne", "a:\n- b\n- c\n\nd", "e"),
        ("[Thinking] a\n\n**b**\nc\nd", "a\n\n**b**\nc", "d"),
        ("[Thinking] a\n\n```\nb\nc\n```\n\nd\ne", "a\n\n```\nb\nc\n```\n\nd", "e"),
        ("[Thinking] a\n\nb", "a", "b"),
        ("[Thinking] a\n\nb\n[Tool call] Read", "a\n\nb", None),
        ("[Thinking]\n  a\n\n  b\nc", "a\n\nb", "c"),
        ("[Thinking] \na", None, "a"),
    ],
)
def test_where_a_thought_ends(said: str, thought: str | None, answer: str | None) -> None:
    (speech,) = speeches(f"assistant:\n{said}")
    found = {block["type"]: block for block in speech.blocks}
    assert found.get("thinking", {}).get("thinking") == thought
    text = found.get("text", {}).get("text")
    assert (text and text.strip()) == answer


def test_an_imported_transcript_of_a_sub_agent() -> None:
    """Its name alone says nothing, its folders do."""
    file = FileIdentity("b.jsonl", "/x/agent-transcripts/a/subagents/b.jsonl", "log", "b")
    assert describe_path(file).parent_id == "a"
