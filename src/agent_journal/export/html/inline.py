"""The parts of a paragraph: links to the web and to files, bare addresses, boxes of tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from agent_journal.text.plain import safe

_WEB = re.compile(r"(?i)(?:https?://|mailto:)")
_BARE = re.compile(
    r"(?i)(?<![\w/])https?://[^\s<>\"`。，、；：！？（）「」『』《》【】“”‘’…]{1,2000}"
)
_ENDS = ".,;:!?'*_~|"  # what hardly belongs to an address at its end
_PAIRS = {")": "(", "]": "[", "}": "{"}
_BOXES = {" ": ("☐", "to do"), "x": ("☑", "done")}
_TASK = re.compile(r"\[([ xX])\][ \t]+")


class Inline:
    """Fits the parts of one paragraph."""

    def __init__(self, parser: MarkdownIt) -> None:
        self._parser = parser
        self._out: list[Token] = []
        # Links: the file that one names, and where its text begins
        self._open: list[tuple[str | None, int]] = []

    def fitted(self, children: Sequence[Token]) -> list[Token]:
        """The parts without control characters, also those written as entities.

        Links to files become text, and bare addresses links.
        """
        for child in children:
            child.content = safe(child.content)
            for name, value in child.attrs.items():
                if isinstance(value, str):
                    child.attrs[name] = safe(value)
            if child.type == "link_open":
                self._begin(child)
            elif child.type == "link_close":
                self._end(child)
            elif child.type == "text" and not self._open:
                self._out += self._with_links(child.content)
            else:
                self._out.append(child)
        return self._out

    def _begin(self, link: Token) -> None:
        target = str(link.attrs.get("href", ""))
        if _WEB.match(target):
            self._open.append((None, 0))
            self._out.append(_as_ours(link))
        else:
            self._open.append((safe(self._parser.normalizeLinkText(target)), len(self._out)))

    def _end(self, link: Token) -> None:
        path, start = self._open.pop()
        if path is None:
            self._out.append(link)
        elif path and path != "".join(token.content for token in self._out[start:]):
            code = Token("code_inline", "code", 0, content=path, markup="`")
            self._out += (_text(" ("), code, _text(")"))

    def _with_links(self, text: str) -> Iterator[Token]:
        at = 0
        for found in _BARE.finditer(text):
            url = _trimmed(found[0])
            target = self._parser.normalizeLink(url)
            if not url.partition("://")[2] or not _WEB.match(target):
                continue
            yield _text(text[at : found.start()])
            yield _as_ours(Token("link_open", "a", 1, attrs={"href": target}))
            yield _text(url)
            yield Token("link_close", "a", -1)
            at = found.start() + len(url)
        yield _text(text[at:])


def _as_ours(link: Token) -> Token:
    link.attrSet("rel", "noopener noreferrer")
    link.attrSet("target", "_blank")
    return link


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _trimmed(url: str) -> str:
    """An address without the signs that end the sentence around it."""
    counts = {sign: url.count(sign) for pair in _PAIRS.items() for sign in pair}
    end = len(url)
    while end:
        last = url[end - 1]
        if last in _PAIRS and counts[last] > counts[_PAIRS[last]]:
            counts[last] -= 1
        elif last not in _ENDS:
            break
        end -= 1
    return url[:end]


def as_task(item: Token, children: list[Token]) -> None:
    """Makes a box of the `[ ]` that an item of a list begins with."""
    if not children or children[0].type != "text":
        return
    found = _TASK.match(children[0].content)
    if found is None:
        return
    sign, state = _BOXES[found[1].lower()]
    children[0].content = children[0].content[found.end() :]
    mark = f'<span class="mark" role="img" aria-label="{state}">{sign}</span> '
    children.insert(0, Token("html_inline", "", 0, content=mark))
    item.attrSet("class", "task")
