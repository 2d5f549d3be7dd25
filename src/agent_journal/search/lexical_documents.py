"""How an item becomes a document of the lexical index: its fields, terms and weight."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import tantivy

    from agent_journal.search.items import Item

_LONGEST = 100  # characters of a word
# log2(2 + weight) multiplies the score: what people wrote and were answered counts more than what
# tools printed, and that more than the files that were kept, which have the same text many times.
_WEIGHTS = {
    "session": 23,
    "prompt": 14,
    "answer": 7,
    "plan": 7,
    "todo": 7,
    "history": 7,
    "command": 7,
    "document": 0,
}
# They repeat what is said in a session: its title the first prompt, a history each prompt
_REPEATING = ("session", "history")
_OTHER_WEIGHT = 2
# The parts of a message that are indexed apart, with the id of the message
PARTS = ("", "reasoning", "attachment")
_SCORED = ("body", "parts")  # the fields that give scores; the others are conditions


@cache
def schema() -> tantivy.Schema:
    """The fields of a document."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", indexed=True, fast=True)
    builder.add_unsigned_field("session", indexed=True, fast=True)
    # Not indexed: ranges of it are found by the fast field
    builder.add_integer_field("time", fast=True)
    builder.add_unsigned_field("weight", fast=True)
    builder.add_unsigned_field("repeats", fast=True)
    # Its place in PARTS
    builder.add_unsigned_field("part", fast=True)
    for name in ("kind", "role", "tool", "status", "path", "flag"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("body", tokenizer_name="words")
    builder.add_text_field("command", tokenizer_name="words")
    # Without positions, which would be most of its size; the body has the same text with them
    builder.add_text_field("contents", tokenizer_name="words", index_option="basic")
    builder.add_text_field("parts", tokenizer_name="words", index_option="freq")
    return _with_lengths_of(_SCORED, builder.build())


def _with_lengths_of(names: tuple[str, ...], schema: tantivy.Schema) -> tantivy.Schema:
    """A schema in which only some fields have a byte for the length of their text.

    Scores need it. tantivy has no option for it, but a schema can be changed while it is copied.
    """
    copying: Any = schema.__reduce__()
    rebuild, (state,) = copying
    for field in state["inner"]:
        indexing = field["options"].get("indexing")
        if indexing is not None:
            indexing["fieldnorms"] = field["name"] in names
    changed: tantivy.Schema = rebuild(state)
    return changed


def analyzers() -> dict[str, tantivy.TextAnalyzer]:
    """How fields become terms."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    def plain() -> TextAnalyzerBuilder:
        builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(_LONGEST))
        return builder.filter(Filter.ascii_fold()).filter(Filter.lowercase())

    return {"words": plain().build(), "stems": plain().filter(Filter.stemmer("english")).build()}


def add_document(writer: tantivy.IndexWriter, item: Item, text: str) -> None:
    """Add an item to the index, with its text as `prepared` has made it."""
    import tantivy

    from agent_journal.search.terms import humps, prepared

    document = tantivy.Document()
    document.add_unsigned("id", item.id)
    document.add_unsigned("session", item.session)
    document.add_integer("time", item.time)
    document.add_unsigned("weight", _WEIGHTS.get(item.kind, _OTHER_WEIGHT))
    document.add_unsigned("repeats", int(item.kind in _REPEATING))
    document.add_unsigned("part", PARTS.index(item.kind) if item.kind in PARTS else 0)
    document.add_text("kind", item.kind)
    for name, value in (("role", item.role), ("tool", item.tool), ("status", item.status)):
        if value:
            document.add_text(name, value)
    for path in item.paths:
        document.add_text("path", path[-1_000:].lower().replace("\\", "/"))
    if item.is_hidden:
        document.add_text("flag", "hidden")
    if item.has_image:
        document.add_text("flag", "image")
    document.add_text("body", text)
    for name, value in item.called_with._asdict().items():
        if value:
            document.add_text(name, prepared(value))
    names = item.names
    if not names and item.is_prose:
        names = item.text
    parts = humps(names)
    if parts:
        document.add_text("parts", parts)
    writer.add_document(document)
