"""Measures agent-journal against baselines taken in the same run, and prints one table.

    python bench/run.py                  everything, on a 200 MB corpus
    python bench/run.py --quick          the same with small sizes
    python bench/run.py --only startup   one part: home, dense, newest, sync, disk, memory,
                                         noop, append, show, search,
                                         latency, mcp, startup, vscode, gemini, cursor, sql,
                                         redact, html, tui, watch, web
    python bench/run.py --only home --only dense --repeats 3 --busy

Every figure is of a real process (`python -m agent_journal ...`): CPU seconds and peak memory as
the kernel counted them. The corpora are created on first use and kept in bench/.corpus.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

import corpus
import cursor_shape
import gemini_shape
import vscode_shape
from homes import LOADS, measure_dense, measure_home
from lab import Failed, Lab, Row, Run, Sizes, all_bytes, fastest, log_bytes, logs
from latency import measure_latency
from long_session import measure_append, measure_show
from newest import measure_newest
from pages import measure_html
from recall import measure_recall
from sql import measure_sql
from tui import measure_tui
from watching import measure_watch
from web import measure_web

# Every line of every log as a text by itself: about the sizes that messages and results have.
REDACTS = """
import os, sys, time
from agent_journal.text.redaction.redact import redact
texts = []
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        if name.endswith(".jsonl") and sum(map(len, texts)) < 20_000_000:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                texts += file
best = 1e9
for _ in range(3):
    started = time.perf_counter()
    for text in texts:
        redact(text, "/home/sam")
    best = min(best, time.perf_counter() - started)
print(sum(map(len, texts)) / 1e6, best)
"""


def measure_sync(lab: Lab) -> Iterator[Row]:
    """A full sync of everything, against json.loads of every line."""
    home = lab.main_corpus()
    size = log_bytes(home) / 1e6
    bare = lab.bare()
    before = lab.run(("-c", LOADS, home), home, lab.scratch)  # also fills the page cache for both
    _, run = lab.synced(home)
    after = lab.run(
        ("-c", LOADS, home), home, lab.scratch
    )  # a machine's speed changes within a minute
    loads = (before.cpu + after.cpu) / 2 - bare.cpu
    yield Row("sync", f"full sync of {size:.0f} MB", size / run.wall, "MB/s", 40, at_least=True)
    beside = f"{run.cpu / size * 1000:.1f} ms a MB, json.loads {loads / size * 1000:.1f}"
    yield Row("sync", "CPU of a full sync / json.loads", run.cpu / loads, "x", 4, beside=beside)


def measure_disk(lab: Lab) -> Iterator[Row]:
    """What the journal takes on disk."""
    home = lab.main_corpus()
    journal, _ = lab.synced(home)
    ours, theirs = all_bytes(journal), all_bytes(home)
    yield Row(
        "disk", "journal / sources on disk", ours / theirs, "x", 0.35, beside=f"{ours / 1e6:.1f} MB"
    )


def measure_memory(lab: Lab) -> Iterator[Row]:
    """The peak memory of a sync with one huge file."""
    home = corpus.cached(corpus.Parameters(lab.sizes.one_file, one_file=True, agent="claude"))
    journal, run = lab.synced(home)
    shutil.rmtree(journal)
    size = log_bytes(home) / 1e6
    yield Row("memory", f"peak memory, one file of {size:.0f} MB", run.peak / 1e6, "MB", 300)


def measure_noop(lab: Lab) -> Iterator[Row]:
    """A sync with nothing to do."""
    sessions = lab.sizes.small_sessions
    home = corpus.cached(corpus.Parameters(max(1, sessions // 125), files=sessions))
    count = sum(len(names) for _, _, names in os.walk(home))
    journal, _ = lab.synced(home)
    lab.aj("sync", home=home, journal=journal)  # makes the index
    bare = lab.bare()
    run = fastest([lab.aj("sync", home=home, journal=journal) for _ in range(10)])
    for name, ours, theirs in (("wall", run.wall, bare.wall), ("CPU", run.cpu, bare.cpu)):
        beside = f"{ours * 1000:.0f} ms, Python {theirs * 1000:.0f} ms"
        title = f"no-op sync of {count:,} files / bare Python, {name}"
        yield Row("noop", title, ours / theirs, "x", 8, beside=beside)


def measure_search(lab: Lab) -> Iterator[Row]:
    """The search index: making it, its size, and asking it, each time in a new process."""
    home = lab.main_corpus()
    size = log_bytes(home) / 1e6
    journal = tempfile.mkdtemp(dir=lab.scratch)
    run = lab.aj("sync", home=home, journal=journal)
    yield Row(
        "search",
        f"full sync of {size:.0f} MB with the index",
        size / run.wall,
        "MB/s",
        25,
        at_least=True,
    )
    yield Row("search", "peak memory of it", run.peak / 1e6, "MB", 400)
    ours, theirs = all_bytes(journal), all_bytes(home)
    yield Row(
        "search",
        "journal with the index / sources",
        ours / theirs,
        "x",
        0.45,
        beside=f"{ours / 1e6:.1f} MB",
    )
    bare = lab.bare()
    for name, words in (("a rare word", ("deadline",)), ("common words", ("test", "file"))):
        asked = ("search", "--no-sync", *words)
        run = fastest(
            [lab.aj(*asked, home=home, journal=journal) for _ in range(lab.sizes.repeats)]
        )
        beside = f"{run.wall * 1000:.0f} ms, Python {bare.wall * 1000:.0f} ms"
        yield Row(
            "search",
            f"aj search, {name} / bare Python, wall",
            run.wall / bare.wall,
            "x",
            9,
            beside=beside,
        )
    lab.aj("sql", "--no-sync", "SELECT 1", home=home, journal=journal)  # makes the mirror
    mirror = all_bytes(os.path.join(journal, "parquet"))
    yield Row(
        "search",
        "the mirror / sources",
        mirror / theirs,
        "x",
        0.12,
        beside=f"{mirror / 1e6:.1f} MB",
    )


def measure_startup(lab: Lab) -> Iterator[Row]:
    """What a person waits for before anything appears."""
    home = lab.main_corpus()
    journal, _ = lab.synced(home)
    bare = lab.bare()
    for command in ("ls", "--version", "statusline"):
        runs = [lab.aj(command, home=home, journal=journal) for _ in range(lab.sizes.repeats)]
        run = fastest(runs)
        beside = f"{run.wall * 1000:.0f} ms, Python {bare.wall * 1000:.0f} ms"
        yield Row(
            "startup",
            f"aj {command} / bare Python, wall",
            run.wall / bare.wall,
            "x",
            8,
            beside=beside,
        )


def measure_vscode(lab: Lab) -> Iterator[Row]:
    """VS Code's logs: each is replayed whole, so the largest one decides about memory."""
    size, run = _first_sync(lab, vscode_shape.cached(lab.sizes.chats, 1_000_000))
    beside = f"{run.cpu / size * 1000:.1f} ms CPU a MB"
    name = f"full sync of {size:.0f} MB of VS Code logs"
    yield Row("vscode", name, size / run.wall, "MB/s", 30, at_least=True, beside=beside)
    yield Row("vscode", f"peak memory, {lab.sizes.chats:,} sessions", run.peak / 1e6, "MB", 300)
    yield _peak_of_one(lab, "vscode", vscode_shape.cached(1, lab.sizes.one_chat * 1_000_000))


