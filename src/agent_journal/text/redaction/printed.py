"""What a command prints below it, where it prints nothing but a secret: `pass show mail`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_journal.text.redaction import values
from agent_journal.text.redaction.judgement import is_odd
from agent_journal.text.redaction.places import Value

_LINE_END = r"(?:\r?\n|\\{1,16}r\\{1,16}n|\\{1,16}n)"
_SLASHES = r"\\{0,16}+"
_IN_LINE = r"[^\r\n\\]{0,200}+"
_BELOW = re.compile(
    rf"""{_IN_LINE}(?:\\{{1,16}}["']{_IN_LINE}){{0,8}}+{_LINE_END}[+-]?(?:{_SLASHES}["'])?(?P<bare>[^\s"'`\\]{{6,4096}}+)"""
    rf"""(?={_LINE_END}|\s*\Z|\\{{0,16}}["'])"""
)
_PROMPT = r"(?:[^\s\"'\\]{0,60}[ ]?[$%#>❯➜][ ])"
_COMMAND = re.compile(
    rf"(?:\A|[\n\"']|\\n)[+-]?(?:{_PROMPT}(?:go|l)?pass[ ][\w.@-]{{1,60}}/|{_PROMPT}?(?:"
    r"(?:go|l)?pass[ ]show|op[ ](?:item[ ]get|read)|bw[ ]get|security[ ]find-|secret-tool[ ]lookup"
    r"|keyring[ ]get|vault[ ](?:kv[ ]get|read)|gcloud[ ]secrets|az[ ]keyvault[ ]secret[ ]show"
    r"|aws[ ](?:secretsmanager|ssm)[ ]get|kubectl[ ](?:get[ ]secret|exec)"
    r"|docker[ ](?:compose[ ])?exec|printenv|echo[ ]\$|heroku[ ]config:get"
    r"|doppler[ ]secrets[ ]get|(?:terraform|tofu|pulumi[ ]stack)[ ]output|vault[ ]print"
    r"|g(?:h|lab)[ ]auth[ ]|gcloud[ ]auth[ ]print|az[ ]account[ ]get|jq[ ]-\w{0,3}r|yq[ ]"
    r"|cat[ ]/run/secrets|grep[ ]-\w{0,3}o|sqlite3"
    # A file that is named after the only thing in it
    r"|(?:cat|head|bat|type)[ ][^\s|;&'\"]{0,120}(?:token|secret|password|api[_-]?key)"
    r"(?=\.key|\.txt|\s|\\))\b)"
)
_NEAR = 200  # characters between the beginning of a command and the word in it


def find_printed(text: str, at: int) -> Value | None:
    """Return the secret in the line below a command that has a word of secrets at a place."""
    below = _BELOW.match(text, at)
    if below is None or not is_odd(below["bare"]) or values.is_placeholder(below["bare"]):
        return None
    if not any(_is_in_line(text, command.end(), at) for command in _commands(text, at, below)):
        return None
    return Value(below["bare"], *below.span("bare"), is_quoted=False)


def _commands(text: str, at: int, below: re.Match[str]) -> Iterator[re.Match[str]]:
    return _COMMAND.finditer(text, max(0, at - _NEAR), below.start("bare"))


def _is_in_line(text: str, start: int, at: int) -> bool:
    return "\n" not in text[start:at] and "\\n" not in text[start:at]
