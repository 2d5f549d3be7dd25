"""Kinds of secrets, in all contexts and formats, with values made by chance; and innocent texts."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator

from agent_journal.text.redaction.redact import find_secrets, redact
from tests.support import innocent_hostile, innocent_terminal, innocent_texts, innocent_twins
from tests.support.secret_contexts import FORMATS
from tests.support.secret_kinds import all_kinds
from tests.support.secret_matrix import Cell, cells

SEED = 16
KINDS = 250
CONTEXTS = 400
EVERY = 5  # pairs of kind and context: one of them is tried, in one format
LEAKS = 0.003  # of the matrix; what leaks is listed
FALSE_ALARMS = {  # known, in innocent texts: a word may be a password
    "label: { password: 'Passwort', token: 'Token 2' }",
    'assert result.pass == "abc1234"',
}


def sample() -> Iterator[Cell]:
    """Yield a sample of the matrix, or all of it for `make test-all`."""
    if os.environ.get("AJ_ALL_CUTS"):
        return cells(SEED)
    return cells(SEED, formats_of_each=1, every=EVERY)


def test_leaks_are_rare() -> None:
    count = 0
    leaks: Counter[str] = Counter()
    for cell in sample():
        count += 1
        if cell.is_leaked(redact(cell.text)):
            leaks[f"{cell.kind.name} {cell.kind.form} as {cell.context} in {cell.format}"] += 1
    assert count > 10_000
    assert leaks.total() < LEAKS * count, leaks.most_common(40)


def test_the_matrix_is_large_and_the_sample_has_all_of_it() -> None:
    assert len(all_kinds()) >= KINDS
    assert len({cell.context for cell in sample()}) >= CONTEXTS
    assert {cell.kind for cell in sample()} == set(all_kinds())
    kinds = Counter(cell.context for cell in sample())
    assert min(kinds.values()) >= 3  # each context with several of them


def test_innocent_texts_stay() -> None:
    alarms = {text for text in innocent_texts.texts() if find_secrets(text)}
    assert alarms == FALSE_ALARMS


def test_innocent_twins_of_the_contexts_stay_in_every_format() -> None:
    lists = (innocent_twins, innocent_terminal, innocent_hostile)
    alarms = [
        (name, text)
        for innocent in lists
        for text in innocent.texts()
        for name, change in FORMATS
        if find_secrets(change(text))
    ]
    assert alarms == []


def test_a_second_time_changes_nothing_and_json_stays_json() -> None:
    for number, cell in enumerate(cells(SEED, formats_of_each=1, every=EVERY)):
        if number % 5 != 0 and not cell.format.startswith("JSON"):
            continue
        once = redact(cell.text)
        if number % 5 == 0:
            assert redact(once) == once, cell.text
        if cell.format.startswith("JSON"):
            assert json.loads(once).keys() == json.loads(cell.text).keys(), cell.text
