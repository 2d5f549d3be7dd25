"""Searches that once lied, lost hits or fell over, as a hostile tester found them."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from agent_journal.search.lexical import NAME
from agent_journal.search.vector_files import NAME as VECTORS
from tests.support.journals import aj, aj_json
from tests.support.talks import hits, record, talk, write

INDEX = ".agent-journal/index"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile-search")
    talk(
        path,
        "the connection pool is too small",
        "a connection limit of the pool",
        "résumé for İstanbul and ёлка",
        "ราคาไทยถูก",
        "rate limited by the server",
    )
    thought = record(
        "assistant",
        "a9",
        [
            {"type": "thinking", "thinking": "secret mongoose plan"},
            {"type": "text", "text": "the ibex answer"},
        ],
    )
    write(path, [{**thought, "sessionId": "t9"}], ".claude/projects/-w/t9.jsonl")
    huge = record("user", "h1", "alphastart " + "filler " * 60_000 + "omegaend")
    write(path, [{**huge, "sessionId": "h1"}], ".claude/projects/-w/h1.jsonl")
    assert aj(path, "sync").returncode == 0
    return path


def found(home: Path, *query: str) -> list[str]:
    return sorted({item["session"].partition(":")[2] for item in hits(home, *query)})


@pytest.mark.parametrize("mode", ["lexical", "semantic", "hybrid"])
@pytest.mark.parametrize(
    "query",
    [
        "connection pool date:2020-01,2020-03",
        "connection zzqqxx date:2020-01,2020-03",
        "connection pool (tool:nothing OR tool:nothing2)",
        "(connection agent:codex) OR (pool agent:codex)",
        '"no such phrase" connection',
        "/zzzq+/ connection",
        "connection pool -session:t0 -session:t1",
    ],
)
def test_conditions_hold_in_every_mode(home: Path, mode: str, query: str) -> None:
    assert not {"t0", "t1"} & set(found(home, "--mode", mode, query))


def test_exclusions_stay_what_they_are_when_some_words_do(home: Path) -> None:
    assert found(home, "--mode", "lexical", "pool nosuchword -connection_limit") == ["t0"]


def test_a_huge_message_is_one_message(home: Path) -> None:
    assert found(home, "--mode", "lexical", "alphastart -omegaend is:prompt") == []
    [item] = hits(home, "--mode", "lexical", "alphastart omegaend")
    assert item["message"]["id"] == "h1"


def test_what_was_thought_is_shown_apart_from_what_was_said(home: Path) -> None:
    [item] = hits(home, "--flat", "--mode", "lexical", "ibex -mongoose")
    assert item["snippet"]["text"] == "the ibex answer"
    [item] = hits(home, "--flat", "--mode", "lexical", "mongoose")
    assert (item["message"]["kind"], item["snippet"]["text"]) == (
        "reasoning",
        "secret mongoose plan",
    )


@pytest.mark.parametrize(
    "word",
    ["resume", "résumé", "re\u0301sume\u0301", "istanbul", "İSTANBUL", "елка", "ёлка", "Ёлка"],
)
def test_accents_are_no_hindrance(home: Path, word: str) -> None:
    assert found(home, "--mode", "lexical", word) == ["t2"]


def test_scripts_without_spaces_are_found_by_their_parts(home: Path) -> None:
    assert found(home, "--mode", "lexical", "ไทย") == ["t3"]


def test_other_forms_of_a_word_are_found_and_marked(home: Path) -> None:
    item = hits(home, "--mode", "lexical", "rates limit")[0]
    text = item["snippet"]["text"]
    assert [text[start:end] for start, end in item["snippet"]["marks"]] == ["rate", "limited"]


@pytest.mark.parametrize(
    "args",
    [
        ["connection", "-limit"],
        ["-limit", "connection"],
        ["-limit", "--project", "w", "connection"],
    ],
)
def test_a_word_can_be_excluded_as_an_argument_of_its_own(home: Path, args: list[str]) -> None:
    listed = aj_json(
        home, "search", "--no-sync", "--mode", "lexical", *args[:-1], "--flat", args[-1]
    )["items"]
    assert {item["session"] for item in listed} == {"claude-code:t0"}


def test_pages_together_are_one_list(tmp_path: Path) -> None:
    for number in range(30):
        records = [
            {
                **record("user", f"{number}-{line}", f"upload {'upload ' * (line % 7)} {number}"),
                "sessionId": f"s{number}",
            }
            for line in range(30)
        ]
        write(tmp_path, records, f".claude/projects/-w/s{number}.jsonl")
    assert aj(tmp_path, "sync").returncode == 0
    for mode in ("lexical", "hybrid", "semantic"):
        for flat in ([], ["--flat"]):
            whole = [
                _key(item) for item in hits(tmp_path, "--mode", mode, "-n", "1000", *flat, "upload")
            ]
            paged: list[Any] = []
            while True:
                asked = ["--mode", mode, "-n", "70", "--offset", str(len(paged)), *flat, "upload"]
                page = aj_json(tmp_path, "search", "--no-sync", *asked)
                paged += [_key(item) for item in page["items"]]
                if page["page"]["state"] == "complete":
                    break
            assert paged == whole
            assert len(set(paged)) == len(paged)
    assert (
        len(hits(tmp_path, "--mode", "lexical", "-n", "1000", "--flat", "upload is:prompt")) == 900
    )
    beyond = aj_json(tmp_path, "search", "--no-sync", "upload", "--offset", "500")
    assert (beyond["items"], beyond["page"]["state"]) == ([], "complete")


def _key(item: dict[str, Any]) -> tuple[str, Any]:
    return item["session"], item["message"]["id"] or item["message"]["kind"]


def test_meaning_finds_what_a_narrow_condition_leaves(tmp_path: Path) -> None:
    talk(tmp_path, *(f"upload the cache of worker number {number}" for number in range(500)))
    one = {
        **record("user", "r1", "uploading caches slowly"),
        "sessionId": "rare",
        "cwd": "/w/rareproj",
    }
    write(tmp_path, [one], ".claude/projects/-rare/rare.jsonl")
    assert aj(tmp_path, "sync").returncode == 0
    assert found(tmp_path, "--mode", "semantic", "upload cache worker project:rareproj") == ["rare"]


def test_todos_and_plans_without_a_session_are_found(tmp_path: Path) -> None:
    talk(tmp_path, "hello")
    gone = "bbbbbbbb-0000-4000-8000-000000000001"
    write(
        tmp_path,
        [
            {
                "display": "history platypus",
                "timestamp": 1767600000000,
                "project": "/w",
                "sessionId": gone,
            }
        ],
        ".claude/history.jsonl",
    )
    todo = tmp_path / f".claude/todos/{gone}-agent-{gone}.json"
    todo.parent.mkdir(parents=True)
    todo.write_text(
        json.dumps([{"content": "todo pangolin", "status": "pending", "activeForm": "x"}])
    )
    plan = tmp_path / ".claude/plans/foo.md"
    plan.parent.mkdir(parents=True)
    plan.write_text("# Make the image processing pipeline faster\n")
    for options in ([], ["--rebuild"]):
        assert aj(tmp_path, "sync", *options).returncode == 0
        for word in ("platypus", "pangolin", "pipeline"):
            assert len(hits(tmp_path, "--mode", "lexical", word)) == 1
    assert len(hits(tmp_path, "--mode", "semantic", "speed up processing of images")) == 1


@pytest.mark.parametrize("harm", ["meta", "file", "vectors file", "made-by", "killed"])
def test_a_harmed_index_heals_at_the_next_sync(tmp_path: Path, harm: str) -> None:
    talk(tmp_path, "the giraffe question", "delete a file")
    assert aj(tmp_path, "sync").returncode == 0
    lexical, vectors = tmp_path / INDEX / NAME, tmp_path / INDEX / VECTORS
    if harm == "meta":
        (lexical / "meta.json").unlink()
    elif harm == "made-by":
        (vectors / "made-by").write_bytes(b"\xff\xfe")
    elif harm == "killed":  # between creating the folder and writing the first rows
        with sqlite3.connect(tmp_path / INDEX / "journal.db") as catalog:
            catalog.execute("UPDATE meta SET value = '0 0 0 9' WHERE key = ?", (VECTORS,))
        catalog.close()
    else:
        folder = lexical if harm == "file" else vectors
        shutil.rmtree(folder)
        folder.write_text("a file")
    assert "giraffe" in aj(tmp_path, "search", "--no-sync", "giraffe").stdout
    assert aj(tmp_path, "sync").returncode == 0
    assert found(tmp_path, "--mode", "lexical", "giraffe") == ["t0"]
    assert found(tmp_path, "--mode", "semantic", "remove documents") == ["t1"]
    assert aj(tmp_path, "verify").returncode == 0


def test_odd_arguments_are_explained_in_a_sentence(home: Path) -> None:
    odd = os.fsdecode(b"\xff")
    for args in (["ls", odd], ["show", odd], ["search", "--project", odd, "x"]):
        done = aj(home, *args)
        assert done.returncode == 2
        assert "is not UTF-8" in done.stderr
    for args in (
        ["search", "-C", "9" * 20, "x"],
        ["search", "file:" + "*a" * 200],
        ["search", "--since", "²d", "x"],
    ):
        done = aj(home, *args)
        assert done.returncode in (1, 2)
        assert "something went wrong" not in done.stderr
    assert (
        aj(
            home, "search", "--no-sync", "pool", env={"AJ_SEARCH_MAX_RESULTS": "1000000000"}
        ).returncode
        == 0
    )


def test_a_hit_can_be_opened_where_it_is(home: Path) -> None:
    [line] = [
        line
        for line in aj(
            home, "search", "--no-sync", "mongoose", "--mode", "lexical"
        ).stdout.splitlines()
        if "aj show" in line
    ]
    _, _, command = line.partition("aj show ")
    shown = aj(home, "show", *command.split())
    assert "secret mongoose plan" in shown.stdout


def test_words_in_coloured_output_are_found(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "pytest"}}
    output = "\x1b[31mFAILED\x1b[0m tests/a.py::\x1b[1mtest_gadget\x1b[0m caf\x1b[7mé\x1b[27mteria"
    result = {"type": "tool_result", "tool_use_id": "c1", "content": output}
    write(
        tmp_path,
        [
            record("user", "u1", "run the \x1b[1mregression\x1b[0m tests"),
            record("assistant", "a1", [call]),
            record("user", "u2", [result]),
        ],
    )
    assert aj(tmp_path, "sync").returncode == 0
    for query in ("FAILED", "test_gadget", '"failed tests"', "cafeteria", "regression"):
        assert hits(tmp_path, "--mode", "lexical", query), query
    assert not hits(tmp_path, "--mode", "lexical", "31mFAILED")
    assert aj(tmp_path, "verify").returncode == 0
