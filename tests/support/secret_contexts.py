"""Where secrets are written: in prose, settings, code, commands, headers, addresses, tables."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import escape
from typing import NamedTuple
from urllib.parse import quote

SHELL = "@%+=._-^~"
SETTING = "!@#$%^&*-_+=.?~"
QUOTED = SETTING + "()[]{}<>;:|,/"
PLAIN = "-_."


class Context(NamedTuple):
    """A way to write a secret; `{n}` is its name and `{v}` its value."""

    label: str
    text: str
    signs: str = QUOTED  # what a password may have in it here
    encode: Callable[[str], str] = str


def _in_json(value: str) -> str:
    return json.dumps(value)[1:-1]


def _in_query(value: str) -> str:
    return quote(value, safe="")


NAMED = (
    Context("export", "cd app\nexport {N}={v}\nmake\n", SHELL),
    Context("export, quoted", "export {N}='{v}' && make\n"),
    Context(".env", "# settings\n{N}={v}\nDEBUG=1\n", SETTING),
    Context(".env, quoted", 'PORT=1\n{N}="{v}"\n'),
    Context("setting at the end of a text", "PORT=80\n{N}={v}", SETTING),
    Context("YAML", "db:\n  host: a\n  {n}: {v}\n  port: 1\n", SETTING),
    Context("YAML, quoted", "db:\n  {n}: '{v}'  # keep\n"),
    Context("YAML, quoted twice", 'db:\n  {n}: "{v}"\n', QUOTED, _in_json),
    Context("JSON", '{{"host": "a", "{n}": "{v}", "x": 1}}', QUOTED, _in_json),
    Context("JSON, in lines", '{{\n  "{n}": "{v}"\n}}', QUOTED, _in_json),
    Context("TOML", '[db]\n{n} = "{v}"\n', QUOTED, _in_json),
    Context("ini", "[db]\n{n} = {v}\nport = 1\n", SETTING),
    Context("query of a URL", "GET https://a.net/x?y=2&{q}={v}&x=1 done", QUOTED, _in_query),
    Context("body of a form", "curl -d '{q}={v}&user=bob' https://a.net", QUOTED, _in_query),
    Context("option", "tool login --{o} {v} --yes", SHELL),
    Context("option with =", "tool login --{o}={v} --yes", SHELL),
    Context("option, quoted", "tool login --{o} '{v}' -v"),
    Context("option on the next line", "tool login \\\n  --{o} {v} \\\n  -v", SHELL),
    Context("options as a list", '["tool", "--{o}", "{v}"]', SHELL),
    Context("header", "GET / HTTP/1.1\r\nX-{h}: {v}\r\nHost: a\r\n", PLAIN),
    Context("header of curl", "curl -H 'X-{h}: {v}' https://a.net", PLAIN),
    Context("XML element", "<db><{x}>{v}</{x}></db>", QUOTED, escape),
    Context("XML attribute", '<db name="a" {x}="{v}" />', QUOTED, escape),
    Context("XML pair", '<add key="{n}" value="{v}" />', QUOTED, escape),
    Context("JSON pair", '{{"name": "{N}", "value": "{v}"}}', QUOTED, _in_json),
    Context("YAML pair", 'env:\n  - name: {N}\n    value: "{v}"\n', QUOTED, _in_json),
    Context("define", "define('{N}', '{v}');\ndefine( 'X', 1 );"),
    Context("PHP array", "['host' => 'a', '{n}' => '{v}']"),
    Context("Python", "{i} = '{v}'\nrun({i})\n"),
    Context("argument", "connect(host='a', {i}='{v}', port=1)"),
    Context("environment in Python", "os.environ['{N}'] = '{v}'\n"),
    Context("JavaScript", "const {i} = `{v}`;\n", SHELL),
    Context("object in JavaScript", "const db = {{ {i}: '{v}', port: 1 }};"),
    Context("PowerShell", '$env:{N} = "{v}"\n', SHELL),
    Context("log line", "2026-01-02 10:00:00 INFO login user=bob {n}={v} ok", SHELL),
    Context("docker", "docker run -e {N}={v} -p 80:80 img", SHELL),
    Context("before a command", "{N}={v} python main.py", SHELL),
    Context("Dockerfile", "FROM a\nENV {N}={v}\n", SHELL),
    Context("kubectl", "kubectl create secret generic a --from-literal={n}={v}", SHELL),
    Context("table", "| name | value |\n|---|---|\n| {N} | {v} |\n", PLAIN),
    Context("table with code", "| `{N}` | `{v}` | x |\n", SHELL),
    Context("inline code", "Set `{N}={v}` first.", SHELL),
    Context("code block", "Then:\n\n```sh\n{N}={v}\n```\n", SHELL),
    Context("prose with a name", "The {n}: {v}, which I use", PLAIN),
    Context("connection string", "Server=a;User=b;{n}={v};Timeout=3", SHELL),
)
FREE = (
    Context("prose", "Please use {v} for this."),
    Context("end of a sentence", "My key is {v}."),
    Context("end of a text", "here it is: {v}"),
    Context("alone", "{v}"),
    Context("own line", "the token is\n{v}\nthanks"),
    Context("in brackets", "(it was {v}, I think) [{v}]"),
    Context("in code", "Use `{v}` here"),
    Context("in a code block", "```\n{v}\n```"),
    Context("bearer", "Authorization: Bearer {v}\n"),
    Context("bearer in curl", 'curl -H "Authorization: Bearer {v}" https://a.net'),
    Context("token in curl", "curl -H 'Authorization: token {v}' https://a.net"),
    Context("user in curl", "curl -s -u bob:{v} https://a.net"),
    Context("user of a URL", "git clone https://bob:{v}@a.net/x.git", "-_.!*", _in_query),
    Context("URL", "https://a.net/x?access_token={v}&x=1", "", _in_query),
    Context("list", '["a", "{v}"]'),
    Context("table cell", "| bob | {v} | 3 |\n"),
    Context("HTML", "<td>{v}</td>"),
    Context("log", "[info] got '{v}' from bob"),
    Context("argument of a command", "tool login {v} --yes"),
    Context("argument of a call", 'client = Client("{v}", 3)'),
    Context("comment", "x = 1  # {v}"),
    Context("assigned to any name", "FOO={v}"),
)
# A password without a name is one only in these.
PASSWORDS = (
    Context("user of a URL", "postgres://bob:{v}@db.local:5432/x", "-_.!*", _in_query),
    Context("user of a URL, not encoded", "redis://:{v}@db.local/0", "-_.!*&$="),
    Context("user in curl", "curl -s -u bob:{v} https://a.net", SHELL),
    Context("user in curl, quoted", "curl --user 'bob:{v}' https://a.net", SETTING + "()[]{}"),
    Context("sshpass", "sshpass -p {v} ssh bob@a.net", SHELL),
    Context("mysql", "mysql -u root -p{v} db", "-_."),
    Context("netrc", "machine a.net\n  login bob\n  password {v}\n", SHELL),
    Context("netrc in a line", "machine a.net login bob password {v}", SHELL),
    Context("docker login", "docker login -u bob -p {v} a.net", SHELL),
    Context("element", "<server><username>b</username><password>{v}</password></server>", SHELL),
    Context("NuGet", '<add key="ClearTextPassword" value="{v}" />', SHELL),
    Context("setter", 'source.setPassword("{v}");', SHELL),
)


def _plain(text: str) -> str:
    return text


def _diff(text: str) -> str:
    return "@@ -1 +1 @@\n" + "\n".join(f"+{line}" for line in text.split("\n"))


def _removed(text: str) -> str:
    return "@@ -1 +1 @@\n" + "\n".join(f"-{line}" for line in text.split("\n"))


def _arguments(text: str) -> str:
    return json.dumps({"command": text, "timeout": 3})


def _nested(text: str) -> str:
    return json.dumps({"input": json.dumps({"content": text})})


FORMATS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("text", _plain),
    ("added", _diff),
    ("removed", _removed),
    ("JSON", _arguments),
    ("JSON in JSON", _nested),
)
IN_JSON = {"JSON": 1, "JSON in JSON": 2}


def write(context: Context, name: str, value: str) -> tuple[str, str]:
    """Return the text, and the value as it is written there."""
    written = context.encode(value)
    text = context.text.format(
        v=written,
        n=name,
        w=_in_words(name),
        N=re.sub(r"[.-]", "_", re.sub("(?<=[a-z])(?=[A-Z])", "_", name)).upper(),
        i=re.sub(r"\W", "_", name),
        q=re.sub(r"\W", "_", name).lower(),
        o=re.sub(r"[_.]", "-", name).strip("-").lower(),
        h=re.sub(r"[_.]", "-", name).strip("-").title(),
        x=re.sub(r"[^\w.-]", "", name),
    )
    return text, written


def _in_words(name: str) -> str:
    """Return a name as people say it."""
    parts = re.sub("(?<=[a-z])(?=[A-Z])", " ", name)
    return re.sub(r"[_.-]", " ", parts).strip().lower()
