"""Passwords in commands: `curl -u name:x`, `sshpass -p x`, `mysql -px`, `echo x | sudo -S`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_journal.text.redaction import values
from agent_journal.text.redaction.places import SLASHES
from agent_journal.text.redaction.secret import Secret, as_secret

# The few options that may have a password beside them; all of them are looked up in one pass over
# the text in lower case, with `_` for `-`.
_OPTIONS = re.compile(rb" _(?:[pus]|_(?:proxy_)?user|a[ s]|[kwbt] )")
_NEAR = 300  # characters between a command and its option
_QUOTE = rf"""(?:{SLASHES}["'])?"""
_PASSWORD = re.compile(
    rf"""[ ]-(?P<option>[pPakwbt])(?P<space>[ ]{{0,4}}){_QUOTE}(?P<bare>[^\s"'`\\<>]{{3,200}}+)"""
)
_TO_OPTION = r"(?:[ ][^\r\n|;&]{0,250})?\Z"
_COMMANDS = {  # that have a password after an option, and after a space or not
    ("p", True): r"(?:sshpass|login|mongo\w{0,8}|cqlsh|(?i:psexec)\w{0,5}|(?<![\w-])(?:az|oc))",
    ("p", False): r"(?:sshpass|mysql\w{0,8}|mariadb\S{0,8}|7za?|rar)",
    ("P", True): r"(?:(?:un)?zip|sqlcmd|bcp|mosquitto_\w{3}|ipmitool)",
    ("a", True): r"redis-cli",
    ("k", True): r"openssl",
    ("w", True): r"(?:(?<!\w)ldap[a-z]{3,10}|security[ ]add-[a-z-]{1,30})",
    ("b", True): r"gh[ ]secret[ ]set",
    ("t", True): r"doctl[ ]auth[ ]init",
}
_BEFORE_OPTION = {key: re.compile(command + _TO_OPTION) for key, command in _COMMANDS.items()}
# Any other command with a password beside the name of a user
_AFTER_USER = re.compile(r"""[ ](?:-[ul]|--user(?:name)?)[ =]["']?[\w.@+\\-]{1,60}["']?\Z""")
_NO_PASSWORD = re.compile(
    r"(?:mysql|mariadb|psql|sudo|docker|podman|ssh|nmap|rsync)\b[^\r\n|;&]{0,250}\Z"
)
_PORTS = re.compile(r"[0-9.]{1,15}(?::[0-9]{1,5}){0,2}(?:/(?:tcp|udp))?\Z")
_USER_QUOTED = re.compile(
    rf"""[ ](?:-u|--(?:proxy-)?user)[ =]{{0,4}}{SLASHES}["'][\w.@+-]{{0,64}}:"""
    r"""(?P<bare>[^\s"'\\<>]{3,200})"""
)
_USER = re.compile(
    r"""[ ](?:-u[ ]{0,4}|--(?:proxy-)?user[ =]{1,4})[\w.@+-]{0,64}[:,]"""
    r"""(?P<bare>[^\s"'`\\<>]{3,200})"""
)
_COOKIES = re.compile(rf"""[ ]-b[ ]{_QUOTE}(?P<cookies>[\w.-]{{1,60}}=[^\r\n"'\\]{{6,4000}})""")
_COOKIE = re.compile(r"(?:\A|; ?)[\w.-]{1,60}=(?P<bare>[^;\s]{6,2000}+)")
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
    rf"""passwd[ ]-(?:n?[Bm5]?b\w{{0,4}}|bn\w{{0,2}}|\w{{0,4}}b\w{{0,4}}[ ]\S{{1,100}})[ ]"""
    rf"""[\w.@-]{{1,60}}[ ]{_QUOTE}"""
    r"""(?P<bare>[^\s"'`\\|<>]{4,200})"""
)
_CHANGED = re.compile(rf"""password[ ][\w.@-]{{1,60}}[ ]{_QUOTE}(?P<bare>[^\s"'`\\|<>]{{4,200}})""")
_ENCRYPTED = re.compile(
    rf"""(?i:passwd[ ]-(?:[156]|apr1)|passphrase[ ][\w.-]{{1,40}})[ ]{_QUOTE}"""
    r"""(?P<bare>[^\s"'`\\|<>$-][^\s"'`\\|<>]{5,200})"""
)
_UNSEAL = re.compile(r"(?i:key)[ ][0-9]{1,2}(?:[ ]\([^()]{1,20}\))?:[ ](?P<bare>[\w+/=-]{16,200})")
_LITERAL = re.compile(
    rf"""secret[ ]generic[ ][^\r\n|;&]{{1,200}}?--from-literal[= ]{_QUOTE}[\w.-]{{1,60}}={_QUOTE}"""
    r"""(?P<bare>[^\s"'`\\|<>]{4,4096})"""
)
_VAULT = re.compile(
    rf"""encrypt_string[ ]{_QUOTE}(?P<bare>[^\s"'`\\|<>-][^\s"'`\\|<>]{{3,4096}}){_QUOTE}[ ]"""
)
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
_IMPACKET = re.compile(
    r"""(?:exec|dump|client|SPNs|Users)\.py[ ](?:-[\w-]{1,20}[ ]){0,3}["']?"""
    r"""[\w.-]{1,40}/[\w.-]{1,40}:"""
    r"""(?P<bare>[^\s"'`\\<>/@]{3,200})@\Z"""
)
_MAIL_LOGIN = re.compile(
    rf"""LOGIN[ ]{_QUOTE}[\w.+-]{{1,60}}@[\w.-]{{1,80}}{_QUOTE}[ ]{_QUOTE}"""
    r"""(?P<bare>[^\s"'\\]{4,200})"""
)
_LOGIN = re.compile(
    rf"""login\({SLASHES}["'][\w.+-]{{1,60}}@[\w.-]{{1,80}}{SLASHES}["'],[ ]?"""
    rf"""{SLASHES}["'](?P<bare>[^\s"'\\]{{4,200}})"""
)
_PIPED = re.compile(
    rb"\| (?:sudo )?(?:kinit |cryptsetup |gh (?:auth login|secret set)|glab auth login"
    rb"|wrangler secret|vercel env add|(?:go)?pass insert|secret_tool store|vault login)"
)
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
        if text.startswith("LOGIN ", text.rfind("LOGIN ", near, at)):
            yield from _accepted(_MAIL_LOGIN.search(text, near, at + _NEAR))
        slash = text.rfind("/", near, at)
        if 0 <= slash < at - 3:
            yield from _accepted(_ORACLE.search(text, max(0, slash - 60), at + 1))
            yield from _accepted(_IMPACKET.search(text, max(0, slash - 60), at + 1))
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
    if text.endswith(("openssl ", "wpa_"), 0, at):
        return _ENCRYPTED.match(text, at)
    if text.startswith("password-stdin", at) and text.find("<<<", at, at + _NEAR) >= 0:
        return _HERE.match(text, at)
    if text.endswith("nseal ", 0, at):
        return _UNSEAL.match(text, at)
    if text.startswith("secret generic", at):
        return _LITERAL.match(text, at)
    encrypted = text.rfind("encrypt_string", max(0, at - 2 * _NEAR), at)
    if encrypted >= 0:
        return _VAULT.match(text, encrypted)
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
    if is_joined and not (values.is_chosen(match["bare"]) and values.has_letter(match["bare"])):
        return
    commands = _BEFORE_OPTION.get((match["option"], not is_joined))
    is_known = commands is not None and commands.search(text, max(0, at - _NEAR), at)
    is_spaced = match["option"] == "p" and not is_joined
    if is_known or (is_spaced and _is_beside_user(text, at, match["bare"])):
        yield from _accepted(match)


def _is_beside_user(text: str, at: int, value: str) -> bool:
    """Whether an option follows the name of a user, and has what passwords are made of."""
    if not values.is_chosen(value) or values.is_path(value) or "/" in value:
        return False
    near = max(0, at - _NEAR)
    if _AFTER_USER.search(text, max(0, at - 80), at) is None:
        return False
    return _NO_PASSWORD.search(text, near, at) is None


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


def _after_body_option(text: str, at: int) -> Iterator[Secret]:
    """Yield the secret of `gh secret set NAME -b x`, and the cookies of `curl -b`."""
    yield from _after_password_option(text, at)
    match = _COOKIES.match(text, at)
    if match is not None and _TRANSFER.search(text, max(0, at - _NEAR), at):
        for pair in _COOKIE.finditer(match["cookies"]):
            if values.has_digit(pair["bare"]) and not values.is_placeholder(pair["bare"]):
                start = match.start("cookies")
                yield as_secret("cookie", start + pair.start("bare"), start + pair.end("bare"), "")


def _before_plain_text(text: str, at: int) -> Iterator[Secret]:
    yield from _accepted(_SECURE.search(text, max(0, at - _NEAR), at))


_FINDERS = {
    b" _p": _after_password_option,
    b" _a ": _after_password_option,
    b" _k ": _after_password_option,
    b" _w ": _after_password_option,
    b" _b ": _after_body_option,
    b" _t ": _after_password_option,
    b" _u": _after_user_option,
    b" __user": _after_user_option,
    b" __proxy_user": _after_user_option,
    b" _s": _beside_sudo,
    b" _as": _before_plain_text,
}
