"""Settings: where they come from, and what they mean."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agent_journal.config import loading as config
from agent_journal.config.loading import load
from agent_journal.config.settings import SETTINGS, SPECIAL_VARIABLES, Value
from agent_journal.store.settings_file import set_value
from tests.support.config_files import EXAMPLE, write_config
from tests.support.paths import ROOT

DOCS = ROOT / "docs" / "config.md"


# -- where things are --------------------------------------------------------------------------


def test_home_is_in_the_home_folder_unless_moved(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    assert config.home(env) == str(tmp_path / ".agent-journal")
    assert config.home(env | {"AJ_HOME": "~/j"}) == str(tmp_path / "j")
    assert config.home(env | {"AJ_HOME": "$HOME/k"}) == str(tmp_path / "k")
    assert config.home(env | {"AJ_HOME": ""}) == str(tmp_path / ".agent-journal")
    assert config.home(env | {"AJ_HOME": "here"}) == str(Path.cwd() / "here")


def test_the_other_folders_follow_home(env: dict[str, str], tmp_path: Path) -> None:
    env["AJ_HOME"] = str(tmp_path / "j")
    found = load(env)
    assert found.home == str(tmp_path / "j")
    assert found.index_path == str(tmp_path / "j" / "index")
    assert found.archive_path == str(tmp_path / "j" / "archive")
    assert found.config_path == str(tmp_path / "j" / "config.toml")
    assert found.get("storage.index_path") == found.index_path
    assert not (tmp_path / "j").exists(), "reading settings must not create anything"


def test_load_reads_the_real_environment_by_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AJ_HOME", str(tmp_path))
    monkeypatch.setenv("AJ_SEARCH_MAX_RESULTS", "7")
    assert load().home == str(tmp_path)
    assert load().get("search.max_results") == 7


# -- the order of origins ----------------------------------------------------------------------


def test_defaults(env: dict[str, str]) -> None:
    found = load(env)
    assert found.warnings == []
    for key, setting in SETTINGS.items():
        assert found.origin(key) == "default"
        if key != "storage.index_path":
            assert found.get(key) == setting.default
    assert found.sources("claude-code") is None


def test_the_documented_example_loads_without_warning(env: dict[str, str], tmp_path: Path) -> None:
    write_config(env, EXAMPLE)
    found = load(env)
    assert found.warnings == []
    assert found.index_path == str(tmp_path / ".agent-journal" / "index")
    assert found.sources("copilot-cli") == [str(tmp_path / ".copilot-cli" / "sessions")]
    assert found.sources("aider") == ["**/.aider.chat.history.md"]
    assert found.get("index.vector.model_path") == "~/.chats/models"
    assert found.origin("search.max_results") == "config.toml"
    assert found.origin("storage.sources.vscode") == "default"


def test_variables_win_over_the_file(env: dict[str, str]) -> None:
    write_config(env, '[search]\nmax_results = 5\ndefault_mode = "lexical"\n')
    found = load(env | {"AJ_SEARCH_MAX_RESULTS": "9", "AJ_SEARCH_DEFAULT_MODE": ""})
    assert (found.get("search.max_results"), found.origin("search.max_results")) == (
        9,
        "AJ_SEARCH_MAX_RESULTS",
    )
    assert (found.get("search.default_mode"), found.origin("search.default_mode")) == (
        "lexical",
        "config.toml",
    )


SAMPLE_TEXT = {"path": "/x", "paths": "/x", "text": "x", "int": "12", "bool": "false"}


@pytest.mark.parametrize("key", SETTINGS)
def test_every_setting_has_variables_and_file(key: str, env: dict[str, str]) -> None:
    setting = SETTINGS[key]
    text = setting.choices[-1] if setting.kind == "choice" else SAMPLE_TEXT[setting.kind]
    expected = {"int": 12, "bool": False}.get(setting.kind, text)
    for name in setting.variables:
        found = load(env | {name: text})
        assert (found.get(key), found.origin(key), found.warnings) == (expected, name, [])
    set_value(load(env).config_path, key, text)
    found = load(env)
    assert (found.get(key), found.origin(key), found.warnings) == (expected, "config.toml", [])


def test_the_short_variable_wins_over_the_long_one(env: dict[str, str]) -> None:
    found = load(env | {"AJ_CLAUDE_PATH": "/short", "AJ_STORAGE_SOURCES_CLAUDE_CODE": "/long"})
    assert found.sources("claude-code") == ["/short"]
    assert found.origin("storage.sources.claude_code") == "AJ_CLAUDE_PATH"


# -- paths -------------------------------------------------------------------------------------


def test_sources_from_the_file(env: dict[str, str], tmp_path: Path) -> None:
    text = (
        "[storage.sources]\n"
        'claude_code = ["~/.claude", "$WORK/.claude", "${NOT_SET}/x"]\n'
        "cursor = []\n"
    )
    write_config(env, text)
    found = load(env | {"WORK": "/work"})
    unset = str(tmp_path / ".agent-journal/${NOT_SET}/x")
    assert found.sources("claude-code") == [str(tmp_path / ".claude"), "/work/.claude", unset]
    assert found.warnings == [
        "storage.sources.claude_code: a variable in '${NOT_SET}/x' is not set."
    ]
    assert found.sources("cursor") == []
    assert found.sources("copilot-cli") is None
    assert found.sources("no-such-agent") is None


def test_sources_from_a_variable_may_be_several(env: dict[str, str], tmp_path: Path) -> None:
    found = load(env | {"AJ_COPILOT_PATH": os.pathsep.join(["~/.copilot", "/b", ""])})
    assert found.sources("copilot-cli") == [str(tmp_path / ".copilot"), "/b"]


def test_index_path_is_absolute(env: dict[str, str], tmp_path: Path) -> None:
    write_config(env, '[storage]\nindex_path = "fast/index"\n')
    assert load(env).index_path == str(tmp_path / ".agent-journal" / "fast" / "index")
    assert load(env | {"AJ_INDEX_PATH": "~/i"}).index_path == str(tmp_path / "i")
    assert load(env | {"AJ_INDEX_PATH": "i"}).index_path == str(Path.cwd() / "i")


@pytest.mark.parametrize("text", ["true", "YES", "on", "1", " True "])
def test_yes_in_a_variable(text: str, env: dict[str, str]) -> None:
    assert (
        load(env | {"AJ_EXPORT_INCLUDE_TOOL_CALLS": text}).get("export.include_tool_calls") is True
    )


def test_a_byte_order_mark_is_accepted(env: dict[str, str]) -> None:
    write_config(env, b"\xef\xbb\xbf[search]\r\nmax_results = 5\r\n")
    assert load(env).get("search.max_results") == 5


# -- documentation and cost --------------------------------------------------------------------


def shown(value: Value) -> str:
    if value is None:
        return ""
    return f"`{json.dumps(value)}`"


def test_the_docs_list_every_setting_as_it_is() -> None:
    rows = re.findall(r"^\| `([a-z_0-9.]+)` \| (.*?) \| (.*?) ?\| (.*) \|$", DOCS.read_text(), re.M)
    documented = {key: (variables, default, meaning) for key, variables, default, meaning in rows}
    assert len(documented) == len(rows)
    expected = {}
    for key, setting in SETTINGS.items():
        choices = ""
        if setting.choices:
            choices = f" One of {', '.join(f'`{choice}`' for choice in setting.choices)}."
        variables = ", ".join(f"`{name}`" for name in setting.variables)
        expected[key] = (variables, shown(setting.default), setting.meaning + choices)
    assert documented == expected


def test_the_docs_list_the_special_variables() -> None:
    rows = re.findall(r"^\| `(AJ_\w+)` \| (.*) \|$", DOCS.read_text(), re.M)
    assert dict(rows) == SPECIAL_VARIABLES


@pytest.mark.parametrize("has_file", [False, True])
def test_reading_settings_imports_little(
    has_file: bool, env: dict[str, str], tmp_path: Path
) -> None:
    if has_file:
        write_config(env, EXAMPLE)
    code = "import sys; import typing, agent_journal; before = set(sys.modules); "
    code += (
        "from agent_journal.config.loading import load; load(); print(*(set(sys.modules) - before))"
    )
    package = str(Path(config.__file__).parent.parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**env, "PYTHONPATH": package},
        capture_output=True,
        text=True,
        check=True,
    )
    allowed = {
        "agent_journal.config",
        "agent_journal.config.loading",
        "agent_journal.errors",
        "agent_journal.config.settings",
        "agent_journal.config.values",
        "agent_journal.text",
        "agent_journal.text.suggestions",
        "__future__",
    }
    if has_file:
        loaded = {
            name
            for name in done.stdout.split()
            if not name.startswith(("tomllib", "string", "datetime"))
        }
        assert not loaded & {"tomlkit", "difflib", "pathlib", "dataclasses", "msgspec"}
    else:
        assert set(done.stdout.split()) <= allowed


def test_the_folder_of_vs_code_can_be_set(tmp_path: Path) -> None:
    """The setting is called vscode, the connector vscode-chat."""
    found = load({"HOME": str(tmp_path), "AJ_VSCODE_PATH": "/a:/b"})
    assert found.sources("vscode-chat") == ["/a", "/b"]
    assert found.sources("vscode-export") is None
