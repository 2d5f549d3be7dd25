"""What holds for every address of the server, whatever it shows."""

from __future__ import annotations

import pytest

from agent_journal.web.access import OPEN
from tests.support.routes import READ, WRITTEN, Address, addresses
from tests.support.servers import Server

ALL = addresses()
# Word for word: what is not listed here is not allowed
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types aj"
)
KNOWN_ONLY = [address for address in ALL if address.path != OPEN]


def sent(server: Server, address: Address, **changed: str) -> dict[str, str]:
    """The headers with which an address is answered, and changes to them."""
    headers = {"Sec_Fetch_Site": "same-origin"}
    if address.method not in ("GET", "HEAD"):
        headers |= {"Origin": f"http://127.0.0.1:{server.port}", "X_AJ": "1"}
        headers["Content_Type"] = "application/json"
    return headers | changed


def ask(server: Server, address: Address, **changed: str) -> int:
    body = None if address.method in ("GET", "HEAD") else "{}"
    headers = sent(server, address, **changed)
    return server.ask(address.path, address.method, body, **headers).status


@pytest.fixture(params=ALL, ids=str)
def address(request: pytest.FixtureRequest) -> Address:
    """Every address."""
    found: Address = request.param
    return found


def test_there_are_addresses_to_look_at() -> None:
    assert len(READ) > 20
    assert WRITTEN


def test_it_is_answered_as_the_page_asks(server: Server, address: Address) -> None:
    """So that the refusals below are for their reason."""
    if address.path == OPEN:
        return  # it wants a ticket
    assert ask(server, address) != 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", ""])
def test_a_foreign_host_is_refused(server: Server, address: Address, host: str) -> None:
    assert ask(server, address, Host=host.format(port=server.port)) in (400, 403)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_page_is_refused(server: Server, address: Address, site: str) -> None:
    assert ask(server, address, Sec_Fetch_Site=site) == 403


@pytest.mark.parametrize("address", KNOWN_ONLY, ids=str)
def test_nobody_else_is_answered(server: Server, address: Address) -> None:
    assert ask(server, address, Cookie="") == 403
    assert ask(server, address, Cookie=f"aj_{server.port}=0") == 403
    assert ask(server, address, Cookie="", Authorization="Bearer 0") == 403


def test_every_answer_has_the_policy(server: Server, address: Address) -> None:
    body = None if address.method in ("GET", "HEAD") else "{}"
    for cookie in (server.cookie, ""):
        headers = sent(server, address, Cookie=cookie)
        got = server.ask(address.path, address.method, body, **headers).headers
        assert got["content-security-policy"] == POLICY
        assert got["x-frame-options"] == "DENY"
        assert got["x-content-type-options"] == "nosniff"
        assert got["referrer-policy"] == "no-referrer"
        assert got["cross-origin-opener-policy"] == "same-origin"
        assert got["cross-origin-resource-policy"] == "same-origin"
        assert not [name for name in got if name.startswith("access-control")]
        if not address.path.startswith("/static/"):
            assert got["cache-control"] == "no-store"


@pytest.mark.parametrize("address", WRITTEN, ids=str)
@pytest.mark.parametrize(
    "changed",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://127.0.0.1"},
        {"X_AJ": ""},
        {"Content_Type": ""},
        {"Content_Type": "text/plain"},
        {"Content_Type": "application/x-www-form-urlencoded"},
        {"Content_Type": "multipart/form-data"},
        {"Content_Length": "65537"},
        {"Content_Length": "", "Transfer_Encoding": "chunked"},
    ],
    ids=str,
)
def test_only_the_page_may_write(server: Server, address: Address, changed: dict[str, str]) -> None:
    changed = {name: value.format(port=server.port) for name, value in changed.items()}
    assert ask(server, address, **changed) == 403


def test_other_methods_are_refused(server: Server, address: Address) -> None:
    """Not even our own page may use them, and no preflight is answered."""
    allowed = {other.method for other in ALL if other.route == address.route}
    for method in {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"} - allowed:
        headers = {"Origin": f"http://127.0.0.1:{server.port}", "X_AJ": "1"}
        headers["Content_Type"] = "application/json"
        assert server.ask(address.path, method, "{}", **headers).status in (404, 405)
        assert server.ask(address.path, method, Origin="http://evil.example").status == 403
