"""Where terminals and chats have secrets: clouds, shells, requests, SQL, other languages."""

from __future__ import annotations

import json

from tests.support.secret_contexts import PLAIN, QUOTED, SETTING, SHELL, Context


def _in_json(value: str) -> str:
    return json.dumps(value)[1:-1]


NAMED = (
    Context("printenv", "$ kubectl exec web-0 -- printenv {N}\n{v}\n", SHELL),
    Context(
        "jsonpath", "$ kubectl get secret a -o jsonpath='{{.data.{i}}}' | base64 -d\n{v}\n", SHELL
    ),
    Context(
        "ssm put", "aws ssm put-parameter --name /app/{n} --type SecureString --value {v}", SHELL
    ),
    Context(
        "ssm get",
        '{{"Parameter": {{"Name": "/app/{n}", "Type": "SecureString", "Value": "{v}"}}}}',
        PLAIN,
    ),
    Context("secret string", '"SecretString": "{{\\"user\\":\\"b\\",\\"{n}\\":\\"{v}\\"}}"', PLAIN),
    Context("gcloud", "echo -n {v} | gcloud secrets create {o} --data-file=-", SHELL),
    Context("key vault", "az keyvault secret set --vault-name a --name {o} --value {v}", SHELL),
    Context("vault table", "=== Data ===\nKey    Value\n---    -----\n{n}    {v}\n", SHELL),
    Context("docker inspect", '"Env": [\n  "PATH=/bin",\n  "{N}={v}"\n]', PLAIN),
    Context("docker secret", "printf '{v}' | docker secret create {i} -", SHELL),
    Context("terraform plan", '  ~ {i} = "old" -> "{v}"\n', PLAIN),
    Context("terraform state", '"{i}": {{\n  "value": "{v}",\n  "type": "string"\n}}', PLAIN),
    Context("HCL heredoc", "{i} = <<EOT\n{v}\nEOT\n", SHELL),
    Context("ANSI-C quotes", "export {N}=$'{v}'\n", SHELL),
    Context("default in a shell", "export {N}=${{{N}:-{v}}}\n", PLAIN),
    Context("here string", 'read -r {N} <<< "{v}"\n', SHELL),
    Context(
        "SetEnvironmentVariable",
        '[Environment]::SetEnvironmentVariable("{N}", "{v}", "User")',
        PLAIN,
    ),
    Context("Set-Item", "Set-Item -Path Env:{N} -Value '{v}'\n", SHELL),
    Context("cmd, quoted", 'set "{N}={v}"\r\necho off\r\n', SHELL),
    Context("GITHUB_ENV", 'echo "{N}={v}" >> "$GITHUB_ENV"\n', SHELL),
    Context("GitLab variable", "variables:\n  {N}:\n    value: {v}\n    description: x\n", SHELL),
    Context("urlencoded by curl", 'curl --data-urlencode "{n}={v}" https://a.net', SHELL),
    Context(
        "JSON in a shell", 'curl -d "{{\\"a\\": 1, \\"{n}\\": \\"{v}\\"}}" https://a.net', PLAIN
    ),
    Context("logfmt", 'level=info msg="login ok" {n}="{v}" user=bob', SHELL),
    Context("log of a setting", "DEBUG config: setting {n} -> '{v}'", SHELL),
    Context("multipart", 'form-data; name="{n}"\r\n\r\n{v}\r\n--x--\r\n', SHELL),
    Context("update", "UPDATE users SET {i} = '{v}', x = 1 WHERE id = 1;", SETTING),
    Context("where", "SELECT id FROM users WHERE {i}='{v}' AND x = 1;", SETTING),
    Context("vertical", "*** 1. row ***\n      id: 1\n{i}: {v}\n1 row in set\n", SHELL),
    Context("YAML anchor", "db:\n  {n}: &x {v}\n", SHELL),
    Context("properties, continued", "{n}=\\\n    {v}\nx=1\n", SHELL),
    Context("TOML, long string", '{n} = """\n{v}"""\n', SHELL),
    Context("Android", '<string name="{i}">{v}</string>', SHELL),
    Context("HTML table", "<tr><td>{n}</td><td>{v}</td></tr>", SHELL),
    Context("HTML bold", "<p><b>{w}:</b> {v}</p>", PLAIN),
    Context("tuple in Python", 'data = [("user", "bob"), ("{n}", "{v}")]', QUOTED, _in_json),
    Context("setenv of a test", 'monkeypatch.setenv("{N}", "{v}")', QUOTED, _in_json),
    Context("setItem", "localStorage.setItem('{n}', '{v}');", SETTING),
    Context("should be", "the {w} should be {v}, not the old one", PLAIN),
    Context("changed from", "changed the {w} from {v} to the new one", PLAIN),
)
PASSWORDS = (
    Context("ODBC", "Driver={{PostgreSQL}};Server=a;UID=bob;PWD={v};Port=5432", SHELL),
    Context("ODBC in braces", "Driver={{SQL Server}};Server=a;Uid=bob;Pwd={{{v}}};", PLAIN),
    Context("JDBC", "jdbc:sqlserver://a:1433;user=bob;password={v};encrypt=true", PLAIN),
    Context("JDBC of Oracle", "jdbc:oracle:thin:bob/{v}@//db.local:1521/x", PLAIN),
    Context("sqlplus", "sqlplus bob/{v}@db.local:1521/x", PLAIN),
    Context("ADO", "Data Source=a;User Id=bob;Password='{v}';Pooling=true", SHELL),
    Context("AMQP", "amqp://bob:{v}@mq.local:5672/%2f", PLAIN),
    Context("MongoDB", "mongodb+srv://bob:{v}@c0.a.net/x?retryWrites=true", PLAIN),
    Context("ldapsearch", "ldapsearch -x -D cn=admin,dc=a -w {v} -b dc=a", SHELL),
    Context("mosquitto", "mosquitto_sub -h a -u bob -P {v} -t x", SHELL),
    Context("ipmitool", "ipmitool -I lanplus -H a -U root -P {v} power on", SHELL),
    Context("xfreerdp", "xfreerdp /u:bob /p:{v} /v:a", PLAIN),
    Context("net user", "net user bob {v} /add", SHELL),
    Context("cmdkey", "cmdkey /add:a /user:bob /pass:{v}", PLAIN),
    Context("psexec", "psexec \\\\a -u bob -p {v} cmd", PLAIN),
    Context("lftp", "lftp -u bob,{v} sftp://a.net", PLAIN),
    Context("FTP", "220 ready\r\nUSER bob\r\nPASS {v}\r\n230 ok\r\n", SHELL),
    Context("mysqladmin", "mysqladmin -u root password '{v}'", SETTING),
    Context("cqlsh", "cqlsh a 9042 -u bob -p {v}", SHELL),
    Context("rabbitmqctl", "rabbitmqctl add_user bob {v}", SHELL),
    Context("rabbitmqctl, changed", "rabbitmqctl change_password bob '{v}'", SHELL),
    Context("cryptsetup", "echo -n {v} | cryptsetup luksOpen /dev/sda x -", SHELL),
    Context("kinit", "echo '{v}' | kinit bob@A.NET", SHELL),
    Context("passwd, twice", 'echo -e "{v}\\n{v}" | passwd bob', PLAIN),
    Context("expect", 'expect "assword:"\nsend "{v}\\r"\n', PLAIN),
    Context("nmcli", "nmcli dev wifi connect home password {v}", SHELL),
    Context("wpa_supplicant", 'network={{\n  ssid="home"\n  psk="{v}"\n}}', SETTING),
    Context("ansible", "ansible_become_pass: {v}\nansible_user: bob\n", SHELL),
    Context("pypirc", "[pypi]\nusername: bob\npassword: {v}\n", SETTING),
    Context("clipped", "user=bob&pw={v}&x=1", PLAIN),
    Context("user:password", "the login is bob:{v}", PLAIN),
    Context("user and pw", "login bob, pw {v}", SHELL),
    Context("German", "Das Passwort ist {v}.", PLAIN),
    Context("German, colon", "Benutzer: bob\nKennwort: {v}\n", SHELL),
    Context("German, reads", "das Passwort für den Server lautet {v}", SHELL),
    Context("French", "le mot de passe est {v}", SHELL),
    Context("French, colon", "Mot de passe : {v}\n", SHELL),
    Context("Spanish", "la contraseña es {v}", SHELL),
    Context("Spanish, colon", "usuario: bob\ncontraseña: {v}\n", SHELL),
    Context("Portuguese", "senha: {v}\n", SHELL),
    Context("Italian", "la password è {v}", SHELL),
    Context("Russian", "пароль: {v}\n", SHELL),
    Context("Chinese, is", "密码是 {v}", SHELL),
    Context("Chinese, joined", "服务器的密码为{v}。", PLAIN),
    Context("Japanese", "パスワードは {v} です", SHELL),
    Context("Japanese, colon", "パスワード：{v}\n", SHELL),
    Context("Korean", "비밀번호: {v}\n", SHELL),
    Context("vault field", "$ vault kv get -field=password secret/db\n{v}\n", SHELL),
    Context("gcloud secret", "$ gcloud secrets versions access latest --secret=db\n{v}\n", SHELL),
    Context(
        "key vault, shown",
        "$ az keyvault secret show --vault-name a -n db --query value -o tsv\n{v}\n",
        SHELL,
    ),
    Context(
        "secrets manager",
        "$ aws secretsmanager get-secret-value --secret-id db --output text\n{v}\n",
        SHELL,
    ),
    Context("secret-tool", "$ secret-tool lookup service mail\n{v}\n", SHELL),
)
