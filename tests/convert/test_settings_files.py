"""An entry in a settings file: nothing else changes, and the file comes back byte for byte."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_journal.convert.json_edits import edited
from agent_journal.convert.settings_entries import Entry, put_entry, remove_entry
from agent_journal.errors import ConfigError

SHAPES = {
    "nothing": "{}",
    "a line end": "{}\n",
    "space": "{ \n\n}\n",
    "one line": '{"a":1,"mcpServers":{"x":{"command":"y"}},"z":[1,2,3]}',
    "short lists": '{\n  "a": [1, 2, 3],\n  "b": {"c": 1}\n}\n',
    "empty servers": '{\n  "mcpServers": {},\n  "hooks": {}\n}\n',
    "tabs": '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
    "line ends of Windows": '{\r\n  "a": 1\r\n}\r\n',
    "escapes": '{\n  "a": "\\u00fc\\u2028 \\/ \\ud800"\n}\n',
    "numbers": '{\n  "a": 1.0,\n "b": 1e5,\n  "c": 100000000000000000000000, "d": 1.10\n}\n',
    "spaces": '{ "a" : 1 , "mcpServers" : { "x" : {} } }   \n\n',
}
TABLES = {
    "nothing": "",
    "a comment": "# mine\n",
    "no line end": 'model = "x"',
    "a table": 'model = "x"\n\n[mcp_servers.other]\ncommand = "x" # mine\n\n# about it\n[tui]\n',
    "tables on a line": 'mcp_servers = { other = { command = "x" } }\nmodel = "x"\n',
    "between others": '[mcp_servers.a]\ncommand = "x"\n[tui]\na = 1\n[mcp_servers.b]\na="z"\n',
    "an empty table": "[mcp_servers]\n# here\n",
    "lists of tables": "[[x]]\na = 1\n[[x]]\na = 2\n",
    "line ends of Windows": 'model = "x"\r\n# mine\r\n[tui]\r\na = 1\r\n',
}
VALUE = {"command": "/bin/aj", "args": ["mcp"], "env": {"AJ_HOME": "/j"}}


def entry_in(path: Path) -> Entry:
    names = ("mcp_servers", "agent-journal")
    if path.suffix == ".json":
        names = ("mcpServers", "agent-journal")
    return Entry(str(path), names, VALUE, ".before")


@pytest.mark.parametrize(
    ("name", "text"),
    [*(("x.json", text) for text in SHAPES.values()), *(("x.toml", t) for t in TABLES.values())],
)
def test_the_file_comes_back_byte_for_byte(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode())
    assert put_entry(entry_in(path))
    assert not put_entry(entry_in(path))
    assert path.read_bytes() != text.encode()
    assert remove_entry(entry_in(path))
    assert path.read_bytes() == text.encode()
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("shape", SHAPES)
def test_all_lines_stay_as_they_were_written(tmp_path: Path, shape: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(SHAPES[shape].encode())
    put_entry(entry_in(path))
    text = path.read_bytes().decode()
    assert json.loads(text)["mcpServers"]["agent-journal"] == VALUE
    for word in ("[1,2,3]", "[1, 2, 3]", '{"c": 1}', "\\u00fc\\u2028 \\/ \\ud800", "1e5", "1.10"):
        assert (word in text) == (word in SHAPES[shape])
    assert ("\r\n" in text) == ("\r\n" in SHAPES[shape])


def test_what_was_changed_since_stays(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a":[1,2]}')
    put_entry(entry_in(path))
    path.write_text(path.read_text().replace("[1,2]", "[1,  3]"))
    remove_entry(entry_in(path))
    assert path.read_text() == '{"a":[1,  3]}'
    assert os.listdir(tmp_path) == ["x.json"]


@pytest.mark.parametrize("text", ['mcp_servers.other.command = "x"\nmodel = "y"\n', "a = 1\n"])
def test_a_file_that_is_left_alone_has_no_copy(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    if "mcp_servers" not in text:
        path.chmod(0o444)
    with pytest.raises(ConfigError):
        put_entry(entry_in(path))
    assert os.listdir(tmp_path) == ["x.toml"]


def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.symlink_to(os.devnull)
    with pytest.raises(ConfigError, match="is not a file"):
        put_entry(entry_in(path))
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ConfigError, match="is not a file"):
        remove_entry(entry_in(path))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=3), below, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=3), VALUES, max_size=4)
LAYOUTS = st.sampled_from([None, 0, 2, "\t"])


@given(old=OBJECTS, new=OBJECTS, layout=LAYOUTS, ends=st.sampled_from(["\n", "\r\n"]))
def test_any_change_gives_the_new_values(
    old: dict[str, Any], new: dict[str, Any], layout: Any, ends: str
) -> None:
    text = json.dumps(old, indent=layout).replace("\n", ends)
    assert json.loads(edited(text, old, new)) == new
    assert edited(text, old, old) == text
