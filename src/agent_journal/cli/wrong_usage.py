"""What click says of a command that was given wrongly, in the words of this program."""

from __future__ import annotations

import re

import click
from click.exceptions import MissingParameter, NoSuchOption

from agent_journal.errors import UsageError
from agent_journal.text.suggestions import near_words

_WITH_OPTIONAL_PART = re.compile(r"(\w+)\[.*")  # as FILE[:LINES]
_EXTRA = re.compile(r"Got unexpected extra arguments? \((.*)\)", re.DOTALL)
_ABSENT = re.compile(r"(File|Directory|Path) (.*) does not exist\.", re.DOTALL)
_KINDS = {"File": "file", "Directory": "folder", "Path": "file or folder"}


def usage_error(error: click.ClickException) -> UsageError:
    """Return an error of click as one of ours."""
    return UsageError(_message(error), _hint(error))


def _message(error: click.ClickException) -> str:
    if isinstance(error, NoSuchOption):
        return f"no option '{error.option_name}'"
    if isinstance(error, MissingParameter):
        return _missing(error)
    text = error.message
    absent = _ABSENT.fullmatch(text)
    if absent:
        text = f"there is no {_KINDS[absent[1]]} {absent[2]}"
    if isinstance(error, click.BadParameter):
        name = _name(error.param)
        if name:
            return f"{name}: {_plain(text)}"
    extra = _EXTRA.fullmatch(text)
    if extra:
        return f"unexpected argument: {extra[1]}"
    return _plain(text)


def _missing(error: MissingParameter) -> str:
    parameter = error.param
    text = f"{_name(parameter)} is missing"
    if parameter is not None and isinstance(parameter.type, click.Choice):
        text += f": one of {', '.join(map(str, parameter.type.choices))}"
    return text


def _name(parameter: click.Parameter | None) -> str:
    """The parameter as it is typed: the long name of an option, the word for an argument."""
    if parameter is None:
        return ""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    name = (parameter.metavar or (parameter.name or "").upper()).strip("[].")
    with_option = _WITH_OPTIONAL_PART.fullmatch(name)
    if with_option:
        return with_option[1]
    return name


def _plain(text: str) -> str:
    """A sentence of click as the rest of a line."""
    return text[:1].lower() + text[1:].removesuffix(".")


def _hint(error: click.ClickException) -> str | None:
    context = getattr(error, "ctx", None)
    if context is None:
        return None
    if isinstance(error, NoSuchOption):
        # Without the dashes, which would make --plot look like --month
        names = {name.lstrip("-"): name for one in context.command.params for name in one.opts}
        near = near_words(error.option_name.lstrip("-"), names, cutoff=0.6)
        if near:
            return f"did you mean '{names[near[0]]}'?"
    return f"see '{context.command_path} --help'"
