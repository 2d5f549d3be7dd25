"""Secrets that have a form of their own, and those of people and commands that log in."""

from __future__ import annotations

import pytest

from agent_journal.text.redaction.redact import redact
from tests.support.growth import assert_linear

A = "Zk3mQ8vT1xLp9RbW7nYc"  # put together here, so that no scanner takes this file for a leak
HASH = f"{A}./{A}"
LINE = (A * 4)[:64]
HEAD = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
BODY = "eyJzdWIiOiIxMjM0NTY3ODkwIn0"
WORDS = "able acid zone wolf winter zebra absurd access act abuse accuse acquire"
END = "-----END RSA PRIVATE KEY-----"

# What is left before the secret, the secret, what is left after it
RULES = {
    "shadow": ("root:", f"$6$salt1234${HASH}", ":19000:0:99999:7:::"),
    "shadow, yescrypt": ("bob:", f"$y$j9T$salt1234${HASH}", ":19000:0:99999:7:::"),
    "htpasswd": ("bob:", f"$apr1$salt1234${A}ab", "\n"),
    "htpasswd, bcrypt": ("bob:", f"$2y$05${HASH}", "\n"),
    "LDIF": ("userPassword: {SSHA}", f"{A}+{A}", "\n"),
    "recovery codes": ("Recovery codes:\n", "d71d2-6247e", "\n"),
    "backup codes": ("Save your backup codes:\n1. ", "9eda8-f6af4", "\n"),
    "recovery codes in JSON": ('{"recovery_codes": ["', "8dbd4-872ea", '"]}'),
    "seed phrase": ("Seed phrase: ", WORDS, "\n"),
    "mnemonic": ('{"mnemonic": "', WORDS, '"}'),
    "mnemonic in a setting": ('MNEMONIC="', WORDS, '"'),
    "web token in lines": ("x ", f"{HEAD}.\n{BODY}.\n{A}{A}", "\n"),
    "web token, wrapped": ("x ", f"{HEAD}.{BODY[:20]}\n{BODY[20:]}abc.{A}{A}", "\n"),
    "key without its head": ("word\n", f"{LINE}\n{LINE}\n{A}==\n{END}", "\n"),
    "unseal key": ("Unseal Key 1: ", f"{A}+{A}", "\n"),
    "root token": ("Initial Root Token: ", f"s.{A}", "\n"),
    "vault login": ("vault login ", A, "\n"),
    "snyk auth": ("snyk auth ", A, "\n"),
    "doctl": ("doctl auth init -t ", A, "\n"),
    "cookie of curl": ("curl -b 'session=", A, "' https://a.net"),
    "recorded cookie": ('{"cookies":[{"name":"sid","value":"', A, '","path":"/"}]}'),
    "recorded header": ('{"name":"Cookie","value":"sid=', A, '; lang=en"}'),
    "recorded header, value first": ('{"value":"sid=', A, '; Path=/","name":"Set-Cookie"}'),
    "secret of AWS": ('{"Name": "a", "SecretString": "', A, '"}'),
    "option of AWS": ("aws secretsmanager create-secret --name a --secret-string '", A, "'"),
    "setup key": ("Your setup key is ", "5SXX4NEOHQ6ZT2SB", "\n"),
    "a member with dots": ("password=", "Velvet.ember29", "\n"),
}


@pytest.mark.parametrize("name", RULES)
def test_only_the_secret_is_taken_out(name: str) -> None:
    before, secret, after = RULES[name]
    redacted = redact(before + secret + after)
    assert redacted.startswith(f"{before}[redacted ")
    assert redacted.endswith(f"]{after}")


def test_all_recovery_codes_of_a_list() -> None:
    codes = ("d71d2-6247e", "29f39-8b257", "509fd-a5bdc")
    redacted = redact("Recovery codes:\n" + "\n".join(codes) + "\n")
    assert not any(code in redacted for code in codes)


@pytest.mark.parametrize(
    "part",
    [
        "eyJhbGciOiJIUzI1NiIs\n",
        "eyJ",
        "$6$a",
        "WIFI:",
        "backup codes: a1b2c3d4 ",
        'cookies": [{"name": "a", ',
        '"value": "a1", ',
        '"sensitive": true, ',
        "mnemonic: able acid ",
        "log in as ",
        f"{LINE}\n",
        f"{LINE}\n{END}\n",
        "password for a b c d ",
        'value="a" name="password" ',
        "maple-orbit-",
        " -u bob -p ",
    ],
)
def test_time_grows_with_the_size_only(part: str) -> None:
    def make(size: int) -> str:
        return part * (size // len(part)) + END

    assert_linear(redact, make, size=50_000)
