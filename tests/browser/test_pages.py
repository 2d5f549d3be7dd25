"""HTML pages in a real browser, driven by Playwright; tests/support/browser.py finds it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from agent_journal.model import Session
from tests.browser.conftest import HOMES
from tests.browser.windows import Window, is_wide, until, written
from tests.support.pages import HOSTILE, call, hostile_session, message, page, page_set

# -- every agent -------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", [*HOMES, "cursor", "vscode-export"])
def test_a_session_of_every_agent(
    window: Window, exported: dict[str, list[Path]], agent: str
) -> None:
    for path in exported[agent]:
        shown = window.open(path)
        assert shown.locator("h1").inner_text()
        assert shown.locator("article.msg").count() > 0
        assert not is_wide(shown)
        shown.locator("#fold").click()  # everything is laid out once
        shown.set_viewport_size({"width": 390, "height": 844})
        assert not is_wide(shown)
        shown.set_viewport_size({"width": 1280, "height": 900})


def test_the_index_leads_to_every_session(window: Window, exported: dict[str, list[Path]]) -> None:
    shown = window.open(exported["index"][0])
    links = shown.locator(".list a")
    assert links.count() == sum(len(paths) for agent, paths in exported.items() if agent != "index")
    shown.fill("#find", "cursor")
    until(shown, "document.querySelector('#hits').textContent.endsWith('found')")
    assert 0 < shown.locator(".list li:not(.off)").count() < links.count()
    shown.fill("#find", "prompt active cursor")  # every word, wherever it is
    until(shown, "document.querySelector('#hits').textContent.endsWith('found')")
    shown.fill("#find", "cursor nowhere")
    until(shown, "document.querySelector('#hits').textContent === 'no session has all these words'")
    shown.fill("#find", "cursor")
    until(shown, "document.querySelector('#hits').textContent.endsWith('found')")
    shown.locator(".list li:not(.off) a").first.click()
    assert shown.locator("article.msg").count() > 0
    shown.locator(".back a").click()
    assert shown.locator(".list a").count() == links.count()


# -- what a reader does ------------------------------------------------------------------------


def test_the_theme_follows_the_system_and_the_button(browser: Browser, talk: Path) -> None:
    back = "getComputedStyle(document.body).backgroundColor"
    for scheme in ("dark", "light"):
        context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
        window = Window(context)
        shown = window.open(talk)
        before = shown.evaluate(back)
        assert (sum(map(int, before[4:-1].split(","))) < 200) == (scheme == "dark")
        # Under load a new context of Chromium was seen to forget its first write
        for _ in range(10):
            shown.locator("#theme").click()
            after = shown.evaluate(back)
            assert after != before
            shown.reload()
            if shown.evaluate(back) == after:
                break
        assert shown.evaluate(back) == after
        context.close()
        assert window.trouble == []


def test_calls_and_reasoning_are_folded(window: Window, talk: Path) -> None:
    shown = window.open(talk)
    for inside in (".reasoning .text", "#c-c1 .inside", ".note .code"):
        assert not shown.locator(inside).is_visible()
    shown.locator("#c-c1 summary").focus()
    shown.keyboard.press("Enter")
    assert shown.locator("#c-c1 .inside").is_visible()
    red = shown.locator("#c-c1 .t-f1").evaluate("element => getComputedStyle(element).color")
    assert red != shown.locator("#c-c1 .term code").evaluate(
        "element => getComputedStyle(element).color"
    )
    shown.locator("#fold").click()
    assert shown.locator(".reasoning .text").is_visible()
    shown.locator("#fold").click()
    assert not shown.locator("#c-c1 .inside").is_visible()


def test_the_lines_of_an_argument_begin_at_the_same_place(window: Window, tmp_path: Path) -> None:
    arguments = json.dumps({"file_path": "a.py", "content": "one\ntwo\n"})
    written_call = call("c1", "Write", "edit", arguments=arguments)
    session = Session(
        agent="claude-code",
        id="s",
        messages=(message(1, "answer", "text", tool_calls=(written_call,)),),
    )
    shown = window.open(written(tmp_path, page(session)))
    shown.locator("#fold").click()
    code = shown.locator("dd pre code")
    assert code.inner_text().split() == ["one", "two"]
    assert code.evaluate("(code) => getComputedStyle(code).paddingLeft") == "0px"


def test_filters(window: Window, talk: Path) -> None:
    shown = window.open(talk)

    def seen(selector: str) -> int:
        return sum(element.is_visible() for element in shown.locator(selector).all())

    assert (seen(".prompt"), seen(".call"), seen(".other")) == (2, 2, 1)
    shown.locator("[data-filter=tool]").click()
    assert (seen(".call"), seen(".answer .text")) == (0, 22)
    shown.locator("[data-filter=answer]").click()
    assert (seen(".answer .text"), seen(".reasoning"), seen(".prompt")) == (0, 1, 2)
    shown.locator("[data-filter=reasoning]").click()
    assert (seen(".answer"), seen(".prompt")) == (0, 2)
    shown.locator("[data-filter=tool]").click()
    shown.locator("#kind").select_option("shell")
    assert (seen("#c-c1"), seen("#c-c2"), seen("#m-m2")) == (1, 0, 1)


def test_finding_unfolds_and_looks_across_elements(window: Window, talk: Path) -> None:
    shown = window.open(talk)
    shown.keyboard.press("/")
    shown.keyboard.type("NEEDLE")
    until(shown, "document.querySelector('#hits').textContent === '1 of 1'")
    assert shown.locator("#c-c1 .inside").is_visible()
    shown.fill("#find", "def f(x)")  # it is coloured in several elements
    until(shown, "document.querySelector('#hits').textContent === '1 of 1'")
    shown.fill("#find", "line 1")
    until(shown, "document.querySelector('#hits').textContent === '1 of 200'")
    shown.keyboard.press("Enter")
    assert shown.locator("#hits").inner_text() == "2 of 200"
    shown.fill("#find", "not there (at all")
    until(shown, "document.querySelector('#hits').textContent === 'not found'")


def test_finding_looks_at_what_the_session_says(window: Window, talk: Path) -> None:
    shown = window.open(talk)
    for label in ("Text the harness put in", "Reasoning", "Copy"):
        shown.fill("#find", label)
        until(shown, "document.querySelector('#hits').textContent === 'not found'")
        shown.fill("#find", "because")
        until(shown, "document.querySelector('#hits').textContent === '1 of 1'")
    shown.fill("#find", "from the harness")
    until(shown, "document.querySelector('#hits').textContent === '1 of 1'")


def test_an_open_call_shows_its_link(window: Window, talk: Path) -> None:
    shown = window.open(talk)
    link = shown.locator("#c-c2 .inside > .link")
    assert not link.is_visible()
    shown.locator("#c-c2 > summary").click()
    link.click()
    until(shown, "location.hash === '#c-c2'")
    assert shown.locator("#c-c2 .inside").is_visible()
    right = shown.locator("#m-m4 td").evaluate("element => getComputedStyle(element).textAlign")
    assert right == "right"


def test_links_lead_to_their_places(window: Window, talk: Path) -> None:
    shown = window.open(talk)
    shown.locator(".outline a").last.click()
    until(shown, "location.hash === '#m-m31'")
    until(shown, "document.querySelector('#m-m31').getBoundingClientRect().bottom <= innerHeight")
    shown = window.open(talk, "#c-c2")
    shown.reload()
    assert shown.locator("#c-c2 .inside").is_visible()


def test_copying(browser: Browser, talk: Path) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    window = Window(context)
    shown = window.open(talk)
    shown.locator("#m-m2 .code .copy").first.click()
    until(shown, "document.querySelector('#say').textContent === 'Copied'")
    assert shown.evaluate("navigator.clipboard.readText()") == "def f(x):\n    return x"
    shown.locator("#m-m1 > .by .copy").click()
    until(shown, "navigator.clipboard.readText().then((text) => text.trim() === 'first')")
    context.close()
    assert window.trouble == []


def test_split_pages_lead_to_each_other(window: Window, tmp_path: Path) -> None:
    kinds = ("prompt", "answer") * 4
    session = Session(
        agent="x",
        id="s",
        messages=tuple(message(n, kind, f"t {n}") for n, kind in enumerate(kinds)),
    )
    for number, parts in enumerate(page_set(session, split=2).rendered(), 1):
        written(tmp_path, "".join(parts), "talk.html" if number == 1 else f"talk-{number}.html")
    shown = window.open(tmp_path / "talk.html")
    shown.locator(".turning a[rel=next]").first.click()
    assert shown.locator("#m-m2").is_visible()
    shown.locator(".outline a").first.click()
    assert shown.url.endswith("talk.html#m-m0")


def test_a_reader_without_script_sees_everything(browser: Browser, talk: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    shown = Window(context).open(talk)
    assert shown.locator("#m-m2 > .text").is_visible()
    assert not shown.locator(".bar").is_visible()
    shown.locator("#c-c1 > summary").click()
    assert shown.locator("#c-c1 .inside").is_visible()
    context.close()


# -- hostile sessions --------------------------------------------------------------------------

# Whatever a text could have started has happened
TWO_FRAMES = "() => new Promise((d) => requestAnimationFrame(() => requestAnimationFrame(d)))"
FOREIGN = (
    "svg, iframe, object, embed, form, link, base, math, template, img, video, audio, "
    "textarea, plaintext, frame"
)


def test_nothing_of_a_hostile_session_acts(window: Window, tmp_path: Path) -> None:
    hostile = hostile_session(HOSTILE)
    path = written(tmp_path, page(hostile))
    shown = window.open(path)
    shown.locator("#fold").click()
    shown.mouse.move(600, 500)
    shown.evaluate(TWO_FRAMES)
    assert shown.evaluate("window.owned") is None
    assert shown.evaluate(f"document.querySelectorAll({json.dumps(FOREIGN)}).length") == 0
    assert shown.evaluate("document.scripts.length") == 1
    assert (
        shown.evaluate("document.querySelectorAll('style, meta[http-equiv=refresh]').length") == 1
    )
    links = shown.evaluate(
        "[...document.querySelectorAll('a')]"
        ".map((link) => [link.protocol, link.rel, link.className])"
    )
    assert {link[0] for link in links} <= {"https:", "file:"}
    assert all("noopener" in rel for protocol, rel, _ in links if protocol == "https:")
    names = (
        "[...new Set([...document.querySelectorAll('*')]"
        ".flatMap((element) => element.getAttributeNames()))]"
    )
    assert not {name for name in shown.evaluate(names) if name.startswith("on") or name == "style"}
    assert shown.locator("main > .leaf > article.msg").count() == len(
        hostile.messages
    )  # nothing closed what is around it
    assert not is_wide(shown)
    assert shown.url == path.as_uri()
