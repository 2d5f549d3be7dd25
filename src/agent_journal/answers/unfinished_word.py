"""Searches for somebody who is still typing: the last word of the query may go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from agent_journal.query.tree import And, Node, Parsed, Word, words_of

if TYPE_CHECKING:
    from agent_journal.search.finding import Found

_LEAST_LETTERS = 2  # a single letter begins too many words


def find_while_typing(
    find: Callable[[Parsed], Found], parsed: Parsed, begun: Parsed
) -> tuple[Found, Parsed]:
    """Search, and where nothing has all words, for what the last one may begin.

    `begun` is the query `with_prefix`. The query that was searched for in the end comes with what
    it found.
    """
    found = find(parsed)
    if begun == parsed or not (found.missing or found.spelled):
        return found, parsed
    longer = find(begun)
    if not longer.hits or (longer.how == "any" and not longer.missing):
        return found, parsed  # nothing begins so: the first search says that it has no such word
    return longer, begun


def with_prefix(parsed: Parsed, text: str, says_little: Callable[[str], bool]) -> Parsed:
    """The query with its last word as the beginning of one, if it is what the text ends with.

    Beside other words, a beginning that `says_little` is left out: the next letters say more, and
    to look through what begins so would take longer than to type them.
    """
    tree = parsed.tree
    if tree is None:
        return parsed
    if not isinstance(tree, And):
        return parsed._replace(tree=_begun(tree, text))
    *others, last = tree.nodes
    begun = _begun(last, text)
    rest = _all_of(others)
    if isinstance(begun, Word) and begun.is_prefix and words_of(rest) and says_little(begun.text):
        return parsed._replace(tree=rest)
    return parsed._replace(tree=And((*others, begun)))


def _all_of(nodes: list[Node]) -> Node:
    if len(nodes) == 1:
        return nodes[0]
    return And(tuple(nodes))


def _begun(last: Node, text: str) -> Node:
    if not isinstance(last, Word) or last.is_prefix or len(last.text) < _LEAST_LETTERS:
        return last
    if not last.text.isalnum() or not text.endswith(last.text):
        return last
    return last._replace(is_prefix=True)
