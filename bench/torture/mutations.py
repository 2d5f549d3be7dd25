"""Mutated records of every agent: nothing raises, every byte is kept, and verify is content."""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from bench.torture.checks import (
    behaved,
    current_bytes_are_kept,
    files_under,
    require,
    said,
    succeeded,
)
from bench.torture.homes import agents, all_cases, set_times
from bench.torture.mutate import mutate_document, mutate_lines, mutated
from bench.torture.sandbox import Home
from bench.torture.steps import in_steps

from agent_journal.journal import Journal

_COPIES = 12  # of every case, each with other ids
_MOST = 400  # mutated records of a trial: one is never long
_UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_LOGS = (".jsonl", ".md", ".history", ".log", ".txt", ".yaml")
_AGENTS = tuple(agents())
_USES = (
    ("ls", "--all", "--json"),
    ("usage", "--json"),
    ("stats", "--json"),
    ("search", "--no-sync", "--json", "the"),
    ("export", "--all", "-f", "md", "-o", "TARGET"),
    ("export", "--all", "-f", "html", "-o", "TARGET"),
    ("export", "--all", "-f", "json", "-o", "TARGET"),
    ("sql", "--json", "SELECT count(*) FROM messages"),
    ("doctor",),
)


class Mutations:
    """A home with many copies of an agent's cases, in which records are mutated."""

    name = "mutations"
    weight = 3

    def __init__(self, folder: str) -> None:
        self.home = Home(os.path.join(folder, self.name))

    def row(self, number: int) -> str:
        """The agent."""
        return _AGENTS[number % len(_AGENTS)]

    def trial(self, number: int, rng: random.Random) -> dict[str, int]:
        """Write a home, sync it, verify it, and use it."""
        home = self.home
        home.clear()
        shutil.rmtree(home.path)
        os.makedirs(home.path)
        records = _write(home.path, self.row(number), rng)
        for _ in in_steps(home.path, rng):
            succeeded(home.aj("sync"), "sync")
        succeeded(home.aj("verify"), "verify")
        current_bytes_are_kept(home, said(home))
        require_no_reader_failed(home)
        for turn, command in enumerate(rng.sample(_USES, 2)):
            target = os.path.join(home.scratch, f"exported{turn}")
            arguments = [argument.replace("TARGET", target) for argument in command]
            # 2: a home in which nothing is left that is a session
            behaved(home.aj(*arguments), " ".join(command), codes=(0, 1, 2))
        return {"records": records}


def require_no_reader_failed(home: Home) -> None:
    """Fail the trial if a reader raised because of what a file contains."""
    failures = home.call(_failures)
    require(not failures, f"a reader failed: {failures[:2]}")


def _failures() -> list[tuple[str, str]]:
    """The readers that raised because of what a file contains."""
    with Journal.open() as journal:
        query = (
            "SELECT f.path, p.reason FROM problems p JOIN files f ON f.id = p.file_id "
            "WHERE p.kind = 'reader'"
        )
        return journal.db.execute(query).fetchall()


def _write(folder: str, agent: str, rng: random.Random) -> int:
    """Fill a home; returns how many records are mutated."""
    share = rng.choice((0.02, 0.1, 0.3, 1.0))
    cases = [case for case in all_cases() if case.agent == agent]
    stage = os.path.join(folder, "stage")
    records = 0
    for copy in range(_COPIES):
        for case in rng.sample(cases, len(cases)):
            if records >= _MOST:
                break
            case.write(stage)
            records += mutate_files(stage, share, rng)
            move(stage, folder, f"{copy} {rng.random()}")
    set_times(folder)
    return records


def mutate_files(folder: str, share: float, rng: random.Random) -> int:
    """Mutate records of all files of a folder; returns how many."""
    records = 0
    for path in files_under(folder):
        if _is_database(path):
            records += _mutate_database(path, share, rng)
            continue
        with open(path, "rb") as file:
            data = file.read()
        if path.endswith(_LOGS):
            data, count = mutate_lines(data, share, rng)
        elif rng.random() < max(share, 0.3):
            data, count = mutate_document(data, rng)
        else:
            continue
        with open(path, "wb") as file:
            file.write(data)
        records += count
    return records


def _is_database(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(16) == b"SQLite format 3\x00"


def _mutate_database(path: str, share: float, rng: random.Random) -> int:
    """Mutate values in the tables of an agent's database."""
    records = 0
    with closing(sqlite3.connect(path)) as db, db:
        tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            for row in db.execute(f"SELECT rowid, * FROM {table}").fetchall():
                at = rng.randrange(1, len(row))
                if rng.random() > share or row[at] is None:
                    continue
                new = _mutated_value(row[at], rng)
                update = f"UPDATE OR IGNORE {table} SET {columns[at - 1]} = ? WHERE rowid = ?"
                db.execute(update, (new, row[0]))
                records += 1
    return records


def _mutated_value(value: object, rng: random.Random) -> object:
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    if not isinstance(value, bytes):
        return rng.choice((None, -1, 2**62, 1.5, "text", b"\xff"))
    changed = mutated(value, rng)
    if rng.random() < 0.5:
        return changed.decode("utf-8", "replace")
    return changed


def move(stage: str, folder: str, salt: str) -> None:
    """Move files from the stage into a folder, with ids that follow from the salt."""

    def other(found: re.Match[bytes]) -> bytes:
        digits = hashlib.sha256(found.group() + salt.encode()).hexdigest()
        return found.group()[:-12] + digits[:12].encode()

    for path in files_under(stage):
        name = _UUID.sub(other, os.fsencode(os.path.relpath(path, stage)))
        target = os.path.join(folder, os.fsdecode(name))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not _is_database(path):
            kept = Path(path)
            kept.write_bytes(_UUID.sub(other, kept.read_bytes()))
        os.replace(path, target)
    shutil.rmtree(stage)
