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
# Names that are as short as flags, and no flags
_SHORT_NAMES = """
api aws css csv dns gcp git gpu ios jwt k8s llm npm php sdk sql ssh ssl svg tcp tls tsx udp vue
xml"""
_NAMES = frozenset(_SHORT_NAMES.split())
# Options of find and others that are words after a single minus, and no words that one excludes
_OPTION_NAMES = """
exec execdir fPIC iname ipath iregex maxdepth mindepth mmin mtime noout okdir print0 wholename"""
_OPTIONS = frozenset(_OPTION_NAMES.split())
# Programs with options that are ordinary words: these are options only after the program.
_COMPILER = "help pedantic pthread shared static verbose version"
_PROGRAMS = {
    "find": "daystart delete depth empty exec group links name newer path perm print prune regex "
    "size type user",
    "java": "classpath client help server verbose version",
    "javac": "classpath help verbose version",
    "git": "force help version",
    "go": "bench count cover race short timeout",
    "openssl": "days inform nodes outform subj text verify",
    "terraform": "destroy target upgrade",
    "gcc": _COMPILER,
    "g++": _COMPILER,
    "clang": _COMPILER,
}
# With one of these in a query, every minus is part of the command.
_LONG_OPTION = re.compile(r"--[A-Za-z]")
_CMDLET = re.compile(  # Remove-Item -Recurse, but not Content-Type
    r"(?:Add|Clear|Copy|Get|Import|Install|Invoke|Move|New|Remove|Rename|Select|Start|Stop|Test|Write)"
    r"-[A-Z]\w+"
)
_WITH_MEANING = frozenset(("word", "phrase", "regex", "field"))


def is_flag(word: str) -> bool:
    """Whether a minus and this word are text in any query, such as -rf."""
    is_one_case = word.islower() or word.isupper()  # curl -sSL
    if is_one_case and word.lower() in _NAMES:
        return False
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
    """Whether a query has what only a command has: `-f`, `--force`, `find` and `-name`."""
    options: set[str] = set()  # of the programs before
    for at, token in enumerate(tokens):
        if token.kind == "word":
            options.update(_PROGRAMS.get(token.text, "").split())
            if _is_of_command(token.text):
                return True
        elif _is_minus_word(tokens, at):
            word = tokens[at + 1].text
            if word in options or _is_telling_flag(word):
                return True
    return False


def _is_of_command(word: str) -> bool:
    return bool(_LONG_OPTION.match(word) or _CMDLET.fullmatch(word))


def _is_telling_flag(word: str) -> bool:
    """Two letters or a number do not tell: `error -foo -404 -docker` excludes docker."""
    is_short = 1 < len(word) < 4 and word.isalnum()
    return is_flag(word) and not is_short and not word.isdecimal()


def _has_more_than_exclusions(tokens: list[Token]) -> bool:
    """Whether anything is looked for: without that, `-docker` can only be text."""
    for at, token in enumerate(tokens):
        is_excluded = at > 0 and tokens[at - 1].kind == "not"
        if token.kind in _WITH_MEANING and not is_excluded:
            return True
    return False
