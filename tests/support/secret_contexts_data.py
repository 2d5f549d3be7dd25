"""Where secrets are written in files: settings, tables, code, what a program prints of a file."""

from __future__ import annotations

import base64
import json
from html import escape
from urllib.parse import quote

from tests.support.secret_contexts import PLAIN, QUOTED, SETTING, SHELL, Context


def _in_json(value: str) -> str:
    return json.dumps(value)[1:-1]


def _in_base64(value: str) -> str:
    return base64.b64encode(value.encode()).decode()


def _in_query(value: str) -> str:
    return quote(value, safe="")


SETTINGS = (
    Context("YAML, on the next line", "db:\n  {n}:\n    {v}\n  port: 1\n", SHELL),
    Context("YAML, quoted on the next line", 'db:\n  {n}:\n    "{v}"\n', QUOTED, _in_json),
    Context("YAML, folded", "db:\n  {n}: >-\n    {v}\n  port: 1\n", SHELL),
    Context("YAML, literal", "{n}: |\n  {v}\n", SHELL),
    Context("YAML list", "settings:\n  - {n}: {v}\n  - port: 1\n", SHELL),
    Context("YAML, in a line", "db: {{host: a, {n}: '{v}'}}\n", SETTING),
    Context("YAML, tagged", "db:\n  {n}: !!str {v}\n", SHELL),
    Context("Kubernetes", "kind: Secret\ndata:\n  {n}: {v}\n", QUOTED, _in_base64),
    Context("properties", "# db\n{n}:{v}\ndebug=1\n", SHELL),
    Context("properties with spaces", "{n} = {v}\nport = 1\n", SHELL),
    Context("TOML, single quotes", "[db]\n{n}='{v}'\n", SETTING),
    Context("TOML, in a line", 'db = {{ host = "a", {n} = "{v}" }}\n', QUOTED, _in_json),
    Context("HCL", 'variable "x" {{\n  {i}   = "{v}"\n}}\n', QUOTED, _in_json),
    Context("HCL default", 'variable "{i}" {{\n  default = "{v}"\n}}\n', QUOTED, _in_json),
    Context("npmrc", "//registry.a.net/:_authToken={v}\n", SHELL),
    Context("Dockerfile ARG", "FROM a\nARG {N}={v}\n", SHELL),
    Context("Dockerfile ENV with a space", "FROM a\nENV {N} {v}\n", SHELL),
    Context("compose list", "    environment:\n      - {N}={v}\n", SHELL),
    Context("compose list, quoted", '    environment:\n      - "{N}={v}"\n', SHELL),
    Context("systemd", '[Service]\nEnvironment="{N}={v}"\n', SHELL),
    Context("INI with ; comment", "[db]\n{n}={v} ; old\n", SHELL),
    Context("XML attribute, single quotes", "<db {x}='{v}'/>", SETTING, escape),
    Context("XML setting", '<setting name="{n}"><value>{v}</value></setting>', SETTING, escape),
    Context("XML, in lines", "<{x}>\n    {v}\n</{x}>", SETTING, escape),
    Context("JSON in a string", '{{"body": "{{\\"{n}\\": \\"{v}\\"}}"}}', PLAIN),
    Context("JSON without a space", '{{"{n}":"{v}"}}', QUOTED, _in_json),
    Context("JSON, on the next line", '{{\n  "{n}":\n    "{v}"\n}}', QUOTED, _in_json),
    Context("JSON with spaces", '{{ "{n}" : "{v}" }}', QUOTED, _in_json),
    Context("JSON list of values", '{{"{n}": ["{v}"]}}', QUOTED, _in_json),
    Context("address with a fragment", "https://a.net/cb#{q}={v}&x=1", QUOTED, _in_query),
)
TABLES = (
    Context("Markdown column", "| user | {n} |\n|------|-----|\n| bob | {v} |\n", SHELL),
    Context("Markdown column with code", "|user|{n}|id|\n|:--|:-:|--:|\n|bob|`{v}`|3|\n", SHELL),
    Context("Markdown column, two rows", "| {n} | id |\n|---|---|\n| - | 1 |\n| {v} | 2 |", SHELL),
    Context("Markdown row, words", "| name | value |\n|---|---|\n| {w} | {v} |\n", SHELL),
    Context("Markdown row, bold", "| **{n}** | {v} |\n", SHELL),
    Context("CSV", "id,name,{n}\n1,bob,{v}\n", SHELL),
    Context("CSV, first column", "{n},name\n{v},bob\n", SHELL),
    Context("CSV, quoted", '"id","{n}","name"\n"1","{v}","bob"\n', PLAIN),
    Context("CSV, third row", "id,{n},x\n1,,a\n2,none,b\n3,{v},c\n", SHELL),
    Context("CSV with ;", "id;name;{n}\n1;bob;{v}\n", SHELL),
    Context("TSV", "id\tname\t{n}\n1\tbob\t{v}\n", SHELL),
    Context("psql", " id | {n} \n----+------\n  1 | {v}\n(1 row)\n", SHELL),
    Context(
        "mysql table", "+----+----+\n| id | {n} |\n+----+----+\n| 1 | {v} |\n+----+----+\n", SHELL
    ),
)
CODE = (
    Context("dict in Python", "db = {{'host': 'a', '{n}': '{v}'}}\n", SETTING),
    Context("Python, in lines", "{i} = (\n    '{v}'\n)\n", SETTING),
    Context("typed in Python", "{i}: str = '{v}'\n", SETTING),
    Context("default in Python", "def f(a, {i}='{v}', b=1):\n", SETTING),
    Context("getenv with a default", "x = os.getenv('{N}', '{v}')\n", SETTING),
    Context("get with a default", "x = os.environ.get('{N}') or '{v}'\n", SETTING),
    Context("or in JavaScript", "const x = process.env.{N} || '{v}';\n", SETTING),
    Context("Ruby", "config = {{ :host => 'a', :{i} => '{v}' }}\n", SETTING),
    Context("Ruby symbol", "config.{i} = '{v}'\n", SETTING),
    Context("ENV in Ruby", "ENV['{N}'] ||= '{v}'\n", SETTING),
    Context("Go", 'cfg := Config{{{i}: "{v}", Port: 1}}\n', PLAIN),
    Context("Go variable", 'var {i} string = "{v}"\n', PLAIN),
    Context("Setenv in Go", 'os.Setenv("{N}", "{v}")\n', PLAIN),
    Context("C#", 'public string {i} {{ get; set; }} = "{v}";\n', PLAIN),
    Context("C# attribute", '[Setting({i} = "{v}")]\n', PLAIN),
    Context("Java", 'private static final String {i} = "{v}";\n', PLAIN),
    Context("Java annotation", '@Value("${{{n}:{v}}}")\n', PLAIN),
    Context("put", 'props.put("{n}", "{v}");\n', PLAIN),
    Context("C", 'const char *{i} = "{v}";\n', PLAIN),
    Context("C array", 'static char {i}[] = "{v}";\n', PLAIN),
    Context("macro", '#define {N} "{v}"\n', PLAIN),
    Context("Rust", 'let {i} = String::from("{v}");\n', PLAIN),
    Context("Swift", 'let {i}: String = "{v}"\n', PLAIN),
    Context("PHP", "${i} = '{v}';\n", SETTING),
    Context("compared", "if {i} == '{v}':\n", SETTING),
    Context("Perl", "my %db = ({i} => '{v}');\n", SETTING),
    Context("Lua", 'local {i} = "{v}"\n', PLAIN),
    Context("R", 'Sys.setenv({N} = "{v}")\n', PLAIN),
    Context("R arrow", '{i} <- "{v}"\n', PLAIN),
)
PRINTED = (
    Context("numbered", "    11\tPORT=1\n    12\t{N}={v}\n    13\tX=2\n", SHELL),
    Context("numbered with an arrow", "    12→{n}: {v}\n    13→x: 1\n", SHELL),
    Context("numbered with a colon", "12: {N}={v}\n13: X=2\n", SHELL),
    Context("numbered with a bar", "12 | {N}={v}\n13 | X=2\n", SHELL),
    Context("grep", "config/app.env:12:{N}={v}\nconfig/b.env:1:X=2\n", SHELL),
    Context("grep, around", "config/app.env-12-{N}={v}\n", SHELL),
    Context("grep of YAML", "config/app.yaml:12:  {n}: {v}\n", SHELL),
    Context("git diff", "@@ -1,2 +1,2 @@\n-{N}=old\n+{N}={v}\n", SHELL),
    Context("quoted mail", "> {n}: {v}\n> bye\n", SHELL),
    Context("log, JSON", 'INFO {{"user":"bob","{n}":"{v}"}} done', PLAIN),
    Context("log, brackets", "INFO [{n}={v}] user=bob", SHELL),
    Context("map of Go", "map[host:a {n}:{v} user:b]", PLAIN),
    Context("struct of Go", "{{Host:a {i}:{v} User:b}}", PLAIN),
    Context("object of Java", "Config(host=a, {i}={v}, port=1)", SHELL),
    Context("repr", "Config(host='a', {i}='{v}', port=1)", PLAIN),
    Context("env output", "HOME=/root\n{N}={v}\nSHELL=/bin/sh\n", SETTING),
    Context("declare", 'declare -x {N}="{v}"\n', SHELL),
    Context("aligned", "user          bob\n{n}      {v}\nport          1\n", SHELL),
    Context("aligned with a colon", "  {n}      :   {v}\n  port :  1\n", SHELL),
)
DATA = (*SETTINGS, *TABLES, *CODE, *PRINTED)
