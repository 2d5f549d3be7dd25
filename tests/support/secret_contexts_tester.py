"""Where a hostile tester found secrets that were left: SQL, wide signs, what vaults print."""

from __future__ import annotations

from tests.support.secret_contexts import PLAIN, SETTING, SHELL, Context


def _short(value: str) -> str:
    """Return five characters of a value, the last ones among them: they have a digit."""
    return value[:3] + value[-2:]


NAMED = (
    Context("insert", "INSERT INTO t (name, {i}) VALUES ('bob', '{v}');", SETTING),
    Context(
        "insert, quoted columns",
        "insert into `t` (`id`, `{i}`, `x`) values (1, '{v}', 3);",
        SETTING,
    ),
    Context(
        "insert, second row",
        "INSERT INTO app.t\n  (id, {i})\nVALUES\n  (1, NULL),\n  (2, '{v}');",
        SETTING,
    ),
    Context("entities", "value={n}=&quot;{v}&quot; x", PLAIN),
    Context(
        "entities in JSON", "<pre>{{&quot;{n}&quot;: &quot;{v}&quot;, &quot;a&quot;: 1}}", PLAIN
    ),
    Context("entities, single quotes", "{i} = &#39;{v}&#39;<br>", PLAIN),
    Context("wide colon", "{w}：{v}\n", SHELL),
    Context("wide colon in a sentence", "账号：bob，{n}：{v}，谢谢", PLAIN),
    Context("wide equals sign", "{n}＝{v}\n", SHELL),
)
PASSWORDS = (
    Context("insert without columns", "INSERT INTO users VALUES ('bob','{v}');", SETTING),
    Context(
        "insert without columns, more",
        "insert into app.accounts values (1, 'bob', '{v}', 3);",
        SETTING,
    ),
    Context("sqlcmd", "sqlcmd -S a.net -U sa -P {v} -Q 'select 1'", SHELL),
    Context("sqlcmd, quoted", "/opt/mssql-tools/bin/sqlcmd -U sa -P '{v}'", SETTING),
    Context("bcp", "bcp db.dbo.t out a.csv -c -S a -U sa -P {v}", SHELL),
    Context("openssl -k", "openssl enc -aes-256-cbc -k {v} -in a -out b", SHELL),
    Context("openssl -K, quoted", "openssl aes-256-cbc -d -salt -k '{v}' -in a", SETTING),
    Context("openssl -pass, quoted", "openssl enc -d -in a -pass 'pass:{v}'", SETTING),
    Context("openssl -passout", "openssl genrsa -aes256 -passout pass:{v} 2048", SHELL),
    Context("Chinese", "密码：{v}\n", SHELL),
    Context("Chinese, narrow colon", "用户名: bob\n密码: {v}\n", SHELL),
    Context("pass show", "$ pass show mail/bob\n{v}\n$ ls\n", SETTING),
    Context("pass", "bob@a:~$ pass mail/bob\n{v}\n", SETTING),
    Context("op item get", "$ op item get Mail --fields label=password --reveal\n{v}\n", SETTING),
    Context("op read", "% op read op://Private/Mail/password\n{v}\n", SETTING),
    Context("bw get", "$ bw get password mail.a.net\n{v}\n", SETTING),
    Context("lpass show", "$ lpass show --password mail\n{v}\n", SETTING),
    Context("gopass", "$ gopass show -o mail/bob\n{v}\n", SETTING),
    Context("security", "$ security find-generic-password -s a -a bob -w\n{v}\n", SETTING),
    Context("short setting", "cd app\nexport DB_PASSWORD={v}\nmake\n", PLAIN, _short),
    Context(
        "short setting of docker", "docker run -e MYSQL_ROOT_PASSWORD={v} mysql", PLAIN, _short
    ),
    Context("short setting in YAML", "environment:\n  DB_PASSWORD: {v}\n", PLAIN, _short),
    Context("short, before a command", "PGPASSWORD={v} psql -h a", PLAIN, _short),
)
