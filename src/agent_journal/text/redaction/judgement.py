"""Whether the value of a name is secret: not a sample, not code, and as its name demands."""

from __future__ import annotations

import re

from agent_journal.text.redaction import values
from agent_journal.text.redaction.names import is_any_key, is_open, is_secret_key, is_verb
from agent_journal.text.redaction.places import Place, Value

_SHORTEST_SECRET = 12  # characters of a token or key
_SHORTEST_SETTING = 8  # characters of one in a variable of the environment
_SHORTEST_KEY = 16  # characters of the value of any key
_AFTER_MEMBER = tuple(",).([")  # what follows a member of something in code
# Before `pass: x`, which is no verb then
_WITH_USER = re.compile(r"(?i:user(?:name)?|login)[ ]?[:=][ ]?\S{1,40}[ ,;/]{1,4}\Z")


def is_secret(place: Place, value: Value) -> bool:
    """Whether a value is secret, because of the name before it."""
    if values.is_placeholder(value.text) or values.is_path(value.text):
        return False
    if not value.is_quoted and _is_code(place, value):
        return False
    if place.word.kind == "password":
        return _is_password(place, value)
    if place.word.kind == "key" and not is_secret_key(place.qualifier):
        return _is_any_key(place, value)
    return _is_token(place, value)


def _is_code(place: Place, value: Value) -> bool:
    """Whether a value without quotes is a variable, a member or a call."""
    if values.is_member(value.text):
        return not _is_dotted_password(place, value)
    if not values.is_name(value.text):
        return False
    after = place.text[value.end : value.end + 1]
    if after == "(":
        return True
    is_setting = place.text[value.start - 1] == "=" and place.is_variable
    is_yaml = place.text[value.start - 2 : value.start] == ": " and after not in ",)}"
    return not is_setting and not is_yaml and values.names_secret(value.text)


def _is_dotted_password(place: Place, value: Value) -> bool:
    """Whether what may be a member is `Velvet.ember29`, or words, as a password has them."""
    if place.word.kind != "password" or place.text[value.end : value.end + 1] in _AFTER_MEMBER:
        return False
    if values.names_secret(value.text.rpartition(".")[2]):
        return False
    return _CHOSEN.match(value.text) is not None or values.is_passphrase(value.text)


def _is_password(place: Place, value: Value) -> bool:
    if place.is_short_pass:
        if _is_verb(place, value):
            return False
        return values.is_chosen(value.text) and values.has_letter(value.text)
    if values.is_sentence(value.text) or _is_within_word(place):
        return False
    if place.word.word == b"pw" and value.text.startswith(("/", "~", ".")):
        return False  # the working folder
    if value.is_quoted or values.has_digit(value.text) or not values.is_name(value.text):
        return True
    if values.is_passphrase(value.text):
        return True
    # A word is a type or another name, except in settings.
    return place.is_variable and not value.text[0].isupper()


def _is_verb(place: Place, value: Value) -> bool:
    if is_verb(place.before):
        return True
    if place.before[-1:].islower() and not place.text[place.at].isupper():
        return True
    if place.before or value.is_quoted or place.text[value.start - 1] != " ":
        return False
    before = place.text[max(0, place.start - 2) : place.start]
    is_in_sentence = before[:1].isalnum() and before[1:] == " "
    if not is_in_sentence or is_long(value.text):
        return False
    return _WITH_USER.search(place.text, max(0, place.start - 60), place.start) is None


def _is_within_word(place: Place) -> bool:
    """Whether `pw` is only the end of another word, or of letters without a meaning."""
    is_short = place.word.word == b"pw" and place.text[place.at + 2 : place.at + 3] not in "dD"
    is_new_word = place.text.startswith("Pw", place.at)
    return is_short and not is_new_word and place.before[-1:].isalnum()


def _is_token(place: Place, value: Value) -> bool:
    if len(value.text) < _SHORTEST_SECRET:
        is_setting = value.is_quoted or place.text[value.start - 1] == "="
        is_odd_enough = place.is_variable or _SIGNS.search(value.text) is not None
        return is_odd_enough and is_setting and _is_short_token(value.text)
    if not values.is_random(value.text):
        return False
    if not values.has_digit(value.text) and values.names_secret(value.text):
        return False
    if value.is_quoted or place.is_variable or place.is_parameter:
        return True
    return not (values.is_name(value.text) and values.are_words(value.text))


def _is_short_token(value: str) -> bool:
    """Whether a short value of a setting has what passwords are made of."""
    if len(value) < _SHORTEST_SETTING or not values.has_digit(value):
        return False
    return not value.islower() and not value.isupper() and not values.are_words(value)


def _is_any_key(place: Place, value: Value) -> bool:
    is_form = place.text[value.end : value.end + 1] == "&"
    if not (is_any_key(place.qualifier) or place.is_parameter or is_form):
        return _is_dashed_option(place) and is_long(value.text)
    return is_long(value.text)


def is_mixed(value: str) -> bool:
    """Whether a value has letters and digits, and not as words with a number have them."""
    if not values.has_digit(value) or not values.has_letter(value):
        return False
    return not values.are_words(value)


def _is_dashed_option(place: Place) -> bool:
    return place.before.startswith("--")


def is_long(value: str) -> bool:
    """Whether a value is long and made by chance: secret for any key."""
    if len(value) < _SHORTEST_KEY or not values.is_random(value):
        return False
    return not values.are_words(value)


# -- in sentences ------------------------------------------------------------------------------

_PARTS = re.compile(r"[-_./:]+")
_SHORTEST_PART = 5
_SIGNS = re.compile(r"[!@#$%^&*+=~?]")
_CHOSEN = re.compile(
    r"(?:(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z]{4,40}[0-9]{2,8}[\W_]{0,2}"
    r"|[A-Z][a-z]{2,12}[-_.][a-z]{3,12}[0-9]{1,4}[\W_]?)\Z"
)
_PASS_OF = re.compile(
    "(?i)(?:admin|db|ftp|ldap|login|mail|my|require|root|smtp|ssh|sudo|user|wifi)[_.-]?\\Z"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def is_told(place: Place, value: Value) -> bool:
    """Whether a value is secret that no sign joins to its name: `with password x`."""
    text = value.text
    if not is_odd(text) or values.is_placeholder(text) or is_open(place.word, place.qualifier):
        return False
    if place.word.kind == "password":
        return not place.is_short_pass or _PASS_OF.search(place.qualifier) is not None
    if place.word.kind == "key":
        return is_secret_key(place.qualifier) and is_long(text)
    return len(text) >= _SHORTEST_SECRET and not values.are_words(text)


def is_odd(text: str) -> bool:
    """Whether a value is no word of a sentence, not even one with a number in it."""
    if values.is_passphrase(text.rstrip(".")):
        return True
    if not values.has_digit(text) or " " in text or "://" in text or _DATE.match(text):
        return False
    if not is_mixed(text):
        return _CHOSEN.match(text) is not None
    if _SIGNS.search(text):
        return True
    return any(
        len(part) >= _SHORTEST_PART and not values.are_words(part) for part in _PARTS.split(text)
    )
