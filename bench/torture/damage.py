"""Damage of every kind of file in a journal: verify names it, the next sync heals it.

Damage that verify does not name is silent, and a failure, unless what the journal says is provably
unchanged: every row and every vector that counts is the same, or the file holds nothing that is
ever read (locks, times).
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sqlite3
from contextlib import closing

from bench.torture import accidents
from bench.torture.checks import (
    Answers,
    Said,
    answers,
    behaved,
    files_under,
    healed,
    marks,
    require,
    said,
    same,
    search,
    succeeded,
    tables,
)
from bench.torture.homes import grow, write_mixed
from bench.torture.sandbox import Home

from agent_journal.errors import JournalDamaged
from agent_journal.store.archive import Archive

_SEGMENT = (".idx", ".pos", ".term", ".store", ".fast", ".fieldnorm")


def index_files(name: str, folder: str) -> tuple[tuple[str, str], ...]:
    """The kinds of files in a folder of the lexical index."""
    return (
        (f"{name} lock", rf"{folder}/\.tantivy-\w+\.lock"),
        (f"{name} list", rf"{folder}/\.managed\.json"),
        (f"{name} meta", rf"{folder}/meta\.json"),
        (f"{name} checksums", rf"{folder}/checksums"),
        (f"{name} .del", rf"{folder}/[\w.]+\.del"),
        *((f"{name} {ending}", rf"{folder}/\w+\{ending}") for ending in _SEGMENT),
    )


# Every kind of file, by the end of its path. A file that fits none is a kind of its own.
_KINDS = (
    ("pack", r"archive/\d+\.pack"),
    ("journal.db", r"index/journal\.db"),
    ("journal.db-wal", r"index/journal\.db-wal"),
    ("journal.db-shm", r"index/journal\.db-shm"),
    ("seen.jsonl", r"seen\.jsonl"),
    ("marks.jsonl", r"marks\.jsonl"),
    ("prices.json", r"index/prices\.json"),
    ("synced", r"index/synced"),
    ("write.lock", r"write\.lock"),
    ("lexical finished", r"lexical-[^/]+/finished"),
    *index_files("lexical", r"lexical-[^/]+"),
    *index_files("sessions", r"lexical-[^/]+/sessions"),
    ("vectors rows", r"vectors-[^/]+/rows-\d+"),
    ("vectors ids", r"vectors-[^/]+/ids-\d+"),
    ("vectors sums", r"vectors-[^/]+/sums-\d+"),
    ("vectors made-by", r"vectors-[^/]+/made-by"),
    ("mirror part", r"parquet/\w+/\d+\.parquet"),
    ("mirror manifest", r"parquet/manifest\.json"),
)
_USES = (
    ("ls",),
    ("show", "last"),
    ("search", "--no-sync", "--mode", "lexical", "text"),
    ("search", "--no-sync", "--mode", "semantic", "text"),
    ("usage",),
)
_MARKING = (
    ("star", "last"),
    ("tag", "last", "one", "two", "three"),
    ("title", "last", "A title of one's own"),
)
_ROWS = "sum(hash(t))"
# The searches that use an index
_MODES = (("lexical", "lexical"), ("sessions", "lexical"), ("vectors", "semantic"))
# Nothing is read from them: what they are for is their existence, time or lock.
_STATELESS = (
    "journal.db-shm",
    "synced",
    "write.lock",
    "lexical lock",
    "lexical list",
    "lexical finished",
    "sessions lock",
    "sessions list",
)


class Damage:
    """One file of a journal is damaged; with the agents' files still there, or gone."""

    name = "damage"
    weight = 8

    def __init__(self, folder: str) -> None:
        self.home = Home(os.path.join(folder, self.name))
        self.turns: list[str] = []
        self.expected = Said({}, {})
        self.answers = Answers({}, "")
        self.rows = ""
        self.dump: list[str] = []
        self.lists: list[object] = []
        self.usage: object = None
        self.marks: list[object] = []

    def row(self, number: int) -> str:
        """The kind of file."""
        if not self.turns:
            self._prepare()
        return self.turns[number % len(self.turns)]

    def trial(self, number: int, rng: random.Random) -> dict[str, int]:
        """Damage a file, ask verify, search and list, sync, and compare."""
        kind = self.row(number)
        turn = number // len(self.turns)
        self.home.load_journal(self._start(kind))
        paths = kinds_in(self.home.journal)[kind]
        path = os.path.join(self.home.journal, rng.choice(paths))
        what = accidents.happen(path, turn, rng)
        # The bytes themselves can come back only from the agents' files.
        are_gone = kind != "pack" and rng.random() < 0.5
        hidden = f"{self.home.path}-away"
        if are_gone:
            os.rename(self.home.path, hidden)
            os.makedirs(self.home.path)
        try:
            return self._endure(kind, what, path, rng)
        finally:
            if are_gone:
                shutil.rmtree(self.home.path)
                os.rename(hidden, self.home.path)

    def _start(self, kind: str) -> str:
        if kind in ("journal.db-wal", "journal.db-shm"):
            return "open"
        return "closed"

    def _endure(self, kind: str, what: str, path: str, rng: random.Random) -> dict[str, int]:
        verified = behaved(self.home.aj("verify"), f"verify ({what})")
        is_named = verified.code == 1
        counts = {"named": int(is_named), "harmless": int(not is_named)}
        self._use(what, rng)
        if not is_named:
            self._require_harmless(kind, what, path)
        succeeded(self.home.aj("sync"), f"sync ({what})")
        healed(self.home, self.expected)
        self._require_same_answers(kind, what)
        # What the file of the marks has lost, the catalog has
        require(marks(self.home) == self.marks, f"other marks after the heal ({what})")
        return counts

    def _require_same_answers(self, kind: str, what: str) -> None:
        """The index that was damaged answers as before."""
        if kind.startswith("mirror"):
            is_same = tables(self.home, "count(*)") == self.answers.rows
            require(is_same, f"other rows after the heal ({what})")
        for index, mode in _MODES:
            if kind.startswith(index):
                found = search(self.home, "text", mode)
                is_same = found == self.answers.hits[f"{mode} text"]
                require(is_same, f"other hits after the heal ({what})")

    def _use(self, what: str, rng: random.Random) -> None:
        """Commands on a damaged journal say what is wrong in one line, or answer."""
        asked = rng.choice(_USES)
        behaved(self.home.aj(*asked), f"{' '.join(asked)} ({what})")

    def _require_harmless(self, kind: str, what: str, path: str) -> None:
        if kind in _STATELESS:
            return
        silent = f"silent: verify is content ({what})"
        if kind == "journal.db-wal":  # what is lost of it is an earlier state
            same(said(self.home), self.expected)
        elif kind == "journal.db":
            require(self._dump() == self.dump, silent)
        elif kind.startswith("mirror"):
            require(tables(self.home, _ROWS) == self.rows, silent)
        elif kind == "prices.json":  # a cache that is not used when it is damaged
            require(self._usage() == self.usage, silent)
        elif kind == "seen.jsonl":  # the catalog has it all; the next sync writes the file again
            require(self._dump() == self.dump and not _has_bytes(path), silent)
        elif kind == "marks.jsonl":
            require(marks(self.home) == self.marks, silent)
        elif kind in ("lexical checksums", "sessions checksums") and not os.path.exists(path):
            pass  # verify has compared the index with the catalog; the next sync makes new ones
        elif kind in ("lexical meta", "sessions meta"):
            require(self._lists() == self.lists, silent)
        else:
            require(self._has_same_bytes(kind, path), silent)

    def _has_same_bytes(self, kind: str, path: str) -> bool:
        if kind == "pack":  # zstd ignores some bits of a frame
            return _contents(path) == _contents(self._saved(path))
        # What follows the rows that count is never read
        return kind.startswith("vectors") and self._begins_as_before(path)

    def _dump(self) -> list[str]:
        """Every row of the catalog."""
        path = os.path.join(self.home.journal, "index", "journal.db")
        dump: list[str] = self.home.call(lambda: _dump_of(path))
        return dump

    def _begins_as_before(self, path: str) -> bool:
        with open(self._saved(path), "rb") as old, open(path, "rb") as new:
            return new.read().startswith(old.read())

    def _saved(self, path: str) -> str:
        """The file as it was before the damage."""
        saved = os.path.join(self.home.folder, "saved-closed")
        return os.path.join(saved, os.path.relpath(path, self.home.journal))

    def _usage(self) -> object:
        """What the tokens of all sessions cost."""
        return json.loads(succeeded(self.home.aj("usage", "--json"), "usage").out)["totals"]

    def _lists(self) -> list[object]:
        """What the files that list the parts of the lexical index say."""
        paths = sorted(files_under(self.home.journal))
        return [_read_json(path) for path in paths if path.endswith("/meta.json")]

    def _prepare(self) -> None:
        home = self.home
        write_mixed(home)
        succeeded(home.aj("sync"), "the first sync")
        succeeded(home.aj("sql", "SELECT 1"), "the first query")
        succeeded(home.aj("usage"), "the first look at prices")
        grow(home, 1)
        succeeded(home.aj("sync"), "the second sync")
        for command in _MARKING:
            succeeded(home.aj(*command), " ".join(command))
        # A journal that was copied while it was in use has its last changes in the log.
        with closing(sqlite3.connect(os.path.join(home.journal, "index", "journal.db"))) as db:
            db.execute("BEGIN")
            db.execute("SELECT count(*) FROM sessions").fetchone()
            grow(home, 2)
            succeeded(home.aj("sync"), "the third sync")
            home.save_journal("open")
        succeeded(home.aj("sync"), "the last sync")
        home.save_journal("closed")
        # The log and its memory are in the journal that was copied while it was in use.
        self.turns = sorted({*kinds_in(home.journal), "journal.db-wal", "journal.db-shm"})
        self.expected = said(home)
        self.answers = answers(home)
        self.rows = tables(home, _ROWS)
        self.dump = self._dump()
        self.lists = self._lists()
        self.usage = self._usage()
        self.marks = marks(home)


def _read_json(path: str) -> object:
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _has_bytes(path: str) -> bool:
    return os.path.exists(path) and os.path.getsize(path) > 0


def _dump_of(path: str) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return list(db.iterdump())


def kinds_in(journal: str) -> dict[str, list[str]]:
    """The kinds of files in a journal, each with the paths of its files."""
    kinds: dict[str, list[str]] = {}
    for path in files_under(journal):
        name = os.path.relpath(path, journal)
        kinds.setdefault(_kind(name), []).append(name)
    return dict(sorted(kinds.items()))


def _kind(path: str) -> str:
    for kind, pattern in _KINDS:
        if re.search(f"(^|/){pattern}$", path):
            return kind
    return re.sub(r"[0-9a-f]{8,}|\d+", "N", path)


def _contents(path: str) -> list[tuple[object, bytes]]:
    """What the entries of a pack say and hold; nothing where one cannot be read."""
    folder, name = os.path.split(path)
    archive = Archive(folder)
    try:
        entries = archive.scan(int(name.partition(".")[0]), 0)
        return [
            (entry.header, archive.read(entry.place, bytes.fromhex(entry.header.sha256)))
            for entry in entries
            if entry.place.stored
        ]
    except JournalDamaged:
        return []
    finally:
        archive.close()
