"""Texts without a secret that look as if they had one: code, sums, ids, pictures, settings."""

from __future__ import annotations

import base64
import hashlib
import random
import uuid

FIXED = r"""
const key = process.env.API_KEY_2;
apiKey: process.env.OPENAI_API_KEY_2,
token = process.env["GITHUB_TOKEN_2"]
const token = process.env.NEXT_PUBLIC_TOKEN_V2 ?? ""
secretKey: import.meta.env.VITE_SECRET_KEY_1,
next_page_token: "CAUQAA1234567890abcdef"
"nextPageToken": "Q0FVUUFBMTIzNDU2Nzg5MA"
page_token=eyJvZmZzZXQiOjEwMH0x9
"continuationToken": "1a2b3c4d5e6f7a8b9c0d"
https://api.example.org/v1/items?page_token=CAUQAA1234567890abcdef&limit=3
os.environ["TOKEN"]
token = os.environ["GITHUB_TOKEN"]
password = os.getenv("DB_PASSWORD_2", "")
def login(user: str, password: str) -> Token:
password: str = Field(min_length=8)
password: Optional[str] = None
password: z.string().min(8).max(100),
password: { type: String, required: true, minlength: 8 },
token: ${{ secrets.GITHUB_TOKEN }}
GITHUB_TOKEN: ${{ secrets.DEPLOY_TOKEN_2 }}
api_key: <your-token>
API_KEY=<your-api-key-1234>
export OPENAI_API_KEY=sk-your-key-here
ANTHROPIC_API_KEY="sk-ant-..."
max_tokens: 4096
"max_tokens": 128000, "temperature": 0.7
token_count = get_token(x)
access_token = get_access_token(client_id_2)
const token = await getAccessToken1(user2);
self.token = token2
self.password = password1
this.apiKey = options.apiKey2;
password=password1)
token = settings.api_token_v2
secret = config.get("app_secret_2")
secret_name = "projects/a/secrets/b"
key = "user-settings-v2"
cache_key = "user:1234567890:profile"
primary_key = "id_1234567890123456"
sort_key: created_at_2024_01_01
"key": "a3f5c8d9e1b2a4c6d8e0f1a2b3c4d5e6"
partition_key=2024-01-01T00:00:00Z
publicKey = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE9x1"
STRIPE_PUBLISHABLE_KEY=pk_test_51H8x1234567890abcdefgh
"tokenizer": "cl100k_base_v2_large_1"
tokens = tokenizer.encode(text1234567890)
token_type = "bearer_v2_extended"
<input type="password" name="password1" placeholder="Enter your password">
password: "Enter your password"
"password": "Password is required",
"passwordHint": "At least 8 characters, 1 digit",
label: { password: 'Passwort', token: 'Token 2' }
errors.password = "must be at least 12 characters"
if (password === confirmPassword2) return
<password>${db.password1}</password>
<password>{{ password1 }}</password>
password => bcrypt.hash(password1, 10)
git clone https://github.com/owner/repo-name-1234567890.git
git@github.com:owner/repo.git
https://user@host.example.org/path
http://localhost:8080/a@b
ssh://git@gitlab.example.org:2222/group/project.git
model: claude-sonnet-4-20250514
"model": "gpt-4o-mini-2024-07-18"
us.anthropic.claude-3-5-sonnet-20241022-v2:0
price: $3.00 per 1,000,000 tokens, $15.00 output tokens
input_tokens=1234567890, output_tokens=1234567890
first_pass=abc12345
tests pass: 123abc of 456def
pass: 12 fail: 3
assert result.pass == "abc1234"
npm run test -- --pass=unit1
docker run -p 8080:80 -u 1000:1000 img
docker run --name mysql -p3306:3306 img
psql -U postgres -p 5432 -d app1
mkdir -p src/components/v2
cp -p file1.txt file2.txt
the mysql -protocol x1
curl -u $USER:$PASS1 https://a.net
curl -H "Authorization: Bearer $TOKEN" https://a.net
curl -H "Authorization: Bearer ${API_TOKEN_2}" https://a.net
headers = {"Authorization": f"Bearer {token1}"}
Authorization: Bearer <token>
Authorization: Bearer YOUR_API_KEY
Authorization: Basic <credentials>
"authorization": "required_for_v2_endpoints"
auth: oauth2_password_bearer_v2
Cookie: theme=dark; lang=en-us
document.cookie = "theme=" + theme1
Set-Cookie: theme=dark; Path=/; Max-Age=31536000; SameSite=Lax
cookies: { secure: true, maxAge: 31536000 }
sessionId: 4f2a9c12-1234-4234-8234-123456789abc
key-value store, key: value pairs, a key: value1234567890
Press any key: F12 or Ctrl+Shift+P
KEY_ENTER = 13
keyboard: "us-international-2"
foreignKey: 'order_item_id_2'
hotkey=ctrl+alt+delete1
API_KEY_HEADER = "X-Api-Key-V2"
TOKEN_URL = "https://auth.example.org/oauth2/token"
SECRET_NAME="my-app/prod/db-password-2"
--password-file=/etc/secrets/pw1
--token-file x12345678
DB_PASSWORD_FILE=/run/secrets/db_password_2
password: /run/secrets/db_password1
ssl_key: /etc/ssl/private/server1.key
private_key_path = "~/.ssh/id_ed25519_2"
PWD=/work/project1
OLDPWD=/work/project2
secret: op://vault/item1/password
password: !vault |
password: "{{ lookup('env', 'DB_PASSWORD1') }}"
api_key = "%s" % key1
password = "xxxxxxxxxxxx"
token: "***********1234"
token=[REDACTED]
secret = "your-secret-key-123"
"client_secret": "YOUR_CLIENT_SECRET_1"
API_KEY=changeme
password = "changeme"
AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
hf_model_name_with_a_very_long_identifier_here
sk-learn-pipeline-with-a-long-name-and-more
re_compile_pattern_with_flags_and_more_text
key-value-pairs-in-a-very-long-kebab-case-name
pat.match_something_long_enough_to_be_a_run.x
sl.some_attribute_with_a_long_name_in_code()
SG.someVeryLongMemberNameInCode.another()
self.pattern.some_very_long_method_name_in_code()
live_reload_server_port_and_other_options_long
EAAAAAAA
ARG TOKEN
ENV TOKEN_TTL=3600000000
export TOKEN_EXPIRY=20240101T000000Z
password_reset_token_expires_at = 20240101120000
"csrfToken": csrfToken2Value,
X-Request-Id: 4f2a9c12-1234-4234-8234-123456789abc
ETag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
If-None-Match: W/"0815abcdef1234567890"
function pass1(node2) { return pass2(node2) }
compass: 12345abc, bypass: 123456x
| Key | Value |
| token | The token of the user, see chapter 12 |
| `password` | `string` | required |
| API_KEY | string | your key |
data-key="item-1234567890-abc"
<li key={`item-${index1}`}>
map.set("session_key_prefix", "app:v2:session")
["password", "confirm_password2"]
fields = ("token", "refresh_token_2")
expect(token).toBe("mock-token")
raise ValueError("password: too short1")
"description": "The API key: see https://docs.example.org/keys/v2"
passwordless: true, passkey: true, passthrough: abc123def
tokenize("some text 1234567890")
secrets: inherit
secretsmanager:GetSecretValue
arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbCdEf
secret = "arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbCdEf"
kubectl get secret app-secret-v2 -o yaml
kubectl create secret generic app-secret-v2
gh secret set DEPLOY_TOKEN_2
"key_id": "projects/a/locations/b/keyRings/c/cryptoKeys/d1"
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8x3v2yq1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4 me@host
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE-----
""".strip().split("\n")


