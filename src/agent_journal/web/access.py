"""The door: which requests are answered at all, and what every answer says to the browser.

A page of another site can make a browser send requests here. It cannot choose the Host, it has no
cookie (SameSite=Strict), and the browser says where a request comes from (Sec-Fetch-Site, Origin).
"""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_journal.answers.failure import Failure
from agent_journal.web.keys import Keys

OPEN = "/-/open"  # the only path that needs no cookie: it takes a ticket
MOST_BODY = 64 * 1024
_MOST_ADDRESS = 8_192
_READING = ("GET", "HEAD")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types aj"
)
_SAFE_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "x-frame-options": "DENY",
}
_HOW = "Open the address that 'aj web' prints, or run 'aj web' again."


class Access:
    """Lets requests through to an application, or refuses them."""

    def __init__(self, app: ASGIApp, keys: Keys, port: int, *, is_read_only: bool = False) -> None:
        self._app = app
        self._keys = keys
        self._is_read_only = is_read_only
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _SAFE_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        reason, status = self._why_not(scope)
        if not reason:
            await self._app(scope, receive, send_safely)
        elif scope["path"].startswith("/api/"):
            await JSONResponse(refusal(reason), status)(scope, receive, send_safely)
        else:
            await PlainTextResponse(f"{reason}\n", status)(scope, receive, send_safely)

    def _why_not(self, scope: Scope) -> tuple[str, int]:
        """Why a request is not answered, and the status that says so; empty when it is."""
        headers = Headers(scope=scope)
        if headers.get("host", "") not in self._hosts:
            return "this address is not served here", 403
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "requests from other pages are not answered", 403
        if len(scope["raw_path"]) + len(scope["query_string"]) > _MOST_ADDRESS:
            return "the address is too long", 414
        if scope["method"] not in _READING:
            reason = self._why_not_write(headers)
            if reason:
                return reason, 403
        if scope["path"] == OPEN or self._is_known(headers):
            return "", 200
        return _HOW, 403

    def _why_not_write(self, headers: Headers) -> str:
        """Why something may not be changed; empty when it may."""
        if self._is_read_only:
            return "this is a demo: nothing can be changed"
        origin = headers.get("origin")
        is_program = origin is None and self._has_key(headers)
        if not is_program and origin not in {f"http://{host}" for host in self._hosts}:
            return "only the page itself may change something"
        if headers.get("x-aj") != "1":
            return "the header X-AJ: 1 is missing"
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return "the body must be JSON"
        size = headers.get("content-length", "")
        if not size.isdecimal() or int(size) > MOST_BODY:
            return f"the body must have a length of at most {MOST_BODY} bytes"
        return ""

    def _is_known(self, headers: Headers) -> bool:
        if self._has_key(headers):
            return True
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        cookie = cookies.get(self._keys.cookie_name)
        return cookie is not None and self._keys.is_cookie(cookie.value)

    def _has_key(self, headers: Headers) -> bool:
        kind, _, value = headers.get("authorization", "").partition(" ")
        return kind == "Bearer" and self._keys.is_key(value)


def refusal(reason: str) -> dict[str, Any]:
    """A refusal as JSON."""
    return Failure("refused", reason, None, exit_code=1).envelope()
