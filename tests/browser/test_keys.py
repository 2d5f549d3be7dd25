"""Keys that move in a page."""

from __future__ import annotations

from pathlib import Path

from tests.browser.windows import Window


def test_keys_move_between_messages_and_prompts(window: Window, talk: Path) -> None:
    shown = window.open(talk)
    where = "document.activeElement.querySelector(':scope > .text')?.innerText.split('\\n')[0]"

    def press(key: str) -> str:
        shown.keyboard.press(key)
        return str(shown.evaluate(where))

    assert press("j") == "first"
    assert press("j") == "An answer."
    assert press("k") == "first"
    assert press("J") == "the last prompt"
    assert press("J") == "the last prompt"  # there is none after it
    assert press("k") == "line 29"
    assert press("K") == "first"
    shown.locator("#find").focus()
    shown.keyboard.type("jKJ")
    assert shown.locator("#find").input_value() == "jKJ"
    shown.locator("#find").fill("")
    shown.locator("#talk").focus()
    shown.keyboard.press("Control+j")  # the browser's own
    assert shown.evaluate("document.activeElement.id") == "talk"
    # What a filter hides is passed over
    shown.locator("[data-filter=prompt]").click()
    shown.evaluate("scrollTo(0, 0)")
    assert press("j") == "An answer."


def test_keys_move_in_the_list_of_sessions(window: Window, exported: dict[str, list[Path]]) -> None:
    shown = window.open(exported["index"][0])
    for _ in range(2):
        shown.keyboard.press("j")
    links = shown.locator(".list a")
    assert shown.evaluate("document.activeElement.innerText") == links.nth(1).inner_text()
    shown.keyboard.press("k")
    shown.keyboard.press("Enter")
    shown.wait_for_url(lambda url: not url.endswith("index.html"))
    assert shown.locator("article.msg").count() > 0
