"""What the lines of Aider's histories become."""

from __future__ import annotations

import random
from typing import Any

import pytest

from agent_journal.connectors.aider import CONNECTOR
from agent_journal.connectors.aider.state import history_name, run_id
from agent_journal.connectors.base import FileIdentity
from agent_journal.model import FileEdit, HistoryEntry, Usage
from tests.support.aider_histories import CASES, CHAT, INPUT, RUN, project, read
from tests.support.assemble import Assembly, BytesContent


def outcome(assembly: Assembly) -> tuple[Any, ...]:
    history = [piece for piece in assembly.others if isinstance(piece, HistoryEntry)]
    others = [piece for piece in assembly.others if not isinstance(piece, HistoryEntry)]
    entries = {entry.position: entry for entry in history}
    return assembly.sessions, assembly.messages, assembly.calls, others, entries


@pytest.mark.parametrize("case", CASES)
def test_in_parts_is_as_at_once(case: str) -> None:
    for path in project(case).iterdir():
        data = path.read_bytes()
        whole = outcome(read(data, path.name))
        for cut in range(0, len(data), 3):
            assert outcome(read(data, path.name, [cut])) == whole, cut
        rng = random.Random(5)
        for _ in range(20):
            parts = sorted(rng.randrange(len(data)) for _ in range(rng.randrange(1, 12)))
            assert outcome(read(data, path.name, parts, rng.choice((1, 13, 400)))) == whole, parts


def test_ids_stay_when_the_file_grows() -> None:
    first = read(RUN + "#### a  \n")
    grown = read(RUN + "#### a  \n\nb\n" + RUN + "#### c  \n" + RUN.replace("09", "10"))
    ids = [session.id for session in grown.sessions]
    name = history_name(f"/p/{CHAT}", (RUN + "#### a  \n").encode())
    assert name is not None
    assert ids[0] == first.sessions[0].id == run_id(name, "2026-11-02 09:15:00", 0)
    assert ids[1] == run_id(name, "2026-11-02 09:15:00", 1)
    assert len(set(ids)) == 3
    assert set(first.messages) < set(grown.messages)


def prompts_of(assembly: Assembly) -> list[list[str]]:
    """The prompts of each run, by its start."""
    prompts = [message for message in assembly.messages.values() if message.kind == "prompt"]
    return [
        [
            str(run.started_at)[11:16],
            *(prompt.text for prompt in prompts if prompt.session_id == run.id),
        ]
        for run in assembly.sessions
    ]


def header(time: str) -> str:
    return f"\n# aider chat started at 2026-11-02 {time}:00\n\n"


@pytest.mark.parametrize("case", [case for case in CASES if case != "traps"])
def test_prompts_and_tokens_do_not_need_the_spaces_at_line_ends(case: str) -> None:
    """Formatters strip them; a heading of an answer (in `traps`) then reads as a prompt."""
    text = (project(case) / CHAT).read_bytes().decode()
    spaced = read(text)
    stripped = read("\n".join(line.rstrip(" ") for line in text.split("\n")))
    assert prompts_of(stripped) == prompts_of(spaced)
    tokens = [
        [usage.output_tokens for usage in found.others if isinstance(usage, Usage)]
        for found in (stripped, spaced)
    ]
    assert tokens[0] == tokens[1]


