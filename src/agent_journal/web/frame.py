"""The frame of every page of the server: its head, the box for searches, and the ways around."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from starlette.responses import HTMLResponse

from agent_journal.export.prose import in_tag
from agent_journal.web.static_files import address


def page(title: str, main: Iterable[str], *, query: str = "") -> Iterator[str]:
    """A whole page; `title` and `main` are HTML already, `query` is text."""
    yield (
        '<!doctype html>\n<html lang="en" data-theme="auto">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n"
        f'<link rel="stylesheet" href="{address("app.css")}">\n'
        f'<script type="module" src="{address("app.js")}"></script>\n</head>\n'
        '<body>\n<a class="skip" href="#main">Skip to the content</a>\n'
    )
    yield from _header(query)
    yield '<main id="main" tabindex="-1">\n'
    yield from main
    yield '</main>\n<p id="say" class="unseen" role="status"></p>\n</body>\n</html>\n'


def _header(query: str) -> Iterator[str]:
    yield '<header class="site">\n<a class="home" href="/">aj</a>\n'
    yield '<form role="search" action="/" method="get">'
    yield (
        '<input id="q" name="q" type="search" placeholder="Search all sessions  /" '
        'aria-label="Search all sessions" autocomplete="off" spellcheck="false" maxlength="1000" '
        f'value="{in_tag(query, 1_000)}"></form>\n'
    )
    yield "</header>\n"


def respond(parts: Iterable[str], status: int = 200) -> HTMLResponse:
    """An answer that is HTML; letters that are none in Unicode become question marks."""
    text = "".join(parts)
    return HTMLResponse(text.encode("utf-8", "replace"), status)
