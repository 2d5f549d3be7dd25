"""The list and the overview pages of `aj web` in a real browser."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.browser.tabs import PHONE, Tab, Tabs
from tests.browser.windows import is_wide
from tests.support.servers import Server

_MONTH = re.compile(r"^\d{4}-\d{2}$")


@pytest.fixture
def page(tab: Tab) -> Page:
    return tab.page


def test_results_follow_what_is_typed_and_lead_to_the_message(page: Page) -> None:
    page.goto("/")
    assert page.locator(".session").count() > 10
    page.keyboard.press("/")
    page.keyboard.type("jitter")
    page.locator("mark", has_text="jitter").first.wait_for()
    assert "q=jitter" in page.url
    page.locator(".session .title").first.click()
    target = page.locator(".msg.target")
    target.wait_for()
    assert "jitter" in target.inner_text().lower()


def test_a_word_that_is_being_typed_finds(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("/")
    page.keyboard.type("jitt")
    page.locator("mark", has_text="jitter").first.wait_for()
    assert page.url.endswith("/?q=jitt")


def test_a_search_that_is_refused_leaves_the_page_whole(tabs: Tabs, server: Server) -> None:
    with tabs.on(server, "status of 400") as tab:
        page = tab.page
        page.goto("/")
        refused = page.request.get("/?sort=wrong")
        page.route("**/results*", lambda route: route.fulfill(response=refused))
        page.fill("#q", "retry")
        page.locator("#results", has_text="sort is one of").wait_for()
        page.unroute_all()
        assert page.locator("header").count() == 1
        assert page.locator("#main").count() == 1


def test_chips_follow_what_is_typed(page: Page) -> None:
    page.goto("/")
    page.fill("#q", "retry agent:claude-code")
    chip = page.locator(".conditions .chip[aria-current]")
    expect(chip).to_have_text(re.compile("agent:claude-code"))
    chip.click()
    page.wait_for_url("**/?q=retry")
    assert page.input_value("#q") == "retry"
    assert page.locator(".conditions .chip[aria-current]").count() == 0


def test_a_menu_narrows_what_is_in_the_box(page: Page) -> None:
    page.goto("/")
    page.fill("#q", "retry")
    page.locator("mark").first.wait_for()
    page.locator(".menu > summary", has_text="Agent").click()
    page.locator(".menu a", has_text="claude-code").click()
    page.wait_for_url("**/?q=retry+agent*")
    assert page.input_value("#q") == "retry agent:claude-code"


def test_escape_leaves_the_box_and_what_is_in_it(page: Page) -> None:
    page.goto("/")
    page.locator("#q").press_sequentially("jitter")
    page.locator("mark", has_text="jitter").first.wait_for()
    page.keyboard.press("Escape")
    assert page.input_value("#q") == "jitter"
    assert page.evaluate("document.activeElement === document.body")


def test_a_menu_closes_with_escape_and_by_a_click_elsewhere(page: Page) -> None:
    page.goto("/")
    menu = page.locator("details.menu").nth(1)
    menu.locator("summary").click()
    assert menu.get_attribute("open") is not None
    page.keyboard.press("Escape")
    assert menu.get_attribute("open") is None
    assert page.evaluate("document.activeElement.textContent") == "Project"
    menu.locator("summary").click()
    page.locator("#count").click()
    assert menu.get_attribute("open") is None


@pytest.mark.parametrize("path", ["/", "/files"])
def test_keys_walk_through_a_list_and_open(page: Page, path: str) -> None:
    page.goto(path)
    links = page.locator("#list a.title, #list a.row")
    focused = "document.activeElement.getAttribute('href')"
    page.keyboard.press("j")
    assert page.evaluate(focused) == links.nth(0).get_attribute("href")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    wanted = links.nth(1).get_attribute("href")
    assert page.evaluate(focused) == wanted
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{wanted}")


def test_the_arrow_goes_from_the_box_to_the_list(page: Page) -> None:
    page.goto("/")
    page.focus("#q")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.className") == "title"
    page.keyboard.press("/")
    page.keyboard.type("jk")
    assert page.input_value("#q") == "jk"


def test_an_unfinished_query_leaves_the_page_whole(page: Page) -> None:
    page.goto("/")
    page.fill("#q", "cost:>x")
    page.locator("#results .remark").wait_for()
    assert page.locator("main").count() == 1


def test_a_bar_leads_to_its_day(page: Page) -> None:
    page.goto("/usage?since=all&by=daily")
    bar = page.locator(".chart a", has=page.locator("rect.s0")).first
    wanted = str(bar.get_attribute("href"))
    bar.click()
    page.wait_for_url(f"**{wanted}")
    assert "since=" in page.url
    page.locator("details.numbers > summary").first.click()
    assert page.locator("details.numbers table").first.is_visible()


def test_no_chart_is_in_the_way_of_the_keyboard(page: Page) -> None:
    for path in ("/usage?since=all", "/activity"):
        page.goto(path)
        assert page.locator("svg a:not([tabindex='-1'])").count() == 0
        assert page.locator("svg:not([aria-hidden=true])").count() == 0


def test_the_menus_fit_on_a_phone(tabs: Tabs, server: Server) -> None:
    with tabs.on(server, viewport=PHONE) as tab:
        tab.page.goto("/")
        for menu in tab.page.locator("details.menu").all():
            menu.locator("summary").click()
            assert not is_wide(tab.page)
            box = menu.locator("ul").bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390


def test_the_dates_of_a_chart_are_apart_on_a_phone(tabs: Tabs, server: Server) -> None:
    with tabs.on(server, viewport=PHONE) as tab:
        tab.page.goto("/usage?since=2020-01-01")
        dates = tab.page.locator(".scrolls text[text-anchor=middle]").filter(has_text=_MONTH)
        boxes = [one.bounding_box() for one in dates.all()]
        assert len(boxes) > 5
        for one, following in pairwise(boxes):
            assert one is not None
            assert following is not None
            assert one["x"] + one["width"] + 4 < following["x"]


def test_menus_and_tables_work_without_script(tabs: Tabs, server: Server) -> None:
    with tabs.on(server, java_script_enabled=False) as tab:
        page = tab.page
        page.goto("/")
        page.locator(".menu > summary", has_text="Agent").click()
        page.locator(".menu a", has_text="codex").click()
        expect(page.locator("#q")).to_have_value("agent:codex")
        page.locator(".conditions .chip[aria-current]").click()
        expect(page.locator("#q")).to_have_value("")
        page.goto("/usage?since=all")
        page.locator("details.numbers > summary").first.click()
        assert page.locator("details.numbers td").first.is_visible()


def test_print_leaves_out_what_is_only_for_clicking(page: Page) -> None:
    page.goto("/usage?since=all")
    page.emulate_media(media="print")
    assert not page.locator("form.span").is_visible()
    assert not page.locator("header.site").is_visible()
    assert page.locator(".chart").first.is_visible()


def test_the_diffs_of_a_file_are_as_wide_as_the_page_and_printed(page: Page) -> None:
    page.goto("/files")
    page.locator("#list a.row").first.click()
    diffs = page.locator("details.diffs").first
    diffs.wait_for()
    widths = [diffs.bounding_box(), page.locator("#list").bounding_box()]
    assert widths[0] is not None
    assert widths[1] is not None
    assert widths[0]["width"] == widths[1]["width"]
    page.emulate_media(media="print")
    assert diffs.is_visible()
