"""Edits of Aider's answers of which no line says what became of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.model import FileEdit
from agent_journal.model.origins import PROPOSED_EDIT
from tests.support.aider_histories import RUN, history, read
from tests.support.assemble import Assembly
from tests.support.journals import aj, open_journal

ANSWER = "{}\n```python\n<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n```\n\n"
TOKENS = "> Tokens: 10 sent, 20 received.  \n"
ASKED = RUN + "#### go  \n\n"


def edits(assembly: Assembly) -> list[tuple[str, str]]:
    return [(edit.path, edit.origin) for edit in assembly.others if isinstance(edit, FileEdit)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (ANSWER.format("a.py"), [("a.py", PROPOSED_EDIT)]),
        (ANSWER.format("a.py") + TOKENS + "> ^C again to exit  \n", [("a.py", PROPOSED_EDIT)]),
        (ANSWER.format("a.py") + TOKENS + "> Applied edit to a.py  \n", [("a.py", "block")]),
        # what was refused, failed or cut off is not an edit
        (ANSWER.format("a.py") + TOKENS + "> Skipping edits to a.py  \n", []),
        (ANSWER.format("a.py") + "> ^C again to exit  \n", []),
        (ANSWER.format("a.py") + "> The LLM did not conform to the edit format.  \n", []),
        # names of files, and sentences
        (ANSWER.format("If you're using **npm**"), []),
        (ANSWER.format("In the file a.py"), []),
        (ANSWER.format("https://example.org/a.py"), []),
        (ANSWER.format("docs/my file.md"), [("docs/my file.md", PROPOSED_EDIT)]),
        (ANSWER.format("**src/Makefile**:"), [("src/Makefile", PROPOSED_EDIT)]),
        (ANSWER.format("Makefile"), [("Makefile", PROPOSED_EDIT)]),
        (ANSWER.format(".gitignore"), [(".gitignore", PROPOSED_EDIT)]),
        (ANSWER.format("a.py") + ANSWER.format("And then:"), [("a.py", PROPOSED_EDIT)] * 2),
        # a fence with a name is an edit only where the model was asked for whole files
        ("a.py\n```\nx\n```\n\n", []),
        ("```diff\n--- a.py\n+++ a.py\n@@ @@\n-x\n+y\n```\n\n", []),
    ],
)
def test_edits_of_unknown_outcome(text: str, found: list[tuple[str, str]]) -> None:
    assert edits(read(ASKED + text)) == found
    # also once more follows, and wherever the file ended before
    more = ASKED + text + "\n#### next  \n\nYes.\n\n" + RUN
    assert edits(read(more)) == found
    for cut in range(len(ASKED), len(more), 7):
        assert edits(read(more, parts=[cut])) == found


@pytest.mark.parametrize(
    ("edit_format", "prompt", "answer", "paths"),
    [
        ("whole", "go", "a.py\n```\nx\n```\n", ["a.py"]),
        ("whole", "/ask go", "a.py\n```\nx\n```\n", []),
        ("udiff", "go", "```diff\n--- a.py\n+++ a.py\n@@ @@\n-x\n+y\n```\n", ["a.py"]),
        ("ask", "go", ANSWER.format("a.py"), []),
        ("ask", "/code go", ANSWER.format("a.py"), ["a.py"]),
        ("architect", "go", ANSWER.format("a.py"), []),
        ("architect", "/code go", ANSWER.format("a.py"), ["a.py"]),
    ],
)
def test_only_some_modes_propose_edits(
    edit_format: str, prompt: str, answer: str, paths: list[str]
) -> None:
    model = f"> Main model: m with {edit_format} edit format  \n\n"
    found = edits(read(f"{RUN}{model}#### {prompt}  \n\n{answer}"))
    assert found == [(path, PROPOSED_EDIT) for path in paths]


def test_a_journal_takes_back_what_it_learns_more_about(tmp_path: Path) -> None:
    file = history(tmp_path / "p", ASKED + ANSWER.format("a.py"))
    counts = []
    with open_journal(tmp_path, AJ_AIDER_PATH=str(tmp_path / "p")) as journal:
        for more in ("", TOKENS, "> Applied edit to a.py  \n", "\n#### next  \n"):
            with file.open("a") as log:
                log.write(more)
            journal.sync()
            (session,) = journal.sessions()
            loaded = journal.session(session.id)
            counts.append([edit.origin for edit in loaded.file_edits])
    assert counts == [[PROPOSED_EDIT], [PROPOSED_EDIT], ["block"], ["block"]]


def test_what_is_shown_of_an_edit_of_unknown_outcome(tmp_path: Path) -> None:
    model = "> Main model: m with whole edit format  \n\n"
    history(tmp_path / "p", f"{RUN}{model}#### go  \n\na.py\n```\nx\n```\n\n{TOKENS}")
    places = {"AJ_AIDER_PATH": str(tmp_path / "p")}
    assert aj(tmp_path, "sync", env=places).returncode == 0
    shown = aj(tmp_path, "show", "last", "--edits", env=places)
    assert "edited a.py  proposed; whether it was made is not recorded" in shown.stdout
    exported = aj(tmp_path, "export", "last", "-f", "md", "-o", "-", env=places)
    assert "· proposed" in exported.stdout
    text = aj(tmp_path, "show", "last", "--file", "a.py", env=places)
    assert "the text of a.py at the end is not known" in text.stderr
