"""Writes a query tree as text, in one spelling; the parser reads the same tree from it."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from agent_journal.query.lexer import (
    ESCAPE_OR_SLASH,
    OPEN_REGEX,
    REGEX,
    VALUE_STOP,
    can_exclude,
    split_star,
)
from agent_journal.query.tree import (
    And,
    Dates,
    Field,
    Node,
    Not,
    Or,
    Parsed,
    Phrase,
    Regex,
    Value,
    Word,
    children,
    exclusions_of,
    is_moment,
)


def render(parsed: Parsed) -> str:
    """The query as text."""
    parts = []
    if parsed.tree is not None:
        parts.append(_tree_text(parsed.tree))
    if parsed.sort:
        parts.append(f"sort:{parsed.sort}")
    return " ".join(parts)


def excluded_parts(parsed: Parsed) -> list[str]:
    """What a query excludes, each part as text: for `redis -cluster`, `cluster`."""
    return [_tree_text(node.node) for node in exclusions_of(parsed.tree)]


def _tree_text(tree: Node) -> str:
    text = _text(tree, has_slashes=False)
    if text.count("/") > 1:
        return _text(tree, has_slashes=True)
    return text


def _text(node: Node, has_slashes: bool) -> str:
    match node:
        case Word():
            return _word_text(node, has_slashes)
        case Phrase(text):
            return f'"{text}"'
        case Regex():
            return _regex_text(node)
        case Field(name, values):
            return f"{name}:{','.join(map(_value_text, values))}"
    spans = _spans(node)
    if spans:
        return f"date:{','.join(_value_text(Value(_span_text(span))) for span in spans)}"
    parts = []
    # No recursion in a comprehension: that would double the depth of the stack
    for inner in children(node):
        text = _text(inner, has_slashes)
        if _needs_group(inner, node):
            text = _group_text(text)
        parts.append(text)
    if isinstance(node, Not):
        return _not_text(node.node, parts[0])
    if isinstance(node, And):
        return " ".join(parts)
    return " OR ".join(parts)


def _needs_group(node: Node, parent: Node) -> bool:
    if isinstance(node, Or):
        return not _spans(node)
    return isinstance(node, And) and isinstance(parent, Not)


def _word_text(word: Word, has_slashes: bool) -> str:
    """A word; a leading slash is escaped where it could begin a regular expression."""
    text = word.text
    if word.is_prefix:
        text += "*"
    if text.startswith("/") and _is_like_regex(text, has_slashes):
        return "\\" + text
    if text.startswith("-") and _is_like_exclusion(text[1:]):
        return "\\" + text
    return text


def _is_like_exclusion(text: str) -> bool:
    from agent_journal.query.minus import is_flag

    return bool(text) and can_exclude(text[0]) and not is_flag(text)


def _is_like_regex(text: str, has_slashes: bool) -> bool:
    if OPEN_REGEX.fullmatch(text):
        return True
    return has_slashes and REGEX.match(text + " /") is not None


def _regex_text(regex: Regex) -> str:
    pattern = ESCAPE_OR_SLASH.sub(_escaped_slash, regex.pattern)
    if regex.ignore_case:
        return f"/{pattern}/i"
    return f"/{pattern}/"


def _escaped_slash(found: re.Match[str]) -> str:
    if found[0] == "/":
        return "\\/"
    return found[0]


def _value_text(value: Value) -> str:
    """A value, in quotes where it needs them (it then has none: they cannot be typed inside)."""
    text = value.text
    if value.is_prefix:
        return text + "*"
    is_special = VALUE_STOP.search(text) or split_star(text)[1] or text.startswith((":", "//"))
    if is_special and '"' not in text:
        return f'"{text}"'
    return text


def _not_text(node: Node, text: str) -> str:
    """An exclusion; a minus before a word could be read as part of a command."""
    if isinstance(node, Word):
        return f"NOT {text}"
    return f"-{text}"


def _group_text(text: str) -> str:
    """A text in parentheses; a word such as `f(` at the end must not take the closing one."""
    last_word = text.rsplit(" ", 1)[-1]
    if "(" in last_word:
        return f"({text} )"
    return f"({text})"


def _spans(node: Node) -> list[Dates]:
    """The dates that one field can list, without parentheses; empty when a node has others."""
    nodes: tuple[Node, ...] = (node,)
    if isinstance(node, Or):
        nodes = node.nodes
    spans = [inner for inner in nodes if isinstance(inner, Dates)]
    if len(spans) < len(nodes):
        return []
    return spans


def _span_text(span: Dates) -> str:
    since = span.since or ""
    until = span.until or ""
    if not until and since.startswith(">"):
        return since
    if not since and until.startswith("<"):
        return until
    if since == until and not is_moment(since, datetime.now(UTC)):
        return since
    return f"{since}..{until}"
