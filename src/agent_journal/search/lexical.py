"""The lexical index: tantivy, with one document for each item; texts are indexed, not stored.

It is derived: a missing, foreign or damaged folder is rebuilt from the catalog, and after a crash
everything above the watermark is removed and added again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

from agent_journal.errors import CannotWrite, JournalDamaged
from agent_journal.search.lexical_documents import add_document, analyzers, schema
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import last_item, watermark
from agent_journal.store.condemned import condemn, is_condemned

if TYPE_CHECKING:
    import tantivy

    from agent_journal.search.items import Item
    from agent_journal.search.pace import Pace
    from agent_journal.search.session_words import Contents, SessionWriter

NAME = "lexical-v6"
_FAMILY = "lexical-v"
_FINISHED = "finished"
SESSIONS = "sessions"  # the folder of the index of whole sessions
REBUILD_HINT = "'aj sync --rebuild' rebuilds it"
SYNC_HINT = "the next 'aj sync' rebuilds it"
_SMALL_HEAP = 16 * 2**20
_SMALL = 2_000  # items: a live session that grew
_SMALL_TEXT = 4_000_000  # characters of them
_MOST_REASON = 200  # characters of what tantivy says, which may be a whole file
_CHECKED = 64 * 2**20  # bytes that a search checks when files look as if somebody wrote to them


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
        self.tell: Callable[[float], None] = lambda _: None

    def is_there(self) -> bool:
        """Whether there is an index that was finished once, and not dropped or damaged since."""
        names = (_FINISHED, "meta.json", os.path.join(SESSIONS, "meta.json"))
        paths = (os.path.join(self.path, name) for name in names)
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
        return first_damage(find_damage, self._folders)

    def condemn(self) -> None:
        """Mark it as damaged: nobody uses it until the next sync has rebuilt it."""
        condemn(self.path)

    @property
    def _folders(self) -> tuple[str, str]:
        """Where its files are: those of single items, and those of whole sessions."""
        return self.path, os.path.join(self.path, SESSIONS)

    def _see_damage(self) -> str | None:
        """What is damaged, as far as it can be seen without reading everything."""
        return first_damage(_see_damage, self._folders)

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
            damage = first_damage(find_damage, self._folders)
            if damage is None:
                raise
            return damage
        return None

    def _update(self, db: Connection, watermark: int, gone: list[int]) -> None:
        import tantivy

        from agent_journal.search import lexical_files as files
        from agent_journal.search.pace import ADDING, Pace

        assert self._items is not None
        if not watermark or not self.is_there():
            self.drop()
            self._drop_older()
            watermark = 0
            gone = []
        else:
            for folder in self._folders:
                files.set_aside(folder)
                files.remove_strays(folder)
        for folder in self._folders:
            files.remove_marks(folder)
        index = self._open_or_create()
        items = self._items(db, watermark)
        first = _first_items(items)
        heap = _SMALL_HEAP
        if len(first) == _SMALL or sum(len(item.text) for item in first) > _SMALL_TEXT:
            heap = self._heap
        sessions = self._session_writer(db, watermark)
        sessions.begin(_sessions_of(index, gone))
        writer = index.writer(heap, 1)
        above = tantivy.Query.range_query(
            index.schema, "id", tantivy.FieldType.Unsigned, watermark, None, include_lower=False
        )
        writer.delete_documents_by_query(above)
        self._add_items(writer, sessions, chain(first, items), Pace(db, watermark, self.tell))
        # Whole sessions first: which of them had what is gone is known from the items
        sessions.commit()
        if gone:
            writer.delete_documents_by_query(tantivy.Query.term_set_query(index.schema, "id", gone))
        self.tell(ADDING)
        writer.commit()
        writer.wait_merging_threads()
        for folder in self._folders:
            if watermark:
                files.check_merged(folder)
            files.write_marks(folder)
        with open(os.path.join(self.path, _FINISHED), "w", encoding="ascii"):
            pass

    def _add_items(
        self,
        writer: tantivy.IndexWriter,
        sessions: SessionWriter,
        items: Iterable[Item],
        pace: Pace,
    ) -> None:
        """Add items, with a commit wherever too much text would wait for tantivy."""
        from agent_journal.search.backlog import Backlog
        from agent_journal.search.terms import prepared

        backlog = Backlog()
        for item in items:
            text = prepared(item.text)
            add_document(writer, item, text)
            backlog.add(len(text))
            if backlog.is_full:
                writer.commit()
                backlog.clear()
            sessions.add(item, text)
            pace.add(item)

    def _session_writer(self, db: Connection, watermark: int) -> SessionWriter:
        from agent_journal.search.items import said_in_session
        from agent_journal.search.session_words import SessionWriter, open_or_create

        index = _with_analyzers(open_or_create(self.path))
        return SessionWriter(index, lambda *asked: said_in_session(db, *asked), watermark)

    def ids(self) -> set[int]:
        """The ids of everything in it."""
        import tantivy

        searcher = self.searcher()
        with self.reading():
            found = searcher.search(tantivy.Query.all_query(), max(1, searcher.num_docs)).hits
            places = [place for _, place in found]
            return {int(value or 0) for value in searcher.fast_field_values("id", places)}

    def session_contents(self) -> Contents:
        """What it has of whole sessions."""
        from agent_journal.search.session_words import contents

        searcher = self.session_searcher()
        with self.reading():
            return contents(searcher)

    def searcher(self) -> tantivy.Searcher:
        """Its items as they are now, to search them; JournalDamaged when it cannot be read."""
        return self._searcher_of(self.path)

    def session_searcher(self) -> tantivy.Searcher:
        """The same for whole sessions."""
        return self._searcher_of(os.path.join(self.path, SESSIONS))

    def _searcher_of(self, folder: str) -> tantivy.Searcher:
        from agent_journal.search.lexical_files import find_touched, writable_view

        damage = find_touched(folder, _CHECKED)
        if damage is not None:
            raise self._damaged(damage)
        try:
            with self.reading():
                return _open(folder).searcher()
        except ValueError as error:
            if "Lockfile" not in str(error):
                raise self._damaged(str(error)) from error
        # A read-only disk, or somebody else's folder
        with self.reading(), writable_view(folder) as view:
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
            if first_damage(find_damage, self._folders) is None:
                raise  # a sync may be rebuilding it now, or this has nothing to do with it
            raise self._damaged(str(error)) from error

    def _damaged(self, reason: str) -> JournalDamaged:
        """The error for an index that cannot be read; the next sync rebuilds it."""
        from agent_journal.search.lexical_files import find_damage

        message = f"the search index {self.path} cannot be read: {reason[:_MOST_REASON]}"
        if not self.is_there() or first_damage(find_damage, self._folders) is None:
            return JournalDamaged(message, REBUILD_HINT)
        self.condemn()
        return JournalDamaged(message, SYNC_HINT)

    def _open_or_create(self) -> tantivy.Index:
        import tantivy

        os.makedirs(self.path, mode=0o700, exist_ok=True)
        return _with_analyzers(tantivy.Index(schema(), path=self.path, reuse=True))


def _first_items(items: Iterator[Item]) -> list[Item]:
    """As many items as tell whether there are few: with little text, or not many."""
    first: list[Item] = []
    size = 0
    for item in items:
        first.append(item)
        size += len(item.text)
        if len(first) == _SMALL or size > _SMALL_TEXT:
            break
    return first


def first_damage(find: Callable[[str], str | None], folders: Iterable[str]) -> str | None:
    """The first damage that is found in several folders; None when there is none."""
    for folder in folders:
        damage = find(folder)
        if damage is not None:
            return damage
    return None


def _see_damage(folder: str) -> str | None:
    from agent_journal.search import lexical_files as files

    try:
        if files.read_marks(folder) is not None:
            return files.find_touched(folder)
        damage = files.find_damage(folder)
        if damage is None:  # of an earlier version, or a sync was killed
            files.write_marks(folder)
        return damage
    except files.Damaged as error:
        return str(error)


def _sessions_of(index: tantivy.Index, ids: list[int]) -> list[tuple[int, int]]:
    """The session of each item, with the item."""
    import tantivy

    if not ids:
        return []
    searcher = index.searcher()
    wanted = tantivy.Query.term_set_query(index.schema, "id", ids)
    found = searcher.search(wanted, max(1, searcher.num_docs)).hits
    places = [place for _, place in found]
    sessions = searcher.fast_field_values("session", places)
    items = searcher.fast_field_values("id", places)
    pairs = zip(sessions, items, strict=True)
    return [(int(session or 0), int(item or 0)) for session, item in pairs]


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
