"""Sessions of a repository that were held elsewhere: in its copies, and on other machines."""

from __future__ import annotations

from pathlib import Path

from tests.provenance.blamed import BY_NOBODY, CART, WRITTEN, classes
from tests.support.repositories import ClaudeSession, Repository


def test_worktrees_and_clones(home: Path, repository: Repository, tmp_path: Path) -> None:
    repository.commit("begin", 0, readme="a shop\n")
    tree = tmp_path / "elsewhere/feature"
    repository.git("worktree", "add", "-q", "-b", "feature", str(tree))
    session = ClaudeSession(home, "s1", tree, 5)
    session.prompt("write")
    session.write("src/cart.py", CART)
    (tree / "src").mkdir()
    (tree / "src/cart.py").write_text(CART)
    repository.git("add", "-A", root=tree)
    repository.git("commit", "-qm", "write", root=tree, minute=10)
    repository.git("merge", "-q", "feature")
    assert classes(home, repository.root / "src/cart.py") == [WRITTEN] * 7
    assert classes(home, tree / "src/cart.py") == [WRITTEN] * 7
    for name, depth in (("clone", ()), ("shallow", ("--depth=1",))):
        clone = tmp_path / name
        repository.git("clone", "-q", *depth, f"file://{repository.root}", str(clone))
        assert classes(home, clone / "src/cart.py") == [WRITTEN] * 7
    repository.git("worktree", "remove", "--force", str(tree))
    assert classes(home, repository.root / "src/cart.py") == [WRITTEN] * 7


def test_paths_of_another_system(home: Path, repository: Repository) -> None:
    session = ClaudeSession(home, "s1", "C:\\work\\shop", 5)
    session.prompt("write")
    session.write("src/cart.py", CART)
    repository.commit("write", 10, **{"src__cart.py": CART})
    assert classes(home, repository.root / "src/cart.py") == [WRITTEN] * 7


def test_another_project_with_the_same_file(home: Path, repository: Repository) -> None:
    other = Repository(repository.root.parent / "other")
    other.commit("begin", 0, readme="another shop\n")
    session = ClaudeSession(home, "s1", other.root, 5)
    session.prompt("write")
    session.write("src/cart.py", CART)
    repository.commit("write", 10, **{"src__cart.py": CART})
    assert set(classes(home, repository.root / "src/cart.py")) == {BY_NOBODY}


def test_a_project_of_another_machine_in_a_repository_without_remote(
    home: Path, repository: Repository
) -> None:
    session = ClaudeSession(home, "s1", "C:\\work\\shop", 5)
    session.prompt("write")
    session.write("src/cart.py", CART)
    session.link_pull_request("ada/shop", 12)
    repository.commit("write", 10, **{"src__cart.py": CART})
    assert classes(home, repository.root / "src/cart.py") == [WRITTEN] * 7
    repository.git("remote", "add", "origin", "https://example.org/eve/shop.git")
    assert set(classes(home, repository.root / "src/cart.py")) == {BY_NOBODY}
