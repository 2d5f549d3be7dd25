"""The lexical index: tantivy, with one document for each item; texts are indexed, not stored.

It is derived: a missing, foreign or damaged folder is rebuilt from the catalog, and after a crash
everything above the watermark is removed and added again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from agent_journal.errors import CannotWrite, JournalDamaged
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import last_item, watermark
from agent_journal.store.condemned import condemn, is_condemned

if TYPE_CHECKING:
    import tantivy

    from agent_journal.search.items import Item

NAME = "lexical-v5"
_FAMILY = "lexical-v"
_FINISHED = "finished"
REBUILD_HINT = "'aj sync --rebuild' rebuilds it"
SYNC_HINT = "the next 'aj sync' rebuilds it"
_SMALL_HEAP = 16 * 2**20
_SMALL = 2_000  # items: a live session that grew
_LONGEST = 100  # characters of a word
_MOST_REASON = 200  # characters of what tantivy says, which may be a whole file
_CHECKED = 64 * 2**20  # bytes that a search checks when files look as if somebody wrote to them
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
_OTHER_WEIGHT = 2
# The parts of a message that are indexed apart, with the id of the message
PARTS = ("", "reasoning", "attachment")


class Lexical:
    """The index in a folder. Imports tantivy only when it is used."""

    name = NAME
    trouble = ""

    def __init__(
        self,
        folder: str,
        items: Callable[[Connection, int], Any] | None = None,
        heap_mb: int = 64,
    ) -> None:
        self.path = os.path.join(folder, NAME)
        self._items = items
        self._heap = max(_SMALL_HEAP, heap_mb * 2**20)

    def is_there(self) -> bool:
        """Whether there is an index that was finished once, and not dropped or damaged since."""
        paths = (os.path.join(self.path, name) for name in (_FINISHED, "meta.json"))
        return all(map(os.path.isfile, paths)) and not is_condemned(self.path)

    def is_of(self, db: Connection) -> bool:
        """Whether there is one with the items of this catalog; a rebuilt one has none yet."""
        return self.is_there() and watermark(db, self.name) > 0

    def reached(self, db: Connection) -> int:
        """The last item it has; 0 when it has to be built from scratch."""
        if not self.is_there():
            return 0
        damage = self._see_damage()
        if damage is not None:
            self._report(damage)
            return 0
        return watermark(db, self.name)

    def find_damage(self) -> str | None:
        """What is damaged, read from beginning to end; None when nothing is."""
        from agent_journal.search.lexical_files import find_damage

        if is_condemned(self.path):
            return "it was found damaged"
        if not self.is_there():
            return None
        return find_damage(self.path)

    def condemn(self) -> None:
        """Mark it as damaged: nobody uses it until the next sync has rebuilt it."""
        condemn(self.path)

    def _see_damage(self) -> str | None:
        """What is damaged, as far as it can be seen without reading everything."""
        from agent_journal.search import lexical_files as files

        try:
            if files.read_marks(self.path) is not None:
                return files.find_touched(self.path)
            damage = files.find_damage(self.path)
            if damage is None:  # of an earlier version, or a sync was killed
                files.write_marks(self.path)
            return damage
        except files.Damaged as error:
            return str(error)

    def _report(self, damage: str) -> None:
        self.trouble = f"the search index was damaged and has been rebuilt: {damage}"

    def drop(self) -> None:
        """Remove the index; the next sync rebuilds it."""
        remove(os.path.join(self.path, _FINISHED))  # first, in case of a kill in the middle
        remove(self.path)

    def _drop_older(self) -> None:
        """Remove the indexes of earlier versions, which nobody reads any more."""
        folder, name = os.path.split(self.path)
        for entry in os.listdir(folder):
            if entry.startswith(_FAMILY) and entry != name:
                remove(os.path.join(folder, entry))

    # -- writing -------------------------------------------------------------------------------

    def catch_up(self, db: Connection, watermark: int, gone: list[int]) -> int:
        """Add everything above the watermark and drop what is gone.

        Safe to repeat after a crash.
        """
        last = last_item(db)
        mask = os.umask(0o077)  # only the owner may read its files
        try:
            damage = self._try_update(db, watermark, gone)
            if damage is not None:
                self._report(damage)
                damage = self._try_update(db, 0, [])
            if damage is not None:
                raise self._damaged(damage)
        except ValueError as error:  # the only kind of error that tantivy raises
            message = f"cannot write the search index {self.path}: {error}"
            raise CannotWrite(message, REBUILD_HINT) from error
        finally:
            os.umask(mask)
        return last

    def _try_update(self, db: Connection, watermark: int, gone: list[int]) -> str | None:
        """Update it, and return what is damaged: then it has to be rebuilt."""
        from agent_journal.search.lexical_files import Damaged, find_damage
        from agent_journal.search.panics import Panic, catching_panics

        try:
            with catching_panics():
                self._update(db, watermark, gone)
        except (Panic, Damaged) as error:
            return str(error)
        except ValueError:
            damage = find_damage(self.path)
            if damage is None:
                raise
            return damage
        return None

    def _update(self, db: Connection, watermark: int, gone: list[int]) -> None:
        import tantivy

        from agent_journal.search import lexical_files as files

        assert self._items is not None
        if not watermark or not self.is_there():
            self.drop()
            self._drop_older()
            watermark = 0
            gone = []
        else:
            files.set_aside(self.path)
        files.remove_marks(self.path)
        index = self._open_or_create()
        items = self._items(db, watermark)
        first = list(islice(items, _SMALL))
        heap = _SMALL_HEAP
        if len(first) == _SMALL:
            heap = self._heap
        writer = index.writer(heap, 1)
        above = tantivy.Query.range_query(
            index.schema, "id", tantivy.FieldType.Unsigned, watermark, None, include_lower=False
        )
        writer.delete_documents_by_query(above)
        if gone:
            writer.delete_documents_by_query(tantivy.Query.term_set_query(index.schema, "id", gone))
        for item in chain(first, items):
            _add(writer, item)
        writer.commit()
        writer.wait_merging_threads()
        if watermark:
            files.check_merged(self.path)
        files.write_marks(self.path)
        with open(os.path.join(self.path, _FINISHED), "w", encoding="ascii"):
            pass

    def ids(self) -> set[int]:
        """The ids of everything in it."""
        import tantivy

        searcher = self.searcher()
        with self.reading():
            found = searcher.search(tantivy.Query.all_query(), max(1, searcher.num_docs)).hits
            places = [place for _, place in found]
            return {int(value or 0) for value in searcher.fast_field_values("id", places)}

    def searcher(self) -> tantivy.Searcher:
        """What it holds now, to search it; JournalDamaged when it cannot be read."""
        from agent_journal.search.lexical_files import find_touched, writable_view

        damage = find_touched(self.path, _CHECKED)
        if damage is not None:
            raise self._damaged(damage)
        try:
            with self.reading():
                return _open(self.path).searcher()
        except ValueError as error:
            if "Lockfile" not in str(error):
                raise self._damaged(str(error)) from error
        # A read-only disk, or somebody else's folder
        with self.reading(), writable_view(self.path) as view:
            return _open(view).searcher()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Raise JournalDamaged where tantivy fails because files are damaged."""
        from agent_journal.search.lexical_files import find_damage
        from agent_journal.search.panics import Panic, catching_panics

        try:
            with catching_panics():
                yield
        except Panic as error:
            raise self._damaged(str(error)) from error
        except ValueError as error:
            if find_damage(self.path) is None:
                raise  # a sync may be rebuilding it now, or this has nothing to do with it
            raise self._damaged(str(error)) from error

    def _damaged(self, reason: str) -> JournalDamaged:
        """The error for an index that cannot be read; the next sync rebuilds it."""
        from agent_journal.search.lexical_files import find_damage

        message = f"the search index {self.path} cannot be read: {reason[:_MOST_REASON]}"
        if not self.is_there() or find_damage(self.path) is None:
            return JournalDamaged(message, REBUILD_HINT)
        self.condemn()
        return JournalDamaged(message, SYNC_HINT)

    def _open_or_create(self) -> tantivy.Index:
        import tantivy

        os.makedirs(self.path, mode=0o700, exist_ok=True)
        return _with_analyzers(tantivy.Index(schema(), path=self.path, reuse=True))


