"""Commands are text, and documented exclusions exclude."""

from __future__ import annotations

import re

import pytest

from agent_journal.query.parser import parse
from agent_journal.query.rendering import excluded_parts, render
from agent_journal.query.tree import words_of
from tests.support.paths import ROOT
from tests.support.query_trees import NOW, typed

COMMANDS = [
    "rm -rf",
    "rm -rf node_modules",
    "tar -xzf a.tgz",
    "git push -f",
    "git push -force origin",
    "--no-verify",
    "git commit --no-verify",
    "a -b c",
    "find . -name x",
    "find . -type f -exec rm",
    "java -version",
    "$ sudo find / -delete -empty",
    "java -Xmx4g -jar app.jar",
    "java -XX:+UseG1GC",
    "mvn -DskipTests package",
    "mvn -Dtest=Foo -pl-core",
    "gcc -Wall -O2 main.c",
    "terraform plan -target=module.x",
    "go test -run TestX -count=1",
    "docker run -it -p8080:80 -detached image",
    "kill -9 1234",
    "head -100 file.txt",
    "Remove-Item -Recurse -Force build",
    "curl -sSL https://x.test",
    "python -m pytest -x -quiet",
    "-rf",
    "-docker",
    "-docker -redis",
    "ssh -v -git",
    "-css",
]


@pytest.mark.parametrize("text", COMMANDS)
def test_commands_are_text(text: str) -> None:
    parsed = parse(text, NOW)
    assert excluded_parts(parsed) == []
    assert [word.text for word in words_of(parsed.tree)] == text.split()
    assert typed(parse(render(parsed), NOW)) == typed(parsed)


@pytest.mark.parametrize(
    ("text", "excluded"),
    [
        ("timeout -docker", ["docker"]),
        ("redis -cluster", ["cluster"]),
        ("-docker timeout", ["docker"]),
        ('"out of memory" -docker', ["docker"]),
        ('"rm -f" -docker', ["docker"]),
        ("is:prompt -docker", ["docker"]),
        ("sort:newest -docker", ["docker"]),
        ("error -foo -docker", ["docker"]),
        ("auth -jwt -SQL", ["jwt", "SQL"]),
        ("rm -rf NOT node", ["node"]),
        ("rm NOT rf", ["rf"]),
        ('rm -"rf"', ['"rf"']),
        ("error -404 -docker", ["docker"]),
        ("Content-Type -docker", ["docker"]),
        ("files -delete", ["delete"]),
        ("java -kotlin", ["kotlin"]),
        ("error -user -version", ["user", "version"]),
        ("x -docker -compose", ["docker", "compose"]),
        ("x -migrat*", ["migrat*"]),
        ("x -検索", ["検索"]),
        ("x -getUserName", ["getUserName"]),
        ("-tool:bash -(a OR b) -/e[0-9]+/", ["tool:bash", "a OR b", "/e[0-9]+/"]),
        ("x -is:subagent", ["is:subagent"]),
        (r"x \-docker", []),
    ],
)
def test_exclusions(text: str, excluded: list[str]) -> None:
    parsed = parse(text, NOW)
    assert excluded_parts(parsed) == excluded
    assert typed(parse(render(parsed), NOW)) == typed(parsed)


def test_the_examples_of_the_page_say_what_is_excluded() -> None:
    page = (ROOT / "docs/query.md").read_text()
    section = page.split("### Commands and exclusions")[1].split("\n### ")[0]
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \|", section, re.MULTILINE)
    assert len(rows) >= 10
    for text, meaning in rows:
        excluded = excluded_parts(parse(text))
        if meaning.startswith("text"):
            assert excluded == [], text
        else:
            assert meaning == f"without {', '.join(excluded)}", text
