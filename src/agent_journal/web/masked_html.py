"""HTML without secrets: texts are looked at as a reader sees them, across the tags within a line.

A name and its value are often in different elements of one line, because code is coloured and hits
are marked. So the text of a page is put together first, and what is found in it is taken out of
each element that has a part of it.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

Change = Callable[[str], str]
Attributes = list[tuple[str, str | None]]
# Elements within a line; any other one begins a new line.
_INLINE = frozenset(("a", "abbr", "b", "bdi", "code", "del", "em", "i", "ins", "kbd", "mark", "s"))
_INLINE |= frozenset(("small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr"))
# Attributes that hold no text of a session
_PLAIN = frozenset(("class", "id", "lang", "dir", "rel", "type", "role", "src", "action", "for"))
_SHOW_ALL = "Show everything again"


def mask_html(
    text: str, change: Change, name: Change | None = None, way_back: str = "?mask=0"
) -> str:
    """Return a page, or a part of one, without secrets; `change` takes them out of a text.

    `name` gives what stands for a value in an address, so that it leads where it led; `way_back`
    is the address of the page as it is.
    """
    reader = _Reader(change, name or change, way_back)
    reader.feed(text)
    reader.close()
    return reader.masked()


class _Reader(HTMLParser):
    """Reads a page as tags, which stay as they are, and texts."""

    def __init__(self, change: Change, name: Change, way_back: str) -> None:
        super().__init__(convert_charrefs=True)
        self._change = change
        self._name = name
        self._way_back = way_back
        self._parts: list[str] = []  # of the page
        self._texts: list[int] = []  # which of them are texts
        self._starts: list[int] = []  # where each text begins in all texts
        self._lines: list[str] = []
        self._length = 0
        self._has_link = False

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        self._break_line(tag)
        self._parts.append(self._tag(tag, attrs))

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self._break_line(tag)
        if tag == "header" and not self._has_link:
            self._has_link = True
            link: Attributes = [("class", "masked"), ("href", self._way_back)]
            self._parts.append(self._tag("a", [*link, ("title", _SHOW_ALL)]) + "masked</a>")
        self._parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self._texts.append(len(self._parts))
        self._starts.append(self._length)
        self._parts.append(data)
        self._add(data)

    def handle_decl(self, decl: str) -> None:
        self._parts.append(f"<!{decl}>")

    def masked(self) -> str:
        """The page without secrets."""
        taken: dict[int, list[tuple[int, int, str]]] = {}
        for start, end, label in _found("".join(self._lines)):
            number = max(0, bisect_right(self._starts, start) - 1)
            while number < len(self._starts) and self._starts[number] < end:
                begin = self._starts[number]
                taken.setdefault(number, []).append((max(0, start - begin), end - begin, label))
                label = ""  # the rest of it is in the next elements
                number += 1
        for number, place in enumerate(self._texts):
            text = _without(self._parts[place], taken.get(number, []))
            self._parts[place] = escape(self._change(text), quote=False)
        return "".join(self._parts)

    def _break_line(self, tag: str) -> None:
        if tag not in _INLINE:
            self._add("\n")

    def _add(self, text: str) -> None:
        self._lines.append(text)
        self._length += len(text)

    def _tag(self, tag: str, attrs: Attributes) -> str:
        words = [tag]
        is_hidden = tag == "input" and ("type", "hidden") in attrs
        for name, value in attrs:
            if value is None:
                words.append(name)
            elif is_hidden and name == "value":  # it becomes a part of an address
                words.append(f'{name}="{escape(self._own_value(value))}"')
            else:
                words.append(f'{name}="{escape(self._attribute(name, value))}"')
        return f"<{' '.join(words)}>"

    def _attribute(self, name: str, value: str) -> str:
        if name in _PLAIN:
            return value
        if name == "href" and value.startswith(("/", "?", "#")):
            return self._own_address(value)
        return self._change(value)

    def _own_address(self, value: str) -> str:
        """An address of ours: its path leads to a session, what is asked for may be a secret."""
        parts = urlsplit(value)
        asked = parse_qsl(parts.query, keep_blank_values=True)
        changed = [(name, self._own_value(text)) for name, text in asked]
        if changed == asked:
            return value
        return urlunsplit(parts._replace(query=urlencode(changed)))

    def _own_value(self, text: str) -> str:
        if self._change(text) == text:
            return text
        return self._name(text)


def _found(text: str) -> list[tuple[int, int, str]]:
    """Where secrets and home folders are in a text, in order, with what stands for each."""
    from agent_journal.text.redaction.home_paths import find_homes
    from agent_journal.text.redaction.redact import find_secrets

    secrets = [(one.start, one.end, f"[redacted {one.kind}]") for one in find_secrets(text)]
    homes = [(start, end, "~") for start, end in find_homes(text, os.path.expanduser("~"))]
    return sorted(secrets + homes)


def _without(text: str, taken: list[tuple[int, int, str]]) -> str:
    """The text with a label in place of each part that is taken out, which are in order."""
    parts = []
    done = 0
    for start, end, label in taken:
        parts.append(text[done:start])
        parts.append(label)
        done = max(done, end)
    return "".join((*parts, text[done:]))
