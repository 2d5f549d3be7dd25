"""Secrets among the escape sequences of coloured output."""

from __future__ import annotations

import pytest

from agent_journal.text.redaction.redact import find_secrets, redact
from tests.support.growth import assert_linear

VALUE = "Tr0ub4dor-Xy9"
ESCAPES = ["\x1b", "\\u001b", "\\x1b", "\\033", "\\e"]


@pytest.mark.parametrize("escape", ESCAPES)
def test_a_value_with_colours_around_it_is_found(escape: str) -> None:
    red, bold, off = f"{escape}[31m", f"{escape}[1;33m", f"{escape}[0m"
    for text in (
        f"{red}password{off}: {bold}{VALUE}{off} and more",
        f"{red}DB_PASSWORD{off}={bold}{VALUE}{off}\n",
        f"DB_{red}PASS{off}WORD={VALUE}{off}\n",
        f"ok {red}ok{off}\nAuthorization: {bold}Bearer{off} {red}{VALUE}{off}",
    ):
        (found,) = find_secrets(text)
        assert text[found.start : found.end] == VALUE
        before, _, after = text.partition(VALUE)
        assert redact(text) == f"{before}[redacted {found.kind}]{after}"


def test_a_value_that_changes_its_colour_goes_as_a_whole() -> None:
    text = "password: \x1b[31mTr0ub4dor\x1b[0m-Xy9\x1b[1m!"
    assert redact(text + " x") == "password: \x1b[31m[redacted password] x"


def test_a_token_before_a_colour_is_found() -> None:
    token = "AKIA" + "Q3EGRIPTOA7DKZ4M"
    text = f"\x1b[1m{token}\x1b[0mIS THE KEY, \x1b[1mpassword\x1b[0m: {VALUE}"
    start = "\x1b[1m[redacted aws-key]\x1b[0mIS THE KEY, \x1b[1mpassword\x1b[0m: "
    assert redact(text) == start + "[redacted password]"


def test_what_a_terminal_does_not_show_is_looked_at_as_well() -> None:
    link = f"\x1b[1m\x1b]8;;https://bob:{VALUE}@db.example.org/\x1b\\here\x1b]8;;\x1b\\\x1b[0m"
    assert VALUE not in redact(link)


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[32mpassword\x1b[0m: \x1b[33mstring\x1b[0m;",
        "\x1b[31mFAILED\x1b[0m tests/test_token.py::\x1b[1mtest_token\x1b[0m",
        "arr[0x1b[3]] and a[033[2]]",
    ],
)
def test_colours_make_nothing_a_secret(text: str) -> None:
    assert redact(text) == text


def test_many_coloured_secrets_take_no_longer_each() -> None:
    assert_linear(redact, lambda size: f"\x1b[31mpassword\x1b[0m: {VALUE}\n" * size, size=500)
