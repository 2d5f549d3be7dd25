"""The program that measures `aj blame`: it knows the truth, and it finds what is wrong."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from bench.provenance.__main__ import measure
from bench.provenance.asking import Answer, sync
from bench.provenance.episodes import Project, play
from bench.provenance.lines import Line
from bench.provenance.own import measure_own
from bench.provenance.repository import Repository
from bench.provenance.tally import Tally, is_right
from bench.provenance.writers.home import write_home


def test_the_truth_is_what_stands_in_the_files(tmp_path: Path) -> None:
    project = play(Repository(str(tmp_path / "shop"), Random(4)))
    repository = project.repository
    listed = repository.git("ls-files", "--others", "--cached", "--exclude-standard").splitlines()
    assert sorted(listed) == sorted(repository.files)
    for path in repository.files:
        assert (tmp_path / "shop" / path).read_bytes().decode() == repository.text(path)
    owners = {line.owner for lines in repository.files.values() for line in lines}
    assert owners <= {None, *(session.id for session in project.sessions)}
    assert len({session.agent for session in project.sessions}) == 4


def test_one_repository_is_measured(tmp_path: Path) -> None:
    tally = Tally()
    measure(tally, str(tmp_path), seed=1, most=1)
    assert [row.name for row in tally.rows() if not row.holds] == []
    assert tally.covered >= 0.85 * tally.lines["session"]
    assert tally.taken_out > 0


def test_what_counts_as_right() -> None:
    line = Line("total = 0", owner="s1", origin="s0", block=1)

    def right(kind: str, session: str | None, *others: str) -> bool:
        return is_right(Answer("a.py", 1, kind, session, others, "c"), line)

    assert right("written", "s1")
    assert right("beside", "s1")
    assert not right("written", "s0")
    assert right("likely", "s0")
    assert right("moved", "s0")
    assert not right("moved", "s2")
    assert right("several", None, "s1", "s2")
    assert not right("several", None, "s0", "s2")
    assert not right("-", None)
    assert is_right(Answer("a.py", 1, "-", None, (), "c"), line._replace(owner=None))


def test_a_repository_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = Repository(str(tmp_path / "shop"), Random(1))
    project = Project(repository)
    project.person.create()
    project.person.commit("begin")
    for number in range(2):
        author = project.new_session()
        path = author.create()
        author.add_function(path)
        # The second commit names the session that did not write it.
        author.commit("more", f"--trailer=Agent-Session: {project.sessions[0].id}")
        assert author.session is project.sessions[number]
    home = str(tmp_path / "home")
    write_home(home, project.sessions)
    sync(home)
    monkeypatch.setenv("HOME", home)
    monkeypatch.setenv("AJ_HOME", f"{home}/.agent-journal")
    assert measure_own(repository.folder, 5) == 0
    rows = {
        row[1].strip(): (int(row[2].replace(",", "")), int(row[3].replace(",", "")))
        for row in (line.split("|") for line in capsys.readouterr().out.splitlines())
        if len(row) > 4 and row[2].strip().replace(",", "").isdigit()
    }
    agreeing, told = rows["`written`, as trailers say"]
    assert 0 < agreeing < told
    given, taken_out = rows["lines of 2 sessions taken out, given to another"]
    assert (given, taken_out > 20) == (0, True)
