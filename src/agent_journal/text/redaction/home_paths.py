"""Home folders in text, in the ways that paths are written: they become `~`."""

from __future__ import annotations

import re

_USER = r"\w(?:[\w.-]*\w)?"
_END = r"(?![\w-]|\.\w)"  # a longer name is another folder
_HOME = re.compile(rf"/home/(?<![\w.~-]/home/){_USER}")
_USERS = re.compile(rf"/Users/(?<![\w.~:-]/Users/)(?!Shared\b){_USER}")
# Claude Code writes the path of a project with - for each sign.
_HOME_PROJECT = re.compile(
    r"(?m)-home-(?:(?<![\w.~-]-home-)|(?<=-var-home-))[A-Za-z0-9]+(?=[-/\\\"'`]|$)"
)
_USERS_PROJECT = re.compile(
    r"(?m)-Users-(?:(?<![\w.~]-Users-)|(?<=-mnt-\w-Users-))[A-Za-z0-9]+(?=[-/\\\"'`]|$)"
)
# A name of two or three words is a user's only where a folder follows it.
_WINDOWS_USER = (
    r"""(?!Public\b)(?:[^\\/:"'<>|?*\s]+(?: [^\\/:"'<>|?*\s]+){0,2}(?=[\\/])"""
    r"""|[^\\/:"'`<>|?*\s,;)\]}]+)"""
)
_WINDOWS = re.compile(r"[A-Za-z]:\\{1,16}Users\\{1,16}" + _WINDOWS_USER)
_SLASHED = re.compile(rf"\\{{1,16}}+/(?:home|Users)\\{{1,16}}+/(?!Shared\b){_USER}")
_PERCENT = re.compile(
    r"%(?:2[Ff]|5[Cc])(?:(?<![\w.~-]%..)|(?<=%[0-9A-Fa-f]{2}%..))(?:home|Users)%(?:2[Ff]|5[Cc])"
    rf"(?!Shared\b|Public\b){_USER}"
)
# A diff has an `a` or `b` before each path. A folder `home` of a repository looks the same there.
_IN_DIFF = re.compile(rf"(?<=--- a|\+\+\+ b)/(?:home|Users)/(?!Shared\b){_USER}(?=/)")
# What may precede a home folder although it looks like part of its path (_BEFORE), and what of it
# is replaced as well (_REPLACED).
_ODD_HOME = re.compile(rf"/home/{_USER}")
_ODD_USERS = re.compile(rf"/Users/(?!Shared\b|Public\b){_USER}")
_BEFORE = re.compile(
    r"(?:%[0-9A-Fa-f]{2}|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|[\[;][0-9]{0,3}m|[^A-Za-z]:|\w\w:)\Z"
)
_HOST = re.compile(r"(?:vscode-remote|file|ssh|sftp)://[\w+.%@:-]{1,80}\Z")
_REPLACED = re.compile(
    r"(?:(?<![\w.~-])/var|(?<![\w.~-])(?:/mnt)?/[A-Za-z]|(?<![A-Za-z])[A-Za-z](?::|%3[Aa]))\Z"
)
_NEAR = 100  # characters before a home folder that are looked at
_NEARER = 8  # if there is no address in them


def shorten_homes(text: str, home: str | None = None) -> str:
    """Return the text with home folders as `~`."""
    # Looking for a word is much cheaper than an expression, and most texts have none of them.
    has_home = "home" in text
    has_users = "Users" in text
    if home and (has_home or has_users or not home.startswith(("/home/", "/Users/"))):
        text = _shorten_own(text, home)
    if not has_home and not has_users:
        return text
    around_home = _signs_around(text, "home") if has_home else set()
    around_users = _signs_around(text, "Users") if has_users else set()
    if "//" in around_home:
        text = _HOME.sub("~", text)
    if "--" in around_home:
        text = _HOME_PROJECT.sub("-~", text)
    if "//" in around_users:
        text = _USERS.sub("~", text)
    if "--" in around_users:
        text = _USERS_PROJECT.sub("-~", text)
    if "\\\\" in around_users:
        text = _WINDOWS.sub("~", text)
    return _shorten_escaped(text, around_home | around_users)


def find_homes(text: str, home: str) -> list[tuple[int, int]]:
    """Where plain paths of home folders are in a text, which is too marked up to be replaced.

    In the headings of diffs they are found, too: on a screen, a `~` too many does no harm.
    """
    own = re.compile(re.escape(home) + _END)
    forms = (_HOME, _USERS, _IN_DIFF)
    found = [match.span() for form in forms for match in form.finditer(text)]
    if len(home) > 1:
        found += [match.span() for match in own.finditer(text)]
    return found


def _signs_around(text: str, word: str) -> set[str]:
    """Return the characters before and after a word, wherever it is."""
    signs: set[str] = set()
    at = text.find(word)
    while at >= 0:
        after = at + len(word)
        signs.add(text[at - 1 : at] + text[after : after + 1])
        at = text.find(word, after)
    return signs


def _shorten_own(text: str, home: str) -> str:
    if len(home) > 1 and home in text:
        return re.sub(re.escape(home) + _END, "~", text)
    return text


def _shorten_escaped(text: str, around: set[str]) -> str:
    if "/\\" in around:
        text = _SLASHED.sub("~", text)
    if "%" in text:
        text = _PERCENT.sub("~", text)
    if "//" in around and ("/home/" in text or "/Users/" in text):
        text = _shorten_unusual(text)
    return text


def _shorten_unusual(text: str) -> str:
    """Shorten homes after `/mnt/c`, `/var`, a drive, a host or an escape."""
    parts: list[str] = []
    done = 0
    matches = [*_ODD_HOME.finditer(text), *_ODD_USERS.finditer(text)]
    matches.sort(key=lambda match: match.start())
    for match in matches:
        start = match.start()
        if start < done:
            continue
        before = text[max(done, start - _NEAR) : start]
        near = max(0, len(before) - _NEARER)
        replaced = _REPLACED.search(before, near)
        if replaced is not None:
            start -= len(before) - replaced.start()
        elif not _BEFORE.search(before, near) and not ("://" in before and _HOST.search(before)):
            continue
        parts += (text[done:start], "~")
        done = match.end()
    return "".join((*parts, text[done:]))
