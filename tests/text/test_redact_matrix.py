"""Kinds of secrets, in all contexts and formats, with values made by chance; and innocent texts."""

from __future__ import annotations

import json
from collections import Counter

from agent_journal.text.redaction.redact import find_secrets, redact
from tests.support import innocent_texts
from tests.support.secret_kinds import all_kinds
from tests.support.secret_matrix import cells

SEED = 16
KINDS = 250
CONTEXTS = 75
LEAKS = 0.01  # of the matrix; what leaks is listed
FALSE_ALARMS = {  # known, in innocent texts: a word may be a password
    "label: { password: 'Passwort', token: 'Token 2' }",
    'assert result.pass == "abc1234"',
}


def test_leaks_are_rare() -> None:
    """Each kind in each context, in one format after another."""
    count = 0
    leaks: Counter[str] = Counter()
    for cell in cells(SEED, formats_of_each=1):
        count += 1
        if cell.is_leaked(redact(cell.text)):
            leaks[f"{cell.kind.name} {cell.kind.form} as {cell.context} in {cell.format}"] += 1
    assert count > 14_000
    assert leaks.total() < LEAKS * count, leaks.most_common(40)


def test_the_matrix_is_large() -> None:
    assert len(all_kinds()) >= KINDS
    assert len({cell.context for cell in cells(SEED, formats_of_each=1)}) >= CONTEXTS


def test_innocent_texts_stay() -> None:
    alarms = {text for text in innocent_texts.texts() if find_secrets(text)}
    assert alarms == FALSE_ALARMS


def test_a_second_time_changes_nothing_and_json_stays_json() -> None:
    for number, cell in enumerate(cells(SEED, formats_of_each=1)):
        if number % 5 != 0 and not cell.format.startswith("JSON"):
            continue
        once = redact(cell.text)
        if number % 5 == 0:
            assert redact(once) == once, cell.text
        if cell.format.startswith("JSON"):
            assert json.loads(once).keys() == json.loads(cell.text).keys(), cell.text
