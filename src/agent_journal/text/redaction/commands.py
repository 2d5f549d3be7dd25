"""Passwords in commands: `curl -u name:x`, `sshpass -p x`, `mysql -px`, `echo x | sudo -S`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_journal.text.redaction import values
from agent_journal.text.redaction.places import SLASHES
from agent_journal.text.redaction.secret import Secret, as_secret

# The few options that may have a password beside them; all of them are looked up in one pass over
# the text in lower case, with `_` for `-`.
_OPTIONS = re.compile(rb" _(?:[pus]|_user|a[ s]|[kw] )")
_NEAR = 300  # characters between a command and its option
_QUOTE = rf"""(?:{SLASHES}["'])?"""
_PASSWORD = re.compile(
    rf"""[ ]-(?P<option>[pPakw])(?P<space>[ ]{{0,4}}){_QUOTE}(?P<bare>[^\s"'`\\<>]{{3,200}}+)"""
)
_TO_OPTION = r"(?:[ ][^\r\n|;&]{0,250})?\Z"
_COMMANDS = {  # that have a password after an option, and after a space or not
    ("p", True): r"(?:sshpass|login|mongo\w{0,8}|cqlsh|(?i:psexec)\w{0,5}|(?<![\w-])(?:az|oc))",
    ("p", False): r"(?:sshpass|mysql\w{0,8}|mariadb\S{0,8}|7za?|rar)",
    ("P", True): r"(?:(?:un)?zip|sqlcmd|bcp|mosquitto_\w{3}|ipmitool)",
    ("a", True): r"redis-cli",
    ("k", True): r"openssl",
    ("w", True): r"(?<!\w)ldap[a-z]{3,10}",
}
_BEFORE_OPTION = {key: re.compile(command + _TO_OPTION) for key, command in _COMMANDS.items()}
_PORTS = re.compile(r"[0-9.]{1,15}(?::[0-9]{1,5}){0,2}(?:/(?:tcp|udp))?\Z")
_USER_QUOTED = re.compile(
    rf"""[ ](?:-u|--user)[ =]{{0,4}}{SLASHES}["'][\w.@+-]{{0,64}}:(?P<bare>[^\s"'\\<>]{{3,200}})"""
)
_USER = re.compile(
    r"""[ ](?:-u[ ]{0,4}|--user[ =]{1,4})[\w.@+-]{0,64}[:,](?P<bare>[^\s"'`\\<>]{3,200})"""
)
_TRANSFER = re.compile("curl|lftp")
_SAMBA_USER = re.compile(
    rf"""[ ]-U[ ]{{1,4}}{_QUOTE}[\w.\\@-]{{1,64}}%(?P<bare>[^\s"'`\\<>]{{3,200}})"""
)
# -- a password that another command reads
_PRINTED = re.compile(
    rf"""(?:echo|printf)[ ](?:-\w{{1,3}}[ ]|{_QUOTE}%s(?:\\{{1,16}}n)?{_QUOTE}[ ]){{0,3}}{_QUOTE}"""
    rf"""(?:[\w.@-]{{1,40}}:)?(?P<bare>[^\s"'`\\|]{{4,400}}+(?:\\{{1,16}}n[^\s"'`\\|]{{4,400}}+)?)"""
    rf"""{_QUOTE}[ ]{{0,4}}\|[^\r\n|]{{0,120}}\Z"""
)
_READERS = ("passwd", "password-stdin", "secret create", "secrets create", "secrets versions add")
_HERE = re.compile(rf"""[^\r\n|]{{0,100}}<<<[ ]?{_QUOTE}(?P<bare>[^\s"'`\\|<>]{{4,200}})""")
_WEB_SERVER = re.compile(
    rf"""passwd[ ]-\w{{0,4}}b\w{{0,4}}[ ]\S{{1,100}}[ ][\w.@-]{{1,60}}[ ]{_QUOTE}"""
    r"""(?P<bare>[^\s"'`\\|<>]{4,200})"""
)
_CHANGED = re.compile(rf"""password[ ][\w.@-]{{1,60}}[ ]{_QUOTE}(?P<bare>[^\s"'`\\|<>]{{4,200}})""")
_POSTGRES = re.compile(
    r"""(?<![\w.*-])[\w.*-]{1,80}:(?:[0-9]{2,5}|\*):[\w*-]{1,60}:[\w*@.-]{1,60}:"""
    r"""(?P<bare>[^\s"'\\:]{4,200})"""
)
_SECURE = re.compile(
    rf"""(?i:ConvertTo-SecureString)[ ](?:-\w{{1,10}}[ ]){{0,2}}{SLASHES}["']"""
    rf"""(?P<bare>[^"'\\\r\n]{{4,200}}){SLASHES}["'](?:[ ]-\w{{1,12}}){{0,2}}\Z"""
)
_NET_USER = re.compile(
    r"(?i:net[ ]use(?:[ ][^\r\n]{1,200}/user:|r[ ]))"
    rf"""[\w.\\@-]{{1,60}}[ ]{_QUOTE}(?P<bare>[^\s"'`\\<>/*-][^\s"'`\\<>]{{3,200}})"""
)
_ORACLE = re.compile(
    r"""(?:sqlplus[ ](?:-\w{1,8}[ ]){0,3}|:thin:)["']?\w{1,40}/(?P<bare>[^\s"'`\\<>/@]{3,200})@\Z"""
)
_LOGIN = re.compile(
    rf"""login\({SLASHES}["'][\w.+-]{{1,60}}@[\w.-]{{1,80}}{SLASHES}["'],[ ]?"""
    rf"""{SLASHES}["'](?P<bare>[^\s"'\\]{{4,200}})"""
)
_PIPED = re.compile(rb"\| (?:sudo )?(?:kinit |cryptsetup )")
_IDENTIFIED = re.compile(
    rf"""(?i:identified[ ](?:with[ ][\w.'"\\]{{1,40}}[ ])?by)[ ]{{1,4}}{SLASHES}["']"""
    r"""(?P<bare>[^"'\\\r\n]{4,200})"""
)


def find_in_commands(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield passwords of commands; `folded` has one byte for each character of the text."""
    for option in _OPTIONS.finditer(folded):
        yield from _FINDERS[option[0]](text, option.start())


def find_identified(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield passwords in `IDENTIFIED BY 'x'`."""
    at = folded.find(b"identified ")
    while at >= 0:
        yield from _accepted(_IDENTIFIED.match(text, at))
        at = folded.find(b"identified ", at + 1)


def find_of_users(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield passwords in `net user bob x /add` and `net use a /user:bob x`."""
    at = folded.find(b"net use")
    while at >= 0:
        yield from _accepted(_NET_USER.match(text, at))
        at = folded.find(b"net use", at + 7)


def find_beside_at(text: str) -> Iterator[Secret]:
    """Yield passwords in `sqlplus bob/x@db`, `oracle:thin:bob/x@db`, `login("bob@a.net", "x")`."""
    at = text.find("@")
    while at >= 0:
        near = max(0, at - 60)
        login = text.rfind("login(", near, at)
        if login >= 0:
            yield from _accepted(_LOGIN.match(text, login))
        slash = text.rfind("/", near, at)
        if 0 <= slash < at - 3:
            yield from _accepted(_ORACLE.search(text, max(0, slash - 60), at + 1))
        at = text.find("@", at + 1)


def find_piped(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield passwords that are piped into commands which read one."""
    for command in _PIPED.finditer(folded):
        at = command.end()
        yield from _accepted(_PRINTED.search(text, max(0, at - _NEAR), at))


def find_beside_name(text: str, at: int, start: int) -> re.Match[str] | None:
    """Return the value of a command that has a word of a secret in it, not joined to the value.

    That is `echo x | gh secret set TOKEN`, `htpasswd -b file name x`, or a line of `.pgpass`.
    """
    if text.startswith("passwd", at) and text.endswith("ht", 0, at):
        return _WEB_SERVER.match(text, at)
    if text.startswith("password ", at) and text.endswith("change_", 0, at):
        return _CHANGED.match(text, at)
    if text.startswith("pass", at) and text.endswith(".pg", 0, at):
        return _POSTGRES.search(text, max(0, at - _NEAR), at + _NEAR)
    is_read = text.startswith(_READERS, at) or text.endswith("set ", 0, start)
    if is_read and text.find("|", max(0, at - _NEAR), at) >= 0:
        return _PRINTED.search(text, max(0, at - 2 * _NEAR), at)
    return None


def _accepted(match: re.Match[str] | None) -> Iterator[Secret]:
    if match is None:
        return
    value = match["bare"]
    if not values.is_placeholder(value) and not value.isdigit():
        yield as_secret("password", match.start("bare"), match.end("bare"), "")


def _after_password_option(text: str, at: int) -> Iterator[Secret]:
    match = _PASSWORD.match(text, at)
    if match is None or _PORTS.match(match["bare"]):
        return
    is_joined = match["space"] == ""
    if is_joined and not (values.has_digit(match["bare"]) and values.has_letter(match["bare"])):
        return
    commands = _BEFORE_OPTION.get((match["option"], not is_joined))
    if commands is not None and commands.search(text, max(0, at - _NEAR), at):
        yield from _accepted(match)


def _after_user_option(text: str, at: int) -> Iterator[Secret]:
    match = _USER_QUOTED.match(text, at) or _USER.match(text, at)
    if match is not None and _TRANSFER.search(text, max(0, at - _NEAR), at):
        yield from _accepted(match)
    yield from _accepted(_SAMBA_USER.match(text, at))


def _beside_sudo(text: str, at: int) -> Iterator[Secret]:
    """Yield what `sudo -S` reads."""
    if not text.startswith("sudo -S", at - 4):
        return
    yield from _accepted(_PRINTED.search(text, max(0, at - _NEAR), at))
    yield from _accepted(_HERE.match(text, at))


def _before_plain_text(text: str, at: int) -> Iterator[Secret]:
    yield from _accepted(_SECURE.search(text, max(0, at - _NEAR), at))


_FINDERS = {
    b" _p": _after_password_option,
    b" _a ": _after_password_option,
    b" _k ": _after_password_option,
    b" _w ": _after_password_option,
    b" _u": _after_user_option,
    b" __user": _after_user_option,
    b" _s": _beside_sudo,
    b" _as": _before_plain_text,
}
