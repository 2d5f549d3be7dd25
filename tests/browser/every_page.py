"""The addresses of a server that are pages."""

from __future__ import annotations

from tests.support.routes import READ, SESSION
from tests.support.servers import Server

FLAKY = f"/s/claude-code/{SESSION}"
# What is not a page in a window: parts, files, data.
NO_PAGES = ("/api/", "/static/", "/picture/", "/download/", "/favicon.ico", "/results")
NO_PARTS = ("/part", "/outline")
READABLE = list(dict.fromkeys(address.path for address in READ if address.method == "GET"))
PAGES = [
    *(path for path in READABLE if not path.startswith(NO_PAGES) and not path.endswith(NO_PARTS)),
    # what the routes do not say
    "/?q=retry",
    "/?q=zzzqqq",
    "/?since=someday",
    "/nothing",
    f"{FLAKY}?depth=everything",
    f"{FLAKY}?at=3",
    f"{FLAKY}?mask=1",
]


def is_page(server: Server, path: str) -> bool:
    """Whether an address shows a page in the window, and not a part, a file or data."""
    got = server.ask(path)
    if "content-disposition" in got.headers:
        return False
    return got.headers.get("content-type", "").startswith("text/html") and "<html" in got.text