ECHOED = [
    ("#### /ask why?  \n\n#### why?  \n\nSo.\n", ["/ask why?"]),
    ("#### /code a  \n#### b  \n> hm  \n\n#### a  \n#### b  \n\nSo.\n", ["/code a\nb"]),
    ("#### /code  \n####   \n#### a  \n\n#### a  \n\nSo.\n", ["/code\na"]),
    ("#### /arch why?  \n\n#### why?  \n\nSo.\n\n\n#### So.  \n", ["/arch why?"]),
    ("#### /ask  \n> Model: m with ask edit format  \n\n#### why?  \n", ["why?"]),
    # a repeat comes at once
    ("#### /ask why?  \n\n#### what?  \n\nSo.\n\n\n#### why?  \n", ["/ask why?", "what?", "why?"]),
    ("#### why?  \n\nSo.\n\n\n#### why?  \n", ["why?", "why?"]),
    # only an architect's answer is repeated
    ("#### why?  \n\nSo.\n\n\n#### So.  \n", ["why?", "So."]),
    ("#### /architect why?  \n\n#### why?  \n\nSo.\n\n\n#### So.  \n", ["/architect why?"]),
    (
        "> Model: m with architect edit format  \n\n#### why?  \n\n<think>\nHm.\n</think>\n\n"
        "So.\n\nYes.\n\n> Tokens: 1 sent, 1 received.  \n\n#### So.  \n####   \n#### Yes.  \n\n"
        "Done.\n\n\n#### So.  \n",
        ["why?", "So."],
    ),
]


@pytest.mark.parametrize(("text", "prompts"), ECHOED)
def test_what_aider_repeats_is_no_prompt(text: str, prompts: list[str]) -> None:
    history = RUN + text
    found = read(history)
    assert prompts_of(found) == [["09:15", *prompts]]
    if "why?" in prompts[0]:
        assert found.sessions[0].title == "why?"
    for cut in range(len(RUN), len(history)):
        assert outcome(read(history, parts=[cut])) == outcome(found), cut


def test_the_first_prompt_that_says_something_is_the_title() -> None:
    def title(text: str) -> tuple[str | None, str | None]:
        (run,) = read(RUN + text).sessions
        return run.title, run.title_source

    assert title("#### /add a.py  \n") == ("/add a.py", "command")
    assert title("#### hi  \n\nHello.\n\n\n#### fix it now  \n") == ("fix it now", "prompt")
    assert title("#### ok  \n#### fix the pump  \n") == ("fix the pump", "prompt")
    assert title("#### go on  \n\nI turn the pump. Then rest.\n") == ("I turn the pump.", "answer")


FENCE = (
    "Here is one:\n\n```md\n{}#### not mine  \n\n```\n\nThat was it.\n\n\n#### next  \n\nyes\n\n"
)
QUOTED = [
    # an answer quotes a history: right after the fence, after a blank line, and one of an earlier
    # day after two
    (FENCE.format("# aider chat started at 2026-11-02 08:00:00\n\n"), [["09:15", "ask", "next"]]),
    (FENCE.format(header("10:00")), [["09:15", "ask", "next"]]),
    (FENCE.format("\n\n" + header("08:00")), [["09:15", "ask", "next"]]),
    # a command prints one
    (
        "> Running cat  \n# aider chat started at 2026-11-02 08:00:00\n\n\n#### next  \n",
        [["09:15", "ask", "next"]],
    ),
    (
        "text\n# aider chat started at 2026-11-02 10:00:00\n\n\n#### next  \n",
        [["09:15", "ask", "next"]],
    ),
    # aider was killed, and the fence of the answer never closed: two blank lines, as aider writes
    # them
    ("```py\nhalf\n\n" + header("10:00") + "#### next  \n", [["09:15", "ask"], ["10:00", "next"]]),
    ("half\n" + header("08:00") + "#### next  \n", [["09:15", "ask"], ["08:00", "next"]]),
]


@pytest.mark.parametrize(("text", "expected"), QUOTED)
def test_a_header_is_one_only_where_aider_writes_it(text: str, expected: list[list[str]]) -> None:
    history = RUN + "#### ask  \n\n" + text
    assert prompts_of(read(history)) == expected
    assert prompts_of(read(history, parts=[history.index("aider chat", 60)])) == expected


