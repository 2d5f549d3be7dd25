"""Secrets with a form of their own: hashes of passwords, recovery codes, phrases, Wi-Fi."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_journal.text.redaction import values
from agent_journal.text.redaction.places import SLASHES
from agent_journal.text.redaction.secret import Secret, as_secret

_BREAK = r"(?:\s|\\{1,16}[nrt])"
# As crypt() and the like write them: the method, the salt, the hash
_HASHED = re.compile(
    r"\$(?:[1567y]|2[abxy]|gy|apr1|sha1|argon2i?d?|pbkdf2-\w{1,10}|scrypt|P|H)\$"
    r"(?P<bare>[A-Za-z0-9./+=,$-]{20,400}+)(?![^\s:;,|<>)\]}\"'`\\])"
)
_WIFI = re.compile(
    r"WIFI:[^\r\n]{0,120}?(?<=[:;])P:(?P<bare>(?:[^;\\\s]|\\{1,16}[;:,\\]){4,100}+);"
)
_ITEM = rf"""(?:{_BREAK}|[-+*•,|>`"'\[\]\\]|[0-9]{{1,2}}[.)]){{1,40}}+"""
_CODE = re.compile(
    rf"""{_ITEM}(?P<bare>(?=[a-z-]{{0,9}}+[0-9]|[A-Z-]{{0,9}}+[0-9])"""
    r"""(?:[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,4}|[a-z0-9]{8,16}|[A-Z0-9]{8,16}))"""
    r"""(?=[\s,;|"'`\\\]]|\Z)"""
)
_CODES = re.compile(
    rf"""(?i:codes){SLASHES}["'*]{{0,2}}[ ]?(?:\([^()\r\n]{{0,80}}\))?[ ]?[:=](?:\*\*)?"""
)
_CODES_OF = ("recovery", "backup", "scratch", "rescue", "2fa", "mfa")
_MOST_CODES = 40
# 12 to 24 words of a list in which no word has fewer than three letters or more than eight
_PHRASE = re.compile(
    rf"""(?:mnemonic|phrase)(?:{SLASHES}["'*`])?[ ]?(?:[:=]|is)"""
    rf"""(?:{_BREAK}|[*`]|{SLASHES}["']){{0,20}}"""
    r"(?P<bare>[a-z]{3,8}(?:[ ][a-z]{3,8}){11,23})(?![ ]?[a-z])",
    re.I,
)
# Words of sentences that the list does not have
_PROSE = re.compile(r"(?i)\b(?:the|and|are|for|was|has|not|but|from|its|our|his|her|had|were)\b")
_BREAKS = r"(?:(?:[ \t]|\\{1,16}t){0,40}(?:\r?\n|\\{1,16}[nr])[+-]?(?:[ \t]|\\{1,16}t){0,40})"
_MORE = rf"(?:{_BREAKS}[\w-]{{6,200}}+){{0,20}}"
_WEB_TOKEN = re.compile(
    rf"""eyJ[\w-]{{10,200}}+{_MORE}\.{_BREAKS}{{0,1}}eyJ[\w-]{{4,4096}}+{_MORE}\.{_BREAKS}{{0,1}}"""
    rf"[\w-]{{20,4096}}+{_MORE}",
    re.ASCII,
)


def find_hashes(text: str) -> Iterator[Secret]:
    """Yield hashes of passwords, as in /etc/shadow and .htpasswd."""
    for match in _HASHED.finditer(text):
        if not values.is_placeholder(match["bare"]) and values.has_letter(match["bare"]):
            yield as_secret("password-hash", match.start(), match.end(), "")


def find_of_wifi(text: str) -> Iterator[Secret]:
    """Yield the password in what the code of a Wi-Fi network says."""
    for match in _WIFI.finditer(text):
        if not values.is_placeholder(match["bare"]):
            yield as_secret("password", match.start("bare"), match.end("bare"), "")


def find_recovery_codes(text: str, folded: bytes) -> Iterator[Secret]:
    """Yield codes that let one in without a second factor, in a list below their name."""
    at = folded.find(b"codes")
    while at >= 0:
        after = at + 5
        before = text[max(0, at - 24) : at].lower()
        if any(word in before for word in _CODES_OF):
            head = _CODES.match(text, at)
            if head is not None:
                after = head.end()
                yield from _codes(text, after)
        at = folded.find(b"codes", after)


def _codes(text: str, at: int) -> Iterator[Secret]:
    for _ in range(_MOST_CODES):
        match = _CODE.match(text, at)
        if match is None:
            return
        yield as_secret("recovery-code", match.start("bare"), match.end("bare"), "")
        at = match.end()


def find_phrases(text: str) -> Iterator[Secret]:
    """Yield the words of a wallet."""
    for match in _PHRASE.finditer(text):
        if _PROSE.search(match["bare"]) is None:
            yield as_secret("seed-phrase", match.start("bare"), match.end("bare"), "")


def find_broken_tokens(text: str) -> Iterator[Secret]:
    """Yield JSON web tokens that are broken into lines."""
    for match in _WEB_TOKEN.finditer(text):
        yield as_secret("json-web-token", match.start(), match.end(), "eyJ")
