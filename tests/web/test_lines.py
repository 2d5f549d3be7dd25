"""Who wrote each line of a file, in the browser; and what cannot be asked."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.support.html_judge import judge_page
from tests.support.journals import aj, aj_json, variables
from tests.support.pages import HOSTILE
from tests.support.repositories import ClaudeSession, Repository
from tests.support.servers import Server, running
from tests.web.test_openapi import faults

TOKEN = "ghp_" + "A1b2C3d4E5" * 3 + "F6g7H8"
CODE = f"price = basket.total()\nlabel = '{TOKEN}'\n"
KEY = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *(["MIIEpAIBAAKCAQEA7bq2Xk9v"] * 3)])
END = "-----END RSA PRIVATE KEY-----\n"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository in a home, with lines of a session and lines of nobody."""
    home = tmp_path_factory.mktemp("lines")
    repository = Repository(home / "shop")
    trap = home / "trap"
    trap.write_text(f"#!/bin/sh\ntouch '{home}/sprung'\ncat\n")
    trap.chmod(0o755)
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt(f"Show the price of {TOKEN}")
    for name, text in (("price.py", CODE), ("new.py", CODE), ("link.py", CODE), ("key.py", KEY)):
        session.write(name, text)
    hostile = "".join(text.replace("\n", " ") + "\n" for text in HOSTILE)
    hostile = hostile.encode("utf-8", "replace").decode()
    session.prompt(hostile)
    session.write("hostile.py", hostile)
    (repository.root / "link.py").symlink_to(home / "outside.py")
    (home / "outside.py").write_text("outside = True\n")
    repository.commit(
        "price",
        10,
        **{
            "price.py": f"{CODE}by_hand = True\n",
            "key.py": f"{KEY}\n{END}",
            "hostile.py": hostile,
            "private.py": "private = True\n",
        },
    )
    repository.write("new.py", CODE)
    for name in ("core.fsmonitor", "diff.external", "diff.evil.textconv", "filter.evil.clean"):
        repository.git("config", name, str(trap))
    repository.git("config", "core.hooksPath", str(home))
    (repository.root / ".git/info").mkdir(exist_ok=True)
    (repository.root / ".git/info/attributes").write_text("* diff=evil filter=evil\n")
    assert aj(home, "sync").returncode == 0
    return repository


@pytest.fixture(scope="module")
def own(shop: Repository) -> Iterator[Server]:
    home = shop.root.parent
    with running(home, env=variables(home)) as server:
        server.open()
        yield server


def address(file: Path | str, **more: str) -> str:
    asked = quote(str(file), safe="")
    return f"/file/lines?path={asked}" + "".join(f"&{name}={more[name]}" for name in more)


def test_a_file_in_a_repository_has_a_link(own: Server, shop: Repository) -> None:
    text = own.ask(f"/file?path={quote(str(shop.root / 'price.py'))}").text
    found = re.search(r'href="([^"]+)">Who wrote each line', text)
    assert found
    assert own.ask(html.unescape(found[1])).status == 200


def test_a_file_of_no_repository_has_none(server: Server) -> None:
    text = server.ask("/files").text
    path = re.findall(r'href="(/file\?[^"]+)"', text)[0]
    assert "Who wrote each line" not in server.ask(html.unescape(path)).text


def test_each_line_leads_to_its_prompt_its_edit_and_its_session(
    own: Server, shop: Repository
) -> None:
    text = own.ask(address(shop.root / "price.py")).text
    assert "2 of 3 lines written by recorded sessions" in text
    (code,) = re.findall(r'<pre class="blame".*?</pre>', text, re.S)
    pieces = re.findall(r'<a class="(\w+)" id="l\d+" href="#(o\d+)" title="(\w+|-) ', code)
    assert pieces == [("s0", "o0", "written"), ("none", "o1", "-")]
    assert re.findall(r'data-n="(\d+)"', code) == ["1", "2", "3"]
    boxes = re.findall(r'<section class="origin" id="(o\d+)"(.*?)</section>', text, re.S)
    assert [name for name, _ in boxes] == ["o0", "o1"]
    written, unknown = (box for _, box in boxes)
    assert f'<blockquote dir="auto">Show the price of {TOKEN}</blockquote>' in written
    assert 'href="/s/claude-code/s1?at=0"' in written
    assert "price = basket.total()" in written
    edits = re.search(r'href="(/s/claude-code/s1/edits\?file=[^"]+)"', written)
    assert edits
    assert own.ask(html.unescape(edits[1])).status == 200
    assert "No recorded session wrote this." in unknown
    assert "<b>" not in unknown
    assert "<b>written</b>" in written
    assert "/s/" not in unknown


@pytest.mark.parametrize(
    "name",
    ["private.py", "new.py", "link.py", "../shop/price.py", ".git/config", "gone.py", ".", ""],
)
def test_what_cannot_be_asked(own: Server, shop: Repository, name: str) -> None:
    """No session changed it, it is not committed, or it is a link."""
    asked = quote(f"{shop.root}/{name}", safe="")
    for path in (f"/file/lines?path={asked}", f"/api/1/blame?path={asked}"):
        got = own.ask(path)
        assert got.status == 400
        assert "private = True" not in got.text
        assert "outside = True" not in got.text


@pytest.mark.parametrize("path", ["/etc/passwd", "//server/x/a.py", "\\\\server\\x\\a.py", "a%00b"])
def test_paths_from_elsewhere_are_not_opened(own: Server, path: str) -> None:
    assert own.ask(f"/file/lines?path={path}").status == 400


def test_git_runs_no_program_of_the_repository(own: Server, shop: Repository) -> None:
    os.utime(shop.root / "price.py")
    assert own.ask(address(shop.root / "price.py")).status == 200
    assert not (shop.root.parent / "sprung").exists()


def test_a_masked_page_has_no_secret(own: Server, shop: Repository) -> None:
    """Also none that goes over several lines, by different writers."""
    for name in ("price.py", "key.py"):
        asked = address(shop.root / name)
        assert own.ask(asked + "&mask=0").status == 200
        text = own.ask(asked + "&mask=1").text
        assert "redacted" in text
        assert TOKEN not in text
        assert "MIIEpAIBAAKCAQEA7bq2Xk9v" not in text
        assert str(shop.root) not in re.sub(r'href="[^"]*"', "", text)
    own.ask("/?mask=0")


def test_hostile_text_stays_text(own: Server, shop: Repository) -> None:
    text = own.ask(address(shop.root / "hostile.py")).text
    judge_page(text)
    assert "window.owned=1</script>" not in text
    assert not re.search(r"<(img|iframe|math|object|template|base|plaintext)", text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_the_api_answers_as_the_command(own: Server, shop: Repository) -> None:
    file = str(shop.root / "price.py")
    got = own.ask(f"/api/1/blame?path={quote(file)}&first=2&last=3&why=1")
    assert got.status == 200, got.text
    printed = aj_json(shop.root.parent, "blame", f"{file}:2-3", "--why")
    answer = json.loads(got.text)
    assert answer == printed
    assert faults(answer, "/api/1/blame", "200") == []
    assert [item["class"] for item in printed["items"]] == ["written", "-"]
