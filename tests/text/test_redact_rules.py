"""Secrets that are known by where they are, one case for each rule."""

from __future__ import annotations

import base64

import pytest

from agent_journal.text.redaction.redact import redact
from tests.support.growth import assert_linear

A = "Zk3mQ8vT1xLp9RbW7nYc"  # put together here, so that no scanner takes this file for a leak
HEX = "0f9e8d7c6b5a49388271605f4e3d2c1b"
WORD = "hunter2x9Q"
BASIC = base64.b64encode(f"bob:{WORD}".encode()).decode()
KEY = base64.b64encode(bytes(range(60))).decode()

# What is left before the secret, the secret, what is left after it
RULES = {
    "a sample within a password": ("password: ", "YourDog2019!", "\n"),
    "a sample within a token": ("", f"ghp_fake{A}{A[:12]}", " x"),
    "your within a token": ("", f"ghp_{A}your{A[:12]}", " x"),
    "& in a setting": ("DB_PASSWORD=", "a9&b&c=d9xyz", "\n"),
    "& in YAML": ("password: ", "tr0ub4dor&3", "\n"),
    "& in a form": ("curl -d 'password=", WORD, "&user=bob'"),
    "& in a query": ("https://a.net/?a=1&token=", A, "&x=1"),
    "cookie": ("Cookie: theme=dark; sid=", A, "; lang=en"),
    "set-cookie": ("Set-Cookie: connect.sid=", f"s%3A{A}", "; Path=/; HttpOnly"),
    "cookie of curl": ('curl --cookie "PHPSESSID=', HEX, '" https://a.net'),
    "cookie in code": ("document.cookie = 'session=", A, "'"),
    "pass": ("{ user: 'bob', pass: '", WORD, "' }"),
    "element": ("<password>", WORD, "</password>"),
    "element with a prefix": ("<db:password>", WORD, "</db:password>"),
    "element in lines": ("<password>\n  ", WORD, "\n</password>"),
    "element with data": ("<password><![CDATA[", WORD, "]]></password>"),
    "property": ('<property name="db.password">', WORD, "</property>"),
    "property with a value": ('<property name="password" value="', WORD, '"/>'),
    "plist": ("<key>ApiToken</key>\n<string>", A, "</string>"),
    "define": ("define('DB_PASSWORD', '", WORD, "');"),
    "kubeconfig": ("    client-key-data: ", KEY, "\n"),
    "docker": ('{"auths": {"a.net": {"auth": "', BASIC, '"}}}'),
    "npm": ("//a.net/:_auth=", BASIC, "\n"),
    "npm, not of two parts": ("//a.net/:_auth=", A, "\n"),
    "npm, short": ("_auth=", WORD, "\n"),
    "nginx": ('proxy_set_header Authorization "Basic ', BASIC, '";'),
    "@ in an address": ("postgres://bob:", "hun@ter2x9", "@db.local/x"),
    "@ early in an address": ("postgres://bob:", "p@ssw0rd@9", "@db.local/x"),
    "aws configure": ("AWS Secret Access Key [None]: ", A, "\n"),
    "a short key in a setting": ("API_KEY=", "xQ5i8OfvC9M", "\n"),
    "a short key with signs": ("export API_KEY=", "Tr0ub4dor&3", "\n"),
    "netrc": ("machine a.net\n  login bob\n  password ", WORD, "\n"),
    "PuTTY": ("Public-Lines: 1\nAAAA\nPrivate-Lines: 1", f"\n{KEY}", "\nPrivate-Hash: x"),
    "Rails": ("SECRET_KEY_BASE=", HEX * 4, "\n"),
    "Okta": ("Authorization: SSWS ", f"00{A}{A}", "\n"),
    "any scheme": ("Proxy-Authorization: Basic ", BASIC, "\n"),
    "no scheme": ("Authorization: ", A, "\n"),
    "bearer": ("Use `Bearer ", A, "` there"),
    "header": ("curl -H 'X-Api-Key: ", A, "' https://a.net"),
    "Twilio": ("TWILIO_AUTH_TOKEN=", HEX, "\n"),
    "Mailchimp": ("", f"{HEX}-us6", " x"),
    "Terraform": ("", f"{A[:14]}.atlasv1.{A * 4}", " x"),
    "Azure": ("", f"{A[:3]}8Q~{A}{A[:14]}", " x"),
    "Discord": ("", f"MTAxMjM0NTY3ODkwMTIzNDU2.Gh1jKl.{A}{A[:7]}", " x"),
    "Telegram": ("bot ", f"1234567890:AA{A}{A[:13]}", " x"),
    "Dropbox": ("", f"sl.u.{A * 7}", " x"),
    "Doppler": ("", f"dp.st.prd.{A}{A}abc", " x"),
    "Fly": ("FLY_API_TOKEN=FlyV1 ", f"fm2_{A * 4}", "\n"),
    "token of a URL": ("https://", HEX, "@o1.ingest.sentry.io/1"),
    "webhook": ("https://discord.com/api/webhooks/", f"123456789012345678/{A * 3}", " x"),
    "connection string": ("AccountName=a;AccountKey=", f"{A * 4}==", ";Suffix=b"),
    "table": ("| `API_TOKEN` | `", A, "` |"),
    "pair": ('{"name": "DB_PASSWORD", "value": "', WORD, '"}'),
    "statement": ("CREATE USER bob WITH PASSWORD '", WORD, "';"),
    "Dockerfile": ("ENV API_TOKEN ", A, "\n"),
    "Rust": ('const PASSWORD: &str = "', WORD, '";'),
    "setter": ('source.setPassword("', WORD, '");'),
    "docker login": ("docker login -u bob -p ", WORD, " a.net"),
    "redis": ("redis-cli -h a -a ", WORD, " ping"),
    "short option": ("curl -ubob:", WORD, " https://a.net"),
    "prose": ("the password is ", WORD, " now"),
    "YAML, below": ("password:\n  ", WORD, "\n"),
    "YAML, folded": ("password: >-\n  ", WORD, "\n"),
    "Markdown column": ("| id | password |\n|--|--|\n| 1 | ", WORD, " |\n"),
    "CSV": ("id,password\n1,none\n2,", WORD, "\n"),
    "TSV": ("id\tpassword\tx\n2\t", WORD, "\ta\n"),
    "table of a database": (" id | token \n----+-----\n 1 | ", A, "\n(1 row)\n"),
    "list item": ("- password ", WORD, "\n"),
    "words before a key": ("the alibaba secret key: ", A, "\n"),
    "told before": ("use ", WORD, " as the password"),
    "sudo": ("echo ", WORD, " | sudo -S ls"),
    "chpasswd": ("echo 'bob:", WORD, "' | chpasswd"),
    "secret of GitHub": ("echo ", A, " | gh secret set DEPLOY_TOKEN"),
    "body of a secret": ("gh secret set DEPLOY_TOKEN --body ", A, "\n"),
    "SQL": ("ALTER USER bob IDENTIFIED BY '", WORD, "';"),
    "SQL, small": ("alter role bob with password '", WORD, "';"),
    "htpasswd": ("htpasswd -b .htpasswd bob ", WORD, "\n"),
    "pgpass": ("cat ~/.pgpass\ndb.a.net:5432:app:bob:", WORD, "\n"),
    "SecureString": ('ConvertTo-SecureString "', WORD, '" -AsPlainText -Force'),
    "zip": ("unzip -P ", WORD, " a.zip"),
    "mongosh": ("mongosh -u bob -p ", WORD, " a"),
    "smbclient": ("smbclient //a/b -U bob%", WORD, " -c ls"),
    "tuple": ('get(url, auth=("bob", "', WORD, '"))'),
    "redis shell": ("a:6379> AUTH ", WORD, "\n"),
    "another value": ("x = os.environ.get('API_TOKEN') or '", A, "'"),
    "typed": ("cy.get('#password').type('", WORD, "')"),
    "insert": ("INSERT INTO t (id, password) VALUES (1, '", WORD, "');"),
    "insert of a user": ("INSERT INTO users VALUES ('bob', '", WORD, "');"),
    "sqlcmd": ("sqlcmd -U sa -P ", WORD, " -i a.sql"),
    "openssl": ("openssl enc -aes-256-cbc -k ", WORD, " -in a"),
    "entities": ("password=&quot;", WORD, "&quot; x"),
    "wide colon": ("password：", WORD, "\n"),
    "Chinese": ("WiFi密码：", WORD, "。"),
    "Japanese": ("パスワードは ", WORD, " です"),
    "German": ("das Passwort für den Server lautet ", WORD, "\n"),
    "French": ("Mot de passe : ", WORD, "\n"),
    "password manager": ("$ pass show mail/bob\n", WORD, "\n$ ls"),
    "short": ("DB_PASSWORD=", "abc1", "\n"),
    "default in a shell": ("export TOKEN=${TOKEN:-", A, "}"),
    "option with a value": ("az keyvault secret set --name api-key --value ", A, "\n"),
    "Terraform plan": ('~ token = "old" -> "', A, '"'),
    "multipart": ('form-data; name="token"\r\n\r\n', A, "\r\n"),
    "sqlplus": ("sqlplus bob/", WORD, "@db.local"),
    "login": ('smtp.login("bob@a.net", "', WORD, '")'),
    "net user": ("net user bob ", WORD, " /add"),
    "kinit": ("echo ", WORD, " | kinit bob"),
    "HCL": ('variable "token" {\n  type = string\n  default = "', A, '"\n}'),
}


