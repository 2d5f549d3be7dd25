"""Where another hostile tester found secrets: values before names, tools, logins, codes."""

from __future__ import annotations

from tests.support.secret_contexts import PLAIN, SETTING, SHELL, Context

_SIGNS = "-_!*+"
_PHRASES = ("maple", "orbit", "velvet", "stone", "harbor", "crimson", "lantern", "meadow")
_LINES = '{{\n  "value": "{v}",\n  "name": "{N}"\n}}'
_SSM = '{{\n  "Value": "{v}",\n  "Type": "SecureString",\n  "Version": 1,\n  "Name": "/a/{i}"\n}}'
_OUTPUT = (
    '{{\n  "{n}": {{\n    "sensitive": true,\n    "type": "string",\n    "value": "{v}"\n  }}\n}}'
)
_UNNAMED = (
    '{{\n  "x": {{\n    "sensitive": true,\n    "type": "string",\n    "value": "{v}"\n  }}\n}}'
)


def _phrase(value: str) -> str:
    """Return four words, as many generators of passwords choose them."""
    return "-".join(_PHRASES[ord(sign) % 8] for sign in value[:4])


def _chosen(value: str) -> str:
    """Return two words and a number, as people choose passwords."""
    words = [_PHRASES[ord(sign) % 8] for sign in value[:2]]
    return f"{words[0].title()}-{words[1]}{10 + ord(value[2]) % 80}"


