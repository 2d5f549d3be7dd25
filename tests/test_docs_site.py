"""The documentation site: every page is in it, every link leads somewhere, nothing is fetched."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.support.paths import ROOT

PAGES = sorted(path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md"))


class Links(HTMLParser):
    """Collects the ids of a page, what it links to, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.targets: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.ids.add(found.get("id", ""))
        if tag == "a" and "href" in found:
            self.targets.append(found["href"])
        if tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.append(found["href"])
        if "src" in found:
            self.loaded.append(found["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Links]:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pages = folder.rglob("*.html")
    return {path.relative_to(folder): Links(path.read_text()) for path in pages}


def test_every_page_is_in_the_site_and_its_navigation(site: dict[Path, Links]) -> None:
    contents = (ROOT / "mkdocs.yml").read_text()
    for page in PAGES:
        assert page.with_suffix(".html") in site
        assert re.search(rf": {re.escape(str(page))}$", contents, re.MULTILINE), page


def test_no_link_is_dead(site: dict[Path, Links]) -> None:
    for path, page in site.items():
        if path.name == "404.html":
            continue
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.path.endswith(".json"):
                continue
            linked = Path(os.path.normpath(path.parent / unquote(parts.path)))
            if not parts.path:
                linked = path
            if linked == Path():
                linked = Path("index.html")
            assert linked in site, (path, target)
            assert not parts.fragment or parts.fragment in site[linked].ids, (path, target)


def test_nothing_is_loaded_from_elsewhere(site: dict[Path, Links]) -> None:
    for path, page in site.items():
        assert page.loaded
        for address in page.loaded:
            assert not urlsplit(address).netloc, (path, address)
