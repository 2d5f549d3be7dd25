"""The index of whole sessions after kills, damage and changes by somebody else."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tantivy

from agent_journal.health.derived_data import index_faults
from agent_journal.journal import Journal
from agent_journal.search import session_words
from agent_journal.search.lexical import NAME, SESSIONS
from agent_journal.search.lexical_documents import analyzers
from agent_journal.search.lexical_files import write_marks
from agent_journal.search.session_words import Piece, open_or_create, schema
from agent_journal.store.catalog.files import Files
from agent_journal.sync.indexes import lexical
from tests.support.journals import (
    aj,
    append,
    claude_line,
    open_journal,
    replace_bytes,
    variables,
    write_claude,
)
from tests.support.talks import hits
from tests.support.whole_sessions import all_pieces, held, of_journal

WORDS = ("first", "later", "text", "user", "assistant", "withdrawn")
SYNC = (
    "import sys; from agent_journal.cli.main import main; sys.argv = ['aj', 'sync']\n"
    "import agent_journal.search.session_words as w, agent_journal.search.lexical_files as f\n"
    "import agent_journal.sync.indexes as i; from os import _exit as end; w._FULL = 20\n"
    "import agent_journal.search.backlog as b\n"
)
# Every text is committed by itself
EARLY = (
    "b._MOST = 0; commits = iter(range({})); clear = b.Backlog.clear\n"
    "b.Backlog.clear = lambda self: end(9) if next(commits, None) is None else clear(self)"
)
# Where a sync ends without any warning
ENDS = {
    "before anything is committed": "w.SessionWriter.commit = lambda *_: end(9)",
    "after the sessions": (
        "commit = w.SessionWriter.commit\n"
        "w.SessionWriter.commit = lambda self: (commit(self), end(9))"
    ),
    "after the first text": EARLY.format(0),
    "after two texts": EARLY.format(1),
    "after three texts": EARLY.format(2),
    "before the checksums": "f.write_marks = lambda *_: end(9)",
    "before the watermark": "i.save_watermark = lambda *_: end(9)",
}


def sync_that_ends(home: Path, where: str) -> None:
    script = f"{SYNC}{ENDS[where]}\nmain()"
    done = subprocess.run([sys.executable, "-c", script], env=variables(home), check=False)
    assert done.returncode == 9


def folder(home: Path) -> Path:
    return home / ".agent-journal/index" / NAME / SESSIONS


def faults(journal: Journal) -> list[str]:
    return list(index_faults(Files(journal.db), journal.archive, lexical(journal.config)))


def assert_like_a_new_one(journal: Journal) -> None:
    grown = held(of_journal(journal), WORDS)
    assert faults(journal) == []
    lexical(journal.config).drop()
    journal.sync()
    fresh = held(of_journal(journal), WORDS)
    assert grown.sizes == fresh.sizes
    assert set(grown.words) == set(fresh.words)


@pytest.mark.parametrize("where", ENDS)
def test_a_sync_that_ends_anywhere_is_made_good_by_the_next(
    tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_words, "_FULL", 20)  # so that there are several documents
    write_claude(tmp_path, "s1", 4)
    with open_journal(tmp_path) as journal:
        path = write_claude(tmp_path, "s2", 4)
        append(path, claude_line("user", 4, "to be withdrawn", "s2"))
        journal.sync()
        path.write_text(path.read_text().replace("to be withdrawn", "said later"))
        append(path, claude_line("user", 5, "and a question", "s2"))
    sync_that_ends(tmp_path, where)
    with open_journal(tmp_path) as journal:
        journal.sync()
        assert {word for _, word in held(of_journal(journal), WORDS).words} == {
            "later",
            "text",
            "user",
            "assistant",
        }
        assert_like_a_new_one(journal)


def test_a_first_sync_that_ends_is_made_good_by_the_next(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1", 4)
    sync_that_ends(tmp_path, "after the sessions")
    with open_journal(tmp_path) as journal:
        journal.sync()
        assert_like_a_new_one(journal)


# -- somebody else -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("sessions")
    write_claude(home, "s1", 6)
    write_claude(home, "s2", 6)
    with open_journal(home) as journal:
        journal.sync()
        write_claude(home, "s2", 2, start=6)
        journal.sync()
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "home"))


def doctor(home: Path, added: Piece | None, removed: int | None = None) -> None:
    """Add a document, and remove those of a session, as nobody does; the checksums are good."""
    index = open_or_create(str(folder(home).parent))
    for name, analyzer in analyzers().items():
        index.register_tokenizer(name, analyzer)
    writer = index.writer(16 * 2**20, 1)
    if removed is not None:
        query = tantivy.Query.term_query(schema(), "session", removed)
        writer.delete_documents_by_query(query)
    if added is not None:
        document = tantivy.Document()
        for name, value in added._asdict().items():
            document.add_unsigned(name, value)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    write_marks(str(folder(home)))


@pytest.mark.parametrize(
    ("added", "removed", "wrong"),
    [
        (Piece(1, 1, 1, 7), None, "1 sessions"),
        (None, 1, "1 sessions"),
        (Piece(1, 1, 1, 7), 2, "2 sessions"),
        (Piece(77, 1, 1, 7), None, "1 sessions"),
    ],
    ids=["more", "less", "both", "no such session"],
)
def test_verify_sees_other_words(
    home: Path, added: Piece | None, removed: int | None, wrong: str
) -> None:
    doctor(home, added, removed)
    with open_journal(home) as journal:
        [fault] = faults(journal)
        assert fault.startswith(f"{wrong} as a whole have other words")
        assert "the next 'aj sync' rebuilds it" in fault
        journal.sync()
        assert_like_a_new_one(journal)


def test_verify_leaves_one_alone_that_a_sync_has_just_added_to(home: Path) -> None:
    doctor(home, Piece(1, 9_999, 9_999, 5))
    with open_journal(home) as journal:
        assert faults(journal) == []
        assert lexical(journal.config).is_there()


def test_a_search_names_the_cure_of_damage(home: Path) -> None:
    for ending in ("idx", "term", "fast"):
        path = next(folder(home).glob(f"*.{ending}"))
        replace_bytes(path, bytes(path.stat().st_size))
        done = aj(home, "search", "--no-sync", "text")
        assert done.returncode == 1
        assert "the next 'aj sync' rebuilds it" in done.stderr
        assert "panicked" not in done.stderr
        with open_journal(home) as journal:
            journal.sync()
            assert_like_a_new_one(journal)
    assert len(hits(home, "text")) == 2


def test_without_the_folder_a_sync_rebuilds_it(home: Path) -> None:
    shutil.rmtree(folder(home))
    done = aj(home, "search", "--no-sync", "text")
    assert "Traceback" not in done.stderr
    with open_journal(home) as journal:
        journal.sync()
        assert len(all_pieces(of_journal(journal))) == 2
        assert_like_a_new_one(journal)
