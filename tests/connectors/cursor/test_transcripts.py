"""Cursor: what a person typed, out of what transcripts have around it."""

from __future__ import annotations

import pytest

from agent_journal.connectors.cursor.blocks import unwrapped


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
        ("look at <b>this</b>", "prompt", "look at <b>this</b>"),
        ("[Previous conversation summary]\nx", "compaction", "[Previous conversation summary]\nx"),
    ],
)
def test_what_a_person_typed(text: str, kind: str, words: str) -> None:
    assert unwrapped(text)[:2] == (kind, words)
