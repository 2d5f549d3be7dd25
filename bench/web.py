"""`aj web` on a journal of a million messages and a session of 50,000, seen through Chromium."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from random import Random
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlsplit

import messages
import tree
from lab import AJ, Failed, Lab, Row, logs
from pages import SCROLL
from watching import append

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STARTS = 5
QUESTIONS = 60  # in each mode
PLACES = 40  # in the long session
PEOPLE = 4
LINES = 20  # that an agent writes while its session is open
# A page asks twice: 120 ms after a keystroke for words, after 400 ms by meaning. On a slow machine
# the second one would end the first, so only one of them is let through.
_ONLY = """(() => {
  const wait = window.setTimeout;
  window.setTimeout = (work, pause, ...rest) => (pause === %d ? 0 : wait(work, pause, ...rest));
})()"""
# After each change of the list: milliseconds from the request until it is painted.
_WATCH = """() => {
  new MutationObserver(() => requestAnimationFrame(() => setTimeout(() => {
    const all = performance.getEntriesByType("resource");
    const asked = all.filter((entry) => entry.name.includes("/results")).at(-1);
    window.painted = performance.now() - asked.startTime;
  }))).observe(document.getElementById("results"), { childList: true });
}"""
_TYPE = """(text) => {
  window.painted = 0;
  performance.clearResourceTimings();
  const box = document.getElementById("q");
  box.value = text;
  box.dispatchEvent(new Event("input"));
}"""
# Milliseconds from the start of the navigation until the page is painted and its script has run.
_OPENED = """() => Math.max(
  performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
  performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd)"""


class Running(NamedTuple):
    """A server that was started, and how long until it answered."""

    pid: int
    port: int
    cookie: str
    seconds: float  # until its first page was there
    cpu: float

    def ask(self, path: str) -> bytes:
        """What it answers."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path, headers={"Cookie": self.cookie})
        content = connection.getresponse().read()
        connection.close()
        return content


def measure_web(lab: Lab) -> Iterator[Row]:
    """The page of a large journal."""
    home, journal = _synced(lab)
    yield from measure_journal(lab, home, journal)


def _synced(lab: Lab) -> tuple[str, str]:
    """A home with many messages and one long session, and its journal."""
    home = os.path.join(lab.scratch, "web")
    shutil.copytree(messages.cached(lab.sizes.messages[-1]), home)
    flood = messages.cached_flood(lab.sizes.long_session)
    shutil.copytree(flood, home, dirs_exist_ok=True)
    journal = tempfile.mkdtemp(dir=lab.scratch)
    lab.aj("sync", home=home, journal=journal)
    return home, journal


def measure_journal(lab: Lab, home: str, journal: str) -> Iterator[Row]:
    """The page of a journal that is there."""
    found = []
    for _ in range(STARTS):
        with served(lab, home, journal) as running:
            found.append(running)
    best = min(running.seconds for running in found)
    beside = f"{min(running.cpu for running in found):.2f} s CPU"
    yield Row("web", "from the command to the first page", best, "s", 0.6, beside=beside)
    with served(lab, home, journal) as running:
        yield Row("web", "memory of the server, idle", tree.own(running.pid), "MB", 80)
        yield _bytes_of_static(running)
        yield from _in_browser(running, home, lab.sizes.long_session)
        yield _four_people(running)


