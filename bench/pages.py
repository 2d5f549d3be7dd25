"""HTML pages: what writing them costs, and how a long one behaves in Chromium."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

import corpus
from lab import Failed, Lab, Row, Run, fastest, log_bytes

if TYPE_CHECKING:
    from playwright.sync_api import Page

_PAGE_MESSAGES = 5_000
# Scrolls for three seconds, half a screen with each frame; the number of frames.
SCROLL = """() => new Promise((done) => {
  const started = performance.now();
  let frames = 0;
  const turn = (now) => {
    frames += 1;
    scrollBy(0, innerHeight / 2);
    if (now - started < 3000) requestAnimationFrame(turn); else done(frames);
  };
  requestAnimationFrame(turn);
})"""


def measure_html(lab: Lab) -> Iterator[Row]:
    """Writing a session of 5 MB, 500 sessions, and opening a page of 5,000 messages."""
    home = corpus.cached(corpus.Parameters(5, one_file=True, agent="claude"))
    journal, _ = lab.synced(home)
    size = log_bytes(home) / 1e6
    out = os.path.join(tempfile.mkdtemp(dir=lab.scratch), "talk.html")
    asked = ("export", "last", "-f", "html", "--force", "-o", out)
    lab.aj(*asked, home=home, journal=journal)  # looks the prices up
    run = fastest([lab.aj(*asked, home=home, journal=journal) for _ in range(5)])
    beside = f"{run.cpu:.2f} s CPU, a page of {os.path.getsize(out) / 1e6:.1f} MB"
    yield Row("html", f"a session of {size:.0f} MB to HTML, wall", run.wall, "s", 2, beside=beside)
    yield Row("html", "peak memory of it", run.peak / 1e6, "MB", 300)
    home = corpus.cached(corpus.Parameters(4, files=500))
    journal, _ = lab.synced(home)
    folder = tempfile.mkdtemp(dir=lab.scratch)
    run = lab.aj("export", "--all", "-f", "html", "-o", folder, home=home, journal=journal)
    count = len(os.listdir(folder)) - 1
    beside = f"{count / run.wall:.0f} a second, {run.peak / 1e6:.0f} MB"
    yield Row(
        "html",
        f"{count:,} sessions and their index to HTML, wall",
        run.wall,
        "s",
        20,
        beside=beside,
    )
    yield from _measure_opening(lab)


def _measure_opening(lab: Lab) -> Iterator[Row]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise Failed("playwright is not there: pip install -e '.[dev]'") from error
    path = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if path is None:
        raise Failed("there is no Chromium: run tests/browser/install.sh")
    page, run = _long_page(lab)
    beside = f"{run.cpu:.2f} s CPU, {run.peak / 1e6:.0f} MB"
    yield Row(
        "html",
        f"a session of {_PAGE_MESSAGES:,} messages to HTML, wall",
        run.wall,
        "s",
        4,
        beside=beside,
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        figures = [
            _opened(browser.new_page(viewport={"width": 1280, "height": 900}), page)
            for _ in range(3)
        ]
        browser.close()
    beside = f"{os.path.getsize(page) / 1e6:.1f} MB"
    opened = min(one[0] for one in figures)
    yield Row(
        "html",
        f"a page of {_PAGE_MESSAGES:,} messages opens, CPU of its thread",
        opened,
        "s",
        2,
        beside=beside,
    )
    frame, frames = min(one[1:] for one in figures)
    beside = f"{frames} frames in 3 s, drawn without a graphics card"
    yield Row(
        "html",
        "scrolling half a screen a frame in it, CPU a frame",
        frame * 1000,
        "ms",
        33,
        beside=beside,
    )


def _opened(shown: Page, path: str) -> tuple[float, float, int]:
    """Seconds of the page's thread until it is loaded, and for each frame of scrolling; how many
    frames there were.
    """
    devtools = shown.context.new_cdp_session(shown)
    # CPU: other processes do not count
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        return float(
            next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
        )

    shown.goto(f"file://{path}")
    opened = spent()
    frames = shown.evaluate(SCROLL)
    scrolled = spent() - opened
    shown.close()
    return opened, scrolled / frames, frames


def _long_page(lab: Lab) -> tuple[str, Run]:
    """A session of 5,000 messages, with calls and their results, as a page."""
    home = tempfile.mkdtemp(dir=lab.scratch)
    folder = os.path.join(home, ".claude/projects/-work-app")
    os.makedirs(folder)
    with open(os.path.join(folder, "long.jsonl"), "w", encoding="utf-8") as out:
        out.writelines(json.dumps(record) + "\n" for record in _records())
    journal, _ = lab.synced(home)
    page = os.path.join(home, "long.html")
    asked = ("export", "last", "-f", "html", "--force", "-o", page)
    return page, fastest([lab.aj(*asked, home=home, journal=journal) for _ in range(3)])


def _records() -> Iterator[dict[str, object]]:
    code = "```python\ndef read(line):\n    return line.strip()\n```"
    text = f"The parser reads `one line` at a time.\n\n{code}\n\n- a\n- b\n"
    for number in range(_PAGE_MESSAGES):
        when = f"2026-11-{1 + number // 1440:02d}T{number // 60 % 24:02d}:{number % 60:02d}:00.000Z"
        head = {
            "sessionId": "long",
            "uuid": f"u{number}",
            "cwd": "/work/app",
            "version": "2.1.325",
            "timestamp": when,
        }
        if number % 10 == 0:
            yield {
                **head,
                "type": "user",
                "message": {"role": "user", "content": f"Prompt {number}: what is next?"},
            }
            continue
        call = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "Bash",
            "input": {"command": f"make part-{number}"},
        }
        yield {
            **head,
            "type": "assistant",
            "message": {
                "id": f"msg{number}",
                "role": "assistant",
                "model": "claude-opus-4-5",
                "content": [{"type": "text", "text": text}, call],
                "usage": {"input_tokens": 900, "output_tokens": 90},
            },
        }
        result = {
            "type": "tool_result",
            "tool_use_id": f"t{number}",
            "content": "\x1b[32mok\x1b[0m line\n" * 20,
        }
        yield {
            **head,
            "type": "user",
            "uuid": f"r{number}",
            "message": {"role": "user", "content": [result]},
        }