def test_tokens_of_a_quoted_history_do_not_count() -> None:
    quoted = (
        "```md\n# aider chat started at 2020-01-01 00:00:00\n\n"
        "> Tokens: 999k sent, 99k received.  \n```\n\n"
    )
    real = "> Tokens: 10 sent, 20 received.  \n"
    # Aider's lines after a fence that was never closed count.
    unclosed = "```py\nhalf\n\n"
    for fence in (quoted, unclosed):
        found = read(RUN + "#### ask  \n\n" + fence + real)
        assert [usage.output_tokens for usage in found.others if isinstance(usage, Usage)] == [20]


def test_runs_with_the_same_start_have_different_ids() -> None:
    nine, ten = (header(time) + "#### {}  \n\nyes\n" for time in ("09:15", "10:00"))
    text = (
        nine.format("a") + ten.format("b") + nine.format("c") + nine.format("d") + ten.format("e")
    )
    found = read(text)
    assert prompts_of(found) == [
        ["09:15", "a"],
        ["10:00", "b"],
        ["09:15", "c"],
        ["09:15", "d"],
        ["10:00", "e"],
    ]
    assert [run.id for run in read(text, parts=[len(text) // 2]).sessions] == [
        run.id for run in found.sessions
    ]


def test_the_first_line_decides_the_kind_under_any_name() -> None:
    entries = (project("prompts") / INPUT).read_bytes()
    assert [entry.text for entry in read(entries, "elsewhere.txt").others] == [
        entry.text for entry in read(entries, INPUT).others
    ]
    assert [run.title for run in read(RUN + "#### hi  \n", "notes.md").sessions] == ["hi"]


def test_a_stray_line_of_a_prompt_history_is_malformed() -> None:
    reader = CONNECTOR.reader(FileIdentity(INPUT, f"/p/{INPUT}", "log", None), None)
    data = b"# 2026-11-02 09:15:12.345678\n+a\nstray\n+b\n"
    (entry,) = (
        piece for piece in reader.read(BytesContent(data)) if isinstance(piece, HistoryEntry)
    )
    assert (entry.text, entry.project_path) == ("a\nb", "/p")
    assert [(trouble.offset, trouble.reason) for trouble in reader.ledger.troubles] == [
        (32, "neither the time of a prompt nor a line of it")
    ]


def test_broken_text_is_read_and_reported() -> None:
    reader = CONNECTOR.reader(FileIdentity(CHAT, f"/p/{CHAT}", "log", None), None)
    data = RUN.encode() + b"#### caf\xe9  \n"
    assert [
        piece.text
        for piece in reader.read(BytesContent(data))
        if getattr(piece, "kind", "") == "prompt"
    ] == ["caf\ufffd"]
    (trouble,) = reader.ledger.troubles
    assert trouble.reason.startswith("not UTF-8")


def test_half_a_line_waits() -> None:
    assembly = read(RUN + "#### whole  \n\nhalf an ans")
    assert [message.text for message in assembly.messages.values()] == ["whole"]


def test_a_log_of_many_runs_costs_little_memory() -> None:
    import tracemalloc

    turn = (
        "\n#### fix it  \n\n" + "an answer of some length\n" * 40 + "\n> Applied edit to a.py  \n"
    )
    data = (RUN + turn * 2000).encode()  # 2 MB
    reader = CONNECTOR.reader(FileIdentity(CHAT, f"/p/{CHAT}", "log", None), None)
    tracemalloc.start()
    count = sum(1 for _ in reader.read(BytesContent(data, 1 << 16)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count > 6000
    assert peak < 2**20
    assert len(reader.save()) < 1000


def test_large_edits_are_kept_without_their_text() -> None:
    block = (
        "a.py\n```\n<<<<<<< SEARCH\n" + "old\n" * 600_000 + "=======\nnew\n>>>>>>> REPLACE\n```\n"
    )
    assembly = read(RUN + "#### go  \n\n" + block + "\n> Applied edit to a.py  \n")
    (edit,) = (piece for piece in assembly.others if isinstance(piece, FileEdit))
    assert (edit.path, edit.diff, edit.lines_added) == ("a.py", None, None)
