"""Vectors: however they are made and stored, they follow the journal and never block it."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_journal.search import many_meanings, vectors
from agent_journal.search.embedding import Embedder
from agent_journal.search.hashing import Hashes
from agent_journal.search.meaning import Table
from agent_journal.search.nearest import FORMS, best_in_python, best_with_numpy
from agent_journal.search.onnx import Model
from agent_journal.search.vector_files import NAME, Extent, read_extent
from agent_journal.search.vectors import Vectors
from tests.support.journals import aj, aj_json, open_journal, replace_bytes
from tests.support.talks import TALK, first, hits, record, talk, write
from tests.support.tiny_model import write_model

FOLDER = f".agent-journal/index/{NAME}"


def extent(home: Path) -> Extent:
    with open_journal(home) as journal:
        assert journal.db is not None
        return read_extent(journal.db)


def synced(home: Path, **env: str) -> str:
    done = aj(home, "sync", env=env)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("fallback", ["table", "hash"])
def test_few_texts_have_the_vectors_of_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fallback: str
) -> None:
    """Without numpy numbers are rounded elsewhere: by one unit at most."""
    rows = []
    for name, letters in (("few", vectors._FEW_LETTERS), ("many", -1)):
        monkeypatch.setattr(vectors, "_FEW_LETTERS", letters)
        talk(tmp_path / name, *TALK)
        with open_journal(tmp_path / name, AJ_INDEX_VECTOR_FALLBACK=fallback) as journal:
            journal.sync()
        rows.append((tmp_path / name / FOLDER / "rows-1").read_bytes())
    assert all(rows)
    few, many = (memoryview(row).cast("b").tolist() for row in rows)
    assert max(abs(a - b) for a, b in zip(few, many, strict=True)) <= 1


# -- what makes them ---------------------------------------------------------------------------


def cosine(embedder: Embedder, first: str, second: str) -> float:
    vectors = (embedder.embed(first) or [], embedder.embed(second) or [])
    return sum(a * b for a, b in zip(*vectors, strict=True))


@pytest.mark.parametrize("embedder", [Table(), Hashes()])
@pytest.mark.parametrize(
    "text",
    [
        "Retry the connection",
        "getUserName naïve",
        "x y z",
        "",
        "word " * 500,
        "qxzvw qxzvw the",
        "模型",
    ],
)
def test_one_text_and_many_have_the_same_vector(embedder: Embedder, text: str) -> None:
    single = embedder.embed(text)
    [row] = embedder.embed_many([text])
    if single is None:
        assert not row.any()
        return
    assert max(abs(a - b) for a, b in zip(single, row, strict=True)) < 1e-6
    assert abs(sum(value * value for value in single) - 1) < 1e-6


@given(st.lists(st.text(max_size=60) | st.sampled_from(["retry it", "qxzvw the the", ""])))
@settings(deadline=None)
def test_a_vector_does_not_depend_on_the_texts_beside_it(texts: list[str]) -> None:
    rows = Table().embed_many(texts)
    alone = Table()
    assert [row.tobytes() for row in rows] == [alone.embed_many([text]).tobytes() for text in texts]


def test_words_are_looked_up_again_after_many(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["retry the qxzvw", "vwzqx retry", "the qxzvw"]
    rows = Table().embed_many(texts)
    monkeypatch.setattr(many_meanings, "_REMEMBERED", 1)
    forgetful = Table()
    for text, row in zip(texts, rows, strict=True):
        assert forgetful.embed_many([text]).tobytes() == row.tobytes()


def test_the_table_knows_meaning_and_tells_strange_words_apart() -> None:
    table = Table()
    assert cosine(table, "delete a file", "remove documents") > cosine(
        table, "delete a file", "paint the kitchen"
    )
    assert cosine(table, "qxzvwkk", "qxzvwkk") > 0.99
    assert abs(cosine(table, "qxzvwkk", "wkkqzzx")) < 0.4
    assert cosine(table, "the qxzvwkk fails", "qxzvwkk") > cosine(
        table, "the qxzvwkk fails", "wkkqzzx"
    )


def test_hashes_know_parts_of_words_in_any_language() -> None:
    hashes = Hashes()
    assert cosine(hashes, "embeddings", "embedding") > 0.5 > cosine(hashes, "embeddings", "kitchen")
    assert cosine(hashes, "検索エンジン", "検索エンジンの") > 0.4


def test_a_model_makes_the_mean_of_its_tokens(tmp_path: Path) -> None:
    model = Model(str(write_model(tmp_path)))
    assert model.problem() == ""
    assert model.dims == 4
    assert cosine(model, "delete", "ZAP") > 0.99
    assert abs(cosine(model, "delete", "kitchen")) < 0.1
    texts = ["delete the kitchen", "retry", "zap"] * 20
    rows = model.embed_many(texts)
    for text, row in zip(texts, rows, strict=True):
        assert max(abs(a - b) for a, b in zip(model.embed(text) or [], row, strict=True)) < 1e-5
    assert Model(str(tmp_path / "model.onnx")).name == model.name
    (tmp_path / "tokenizer.json").unlink()
    assert "tokenizer.json" in Model(str(tmp_path)).problem()
    assert "no model" in Model(str(tmp_path / "nothing")).problem()


# -- how they are stored -----------------------------------------------------------------------


@given(
    st.lists(st.floats(-1, 1, width=32) | st.sampled_from([0.25, 0.5]), min_size=1, max_size=2_000),
    st.integers(1, 50),
)
def test_both_ways_find_the_same_best(values: list[float], count: int) -> None:
    import numpy as np

    products = np.array(values, np.float32)
    count = min(count, len(values))
    plain = best_in_python(memoryview(products), count)
    assert plain == best_with_numpy(products, count)
    assert [value for value, _ in plain] == sorted(products.tolist(), reverse=True)[:count]


@pytest.mark.parametrize("precision", list(FORMS))
def test_every_precision_finds_the_same(
    tmp_path: Path, precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(tmp_path, *TALK)
    synced(tmp_path)
    synced(tmp_path, AJ_INDEX_VECTOR_PRECISION=precision)
    rows = extent(tmp_path).rows
    [file] = (tmp_path / FOLDER).glob("rows-*")
    assert file.stat().st_size == rows * 256 * FORMS[precision].size
    with open_journal(tmp_path) as journal:
        assert journal.db is not None
        vectors = Vectors(journal.config.index_path, Table(), precision)
        found = vectors.nearest(journal.db, "remove documents", 3)
        monkeypatch.setitem(sys.modules, "simsimd", None)
        again = vectors.nearest(journal.db, "remove documents", 3)
    assert [item_id for _, item_id in found] == [item_id for _, item_id in again]
    assert all(abs(a - b) < 0.01 for (a, _), (b, _) in zip(found, again, strict=True))
    assert 0.1 < found[0][0] <= 1


def test_vectors_follow_the_files(tmp_path: Path) -> None:
    talk(tmp_path, *TALK)
    synced(tmp_path)
    talk(tmp_path, "Bake bread with much more flour", *TALK[1:])
    synced(tmp_path)
    found = [item["session"] for item in hits(tmp_path, "--mode", "semantic", "remove documents")]
    assert "claude-code:t0" not in found
    assert first(tmp_path, "--mode", "semantic", "cooking dough") == "claude-code:t0"


@pytest.mark.parametrize("harm", ["folder", "rows", "short", "ids", "made-by"])
def test_damaged_vectors_are_rebuilt(tmp_path: Path, harm: str) -> None:
    talk(tmp_path, *TALK)
    synced(tmp_path)
    before = extent(tmp_path)
    folder = tmp_path / FOLDER
    if harm == "folder":
        shutil.rmtree(folder)
    elif harm == "short":
        [rows] = folder.glob("rows-*")
        replace_bytes(rows, rows.read_bytes()[:-1])
    else:
        [path] = folder.glob(f"{harm}*")
        path.unlink()
    assert "error" not in aj(tmp_path, "search", "--no-sync", "remove documents").stderr
    talk(tmp_path, *TALK, "One more")  # something for the next sync to do
    synced(tmp_path)
    assert extent(tmp_path).rows == before.rows + 2
    assert first(tmp_path, "--mode", "semantic", "remove documents") == "claude-code:t0"


def test_vectors_can_be_turned_off(tmp_path: Path) -> None:
    talk(tmp_path, *TALK)
    off = {"AJ_INDEX_VECTOR_ENABLED": "false"}
    synced(tmp_path, **off)
    assert not (tmp_path / FOLDER).exists()
    done = aj(tmp_path, "search", "--no-sync", "--mode", "semantic", "delete", env=off)
    assert "vectors are turned off" in done.stderr
    assert "delete a file" in done.stdout


def test_a_crash_between_the_files_and_the_catalog_adds_nothing_twice(tmp_path: Path) -> None:
    talk(tmp_path, *TALK)
    synced(tmp_path)
    before = extent(tmp_path)
    with sqlite3.connect(tmp_path / ".agent-journal/index/journal.db") as catalog:
        catalog.execute("UPDATE watermarks SET item_id = 1")
    catalog.close()
    synced(tmp_path)
    assert extent(tmp_path) == before
    # The prompt, and the title made of it
    assert len(hits(tmp_path, "--flat", "--mode", "lexical", "kitchen")) == 2


def test_rows_of_what_is_gone_are_dropped_when_there_are_many(tmp_path: Path) -> None:
    def write_log(word: str) -> None:
        records = [
            record("user", f"{word}{number}", f"{word} number {number}") for number in range(1_500)
        ]
        write(tmp_path, records)

    talk(tmp_path, *TALK)
    write_log("alpha")
    synced(tmp_path)
    before = extent(tmp_path)
    write_log("beta")  # written over: all of its messages are others now
    synced(tmp_path)
    after = extent(tmp_path)
    assert (after.generation, after.gone) == (before.generation + 1, 0)
    assert after.rows == before.rows
    assert first(tmp_path, "--mode", "semantic", "remove documents") == "claude-code:t0"
    assert {
        item["message"]["id"][:4] for item in hits(tmp_path, "--flat", "--mode", "semantic", "beta")
    } == {"beta"}
    talk(tmp_path, *TALK, "One more")
    synced(tmp_path)
    assert {path.name.rpartition("-")[2] for path in (tmp_path / FOLDER).glob("rows-*")} == {
        str(after.generation)
    }


def test_vectors_can_begin_when_much_is_gone_already(tmp_path: Path) -> None:
    for word in ("alpha", "beta"):  # written over before there is any index
        write(
            tmp_path,
            [
                record("user", f"{word}{number}", f"{word} number {number}")
                for number in range(1_200)
            ],
        )
        assert aj(tmp_path, "sync", "--no-index").returncode == 0
    synced(tmp_path)
    assert extent(tmp_path).rows == 1_201  # with the title


# -- a model of the user's ---------------------------------------------------------------------


def test_a_slow_model_makes_a_few_at_each_sync_and_the_rest_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(tmp_path, *TALK, *("filler words" for _ in range(60)))
    env = {"AJ_INDEX_VECTOR_MODEL_PATH": str(write_model(tmp_path / "model"))}
    progress: list[tuple[int, int]] = []
    with open_journal(tmp_path, **env) as journal:
        # No text takes long here
        monkeypatch.setattr("agent_journal.search.vectors._SLOW_SECONDS", 0.0)
        journal.sync()
        done = aj(tmp_path, "search", "--no-sync", "--mode", "semantic", "larder", env=env)
        assert "94 texts have no vector yet" in done.stderr  # of 63 prompts and 63 titles
        monkeypatch.setattr("agent_journal.journal._ROUND", 0.0)
        assert journal.embed(lambda made, total: progress.append((made, total))) == 94
    assert progress == sorted(progress)
    assert len(progress) > 1
    assert progress[-1] == (94, 94)
    done = aj(tmp_path, "search", "--no-sync", "--mode", "semantic", "larder", env=env)
    assert "no vector yet" not in done.stderr
    assert "Paint the kitchen" in done.stdout
    assert "all vectors are up to date" in aj(tmp_path, "index", "--embed", env=env).stderr


def test_another_model_rebuilds_all_vectors(tmp_path: Path) -> None:
    talk(tmp_path, *TALK)
    synced(tmp_path)
    env = {"AJ_INDEX_VECTOR_MODEL_PATH": str(write_model(tmp_path / "model"))}
    done = aj(tmp_path, "search", "--no-sync", "zap", env=env)  # asked before there are any
    assert "6 texts have no vector yet" in done.stderr
    synced(tmp_path, **env)
    assert (
        "delete a file"
        in aj(tmp_path, "search", "--no-sync", "--mode", "semantic", "zap", env=env).stdout
    )
    synced(tmp_path)
    assert first(tmp_path, "--mode", "semantic", "remove documents") == "claude-code:t0"


@pytest.mark.parametrize(("fallback", "embedder"), [("table", "words"), ("hash", "hashes")])
def test_without_its_model_a_search_says_so_and_answers(
    tmp_path: Path, fallback: str, embedder: str
) -> None:
    talk(tmp_path, *TALK)
    env = {
        "AJ_INDEX_VECTOR_MODEL_PATH": str(tmp_path / "none"),
        "AJ_INDEX_VECTOR_FALLBACK": fallback,
    }
    assert f"vectors are of {embedder} instead" in synced(tmp_path, **env)
    done = aj(tmp_path, "search", "--no-sync", "--mode", "semantic", "kitchen wall", env=env)
    assert f"there is no model {tmp_path / 'none' / 'model.onnx'}" in done.stderr
    assert "Paint the kitchen" in done.stdout


def test_with_fallback_none_words_are_all_there_is(tmp_path: Path) -> None:
    talk(tmp_path, *TALK)
    env = {"AJ_INDEX_VECTOR_FALLBACK": "none"}
    synced(tmp_path, **env)
    assert not (tmp_path / FOLDER).exists()
    done = aj(tmp_path, "search", "--no-sync", "--mode", "semantic", "kitchen", env=env)
    assert "searching for words instead" in done.stderr
    assert "Paint the kitchen" in done.stdout
    assert "no vectors are made" in aj(tmp_path, "index", "--embed", env=env).stderr


def test_a_broken_model_keeps_nobody_from_syncing_and_searching(tmp_path: Path) -> None:
    talk(tmp_path, *TALK)
    folder = write_model(tmp_path / "model")
    (folder / "model.onnx").write_bytes(b"not a model")
    env = {"AJ_INDEX_VECTOR_MODEL_PATH": str(folder)}
    assert "cannot be used" in synced(tmp_path, **env)
    assert "Paint the kitchen" in aj(tmp_path, "search", "--no-sync", "kitchen", env=env).stdout
    done = aj(tmp_path, "index", "--embed", env=env)
    assert done.returncode != 0
    assert "cannot be used" in done.stderr
    assert aj_json(tmp_path, "sync", env=env)["items"][0]["trouble"].startswith("the model")
