"""Which files of Cline, Roo Code and Kilo Code are found, and which never are."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import Env, FoundFile
from agent_journal.convert.resuming import Command, command
from agent_journal.sync.recognition import NotRecognised, recognise
from tests.support.journals import aj, aj_json
from tests.support.paths import CASES

FAMILY = ("cline", "roo-code", "kilo-code")
SECRET = "sk-ant-never-archived"
ROO = Path(".config/Code/User/globalStorage")


def env(home: Path, **variables: str) -> Env:
    return Env(str(home), variables, "linux")


def test_a_machine_without_them_has_one_place_to_look_at(tmp_path: Path) -> None:
    storage = tmp_path / ".config/Code/User/globalStorage"
    roo = str(storage / "rooveterinaryinc.roo-cline")
    assert get_connector("roo-code").roots(env(tmp_path)) == [roo]
    kilo = str(storage / "kilocode.kilo-code")
    assert get_connector("kilo-code").roots(env(tmp_path)) == [kilo]
    assert get_connector("cline").roots(env(tmp_path)) == [str(tmp_path / ".cline/data")]
    for agent in FAMILY:
        connector = get_connector(agent)
        assert [*connector.discover(connector.roots(env(tmp_path))[0])] == []


def test_each_is_looked_for_in_every_editor(tmp_path: Path) -> None:
    for editor, extension in [
        ("VSCodium", "rooveterinaryinc.roo-cline"),
        ("Cursor", "rooveterinaryinc.roo-code-nightly"),
        ("Windsurf", "saoudrizwan.claude-dev"),
    ]:
        (tmp_path / ".config" / editor / "User/globalStorage" / extension).mkdir(parents=True)
    users = [str(tmp_path / ".config" / name / "User") for name in ("VSCodium", "Cursor")]
    assert get_connector("roo-code").roots(env(tmp_path)) == users
    assert get_connector("cline").roots(env(tmp_path)) == [
        str(tmp_path / ".config/Windsurf/User"),
        str(tmp_path / ".cline/data"),
    ]


@pytest.mark.parametrize(
    ("variables", "root"),
    [
        ({"CLINE_DIR": "/c"}, "/c/data"),
        ({"CLINE_DIR": "/c", "CLINE_DATA_DIR": "/d"}, "/d"),
        ({"CLINE_DATA_DIR": "/d", "CLINE_SESSION_DATA_DIR": "/s/sessions"}, "/s"),
    ],
)
def test_the_environment_moves_the_folder_of_cline(variables: dict[str, str], root: str) -> None:
    assert get_connector("cline").roots(env(Path("/nowhere"), **variables)) == [root]


def test_a_configured_path_may_be_around_or_below(tmp_path: Path) -> None:
    (tmp_path / ".cline/data/tasks").mkdir(parents=True)
    data = str(tmp_path / ".cline/data")
    normalize = get_connector("cline").normalize_root
    assert normalize(str(tmp_path / ".cline")) == data
    assert normalize(data + "/tasks/") == data
    assert normalize("/x/User/globalStorage") == "/x/User"
    assert normalize("/moved/storage") == "/moved/storage"


def test_files_with_keys_are_never_listed() -> None:
    found = []
    for agent, root in [
        ("cline", "cline/tasks/home/.cline/data"),
        ("roo-code", "roo_code/tasks/home/.config/Code/User"),
    ]:
        found += [str(file.path) for file in get_connector(agent).discover(str(CASES / root))]
    assert found
    assert not [path for path in found if "settings" in path or "secrets" in path]


def write_state(home: Path, tasks: list[dict[str, str]]) -> None:
    (home / ROO).mkdir(parents=True, exist_ok=True)
    value = json.dumps({"apiKey": SECRET, "taskHistory": tasks})
    with closing(sqlite3.connect(home / ROO / "state.vscdb")) as db, db:
        db.execute("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        db.execute("INSERT INTO ItemTable VALUES ('rooveterinaryinc.roo-cline', ?)", (value,))


def write_task(home: Path, task: str, text: str) -> None:
    folder = home / ROO / "rooveterinaryinc.roo-cline/tasks" / task
    folder.mkdir(parents=True)
    entry = {"ts": 1763000000000, "type": "say", "say": "text", "text": text}
    (folder / "ui_messages.json").write_text(json.dumps([entry]))


def test_of_the_database_only_the_list_of_tasks_is_kept(tmp_path: Path) -> None:
    tasks = [{"id": "t1", "workspace": "/home/sam/plum", "parentTaskId": "t0", "mode": "code"}]
    write_state(tmp_path, tasks)
    write_task(tmp_path, "t0", "Split it.")
    write_task(tmp_path, "t1", "Write plum.py.")
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    session, child = aj_json(tmp_path, "ls", "--agent", "roo-code")["items"]
    assert (session["id"], session["sub_agents"], child["id"]) == ("t0", 1, "t1")
    assert (child["parent_id"], child["project_path"]) == ("t0", "/home/sam/plum")
    assert child["agent_name"] == "code"
    restored = tmp_path / "restored"
    assert aj(tmp_path, "restore", "--all", "-o", str(restored)).returncode == 0
    kept = [path.read_text() for path in restored.rglob("*state.vscdb*")]
    assert [json.loads(text) for text in kept] == [tasks]
    assert SECRET not in "".join(path.read_text() for path in restored.rglob("*.json"))


def test_what_was_restored_is_found_again(tmp_path: Path) -> None:
    write_state(tmp_path, [{"id": "t1", "workspace": "/home/sam/plum"}])
    write_task(tmp_path, "t1", "Write plum.py.")
    (tmp_path / ROO / "state.vscdb").rename(tmp_path / "elsewhere")
    name = "state.vscdb#rows-roo-code-tasks.json"
    (tmp_path / ROO / name).write_text('[{"id":"t1","workspace":"/home/sam/plum"}]\n')
    (tmp_path / ROO / "state.vscdb#rows-cline-tasks.json").write_text("[]")
    found = get_connector("roo-code").discover(str(tmp_path / ".config/Code/User"))
    names = [file.name for file in found if isinstance(file, FoundFile)]
    assert [name for name in names if "#rows" in name] == [f"globalStorage/{name}"]


def test_files_are_recognised_when_they_are_imported(tmp_path: Path) -> None:
    home = CASES / "cline/store/home/.cline/data/sessions/1794831962392_twzbl"
    (session,) = home.glob("1794831962392_twzbl.messages.json")
    assert recognise(str(session))[:3] == ("cline", "session", "1794831962392_twzbl")
    task = CASES / "cline/tasks/home/.cline/data/tasks/1763000000000"
    assert recognise(str(task / "ui_messages.json"))[:3] == ("cline", "session", task.name)
    sent = recognise(str(task / "api_conversation_history.json"))
    assert sent[:3] == ("cline", "session", task.name)
    (roo,) = CASES.glob("roo_code/tasks/home/.config/**/*2/ui_messages.json")
    assert recognise(str(roo))[:3] == ("roo-code", "session", roo.parent.name)
    other = tmp_path / "task_metadata.json"
    other.write_text((task / "task_metadata.json").read_text())
    with pytest.raises(NotRecognised):
        recognise(str(other))


def test_only_sessions_of_the_command_line_have_a_command() -> None:
    found = command("cline", "1794831962392_twzbl", "/home/sam/orchard")
    assert found == Command(("cline", "--id", "1794831962392_twzbl"), "/home/sam/orchard")
    assert command("cline", "1763000000000", None) is None
    assert command("roo-code", "0199a000-0000-7000-8000-000000000001", None) is None
    why = get_connector("cline").why_not_resumable
    assert why("1763000000000", ["tasks/1763000000000/ui_messages.json"])
    assert why("1794831962392_twzbl", ["sessions/1794831962392_twzbl/a.messages.json"]) is None
