"""What the head of a page says, and the times beside its messages."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec.structs import replace

from agent_journal.demo import write_demo_home
from agent_journal.model import Session
from agent_journal.text.dates import parse_bound
from tests.support.journals import aj, aj_json
from tests.support.pages import message, page


def session(*messages: object, title: str = "A talk") -> Session:
    return Session(agent="vscode-chat", id="s", title=title, messages=messages)  # type: ignore[arg-type]


def test_a_long_title_is_cut_and_whole_in_the_tooltip() -> None:
    words = "please look at the parser again " * 5
    text = page(session(title=words.strip()))
    (heading,) = re.findall(r"<h1[^>]*>[^<]*</h1>", text)
    whole = re.fullmatch(r'<h1 dir="auto" title="([^"]*)">([^<]*)</h1>', heading)
    assert whole is not None
    assert whole[1] == words.strip()
    assert len(whole[2]) <= 100
    assert words.startswith(whole[2].removesuffix("…").strip())
    assert '<h1 dir="auto">A talk</h1>' in page(session())


def test_an_answer_stamped_before_its_prompt_has_the_time_of_the_prompt() -> None:
    prompt = replace(message(1, "prompt", "ask"), timestamp=parse_bound("2026-01-31T14:00:05Z"))
    answer = replace(message(2, "answer", "say"), timestamp=parse_bound("2026-01-31T14:00:01Z"))
    later = replace(message(3, "answer", "more"), timestamp=parse_bound("2026-01-31T14:00:09Z"))
    text = page(session(prompt, answer, later))
    shown = re.sub("<[^>]*>", "", text.partition("<main")[2].partition("</main>")[0])
    assert re.findall(r"14:00:\d\d", shown) == ["14:00:05", "14:00:09"]  # of the answers


def test_the_prompts_of_a_page_are_those_of_the_list(tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), parse_bound("now"))
    aj(tmp_path, "sync", "--no-index")
    counts = {item["id"]: item["prompt_count"] for item in aj_json(tmp_path, "ls")["items"]}
    out = str(tmp_path / "out")
    for item in aj_json(tmp_path, "export", "--all", "-f", "html", "-o", out)["items"]:
        text = Path(item["path"]).read_text(encoding="utf-8")
        (count,) = re.findall(r"<summary>(\d+) prompts?[<,]", text)
        assert int(count) == counts[item["session"]], item["path"]