@pytest.mark.parametrize("name", RULES)
def test_the_secret_goes_and_the_rest_stays(name: str) -> None:
    before, secret, after = RULES[name]
    redacted = redact(before + secret + after)
    assert redacted.startswith(f"{before}[redacted ")
    assert redacted.endswith(f"]{after}")
    assert len(redacted) <= len(before) + len("[redacted password-in-url]") + len(after)


OPEN = [
    "PWD=/work/4f2a9c1b/x",
    "the password is required1 and more",
    "the token is invalid",
    "grep -E 'A_PWD|BASE_URL=http://a1.b2.c3' x",
    '{"command": "pwd", "description": "x1y2z3"}',
    "the pass: 12345a of it",
    "we pass to modnames2paths: x",
    "scrypt('password', 'salt')",
    "SECRET_KEY = 'AWSSecretKey'",
]


@pytest.mark.parametrize("text", OPEN)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert redact(text) == text


# What a long text repeats
LONG = [
    "://a?token=",
    "cookie: a=b1; ",
    "authorization: bearer ",
    '"auth": "YTph',
    "| TOKEN | ",
    "<password>a",
    "PASSWORD=a(",
    "login -p ",
    "Private-Lines: 1\n",
    "sha256~Q~",
    "1234567890:AA" + "a" * 20,
    "password='xxxx-",
    "[redacted x] password=",
    "token is ",
    "dp.pt.",
    "password:\n",
    "password,a\n",
    "| password |\n|---|\n",
    "password,",
    "a is the password ",
    "a" * 500 + " is the password ",
    "echo a | sudo -S ",
    "echo aaaa | passwd ",
    " -p a",
    " -as ",
    "identified by 'a",
    "credentials: a / ",
    "password - a",
    "password <value>",
    "password {default ",
    '"password" a="b" ',
    ".pgpass a:1:a:a:",
    "token " + " " * 40,
    "key: >-\n",
    "auth=('a', ",
    "insert into users values ('a', ",
    "insert into a (password) values ",
    "&quot;password&quot;: ",
    "密码：",
    "\\u5bc6\\u7801",
    "pass show a\n",
    "$ pass a/a\na1b2C3d4\n",
    "password --value ",
    'password = "a" -> ',
    "password for a ",
    "sqlplus a/a1@",
    "net use a /user:a ",
    "login('a@a', ",
    "| kinit a",
]


@pytest.mark.parametrize("repeated", LONG)
def test_no_rule_backtracks(repeated: str) -> None:
    assert_linear(redact, lambda size: repeated * (size // len(repeated)), size=10_000)
