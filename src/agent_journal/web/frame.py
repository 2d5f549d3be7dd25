"""The frame of every page of the server: its head, the box for searches, and the ways around."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from starlette.responses import HTMLResponse

from agent_journal.export.prose import in_tag
from agent_journal.web.static_files import address

# The ways around: an address and its word, in the order of the header.
PLACES: tuple[tuple[str, str], ...] = (
    ("/live", "Live"),
    ("/files", "Files"),
    ("/usage", "Usage"),
    ("/activity", "Activity"),
    ("/doctor", "Doctor"),
)


def page(title: str, main: Iterable[str], *, query: str = "", place: str = "") -> Iterator[str]:
    """A whole page at a place of `PLACES`; `title` and `main` are HTML, `query` is text."""
    yield (
        '<!doctype html>\n<html lang="en" data-theme="auto">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n"
        f'<link rel="stylesheet" href="{address("app.css")}">\n'
        f'<script type="module" src="{address("app.js")}"></script>\n</head>\n'
        '<body>\n<a class="skip" href="#main">Skip to the content</a>\n'
    )
    yield from _header(query, place)
    yield '<main id="main" tabindex="-1">\n'
    yield from main
    yield '</main>\n<p id="say" class="unseen" role="status"></p>\n</body>\n</html>\n'


def _header(query: str, place: str) -> Iterator[str]:
    yield '<header class="site">\n<a class="home" href="/">aj</a>\n'
    yield '<form role="search" action="/" method="get">'
    yield (
        '<input id="q" name="q" type="search" placeholder="Search all sessions  /" '
        'aria-label="Search all sessions" autocomplete="off" spellcheck="false" maxlength="1000" '
        f'value="{in_tag(query, 1_000)}"></form>\n'
    )
    if PLACES:
        yield '<nav aria-label="Places">'
        for address_of_place, word in PLACES:
            current = ' aria-current="page"' if address_of_place == place else ""
            yield f'<a href="{address_of_place}"{current}>{word}</a>'
        yield "</nav>\n"
    yield "</header>\n"


def respond(parts: Iterable[str], status: int = 200) -> HTMLResponse:
    """An answer that is HTML; letters that are none in Unicode become question marks."""
    text = "".join(parts)
    return HTMLResponse(text.encode("utf-8", "replace"), status)
