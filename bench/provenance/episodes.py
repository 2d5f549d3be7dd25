"""What happens in an invented project: each episode is a piece of work."""

from __future__ import annotations

import os
from collections.abc import Callable

from bench.provenance.authors import Author
from bench.provenance.lines import Files, Line, ending_of
from bench.provenance.repository import Repository
from bench.provenance.session import AGENTS, Session

_OFTEN = 9  # days until the next episode, at most


class Project:
    """A repository, its sessions, and what happens next."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.random = repository.random
        self.coder = repository.coder
        self.sessions: list[Session] = []
        self.person = Author(repository, None)
        self.branch_count = 0

    def begin(self) -> None:
        """The history before the first session."""
        for _ in range(3):
            for _ in range(2):
                self.person.create()
            self.person.commit(self.coder.phrase())
            self.repository.clock.tick(60 * 24)

    def next(self, episode: Callable[[Project], None]) -> None:
        """Let something happen, some days later."""
        self.repository.clock.tick(60 * 24 * self.random.uniform(0.05, _OFTEN) ** 0.5)
        episode(self)

    def new_session(self) -> Author:
        """Start a session; the agents take turns."""
        agent = AGENTS[len(self.sessions) % len(AGENTS)]
        session = Session(agent, len(self.sessions), self.repository.folder)
        self.sessions.append(session)
        author = Author(self.repository, session)
        author.ask(self.coder.phrase())
        return author

    def some_file(self) -> str:
        """Return a file; half of the time one of the newest three."""
        files = list(self.repository.files)
        if self.random.random() < 0.5:
            files = files[-3:]
        return self.random.choice(files)

    def work(self, author: Author, rounds: int) -> None:
        """Let somebody work on one or two files."""
        paths = [self.some_file(), self.some_file()]
        if self.random.random() < 0.5:
            paths.append(author.create())
        for number in range(rounds):
            if number and self.random.random() < 0.3:
                author.ask(self.coder.phrase())
            author.work_on(self.random.choice(paths))

    def new_branch(self) -> str:
        """Start a branch; return the name of the one it is made from."""
        before = self.repository.branch
        self.branch_count += 1
        self.repository.start_branch(f"feature-{self.branch_count}")
        return before


# -- in one branch -------------------------------------------------------------------------------


def plain(project: Project) -> None:
    """A session works and commits, one to three times."""
    author = project.new_session()
    for _ in range(project.random.randint(1, 3)):
        project.work(author, project.random.randint(2, 6))
        author.commit(project.coder.phrase())


def committed_by_hand(project: Project) -> None:
    """A session works, and the person commits a day later: no session printed the commit."""
    project.work(project.new_session(), project.random.randint(3, 8))
    project.repository.clock.tick(60 * project.random.uniform(0.1, 30))
    project.person.commit(project.coder.phrase())


def by_hand(project: Project) -> None:
    """A person works, also in functions that sessions wrote."""
    for _ in range(project.random.randint(1, 5)):
        project.person.work_on(project.some_file())
    if project.random.random() < 0.3:
        project.person.copy_function(project.some_file())
    project.person.commit(project.coder.phrase())


def parallel(project: Project) -> None:
    """Two sessions work in turn; the commit of one takes in what the other has so far."""
    first = project.new_session()
    second = project.new_session()
    same = project.some_file()
    for _ in range(project.random.randint(2, 4)):
        project.work(first, project.random.randint(1, 2))
        first.work_on(same)
        project.work(second, project.random.randint(1, 2))
        second.work_on(same)
    first.commit(project.coder.phrase())
    project.work(second, project.random.randint(1, 3))
    second.commit(project.coder.phrase())


def hand_edits(project: Project) -> None:
    """A person changes lines of a session's function before it is committed."""
    author = project.new_session()
    path = author.create()
    for _ in range(project.random.randint(1, 3)):
        author.add_function(path)
    project.person.change_lines(path)
    project.person.insert_statements(path)
    author.commit(project.coder.phrase())


def amended(project: Project) -> None:
    """A commit is amended after more work, by the session or by hand: its first id is gone."""
    author = project.new_session()
    project.work(author, 3)
    author.commit(project.coder.phrase())
    later = project.random.choice((author, project.person))
    later.work_on(project.some_file())
    later.commit(project.coder.phrase(), "--amend")


def undone(project: Project) -> None:
    """A session's work is thrown away; another one, or the person, does it again."""
    repository = project.repository
    before = dict(repository.files)
    author = project.new_session()
    project.work(author, 4)
    wasted = {path: lines for path, lines in repository.files.items() if lines != before.get(path)}
    repository.drop()
    repository.files = before
    again = project.random.choice((author, project.new_session(), project.person))
    for path, lines in wasted.items():
        if path in before:
            # Who does it again writes some of the same lines.
            again.put(path, _done_again(project, before[path], lines, again.owner))
    again.add_function(project.some_file())
    again.commit(project.coder.phrase())


def _done_again(
    project: Project, before: list[Line], wasted: list[Line], owner: str | None
) -> list[Line]:
    known = {(line.text, line.block) for line in before}
    lines = []
    for line in wasted:
        if (line.text, line.block) not in known:
            line = line._replace(owner=owner)
            if project.random.random() < 0.5:
                line = line._replace(text=project.coder.changed(line.text))
        lines.append(line)
    return lines


