"""docs/query.md: every example is read, and everything is on the page."""

from __future__ import annotations

import re

import pytest

from agent_journal.query.lexer import FIELDS
from agent_journal.query.parser import QuerySyntaxError, parse
from agent_journal.query.tree import CONTENTS, FLAGS, ROLES, SORTS, And, Parsed, Word, words_of
from tests.support.paths import ROOT

PAGE = (ROOT / "docs/query.md").read_text()
EXAMPLES = [row.replace("\\|", "|") for row in re.findall(r"^\| `(.+?)` \| ", PAGE, re.MULTILINE)]


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_of_the_page_are_read(text: str) -> None:
    assert parse(text) != Parsed(None, None)


def test_the_page_has_everything() -> None:
    assert len(EXAMPLES) > 60
    for name in FIELDS:
        assert any(f"{name}:" in text for text in EXAMPLES), name
    assert all(f"is:{flag}" in EXAMPLES for flag in FLAGS)
    assert all(f"`has:{content}`" in PAGE for content in CONTENTS)
    assert all(f"sort:{order}" in EXAMPLES for order in SORTS)
    assert all(f"`{role}`" in PAGE for role in ROLES)


def test_what_the_page_calls_text_is_text() -> None:
    rows = re.findall(r"^\| `(.+?)` \| ", PAGE.split("### What is plain text")[1], re.MULTILINE)
    assert len(rows) > 5
    for row in rows:
        tree = parse(row).tree
        assert isinstance(tree, (And, Word)), row
        assert len(words_of(tree)) == len(tree.nodes if isinstance(tree, And) else (tree,)), row


def test_the_message_on_the_page_is_the_real_one() -> None:
    (block,) = re.findall(r"```text\n(.*?)\n```", PAGE, re.DOTALL)
    with pytest.raises(QuerySyntaxError) as caught:
        parse(block.splitlines()[1])
    assert block == f"{caught.value.message}\n{caught.value.hint}"