@contextmanager
def served(lab: Lab, home: str, journal: str) -> Iterator[Running]:
    """`aj web` of a journal, ended afterwards."""
    started = time.perf_counter()
    process = subprocess.Popen(
        lab.command((AJ, "web", "--no-open", "--port", "9480")),
        env=lab.environment(home, journal),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = urlsplit(process.stdout.readline().strip())
        if not address.port:
            raise Failed("aj web did not start")
        connection = HTTPConnection("127.0.0.1", address.port, timeout=60)
        connection.request("GET", f"{address.path}?{address.query}")
        answer = connection.getresponse()
        cookie = answer.headers["set-cookie"].partition(";")[0]
        answer.read()
        connection.request("GET", "/", headers={"Cookie": cookie})
        connection.getresponse().read()
        seconds = time.perf_counter() - started
        connection.close()
        yield Running(process.pid, address.port, cookie, seconds, _cpu(process.pid))
    finally:
        process.terminate()
        process.wait()


def _bytes_of_static(running: Running) -> Row:
    """All scripts, and the style, as they are sent."""
    page = running.ask("/").decode()
    names = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    sizes = {}
    while names:
        name = names.pop()
        if name in sizes:
            continue
        text = running.ask(name).decode()
        sizes[name] = len(text.encode())
        folder = name.rpartition("/")[0]
        names += [
            f"{folder}/{other}" for other in re.findall(r'(?:from|import) "\./([\w.]+)"', text)
        ]
    return Row("web", f"script and style, {len(sizes)} files", sum(sizes.values()) / 1e3, "KB", 70)


def _in_browser(running: Running, home: str, length: int) -> Iterator[Row]:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        raise Failed("there is no Chromium")
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        for mode, most in (("lexical", 100), ("hybrid", 250)):
            page = _opened(browser, running, _ONLY % {"lexical": 400, "hybrid": 120}[mode])
            before = _cpu(running.pid)
            times = _typed(page, mode)
            spent = (_cpu(running.pid) - before) / len(times) * 1000
            beside = f"median {times[len(times) // 2]:.0f} ms, {spent:.0f} ms CPU of the server"
            name = f"keystroke to painted hits, {mode}, p95"
            yield Row("web", name, _percentile(times), "ms", most, beside=beside)
        page = _opened(browser, running)
        yield from _long(page, _long_session(home), length)
        yield _live(page, home)
        browser.close()


def _opened(browser: Browser, running: Running, script: str = "") -> Page:
    origin = f"http://127.0.0.1:{running.port}"
    context = browser.new_context(base_url=origin, viewport={"width": 1280, "height": 900})
    name, _, value = running.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": origin}])
    context.add_init_script(script)
    page = context.new_page()
    page.goto("/")
    return page


def _typed(page: Page, mode: str) -> list[float]:
    """Milliseconds for each of some questions; the page waits before it asks, which is not
    counted: 120 ms for words, 400 ms for meaning.
    """
    rng = Random(f"typing {mode}")
    vocabulary = messages.vocabulary(1_000_000)
    page.evaluate(_WATCH)
    found = []
    for _ in range(QUESTIONS + 5):
        text = vocabulary.text(rng, rng.randrange(1, 4))
        page.evaluate(_TYPE, text[: max(2, len(text) - rng.randrange(4))])
        for _ in range(600):
            painted = page.evaluate("() => window.painted")
            if painted:
                break
            page.wait_for_timeout(20)
        else:
            raise Failed(f"nothing was painted for {text!r}")
        found.append(painted)
    return sorted(found[5:])


def _long(page: Page, session: str, length: int) -> Iterator[Row]:
    rng = Random("places")
    times = []
    for _ in range(PLACES):
        page.goto(f"/s/claude-code/{quote(session)}?at={rng.randrange(length)}")
        times.append(page.evaluate(_OPENED))
    name = f"a session of {length:,} messages opened at a message, p95"
    beside = f"median {sorted(times)[len(times) // 2]:.0f} ms"
    yield Row("web", name, _percentile(sorted(times)), "ms", 150, beside=beside)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        found = devtools.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in found if one["name"] == "TaskDuration"))

    before, small = spent(), _memory_of_page(page)
    frames = page.evaluate(SCROLL)
    frame = (spent() - before) / frames * 1000
    beside = f"{frames} frames in 3 s"
    yield Row("web", "scrolling half a screen a frame, CPU a frame", frame, "ms", 33, beside=beside)
    count = page.locator("article").count()
    beside = f"the script holds {_memory_of_page(page):.1f} MB, before {small:.1f} MB"
    yield Row("web", "messages in the page after that", count, "messages", 600, beside=beside)


def _live(page: Page, home: str) -> Row:
    """From a line in the file of a session until it is on its page."""
    session = "web-live"
    append(home, session, 0)
    for _ in range(600):
        page.goto(f"/s/claude-code/{session}")
        if page.locator("#talk").count():
            break
        page.wait_for_timeout(100)
    times = []
    for number in range(1, LINES + 1):
        page.wait_for_timeout(100 * (number % 7))  # at any moment of what watches and streams
        append(home, session, number)
        written = time.perf_counter()
        page.get_by_text(f"line {number} of {session}", exact=True).first.wait_for(timeout=60_000)
        times.append(time.perf_counter() - written)
    times.sort()
    beside = f"median {times[len(times) // 2]:.2f} s"
    return Row(
        "web", "from a line in a file to the page, p95", _percentile(times), "s", 1.5, beside=beside
    )


def _memory_of_page(page: Page) -> float:
    """Megabytes of what the script of a page holds, after what is not used was collected."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("HeapProfiler.collectGarbage")
    found = devtools.send("Runtime.getHeapUsage")
    return float(found["usedSize"]) / 1e6


def _four_people(running: Running) -> Row:
    """The most memory while four type, each as fast as answers come."""
    until = time.monotonic() + 15
    most = [0.0]
    asked = [0]

    def search(number: int) -> None:
        rng = Random(f"person {number}")
        vocabulary = messages.vocabulary(1_000_000)
        while time.monotonic() < until:
            text = quote(vocabulary.text(rng, rng.randrange(1, 4)))
            mode = rng.choice(("lexical", "lexical", "hybrid"))
            running.ask(f"/results?q={text}&mode={mode}")
            asked[0] += 1

    people = [Thread(target=search, args=(number,)) for number in range(PEOPLE)]
    for person in people:
        person.start()
    while any(person.is_alive() for person in people):
        most[0] = max(most[0], tree.own(running.pid))
        time.sleep(0.02)
    beside = f"{asked[0] / 15:.0f} searches a second"
    beside += f"; with files that are mapped {tree.resident(running.pid):.0f} MB"
    return Row("web", f"memory while {PEOPLE} people search", most[0], "MB", 250, beside=beside)


def _cpu(pid: int) -> float:
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _long_session(home: str) -> str:
    [path] = [path for path in logs(home) if messages.FLOOD_PROJECT in path]
    return os.path.basename(path).removesuffix(".jsonl")


def _percentile(times: list[float]) -> float:
    return times[len(times) * 95 // 100]
