"""Measures what `aj search` finds: R@10 and MRR of each mode on three sets of questions.

    INDEX=<simple index> python bench/retrieval/run.py [--work FOLDER] [--only SET]

Every passage becomes a session of one message, every question is asked as plain words. `hash` is
hybrid with `index.vector.fallback = "hash"`.
"""

from __future__ import annotations

import argparse
import os

import dialogs
import sessions
import sets

from agent_journal.query.tree import And, Parsed, Word

HERE = os.path.dirname(os.path.abspath(__file__))
FALLBACK = "AJ_INDEX_VECTOR_FALLBACK"
# R@10 of hybrid that must be reached; it must also be that of lexical at least.
GOALS = {"commit": 90.0, "docstring": 90.5, "heading": 82.5}


def home_of(kind: str, pairs: list[tuple[str, str]]) -> dialogs.Home:
    """A home with a session for each passage, and the questions that they answer."""
    passages = [
        dialogs.Session(None, None, [dialogs.Turn("assistant", passage)]) for _, passage in pairs
    ]
    questions = [
        dialogs.Question(question, frozenset([number]), kind)
        for number, (question, _) in enumerate(pairs)
    ]
    return dialogs.Home(kind, passages, questions)


def as_words(text: str) -> Parsed:
    """The question as plain words: whoever wrote a subject or a heading did not write a query."""
    return Parsed(And(tuple(Word(word) for word in text.split())), None)


def measure(home: dialogs.Home) -> dict[str, list[sessions.Result]]:
    """How each mode answers the questions about a home."""
    with sessions.asking(home, through_cli=False, read=as_words) as ask:
        answers = {mode: sessions.answer(home, ask, mode) for mode in sessions.MODES}
    os.environ[FALLBACK] = "hash"
    with sessions.asking(home, through_cli=False, read=as_words) as ask:
        answers["hash"] = sessions.answer(home, ask, "hybrid")
    del os.environ[FALLBACK]
    return answers


def recall(results: list[sessions.Result]) -> float:
    """R@10 in per cent."""
    return 100 * sum(result.rank > 0 for result in results) / len(results)


def figures(results: list[sessions.Result]) -> str:
    """R@10 (MRR), in per cent."""
    mrr = 100 * sum(1 / result.rank for result in results if result.rank) / len(results)
    return f"{recall(results):.1f} ({mrr:.1f})"


def main() -> None:
    """Measures and prints a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    work = os.path.join(HERE, "..", ".corpus", "retrieval")
    parser.add_argument("--work", default=work, help="where archives are")
    parser.add_argument("--only", choices=GOALS, help="one of the sets")
    given = parser.parse_args()
    sets.fetch(given.work)
    answers = {
        kind: measure(home_of(kind, pairs))
        for kind, pairs in sets.gather(given.work).items()
        if given.only in (None, kind)
    }
    print_table(answers)


def print_table(answers: dict[str, dict[str, list[sessions.Result]]]) -> None:
    """Print how each mode answers each set, and whether the goals are met."""
    sizes = [f"{kind} ({len(rows['hybrid']):,})".rjust(18) for kind, rows in answers.items()]
    print("R@10 (MRR)".ljust(12) + "  ".join(sizes))
    for mode in (*sessions.MODES, "hash"):
        cells = [figures(rows[mode]).rjust(18) for rows in answers.values()]
        print(mode.ljust(12) + "  ".join(cells))
    for kind, rows in answers.items():
        reached = recall(rows["hybrid"])
        wanted = max(GOALS[kind], recall(rows["lexical"]))
        verdict = "under"
        if reached >= wanted:
            verdict = "ok"
        print(f"hybrid, {kind}: {reached:.1f} of {wanted:.1f} wanted: {verdict}")


if __name__ == "__main__":
    main()