def texts() -> list[str]:
    """Return the innocent texts: fixed ones, and sums, ids and pictures made by chance."""
    return [*FIXED, *_made(random.Random(16))]


def _made(rng: random.Random) -> list[str]:
    made = []
    for _ in range(20):
        data = rng.randbytes(48)
        sha1 = hashlib.sha1(data).hexdigest()
        sha256 = hashlib.sha256(data).hexdigest()
        sha512 = base64.b64encode(hashlib.sha512(data).digest()).decode()
        ident = uuid.UUID(bytes=data[:16], version=4)
        picture = base64.b64encode(rng.randbytes(600)).decode()
        short = base64.b64encode(data[:16]).decode()
        name = "".join(rng.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", k=24))
        made += [
            f"commit {sha1}\nAuthor: A <a@b.c>",
            f"index {sha1[:7]}..{sha1[7:14]} 100644",
            f"{sha256}  dist/app.tar.gz",
            f'"integrity": "sha512-{sha512}",',
            f"resolved https://registry.example.org/a/-/a-1.2.3.tgz#{sha1}",
            f'    "sha256:{sha256}",',
            f"pip install a==1.0 --hash=sha256:{sha256}",
            f"FROM python@sha256:{sha256}",
            f'"id": "{ident}"',
            f"session {ident} resumed",
            f"![x](data:image/png;base64,{picture})",
            f'{{"type": "image", "data": "{picture}"}}',
            f"toolu_01{name} call_{name} msg_01{name}",
            f"req_011{name[:20]}",
            f"chunk-{sha1[:8]}.js main.{sha1[:20]}.css",
            f'<script nonce="{short}" integrity="sha384-{sha512[:64]}">',
            f"function {name}(e,t,n){{return e.{name[:9]}=t,n.key=e[{name[:7]}],{name}}}",
            f"at {name}.{name[:8]} (/srv/app/node_modules/{name}/index.js:12:34)",
            f"go.sum h1:{short}{short[:18]}=",
            f"cache/{sha256[:2]}/{sha256[2:]}",
            f"x = {rng.randrange(10**20)}; y = {rng.random()}",
        ]
    return made