NAMED = (
    Context("value, then name", '{{"value":"{v}","name":"{N}"}}', PLAIN),
    Context("Value, then Key", '{{"Value": "{v}", "Key": "{N}"}}', PLAIN),
    Context("value, then name, in lines", _LINES, PLAIN),
    Context("value, type, then name", _SSM, PLAIN),
    Context(
        "value, then name, of a list", '[{{"value": "{v}", "name": "{N}"}}, {{"a": 1}}]', PLAIN
    ),
    Context("value, then name, in YAML", "env:\n  - value: {v}\n    name: {N}\n", PLAIN),
    Context("value, then name, in XML", '<add value="{v}" key="{N}"/>', PLAIN),
    Context("value, then name, in HTML", '<input value="{v}" name="{i}">', PLAIN),
    Context("value, then id, in HTML", "<input value='{v}' class='a' id='{i}'>", PLAIN),
    Context("key, others, value", '{{"key":"{N}","scope":"all","on":true,"value":"{v}"}}', PLAIN),
    Context("output of Terraform", _OUTPUT, PLAIN),
    Context("output of Terraform in a line", '{{"{n}":{{"sensitive":true,"value":"{v}"}}}}', PLAIN),
    Context("output of Terraform without a name", _UNNAMED, PLAIN),
    Context("three quotes", '{i} = """{v}"""\n', PLAIN),
    Context("three quotes of the other kind", "{i} = '''{v}'''\n", PLAIN),
    Context("instead of a variable", 'const a = process.env.{N} ?? "{v}"', PLAIN),
    Context("literal", "kubectl create secret generic a --from-literal=x={v}", PLAIN),
    Context(
        "literal, quoted", "kubectl create secret generic a -n b --from-literal='x={v}'", PLAIN
    ),
    Context("encrypt_string", "ansible-vault encrypt_string '{v}' --name '{i}'", SHELL),
)
PASSWORDS = (
    Context("phrase", "password: {v}\n", PLAIN, _phrase),
    Context("phrase in an option", "tool login --password {v} --yes", PLAIN, _phrase),
    Context("phrase in a setting", "password={v}\nport=1\n", PLAIN, _phrase),
    Context("phrase in a sentence", "the password is {v}", PLAIN, _phrase),
    Context("phrase at the end", "I set the password to {v}.", PLAIN, _phrase),
    Context("phrase of a setter", 'source.setPassword("{v}");', PLAIN, _phrase),
    Context("phrase of an argument", 'props.put("password", "{v}");', PLAIN, _phrase),
    Context("phrase of mysql", "mysql -u root -p{v} db", PLAIN, _phrase),
    Context("phrase in a table", "| user | password |\n|---|---|\n| bob | {v} |\n", PLAIN, _phrase),
    Context("phrase of auth", "get(url, auth=('bob', '{v}'))", PLAIN, _phrase),
    Context("phrase that is printed", "$ pass show mail/bob\n{v}\n", PLAIN, _phrase),
    Context("chosen", "use password {v}\n", PLAIN, _chosen),
    Context("chosen, in a sentence", "the password for bob is {v}", PLAIN, _chosen),
    Context("chosen, in SQL", "ALTER ROLE bob PASSWORD '{v}'", PLAIN, _chosen),
    Context("twine", "twine upload -u bob -p {v} dist/*", SHELL),
    Context("nuget", "dotnet nuget add source https://a.net -u bob -p {v}", SHELL),
    Context("hydra", "hydra -l bob -p {v} ssh://a.net", SHELL),
    Context("ncftp", "ncftpput -u bob -p {v} a.net /x f", SHELL),
    Context("any tool with a user", "sometool -u bob -p {v} a.net", _SIGNS),
    Context("any tool with a long user", "sometool --username bob -p {v}", _SIGNS),
    Context("proxy of curl", "curl --proxy-user bob:{v} -x http://a:3128 https://a.net", SHELL),
    Context("proxy of curl, quoted", "curl --proxy-user 'bob:{v}' https://a.net", SETTING),
    Context("htpasswd -nb", "htpasswd -nb bob {v}", SHELL),
    Context("htpasswd -nbB", "htpasswd -nbB bob '{v}'", SHELL),
    Context("openssl passwd", "openssl passwd -6 {v}", SHELL),
    Context("wpa_passphrase", "wpa_passphrase Home '{v}'", SHELL),
    Context("here string of docker", "docker login -u bob --password-stdin <<< '{v}'", SHELL),
    Context("gh secret -b", "gh secret set DEPLOY -b {v}", SHELL),
    Context("gh secret -b, quoted", "gh secret set DEPLOY -b '{v}'", SHELL),
    Context("gh auth", "echo {v} | gh auth login --with-token", SHELL),
    Context("wrangler", "echo '{v}' | wrangler secret put X", SHELL),
    Context("vercel", "echo '{v}' | vercel env add X production", SHELL),
    Context("pass insert", "echo '{v}' | pass insert -e mail/bob", SHELL),
    Context("secret-tool", "echo -n '{v}' | secret-tool store --label=x user bob", SHELL),
    Context("security", "security add-generic-password -a bob -s x -w '{v}'", SHELL),
    Context("Impacket", "psexec.py CORP/bob:{v}@10.0.0.5", _SIGNS),
    Context("IMAP", "a1 LOGIN bob@a.net {v}", _SIGNS),
    Context("psk", "[wifi-security]\nkey-mgmt=wpa-psk\npsk={v}\n", _SIGNS),
    Context("psk, quoted", 'network={{\n  ssid="Home"\n  psk="{v}"\n}}', _SIGNS),
    Context("code of Wi-Fi", "WIFI:T:WPA;S:Home;P:{v};;", _SIGNS),
    Context("code of Wi-Fi, other order", "WIFI:S:My Home;T:WPA;P:{v};H:false;;", _SIGNS),
    Context("log in as", "log in as admin / {v}", _SIGNS),
    Context("log in with", "You can log in with admin / {v} on staging", _SIGNS),
    Context("login", "Login: admin/{v}", _SIGNS),
    Context("default login", "default login is admin:{v}", _SIGNS),
    Context("user, pass", "user: admin pass: {v}", _SIGNS),
    Context("credentials", "Credentials: bob / {v}", _SIGNS),
    Context("changed to", "the password was changed to {v}", _SIGNS),
    Context("reset to", "Your password has been reset to: {v}", _SIGNS),
    Context("for something longer", "The password for the staging database is {v}", _SIGNS),
    Context("of MySQL", "A temporary password is generated for root@localhost: {v}", _SIGNS),
    Context("of Jenkins", "use this password to proceed to the installation:\n\n{v}\n\nx", _SIGNS),
    Context("printed by terraform", '$ terraform output db_password\n"{v}"\n', _SIGNS),
    Context("printed by jq", "$ jq -r .db.password a.json\n{v}\n", _SIGNS),
    Context("printed by cat", "$ cat /run/secrets/db_password\n{v}\n", _SIGNS),
    Context("printed by gh", "$ gh auth token\n{v}\n", _SIGNS),
)
