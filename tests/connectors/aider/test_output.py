"""What Aider's own lines (`> …`) say."""

from __future__ import annotations

import pytest

from agent_journal.connectors.aider.output import Output, Tokens, classified, tokens, usage


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
