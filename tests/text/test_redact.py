"""Secrets in text: what is taken out, what stays."""

from __future__ import annotations

import json

import pytest

from agent_journal.text.redaction.redact import find_secrets, redact, redact_all
from tests.support.growth import assert_linear

A = "A1b2C3d4E5f6G7h8I9j0"  # put together here, so that no scanner takes this file for a leak
SECRETS = {
    "anthropic-key": f"sk-ant-api03-{A}",
    "openai-key": f"sk-proj-{A}{A}",
    "stripe-key": f"sk_live_{A}",
    "github-token": f"ghp_{A}{A[:16]}",
    "gitlab-token": f"glpat-{A}",
    "slack-token": f"xoxb-1234567890-{A}",
    "aws-key": "AKIA" + "Q3EGRIPTOA7DKZ4M",
    "google-key": f"AIza{A}{A[:15]}",
    "google-secret": f"GOCSPX-{A}",
    "google-token": f"ya29.{A}",
    "npm-token": f"npm_{A}{A[:16]}",
    "pypi-token": f"pypi-{A}{A}",
    "docker-token": f"dckr_pat_{A}",
    "huggingface-token": f"hf_{A}{A[:14]}",
    "groq-key": f"gsk_{A}{A}",
    "sendgrid-key": f"SG.{A}.{A}{A}",
    "vault-token": f"hvs.{A}{A}",
    "digitalocean-token": "dop_v1_" + "0123456789abcdef" * 4,
    "databricks-token": "dapi" + "0123456789abcdef" * 2,
    "shopify-token": "shpat_" + "0123456789abcdef" * 2,
    "linear-key": f"lin_api_{A}{A}",
    "tailscale-key": f"tskey-auth-{A}",
    "age-key": "AGE-SECRET-KEY-1" + "QPZRY9X8GF" * 6,
    "json-web-token": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{A}",
    "private-key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75mDc\n"
    "-----END RSA PRIVATE KEY-----",
}
SLACK = "https://hooks.slack.com/services"
ASSIGNED = {
    'password = "tr0ub4dor&3"': 'password = "[redacted password]"',
    "DB_PASSWORD=hunter42x": "DB_PASSWORD=[redacted password]",
    '{\\"password\\": \\"tr0ub4dor3\\"}': '{\\"password\\": \\"[redacted password]\\"}',
    f"API_TOKEN='{A}'": "API_TOKEN='[redacted secret]'",
    f"aws_secret_access_key: {A}/{A}": "aws_secret_access_key: [redacted secret]",
    f"Authorization: Bearer {A}": "Authorization: Bearer [redacted authorization]",
    "postgres://bob:s3cr3tpw@db.local/x": "postgres://bob:[redacted password-in-url]@db.local/x",
    f"{SLACK}/T01/B02/{A}": f"{SLACK}/[redacted webhook]",
    f"https://a.net/x?sv=1&sig={A}": "https://a.net/x?sv=1&sig=[redacted key-in-url]",
}
HEX = "0f9e8d7c6b5a49388271605f4e3d2c1b"
VALUES = {  # what is left before the value, the value, what is left after it
    "a dollar": ("DB_PASSWORD=", "S3cr3t$Pass99", "\n"),
    "braces": ('password = "', "ab{9}Zk!77q", '"'),
    "another quote": ('password = "', "it's-S3cret-99", '"'),
    "backslashes": ('password = "', "ab\\\\cd99ZZ", '"'),
    "a backslash at the end": ('password = "', "abcd99ZZ\\\\", '", "x": "y"'),
    "an escaped quote": ('password = "', 'ab\\"cd99', '", "x": "y"'),
    "long and bare": ("API_TOKEN=", "Zq9" * 200, " x"),
    "long and quoted": ('api_token="', "Zq9" * 100, '"'),
    "an encryption key": ("ENCRYPTION_KEY=", HEX, "\n"),
    "a private key": ("PRIVATE_KEY=", f"0x{HEX}{HEX}", "\n"),
    "any key": ("LICENSE_KEY='", HEX, "'"),
    "camel case": ('"encryptionKey": "', HEX, '"'),
    "a short name": ("DB_PASS=", "hunter2x9Q", "\n"),
    "an option": ("x --password ", "s3cr3tpw8", " -v"),
    "an option with =": ("x --password=", "s3cr3tpw8", " -v"),
    "a longer option": ("x --db-password '", "s3cr3t,pw8", "' -v"),
    "an option in a list": ('["--token", "', "Zq9Zq9Zq9Zq9", '"]'),
    "an api key": ("x --api-key ", "Zq9Zq9Zq9Zq9", ""),
    "curl": ("curl -s -u admin:", "Passw0rd99", " https://a.net"),
    "curl, long": ("curl --user 'admin:", "Passw0rd99", "' https://a.net"),
    "sshpass": ("sshpass -p ", "s3cr3tpw8", " ssh a"),
    "mysql": ("mysql -u root -p", "s3cr3tpw8", " db"),
    "authorization in JSON": ('{\\"Authorization\\": \\"Bearer ', A, '\\"'),
    "bcrypt": ("password: ", "$2b$12$" + A, "\n"),
}
HARMLESS = [
    "ab --password prompts for it",
    "--token <token1>",
    "--password $PASS1",
    "--password --verbose",
    "--token-file x12345678",
    "docker run -u 1000:1000 x",
    "docker run --name mysql -p3306:3306",
    "curl -u $USER:$PASS1 x",
    "curl -u name:<pass1>",
    "PWD=/work/project1",
    "const STORAGE_KEY = 'my-app-settings-v2'",
    f"PUBLIC_KEY={HEX}",
    f"cache_key: {HEX}",
    "password = '${USER}:${PASS1}'",
    'token: "Bearer ${token_1234567}"',
    "password={password1}",
    "token = '{{ vault_1.x }}'",
    "bypass: 123456x",
    'password = "" if x1 else ""',
    "the mysql -protocol x",
    "first_pass=abc12345",
    "%PASSWORD1%",
    "const TOKEN = NodeType2x",
    "API_KEY=Settings1",
    'Authorization "Basic authentication"',
    "sk-...",
    "<token>",
    "token: xxxxxxxxxxxxxxxx",
    "password=$DB_PASSWORD",
    "password: string;",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "const token = getToken()",
    "max_tokens: 4096",
    "https://user:password@example.com",
    "token_count=123456789012",
    "password = os.environ['X']",
    "secret: SecretStr = Field(...)",
    "sk-ant-your-key-here-please-put",
    "ghp_" + "x" * 36,
    '"token": "your-token-1234567"',
    'api_key="${API_KEY_1}"',
    "4f2a9c12-1234-1234-1234-123456789abc",
    "sk-learn-pipeline-with-a-long-name",
    "next_page_token: null",
    "--password-file=/etc/x1",
    "http://localhost:8080/a@b",
    "sha256:9f8e7d6c5b4a39281706aabbccdd",
]


