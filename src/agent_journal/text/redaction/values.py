"""What a value is: a sample, a template, code, words, or something that only chance makes.

A rule looks at the whole value: `YourDog2019!` is a password although `your-password` is a sample.
"""

from __future__ import annotations

import re

_JOINED = r"[-_. ]"
# Whole values that stand for another one
_SAMPLES = (
    "none|null|nil|true|false|yes|no|string|str|text|bytes|number|boolean|object|undefined"
    "|required|optional|hidden|default|unset|empty|passw(?:or)?d|pass|secret|token|key|value"
    "|hunter2?|env|todo|tbd|change_?(?:me|it|this)|(?:your|example|sample|dummy|fake)?"
    "(?:api|access|secret|auth|db|client|private|user)?"
    "(?:passw(?:or)?d|token|key|secret|value|placeholder|example|here)"
)
_HEAD = "sk|pk|rk|ant|proj|api[0-9]{0,2}|ghp|gho|ghs|glpat|hf|npm|xoxb|live|test|my|the|key|token"
_STANDS_FOR = "your|insert|enter|replace|paste|put|example|placeholder|dummy|fake|sample|redacted"
_WORD = "(?:[A-Za-z]+|[0-9]+)"
_SAMPLE = re.compile(
    rf"(?i:{_SAMPLES}"
    rf"|(?:(?:{_HEAD}){_JOINED}){{0,4}}(?:{_STANDS_FOR})(?:{_JOINED}{_WORD}){{0,8}}"
    rf"|(?:{_WORD}{_JOINED}){{1,8}}(?:here|example|placeholder)"
    rf"|(?:{_WORD}{_JOINED}){{0,3}}change{_JOINED}?(?:me|it|this)(?:{_JOINED}{_WORD}){{0,3}})\Z"
)
_HIDDEN = r"(?:\*{3,}+|\.{3,}+|…++|•{3,}+|[xX]{4,}+|0{8,}+|_{4,}+|#{4,}+)"
_MASKED = re.compile(rf"[\w.:/+-]{{0,16}}?{_HIDDEN}(?:[-_ ]?{_HIDDEN}){{0,8}}[\w-]{{0,8}}\Z")
# What the makers of a cloud write in their own manuals
_IN_MANUALS = ("EXAMPLE", "EXAMPLEKEY")
_INSTEAD = (
    r"(?:[$#]?\{+[^{}]*\}+|\$(?:env:)?[A-Za-z_]\w*|\$\([^()]*\)?|<[^<>]*>"
    r"|%\w+%|%[sdrv]|%\(\w+\)s|@\w+@|![a-z]+|\([a-z]+(?: [a-z]+){1,3}\))"
)
_TAIL = r"(?:[A-Za-z]{1,20}[-_:./@ ]?){0,4}"
_TEMPLATE = re.compile(rf"(?:[A-Za-z]{{0,20}}[-_:./@ ])?(?:{_INSTEAD}[-_:./@ ]?)+{_TAIL}\Z")
_REFERENCE = re.compile(
    r"(?:op|vault|env|file|secretref|keyring|https?)://|arn:aws:|ENC\[|\[redacted "
    r"|(?:env|file):[\w./~-]+\Z"
)
_JOINERS = str.maketrans("", "", "-_. :/")


def is_placeholder(value: str) -> bool:
    """Whether a whole value is a sample, a variable, a `<name>` or a mask such as `sk-****`."""
    return (
        is_sample_token(value)
        or _TEMPLATE.match(value) is not None
        or _REFERENCE.match(value) is not None
    )


def is_sample_token(value: str) -> bool:
    """Whether a whole token is a sample: `xxxx`, `your-key-here`, one that ends in EXAMPLE."""
    if value.endswith(_IN_MANUALS):
        return True
    if _SAMPLE.match(value) or _MASKED.match(value):
        return True
    return len(set(value.translate(_JOINERS))) <= 2


