"""Texts as those of the terminal and the tester, each with something that is no secret."""

from __future__ import annotations

# Each is one text; lines of a text are separated as in JSON.
TWINS = r"""
INSERT INTO users (name, password) VALUES ('bob', ?);
INSERT INTO users (name, password) VALUES (%s, %s);
INSERT INTO users (name, password) VALUES (:name, :password1);
INSERT INTO users (name, password) VALUES ('bob', '${password1}');
INSERT INTO users (name, password) VALUES ('bob', '<password>');
INSERT INTO users (name, token_count) VALUES ('bob', 'a1b2c3d4e5f6');
INSERT INTO users (name, email, born) VALUES ('a1b2c3d4e5', 'b1x9@a.net', '1984-01-02');
INSERT INTO users VALUES ('bob', 'bob99@a1.net', '2024-01-02T10:00:00Z', 'admin');
INSERT INTO users VALUES (1, 'bob', '4f2a9c12-1234-4234-8234-123456789abc', NOW());
INSERT INTO users VALUES ('bob', 'https://a.net/x1y2z3.png', '+491701234567');
INSERT INTO users VALUES ('bob', 'Main Street 12a', 'room-12b');
INSERT INTO products VALUES ('x1y2Z3w4v5', 'A9b8C7d6');
INSERT INTO t SELECT id, password FROM users2;
insert into values1 the password
db.insert_user(name, password1)
Please insert into the form your values (x1y2Z3)
sqlcmd -S a.net -U sa -P $SA_PASSWORD1 -Q 'select 1'
sqlcmd -S a1b2c3.net -E -i setup1.sql
docker run -P nginx1x2y3
scp -P 2222 a1b2c3 bob@a.net:
tar -k x1y2z3 -f a1.tar
grep -w x1y2z3w4 file1
openssl enc -aes-256-cbc -kfile key1.bin -in a1b2c3
openssl req -x509 -newkey rsa:4096 -keyout k1.pem -days 365
openssl enc -d -in a1 -pass env:PASSWORD1
openssl enc -d -in a1 -pass file:pw1.txt
openssl enc -aes-256-cbc -k $PASSWORD1 -in a1
<p>password=&quot;&quot; and token=&quot;none&quot;</p>
password=&quot;${password1}&quot;
&quot;password&quot;: &quot;required&quot;, &quot;token&quot;: null
a &quot;password1&quot; and a &quot;token2&quot; in HTML
placeholder=&quot;Enter your password&quot;
token = &#39;&#39;
if (password === &quot;&quot;) return x1y2z3;
密码：必填
密码：至少 12 个字符
密码：<password>
密码不能为空，x1y2z3w4
请输入密码：
忘记密码？x1y2z3w4v5
用户名：x1y2z3w4v5
版本：a1b2c3d4e5
token：见第 12 章
パスワードは必須です
パスワードを a1b2c3d4 に変更する画面
パスワード：8文字以上
비밀번호: 필수
пароль: обязательно
$ pass show mail/bob\n$ ls x1y2z3\n
$ pass show mail/bob\nls\nabc\n
$ pass show mail/bob -c\nCopied mail/bob to clipboard. Will clear in 45 seconds.\n
$ op item get Mail\nID: required\n
PW=$(pass show mail/bob)\nexport PW2\n
pw=$(op read op://Private/Mail/password)\nmake test2\n
$ bw get password mail.a.net\nNot found.\n
$ bw get password a\nbw-cli-2024\n
$ kubectl get secret\nNAME   TYPE   DATA\napp-1   Opaque   2\n
$ kubectl get secrets -o name\nsecret/app-token-2\n
$ vault kv get -field=password secret/db\nNo value found at secret/data/db\n
$ security find-generic-password -s a\nkeychain: x1\n
$ echo $TOKEN1\n\n
$ printenv API_TOKEN\nundefined\n
we run pass show later\n4f2a9c1b8e77\n
all tests pass\n4f2a9c1b8e77d0\n
tests pass show2\n4f2a9c1b8e77d0\n
fetch the token\n4f2a9c1b8e77d0aa\n
DB_PASSWORD=\nX=12ab\n
DB_PASSWORD=$PW1
DB_PASSWORD=***
DB_PASSWORD: null
DB_PASSWORD=none
PASSWORD=${1}
PASSWORD = x
PASSWORD_MIN=8ch
MAX_PASSWORD_LEN=64ch
aws ssm put-parameter --name /app/token --type SecureString --value $TOKEN1
aws ssm put-parameter --name /app/token_limit --type String --value 200000
aws ssm get-parameter --name /app/token --with-decryption
az keyvault secret set --vault-name a1 --name token --file token1.txt
az keyvault secret list --vault-name a1b2c3
tool set --key color --value red2
{"Name": "token_limit", "Type": "String", "Value": "200000"}
{"Name": "/app/password", "Type": "SecureString", "Value": "<password>"}
cat token1.txt | docker secret create token1 -
docker secret create db_password1 ./pw1.txt
gcloud secrets create token-2 --replication-policy=automatic
Key    Value\n---    -----\ntoken_ttl    768h0m0s\n
"Env": ["PASSWORD_FILE=/run/secrets/pw1"]
~ password = "(sensitive value)" -> "(known after apply)"
  ~ token = (sensitive value)
"password": {\n  "value": null,\n  "type": "string"\n}
"token": {\n  "type": "string",\n  "default": "none"\n}
password:\n  value: required\n  description: x1\n
password:\n  default: ""\n
token = <<EOT\nThe token of step 2\nEOT\n
cat <<EOF > token1.txt\nx1\nEOF\n
export TOKEN=${TOKEN:-none}
export TOKEN=${TOKEN:-$OTHER_TOKEN1}
export PASSWORD=${PASSWORD:?set it1}
grep token <<< "$line1"
Set-Item -Path Env:TOKEN -Value $token1
[Environment]::SetEnvironmentVariable("TOKEN", $token1, "User")
echo "TOKEN=$TOKEN1" >> "$GITHUB_ENV"
form-data; name="password"\r\n\r\n<password>\r\n
form-data; name="token"\r\n\r\nnone\r\n
UPDATE users SET password = ? WHERE id = 12;
UPDATE users SET password = crypt(:password1, gen_salt('bf'));
SELECT id FROM users WHERE token = $1 AND x1 = 2;
password: &x1 none
token: *default1
token=\\\n    $OTHER1\n
token = '''\nThe token of step 2.\n'''
<tr><td>password</td><td>required</td></tr>
<tr><td>token</td><td>see chapter 12</td></tr>
<tr><th>key</th><th>value1</th></tr>
<dt>password</dt><dd>string</dd>
<p><b>Password:</b> required</p>
<p><b>token:</b> see chapter 12</p>
fields = [("user", "string"), ("password", "string")]
localStorage.setItem('token', token1);
localStorage.getItem('token2')
the password should be strong
the password should be at least 12 characters
the token should be refreshed2 first
the password for bob is required
the password for the server is hashed with SHA256
changed the token from v1 to v2
take the token from step12 and go
the key from settings2
PWD={password1};
f"UID={user};PWD={password2};"
sqlplus / as sysdba1
sqlplus bob@db1.local
see docs/a1b2c3@2x.png
mosquitto_sub -h a -p 1883 -t x1y2z3
ldapsearch -x -W -D cn=a1
ldapsearch -x -w $LDAP_PW1
xfreerdp /u:bob /v:a1b2c3
msbuild a.sln /p:Configuration=Release2
msbuild a.sln /p:Version=1.2.3-beta4x
net user bob /delete1
net user bob1 /active:no
lftp -u bob sftp://a1.net
curl -u bob, https://a1b2c3.net
sort -u a,b1c2d3
USER bob1\nPASS 12 of 15\n
rabbitmqctl add_user bob
rabbitmqctl set_user_tags bob admin1
def add_user name1 x2y3z4
cat key1 | cryptsetup luksOpen /dev/sda x -
kinit bob@A1.NET
smtp.login('bob@a1.net', password1)
smtp.login('bob@a1.net', 'password')
smtp.login('bob@a1.net', '${PASSWORD1}')
echo done1 | kinit2x y
Das Passwort ist erforderlich
Das Passwort ist zu kurz2
Passwort: mindestens 12 Zeichen
Passwort vergessen? x1y2z3w4
Kennwort: erforderlich
das Passwort für den Server lautet anders
le mot de passe est obligatoire
Mot de passe : 12 caractères au moins
il passe par x1y2z3w4v5
la contraseña es obligatoria
contraseña: requerida
senha: obrigatória
desenhar x1y2z3w4
la password è obbligatoria
the passed: 12of15x
passes: a1b2c3d4e5
""".strip().split("\n")


def texts() -> list[str]:
    """Return the texts, with their lines as such."""
    return [twin.replace("\\r", "\r").replace("\\n", "\n") for twin in TWINS]