def _open(path: str) -> tantivy.Index:
    import tantivy

    return _with_analyzers(tantivy.Index.open(path))


def _with_analyzers(index: tantivy.Index) -> tantivy.Index:
    for name, analyzer in analyzers().items():
        index.register_tokenizer(name, analyzer)
    return index


def remove(path: str) -> None:
    """Remove a folder with its contents, or the file or link at its path."""
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil

        shutil.rmtree(path, ignore_errors=True)
    elif os.path.lexists(path):
        os.unlink(path)


def schema() -> tantivy.Schema:
    """The fields of a document."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", stored=True, indexed=True, fast=True)
    builder.add_unsigned_field("session", indexed=True, fast=True)
    builder.add_integer_field("time", indexed=True, fast=True)
    builder.add_unsigned_field("weight", fast=True)
    # Its place in PARTS
    builder.add_unsigned_field("part", fast=True)
    for name in ("kind", "role", "tool", "status", "path", "flag"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("body", tokenizer_name="words")
    builder.add_text_field("command", tokenizer_name="words")
    builder.add_text_field("parts", tokenizer_name="words", index_option="freq")
    return builder.build()


def analyzers() -> dict[str, tantivy.TextAnalyzer]:
    """How fields become terms."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    def plain() -> TextAnalyzerBuilder:
        builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(_LONGEST))
        return builder.filter(Filter.ascii_fold()).filter(Filter.lowercase())

    return {"words": plain().build(), "stems": plain().filter(Filter.stemmer("english")).build()}


def _add(writer: tantivy.IndexWriter, item: Item) -> None:
    import tantivy

    from agent_journal.search.terms import humps, prepared

    text = prepared(item.text)
    document = tantivy.Document()
    document.add_unsigned("id", item.id)
    document.add_unsigned("session", item.session)
    document.add_integer("time", item.time)
    document.add_unsigned("weight", _WEIGHTS.get(item.kind, _OTHER_WEIGHT))
    document.add_unsigned("part", PARTS.index(item.kind) if item.kind in PARTS else 0)
    document.add_text("kind", item.kind)
    for name in ("role", "tool", "status"):
        value = getattr(item, name)
        if value:
            document.add_text(name, value)
    for path in item.paths:
        document.add_text("path", path[-1_000:].lower().replace("\\", "/"))
    if item.is_hidden:
        document.add_text("flag", "hidden")
    if item.has_image:
        document.add_text("flag", "image")
    document.add_text("body", text)
    if item.command:
        document.add_text("command", prepared(item.command))
    names = item.names
    if not names and item.is_prose:
        names = item.text
    parts = humps(names)
    if parts:
        document.add_text("parts", parts)
    writer.add_document(document)
