"""What older sessions, which are one document, become."""

from __future__ import annotations

import pytest

from agent_journal.connectors.gemini import CONNECTOR
from agent_journal.model import ToolCall
from tests.support.assemble import Assembly, read_root
from tests.support.gemini_sessions import home


@pytest.fixture(scope="module")
def document() -> Assembly:
    return read_root(CONNECTOR, home("document"))


def test_parts_of_content(document: Assembly) -> None:
    messages = {name: message for (_, name), message in document.messages.items()}
    assert messages["u1"].text == "What is in @plum.png and @a.md?"
    assert [(file.kind, file.path, file.size) for file in messages["u1"].attachments] == [
        ("file", "a.md", None),
        ("image", None, 3),
    ]
    assert (messages["c1"].text, messages["c1"].attachments[0].text) == (
        "/review",
        "Review the diff as a pirate: …",
    )
    assert messages["c2"].kind == "injected"
    assert messages["line-5"].text == "no id"
    assert messages["m1"].text == "Arr, matey"


def test_more_cached_than_sent_is_not_part_of_it(document: Assembly) -> None:
    (usage,) = [message.usage for message in document.messages.values() if message.usage]
    assert (usage.input_tokens, usage.cache_read_tokens, usage.reasoning_tokens) == (100, 250, None)


def test_a_project_is_known_by_its_hash(document: Assembly) -> None:
    assert document.sessions[0].project_path == "/home/sam/plum"


def test_results_of_every_shape(document: Assembly) -> None:
    calls: dict[str, ToolCall] = {name: call for (_, name), call in document.calls.items()}
    assert (calls["g1#0"].result, calls["er"].result, calls["er"].exit_code) == (
        "# A\n",
        "not found",
        127,
    )
    assert [file.kind for file in calls["im"].attachments] == ["image", "document"]


def test_only_what_is_damaged_is_lost() -> None:
    found = read_root(CONNECTOR, home("damage"))
    assert [message.text for message in found.messages.values()] == [
        "Half a line follows",
        "Glued",
        "after the crash",
        "caf\u2028e",
        "\ufffd",
        "The head is lost",
        "Pity.",
        "a number as id",
        "no id",
        "",
    ]
