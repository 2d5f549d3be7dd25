"""Makes the pictures in docs/pictures from the demo, as README.md and docs/web.md show them.

    python docs/pictures.py            all of them
    python docs/pictures.py usage      those whose names begin so

It needs Chromium. Look at what it made before you commit it.
"""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parent.parent
FOLDER = Path(__file__).parent / "pictures"
_SESSION = "/s/claude-code/818f4c1f-2fdb-4ceb-a888-1b39e27782d8"
# What is shown, by the name of the picture.
PLACES = {
    "list": "/?q=retry",
    "session": _SESSION,
    "changes": f"{_SESSION}/edits",
    "files": "/files",
    "usage": "/usage",
    "activity": "/activity",
}


class Look(NamedTuple):
    """A screen: its name, size and colours."""

    name: str
    width: int
    height: int
    scheme: str


LOOKS = (
    Look("light", 1120, 700, "light"),
    Look("dark", 1120, 700, "dark"),
    Look("phone", 390, 760, "light"),
)
_QUALITY = 60  # of WebP: text stays sharp, and a picture has about 30 KB


def names() -> list[str]:
    """The files that are made."""
    return [f"{place}-{look.name}.webp" for place in PLACES for look in LOOKS]


def make(wanted: str = "") -> None:
    """Make the pictures whose names begin with a text."""
    from tests.support.browser import find_browser

    FOLDER.mkdir(exist_ok=True)
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with _demo() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=options)
        cookies = _cookies(browser, address)
        for look in LOOKS:
            context = browser.new_context(
                viewport={"width": look.width, "height": look.height},
                color_scheme="dark" if look.scheme == "dark" else "light",
                reduced_motion="reduce",
                base_url=address.partition("/-/")[0],
            )
            context.add_cookies(cookies)
            page = context.new_page()
            devtools = context.new_cdp_session(page)
            for place, path in PLACES.items():
                name = f"{place}-{look.name}.webp"
                if not name.startswith(wanted):
                    continue
                answer = page.goto(path)
                assert answer is not None
                assert answer.ok, f"{path}: {answer.status}"
                taken = devtools.send(
                    "Page.captureScreenshot", {"format": "webp", "quality": _QUALITY}
                )
                (FOLDER / name).write_bytes(base64.b64decode(taken["data"]))
            context.close()
        browser.close()


@contextmanager
def _demo() -> Iterator[str]:
    """The demo; its address works once."""
    with tempfile.TemporaryDirectory() as home:
        env = {"PATH": os.environ["PATH"], "HOME": home, "PYTHONPATH": str(ROOT / "src")}
        command = [sys.executable, "-m", "agent_journal", "web", "--no-open", "--read-only-demo"]
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield process.stdout.readline().strip()
            finally:
                process.terminate()


def _cookies(browser: Browser, address: str) -> list[dict[str, str]]:
    """What the address gives to a browser."""
    context = browser.new_context()
    context.new_page().goto(address)
    origin = address.partition("/-/")[0]
    found = [
        {"name": cookie["name"], "value": cookie["value"], "url": origin}
        for cookie in context.cookies()
    ]
    context.close()
    return found


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    make(*sys.argv[1:2])
    total = sum(path.stat().st_size for path in FOLDER.glob("*.webp"))
    sys.stdout.write(f"{len(list(FOLDER.glob('*.webp')))} pictures, {total / 1000:.0f} KB\n")
