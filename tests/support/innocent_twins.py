"""Texts as those of the matrix, each with something in it that is no secret."""

from __future__ import annotations

# Each is one text; lines of a text are separated as in JSON.
TWINS = r"""
db:\n  password:\n    required: true\n    min: 8
db:\n  password: >-\n    Enter the new password here\n
properties:\n  token:\n    type: string\n    maxLength: 256
password: |\n  At least 12 characters, with 1 digit\n
token:\n  description: The token of step 2\n
if not token:\n    return response401\n
if password:\n    hashed2 = make_hash(password)\n
while key:\n    key = next_key(index2)\n
| user | password |\n|------|----------|\n| bob | required |\n
| field | token_count |\n|---|---|\n| prompt | 12345abc6789 |\n
| Test | Pass |\n|---|---|\n| a1b2c3 | 12of15ok |\n
| name | token |\n|---|---|\n| a | optional, see chapter 12 |\n
| key | value |\n|---|---|\n| a | d41d8cd98f00b204e9800998ecf8427e |\n
| cache key | x |\n|---|---|\n| d41d8cd98f00b204e9800998ecf8427e | 1 |\n
id,name,token_count\n1,bob,128000\n2,eve,d41d8cd98f00b204\n
model,input_tokens,output_tokens\nclaude-sonnet-4,12345,6789\n
id,sort_key,name\n1,2024-01-01T00:00:00Z,bob\n
id,password_required\n1,true\n2,false1234\n
name,password\nbob,none\neve,changeme\n
return user, password\n    x1y2z3w4 = a1, b2c3d4e5\n
from a import login, password\nfrom b1c2d3 import x1, y2z3w4v5\n
SELECT id, password\nFROM users2024, b1c2d3e4\n
for user, password in users:\n    check1(a2b3c4, d5e6f7g8)\n
user;token;x\n1;none;2\n
id\tpassword\n1\t\n2\t********\n
 id | password \n----+----------\n  1 | \n(1 row)\n
a | grep password | b\n--- | x1y2z3w4 | c\n
password = (\n    get_password()\n)
token = (\n    "Bearer " + value1\n)
"password": ["required", "min:8", "confirmed"]
"password": ["This field is required."]
fields = ["password", "token2"]
x = os.environ.get('API_TOKEN') or 'none'
const token = options.token || "default"
const token = process.env.API_TOKEN ?? ''
ENV['API_TOKEN'] ||= 'test'
let password = String::from("password");
let token = String::new();
public string Password { get; set; } = "";
public string Token { get; set; } = string.Empty;
static char password[] = "password";
password <- "changeme"
password <- readline1("Password: ")
token->value12345678
key -> value pairs, key2 -> value2
12: password: string
    12\ttoken: str = Field(...)\n    13\tx1 = 2
src/app.py:12:def login(user, password1):
src/app.py:12:    token = get_token2(x)
map[password:<nil> token:<nil>]
Config(host=a, password=None, port=1)
declare -x PASSWORD_STORE_DIR="/home/x/pass1"
user          bob\npassword      required\nport          1
- password: required
- **token**: the one of step 2
- token - see chapter 12
- token – see https://example.org/v2/docs1
1. token budget 128000
2. password policy v2
- password hashing with bcrypt2
Password:\nForgot your password?\n
The token:\n\n```\nBearer <token>\n```\n
the password is required
The password is hashed with SHA256 and stored
the password is now optional
the token is invalid2
the token is expired since 2024-01-01T00:00:00Z
the password was changed in v2.10.3
the password is set to expire in 90days
our token was 12345678 characters long
I set the password to expire2 yesterday
I changed the token to be optional
use SHA256 as the password hash
use argon2id as the password hash
use the name of step 2 as the key
argon2id is the password hash
this is the password
utf-8 is the key encoding
log in with password authentication2
log in with the token from step 12
with token counting2 enabled
the admin (password required) can
the admin (token 2 of 12) can
the cache key is d41d8cd98f00b204e9800998ecf8427e
the primary key is 4f2a9c12-1234-4234-8234-123456789abc
the partition key d41d8cd98f00b204e9800998ecf8427e is hot
the next page token is CAUQAA1234567890abcdef
the object key = uploads/2024/01/4f2a9c1b8e.png
press the enter key 12345abcdef times
key features 2024edition, key results q4fy2024
token limit 200k, token price 3usd
set PASSWORD=
tool config set key value1
set token count12
setx TOKEN %OTHER_TOKEN1%
$env:TOKEN = $other1
Connect-It -Password $password1
Get-Item -Key name1
tool -key file1.pem -v
openssl req -newkey rsa:2048 -keyout server1.key
java -Dtoken.limit=200000 -jar a.jar
helm install a b --set auth.existingSecret=my-secret-2
gh secret set DEPLOY_TOKEN --body "$TOKEN1"
gh secret set DEPLOY_TOKEN < token1.txt
cat token1.txt | gh secret set DEPLOY_TOKEN
echo $TOKEN1 | gh secret set DEPLOY_TOKEN
echo "$PASSWORD1" | docker login -u bob --password-stdin
cat pw1.txt | docker login --password-stdin
echo done1 | sudo tee /etc/x1
echo $PW1 | sudo -S apt update
sudo -S apt update2 < pw1
sudo -u bob1 ls x1y2
each row is identified by name2
identified by 'id'
IDENTIFIED BY '<password>'
IDENTIFIED BY '${PASSWORD1}'
CREATE ROLE bob LOGIN PASSWORD NULL;
CREATE TABLE t (password VARCHAR(255), token CHAR(36));
ALTER TABLE t ADD COLUMN password varchar2(40);
requirepass foobared
# requirepass foobared
htpasswd -c .htpasswd bob
chpasswd < users1.txt
cat users1.txt | chpasswd
cat ~/.pgpass\nlocalhost:5432:app:bob:password\n
listening on 0.0.0.0:5432:tcp:ok:x1y2z3
docker run -p 127.0.0.1:8080:80 mysql
docker run --name mongo -p 27017:27017 mongo:7
ssh -p 2222 bob@a1b2c3.net
mkdir -p zip/a1b2c3d4
unzip -p a1.zip b2c3d4
az account list -p x1
psql -U bob -p 5433 -d app1b2c3
mysql -u root -p app1
mysql -P 3307 -u root
rsync -az -p a1b2 c3d4
curl -u bob https://a1.net:8443/x
smbclient -U bob //a1/b2
wget --user=bob --ask-password https://a1.net
tar -xzf a1.tgz -p b2c3d4
python -m pytest -p no:cacheprovider1
redis-cli -a $REDIS_PASSWORD1 ping
ConvertTo-SecureString $password1 -AsPlainText -Force
ConvertTo-SecureString "$env:PASSWORD1" -AsPlainText -Force
auth=("bob", password1)
auth=("user", "password")
HTTPBasicAuth(user1, password2)
new NetworkCredential(user1, password2)
page.fill("#password", password1)
page.fill("#password", "password")
cy.get('#password').type(password1)
cy.get('#password').type('{enter}')
<input type="password" name="password1" value="">
<input type="password" autocomplete="current-password" value="{{ x1 }}">
<setting name="token"><value></value></setting>
<password>\n  ${password1}\n</password>
variable "token" {\n  type = string\n}
variable "token" {\n  default = ""\n}
variable "token" {\n  description = "The token of v2"\n}
Password for bob: \n
bob@a1.net's password: \n
credentials: see chapter 12
credentials: bob / <password>
credentials: user1 / team2
user bob with password authentication2
""".strip().split("\n")


def texts() -> list[str]:
    """Return the texts, with their lines and tabs as such."""
    return [twin.replace("\\n", "\n").replace("\\t", "\t") for twin in TWINS]
