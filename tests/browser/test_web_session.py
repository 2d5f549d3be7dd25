"""The page of a session in a real browser: its place, keys, finding, marks."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.tabs import Tab, Tabs
from tests.browser.windows import until
from tests.support.journals import aj_json
from tests.support.servers import Server

LONG = "/s/claude-code/s-long"
FLAKY = "/s/claude-code/818f4c1f-2fdb-4ceb-a888-1b39e27782d8"
# The message at the top of the window below the bars, and where it is
TOP = """(() => {
  let bars = 0;
  for (const bar of document.querySelectorAll(".site, .tabs, .tools")) bars += bar.offsetHeight;
  const seen = [...document.querySelectorAll("#talk [data-at]")].find(
    (one) => one.offsetParent && one.getBoundingClientRect().bottom > bars);
  return [Number(seen.dataset.at), Math.round(seen.getBoundingClientRect().top)];
})()"""


@pytest.fixture
def page(tab: Tab) -> Page:
    return tab.page


def top(page: Page) -> list[int]:
    found: list[int] = page.evaluate(TOP)
    return found


# -- a place in a long session -------------------------------------------------------------------


@pytest.mark.parametrize("step", [-700, 700])
def test_scrolling_does_not_jump(tab: Tab, step: int) -> None:
    page = tab.page
    page.goto(f"{LONG}?at=1500")
    tab.settle()
    for _ in range(25):
        before = page.evaluate(
            "(() => { const seen = [...document.querySelectorAll('#talk [data-at]')].find("
            " (one) => one.getBoundingClientRect().top > 100);"
            " window.watched = seen; return seen.getBoundingClientRect().top; })()"
        )
        page.evaluate(f"scrollBy(0, {step})")
        tab.settle()
        after = page.evaluate("watched.isConnected ? watched.getBoundingClientRect().top : null")
        if after is not None:
            assert abs(after - (before - step)) <= 2
        assert page.locator("#talk article").count() <= 600
    now = top(page)[0]
    assert now < 1_480 if step < 0 else now > 1_520


def test_a_reload_and_the_way_back_keep_the_place(tab: Tab) -> None:
    page = tab.page
    page.goto(f"{LONG}?at=2000")
    tab.settle()
    page.evaluate("scrollBy(0, 1234)")
    tab.settle()
    place = top(page)
    until(page, f"location.search.includes('at={place[0]}')")
    page.reload()
    tab.settle()
    assert top(page) == place
    # Not with the mouse of the driver, which would scroll to what it clicks
    page.evaluate("document.querySelector('.tabs a[href$=raw]').click()")
    page.locator(".record").first.wait_for()
    page.go_back()
    tab.settle()
    assert top(page) == place


def test_prompts_at_the_side_lead_to_messages_and_back(tab: Tab) -> None:
    page = tab.page
    page.goto(LONG)
    tab.settle()
    page.locator("#outline [data-go='150']").click()
    page.locator(".msg.target[data-at='150']").wait_for()
    assert top(page)[0] == 150
    assert page.evaluate("document.activeElement.dataset.at") == "150"
    page.locator("#outline .more", has_text="later").click()
    page.locator("#outline [data-go='300']").click()
    page.locator(".msg.target[data-at='300']").wait_for()
    page.go_back()
    until(page, f"{TOP}[0] === 150")
    page.go_back()
    until(page, f"{TOP}[0] === 0")


def test_a_long_session_opens_anywhere_and_stays_small(tab: Tab) -> None:
    page = tab.page
    page.goto(f"{LONG}?at=1500")
    page.locator(".msg.target", has_text="long text number 1500").wait_for()
    for _ in range(200):  # leaf by leaf, past more of them than may be in the page
        page.evaluate("scrollBy(0, 2_000)")
        tab.settle()
        assert page.locator(".leaf").count() <= 44
        if top(page)[0] > 2_100:
            break
    assert top(page)[0] > 2_100
    page.evaluate("scrollTo(0, 0)")
    page.locator(".msg", has_text="long text number 0 ").first.wait_for()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.locator(".msg", has_text="long text number 2999").wait_for()
    assert page.locator(".leaf").count() <= 44


def test_steps_open_in_place(page: Page) -> None:
    page.goto(FLAKY)
    steps = page.locator("details.steps:has(details.call)").first
    assert steps.get_attribute("open") is None
    steps.locator(":scope > summary").click()
    assert steps.locator("details.call").first.is_visible()
    page.select_option("#depth", "steps")
    page.locator("details.steps[open]").first.wait_for()


# -- finding -------------------------------------------------------------------------------------


def test_finding_steps_through_what_the_server_found(page: Page) -> None:
    page.goto(LONG)
    page.keyboard.press("i")
    page.keyboard.type("needle")
    told = page.locator("#found")
    until(page, "document.getElementById('found').textContent === '1/5'")
    page.locator(".msg.target[data-at='5']").wait_for()
    assert page.evaluate("CSS.highlights.get('found').size") >= 1
    page.keyboard.press("Enter")
    page.locator(".msg.target[data-at='705']").wait_for()
    assert told.inner_text() == "2/5"
    page.keyboard.press("Shift+Enter")
    page.locator(".msg.target[data-at='5']").wait_for()
    page.locator("#find-prev").click()
    page.locator(".msg.target[data-at='2805']").wait_for()
    assert told.inner_text() == "5/5"
    page.keyboard.press("n")
    page.locator(".msg.target[data-at='5']").wait_for()
    page.locator("#find").fill("nothing of the kind")
    until(page, "document.getElementById('found').textContent === 'not found'")


def test_a_word_in_a_folded_call_is_unfolded(page: Page) -> None:
    page.goto(FLAKY)
    page.locator("#find").fill("random.random")
    until(page, "document.getElementById('found').textContent.startsWith('1/')")
    until(
        page,
        "[...CSS.highlights.get('found')].some("
        "(one) => one.startContainer.parentElement.checkVisibility())",
    )


# -- keys ----------------------------------------------------------------------------------------


def test_keys_move_and_keep_the_focus(tab: Tab) -> None:
    page = tab.page
    page.goto(LONG)
    tab.settle()

    def press(key: str) -> int:
        page.keyboard.press(key)
        tab.settle()
        return int(page.evaluate("document.activeElement.dataset.at"))

    assert [press("j"), press("j"), press("k")] == [0, 1, 0]
    outline = page.evaluate("getComputedStyle(document.activeElement).outline")
    assert "solid 2px" in outline  # who uses the keyboard sees where that is
    assert [press("J"), press("J"), press("K")] == [3, 6, 3]
    for name, place in (("Next prompt", 6), ("Previous prompt", 3), ("Next message", 4)):
        page.get_by_role("button", name=name).click()
        until(page, f"document.activeElement.dataset.at === '{place}'")
    for _ in range(80):
        page.keyboard.press("j")
    tab.settle()
    assert press("j") > 40
    page.keyboard.press("d")
    page.wait_for_url("**depth=steps*")
    assert page.locator("#depth").input_value() == "steps"


def test_fold_help_copy_and_the_other_pages(page: Page, server: Server) -> None:
    page.goto(FLAKY)
    page.keyboard.press("f")
    until(page, "document.querySelectorAll('#talk details:not([open])').length === 0")
    page.keyboard.press("f")
    until(page, "document.querySelectorAll('#talk details[open]').length === 0")
    page.keyboard.press("?")
    page.locator("dialog#keys[open]").wait_for()
    page.keyboard.press("Escape")
    until(page, "!document.querySelector('dialog[open]')")
    page.keyboard.press("c")
    until(page, "document.getElementById('say').textContent === 'Copied'")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "aj resume claude-code:818f4c1f-2fdb-4ceb-a888-1b39e27782d8"
    listed = [item["id"] for item in aj_json(server.home, "ls")["items"]]
    place = listed.index("818f4c1f-2fdb-4ceb-a888-1b39e27782d8")
    page.keyboard.press("]")
    page.wait_for_url(f"**/{listed[place + 1]}*")
    page.keyboard.press("[")
    page.wait_for_url("**/818f4c1f*")
    page.keyboard.press("e")
    page.wait_for_url("**/export")


# -- marks ---------------------------------------------------------------------------------------


def test_a_star_a_title_and_tags(tabs: Tabs, server: Server) -> None:
    # The browser tells of every answer that is an error
    with tabs.on(server, "status of 400") as tab:
        _change_marks(tab.page, server)


def _change_marks(page: Page, server: Server) -> None:
    page.goto("/s/claude-code/a15042d2-a3e8-41af-8197-dce746c45038/provenance")
    page.keyboard.press("s")
    page.locator("#star[aria-pressed=true]").wait_for()
    page.locator("#name-it").click()
    page.get_by_label("Title; empty").fill("<b>My</b> title")
    page.locator("#naming [name=tags]").fill("one two,three")
    page.get_by_role("button", name="Save").click()
    until(page, "document.querySelector('#naming .failed').textContent.includes('cannot be a tag')")
    page.locator("#naming [name=tags]").fill("one two")
    page.get_by_role("button", name="Save").click()
    page.locator("h1", has_text="<b>My</b> title").wait_for()
    assert page.locator(".tag").all_inner_texts() == ["#one", "#two"]
    starred = aj_json(server.home, "star")["items"]
    assert [(item["title"], item["tags"]) for item in starred] == [
        ("<b>My</b> title", ["one", "two"])
    ]
    page.locator("#star").click()
    page.locator("#star[aria-pressed=false]").wait_for()
    assert aj_json(server.home, "star")["items"] == []


# -- everywhere ----------------------------------------------------------------------------------


def test_without_script_there_are_pages_and_links(tabs: Tabs, server: Server) -> None:
    with tabs.on(server, java_script_enabled=False) as tab:
        page = tab.page
        page.goto(LONG)
        assert not page.locator("#star, #name-it, #help, #fold").locator("visible=true").count()
        page.locator(".pages a", has_text=re.compile("^2$")).first.click()
        expect(page.locator("article[data-at='80']")).to_be_visible()
        assert page.locator("article[data-at='79']").count() == 0  # it is on the page before
        expect(page.locator(".pages b").first).to_have_text("2")
        page.locator(".pages a").last.click()
        expect(page.locator(".pages b").first).to_have_text("38")
        expect(page.locator("article[data-at='2999']")).to_be_visible()
        page.goto(f"{LONG}?page=2")
        page.locator("#outline [data-go='150']").click()
        expect(page.locator("article[data-at='150']")).to_be_visible()
        page.locator("#find").fill("needle")
        page.get_by_role("button", name="Find").click()
        expect(page.locator(".session .title")).to_have_count(5)
        page.locator(".tabs a", has_text="Changes").click()
        expect(page.get_by_text("No file was changed")).to_be_visible()


def test_print_says_where_the_whole_session_is(page: Page) -> None:
    page.goto(LONG)
    page.emulate_media(media="print")
    assert page.locator(".print-only").is_visible()
    assert not page.locator(".tools").first.is_visible()
    assert not page.locator(".side-column").is_visible()
    assert page.evaluate("document.querySelector('.talk-column').offsetWidth") > 600
