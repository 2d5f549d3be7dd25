"""What holds for every page of the server: who reads it, with what, and on which screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from agent_journal.demo import write_demo_home
from agent_journal.text.dates import parse_bound
from tests.browser.every_page import PAGES, READABLE, is_page, opened
from tests.browser.windows import is_wide
from tests.support.journals import aj
from tests.support.servers import Server, running

PHONE = {"width": 390, "height": 800}
DESK = {"width": 1200, "height": 800}
# What the keyboard must reach
_CONTROLS = "a[href], button, input:not([type=hidden]), select, summary, [tabindex='0']"
_CURRENT = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const style = getComputedStyle(at);
  const seen = style.outlineStyle !== "none" || style.boxShadow !== "none";
  at.dataset.reached = "1";
  return { name: at.outerHTML.slice(0, 120), seen };
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("pages")
    write_demo_home(str(home), parse_bound("now"))
    assert aj(home, "sync").returncode == 0
    with running(home) as started:
        started.open()
        yield started


@pytest.fixture(params=PAGES)
def path(request: pytest.FixtureRequest) -> str:
    """The address of a page."""
    found: str = request.param
    return found


def test_every_page_is_looked_at(server: Server) -> None:
    found = {path for path in [*READABLE, *PAGES] if is_page(server, path)}
    # Where a file or picture is not found, a page says so
    found = {path for path in found if not path.startswith(("/static/", "/picture/"))}
    assert found == set(PAGES)


@pytest.mark.parametrize(("scheme", "size"), [("light", PHONE), ("dark", DESK)], ids=str)
def test_axe_finds_nothing(
    browser: Browser, server: Server, path: str, scheme: str, size: dict[str, int]
) -> None:
    with opened(browser, server, color_scheme=scheme, viewport=size) as page:
        page.goto(path)
        found = Axe().run(page).response["violations"]
        assert [_told(violation) for violation in found] == []
        assert not is_wide(page)


def _told(violation: dict[str, object]) -> str:
    nodes = violation["nodes"]
    assert isinstance(nodes, list)
    return f"{violation['id']}: {nodes[0]['html'][:200]} {nodes[0]['failureSummary'][:300]}"


def test_the_keyboard_reaches_everything(browser: Browser, server: Server, path: str) -> None:
    with opened(browser, server, viewport=DESK) as page:
        page.goto(path)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        page.goto(path)
        wanted = page.locator(_CONTROLS).evaluate_all(
            "(all) => all.filter((one) => one.checkVisibility() && one.tabIndex >= 0).length"
        )
        assert wanted > 2
        reached = _walk(page, wanted + 5)
        assert all(one["seen"] for one in reached), [one for one in reached if not one["seen"]]
        left = page.locator(_CONTROLS).evaluate_all(
            "(all) => all.filter((one) => one.checkVisibility() && one.tabIndex >= 0"
            " && !one.dataset.reached).map((one) => one.outerHTML.slice(0, 120))"
        )
        assert left == []


def _walk(page: Page, most: int) -> list[dict[str, object]]:
    """Press Tab until the page is left."""
    reached = []
    for _ in range(most):
        page.keyboard.press("Tab")
        found = page.evaluate(_CURRENT)
        if found is None:
            break
        reached.append(found)
    return reached


def test_without_script_everything_is_there(browser: Browser, server: Server, path: str) -> None:
    with opened(browser, server, java_script_enabled=False, viewport=DESK) as page:
        page.goto(path)
        without = page.locator("main").inner_text().strip()
        assert without
        assert page.locator("#q").is_visible()
        assert not page.locator("main button:visible:not([type=submit], form button)").count()


def test_a_page_can_be_printed(browser: Browser, server: Server, path: str) -> None:
    """Without what only a screen needs, and dark on light also where the screen is dark."""
    with opened(browser, server, color_scheme="dark", viewport=DESK) as page:
        page.emulate_media(media="print")
        page.goto(path)
        assert not page.locator("header.site").is_visible()
        assert page.locator("main").inner_text().strip()
        back = "getComputedStyle(document.body).backgroundColor"
        ink = "getComputedStyle(document.querySelector('main')).color"
        assert _brightness(page.evaluate(back)) > 200
        assert _brightness(page.evaluate(ink)) < 110


def _brightness(colour: str) -> float:
    """From 0 to 255; what is transparent is paper."""
    numbers = [float(number) for number in colour.partition("(")[2].rstrip(")").split(",")]
    if len(numbers) == 4 and not numbers[3]:
        return 255
    return sum(numbers[:3]) / 3
