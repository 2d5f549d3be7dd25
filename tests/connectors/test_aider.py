"""Aider: what each kind of line becomes, and where its histories are looked for."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors.aider import CONNECTOR, places
from agent_journal.connectors.aider.output import Output, Tokens, classified, tokens, usage
from agent_journal.connectors.aider.state import run_id
from agent_journal.connectors.base import DEEP, Env, FileIdentity, FoundFile, Pause, Unlisted
from agent_journal.model import Event, FileEdit, HistoryEntry, Usage
from tests.support.assemble import Assembly, BytesContent, read_root
from tests.support.journals import aj, aj_json, journal_digest, open_journal, write_claude

HERE = Path(__file__).parent / "aider"
CASES = sorted(path.parent.name for path in HERE.glob("*/home"))
CHAT = ".aider.chat.history.md"
INPUT = ".aider.input.history"
RUN = "\n# aider chat started at 2026-11-02 09:15:00\n\n"


def project(case: str) -> Path:
    return HERE / case / "home/project"


def told(piece: Any, *fields: str) -> dict[str, Any]:
    values = {name: getattr(piece, name) for name in fields}
    return {name: value for name, value in values.items() if value not in (None, "", (), False)}


def summary(assembly: Assembly) -> dict[str, Any]:
    """Everything a case says, without what depends on where it lies."""
    names = {session.id: f"run {number}" for number, session in enumerate(assembly.sessions, 1)}
    session_fields = (
        "title",
        "title_source",
        "agent_version",
        "models",
        "recorded_cost_micro_usd",
        "is_automated",
    )
    message_fields = ("kind", "text", "reasoning", "model")
    edit_fields = ("path", "kind", "origin", "diff", "after", "lines_added", "lines_removed")
    usage_fields = (
        "model",
        "input_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "output_tokens",
        "cost_micro_usd",
    )

    def of(kind: type[Any], *fields: str) -> list[dict[str, Any]]:
        found = [piece for piece in assembly.others if isinstance(piece, kind)]
        return [{"of": names[piece.session_id], **told(piece, *fields)} for piece in found]

    history = [piece for piece in assembly.others if isinstance(piece, HistoryEntry)]
    return {
        "sessions": [
            {**told(one, *session_fields), "started": str(one.started_at)}
            for one in assembly.sessions
        ],
        "messages": [
            {"of": names[one.session_id], **told(one, *message_fields)}
            for one in assembly.messages.values()
        ],
        "calls": [
            {"of": names[one.session_id], **told(one, "kind", "arguments")}
            for one in assembly.calls.values()
        ],
        "edits": of(FileEdit, *edit_fields),
        "usage": of(Usage, *usage_fields),
        "events": of(Event, "type", "text", "raw"),
        "history": [
            {"at": str(one.timestamp), "position": one.position, "text": one.text}
            for one in history
        ],
        "ledger": {
            name: sorted([*entry, *sums] for entry, sums in ledger.counts.items())
            for name, ledger in assembly.ledgers.items()
        },
    }


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    """To accept a change of the reader, write what is compared here into summary.json, and look at
    the difference.
    """
    found = json.loads(json.dumps(summary(read_root(CONNECTOR, project(case)))))
    path = HERE / case / "summary.json"
    if os.environ.get("ACCEPT"):
        path.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert found == json.loads(path.read_text(encoding="utf-8"))


# -- lines -------------------------------------------------------------------------------------


def read(
    text: str | bytes, name: str = CHAT, parts: list[int] | None = None, chunk: int = 1 << 16
) -> Assembly:
    """Reads a text as a file of that name, in one part or going on from the state at each of
    `parts`.
    """
    data = text.encode() if isinstance(text, str) else text
    assembly = Assembly()
    sessions: dict[str, Any] = {}
    state = None
    for end in [*(parts or []), len(data)]:
        reader = CONNECTOR.reader(FileIdentity(name, f"/p/{name}", "log", None), state)
        for piece in reader.read(BytesContent(data[:end], chunk)):
            if not isinstance(piece, Pause):
                assembly.add(piece)
        sessions.update({one.id: one for one in reader.sessions()})
        state = reader.save()
    assembly.sessions = list(sessions.values())
    return assembly


def outcome(assembly: Assembly) -> tuple[Any, ...]:
    entries = {one.position: one for one in assembly.others if isinstance(one, HistoryEntry)}
    others = [one for one in assembly.others if not isinstance(one, HistoryEntry)]
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
    assert ids[0] == first.sessions[0].id == run_id(f"/p/{CHAT}", "2026-11-02 09:15:00", 0)
    assert ids[1] == run_id(f"/p/{CHAT}", "2026-11-02 09:15:00", 1)
    assert len(set(ids)) == 3
    assert set(first.messages) < set(grown.messages)


def prompts_of(assembly: Assembly) -> list[list[str]]:
    """The prompts of each run, by its start."""
    prompts = [(of, one.text) for (of, _), one in assembly.messages.items() if one.kind == "prompt"]
    return [
        [str(run.started_at)[11:16], *(text for of, text in prompts if of == run.id)]
        for run in assembly.sessions
    ]


def header(time: str) -> str:
    return f"\n# aider chat started at 2026-11-02 {time}:00\n\n"


FENCE = (
    "Here is one:\n\n```md\n{}#### not mine  \n\n```\n\nThat was it.\n\n\n#### next  \n\nyes\n\n"
)
QUOTED = [
    # an answer shows a history: right behind the fence, after a blank line, and one of an earlier
    # day with two
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


def test_tokens_of_a_history_in_a_fence_are_nobodys() -> None:
    quoted = "```md\n# aider chat started at 2020-01-01 00:00:00\n\n> Tokens: 999k sent, 99k received.  \n```\n\n"
    real = "> Tokens: 10 sent, 20 received.  \n"
    fences = (
        quoted,
        "```py\nhalf\n\n",
    )  # lines of aider's behind a fence that was never closed are its own
    for fence in fences:
        found = read(RUN + "#### ask  \n\n" + fence + real)
        assert [one.output_tokens for one in found.others if isinstance(one, Usage)] == [20]


def test_runs_of_the_same_start_are_told_apart_wherever_they_stand() -> None:
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
    assert [one.id for one in read(text, parts=[len(text) // 2]).sessions] == [
        one.id for one in found.sessions
    ]


def test_the_first_line_tells_the_kind_under_any_name() -> None:
    entries = (project("prompts") / INPUT).read_bytes()
    assert [one.text for one in read(entries, "elsewhere.txt").others] == [
        one.text for one in read(entries, INPUT).others
    ]
    assert [one.title for one in read(RUN + "#### hi  \n", "notes.md").sessions] == ["hi"]


def test_what_is_no_prompt_history_line_is_malformed() -> None:
    reader = CONNECTOR.reader(FileIdentity(INPUT, f"/p/{INPUT}", "log", None), None)
    data = b"# 2026-11-02 09:15:12.345678\n+a\nstray\n+b\n"
    (entry,) = (
        piece for piece in reader.read(BytesContent(data)) if isinstance(piece, HistoryEntry)
    )
    assert (entry.text, entry.project_path) == ("a\nb", "/p")
    assert [(one.offset, one.reason) for one in reader.ledger.troubles] == [
        (32, "neither the time of a prompt nor a line of it")
    ]


def test_broken_text_is_read_and_told() -> None:
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


def test_large_edits_are_told_without_their_text() -> None:
    block = (
        "a.py\n```\n<<<<<<< SEARCH\n" + "old\n" * 600_000 + "=======\nnew\n>>>>>>> REPLACE\n```\n"
    )
    assembly = read(RUN + "#### go  \n\n" + block + "\n> Applied edit to a.py  \n")
    (edit,) = (piece for piece in assembly.others if isinstance(piece, FileEdit))
    assert (edit.path, edit.diff, edit.lines_added) == ("a.py", None, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Tokens: 1.2k sent, 300 received. Cost: $0.01 message, $0.02 session.",
            (1200, None, None, 300, 10000, 20000),
        ),
        (
            "Tokens: 12k sent, 3.4k cache write, 8k cache hit, 512 received.",
            (12_000, 3400, 8000, 512, None, None),
        ),
        (
            "Tokens: 2.5M sent, 1 received. Cost: $0.00005 message, $12 session.",
            (2500000, None, None, 1, 50, 12000000),
        ),
        (
            "Tokens: 1,520 sent, 15 received. Cost: $1,000 request, $2 session.",
            (1520, None, None, 15, 10**9, 2000000),
        ),
        ("Tokens: .,. sent, 9" + "9" * 400 + " received.", (None, None, None, None, None, None)),
        ("12 prompt tokens, 3 completion tokens, $0.5 cost", (12, None, None, 3, 500_000, None)),
    ],
)
def test_tokens(text: str, expected: tuple[int | None, ...]) -> None:
    assert tokens(text) == Tokens(*expected)


@pytest.mark.parametrize(
    ("text", "fresh"),
    [
        ("Tokens: 12k sent, 2k cache write, 8k cache hit, 1 received.", 2000),
        # Read from the cache beside what was sent
        ("Tokens: 2k sent, 9k cache hit, 1 received.", 2000),
        ("Tokens: 1k sent, 2k cache write, 1 received.", 0),
        ("Tokens: 1 received.", None),
    ],
)
def test_fresh_input(text: str, fresh: int | None) -> None:
    assert usage(tokens(text), "s", "k", None, None).input_tokens == fresh


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Added src/a b.py to the chat.", Output("added", "src/a b.py")),
        ("Added notes.md to the chat (read-only).", Output("added", "notes.md")),
        ("Added 12 lines of output to the chat.", Output("")),
        ("Added .aider* to .gitignore", Output("")),
        ("Commit 637317c Add it", Output("commit", "637317c")),
        ("Committing src/a.py before applying edits.", Output("")),
        (
            "Main model: openai/o3-mini with architect edit format, 32k think tokens",
            Output("model", "openai/o3-mini"),
        ),
        (
            "Models: gpt-4o with diff edit format, weak model gpt-3.5-turbo",
            Output("model", "gpt-4o"),
        ),
        ("Allow creation of new file a/b.py? y", Output("created", "a/b.py")),
        ("Allow creation of new file a/b.py? n", Output("asked", "")),
        ("Run shell commands? (Y)es/(N)o/(D)on't ask again [Yes]: a", Output("asked", "run")),
        ("Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: n", Output("asked", "")),
        ("C:\\tools\\aider.exe --model x", Output("launch")),
        ("aider is a tool", Output("launch")),  # counts only before the first prompt
        ("litellm.APIError: gone", Output("error")),
        ("KeyError: 'x'", Output("error")),
        ("^C again to exit", Output("interrupt", "^C again to exit")),
        ("Use /help to see in-chat commands", Output("")),
    ],
)
def test_lines_of_aider(text: str, expected: Output) -> None:
    assert classified(text) == expected


# -- where its files are -----------------------------------------------------------------------


def history(folder: Path, text: str = RUN + "#### hello  \n", name: str = CHAT) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


def found(*roots: str) -> list[str]:
    return [
        file.path
        for root in roots
        for file in CONNECTOR.discover(root)
        if isinstance(file, FoundFile)
    ]


def test_roots_are_the_folders_up_to_the_repository(tmp_path: Path) -> None:
    inner = tmp_path / "repo/src/deep"
    inner.mkdir(parents=True)
    (tmp_path / "repo/.git").mkdir()
    (tmp_path / "loose/sub").mkdir(parents=True)
    env = Env(
        str(tmp_path / "home"),
        {},
        "linux",
        str(inner),
        (str(tmp_path / "loose/sub"), "C:\\elsewhere", "relative"),
    )
    names = ["home", "repo/src/deep", "repo/src", "repo", "loose/sub"]
    assert CONNECTOR.roots(env) == [str(tmp_path / name) for name in names]


def test_aiders_own_variables_are_honoured(tmp_path: Path) -> None:
    chat = history(tmp_path / "moved", name="chat.md")
    variables = {
        "AIDER_CHAT_HISTORY_FILE": "~/moved/chat.md",
        "AIDER_INPUT_HISTORY_FILE": "in/" + INPUT,
    }
    roots = CONNECTOR.roots(Env(str(tmp_path), variables, "linux", str(tmp_path / "here")))
    assert roots == [str(chat), str(tmp_path / "here/in"), str(tmp_path), str(tmp_path / "here")]
    assert found(str(chat)) == [str(chat)]


def test_paths_and_patterns_of_the_settings(tmp_path: Path) -> None:
    env = Env(str(tmp_path), {}, "linux", str(tmp_path / "src/a"), (str(tmp_path / "src/b"),))
    for name in ("src/a", "src/b", "src/a/inner", "src/.hidden", "src/node_modules/x"):
        history(tmp_path / name)
    (tmp_path / "src/a/.git").mkdir()
    src = str(tmp_path / "src")
    assert CONNECTOR.normalize_roots(f"{src}/a/{CHAT}", env) == [f"{src}/a"]
    assert CONNECTOR.normalize_roots(src, env) == [src + DEEP]
    assert CONNECTOR.normalize_roots(f"{src}/**/{CHAT}", env) == [src + DEEP]
    assert CONNECTOR.normalize_roots(f"{src}/*/{CHAT}", env) == [f"{src}/a", f"{src}/b"]
    assert CONNECTOR.normalize_roots(f"{tmp_path}/s*/**/{CHAT}", env) == [src + DEEP]
    everywhere = CONNECTOR.normalize_roots(f"**/{CHAT}", env)
    assert everywhere == [str(tmp_path), f"{src}/b", f"{src}/a{DEEP}"]
    assert found(*everywhere) == [f"{src}/b/{CHAT}", f"{src}/a/{CHAT}", f"{src}/a/inner/{CHAT}"]
    assert [
        file.name for file in CONNECTOR.discover(src + DEEP) if isinstance(file, FoundFile)
    ] == [
        f"a/{CHAT}",
        f"a/inner/{CHAT}",
        f"b/{CHAT}",
    ]


def test_a_pattern_without_a_place_never_means_the_home_folder(tmp_path: Path) -> None:
    history(tmp_path / "somewhere")
    for folder in (str(tmp_path), "/", ""):
        roots = CONNECTOR.normalize_roots(f"**/{CHAT}", Env(str(tmp_path), {}, "linux", folder))
        assert not any(root.endswith(DEEP) for root in roots)


def test_the_walk_is_bounded_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        history(tmp_path / f"p{number}")
    (tmp_path / "circle").symlink_to(tmp_path)
    assert len(found(str(tmp_path) + DEEP)) == 9
    monkeypatch.setattr(places, "MAX_FOLDERS", 5)
    *files, last = CONNECTOR.discover(str(tmp_path) + DEEP)
    assert len(files) == 4
    assert last == Unlisted(
        str(tmp_path), "more than 5 folders; name the folders of your projects instead"
    )
    monkeypatch.setattr(places, "MAX_DEPTH", 0)
    assert found(str(tmp_path) + DEEP) == []


def test_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    for root in (tmp_path / "no", f"{tmp_path}/no{DEEP}", tmp_path / "no/file.md"):
        assert list(CONNECTOR.discover(str(root))) == []
    (tmp_path / CHAT).mkdir()
    assert list(CONNECTOR.discover(str(tmp_path))) == []


# -- with the journal --------------------------------------------------------------------------


def test_projects_of_other_agents_are_looked_in_at_once(tmp_path: Path) -> None:
    work = tmp_path / "work/app"
    history(work)
    transcript = write_claude(tmp_path)
    transcript.write_text(transcript.read_text().replace("/work/app", str(work)))
    assert aj(tmp_path, "sync", cwd=tmp_path).returncode == 0
    assert {item["agent"] for item in aj_json(tmp_path, "ls")["items"]} == {"claude-code", "aider"}
    shutil.rmtree(tmp_path / ".claude")
    history(work, RUN + "#### hello  \n\nHi.\n")
    done = aj(tmp_path, "sync", cwd="/")
    assert "1 file read (5 B" in done.stderr
    (work / CHAT).unlink()
    assert "gone from disk" in aj(tmp_path, "sync", cwd="/").stderr
    assert aj(tmp_path, "verify").returncode == 0


def test_doctor_and_sources_say_where_they_looked(tmp_path: Path) -> None:
    here = tmp_path / "here"
    history(tmp_path / "known")
    here.mkdir()
    assert aj(tmp_path, "doctor", cwd=here).stdout.startswith("Aider\n  no files in ~, ~/here\n")
    assert "no agent's folder was found" in aj(tmp_path, "doctor", cwd=here).stdout
    aj(tmp_path, "sync", cwd=tmp_path / "known")
    for command in ("doctor", "sources"):
        text = aj(tmp_path, command, cwd=here).stdout
        assert "  ~/known" in text
        assert "  no files in ~, ~/here\n" in text
        assert "other folders: aj config set storage.sources.aider '~/src'\n" in text
        there = aj(tmp_path, command, cwd=here, env={"AJ_AIDER_PATH": "~"}).stdout
        assert "Aider" in there
        assert "other folders" not in there
    roots = next(
        item for item in aj_json(tmp_path, "sources", cwd=here)["items"] if item["agent"] == "aider"
    )["roots"]
    assert [root["exists"] for root in roots] == [True, True, True]


def test_the_setting_acts(tmp_path: Path) -> None:
    history(tmp_path / "src/a")
    history(tmp_path / "src/b")
    history(tmp_path / "other")
    env = {"AJ_AIDER_PATH": f"~/src/*/{CHAT}"}
    assert "2 sessions, 2 new" in aj(tmp_path, "sync", env=env, cwd=tmp_path / "other").stderr
    assert (
        "the settings do not name it"
        in aj(tmp_path, "doctor", env=env, cwd=tmp_path / "other").stdout
    )
    assert "3 sessions, 1 new" in aj(tmp_path, "sync", env={"AJ_AIDER_PATH": "~"}, cwd="/").stderr
    assert "3 sessions, 0 new\n" in aj(tmp_path, "sync", env={"AJ_AIDER_PATH": "~"}, cwd="/").stderr
    assert aj(tmp_path, "verify").returncode == 0


def test_the_journal_reads_in_parts_as_at_once(tmp_path: Path) -> None:
    data = b"".join(
        (project(case) / CHAT).read_bytes() for case in ("conversation", "edits", "traps", "old")
    )
    folder = tmp_path / "p"
    folder.mkdir()
    rng = random.Random(11)
    parts, once = {"AJ_HOME": str(tmp_path / "parts")}, {"AJ_HOME": str(tmp_path / "once")}
    with open_journal(tmp_path, **parts, AJ_AIDER_PATH=str(folder)) as journal:
        for end in [*sorted(rng.sample(range(len(data)), 12)), len(data)]:
            (folder / CHAT).write_bytes(data[:end])
            journal.sync()
    with open_journal(tmp_path, **once, AJ_AIDER_PATH=str(folder)) as journal:
        journal.sync()
    assert journal_digest(tmp_path, **parts) == journal_digest(tmp_path, **once)


def test_histories_are_imported_by_what_is_in_them(tmp_path: Path) -> None:
    folder = tmp_path / "old laptop"
    files = {
        "saved.md": RUN + "#### hello  \n",
        "typed.txt": "# 2026-11-02 09:15:12.345678\n+hello\n",
    }
    for name, text in files.items():
        history(folder, text, name)
    history(folder / "app", "cut off\n\n#### hello  \n")
    assert aj(tmp_path, "import", *(str(folder / name) for name in files)).returncode == 0
    assert aj(tmp_path, "import", str(folder)).returncode == 0
    again = aj_json(tmp_path, "import", str(folder / "app"), str(folder / "saved.md"))["items"]
    assert [(item["agent"], item["status"]) for item in again] == [("aider", "known")] * 2
    assert len(aj_json(tmp_path, "ls")["items"]) == 2
    assert aj(tmp_path, "verify").returncode == 0
    assert (
        aj(tmp_path, "import", str(history(folder, "# A title\n\ntext\n", "readme.md"))).returncode
        == 1
    )


def test_a_folder_and_a_file_imported_as_aiders(tmp_path: Path) -> None:
    history(tmp_path / "old/app", RUN + "#### hello\n\nHi.\n")
    odd = history(tmp_path, "Hi.\n\n#### and now?\n\nNow this.\n", "cut.md")
    done = aj_json(tmp_path, "import", str(tmp_path / "old"), str(odd), "--as", "aider")["items"]
    assert [item["status"] for item in done] == ["new", "new"]
    rows = (
        open_journal(tmp_path)
        .db.execute("SELECT root, name, role FROM files ORDER BY name")
        .fetchall()
    )
    assert rows == [(str(tmp_path / "old"), f"app/{CHAT}", "log"), (str(tmp_path), "cut.md", "log")]
    assert aj(tmp_path, "verify").returncode == 0


def test_one_run_of_several_is_given_back(tmp_path: Path) -> None:
    second = RUN.replace("09:15", "10:15") + "#### second  \n"
    path = history(tmp_path / "p", "cut off\n" + RUN + "#### first  \n" + second)
    aj(tmp_path, "sync", cwd=tmp_path / "p")
    ids = {item["title"]: item["id"] for item in aj_json(tmp_path, "ls")["items"]}
    raw = {title: aj(tmp_path, "show", one, "--raw").stdout for title, one in ids.items()}
    assert raw == {None: "cut off\n\n", "first": RUN[1:] + "#### first  \n\n", "second": second[1:]}
    aj(tmp_path, "restore", ids["second"], "--output", str(tmp_path / "back"))
    assert (tmp_path / "back/p" / CHAT).read_bytes() == path.read_bytes()
