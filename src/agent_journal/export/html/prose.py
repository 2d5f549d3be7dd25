"""What people and agents say, from Markdown to HTML in which nothing acts.

markdown-it is set to allow no HTML; links lead to the web or to a mail address and nowhere else;
pictures are named, never loaded; headings are below those of the page.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock, reference
from markdown_it.token import Token

from agent_journal.export.html.colours import Painter
from agent_journal.export.html.inline import Inline, as_task
from agent_journal.export.html.parts import block, code_box
from agent_journal.export.prose import clean

# Characters: what is longer was hardly written to be read, and some of it takes quadratic time
_MAX = 200_000
_LINES = re.compile(r":\d{1,7}(?:[:-]\d{1,7})*\Z")
_SAFE_LINK = re.compile(r"(?i)(?:https?://|mailto:)")
# "[1]: https://…" is shown nowhere, "[TODO]: later" is something that was said
_HAS_ADDRESS = re.compile(r"\]:\s*<?(?:\w+:|[/#.]|[\w-]+[./])")
_DEEPER = 2  # heading levels
_LABEL = re.compile(r"\s*([\w+#.-]{1,30})")


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        """Whether a link may lead there, or names a file, which is shown and leads nowhere."""
        if _SAFE_LINK.match(url):
            return True
        return not url.startswith("//") and ":" not in _LINES.sub("", url)


class _Renderer(RendererHTML):
    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """A block of code in its language."""
        return code(tokens[idx].content, tokens[idx].info, env["painter"])

    def code_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """An indented block of code."""
        return code(tokens[idx].content, "", env["painter"])

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """The name of a picture: loading it would tell its host who reads this page."""
        token = tokens[idx]
        source = str(token.attrs.get("src", ""))[:300]
        return f'<span class="missing">picture: {escape(token.content)} ({escape(source)})</span>'


def rendered(text: str, painter: Painter, keep_lines: bool = False) -> str:
    """Markdown of a session as HTML; `keep_lines` shows line breaks as they were typed."""
    if len(text) > _MAX:
        return block(text, "wrap")
    parser = _parser(keep_lines)
    tokens = parser.parse(clean(text))
    _fit(tokens, parser)
    shown: str = parser.renderer.render(tokens, parser.options, {"painter": painter})
    return shown


def code(text: str, info: str, painter: Painter) -> str:
    """A block of code, coloured as far as its language is known."""
    text = clean(text).rstrip("\n")
    found = _LABEL.match(info)
    label = found[1] if found else ""
    return code_box(painter.paint(text, label), label=escape(label))


@functools.cache
def _parser(keep_lines: bool) -> MarkdownIt:
    options = {
        "html": False,
        "breaks": keep_lines,
        "linkify": False,
        "typographer": False,
        "maxNesting": 20,
    }
    parser = _Parser("commonmark", options, renderer_cls=_Renderer)
    parser.block.ruler.at("reference", _reference)
    return parser.enable(["table", "strikethrough"])


def _reference(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Read where links lead, from lines that hold nothing else."""
    line = state.src[state.bMarks[first] + state.tShift[first] : state.eMarks[first]]
    if not line.startswith("[") or not _HAS_ADDRESS.search(line):
        return False
    return reference(state, first, last, silent)


def _fit(tokens: Sequence[Token], parser: MarkdownIt) -> None:
    """Fits the tokens into the page: headings below ours, tables that scroll, safe links."""
    for number, token in enumerate(tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + _DEEPER)}"
        elif token.type == "table_open":
            token.attrSet("tabindex", "0")
        elif token.type in ("th_open", "td_open") and "style" in token.attrs:
            # Our policy allows no style in an element.
            token.attrs = {"class": f"a-{str(token.attrs['style']).partition(':')[2]}"}
        if token.children:
            token.children = Inline(parser).fitted(token.children)
            if number >= 2 and tokens[number - 2].type == "list_item_open":
                as_task(tokens[number - 2], token.children)
