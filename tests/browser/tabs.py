"""Tabs on a running `aj web`: opened once and used by many tests, because a new one is slow."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Request

from tests.support.servers import Server

PATIENCE = 60.0  # seconds: a busy machine may take its time
DESK = {"width": 1200, "height": 800}
PHONE = {"width": 390, "height": 800}
# Whether the page looked the same in some frames one after the other
_IS_STILL = """() => new Promise((done) => {
  const look = () => `${document.documentElement.scrollHeight}:${scrollX}:${scrollY}`;
  let before = look();
  let same = 0;
  let frames = 0;
  const frame = () => {
    const now = look();
    same = now === before ? same + 1 : 0;
    before = now;
    frames += 1;
    if (same === 3 || frames === 100) done(same === 3);
    else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})"""


class Tab:
    """A page of a server, with everything that it complains of."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self.page: Page = context.new_page()
        self.trouble: list[str] = []
        self._origin = origin
        self._under_way: set[Request] = set()
        self._asked = 0
        self.page.on("console", lambda line: self.trouble.append(f"console: {line.text}"))
        self.page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)
        self.page.on("popup", lambda popup: self.trouble.append(f"popup: {popup.url}"))
        self.page.on("request", self._ask)
        self.page.on("requestfinished", self._end)
        self.page.on("requestfailed", self._end)

    def settle(self) -> None:
        """Wait until nothing is being fetched, and what is shown stays where it is."""
        deadline = time.monotonic() + PATIENCE
        while True:
            before = self._asked
            is_still = self.page.evaluate(_IS_STILL)
            if is_still and not self._under_way and self._asked == before:
                return
            assert time.monotonic() < deadline, f"not at rest: {self._under_way}"

    def _ask(self, request: Request) -> None:
        if not request.url.startswith(f"{self._origin}/"):
            self.trouble.append(f"request: {request.url}")
        if request.is_navigation_request():
            self._under_way.clear()  # what the page before has asked for is of no interest
        if request.resource_type != "eventsource":  # a stream has no end
            self._under_way.add(request)
            self._asked += 1

    def _end(self, request: Request) -> None:
        self._under_way.discard(request)

    def _dismiss(self, dialog: Any) -> None:
        self.trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()


class Tabs:
    """The tabs of a browser, by server and by what they are like."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._tabs: dict[str, Tab] = {}

    @contextmanager
    def on(self, server: Server, allowed: str = "", **options: Any) -> Iterator[Tab]:
        """A tab that has the cookie; what it complains of fails the test, unless it is allowed."""
        key = json.dumps([server.port, options], sort_keys=True)
        tab = self._tabs.pop(key, None) or self._open(server, options)
        _prepare(tab, options)
        try:
            yield tab
        except BaseException:
            tab.page.context.close()  # nobody knows what it is like now
            raise
        self._tabs[key] = tab
        trouble = [line for line in tab.trouble if not allowed or allowed not in line]
        tab.trouble.clear()
        assert not trouble, trouble

    def _open(self, server: Server, options: dict[str, Any]) -> Tab:
        origin = f"http://127.0.0.1:{server.port}"
        context = self._browser.new_context(base_url=origin, **{"viewport": DESK} | options)
        if not server.cookie:
            server.open()
        name, _, value = server.cookie.partition("=")
        context.add_cookies([{"name": name, "value": value, "url": origin}])
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=origin)
        return Tab(context, origin)

    def close(self) -> None:
        """Close all of them."""
        for tab in self._tabs.values():
            tab.page.context.close()
        self._tabs.clear()


def _prepare(tab: Tab, options: dict[str, Any]) -> None:
    """Make a tab as if nobody had used it."""
    tab.page.context.clear_cookies(name=re.compile("aj_mask_"))
    tab.page.set_viewport_size(options.get("viewport", DESK))
    tab.page.emulate_media(media="null")
