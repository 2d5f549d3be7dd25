from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agent_journal.config import loading as config
from agent_journal.config.loading import SETTINGS, load, set_value
from agent_journal.errors import ConfigError
from tests.support.paths import ROOT

DOCS = ROOT / "docs" / "config.md"
EXAMPLE = """\
# ~/.agent-journal/config.toml

[storage]
# Global index location (shared across all agents)
index_path = "~/.agent-journal/index"

# Per-agent source locations (auto-discovered if not specified)
[storage.sources]
copilot_cli = "~/.copilot-cli/sessions"
claude_code = "~/.claude/projects"
cursor = "~/.cursor/conversations"      # Platform-specific
aider = "**/.aider.chat.history.md"     # Glob pattern

[index]
# Search engine settings
lucene_ram_buffer_mb = 64
vector_precision = "f16"                 # f16 (compact) or f32 (precise)

[index.vector]
# Vector search settings
enabled = true
model_path = "~/.chats/models"          # ONNX model location
fallback = "hash"                        # "hash" or "none" when model absent

[search]
# Default search behavior
default_mode = "hybrid"                  # lexical, semantic, hybrid
default_context = 3                      # Messages before/after match
max_results = 20

[export]
# Export defaults
default_format = "html"
html_theme = "dark"                      # dark, light, auto
include_tool_calls = true
"""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def write(env: dict[str, str], text: str | bytes) -> str:
    path = Path(config.home(env)) / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


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
    write(env, EXAMPLE)
    found = load(env)
    assert found.warnings == []
    assert found.index_path == str(tmp_path / ".agent-journal" / "index")
    assert found.sources("copilot-cli") == [str(tmp_path / ".copilot-cli" / "sessions")]
    assert found.sources("aider") == ["**/.aider.chat.history.md"]
    assert found.get("index.vector.model_path") == "~/.chats/models"
    assert found.origin("search.max_results") == "config.toml"
    assert found.origin("storage.sources.vscode") == "default"


def test_variables_win_over_the_file(env: dict[str, str]) -> None:
    write(env, '[search]\nmax_results = 5\ndefault_mode = "lexical"\n')
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
    write(
        env,
        '[storage.sources]\nclaude_code = ["~/.claude", "$WORK/.claude", "${NOT_SET}/x"]\ncursor = []\n',
    )
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
    write(env, '[storage]\nindex_path = "fast/index"\n')
    assert load(env).index_path == str(tmp_path / ".agent-journal" / "fast" / "index")
    assert load(env | {"AJ_INDEX_PATH": "~/i"}).index_path == str(tmp_path / "i")
    assert load(env | {"AJ_INDEX_PATH": "i"}).index_path == str(Path.cwd() / "i")


# -- warnings ----------------------------------------------------------------------------------


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
    path = write(env, text)
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


# -- errors ------------------------------------------------------------------------------------


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
    path = write(env, text)
    with pytest.raises(ConfigError) as caught:
        load(env)
    assert caught.value.message == f"{path}: {key} cannot be {shown}"
    assert caught.value.hint == f"Accepted: {accepted}."
    assert caught.value.exit_code == 2


def test_a_value_where_a_section_belongs(env: dict[str, str]) -> None:
    path = write(env, "search = 3\n")
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
    assert str(caught.value.hint).startswith("Accepted: ")


@pytest.mark.parametrize("text", ["true", "YES", "on", "1", " True "])
def test_yes_in_a_variable(text: str, env: dict[str, str]) -> None:
    assert (
        load(env | {"AJ_EXPORT_INCLUDE_TOOL_CALLS": text}).get("export.include_tool_calls") is True
    )


@pytest.mark.parametrize(
    ("text", "line", "cure"),
    [
        ("[search]\nmax_results 20\n", 2, "Correct that line"),
        ("[search]\nmax_results = ", 2, "Correct that line"),
        ('[search]\n\ndefault_mode = "hyb', 3, "Correct that line"),
        ("[search]\nmax_results = " + "9" * 5000, 2, "Correct that line"),
        ('[storage]\nindex_path = "C:\\Users\\me"\n', 2, "single quotes"),
    ],
)
def test_invalid_toml_names_the_line_and_the_cure(
    text: str, line: int, cure: str, env: dict[str, str]
) -> None:
    path = write(env, text)
    with pytest.raises(ConfigError) as caught:
        load(env)
    assert caught.value.message.startswith(f"{path}, line {line}: not valid TOML: ")
    assert cure in str(caught.value.hint)


def test_files_that_cannot_be_read(env: dict[str, str]) -> None:
    path = write(env, b"[search]\n# caf\xe9\n")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load(env)
    os.unlink(path)
    os.mkdir(path)
    with pytest.raises(ConfigError, match="cannot be read") as caught:
        load(env)
    assert path in caught.value.message


def test_a_byte_order_mark_is_no_mistake(env: dict[str, str]) -> None:
    write(env, b"\xef\xbb\xbf[search]\r\nmax_results = 5\r\n")
    assert load(env).get("search.max_results") == 5


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


# -- documentation and cost --------------------------------------------------------------------


def shown(value: config.Value) -> str:
    return "" if value is None else f"`{json.dumps(value)}`"


def test_the_docs_list_every_setting_as_it_is() -> None:
    rows = re.findall(r"^\| `([a-z_0-9.]+)` \| (.*?) \| (.*?) ?\| (.*) \|$", DOCS.read_text(), re.M)
    documented = {key: (variables, default, meaning) for key, variables, default, meaning in rows}
    assert len(documented) == len(rows)
    expected = {}
    for key, setting in SETTINGS.items():
        choices = (
            f" One of {', '.join(f'`{one}`' for one in setting.choices)}."
            if setting.choices
            else ""
        )
        variables = ", ".join(f"`{name}`" for name in setting.variables)
        expected[key] = (variables, shown(setting.default), setting.meaning + choices)
    assert documented == expected


def test_the_docs_list_the_special_variables() -> None:
    rows = re.findall(r"^\| `(AJ_\w+)` \| (.*) \|$", DOCS.read_text(), re.M)
    assert dict(rows) == config.SPECIAL_VARIABLES


@pytest.mark.parametrize("has_file", [False, True])
def test_reading_settings_imports_little(
    has_file: bool, env: dict[str, str], tmp_path: Path
) -> None:
    if has_file:
        write(env, EXAMPLE)
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
