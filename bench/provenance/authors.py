"""What sessions and people do to files. The truth is known, because the change is made by lines."""

from __future__ import annotations

from random import Random

from bench.provenance.languages import LANGUAGES, Language
from bench.provenance.lines import (
    Line,
    ending_of,
    formatter,
    reformatted,
    texts_of,
    written,
)
from bench.provenance.repository import Repository
from bench.provenance.session import Edit, Prompt, Session, Shell

_WORDY = 5  # letters and digits of a line that is more than a bracket


class Author:
    """A session or, without one, a person."""

    def __init__(self, repository: Repository, session: Session | None) -> None:
        self.repository = repository
        self.random: Random = repository.random
        self.session = session
        self.owner = session.id if session else None
        self.by_subagent = False

    # -- what is recorded ----------------------------------------------------------------------

    def ask(self, text: str) -> None:
        """Begin with a prompt."""
        if self.session:
            when = self.repository.clock.tick(self.random.uniform(0.5, 9))
            self.session.steps.append(Prompt(when, text))

    def run(self, command: str, output: str) -> None:
        """Run a command in the session; a person's command is not recorded."""
        when = self.repository.clock.tick(self.random.uniform(0.1, 1))
        if self.session:
            self.session.steps.append(Shell(when, command, output))

    def put(self, path: str, lines: list[Line], *, is_whole: bool = False) -> None:
        """Change a file to these lines."""
        before = self.repository.text(path) if path in self.repository.files else None
        when = self.repository.clock.tick(self.random.uniform(0.2, 3))
        self.repository.write(path, lines)
        after = self.repository.text(path)
        if self.session is None or before == after:
            return
        edit = Edit(when, path, before, after, is_whole=is_whole, by_subagent=self.by_subagent)
        if before and self.random.random() < 0.05:
            failed = edit._replace(after=before + "not found: 1\n", has_failed=True)
            self.session.steps.append(failed)
        self.session.steps.append(edit)

    def commit(self, subject: str, *options: str) -> None:
        """Commit everything that is there, also what others left."""
        if self.repository.is_clean() and not options:
            return
        output = self.repository.commit(subject, *options)
        self.run(f'git add -A && git commit -m "{subject}"', output)

    # -- changes -------------------------------------------------------------------------------

    def create(self) -> str:
        """Write a new file; return its path."""
        repository = self.repository
        language = repository.coder.language()
        path = self._free_path(language)
        if self.random.random() < 0.15:
            repository.newlines[path] = "\r\n"
        lines = written(repository.coder.head(language), self.owner, repository.new_block())
        for _ in range(self.random.randint(1, 4)):
            lines += self._function(language)
        self.put(path, lines, is_whole=True)
        return path

    def create_by_shell(self) -> str:
        """Write a new file with a here-document, which no edit records."""
        repository = self.repository
        language = repository.coder.language()
        path = self._free_path(language)
        repository.write(path, self._function(language))
        self.run(f"cat > {path} <<'EOF'\n{repository.text(path)}EOF", "")
        return path

    def work_on(self, path: str) -> None:
        """Make one change to a file, of a kind that is common in sessions."""
        changes = (
            (self.add_function, 5),
            (self.change_lines, 4),
            (self.insert_statements, 4),
            (self.wrap_statements, 1),
            (self.remove_function, 1),
            (self.move_function, 1),
            (self.rewrite, 1),
        )
        kinds = [change for change, _ in changes]
        weights = [weight for _, weight in changes]
        self.random.choices(kinds, weights)[0](path)

    def work_within(self, path: str) -> None:
        """Make one change to a file, and to no other."""
        changes = (self.add_function, self.change_lines, self.insert_statements)
        self.random.choice(changes)(path)

    def add_function(self, path: str) -> None:
        """Add a function behind another one, or at the end."""
        lines = self._lines(path)
        new = self._function(language_of(path))
        place = self._end_of_block(lines, self._some_block(lines))
        self.put(path, lines[:place] + new + lines[place:])

    def change_lines(self, path: str) -> None:
        """Change a word or a number in up to three lines of one function."""
        lines = self._lines(path)
        for place in self._some_places(lines, self.random.randint(1, 3)):
            lines[place] = self._changed(lines[place])
        self.put(path, lines)

    def insert_statements(self, path: str) -> None:
        """Add statements inside a function."""
        lines = self._lines(path)
        language = language_of(path)
        for place in self._some_places(lines, 1):
            texts = []
            for _ in range(self.random.randint(1, 3)):
                texts += self.repository.coder.statement(language)
            new = written(texts, self.owner, lines[place].block)
            lines[place + 1 : place + 1] = new
        self.put(path, lines)

    def wrap_statements(self, path: str) -> None:
        """Put a few lines into a block: they are indented and stay whose they were."""
        lines = self._lines(path)
        language = language_of(path)
        for place in self._some_places(lines, 1):
            opening = self.repository.coder.statement(language)[0]
            end = min(place + self.random.randint(2, 5), len(lines))
            inner = [line._replace(text=language.step + line.text) for line in lines[place:end]]
            new = written([opening], self.owner, lines[place].block)
            lines[place:end] = new + inner
        self.put(path, lines)

    def remove_function(self, path: str) -> None:
        """Remove a function."""
        lines = self._lines(path)
        block = self._some_block(lines)
        left = [line for line in lines if line.block != block]
        if len(left) > 3:
            self.put(path, left)

    def move_function(self, path: str) -> None:
        """Move a function to another file of the language."""
        others = [other for other in self.repository.files if _is_like(other, path)]
        if not others:
            self.add_function(path)
            return
        lines = self._lines(path)
        block = self._some_block(lines)
        moved = [line._replace(owner=self.owner) for line in lines if line.block == block]
        left = [line for line in lines if line.block != block]
        if len(left) < 3:
            return
        self.put(path, left)
        other = self.random.choice(others)
        self.put(other, self._lines(other) + moved)

    def copy_function(self, path: str) -> None:
        """Copy a function within its file and change some of it."""
        lines = self._lines(path)
        block = self._some_block(lines)
        new_block = self.repository.new_block()
        copy = [
            line._replace(owner=self.owner, block=new_block)
            for line in lines
            if line.block == block
        ]
        copy = [self._changed(line) if self.random.random() < 0.4 else line for line in copy]
        self.put(path, lines + copy)

    def rewrite(self, path: str) -> None:
        """Write the whole file again, with a few changes."""
        lines = self._lines(path)
        for place in self._some_places(lines, 3):
            lines[place] = self._changed(lines[place])
        self.put(path, lines + self._function(language_of(path)), is_whole=True)

    def format(self, path: str) -> None:
        """Run a formatter: the lines stay whose they were."""
        lines = reformatted(self._lines(path), formatter(ending_of(path)))
        if texts_of(lines) == texts_of(self._lines(path)):
            return
        self.repository.write(path, lines)
        self.run(f"make format FILE={path}", f"reformatted {path}")

    # -- parts ---------------------------------------------------------------------------------

    def _lines(self, path: str) -> list[Line]:
        return list(self.repository.files[path])

    def _function(self, language: Language) -> list[Line]:
        texts = self.repository.coder.function(language)
        return written(texts, self.owner, self.repository.new_block())

    def _changed(self, line: Line) -> Line:
        text = self.repository.coder.changed(line.text)
        if text == line.text:
            return line
        return line._replace(text=text, owner=self.owner)

    def _some_block(self, lines: list[Line]) -> int:
        return self.random.choice([line.block for line in lines])

    def _end_of_block(self, lines: list[Line], block: int) -> int:
        return max(place for place, line in enumerate(lines) if line.block == block) + 1

    def _some_places(self, lines: list[Line], count: int) -> list[int]:
        block = self._some_block(lines)
        places = [
            place
            for place, line in enumerate(lines)
            if line.block == block and _is_wordy(line.text)
        ]
        return self.random.sample(places, min(count, len(places)))

    def _free_path(self, language: Language) -> str:
        folder = self.random.choice(("src", "src/core", "lib", "tests"))
        while True:
            path = f"{folder}/{self.repository.coder.name()}{language.ending}"
            if path not in self.repository.files:
                return path
            folder += self.random.choice(("/a", "/b", "/c"))


def language_of(path: str) -> Language:
    """Return the language of a file."""
    return next(language for language in LANGUAGES if language.ending == ending_of(path))


def _is_like(other: str, path: str) -> bool:
    return other != path and ending_of(other) == ending_of(path)


def _is_wordy(text: str) -> bool:
    return sum(character.isalnum() for character in text) >= _WORDY
