"""What is taken out of text before a terminal shows it."""

from __future__ import annotations

import pytest

from agent_journal.text.plain import one_line, quoted_path, safe


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2mCompacted\x1b[22m", "Compacted"),
        ("\x1b[38;5;12mblue\x1b[0m \x1b[?25lhidden cursor", "blue hidden cursor"),
        ("\x1b]0;a title\x07text \x1b]8;;https://a.invalid\x1b\\link", "text link"),
        ("\x1b]0;without end", "0;without end"),
        ("\x1b(Bplain \x9b1mbold", "plain bold"),
        ("a\x1b", "a"),
        ("[2m] is kept", "[2m] is kept"),
        ("tab\tand\nline\x00\u202e", "tab\tand\nline"),
    ],
)
def test_whole_sequences_go(text: str, shown: str) -> None:
    assert safe(text) == shown
    assert one_line(text, 100) == " ".join(shown.split())


@pytest.mark.parametrize(
    ("path", "quoted"),
    [
        ("src/a b é.py", "src/a b é.py"),
        ("a\nb\t.py", '"a\\nb\\t.py"'),
        ('say "\\".py', '"say \\"\\\\\\".py"'),
        ("\x1b[2J\u202e", '"\\033[2J\\342\\200\\256"'),
        ("not utf-8 \udcff", '"not utf-8 \\377"'),
    ],
)
def test_paths_are_quoted_as_git_does_it(path: str, quoted: str) -> None:
    assert quoted_path(path) == quoted
