"""Code with comments, strings, numbers, keywords and called names marked by class.

A small reader of its own, not pygments: that takes 6 to 50 seconds for 20 KB of some hostile code,
and 1.6 seconds for 1 MB of ordinary code. Every pattern here is bounded or possessive, so that no
text takes more than linear time.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from html import escape

_MAX_BLOCK = 50_000  # characters
_MAX_PAGE = 1_000_000
_SLASHES = r"//[^\n]*|/\*(?:[^*]+|\*(?!/))*+(?:\*/)?"
_HASH = r"(?<![^\s])\#[^\n]*"
_DASHES = r"--[^\n]*"
_TAGS = r"<!--(?:[^-]+|-(?!->))*+(?:-->)?"
_QUOTED = r'"(?:[^"\\\n]|\\.){0,500}+"|' + r"'(?:[^'\\\n]|\\.){0,500}+'"
_TRIPLE = r'"""(?:[^"\\]+|\\.|"(?!""))*+(?:""")?|' + r"'''(?:[^'\\]+|\\.|'(?!''))*+(?:''')?"
_TICKED = r"`(?:[^`\\]|\\.){0,500}+`"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORDS = _words("""
abstract and as assert async await bool boolean break byte case catch chan char class const
constexpr continue def default defer del delete do double dyn elif else enum except export extends
extern false final finally float fn for foreach from func function global go goto if impl
implements import in instanceof int interface internal is lambda let local long loop match mod
module move mut namespace native new nil nonlocal not null nullptr None True False object of
operator or override package pass private protected pub public raise readonly record ref register
require return self short signed sizeof static str string struct super switch synchronized
template then this throw throws trait true try type typedef typename typeof undefined union unless
unsafe unsigned until use using val var virtual void volatile when where while with yield begin
end elsif rescue ensure
""")
_SHELL = _words("""
if then else elif fi for while until do done case esac in function export local return set unset
exit
""")
_SQL = _words("""
select from where and or not null insert into values update set delete create table index view
drop alter add column primary key foreign references join left right inner outer on group by order
having limit offset union all distinct as case when then else end with recursive exists between
like in is asc desc begin commit rollback default unique
""")
_DATA = frozenset(("true", "false", "null", "yes", "no", "on", "off"))
_FAMILIES: dict[str, tuple[str, str, frozenset[str]]] = {  # comments, strings, keywords
    "c": (_SLASHES, f"{_QUOTED}|{_TICKED}", _WORDS),
    "python": (_HASH, f"{_TRIPLE}|{_QUOTED}", _WORDS),
    "php": (f"{_SLASHES}|{_HASH}", _QUOTED, _WORDS),
    "shell": (_HASH, _QUOTED, _SHELL),
    "data": (_HASH, f"{_TRIPLE}|{_QUOTED}", _DATA),
    "json": (_SLASHES, _QUOTED, _DATA),
    "sql": (f"{_DASHES}|{_SLASHES}", _QUOTED, _SQL | {word.upper() for word in _SQL}),
    "lua": (_DASHES, _QUOTED, _WORDS),
    "markup": (_TAGS, _QUOTED, frozenset()),
    "css": (_SLASHES, _QUOTED, frozenset()),
}
_LANGUAGES = {
    name: family
    for family, names in {
        "c": "c h cc cpp cxx c++ hpp cs csharp java js javascript jsx mjs cjs ts typescript tsx go "
        "golang rust rs swift kotlin kt scala dart groovy zig proto graphql",
        "python": "python py pyi ruby rb r perl pl elixir ex julia nim",
        "php": "php hcl tf terraform",
        "shell": "sh bash shell zsh console fish powershell ps1 make makefile dockerfile docker",
        "data": "yaml yml toml ini cfg conf properties env",
        "json": "json jsonc json5 jsonl",
        "sql": "sql",
        "lua": "lua haskell hs",
        "markup": "html htm xml svg vue svelte",
        "css": "css scss less",
    }.items()
    for name in names.split()
}


class Painter:
    """Paints code until a page has had enough of it."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Starts a new page."""
        self._left = _MAX_PAGE

    def paint(self, code: str, language: str) -> str:
        """Code (clean text) as HTML, coloured when the language is known and there is not too much
        of it.
        """
        family = _LANGUAGES.get(language.lower())
        if family is None or len(code) > min(_MAX_BLOCK, self._left):
            return escape(code)
        self._left -= len(code)
        return "".join(_painted(code, family))


def language_of(path: str) -> str:
    """The language of a file by its name; empty when it is not known."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    ending = name.rpartition(".")[2]
    return ending if ending in _LANGUAGES else ""


@functools.cache
def _pattern(family: str) -> re.Pattern[str]:
    comments, strings, _ = _FAMILIES[family]
    word = r"</?[A-Za-z][\w:.-]{0,100}" if family == "markup" else r"[A-Za-z_$][\w$]{0,200}+"
    number = r"(?<![\w$])\d[\w.]{0,40}+"
    return re.compile(f"(?P<com>{comments})|(?P<str>{strings})|(?P<num>{number})|(?P<word>{word})")


def _painted(code: str, family: str) -> Iterator[str]:
    keywords = _FAMILIES[family][2]
    at = 0
    for match in _pattern(family).finditer(code):
        kind, text, end = match.lastgroup, match[0], match.end()
        if kind == "word":
            if text in keywords or family == "markup":
                kind = "kw"
            elif code[end : end + 1] == "(":
                kind = "fn"
            else:
                continue
        elif kind == "str" and family == "json" and code[end : end + 1] == ":":
            kind = "fn"
        yield escape(code[at : match.start()])
        yield f'<span class="c-{kind}">{escape(text)}</span>'
        at = end
    yield escape(code[at:])
