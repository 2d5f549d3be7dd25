"""What must hold after every trial."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from bench.torture.sandbox import Broken, Done, Home, last_lines

from agent_journal.cli.main import run
from agent_journal.health.verify import digest
from agent_journal.journal import Journal
from agent_journal.store.catalog.files import Files

_SEARCHES = ("text", "the file", "error")
_TABLES = ("sessions", "messages", "tool_calls", "usage", "events", "file_edits", "todos", "plans")


class Said(NamedTuple):
    """Everything a journal says, to compare two journals with."""

    digest: dict[str, str]
    kept: dict[str, frozenset[str]]  # path: the hashes of all kept versions


class Answers(NamedTuple):
    """What the indexes say."""

    hits: dict[str, list[str]]
    rows: str  # how many each table has


def require(holds: bool, what: str) -> None:
    """Fail the trial unless something holds."""
    if not holds:
        raise Broken(what)


def succeeded(done: Done, what: str) -> Done:
    """A command that must succeed, and say nothing of Python."""
    behaved(done, what)
    spoke = last_lines(done.out or done.err)
    require(done.code == 0, f"{what}: exit {done.code}: {spoke}")
    return done


def behaved(done: Done, what: str, codes: Iterable[int] = (0, 1)) -> Done:
    """A command that may fail, but only as documented: an exit code, one clear line."""
    said = done.out + done.err
    for mark in ("Traceback", "panicked at", "something went wrong in aj"):
        require(mark not in said, f"{what}: {mark}: {last_lines(done.err or done.out)}")
    require(done.code in codes, f"{what}: exit {done.code}: {last_lines(done.err)}")
    return done


def said(home: Home) -> Said:
    """Everything the journal says now."""
    returned: Said = home.call(_said)
    return returned


def _said() -> Said:
    with Journal.open() as journal:
        files = Files(journal.db)
        kept = {}
        for row in files.all():
            hashes = set()
            for version in files.versions(row.id):
                whole = hashlib.sha256()
                for frame in files.frames(version.id):
                    whole.update(journal.archive.read(frame.place, frame.sha256))
                hashes.add(whole.hexdigest())
            kept[row.path] = frozenset(hashes)
        return Said(digest(journal.db, journal.archive), kept)


def _verified() -> tuple[int, Said]:
    """In one process, since most trials end with it."""
    code = run(["verify"])
    if code:
        return code, Said({}, {})
    return code, _said()


def answers(home: Home) -> Answers:
    """What searches and queries say now."""
    hits = {}
    for mode in ("lexical", "semantic"):
        for words in _SEARCHES:
            hits[f"{mode} {words}"] = search(home, words, mode)
    return Answers(hits, tables(home, "count(*)"))


def tables(home: Home, what: str) -> str:
    """The value of an expression over every table of `aj sql`."""
    parts = [f"SELECT '{name}' AS name, {what} AS found FROM {name} AS t" for name in _TABLES]
    query = " UNION ALL ".join(parts) + " ORDER BY name"
    return succeeded(home.aj("sql", "--json", query), "sql").out


def marks(home: Home) -> list[object]:
    """The stars, tags and titles that a person gave."""
    asked = ("star", "tag", "title")
    found = [succeeded(home.aj(name, "--json"), name).out for name in asked]
    return [json.loads(answer)["items"] for answer in found]


def search(home: Home, words: str, mode: str) -> list[str]:
    """The hits of a search, as texts that can be compared."""
    asked = ("search", "--no-sync", "--json", "--flat", "-n", "200", "--mode", mode, words)
    done = succeeded(home.aj(*asked), f"search {words!r}")
    return sorted(_hit(item) for item in json.loads(done.out)["items"])


def _hit(item: dict[str, Any]) -> str:
    message = item.get("message") or {}
    snippet = item.get("snippet") or {}
    return repr((item.get("session"), message.get("id"), snippet.get("text")))


def healed(home: Home, expected: Said) -> None:
    """After a sync, the journal is as one that was made in peace, and verify is content."""
    code, found = home.call(_verified)
    succeeded(home.printed._replace(code=code), "verify after the heal")
    same(found, expected)


def same(found: Said, expected: Said) -> None:
    """Nothing is lost, doubled or changed."""
    for name in sorted({*found.digest, *expected.digest}):
        if found.digest.get(name) != expected.digest.get(name):
            raise Broken(f"{name} is not what a journal made in peace says")
    not_lost(found, expected)


def not_lost(found: Said, before: Said) -> None:
    """Every version that had been kept is still kept."""
    for path, hashes in before.kept.items():
        lost = hashes - found.kept.get(path, frozenset())
        require(not lost, f"{len(lost)} kept versions of {path} are lost")


def restored(home: Home) -> None:
    """What `aj restore` writes is what the agents' files hold."""
    target = os.path.join(home.scratch, "restored")
    done = behaved(home.aj("restore", "--all", "-o", target), "restore")
    require(done.code == 0, f"restore: {last_lines(done.err)}")
    for path in files_under(home.path):
        copy = os.path.join(target, os.path.relpath(path, home.path))
        if os.path.exists(copy) and os.path.getsize(path):  # an empty log counts as moved away
            require(_bytes(copy) == _bytes(path), f"{path} is restored with other bytes")


def current_bytes_are_kept(home: Home, found: Said) -> None:
    """The present bytes of every file that is in the journal are kept."""
    for path in files_under(home.path):
        hashes = found.kept.get(path)
        # A log that became empty counts as moved away.
        if hashes and os.path.getsize(path):
            now = hashlib.sha256(_bytes(path)).hexdigest()
            require(now in hashes, f"the bytes of {path} are not kept")


def files_under(folder: str) -> list[str]:
    """All files under a folder, sorted."""
    found = [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names]
    return sorted(found)


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
