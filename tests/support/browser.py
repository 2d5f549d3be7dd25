"""Finds the browser that the page tests drive; `make test` installs one where it may.

python -m tests.support.browser     used by the Makefile: finds, installs, or says how to install
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
)
APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/snap/bin/chromium",
)
WINDOWS_FOLDERS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
WINDOWS_PROGRAMS = ("Google/Chrome/Application/chrome.exe", "Microsoft/Edge/Application/msedge.exe")
# Where Playwright puts the browsers that `playwright install` downloads.
DOWNLOADS = (
    "~/.cache/ms-playwright",
    "~/Library/Caches/ms-playwright",
    "~/AppData/Local/ms-playwright",
)
DOWNLOADED = (
    "chrome-linux*/chrome",
    "chrome-mac*/*.app/Contents/MacOS/*",
    "chrome-win*/chrome.exe",
)
ADVICE = (
    "No Chromium, Chrome or Edge was found, so the page tests are skipped; "
    "to run them, install one ('sudo apt install chromium', 'brew install --cask chromium', "
    "'winget install Google.Chrome') or set BROWSER_PATH."
)


def find_browser() -> str | None:
    """The program to drive: BROWSER_PATH, or the first browser of this machine."""
    return next(_candidates(), None)


def _candidates() -> Iterator[str]:
    chosen = os.environ.get("BROWSER_PATH")
    if chosen:
        yield chosen
    for name in NAMES:
        path = shutil.which(name)
        if path is not None:
            yield path
    yield from filter(os.path.exists, APPLICATIONS)
    for folder in WINDOWS_FOLDERS:
        for program in WINDOWS_PROGRAMS:
            path = os.path.join(os.environ.get(folder, ""), program)
            if os.path.isabs(path) and os.path.exists(path):
                yield path
    for folder in DOWNLOADS:
        for pattern in DOWNLOADED:
            for found in sorted(Path(folder).expanduser().glob(f"chromium-*/{pattern}")):
                yield str(found)


def is_required() -> bool:
    """Whether the page tests must run: in CI nothing is skipped."""
    return os.environ.get("CI") == "true"


def _install() -> None:
    """Installs Debian's Chromium, as root or through sudo."""
    command = ["apt-get", "-qq", "-y"]
    if os.geteuid() != 0:
        command.insert(0, "sudo")
    print("Installing Chromium for the page tests …", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run([*command, "update"], check=True, env=environment)
    install = [*command, "install", "--no-install-recommends", "chromium"]
    subprocess.run(install, check=True, env=environment, stdout=subprocess.DEVNULL)


def main() -> int:
    """Makes sure that there is a browser, where that can be done without asking."""
    if find_browser() is not None:
        return 0
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if shutil.which("apt-get") and (is_root or is_required()):
        _install()
        return 0
    print(ADVICE)
    return int(is_required())


if __name__ == "__main__":
    sys.exit(main())
