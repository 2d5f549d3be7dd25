"""Measures how well `aj search` finds sessions: R@1, R@5 and MRR for questions about dialogs.

    python bench/retrieval/sessions.py                   the invented dialogs of this folder
    python bench/retrieval/sessions.py locomo10.json     dialogs in the form of LoCoMo, too
    python bench/retrieval/sessions.py --without         leaves out each part of the ranking in turn
    python bench/retrieval/sessions.py --cli             asks through `aj search --json`

Every home is a journal of its own. Nonsense must find nothing; a paraphrase has no word in common
with its session, so that only its meaning can find it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, NamedTuple

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import dialogs

from agent_journal.errors import JournalError
from agent_journal.journal import Journal
from agent_journal.query.parser import parse
from agent_journal.query.tree import Parsed
from agent_journal.search import families, ranking, relevance
from agent_journal.search.finding import Searcher
from agent_journal.sync.indexes import lexical, vectors

MODES = ("lexical", "semantic", "hybrid")
LIMIT = 10
_LONG_AGO = datetime(2026, 1, 1)  # for sessions without a date
# What can be left out: the module, the name of the constant, and its value without it
PARTS: dict[str, list[tuple[Any, str, Any]]] = {
    "nothing": [],
    "dates": [(ranking, "_DATE", 0.0)],
    "whole sessions": [(ranking, "_WHOLE", 0.0)],
    "meaning": [(ranking, "_MEANING", 0.0)],
    "less weight of helper words": [(families, "_HELPER_WEIGHT", 1.0)],
    "the second and third message": [(ranking, "_BEST_MESSAGES", (1.0,))],
    "the constant for having a word": [(relevance, "HAS_WORD", 0.0)],
    "the bonus for all words": [
        (relevance, "ALL_WORDS_BONUS", 0.0),
        (relevance, "FEW_WORDS_BONUS", 0.0),
    ],
    "titles": [(ranking, "_REPEATED", 0.0)],
    "less trust in few words": [(ranking, "_LESS_SURE", 0)],
    "what is there as it was typed": [(ranking, "_AROUND_LITERAL", 1.0)],
}
Ask = Callable[[str, str], list[str]]  # a question and a mode -> ids of sessions, best first


class Result(NamedTuple):
    """How one question was answered: the place of the right session, 0 where it is not found."""

    kind: str
    rank: int


def write_home(home: dialogs.Home, folder: str) -> None:
    """Write the sessions of a home as an agent would."""
    logs = os.path.join(folder, ".claude", "projects", "-bench")
    os.makedirs(logs)
    for number, session in enumerate(home.sessions):
        with open(os.path.join(logs, f"s{number}.jsonl"), "w", encoding="utf-8") as file:
            for record in _records(number, session):
                file.write(json.dumps(record) + "\n")


def _records(number: int, session: dialogs.Session) -> Iterator[dict[str, Any]]:
    name = f"s{number}"
    began = session.date or _LONG_AGO
    for place, turn in enumerate(session.turns):
        when = began + timedelta(seconds=20 * place)
        yield {
            "type": turn.role,
            "uuid": f"{name}-{place}",
            "parentUuid": f"{name}-{place - 1}" if place else None,
            "sessionId": name,
            "cwd": "/bench",
            "timestamp": when.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "message": {
                "role": turn.role,
                "id": f"m{number}-{place}",
                "content": [{"type": "text", "text": turn.text}],
            },
        }
    if session.title:
        yield {"type": "custom-title", "sessionId": name, "customTitle": session.title}


@contextmanager
def asking(
    home: dialogs.Home, *, through_cli: bool, read: Callable[[str], Parsed] = parse
) -> Iterator[Ask]:
    """A journal of a home, ready to be asked; `read` makes a query of a question."""
    with tempfile.TemporaryDirectory(prefix="aj-retrieval-") as folder:
        write_home(home, folder)
        os.environ |= {"HOME": folder, "AJ_HOME": os.path.join(folder, "journal"), "TZ": "UTC"}
        with Journal.open() as journal:
            journal.sync()
            if through_cli:
                yield _ask_cli
            else:
                made, _ = vectors(journal.config)
                searcher = Searcher(journal.db, lexical(journal.config), made)
                yield lambda question, mode: _ask(searcher, read(question), mode)


def _ask(searcher: Searcher, question: Parsed, mode: str) -> list[str]:
    try:
        found = searcher.find(question, mode, per_session=True, limit=LIMIT)
    except JournalError:
        return []
    return [hit.session.id for hit in found.hits if hit.session is not None]


def _ask_cli(question: str, mode: str) -> list[str]:
    command = [sys.executable, "-m", "agent_journal", "search", "--json", "--no-sync"]
    command += ["-n", str(LIMIT), "--mode", mode, "--", question]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    items = json.loads(done.stdout).get("items", [])
    return [item["session"].partition(":")[2] for item in items if "session" in item]


def answer(home: dialogs.Home, ask: Ask, mode: str) -> list[Result]:
    """Ask all questions about a home."""
    results = []
    for question in home.questions:
        gold = {f"s{number}" for number in question.sessions}
        found = ask(question.text, mode)
        rank = next((place for place, one in enumerate(found, 1) if one in gold), 0)
        results.append(Result(question.kind, rank))
    return results


def figures(results: list[Result]) -> str:
    """R@1 / R@5 / MRR, in per cent."""
    count = len(results) / 100
    first = sum(result.rank == 1 for result in results) / count
    five = sum(0 < result.rank <= 5 for result in results) / count
    mrr = sum(1 / result.rank for result in results if result.rank) / count
    return f"{first:.1f} / {five:.1f} / {mrr:.1f}"


@contextmanager
def without(part: str) -> Iterator[None]:
    """Leave a part of the ranking out for a while."""
    before = [(module, name, getattr(module, name)) for module, name, _ in PARTS[part]]
    for module, name, value in PARTS[part]:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


def print_modes(homes: list[dialogs.Home], *, through_cli: bool) -> None:
    """Print how each mode answers each kind of question."""
    results: dict[tuple[str, str], list[Result]] = {}
    nothing = dict.fromkeys(MODES, 0)
    asked = 0
    for home in homes:
        with asking(home, through_cli=through_cli) as ask:
            for mode in MODES:
                for result in answer(home, ask, mode):
                    results.setdefault((result.kind, mode), []).append(result)
                nothing[mode] += sum(not ask(query, mode) for query in dialogs.nonsense())
            asked += len(dialogs.nonsense())
    print("R@1 / R@5 / MRR".ljust(24) + "  ".join(mode.rjust(20) for mode in MODES))
    for kind in dict.fromkeys(kind for kind, _ in results):
        count = len(results[kind, MODES[0]])
        cells = [figures(results[kind, mode]).rjust(20) for mode in MODES]
        print(f"{kind} ({count:,})".ljust(24) + "  ".join(cells))
    cells = [f"{nothing[mode] * 100 / asked:.1f} %".rjust(20) for mode in MODES]
    print("nonsense finds nothing".ljust(24) + "  ".join(cells))


def print_parts(homes: list[dialogs.Home]) -> None:
    """Print what each part of the ranking is worth."""
    print("hybrid without".ljust(34) + "R@1 / R@5 / MRR")
    results: dict[str, list[Result]] = {part: [] for part in PARTS}
    for home in homes:
        for part in PARTS:
            with without(part), asking(home, through_cli=False) as ask:
                results[part] += answer(home, ask, "hybrid")
    for part, answered in results.items():
        print(part.ljust(34) + figures(answered))


def main() -> None:
    """Measures and prints a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", help="dialogs in the form of LoCoMo")
    parser.add_argument("--without", action="store_true", help="leave out parts of the ranking")
    parser.add_argument("--cli", action="store_true", help="ask through the command")
    given = parser.parse_args()
    groups = {"invented": dialogs.own_homes()}
    groups |= {os.path.basename(path): dialogs.read(path) for path in given.files}
    for name, homes in groups.items():
        count = sum(len(home.questions) for home in homes)
        print(f"== {name}: {len(homes)} homes, {count:,} questions")
        if given.without:
            print_parts(homes)
        else:
            print_modes(homes, through_cli=given.cli)


if __name__ == "__main__":
    main()
