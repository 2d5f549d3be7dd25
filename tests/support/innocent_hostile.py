"""Texts as those of the hostile tester, each with something in it that is no secret."""

from __future__ import annotations

# Each is one text; lines of a text are separated as in JSON.
TWINS = r"""
{"value": "a1b2c3d4e5f6", "name": "BUILD_ID"}
{"value": "8080", "name": "PORT"}
{"value": "x1y2z3w4v5u6", "name": "color"}
{"Value": "web-server-12ab", "Key": "Name"}
{"Value": "4f2a9c1b8e77d0aa", "Key": "CommitSha"}
{"value": "required", "name": "password"}
{"value": "<password>", "name": "DB_PASSWORD"}
{"value": "${DB_PASSWORD}", "name": "DB_PASSWORD"}
{"value": "Enter your password", "name": "password"}
{"value": "12", "name": "token"}
{"value": "a1b2c3d4e5f6a7b8", "name": "cache_key"}
{"value": "CAUQAA1234567890abcdef", "name": "next_page_token"}
{"value": "a1b2c3d4e5f6"}, {"name": "password"}
{"value": {"id": "a1b2c3d4e5f6"}, "name": "password"}
[{"value": "a1b2c3d4", "name": "x"}, {"value": "", "name": "API_TOKEN"}]
env:\n  - value: info12ab\n    name: LOG_LEVEL\n
env:\n  - name: API_TOKEN\n    valueFrom:\n      secretKeyRef:\n        name: a1b2c3\n
<input value="bob12ab" name="user" type="text">
<input value="" name="password" type="password">
<input value="Log in" name="submit1" type="submit">
<option value="a1b2c3d4e5">password reset</option>
<add value="a1b2c3d4e5" key="Theme"/>
{\n  "x": {\n    "sensitive": false,\n    "type": "string",\n    "value": "a1b2c3d4e5"\n  }\n}
{\n  "x": {\n    "sensitive": true,\n    "type": "string",\n    "value": null\n  }\n}
{"db_host": {"sensitive": false, "type": "string", "value": "db1.a2b3c4.net"}}
the value is sensitive: true or false, a1b2c3d4e5
case sensitive": true, "x": "a1b2c3d4e5"
output "db_password" {\n  value     = aws_db.main.password\n  sensitive = true\n}
db_password = <sensitive>
Key 1: a1b2c3d4e5f6a7b8c9
Unseal Key (will be hidden):
Unseal Progress    2/3
the seal key 1: see chapter 12
twine upload -r pypi1 -p dist/*
sometool -u bob -p 8080
sometool -u bob -p 8080:80
sometool -u bob -p path/to/x1y2
sometool -u bob -p $PASSWORD1
sometool -u bob -p name
docker run -u bob -p 127.0.0.1:8080:80 a1b2
docker run -u 1000 -p web1 a
sudo -u bob mkdir -p build12ab
ssh -l bob -p 2222 a1b2c3.net
mysql -u bob -p app12ab
psql -u bob -p 5433
nmap -p 1-65535 a1b2c3.net
cp -p a1b2c3d4 b2c3d4e5
curl -b cookies1.txt https://a1b2c3.net
curl -b 'theme=dark' https://a1b2c3.net
git checkout -b fix12ab34
grep -b x1y2z3w4 file1
docker build -t app12ab34cd .
ssh -t bob12@a1b2c3.net
htpasswd -nB bob
htpasswd -n bob12
openssl passwd -6 -salt x1y2
openssl passwd -6 $PASSWORD1
wpa_passphrase Home < pw1.txt
docker login -u bob --password-stdin <<< "$PASSWORD1"
gh secret set DEPLOY -b "$TOKEN1"
gh secret list -b x1
echo hello12 | gh pr comment 12 -F -
cat token1.txt | gh auth login --with-token
echo $TOKEN1 | wrangler secret put X
security find-certificate -a -p x1y2
ansible-vault encrypt_string --stdin-name 'db_password1'
ansible-vault view secrets1.yml
kubectl create secret generic a --from-file=x1y2z3=./b
kubectl create secret generic a --from-literal=password=$PASSWORD1
run.py src/a1b2:c3d4@v2
a1 LOGIN failed for bob@a1b2.net
key-mgmt=wpa-psk\nssid=Home12ab\n
psk=$PSK1
the psk is in chapter 12
WIFI:T:nopass;S:Home12ab;;
WIFI: connected to Home12ab; P: none
log in as admin / root
log in as bob / see chapter 12
log in with Google/GitHub
log in with user/password
login: bob@a1b2c3.net
Last login: Mon Nov 18 05:28:12 on ttys001
login page: /auth/login2 at http://a1b2c3.net/x1
the login is at app/login12
vault login -method=oidc
vault login
vault login $VAULT_TOKEN1
cargo login
npm login --scope=@a1b2c3 --registry=https://a1b2.net
docker login a1b2c3d4e5f6a7b8.dkr.net
snyk auth
gh auth status
user: admin pass: required
all users: 12 pass: 9of12ok
credentials: bob / see chapter 12
the password was changed to be optional
the password was changed to SHA256
the password has been reset to the default
the password for the staging database is in chapter 12
the password for our new server is hashed with bcrypt2
a temporary password is generated for bob: see below
use this password to proceed to step 2: open the page
the password hash of commit: a1b2c3d4e5f6
the password field in version: 2.10.3-beta4x
recovery codes: see chapter 12
Recovery codes:\nKeep them in a safe place\n
status codes:\n200\n404\n
error codes: a1b2c3d4 e5f6a7b8
exit codes: 0, 1, 127
Backup codes were generated 12 days ago
seed phrase: the words that open your wallet, and all that is in it for ever
mnemonic: a word that helps you to keep another one in your mind for longer
a passphrase is a number of words that are easy to keep in mind but hard to guess
price: $5$ or $6$ a month, $1$
echo $1$2$3
$2a$ is the prefix of bcrypt hashes
"cookies": [{"name": "theme", "value": "dark-blue"}]
{"name": "Cookie", "value": "<cookie>"}
{"value": "text/html; charset=utf-8", "name": "Content-Type"}
-----END CERTIFICATE-----
password: one-time-use-only
password: current-password
password: your-password-goes-here
password: set-with-the-form
token: end-to-end-encrypted-token
the password is end-to-end-encrypted
the password is case-sensitive
secret_name: my-app-database-credentials
--password-file /run/secrets/pw12
password = settings.password1
password=Config.password2
password=Depends(get_password12)
the password is Base64-encoded
token = '''The token of step 2.'''
const token = process.env.API_TOKEN ?? "none"
$ jq -r .token_count a.json\n12345678\n
$ jq -r .name a.json\nx1y2z3w4v5\n
$ terraform output db_endpoint\n"db1.a2b3c4.net:5432"\n
$ gh auth status\nLogged in to github.com as bob12\n
""".strip().split("\n")


def texts() -> list[str]:
    """Return the texts, with their lines as such."""
    return [twin.replace("\\n", "\n") for twin in TWINS]
