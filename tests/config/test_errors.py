"""Mistakes in config.toml and in variables: an error or a warning that says what to do."""

from __future__ import annotations

import os

import pytest

from agent_journal.config.loading import load
from agent_journal.errors import ConfigError
from agent_journal.store.settings_file import set_value
from tests.support.config_files import write_config


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            "[search]\nmax_result = 5\n",
            "unknown setting search.max_result; did you mean 'search.max_results'?",
        ),
        ("[serch]\nmax_results = 5\n", "unknown section serch; did you mean 'search'?"),
        (
            "[index.vectors]\nenabled = true\n",
            "unknown section index.vectors; did you mean 'index.vector'?",
        ),
        ("zzz = 1\n", "unknown setting zzz"),
    ],
)
def test_unknown_names_in_the_file_are_warnings(
    text: str, warning: str, env: dict[str, str]
) -> None:
    path = write_config(env, text)
    assert load(env).warnings == [f"{path}: {warning}"]


def test_unknown_variables_are_warnings(env: dict[str, str]) -> None:
    env |= {
        "AJ_SERCH_MAX_RESULTS": "5",
        "AJ_XQZ": "1",
        "AJ_DEBUG": "1",
        "AJ_HOME": env["HOME"],
        "OTHER": "1",
    }
    assert load(env).warnings == [
        "unknown variable AJ_SERCH_MAX_RESULTS; did you mean 'AJ_SEARCH_MAX_RESULTS'?",
        "unknown variable AJ_XQZ",
    ]


@pytest.mark.parametrize(
    ("text", "key", "shown", "accepted"),
    [
        (
            '[search]\nmax_results = "20"\n',
            "search.max_results",
            "'20'",
            "a whole number, 1 or more",
        ),
        ("[search]\nmax_results = 0\n", "search.max_results", "0", "a whole number, 1 or more"),
        (
            "[search]\nmax_results = true\n",
            "search.max_results",
            "true",
            "a whole number, 1 or more",
        ),
        (
            "[search]\ndefault_context = -1\n",
            "search.default_context",
            "-1",
            "a whole number, 0 or more",
        ),
        (
            '[search]\ndefault_mode = "fuzzy"\n',
            "search.default_mode",
            "'fuzzy'",
            "lexical, semantic, hybrid",
        ),
        (
            '[export]\ninclude_tool_calls = "yes"\n',
            "export.include_tool_calls",
            "'yes'",
            "true or false",
        ),
        ("[export]\ninclude_tool_calls = 1\n", "export.include_tool_calls", "1", "true or false"),
        ("[storage]\nindex_path = 3\n", "storage.index_path", "3", "a path"),
        ('[storage]\nindex_path = ""\n', "storage.index_path", "''", "a path"),
        (
            "[storage.sources]\nclaude_code = [1]\n",
            "storage.sources.claude_code",
            "[1]",
            "a path or a list of paths",
        ),
        (
            "[search.max_results]\nx = 1\n",
            "search.max_results",
            "{'x': 1}",
            "a whole number, 1 or more",
        ),
    ],
)
def test_a_wrong_value_names_file_key_and_what_is_accepted(
    text: str, key: str, shown: str, accepted: str, env: dict[str, str]
) -> None:
    path = write_config(env, text)
    with pytest.raises(ConfigError) as caught:
        load(env)
    assert caught.value.message == f"{path}: {key} cannot be {shown}"
    assert caught.value.hint == f"accepted: {accepted}"
    assert caught.value.exit_code == 2


def test_a_value_where_a_section_belongs(env: dict[str, str]) -> None:
    path = write_config(env, "search = 3\n")
    with pytest.raises(ConfigError, match="search is a section, not a value") as caught:
        load(env)
    assert path in caught.value.message
    assert "search.default_mode" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("AJ_SEARCH_MAX_RESULTS", "many"),
        ("AJ_SEARCH_MAX_RESULTS", "9" * 5000),
        ("AJ_SEARCH_DEFAULT_MODE", "fuzzy"),
        ("AJ_INDEX_VECTOR_ENABLED", "maybe"),
    ],
)
def test_a_wrong_variable_is_named(name: str, text: str, env: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=f"^{name} cannot be '{text}'") as caught:
        load(env | {name: text})
    assert str(caught.value.hint).startswith("accepted: ")


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [
        ("[search]\nmax_results 20\n", 2, "Correct that line"),
        ("[search]\nmax_results = ", 2, "Correct that line"),
        ('[search]\n\ndefault_mode = "hyb', 3, "Correct that line"),
        ("[search]\nmax_results = " + "9" * 5000, 2, "Correct that line"),
        ('[storage]\nindex_path = "C:\\Users\\me"\n', 2, "single quotes"),
    ],
)
def test_invalid_toml_is_reported_with_its_line_and_a_hint(
    text: str, line: int, hint: str, env: dict[str, str]
) -> None:
    path = write_config(env, text)
    with pytest.raises(ConfigError) as caught:
        load(env)
    assert caught.value.message.startswith(f"{path}, line {line}: not valid TOML: ")
    assert hint in str(caught.value.hint)


def test_files_that_cannot_be_read(env: dict[str, str]) -> None:
    path = write_config(env, b"[search]\n# caf\xe9\n")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load(env)
    os.unlink(path)
    os.mkdir(path)
    with pytest.raises(ConfigError, match="cannot be read") as caught:
        load(env)
    assert path in caught.value.message


def test_an_unknown_setting_gets_the_nearest_spelling(env: dict[str, str]) -> None:
    for call in (
        load(env).get,
        load(env).origin,
        lambda key: set_value(load(env).config_path, key, "1"),
    ):
        with pytest.raises(ConfigError, match=r"no setting 'search\.max_result'") as caught:
            call("search.max_result")
        assert caught.value.hint == "did you mean 'search.max_results'?"
    assert not os.path.exists(load(env).home)