@pytest.mark.parametrize("kind", SECRETS)
def test_every_kind_is_found_anywhere(kind: str) -> None:
    secret = SECRETS[kind]
    for text in (
        secret,
        f"the key is {secret}.",
        f"K='{secret}'\n",
        f'{{"a":"x\\n{secret}"}}',
        f"é{secret}é",
    ):
        (found,) = find_secrets(text)
        assert text[found.start : found.end] == secret
        assert found.kind == kind
        assert secret[12:] not in found.masked
        assert redact(text) == text.replace(secret, f"[redacted {kind}]")


BEFORE = [
    "-",
    "\x1b[32m",
    "\x1b[1;31m",
    "\\u001b[31m",
    "x\\u003d",
    "a%3D",
    "%22",
    "backup-",
    "cfg.",
    "tok_",
    "a-b_c-",
    "\\t",
]


@pytest.mark.parametrize("before", BEFORE)
def test_a_token_is_found_behind_other_token_characters(before: str) -> None:
    for kind in (
        "github-token",
        "anthropic-key",
        "aws-key",
        "sendgrid-key",
        "vault-token",
        "json-web-token",
    ):
        text = (
            f"{before}{SECRETS[kind]}.txt" if kind != "json-web-token" else before + SECRETS[kind]
        )
        assert redact(text).startswith(f"{before}[redacted {kind}]"), text


def test_two_tokens_in_one_run_are_both_found() -> None:
    aws, github = SECRETS["aws-key"], SECRETS["github-token"]
    assert redact(f"{aws}-{github}_") == "[redacted aws-key]-[redacted github-token]_"
    assert redact(f"ghp_{'x' * 36}-{github}") == f"ghp_{'x' * 36}-[redacted github-token]"


