"""Pages of `aj web` in a browser; what they complain of fails the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page

from tests.support.servers import Server


@contextmanager
def opened_page(
    browser: Browser, server: Server, width: int = 1200, **options: Any
) -> Iterator[Page]:
    """A window that has the cookie of a server."""
    name, _, value = server.cookie.partition("=")
    origin = f"http://127.0.0.1:{server.port}"
    viewport = {"width": width, "height": 800}
    context = browser.new_context(base_url=origin, viewport=viewport, **options)  # type: ignore[arg-type]
    context.add_cookies([{"name": name, "value": value, "url": origin}])
    trouble: list[str] = []
    page = context.new_page()
    page.on("console", lambda line: trouble.append(f"console: {line.text}"))
    page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (trouble.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda asked: _check(asked.url, origin, trouble))
    try:
        yield page
    finally:
        context.close()
    assert trouble == []


def _check(url: str, origin: str, trouble: list[str]) -> None:
    if not url.startswith(f"{origin}/"):
        trouble.append(f"request: {url}")