def measure_gemini(lab: Lab) -> Iterator[Row]:
    """Documents of Gemini CLI: each is read whole, and its texts wait for the index."""
    for result in (20_000, 1_000_000):
        yield _peak_of_one(lab, "gemini", gemini_shape.cached(lab.sizes.one_file * 10**6, result))


def measure_cursor(lab: Lab) -> Iterator[Row]:
    """Cursor keeps all conversations in one database: one of them that changed must not cost the
    others.
    """
    home = os.path.join(lab.scratch, "cursor")
    shutil.copytree(cursor_shape.cached(lab.sizes.cursor), home)
    path = cursor_shape.database(home)
    size = os.path.getsize(path) / 1e6
    journal = tempfile.mkdtemp(dir=lab.scratch)
    first = lab.aj("sync", home=home, journal=journal)
    beside = f"{size / first.wall:.0f} MB/s with the index"
    yield Row(
        "cursor",
        f"peak memory, first sync of a state.vscdb of {size:.0f} MB",
        first.peak / 1e6,
        "MB",
        400,
        beside=beside,
    )
    walls = []
    for number in range(3):
        # Cursor runs: its log is not empty
        with contextlib.closing(cursor_shape.change(path, number)):
            walls.append(lab.aj("sync", home=home, journal=journal))
    run = fastest(walls)
    beside = f"{run.cpu:.2f} s CPU, {run.peak / 1e6:.0f} MB"
    yield Row(
        "cursor",
        f"one conversation of {size:.0f} MB changed, wall",
        run.wall,
        "s",
        2,
        beside=beside,
    )
    shutil.rmtree(home)


def measure_redact(lab: Lab) -> Iterator[Row]:
    """Taking secrets out of text."""
    home = lab.main_corpus()
    size, seconds = map(float, lab.output(("-c", REDACTS, home), home, lab.scratch).split())
    yield Row(
        "redact", f"taking secrets out of {size:.0f} MB", size / seconds, "MB/s", 50, at_least=True
    )