_DIGIT = re.compile("[0-9]")
_LETTER = re.compile("[A-Za-z]")
_WORDS = re.compile(r"(?:[A-Za-z]*+[0-9]{0,4}+(?:[-_./:@ ]|\Z))+\Z")
_LONG_WORD = re.compile("[A-Za-z]{12,}")
_CAPITALS = re.compile("[A-Z]")
_SHORT_WORD = 2.6  # letters: words in camelCase are longer on average
_HARD_TO_SAY = re.compile("(?i)[bcdfghjklmnpqrstvwxz]{5}")
_PATH = re.compile(r"(?:[~.]{0,2}/|[A-Za-z]:\\)")
_NAME = re.compile(r"(?:[^\W\d]|\$)[\w$-]*\Z")
_DOTTED_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)+[!?]?\Z")
_SECRET_NAME = re.compile(
    "(?i)(?:passw(?:or)?d|passphrase|secret|token|key|credentials?)(?:_?v?[0-9]{1,2})?(?:_?(?:value|id))?\\Z"
)
_FUNCTION_WORDS = re.compile(
    r"(?i)\b(?:is|are|the|your|must|required|enter|please|for|to|and|or|not|be|in|of|a|an|with"
    r"|invalid|forgot|confirm|new|password)\b"
)


# Words joined by signs, as generators of passwords make them
_PASSPHRASE = re.compile(r"[a-z]{3,10}(?:-[a-z]{3,10}){3,9}\Z|[a-z]{3,10}(?:\.[a-z]{3,10}){3,9}\Z")
_NO_PASSPHRASE = re.compile(
    r"\b(?:and|any|api|app|are|base|can|default|env|example|file|for|form|from|has|hash|here|key|login"
    r"|min|must|name|new|not|old|one|only|pass|password|phrase|policy|required|reset|secret|see"
    r"|service|set|should|test|text|the|this|time|token|type|two|use|user|value|was|will|with|you"
    r"|your)\b"
)


def is_passphrase(value: str) -> bool:
    """Whether a value is words that were chosen by chance: `maple-orbit-velvet-stone`."""
    if _PASSPHRASE.match(value) is None:
        return False
    return _NO_PASSPHRASE.search(value) is None


def is_chosen(value: str) -> bool:
    """Whether a value has what passwords are made of: a digit, or words chosen by chance."""
    return has_digit(value) or is_passphrase(value)


def has_digit(value: str) -> bool:
    """Whether there is a digit in a value."""
    return _DIGIT.search(value) is not None


def has_letter(value: str) -> bool:
    """Whether there is a letter in a value."""
    return _LETTER.search(value) is not None


def are_words(value: str) -> bool:
    """Whether a value consists of words, each perhaps with a number: `my-app-settings-v2`."""
    if _WORDS.match(value) is None:
        return False
    return not any(_is_scrambled(word) for word in _LONG_WORD.findall(value))


def _is_scrambled(word: str) -> bool:
    """Whether letters have too many capitals among them for words in camelCase."""
    capitals = len(_CAPITALS.findall(word))
    return capitals * _SHORT_WORD > len(word) and not word.isupper()


def is_random(value: str) -> bool:
    """Whether only chance makes such a value: letters and digits mixed, or not to be spoken."""
    if " " in value or value.isdigit():
        return False
    if _DIGIT.search(value):
        return True
    if value.isalpha() and _is_scrambled(value):
        return True
    return _HARD_TO_SAY.search(value) is not None


def is_path(value: str) -> bool:
    """Whether a value is a path of words."""
    return _PATH.match(value) is not None and are_words(value.replace("\\", "/").lstrip("~"))


def is_name(value: str) -> bool:
    """Whether a value is a name as in code: a variable, a type."""
    return _NAME.match(value) is not None


def is_member(value: str) -> bool:
    """Whether a value is a member of something in code: `process.env.API_KEY_2`."""
    if _DOTTED_NAME.match(value) is None:
        return False
    return are_words(value) or not _DIGIT.search(value[value.rfind(".") :])


def names_secret(value: str) -> bool:
    """Whether a value is itself the name of a secret, as in code: `refresh_token_2`."""
    return _NAME.match(value) is not None and _SECRET_NAME.search(value) is not None


def is_sentence(value: str) -> bool:
    """Whether a value is something that is said to a person: `Enter your password`."""
    return " " in value and _FUNCTION_WORDS.search(value) is not None
