"""Pictures of sessions: by hash, of the named session, and only what begins like a picture."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from html import unescape
from http.client import HTTPConnection

import pytest

from tests.support.html_judge import DOT
from tests.support.journals import claude_line, sync
from tests.support.servers import Server, running

SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>window.owned=1</script></svg>" + b" " * 40
# It begins like a picture of this type, but for what is after its length
SOUND = b"RIFF\x24\x08\x00\x00WAVEfmt " + b"\x00" * 60
HASH = hashlib.sha256(DOT).hexdigest()
SVG_HASH = hashlib.sha256(SVG).hexdigest()
SOUND_HASH = hashlib.sha256(SOUND).hexdigest()


def _picture(content: bytes, kind: str) -> dict[str, object]:
    data = base64.b64encode(content).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("pictures")
    shown = claude_line("user", 0, "x", "s-pic")
    shown["message"]["content"] = [
        {"type": "text", "text": "look"},
        _picture(DOT, "image/png"),
        _picture(SVG, "image/svg+xml"),
        _picture(SOUND, "image/webp"),
    ]
    other = claude_line("user", 0, "nothing to see", "s-other")
    folder = home / ".claude/projects/-work"
    folder.mkdir(parents=True)
    for name, line in (("s-pic", shown), ("s-other", other)):
        (folder / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
    sync(home)
    with running(home) as started:
        started.open()
        yield started


def test_the_page_has_the_address_of_the_picture(server: Server) -> None:
    text = server.ask("/s/claude-code/s-pic").text
    sources = [unescape(source) for source in re.findall(r'<img src="([^"]+)"', text)]
    assert f"/picture/{HASH}?session=claude-code%3As-pic" in sources
    assert len(sources) == 2  # whether the other one is a picture is seen when it is asked for


def test_a_picture_is_given_as_what_it_is(server: Server) -> None:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    for _ in range(2):  # read from the archive, and kept
        path = f"/picture/{HASH}?session=claude-code%3As-pic"
        connection.request("GET", path, headers={"Cookie": server.cookie})
        answer = connection.getresponse()
        assert answer.status == 200
        assert answer.headers["content-type"] == "image/png"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.read() == DOT
    connection.close()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"/picture/{SVG_HASH}?session=s-pic", 204),  # it can hold script
        (f"/picture/{SOUND_HASH}?session=s-pic", 204),
        (f"/picture/{'0' * 64}?session=s-pic", 204),
        (f"/picture/{HASH}", 404),
        (f"/picture/{HASH}?session=nothing", 404),
        (f"/picture/{HASH[:63]}?session=s-pic", 404),
        (f"/picture/{HASH.upper()}?session=s-pic", 404),
        ("/picture/..%2f..%2fetc%2fpasswd?session=s-pic", 404),
    ],
)
def test_nothing_else_is_given(server: Server, path: str, status: int) -> None:
    got = server.ask(path)
    assert got.status == status
    assert not got.headers.get("content-type", "").startswith("image/")


def test_a_masked_page_shows_no_picture(server: Server) -> None:
    got = server.ask(f"/picture/{HASH}?session=s-pic&mask=1")
    assert (got.status, got.text) == (204, "")
