"""The documentation: commands, agents and pages are documented, and README output is real."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from agent_journal.cli.group import COMMANDS
from agent_journal.connectors import NAMES
from agent_journal.demo import write_demo_home
from agent_journal.text.dates import parse_bound
from tests.support.journals import variables
from tests.support.paths import ROOT
from tests.support.terminals import on_terminal

SOURCES = sorted((ROOT / "src").rglob("*.py"))
README = (ROOT / "README.md").read_text()
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
# Agents whose files are described on the page of another one
_PAGES = {
    "vscode-chat": "vscode",
    "vscode-export": "vscode",
    "roo-code": "cline",
    "kilo-code": "cline",
}


def test_every_command_is_documented() -> None:
    for command in COMMANDS:
        assert f"aj {command}" in README, command


def test_every_agent_is_documented() -> None:
    for agent in NAMES:
        assert f"`{agent}`" in README
        page = _PAGES.get(agent, agent)
        assert (ROOT / f"docs/formats/{page}.md").exists()


def test_the_command_page_is_up_to_date() -> None:
    code = (
        "import generate; assert generate.cli_page() == generate.PAGE.read_text(), 'run: "
        "make docs'; "
        "assert generate.sql_page() == generate.SQL_PAGE.read_text(), 'run: make docs'; "
        "assert generate.mcp_page() == generate.MCP_PAGE.read_text(), 'run: make docs'"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT / "docs", env=variables(ROOT), check=True)


def test_the_screens_are_up_to_date() -> None:
    """What commands print at 80 and 120 columns is what the page shows, line by line."""
    code = "import screens; print(screens.screens_page(), end='')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT / "docs",
        env=variables(ROOT),
        capture_output=True,
        text=True,
        check=True,
    )
    page = (ROOT / "docs/screens.md").read_text()
    assert done.stdout.splitlines() == page.splitlines(), "run: make docs"


def test_the_screens_fit() -> None:
    """No line of a table is longer than its terminal."""
    from agent_journal.text.width import display_width

    width = 0
    for line in (ROOT / "docs/screens.md").read_text().splitlines():
        if line.endswith(" columns:"):
            width = int(line.split()[0])
        elif width and not line.startswith("    problem: "):  # a path stays whole
            assert display_width(line) <= width, line


def test_the_schema_is_up_to_date() -> None:
    code = (
        "import generate as made; "
        "assert made.schema() == made.SCHEMA.read_text(), 'run: make docs'; "
        "assert made.openapi() == made.OPENAPI.read_text(), 'run: make docs'"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT / "docs", env=variables(ROOT), check=True)


def test_links_in_the_docs_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), (page, target)


def test_the_readme_opens_with_the_two_commands() -> None:
    block = README.split("```")[1]
    assert "pip install . && aj demo" in block
    assert "make test" in block


def test_the_readme_example_runs(tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), parse_bound("now"))
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", example],
        env=variables(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert lines[0] == "20 sessions, 20 new"
    assert len(lines) == 4
    assert lines[1].endswith("Flaky retry test: clock and jitter 2")


def test_the_readme_shows_real_output(tmp_path: Path) -> None:
    """Each line of the console block is printed by `aj demo` on a terminal with 120 columns, but
    for times, places and sizes of the moment.
    """
    shown = on_terminal(tmp_path, "demo", columns=120, lines=60, TERM="dumb")
    printed = {_timeless(line) for line in shown.splitlines()}
    (block,) = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines():
        assert _timeless(line) in printed, line


def _timeless(line: str) -> str:
    line = re.sub(
        r"\d+ (min|h) ago|[A-Z][a-z]{2} \d\d:\d\d|\d{4}-\d\d-\d\d( \d\d:\d\d)?|\d\d:\d\d:\d\d",
        "<time>",
        line,
    )
    line = re.sub(r"[\d.]+ (KB|s)\b", "<n>", line)
    line = re.sub(r"^[0-9a-f]{8}(?= .* aider )", "<id>", line)  # made from the folder it lies in
    line = re.sub(r"\$[\d.]+(?= this month| in all)", "<cost>", line)
    return re.sub(r" +", " ", line)


def test_no_line_names_the_folder_beside_the_project() -> None:
    """The project stands alone."""
    beside = "../" + "shared"
    for path in [
        *SOURCES,
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "tests").rglob("*.py"),
        ROOT / "README.md",
    ]:
        assert beside not in path.read_text(), path


def test_pages_for_agents_name_options_that_exist() -> None:
    """An unknown option of a search would be taken for a word."""
    commands = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    known = set(_OPTION.findall(commands.replace("--sync / --no-sync", "--sync, --no-sync")))
    for page in ("docs/for-agents.md", "plugin/skills/agent-journal/SKILL.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert set(_OPTION.findall(text)) <= known, page
        for command, rest in re.findall(r"`aj ([a-z]+)([^`]*)`", text):
            section = commands.partition(f"\n## aj {command}\n")[2].partition("\n## ")[0]
            assert set(_OPTION.findall(rest)) <= set(_OPTION.findall(section)), (page, command)