def _peak_of_one(lab: Lab, part: str, home: str) -> Row:
    """The peak memory of all processes that read and index a home with one huge session."""
    journal = tempfile.mkdtemp(dir=lab.scratch)
    run = lab.aj("sync", home=home, journal=journal, watched=True)
    size = all_bytes(home) / 1e6
    shutil.rmtree(journal)
    name = f"peak memory with the index, one session of {size:.0f} MB"
    return Row(part, name, run.peak / 1e6, "MB", 400, beside=f"{size / run.wall:.0f} MB/s")


def _first_sync(lab: Lab, home: str) -> tuple[float, Run]:
    """Megabytes of logs in a home, and what their first sync costs; the journal is not kept."""
    for path in logs(home):  # fills the page cache
        with open(path, "rb") as file:
            while file.read(1 << 20):
                pass
    size = log_bytes(home)
    journal, run = lab.synced(home)
    if all_bytes(journal) < size / 100:
        raise Failed(f"the logs in {home} were not read")
    shutil.rmtree(journal)
    return size / 1e6, run


PARTS: dict[str, Callable[[Lab], Iterator[Row]]] = {
    "home": measure_home,
    "dense": measure_dense,
    "newest": measure_newest,
    "sync": measure_sync,
    "disk": measure_disk,
    "memory": measure_memory,
    "noop": measure_noop,
    "append": measure_append,
    "show": measure_show,
    "search": measure_search,
    "latency": measure_latency,
    "mcp": measure_recall,
    "startup": measure_startup,
    "vscode": measure_vscode,
    "gemini": measure_gemini,
    "cursor": measure_cursor,
    "sql": measure_sql,
    "redact": measure_redact,
    "html": measure_html,
    "tui": measure_tui,
    "watch": measure_watch,
    "web": measure_web,
}


QUICK = Sizes(
    megabytes=20,
    one_file=30,
    small_sessions=500,
    long_session=5_000,
    repeats=5,
    chats=40,
    one_chat=20,
    messages=(10_000,),
    cursor=50,
    home_share=0.1,
    first_syncs=1,
    watch_seconds=15,
    watch_kills=5,
)


@contextlib.contextmanager
def busy(wanted: bool) -> Iterator[None]:
    """Another process that never rests, if wanted: a machine on which somebody works."""
    if not wanted:
        yield
        return
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as loop:
        try:
            yield
        finally:
            loop.kill()


def print_table(rows: list[Row]) -> None:
    """The figures, their targets, and whether they are met."""
    width = max(len(row.name) for row in rows)
    for row in rows:
        target = verdict = ""
        if row.limit is not None:
            target = f"{'>=' if row.at_least else '<='} {row.limit:g} {row.unit}"
            verdict = "ok" if row.is_met else "over"
        figure = f"{row.value:.2f}" if row.value < 10 else f"{row.value:.0f}"
        print(
            (
                f"{row.name:<{width}}  {figure:>7} {row.unit:<4}  {target:<11}  {verdict:<4}  "
                f"{row.beside}"
            ).rstrip()
        )


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="Measure agent-journal against baselines taken in the same run."
    )
    parser.add_argument("--megabytes", type=int, help="size of the main corpus (200)")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes: a look, not a measurement"
    )
    parser.add_argument(
        "--only", choices=tuple(PARTS), action="append", help="one part; may be repeated"
    )
    parser.add_argument(
        "--repeats", type=int, help="first syncs of each home, of which the least counts (5)"
    )
    parser.add_argument("--busy", action="store_true", help="keep one core busy while measuring")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser.parse_args()


def main() -> int:
    """Measures and prints; 1 when a measured command failed."""
    given = parsed()
    sizes = QUICK if given.quick else Sizes()
    if given.megabytes:
        sizes = sizes._replace(megabytes=given.megabytes)
    if given.repeats:
        sizes = sizes._replace(first_syncs=given.repeats)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="aj-bench-") as scratch, busy(given.busy):
        try:
            lab = Lab(scratch, sizes)
            for part in given.only or PARTS:
                print(f"measuring {part} ...", file=sys.stderr)
                rows += PARTS[part](lab)
        except Failed as error:
            print(error, file=sys.stderr)
            return 1
    if given.json:
        items = [row._asdict() | {"ok": row.is_met} for row in rows]
        print(
            json.dumps(
                {"schema": 1, "kind": "bench", "python": sys.version.split()[0], "items": items},
                indent=2,
            )
        )
    else:
        print_table(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
