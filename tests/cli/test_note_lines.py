"""Sentences for the person break between words, and commands in them can be copied."""

from __future__ import annotations

import os
from pathlib import Path

from agent_journal.cli.note_lines import note_lines
from agent_journal.demo import write_demo_home
from agent_journal.text.dates import parse_bound
from agent_journal.text.width import display_width
from tests.support.journals import aj, write_claude
from tests.support.terminals import on_terminal


def test_a_sentence_breaks_between_words() -> None:
    text = "40 sessions will be deleted by their agents within a week, all kept here"
    assert note_lines(text, 40) == [
        "40 sessions will be deleted by their",
        "agents within a week, all kept here",
    ]


def test_what_follows_begins_below_the_text() -> None:
    assert note_lines("aj: no agent 'vim'; there are: codex, gemini", 30) == [
        "aj: no agent 'vim'; there are:",
        "    codex, gemini",
    ]
    assert note_lines("    choose a place that is outside of it", 30) == [
        "    choose a place that is",
        "    outside of it",
    ]
    assert note_lines("oldest    2024-11-16, cursor: add elements", 34, hanging=10) == [
        "oldest    2024-11-16, cursor: add",
        "          elements",
    ]


def test_a_quoted_command_stays_on_one_line() -> None:
    assert note_lines("the journal's own: 'aj prune --purge' deletes them", 30) == [
        "the journal's own:",
        "'aj prune --purge' deletes",
        "them",
    ]


def test_a_long_command_begins_a_line_of_its_own() -> None:
    command = "'aj resume 63ef6e43-24d7-411b-99ff-ffef458effec --with codex'"
    assert note_lines(f"install Codex CLI, then: {command} (nothing was written)", 80) == [
        "install Codex CLI, then:",
        f"{command} (nothing was",
        "written)",
    ]


def test_what_is_copied_as_a_whole_is_left_to_the_terminal() -> None:
    command = "    cd /home/sam/work/relay && claude --resume 63ef6e43-24d7-411b"
    assert note_lines(command, 40) == [command]
    path = f"imported {'/long' * 20}/chat.json: as one"
    assert note_lines(path, 40) == [path]
    assert note_lines("two words", 10, hanging=0) == ["two words"]  # too narrow for anything


def test_the_first_sync_fits_the_terminal(tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), parse_bound("now"))
    for old in (tmp_path / ".claude/projects").rglob("*.jsonl"):
        when = old.stat().st_mtime - 25 * 86400
        os.utime(old, (when, when))
    lines = on_terminal(tmp_path, "sync", columns=60).splitlines()
    lines = [line for line in lines if "\x1b" not in line]
    assert max(map(display_width, lines)) <= 60
    place = next(n for n, line in enumerate(lines) if line.startswith("sessions  "))
    assert lines[place + 1].startswith("          ")
    text = " ".join(" ".join(lines).split())
    assert "will be deleted by their agents within a week, all kept here" in text


def test_doctor_and_errors_fit_the_terminal(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1")
    with open(write_claude(tmp_path, "s2"), "ab") as file:
        file.write(b"this is not a record\n")
    aj(tmp_path, "sync")
    lines = on_terminal(tmp_path, "doctor", columns=60, NO_COLOR="1").splitlines()
    problem = next(n for n, line in enumerate(lines) if "problem:" in line)
    assert lines[problem + 1].startswith("    ")
    assert max(map(display_width, lines)) <= 60
    lines = on_terminal(tmp_path, "ls", "--agent", "vim", columns=60).splitlines()
    assert max(map(display_width, lines)) <= 60
    assert lines[0].startswith("aj: --agent: no agent 'vim'; there are: aider,")
    assert lines[1].startswith("    ")


def test_a_command_stays_whole_where_the_line_ends_at_its_space() -> None:
    text = "no hits for tool:Bsh lint (last sync 1 min ago); try fewer words, prefix* or 'aj ls'"
    assert text.index("'aj ls'") + len("'aj") == 80
    assert note_lines(text, 80) == [text[:76], "'aj ls'"]
