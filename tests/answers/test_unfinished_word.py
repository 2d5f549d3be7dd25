"""The last word of a query while somebody still types it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.answers.unfinished_word import with_prefix
from agent_journal.answers.warm_search import WarmSearch
from agent_journal.query.parser import parse
from agent_journal.tui.asked import Asked
from agent_journal.tui.finding import find
from tests.support.journals import open_journal, sync
from tests.support.talks import talk

MOSTLY_COMMANDS = (
    "retry the compiler",
    "retry the connection",
    "paint the columns",
    "sort the configuration",
    "who wrote the comet catalogue",
    "the walls of the kitchen",
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("retry", "retry*"),
        ("retry co", "retry"),  # with every second text, `co` says less than the word before it
        ("retry walls co", "retry walls"),
        ("agent:codex co", "agent:codex co*"),
        ("co", "co*"),
        ("retry wa", "retry wa*"),
        ("retry con ", "retry con"),
    ],
)
def test_what_a_query_means_while_its_last_word_is_typed(typed: str, meant: str) -> None:
    asked = with_prefix(parse(typed), typed, lambda word: word.startswith("co"))
    assert asked.tree == parse(meant).tree


def test_a_beginning_of_most_texts_narrows_nothing(tmp_path: Path) -> None:
    talk(tmp_path, *MOSTLY_COMMANDS)
    sync(tmp_path)
    with open_journal(tmp_path) as journal:
        search = WarmSearch(journal.config.home)
        assert search.begins_most(journal, "co")
        assert not search.begins_most(journal, "ki")  # one text
        assert not search.begins_most(journal, "connection")  # a word itself
        both = find(journal, search, Asked(text="retry co"), "lexical")
        one = find(journal, search, Asked(text="retry conn"), "lexical")
        search.close()
    assert {entry.row.id for entry in both.entries} == {"t0", "t1"}
    assert [entry.row.id for entry in one.entries] == ["t1"]
    assert not both.problem
