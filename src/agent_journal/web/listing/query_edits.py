"""Changes a query in the language of searches, as chips do: a condition is added, or taken away."""

from __future__ import annotations

from agent_journal.query.parser import parse
from agent_journal.query.rendering import render
from agent_journal.query.tree import And, Dates, Field, Node, Not, Parsed, Value
from agent_journal.text.plain import one_line


def nodes_of(parsed: Parsed) -> tuple[Node, ...]:
    """The parts of a query that must all hold."""
    if parsed.tree is None:
        return ()
    if isinstance(parsed.tree, And):
        return parsed.tree.nodes
    return (parsed.tree,)


def made_of(nodes: tuple[Node, ...], sort: str | None = None) -> Parsed:
    """The query whose parts these are."""
    if not nodes:
        return Parsed(None, sort)
    if len(nodes) == 1:
        return Parsed(nodes[0], sort)
    return Parsed(And(nodes), sort)


def condition(name: str, text: str) -> Field:
    """The condition that a field has a value."""
    return Field(name, (Value(text),))


def conditions_of(parsed: Parsed) -> list[Node]:
    """The parts of a query that are fields or dates; words are not."""
    return [node for node in nodes_of(parsed) if _is_condition(node)]


def _is_condition(node: Node) -> bool:
    if isinstance(node, Not):
        return _is_condition(node.node)
    return isinstance(node, (Field, Dates))


def text_of(node: Node) -> str:
    """A part of a query as it is typed."""
    return render(Parsed(node, None))


def with_condition(parsed: Parsed, node: Node) -> str:
    """The query narrowed by a condition; one on the same field is replaced."""
    kept = tuple(part for part in nodes_of(parsed) if not _is_on_same(part, node))
    return render(made_of((*kept, node), parsed.sort))


def without_condition(parsed: Parsed, node: Node) -> str:
    """The query without one of its parts."""
    kept = tuple(part for part in nodes_of(parsed) if not _is_equal(part, node))
    return render(made_of(kept, parsed.sort))


def has_condition(parsed: Parsed, node: Node) -> bool:
    """Whether a condition is a part of the query."""
    return any(_is_equal(part, node) for part in nodes_of(parsed))


def _is_equal(part: Node, node: Node) -> bool:
    # Named tuples of different types with equal contents are equal
    return type(part) is type(node) and text_of(part) == text_of(node)


def _is_on_same(part: Node, node: Node) -> bool:
    """Whether two conditions exclude each other: two agents or two times, but not two `is:`."""
    if isinstance(part, Dates) and isinstance(node, Dates):
        return True
    if not isinstance(part, Field) or not isinstance(node, Field):
        return False
    if node.name in ("is", "has"):
        return _is_equal(part, node)
    return part.name == node.name


def project_value(project: str, others: list[str]) -> str:
    """How a project is named in a query: by its last part, unless that means others, too."""
    name = project.replace("\\", "/").rstrip("/").rpartition("/")[2]
    folded = name.lower()
    if not name or any(folded in other.lower() for other in others if other != project):
        return project
    return name


def is_typable(node: Node) -> bool:
    """Whether a condition can be typed: some texts cannot be the value of a field."""
    text = text_of(node)
    if text != one_line(text, 1_000):
        return False
    return nodes_of(parse(text)) == (node,)
