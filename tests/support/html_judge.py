"""Reads a page as a browser would, and objects to everything that is not ours."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser

ALLOWED = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "script",
    "body",
    "a",
    "header",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "dl",
    "div",
    "dt",
    "dd",
    "nav",
    "details",
    "summary",
    "ol",
    "ul",
    "li",
    "input",
    "span",
    "button",
    "select",
    "option",
    "main",
    "article",
    "p",
    "pre",
    "code",
    "b",
    "strong",
    "em",
    "s",
    "time",
    "footer",
    "section",
    "figure",
    "img",
    "figcaption",
    "blockquote",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "hr",
    "br",
}
VOID = ("meta", "link", "input", "br", "hr", "img")
# What pages of the server have, and exported ones have not; nor have they styles and pictures.
OF_SERVER = {"aside", "dialog", "form", "kbd", "label", "link", "mark"}
DOT = base64.b64decode(  # one pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
LINK = re.compile(r"https?://|mailto:|#|data:image/(png|jpeg|gif|webp);base64,|talk(-\d+)?\.html")


class Judge(HTMLParser):
    """Reads a page as a browser would, and objects to everything that is not ours."""

    allowed = ALLOWED
    links = LINK

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in self.allowed, tag
        self.scripts += tag == "script"
        for name, value in attrs:
            assert not name.startswith("on"), (tag, name)
            assert name != "style"
            if name in ("href", "src", "action"):
                assert self.links.match(value or ""), (tag, value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID or self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            assert not set(data) & {*map(chr, range(9)), "\x1b", "\x9b", "\u202e", "\u2066"}


class ServerJudge(Judge):
    """The same for pages of the server, and for parts of them."""

    allowed = (ALLOWED | OF_SERVER) - {"style", "img", "figure"}
    links = re.compile(r"/(?!/)|#|https?://e|mailto:")


def judge_page(text: str) -> None:
    """Object to everything in a page of the server, or a part of one, that is not ours."""
    judge = ServerJudge()
    judge.feed(text)
    judge.close()
    assert judge.open == []
    assert judge.scripts <= 1


def judged(text: str) -> Judge:
    judge = Judge()
    judge.feed(text)
    judge.close()
    assert judge.open == []
    assert judge.scripts == 1
    return judge