BODY = "\n".join(["MIIEpAIBAAKCAQEA7bq9Zz1cVx" * 2] * 20)


def test_private_keys_without_an_end_and_of_other_programs() -> None:
    head = "-----BEGIN RSA PRIVATE KEY-----\n"
    assert redact(f"cat k\n{head}{BODY}\n") == "cat k\n[redacted private-key]\n"
    assert redact(f"{head}{BODY}\n".replace("\n", "\\n")) == "[redacted private-key]\\n"
    block = (
        f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{BODY}\n=x9Zq\n"
        "-----END PGP PRIVATE KEY BLOCK-----"
    )
    assert redact(f"{block} and more") == "[redacted private-key] and more"
    assert redact(f"{head} {head}{BODY}") == f"{head} [redacted private-key]"
    assert redact(f"{head}is how a key begins") == f"{head}is how a key begins"


def test_findings_that_overlap_are_one() -> None:
    token = f"eyJhbGciOiJIUzI1NiJ9.eyJ{'Zq9a' * 2000}.{A}"
    assert redact(f"token=v1:{token} x") == "token=[redacted secret] x"


def test_a_password_before_the_secret_of_a_provider_is_found_once() -> None:
    text = f"token = '{SECRETS['github-token']}' and password: '{SECRETS['openai-key']}'"
    assert len(find_secrets(text)) == 2
    assert A not in redact(text)


@pytest.mark.parametrize("text", ASSIGNED)
def test_values_that_are_secret_by_the_word_before_them(text: str) -> None:
    assert redact(text) == ASSIGNED[text]


@pytest.mark.parametrize("name", VALUES)
def test_the_whole_value_goes_at_every_level_of_quoting(name: str) -> None:
    before, value, after = VALUES[name]
    text = before + value + after
    for _ in range(4):
        (found,) = find_secrets(text)
        assert text[found.start : found.end] == value
        before, value, after = (json.dumps(part)[1:-1] for part in (before, value, after))
        text = f'{{"command": "{before}{value}{after}"}}'


@pytest.mark.parametrize("text", HARMLESS)
def test_placeholders_and_code_stay(text: str) -> None:
    assert redact(text) == text


def test_home_folders_are_shortened() -> None:
    text = (
        "/home/sam/x '/Users/sam.b/y' C:\\Users\\sam\\z -home-sam-work "
        "/srv/data/k /data/home/x/y my-home-page-x"
    )
    short = "~/x '~/y' ~\\z -~-work ~/k /data/home/x/y my-home-page-x"
    assert redact(text, "/srv/data") == short


HOMES = {
    "/mnt/c/Users/alice/x": "~/x",
    "/c/Users/alice/x": "~/x",
    "C:/Users/alice/x": "~/x",
    "PATH=/bin:/Users/alice/bin": "PATH=/bin:~/bin",
    "file:///c%3A/Users/alice/y": "file:///~/y",
    "vscode-remote://wsl+ubuntu/home/alice/z": "vscode-remote://wsl+ubuntu~/z",
    "file%3A%2F%2F%2Fhome%2Falice%2Fx": "file%3A%2F%2F~%2Fx",
    "x=%2fhome%2falice": "x=~",
    "c%3A%5CUsers%5Calice%5Cx": "c%3A~%5Cx",
    "|/home/alice|": "|~|",
    "<td>/home/alice</td>": "<td>~</td>",
    "in /home/alice. Then": "in ~. Then",
    "/var/home/alice/x": "~/x",
    "\\/home\\/alice\\/x": "~\\/x",
    "a\\n/home/alice/x": "a\\n~/x",
    "\x1b[32m/home/alice/x": "\x1b[32m~/x",
    "C:\\\\\\\\Users\\\\\\\\alice\\\\\\\\x": "~\\\\\\\\x",
    "C:\\Users\\John Smith\\x": "~\\x",
    "C:\\Users\\john is here": "~ is here",
    "-home-alice": "-~",
    "projects/-home-alice/x": "projects/-~/x",
    "-mnt-c-Users-alice-x": "-mnt-c-~-x",
}
NO_HOMES = [
    "/data/home/x/y",
    "https://site.org/home/alice",
    "my-home-page",
    "the --home-dir option",
    "/Users/Shared/x",
    "/home/",
    "/var/lib/docker/home/x",
    "C:\\Users\\Public\\x",
    "src/Users/list.py",
    "/home/.*",
    "/home/$USER",
]