def formatted(project: Project) -> None:
    """Files are formatted and committed, by a session or by hand."""
    author = project.person
    if project.random.random() < 0.5:
        author = project.new_session()
        project.work(author, 2)
    for path in list(project.repository.files):
        if project.random.random() < 0.4:
            author.format(path)
    author.add_function(project.some_file())
    author.commit("format the code")


def formatted_at_once(project: Project) -> None:
    """A hook formats what a session wrote, before it is committed."""
    author = project.new_session()
    path = author.create()
    for _ in range(3):
        author.work_on(path)
    author.format(path)
    author.commit(project.coder.phrase())


def renamed(project: Project) -> None:
    """A file is renamed, and changed in the same commit."""
    repository = project.repository
    author = project.random.choice((project.person, project.new_session()))
    path = project.some_file()
    folder = os.path.dirname(path)
    new_path = f"{folder}/renamed_{len(repository.files)}{ending_of(path)}"
    repository.rename(path, new_path)
    author.run(f"git mv {path} {new_path}", "")
    author.add_function(new_path)
    author.commit(f"rename {path}")


def by_shell(project: Project) -> None:
    """A session writes a file with a here-document."""
    author = project.new_session()
    path = author.create_by_shell()
    author.add_function(path)
    author.commit(project.coder.phrase())


def by_subagent(project: Project) -> None:
    """Sub-agents of a session write."""
    author = project.new_session()
    author.by_subagent = True
    project.work(author, 4)
    author.by_subagent = False
    project.work(author, 2)
    author.commit(project.coder.phrase())


def reverted(project: Project) -> None:
    """A commit of a session is reverted, and so is the revert: the lines are its own again."""
    repository = project.repository
    author = project.new_session()
    project.work(author, 4)
    author.commit(project.coder.phrase())
    repository.clock.tick(60 * 20)
    repository.git("revert", "--no-edit", "HEAD")
    repository.clock.tick(60 * 30)
    repository.git("revert", "--no-edit", "HEAD")


def left_uncommitted(project: Project) -> None:
    """The last session has not committed its work."""
    project.work(project.new_session(), 4)


# -- with a branch -------------------------------------------------------------------------------


def squashed(project: Project) -> None:
    """A branch with several commits of a session becomes one commit."""
    base, theirs = _branch_with_work(project)
    branch = project.repository.branch
    project.repository.check_out("main")
    _elsewhere(project, theirs, base)
    project.repository.git("merge", "--quiet", "--squash", branch)
    project.repository.take(theirs, base)
    project.person.commit(project.coder.phrase())


def rebased(project: Project) -> None:
    """A branch is rebased on what happened meanwhile, and merged without a commit."""
    repository = project.repository
    base, theirs = _branch_with_work(project)
    branch = repository.branch
    repository.check_out("main")
    _elsewhere(project, theirs, base)
    repository.git("rebase", "--quiet", "main", branch)
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--ff-only", branch)
    repository.take(theirs, base)


def merged(project: Project) -> None:
    """A branch is merged with a merge commit."""
    repository = project.repository
    base, theirs = _branch_with_work(project)
    branch = repository.branch
    repository.check_out("main")
    _elsewhere(project, theirs, base)
    repository.git("merge", "--quiet", "--no-ff", "--no-edit", branch)
    repository.take(theirs, base)


def cherry_picked(project: Project) -> None:
    """One of the commits of a branch is picked; the rest is never merged."""
    repository = project.repository
    project.new_branch()
    author = project.new_session()
    author.create()
    author.commit(project.coder.phrase())
    path = list(repository.files)[-1]
    author.create()
    author.commit(project.coder.phrase())
    picked = list(repository.files)[-1]
    lines = repository.files[picked]
    assert picked != path
    branch = repository.branch
    repository.check_out("main")
    repository.clock.tick(60 * 20)
    repository.git("cherry-pick", branch)
    repository.files[picked] = lines


def _branch_with_work(project: Project) -> tuple[Files, Files]:
    """Let a session work on a branch; return the files before and after."""
    base = dict(project.repository.files)
    project.new_branch()
    author = project.new_session()
    for _ in range(project.random.randint(2, 4)):
        project.work(author, project.random.randint(1, 4))
        author.commit(project.coder.phrase())
    if project.random.random() < 0.4:
        project.person.work_on(project.some_file())
        project.person.commit(project.coder.phrase())
    return base, dict(project.repository.files)


def _elsewhere(project: Project, theirs: Files, base: Files) -> None:
    """Change a file of this branch that the other branch left alone."""
    author = project.random.choice((project.person, project.new_session()))
    same = [path for path in project.repository.files if theirs.get(path) == base[path]]
    if same:
        author.work_within(project.random.choice(same))
    author.commit(project.coder.phrase(), "--allow-empty")


EPISODES: tuple[Callable[[Project], None], ...] = (
    plain,
    plain,
    committed_by_hand,
    by_hand,
    by_hand,
    parallel,
    hand_edits,
    amended,
    undone,
    formatted,
    formatted_at_once,
    renamed,
    by_shell,
    by_subagent,
    reverted,
    squashed,
    rebased,
    merged,
    cherry_picked,
)


def play(repository: Repository) -> Project:
    """Invent the history of a repository: every kind of episode, in an order of its own."""
    project = Project(repository)
    project.begin()
    order = list(EPISODES)
    project.random.shuffle(order)
    for episode in order:
        project.next(episode)
        assert repository.is_clean(), f"{episode.__name__} left something uncommitted"
    project.next(left_uncommitted)
    return project
