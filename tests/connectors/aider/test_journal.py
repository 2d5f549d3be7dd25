"""Aider's histories in a journal: sync, import, restore."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from tests.support.aider_histories import CHAT, RUN, history, project
from tests.support.journals import aj, aj_json, journal_digest, open_journal, write_claude


def test_projects_of_other_agents_are_looked_in_at_once(tmp_path: Path) -> None:
    work = tmp_path / "work/app"
    history(work)
    transcript = write_claude(tmp_path)
    transcript.write_text(transcript.read_text().replace("/work/app", str(work)))
    assert aj(tmp_path, "sync", cwd=tmp_path).returncode == 0
    assert {item["agent"] for item in aj_json(tmp_path, "ls")["items"]} == {"claude-code", "aider"}
    shutil.rmtree(tmp_path / ".claude")
    history(work, RUN + "#### hello  \n\nHi.\n")
    done = aj(tmp_path, "sync", cwd="/")
    assert "1 file read (5 B" in done.stderr
    (work / CHAT).unlink()
    assert "1 file deleted by the agent" in aj(tmp_path, "sync", cwd="/").stderr
    assert aj(tmp_path, "verify").returncode == 0


def test_doctor_and_sources_say_where_they_looked(tmp_path: Path) -> None:
    here = tmp_path / "here"
    history(tmp_path / "known")
    here.mkdir()
    assert "Aider\n  no files in ~, ~/here\n" in aj(tmp_path, "doctor", "-v", cwd=here).stdout
    assert "no agent's folder was found" in aj(tmp_path, "doctor", cwd=here).stdout
    aj(tmp_path, "sync", cwd=tmp_path / "known")
    for command in (["doctor", "-v"], ["sources"]):
        text = aj(tmp_path, *command, cwd=here).stdout
        assert "  ~/known" in text
        assert "  no files in ~, ~/here\n" in text
        assert "other folders: aj config set storage.sources.aider '~/src'\n" in text
        there = aj(tmp_path, *command, cwd=here, env={"AJ_AIDER_PATH": "~"}).stdout
        assert "Aider" in there
        assert "other folders" not in there
    roots = next(
        item for item in aj_json(tmp_path, "sources", cwd=here)["items"] if item["agent"] == "aider"
    )["roots"]
    assert [root["exists"] for root in roots] == [True, True, True]


def test_the_setting_acts(tmp_path: Path) -> None:
    history(tmp_path / "src/a")
    history(tmp_path / "src/b")
    history(tmp_path / "other")
    env = {"AJ_AIDER_PATH": f"~/src/*/{CHAT}"}
    assert "2 sessions, 2 new" in aj(tmp_path, "sync", env=env, cwd=tmp_path / "other").stderr
    assert (
        "the settings do not name it"
        in aj(tmp_path, "doctor", env=env, cwd=tmp_path / "other").stdout
    )
    assert "3 sessions, 1 new" in aj(tmp_path, "sync", env={"AJ_AIDER_PATH": "~"}, cwd="/").stderr
    assert "3 sessions, 0 new\n" in aj(tmp_path, "sync", env={"AJ_AIDER_PATH": "~"}, cwd="/").stderr
    assert aj(tmp_path, "verify").returncode == 0


def test_the_journal_reads_in_parts_as_at_once(tmp_path: Path) -> None:
    data = b"".join(
        (project(case) / CHAT).read_bytes() for case in ("conversation", "edits", "traps", "old")
    )
    folder = tmp_path / "p"
    folder.mkdir()
    rng = random.Random(11)
    parts, once = {"AJ_HOME": str(tmp_path / "parts")}, {"AJ_HOME": str(tmp_path / "once")}
    with open_journal(tmp_path, **parts, AJ_AIDER_PATH=str(folder)) as journal:
        for end in [*sorted(rng.sample(range(len(data)), 12)), len(data)]:
            (folder / CHAT).write_bytes(data[:end])
            journal.sync()
    with open_journal(tmp_path, **once, AJ_AIDER_PATH=str(folder)) as journal:
        journal.sync()
    assert journal_digest(tmp_path, **parts) == journal_digest(tmp_path, **once)


def test_histories_are_imported_by_what_is_in_them(tmp_path: Path) -> None:
    folder = tmp_path / "old laptop"
    files = {
        "saved.md": RUN + "#### hello  \n",
        "typed.txt": "# 2026-11-02 09:15:12.345678\n+hello\n",
    }
    for name, text in files.items():
        history(folder, text, name)
    history(folder / "app", "cut off\n\n#### hello  \n")
    assert aj(tmp_path, "import", *(str(folder / name) for name in files)).returncode == 0
    assert aj(tmp_path, "import", str(folder)).returncode == 0
    again = aj_json(tmp_path, "import", str(folder / "app"), str(folder / "saved.md"))["items"]
    assert [(item["agent"], item["status"]) for item in again] == [("aider", "known")] * 2
    assert len(aj_json(tmp_path, "ls")["items"]) == 2
    assert aj(tmp_path, "verify").returncode == 0
    assert (
        aj(tmp_path, "import", str(history(folder, "# A title\n\ntext\n", "readme.md"))).returncode
        == 1
    )


def test_a_folder_and_a_file_imported_as_aiders(tmp_path: Path) -> None:
    history(tmp_path / "old/app", RUN + "#### hello\n\nHi.\n")
    odd = history(tmp_path, "Hi.\n\n#### and now?\n\nNow this.\n", "cut.md")
    done = aj_json(tmp_path, "import", str(tmp_path / "old"), str(odd), "--as", "aider")["items"]
    assert [item["status"] for item in done] == ["new", "new"]
    rows = (
        open_journal(tmp_path)
        .db.execute("SELECT root, name, role FROM files ORDER BY name")
        .fetchall()
    )
    assert rows == [(str(tmp_path / "old"), f"app/{CHAT}", "log"), (str(tmp_path), "cut.md", "log")]
    assert aj(tmp_path, "verify").returncode == 0


def test_one_run_of_several_is_given_back(tmp_path: Path) -> None:
    second = RUN.replace("09:15", "10:15") + "#### second  \n"
    path = history(tmp_path / "p", "cut off\n" + RUN + "#### first  \n" + second)
    aj(tmp_path, "sync", cwd=tmp_path / "p")
    ids = {item["title"]: item["id"] for item in aj_json(tmp_path, "ls")["items"]}
    raw = {title: aj(tmp_path, "show", session, "--raw").stdout for title, session in ids.items()}
    assert raw == {None: "cut off\n\n", "first": RUN[1:] + "#### first  \n\n", "second": second[1:]}
    aj(tmp_path, "restore", ids["second"], "--output", str(tmp_path / "back"))
    assert (tmp_path / "back/p" / CHAT).read_bytes() == path.read_bytes()
