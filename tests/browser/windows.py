"""Windows of the browser on files, and what tests ask of a page."""

from __future__ import annotations

import time
from pathlib import Path

from playwright.sync_api import BrowserContext, Dialog, Page

from tests.browser.tabs import PATIENCE


class Window:
    """A page with everything it tried to do beyond being shown."""

    def __init__(self, context: BrowserContext) -> None:
        self.trouble: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("console", lambda line: self.trouble.append(f"console: {line.text}"))
        self.page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)
        self.page.on("request", lambda request: self._ask(request.url))
        self.page.on("popup", lambda popup: self.trouble.append(f"popup: {popup.url}"))

    def _dismiss(self, dialog: Dialog) -> None:
        self.trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _ask(self, url: str) -> None:
        if not url.startswith(("file:///", "data:image/png;base64,")):
            self.trouble.append(f"request: {url}")

    def open(self, path: Path, anchor: str = "") -> Page:
        self.page.goto(path.as_uri() + anchor)
        return self.page


def written(folder: Path, text: str, name: str = "talk.html") -> Path:
    path = folder / name
    path.write_bytes(text.encode("utf-8", "replace"))
    return path


def until(shown: Page, condition: str) -> None:
    """Waits for a condition in the page; our policy refuses what Playwright would wait with."""
    deadline = time.monotonic() + PATIENCE
    while not shown.evaluate(condition):
        assert time.monotonic() < deadline, f"this has not come: {condition}"
        shown.wait_for_timeout(10)


def is_wide(shown: Page) -> bool:
    return bool(
        shown.evaluate(
            "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        )
    )
