"""Windows on a running `aj web`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page

from tests.support.servers import Server


@contextmanager
def window_on(
    browser: Browser, server: Server, allowed: str = "", **options: Any
) -> Iterator[Page]:
    """A window that has the cookie; what it complains of fails the test, unless it is allowed."""
    if not server.cookie:
        server.open()
    name, _, value = server.cookie.partition("=")
    origin = f"http://127.0.0.1:{server.port}"
    options = {"viewport": {"width": 1200, "height": 800}} | options
    context = browser.new_context(base_url=origin, **options)
    context.add_cookies([{"name": name, "value": value, "url": origin}])
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=origin)
    trouble: list[str] = []
    page = context.new_page()
    page.on("console", lambda line: trouble.append(f"console: {line.text}"))
    page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (trouble.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda asked: _check(asked.url, origin, trouble))
    yield page
    context.close()
    assert [line for line in trouble if not allowed or allowed not in line] == []


def _check(url: str, origin: str, trouble: list[str]) -> None:
    if not url.startswith(f"{origin}/"):
        trouble.append(f"request: {url}")
