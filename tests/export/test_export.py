"""`aj export`: which files are written, where, and what is never done."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from agent_journal.export.formats import page_path
from agent_journal.export.names import file_name
from tests.support.journals import aj, aj_json, claude_line, write_claude

KEY = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for session in ("s1", "s2", "s3"):
        write_claude(tmp_path, session)
    path = tmp_path / ".claude/projects/-work-app/s1.jsonl"
    call = {
        "type": "tool_use",
        "id": "t1",
        "name": "Bash",
        "input": {"command": f"cat /home/sam/.env # {KEY}"},
    }
    asked = claude_line("assistant", 4, "", "s1")
    asked["message"]["content"] = [call]
    answered = claude_line("user", 5, "", "s1")
    answered["message"]["content"] = [
        {"type": "tool_result", "tool_use_id": "t1", "content": f"KEY={KEY}"}
    ]
    with path.open("a") as out:
        out.writelines(json.dumps(line) + "\n" for line in (asked, answered))
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    return tmp_path


def test_the_suffix_selects_the_format(home: Path) -> None:
    for name, start in (
        ("a.html", "<!doctype html>"),
        ("a.htm", "<!doctype html>"),
        ("a.md", "---\nagent"),
        ("a.json", '{"format":'),
        ("a.jsonl", '{"format":'),
    ):
        assert aj(home, "export", "s2", "-o", str(home / name)).returncode == 0
        assert (home / name).read_text().startswith(start)
        assert stat.S_IMODE((home / name).stat().st_mode) == 0o600
    assert aj(home, "export", "s2", "-f", "json", "-o", str(home / "b.md")).returncode == 0
    assert (home / "b.md").read_text().startswith("{")


def test_without_a_name_it_goes_to_the_working_folder(home: Path) -> None:
    (home / "out").mkdir()
    done = aj(home, "export", "s2", cwd=home / "out")
    assert done.returncode == 0
    assert [path.name for path in (home / "out").iterdir()] == ["user-text-0-of-s2-s2.html"]
    assert "HTML" in done.stderr


def test_the_settings_act(home: Path) -> None:
    for value, start in (
        ("html", "<!doctype"),
        ("markdown", "---"),
        ("json", '{"format"'),
        ("jsonl", '{"format"'),
    ):
        done = aj(home, "export", "s1", "-o", "-", env={"AJ_EXPORT_DEFAULT_FORMAT": value})
        assert done.stdout.startswith(start)
        assert done.stderr == ""
    without = {"AJ_EXPORT_INCLUDE_TOOL_CALLS": "no"}
    page = aj(home, "export", "s1", "-f", "md", "-o", "-", env=without).stdout
    assert "Bash" not in page
    assert "assistant text 3" in page
    whole = json.loads(aj(home, "export", "s1", "-f", "json", "-o", "-", env=without).stdout)
    assert whole["left_out"] == ["tool_calls"]
    assert not any(message.get("tool_calls") for message in whole["sessions"][0]["messages"])


def test_secrets_are_taken_out_of_pages_and_left_in_json(home: Path) -> None:
    def printed(*args: str) -> str:
        return aj(home, "export", "s1", "-o", "-", *args).stdout

    for form in ("html", "md"):
        assert KEY not in printed("-f", form)
        assert "[redacted github-token]" in printed("-f", form)
        assert "/home/sam" not in printed("-f", form)
        assert KEY in printed("-f", form, "--no-redact")
    assert KEY in printed("-f", "json")
    for form in ("json", "jsonl"):
        redacted = printed("-f", form, "--redact")
        assert KEY not in redacted
        assert json.loads(redacted.splitlines()[0])["is_redacted"] is True


def test_nothing_is_written_over_without_force(home: Path) -> None:
    path = home / "a.md"
    path.write_text("mine")
    done = aj(home, "export", "s1", "-o", str(path))
    assert (done.returncode, path.read_text()) == (2, "mine")
    assert "--force" in done.stderr
    link = home / "link.md"
    os.symlink(home / "nowhere.md", link)
    assert aj(home, "export", "s1", "-o", str(link)).returncode == 2
    assert not (home / "nowhere.md").exists()
    assert aj(home, "export", "s1", "-o", str(path), "--force").returncode == 0
    assert path.read_text().startswith("---")
    assert aj(home, "export", "--all", "-f", "md", "-o", str(home / "many")).returncode == 0
    again = aj(home, "export", "--all", "-f", "md", "-o", str(home / "many"))
    assert again.returncode == 2
    assert "and 2 more" in again.stderr
    assert (
        aj(home, "export", "--all", "-f", "md", "-o", str(home / "many"), "--force").returncode == 0
    )
    assert not list(home.rglob(".aj-*"))


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        ((), 2, "one or more ids, or --all"),
        (("nope",), 2, "no session has the id"),
        (("s1", "s2"), 2, "needs a folder"),
        (("s1", "s2", "-o", "-"), 2, "-o - takes one session"),
        (("s1", "s2", "-o", "x.md"), 2, "cannot be written to one file"),
        (("s1", "-o", "no/such/x.md"), 2, "there is no folder"),
        (("s1", "s2", "-o", "no/such"), 2, "there is no folder"),
        (("s1", "s2", "-o", "there.txt"), 2, "is a file"),
        (("s1", "-f", "md", "--split", "5"), 2, "--split writes several HTML files"),
        (("s1", "-f", "html", "--split", "5", "-o", "-"), 2, "--split writes several HTML files"),
        (("s1", "-f", "html", "--split", "0"), 2, "--split"),
        (("s1", "s2", "-o", "x.html"), 2, "cannot be written to one file"),
        (("s1", "--agent", "claude-code"), 2, "add --all"),
        (("--all", "agent:copilot-cli", "-o", "x"), 2, "no session matches"),
        (("s1", "-o", "-", "--json"), 2, "leave out one of them"),
    ],
)
def test_mistakes_are_reported(home: Path, args: tuple[str, ...], code: int, words: str) -> None:
    (home / "there.txt").write_text("")
    done = aj(home, "export", *args, cwd=home)
    assert done.returncode == code
    assert words in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_without_a_journal(tmp_path: Path) -> None:
    done = aj(tmp_path, "export", "last")
    assert done.returncode == 2
    assert "aj sync" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux only")
def test_a_place_that_cannot_be_written(home: Path) -> None:
    done = aj(home, "export", "s1", "-o", "/dev/full/x.md")
    assert done.returncode == 2
    assert aj(home, "export", "s1", "-o", "/proc/x.md").returncode == 1


def test_all_and_a_query(home: Path) -> None:
    items = aj_json(home, "export", "--all", "-f", "jsonl", "-o", str(home / "out"))["items"]
    assert sorted(item["session"] for item in items) == ["s1", "s2", "s3"]
    assert all(Path(item["path"]).stat().st_size == item["size"] for item in items)
    found = aj_json(home, "export", "--all", "tool:bash", "-f", "md", "-o", str(home / "some"))[
        "items"
    ]
    assert [item["session"] for item in found] == ["s1"]


def test_all_makes_a_folder_also_for_one_session(home: Path) -> None:
    for name in ("one", "one.d"):
        folder = home / name
        done = aj(home, "export", "--all", "tool:bash", "-o", str(folder))
        assert done.returncode == 0, done.stderr
        names = {path.name for path in folder.iterdir()}
        assert len(names) == 2
        assert "index.html" in names
    done = aj(home, "export", "--all", "tool:bash", "-o", str(home / "one.md"))
    assert done.returncode == 2
    assert "--all writes to a folder" in done.stderr
    assert not (home / "one.md").exists()
    printed = aj(home, "export", "--all", "tool:bash", "-f", "md", "-o", "-")
    assert printed.stdout.startswith("---")


@pytest.mark.parametrize(
    ("title", "uid", "name"),
    [
        ("Fix the login", "4f2a9c12-aaaa", "fix-the-login-4f2a9c12.md"),
        ("../../etc/passwd", "../../x", "etc-passwd-x.md"),
        ("a/b\\c:d*e?\0\n\x1b[31m", "i", "a-b-c-d-e-31m-i.md"),
        ("Ärger über Öl", "i", "arger-uber-ol-i.md"),
        ("\u202egnp.exe", "i", "gnp-exe-i.md"),
        ("", "", "session.md"),
        (None, "...", "session.md"),
        ("日本語", "i", "i.md"),
        ("con", "", "con-session.md"),
        (".hidden", "", "hidden.md"),
        ("-rf", "", "rf.md"),
    ],
)
def test_file_names_are_plain(title: str | None, uid: str, name: str) -> None:
    assert file_name(title, uid, ".md", set()) == name


def test_file_names_are_short_and_differ() -> None:
    taken: set[str] = set()
    names = [file_name("long " * 500, "same" * 100, ".md", taken) for _ in range(20)]
    assert len(set(names)) == 20
    assert max(map(len, names)) < 110


def test_pages_of_one_session_are_never_those_of_another() -> None:
    taken: set[str] = set()
    titles = ("talk", "Talk", "talk 2", "talk abcdefgh 2", "tálk", "ta\u0301lk", "t" * 300, "")
    seen: set[str] = set()
    for title in titles:
        for uid in ("abcdefgh-1", "ABCDEFGH-2", "2", "abcdefgh/2"):
            path = file_name(title, uid, ".html", taken)
            pages = {page_path(path, number).casefold() for number in range(1, 12)}
            assert len(pages) == 11
            assert not pages & seen, (title, uid)
            seen |= pages


def test_split_sessions_of_equal_names_are_all_written(tmp_path: Path) -> None:
    for uid in ("abcdefgh-1", "abcdefgh-2"):
        title = {"type": "summary", "summary": "same", "leafUuid": f"{uid}-u7"}
        with write_claude(tmp_path, uid, count=8).open("a") as file:
            file.write(json.dumps(title) + "\n")
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    out = tmp_path / "out"
    out.mkdir()
    done = aj(tmp_path, "export", "--all", "-f", "html", "-o", str(out), "--split", "4")
    assert done.returncode == 0, done.stderr
    assert len(list(out.iterdir())) == 5  # two pages each, and the index


def test_hostile_titles_stay_in_the_folder(tmp_path: Path) -> None:
    for number, title in enumerate(
        ("../../../etc/x", "/abs", "..", "\0", "a" * 5000, "same", "same")
    ):
        path = write_claude(tmp_path, f"s{number}")
        with path.open("a") as out:
            out.write(
                json.dumps({"type": "summary", "summary": title, "leafUuid": f"s{number}-u3"})
                + "\n"
            )
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    before = {path for path in tmp_path.rglob("*") if ".agent-journal" not in path.parts}
    items = aj_json(tmp_path, "export", "--all", "-f", "md", "-o", str(tmp_path / "out"))["items"]
    new = {path for path in tmp_path.rglob("*") if ".agent-journal" not in path.parts} - before
    assert len(items) == 7
    assert all(path.parent in (tmp_path / "out", tmp_path) for path in new)


def test_where_secrets_lie(home: Path) -> None:
    done = aj(home, "doctor", "--secrets")
    assert done.returncode == 1
    assert "claude-code:s1" in done.stdout
    assert "arguments of Bash" in done.stdout
    assert "2 times" in done.stdout
    (item,) = aj_json(home, "doctor", "--secrets")["items"]
    assert (item["kind"], item["session"], item["times"]) == ("github-token", "s1", 2)
    for text in (done.stdout, done.stderr, json.dumps(item)):
        assert KEY[8:] not in text
    write_claude(home / "other")
    aj(home / "other", "sync", "--no-index")
    assert aj(home / "other", "doctor", "--secrets").returncode == 0


def test_a_secret_in_a_title_is_not_shown(tmp_path: Path) -> None:
    path = write_claude(tmp_path, "s1", count=0)
    path.write_text(json.dumps(claude_line("user", 0, f"use {KEY} please", "s1")) + "\n")
    aj(tmp_path, "sync", "--no-index")
    for args in ((), ("--json",)):
        done = aj(tmp_path, "doctor", "--secrets", *args)
        assert "github-token" in done.stdout
        assert KEY[8:] not in done.stdout + done.stderr
    aj(tmp_path, "export", "last", "-f", "md", "-o", f"{tmp_path}/out/")
    (made,) = (tmp_path / "out").iterdir()
    assert KEY[8:].lower() not in made.name.lower()
    assert KEY[8:] not in made.read_text()


def test_a_title_that_was_cut_in_a_token_ends_before_it(tmp_path: Path) -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" + "A1b2C3d4E5f6G7h8"
    path = write_claude(tmp_path)
    line = claude_line("user", 0, "word " * 35 + f" {token} end")
    path.write_text(json.dumps(line) + "\n" + path.read_text())
    aj(tmp_path, "sync", "--no-index")
    assert token[:20] in aj_json(tmp_path, "ls")["items"][0]["title"]
    for form in ("md", "html", "json"):
        aj(tmp_path, "export", "s1", "-f", form, "--redact", "-o", str(tmp_path / f"x.{form}"))
        assert "ghp_" not in (tmp_path / f"x.{form}").read_text()
    for target in ("vscode", "claude-code", "copilot-cli"):
        aj(tmp_path, "convert", "s1", "--to", target, "-o", str(tmp_path / target))
        for file in (tmp_path / target).rglob("*"):
            assert not file.is_file() or b"ghp_" not in file.read_bytes(), file


def test_without_a_journal_nothing_is_called_clean(tmp_path: Path) -> None:
    done = aj(tmp_path, "doctor", "--secrets")
    assert (done.returncode, "there is no journal yet" in done.stderr) == (2, True)
    assert "no secret" not in done.stderr


def test_markdown_has_the_cost_that_usage_has(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    used = aj_json(tmp_path, "usage", "session")["items"][0]["cost_micro_usd"]
    assert used
    page = aj(tmp_path, "export", "s1", "-f", "md", "-o", "-").stdout
    assert f"cost_usd: {used / 1_000_000}\n" in page