@pytest.mark.parametrize("text", HOMES)
def test_home_folders_however_they_are_written(text: str) -> None:
    assert redact(text) == HOMES[text]
    assert redact(HOMES[text]) == HOMES[text]


@pytest.mark.parametrize("text", NO_HOMES)
def test_other_folders_stay(text: str) -> None:
    assert redact(text) == text


def test_names_in_data_are_redacted_and_stay_apart() -> None:
    token = SECRETS["github-token"]
    data = {
        "input_tokens": 1,
        f"/home/alice/{token}.py": {"/home/bob/x": [token]},
        "/home/a/x": 2,
        "/home/b/x": 3,
        "~/x": 4,
    }
    assert redact_all(data, redact) == {
        "input_tokens": 1,
        "~/[redacted github-token].py": {"~/x": ["[redacted github-token]"]},
        "~/x (2)": 2,
        "~/x (3)": 3,
        "~/x": 4,
    }


def test_data_is_secret_by_the_names_in_it() -> None:
    data = {
        "DB_PASSWORD": "hunter2x9Q",
        "headers": {"Authorization": f"Bearer {A}", "Accept": "text/plain"},
        "env": [{"name": "API_TOKEN", "value": A}, {"name": "PORT", "value": "8080"}],
        "argv": ["tool", "--password", "hunter2x9Q", "--verbose", "x1234567890"],
        "max_tokens": 4096,
        "password": {"type": "string"},
    }
    assert redact_all(data, redact) == {
        "DB_PASSWORD": "[redacted password]",
        "headers": {"Authorization": "Bearer [redacted authorization]", "Accept": "text/plain"},
        "env": [
            {"name": "API_TOKEN", "value": "[redacted secret]"},
            {"name": "PORT", "value": "8080"},
        ],
        "argv": ["tool", "--password", "[redacted password]", "--verbose", "x1234567890"],
        "max_tokens": 4096,
        "password": {"type": "string"},
    }


def test_redacting_twice_changes_nothing_more() -> None:
    text = "\n".join([*SECRETS.values(), *ASSIGNED, *HARMLESS, "/home/sam/x"])
    once = redact(text)
    assert redact(once) == once
    assert not find_secrets(once)


# What a long text begins with, repeats and ends with.
LONG = [
    ("", "a", ""),
    ("", "sk-", ""),
    ("", "password=", ""),
    ("", "://", ""),
    ("", ".", ""),
    ("", "a.", ""),
    ("eyJ", "a.", ""),
    ("", "a" * 20 + ".", ""),
    ("", "-----BEGIN PRIVATE KEY-----", ""),
    ("", "eyJaaaaaaaaaa-", ".eyJaaaaaaaaaa"),
    ("", "/home/", ""),
    ("/home/", "a.", ""),
    ("", "a/home/b", ""),
    ("", "C:\\Users\\", ""),
    ("", "\\", "\\/"),
    ("", "%2Fhome", ""),
    ("", "-home-", ""),
    ("/home/a", ".", ""),
    ("", 'password="', ""),
    ("", "token=", ""),
    ("", 'password=\\"a', ""),
    ("password", "\\", ""),
    ("", "token=1", ""),
    ("", "--password ", ""),
    ("", "curl -u a:", ""),
    ("", "mysql ", ""),
    ("", "A_KEY=", ""),
    ("", "password={", ""),
    ("", "sk-ant-xxxx-", ""),
    ("-sk-", "-AKIA", ""),
    ("", "SG." + "a" * 20, ""),
    ("", ".eyJaaaaaaaaa", ""),
    ("", "-----BEGIN PRIVATE KEY-----" + "A" * 30, ""),
    ("", "-----END PRIVATE KEY-----", ""),
]


@pytest.mark.parametrize(("first", "repeated", "last"), LONG)
def test_no_expression_backtracks(first: str, repeated: str, last: str) -> None:
    def make(size: int) -> str:
        return first + repeated * (size // len(repeated)) + last

    assert_linear(redact, make, size=50_000)
