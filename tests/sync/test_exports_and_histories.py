"""An Aider history holds many sessions, its exports one each: their order makes no difference."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.aider_histories import CHAT, RUN, history
from tests.support.arrivals import sync
from tests.support.journals import aj, aj_json, open_journal

_TOKENS = "> Tokens: 100 sent, 20 received.\n"
_FIRST = RUN + "#### first  \n\nDone.\n\n" + _TOKENS
_SECOND = _FIRST.replace("09:15", "10:15").replace("first", "second")
_COUNTS = (
    "SELECT agent, uid, message_count, prompt_count, edit_count, input_tokens, output_tokens "
    "FROM sessions WHERE is_known = 1 ORDER BY 1, 2"
)


@pytest.fixture
def exports(tmp_path: Path) -> list[Path]:
    """Exports of both sessions of the history in `source/app`, the first one first."""
    source = tmp_path / "source"
    history(source / "app", _FIRST + _SECOND)
    sync(source)
    (tmp_path / "exports").mkdir()
    paths = [tmp_path / "exports/first.json", tmp_path / "exports/second.json"]
    ids = [uid for uid, title in listed(source) if title == "first"]
    ids += [uid for uid, title in listed(source) if title == "second"]
    for uid, path in zip(ids, paths, strict=True):
        done = aj(source, "export", uid, "-f", "json", "-o", str(path))
        assert done.returncode == 0, done.stderr
    return paths


def listed(home: Path) -> list[tuple[str, str]]:
    return [(item["id"], item["title"]) for item in aj_json(home, "ls", "--all")["items"]]


def counts(home: Path) -> list[tuple[object, ...]]:
    with open_journal(home) as journal:
        return list(journal.db.execute(_COUNTS))


def take_exports(home: Path, paths: list[Path]) -> list[str]:
    items = aj_json(home, "import", *map(str, paths))["items"]
    return [item["status"] for item in items]


def take_history(home: Path, source: Path) -> None:
    shutil.copytree(source / "app", home / "app")
    sync(home)


def assert_same_journal(home: Path, source: Path) -> None:
    assert counts(home) == counts(source)
    done = aj(home, "verify")
    assert done.returncode == 0, done.stdout


def test_exports_before_their_history(tmp_path: Path, exports: list[Path]) -> None:
    home = tmp_path / "home"
    assert take_exports(home, exports) == ["new", "new"]
    take_history(home, tmp_path / "source")
    assert_same_journal(home, tmp_path / "source")


def test_exports_after_their_history(tmp_path: Path, exports: list[Path]) -> None:
    home = tmp_path / "home"
    take_history(home, tmp_path / "source")
    assert take_exports(home, exports) == ["copy", "copy"]
    assert_same_journal(home, tmp_path / "source")


def test_exports_with_their_history(tmp_path: Path, exports: list[Path]) -> None:
    home = tmp_path / "home"
    shutil.copytree(tmp_path / "source/app", home / "app")
    take_exports(home, [home / "app" / CHAT, *exports])
    assert_same_journal(home, tmp_path / "source")


def test_an_export_counts_again_when_the_history_was_begun_anew(
    tmp_path: Path, exports: list[Path]
) -> None:
    home = tmp_path / "home"
    take_history(home, tmp_path / "source")
    take_exports(home, exports)
    history(home / "app", _FIRST)
    sync(home)
    assert_same_journal(home, tmp_path / "source")


def test_a_history_that_moved_is_no_reason_to_complain(tmp_path: Path) -> None:
    home = tmp_path / "home"
    history(home / "a/app", _FIRST + _SECOND)
    sync(home)
    before = counts(home)
    (home / "a").rename(home / "b")
    sync(home)
    assert counts(home) == before
    done = aj(home, "verify")
    assert done.returncode == 0, done.stdout
