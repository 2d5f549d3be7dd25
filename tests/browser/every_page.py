"""Windows on a running server, and the pages it has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page

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


@contextmanager
def opened(browser: Browser, server: Server, **options: Any) -> Iterator[Page]:
    """A window that has the cookie; what it complains of fails the test."""
    if not server.cookie:
        server.open()
    name, _, value = server.cookie.partition("=")
    origin = f"http://127.0.0.1:{server.port}"
    context = browser.new_context(base_url=origin, **options)
    context.add_cookies([{"name": name, "value": value, "url": origin}])
    trouble: list[str] = []
    page = context.new_page()
    page.on("console", lambda line: trouble.append(f"console: {line.text}"))
    page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (trouble.append(dialog.message), dialog.dismiss()))
    page.on("popup", lambda popup: trouble.append(f"popup: {popup.url}"))
    page.on("request", lambda asked: _check(asked.url, origin, trouble))
    try:
        yield page
    finally:
        context.close()
    # A page that is not found is said in the console as well
    trouble = [line for line in trouble if "status of 4" not in line]
    assert trouble == []


def _check(url: str, origin: str, trouble: list[str]) -> None:
    if not url.startswith(f"{origin}/"):
        trouble.append(f"request: {url}")
