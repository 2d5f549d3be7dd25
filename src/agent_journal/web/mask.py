"""Masked pages, for shared screens: secrets and home folders are taken out of every answer.

`?mask=1` sets a cookie, so that everything that the page asks for later is masked, too; `?mask=0`
takes it back. Answers are masked as they leave, whoever made them: a new page is masked as well.
"""

from __future__ import annotations

import json
import os
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_journal.web.masked_addresses import Names
from agent_journal.web.masked_html import mask_html

_DAY = 86_400  # seconds
_CUT = "…"
_SHORTEST_HALF = 6  # letters


class Mask:
    """Masks the answers of an application where that is asked for."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._cookie = f"aj_mask_{port}"
        self._names = Names()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asked = parse_qs(scope["query_string"].decode("latin-1")).get("mask", [""])[-1]
        is_masked = asked == "1" or (asked != "0" and self._has_cookie(scope))
        cookie = ""
        if asked == "1":
            cookie = f"{self._cookie}=1; Path=/; Max-Age={_DAY}; HttpOnly; SameSite=Strict"
        elif asked == "0":
            cookie = f"{self._cookie}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"
        is_picture = scope["path"].startswith("/picture/")
        query = self._names.resolve(scope["query_string"])
        masked = _Answer(send, cookie, is_masked, is_picture, self._names, _way_back(query))
        await self._app({**scope, "query_string": query}, receive, masked.send)

    def _has_cookie(self, scope: Scope) -> bool:
        return self._cookie in cookie_parser(Headers(scope=scope).get("cookie", ""))


class _Answer:
    """An answer on its way: one that is masked is held back until it is whole."""

    def __init__(
        self,
        send: Send,
        cookie: str,
        is_masked: bool,
        is_picture: bool,
        names: Names,
        way_back: str,
    ) -> None:
        self._send = send
        self._names = names
        self._way_back = way_back
        self._cookie = cookie
        self._is_masked = is_masked
        self._is_picture = is_picture
        self._kind = ""
        self._start: Message | None = None
        self._body: list[bytes] = []

    async def send(self, message: Message) -> None:
        """Send a part of the answer, or hold it back."""
        if message["type"] == "http.response.start":
            await self._begin(message)
        elif self._kind == "text/event-stream":
            await self._send({**message, "body": _mask_events(message.get("body", b""))})
        elif self._start is None:
            await self._send(message)
        else:
            self._body.append(message.get("body", b""))
            if not message.get("more_body", False):
                await self._finish()

    async def _begin(self, message: Message) -> None:
        headers = MutableHeaders(scope=message)
        if self._cookie:
            headers.append("set-cookie", self._cookie)
        kind = headers.get("content-type", "").partition(";")[0]
        # Downloads are redacted by those who write them
        is_file = headers.get("content-disposition", "").startswith("attachment")
        is_text = kind in ("text/html", "application/json", "text/event-stream")
        if self._is_masked and not is_file and (is_text or self._is_picture):
            self._kind = kind
        if self._kind and kind != "text/event-stream":
            self._start = message
        else:
            await self._send(message)

    async def _finish(self) -> None:
        assert self._start is not None
        body = b"".join(self._body)
        headers = MutableHeaders(scope=self._start)
        if self._is_picture:
            self._start["status"] = 204  # what a picture shows cannot be taken out of it
            body = b""
            del headers["content-type"]
        elif self._kind == "text/html":
            page = mask_html(body.decode(), _mask_text, self._names.name, self._way_back)
            body = page.encode()
        else:
            body = _mask_json(body)
        headers["content-length"] = str(len(body))
        if self._is_picture:
            del headers["content-length"]
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": body})


def _way_back(query: bytes) -> str:
    """Where the same page is shown as it is."""
    parts = [part for part in query.decode("latin-1").split("&") if part]
    kept = [part for part in parts if not part.startswith("mask=")]
    return "?" + "&".join((*kept, "mask=0"))


def _mask_text(text: str) -> str:
    from agent_journal.text.redaction.redact import redact

    return _without_cut_words(redact(text, os.path.expanduser("~")))


def _without_cut_words(text: str) -> str:
    """Take out what may be the half of a secret: pages cut long titles and texts within words."""
    if _CUT not in text:
        return text
    parts = text.split(_CUT)
    for number, part in enumerate(parts):
        words = part.split()
        if not words:
            continue
        if number and _may_be_half_a_secret(words[0]) and part.startswith(words[0]):
            part = part[len(words[0]) :]
        is_cut = number < len(parts) - 1 and part.endswith(words[-1])
        if is_cut and _may_be_half_a_secret(words[-1]):
            part = part[: -len(words[-1])]
        parts[number] = part
    return _CUT.join(parts)


def _may_be_half_a_secret(word: str) -> bool:
    return len(word) >= _SHORTEST_HALF and any(letter.isdigit() for letter in word)


def _mask_json(body: bytes) -> bytes:
    from agent_journal.text.redaction.redact import redact_all

    masked = redact_all(json.loads(body), _mask_text)
    text = json.dumps(masked, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _mask_events(body: bytes) -> bytes:
    """Mask the data of events, each of which is a line of JSON or of text."""
    lines = body.split(b"\n")
    for number, line in enumerate(lines):
        name, colon, data = line.partition(b":")
        if name != b"data" or not colon:
            continue
        try:
            lines[number] = b"data: " + _mask_json(data)
        except ValueError:
            lines[number] = b"data:" + _mask_text(data.decode("utf-8", "replace")).encode()
    return b"\n".join(lines)
