"""The values of settings: what each setting accepts, and values that are given as text."""

from __future__ import annotations

from agent_journal.config.settings import Setting, Value
from agent_journal.errors import ConfigError

_BOOLEANS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}
_ACCEPTED = {
    "path": "a path",
    "paths": "a path or a list of paths",
    "text": "text",
    "bool": "true or false",
}


def check_value(setting: Setting, value: object, where: str) -> Value:
    """Return a value if the setting accepts it; otherwise raise a ConfigError."""
    if isinstance(value, (bool, int, str, list)) and _is_accepted(setting, value):
        return value
    raise ConfigError(f"{where} cannot be {_as_toml(value)}", f"accepted: {accepted(setting)}")


def _is_accepted(setting: Setting, value: object) -> bool:
    if setting.kind == "bool":
        return isinstance(value, bool)
    if setting.kind == "int":
        return type(value) is int and value >= setting.minimum
    if setting.kind == "choice":
        return value in setting.choices
    if setting.kind == "paths" and isinstance(value, list):
        return all(map(_is_text, value))
    return _is_text(value)


def accepted(setting: Setting) -> str:
    """What a setting accepts, in words."""
    if setting.kind == "choice":
        return ", ".join(setting.choices)
    if setting.kind == "int":
        return f"a whole number, {setting.minimum} or more"
    return _ACCEPTED[setting.kind]


def value_from_text(setting: Setting, text: str, where: str, separator: str | None = None) -> Value:
    """The value that a variable or an argument sets; `separator` is between several paths."""
    return check_value(setting, _converted(setting, text, separator), where)


def _converted(setting: Setting, text: str, separator: str | None) -> object:
    word = text.strip().lower()
    if setting.kind == "bool":
        return _BOOLEANS.get(word, text)
    if setting.kind == "int" and len(text) < 20 and word.removeprefix("-").isdecimal():
        return int(text)
    if setting.kind == "paths" and separator is not None and separator in text:
        return [path for path in text.split(separator) if path]
    if setting.kind == "choice":
        return word
    return text


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != "" and "\0" not in value


def _as_toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value)
