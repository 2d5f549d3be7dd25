"""What holds for every page of the server: who reads it, with what, and on which screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.every_page import PAGES, READABLE, is_page
from tests.browser.tabs import DESK, PHONE, Tabs
from tests.browser.windows import is_wide
from tests.support.servers import Server

LIGHT_PHONE = {"color_scheme": "light", "viewport": PHONE}
DARK_DESK = {"color_scheme": "dark", "viewport": DESK}
# A page that is not found is said in the console as well
ALLOWED = "status of 4"
# What the keyboard must reach
_CONTROLS = "a[href], button, input:not([type=hidden]), select, summary, [tabindex='0']"
_ROUNDS = 5  # through all of them: on a busy machine, parts of a session arrive meanwhile
# Notes what gets the focus, and whether one sees that it has it
_NOTE = """() => {
  window.reached = [];
  document.addEventListener("focusin", ({ target }) => {
    const style = getComputedStyle(target);
    const seen = style.outlineStyle !== "none" || style.boxShadow !== "none";
    target.dataset.reached = "1";
    window.reached.push({ name: target.outerHTML.slice(0, 120), seen });
  });
}"""


@pytest.fixture
def page(tabs: Tabs, server: Server) -> Iterator[Page]:
    """A dark page on a desk."""
    with tabs.on(server, ALLOWED, **DARK_DESK) as tab:
        yield tab.page


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


def test_axe_finds_nothing_on_a_phone(tabs: Tabs, server: Server, path: str) -> None:
    with tabs.on(server, ALLOWED, **LIGHT_PHONE) as tab:
        tab.page.goto(path)
        assert _violations(tab.page) == []
        assert not is_wide(tab.page)


def test_axe_finds_nothing_on_a_dark_desk(page: Page, path: str) -> None:
    page.goto(path)
    assert _violations(page) == []
    assert not is_wide(page)


def _violations(page: Page) -> list[str]:
    return [_told(violation) for violation in Axe().run(page).response["violations"]]


def _told(violation: dict[str, object]) -> str:
    nodes = violation["nodes"]
    assert isinstance(nodes, list)
    return f"{violation['id']}: {nodes[0]['html'][:200]} {nodes[0]['failureSummary'][:300]}"


def test_the_keyboard_reaches_everything(page: Page, path: str) -> None:
    page.goto(path)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.goto(path)
    page.evaluate(_NOTE)
    left = _not_reached(page)
    assert len(left) > 2
    for _ in range(_ROUNDS):
        for _ in range(len(left) + 5):
            page.keyboard.down("Tab")
        page.keyboard.up("Tab")
        left = _not_reached(page)
        if not left:
            break
    assert left == []
    reached = page.evaluate("reached")
    assert [one["name"] for one in reached if not one["seen"]] == []


def _not_reached(page: Page) -> list[str]:
    """What one can see and use, and what never had the focus."""
    left: list[str] = page.locator(_CONTROLS).evaluate_all(
        "(all) => all.filter((one) => one.checkVisibility() && one.tabIndex >= 0"
        " && !one.dataset.reached).map((one) => one.outerHTML.slice(0, 120))"
    )
    return left


def test_without_script_everything_is_there(tabs: Tabs, server: Server, path: str) -> None:
    with tabs.on(server, ALLOWED, java_script_enabled=False) as tab:
        tab.page.goto(path)
        assert tab.page.locator("main").inner_text().strip()
        assert tab.page.locator("#q").is_visible()
        buttons = tab.page.locator("main button:visible:not([type=submit], form button)")
        assert not buttons.count()


def test_a_page_can_be_printed(page: Page, path: str) -> None:
    """Without what only a screen needs, and dark on light also where the screen is dark."""
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
