"""Measures on invented repositories how often `aj blame` is right, and prints a table.

    make provenance                                 five repositories, each session out in turn
    make provenance PROVENANCE='--seed 40 --repositories 20'
    make provenance PROVENANCE='--most 0 --wrong'     no session is taken out; what is wrong
    make provenance PROVENANCE='--repo ~/work/shop'   your own repository and journal

Exits with 1 if a bound is missed. bench/README.md says what is invented.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from random import Random

from bench.provenance.asking import Answer, blame, sync
from bench.provenance.episodes import Project, play
from bench.provenance.repository import Repository
from bench.provenance.session import Session
from bench.provenance.tally import Tally, print_table
from bench.provenance.writers.home import write_home

_REPOSITORIES = 5
_MOST_OWN = 30  # sessions that are taken out of a repository of somebody's own
_WRONG = 200  # wrong answers that are printed


def main() -> int:
    """Run the program."""
    arguments = _arguments()
    if arguments.repo:
        from bench.provenance.own import measure_own

        most = _MOST_OWN if arguments.most is None else arguments.most
        return measure_own(arguments.repo, most)
    tally = Tally()
    folder = arguments.keep or tempfile.mkdtemp(prefix="aj-provenance-")
    try:
        for seed in range(arguments.seed, arguments.seed + arguments.repositories):
            measure(tally, os.path.join(folder, str(seed)), seed, arguments.most)
    finally:
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)
    if arguments.wrong:
        print("\n".join(tally.wrong[:_WRONG]))
    return 0 if print_table(tally.rows()) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make provenance", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the first repository")
    parser.add_argument("--repositories", type=int, default=_REPOSITORIES)
    parser.add_argument("--most", type=int, metavar="N", help="sessions to take out, at most")
    parser.add_argument("--wrong", action="store_true", help="print the answers that are wrong")
    parser.add_argument("--keep", metavar="DIR", help="keep the repositories and homes there")
    parser.add_argument("--repo", metavar="PATH", help="measure your own repository and journal")
    return parser.parse_args()


def measure(tally: Tally, folder: str, seed: int, most: int | None = None) -> None:
    """Invent one repository, and count what is said about it; take out so many sessions."""
    shutil.rmtree(folder, ignore_errors=True)
    project = play(Repository(os.path.join(folder, "shop"), Random(seed)))
    files = project.repository.files
    tally.add(files, _asked(project, os.path.join(folder, "home"), None), seed)
    owners = {line.owner for lines in files.values() for line in lines}
    with_lines = [session for session in project.sessions if session.id in owners]
    for session in with_lines[:most]:
        home = os.path.join(folder, "home-without")
        tally.add_without(session.id, files, _asked(project, home, session))
        shutil.rmtree(home)


def _asked(project: Project, home: str, without: Session | None) -> list[Answer]:
    write_home(home, project.sessions, without)
    sync(home)
    return blame(home, project.repository.folder, sorted(project.repository.files))


if __name__ == "__main__":
    sys.exit(main())
