"""Decides which minus excludes a word, and which one is part of a command.

`redis -cluster` excludes a word; `rm -rf`, `find . -name x` and `git push -f` are text. The rule is
in docs/query.md. NOT, and a minus before anything but a word, always exclude.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from agent_journal.query.lexer import Token

# What is never a word to exclude
_FLAG = re.compile(
    r"[A-Za-z0-9]{1,3}"  # -f -rf -xzf -O2
    r"|[0-9][0-9.,:]*"  # -100
    r"|[A-Za-z][0-9]+(?::[0-9]+)?"  # -j16 -p8080:80
    r"|[A-Za-z][\w.-]*=.*"  # -target=x -Dname=value
    r"|D[\w-]+\..+|D[a-z]+[A-Z]\w*"  # -Dmaven.test.skip -DskipTests
    r"|X(?:X?:.+|[a-z]{2}[0-9]+[kmgKMG]?)"  # -XX:+UseG1GC -Xmx4g
    r"|W(?:all|error|extra|no)(?:-[\w-]+)?",  # -Wall -Wno-unused
    re.DOTALL,
)
# Options of find, Java, compilers and others that are words after a single minus
_OPTION_NAMES = """
classpath delete depth empty exec execdir fPIC force help iname ipath iregex maxdepth mindepth mmin
mtime name newer nodes noout okdir path pedantic perm print print0 prune pthread regex shared size
static type user verbose version wholename"""
_OPTIONS = frozenset(_OPTION_NAMES.split())
# With one of these in a query, every minus is part of the command.
_LONG_OPTION = re.compile(r"--[A-Za-z]")
_CMDLET = re.compile(r"[A-Z][a-z]+-[A-Z]\w+")  # Remove-Item -Recurse
_WITH_MEANING = frozenset(("word", "phrase", "regex", "field"))


def is_flag(word: str) -> bool:
    """Whether a minus and this word are text in any query, such as -rf."""
    return word in _OPTIONS or _FLAG.fullmatch(word) is not None


def settle_minuses(tokens: Iterable[Token]) -> Iterator[Token]:
    """Make each minus that does not exclude a part of its word."""
    known = list(tokens)
    is_text = _is_command(known) or not _has_more_than_exclusions(known)
    at = 0
    while at < len(known):
        token = known[at]
        if _is_minus_word(known, at):
            word = known[at + 1].text
            if is_text or is_flag(word):
                token = Token("word", token.place, f"-{word}")
                at += 1
        yield token
        at += 1


def _is_minus_word(tokens: list[Token], at: int) -> bool:
    """Whether there is a minus with a word directly after it."""
    if tokens[at].kind != "not" or tokens[at].text != "-" or at + 1 == len(tokens):
        return False
    following = tokens[at + 1]
    return following.kind == "word" and following.place == tokens[at].place + 1


def _is_command(tokens: list[Token]) -> bool:
    """Whether a query has what only a command has: `-f`, `--force`, `-name`, `Remove-Item`."""
    for at, token in enumerate(tokens):
        if token.kind == "word" and _is_of_command(token.text):
            return True
        if _is_minus_word(tokens, at) and _is_telling_flag(tokens[at + 1].text):
            return True
    return False


def _is_of_command(word: str) -> bool:
    return bool(_LONG_OPTION.match(word) or _CMDLET.fullmatch(word))


def _is_telling_flag(word: str) -> bool:
    """Two or three letters do not tell: `error -css -docker` excludes docker."""
    is_short = 1 < len(word) < 4 and word.isalpha()
    return is_flag(word) and not is_short


def _has_more_than_exclusions(tokens: list[Token]) -> bool:
    """Whether anything is looked for: without that, `-docker` can only be text."""
    for at, token in enumerate(tokens):
        is_excluded = at > 0 and tokens[at - 1].kind == "not"
        if token.kind in _WITH_MEANING and not is_excluded:
            return True
    return False
