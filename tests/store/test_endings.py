"""How a session ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.journals import aj, aj_json, append, claude_line

Line = dict[str, Any]


class _Talk:
    """The lines of a session of Claude Code, one after the other."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.lines: list[Line] = []

    def ask(self, text: str = "go") -> _Talk:
        return self._add("user", text)

    def answer(self, text: str, stop_reason: str = "end_turn") -> _Talk:
        self._add("assistant", text)
        self.lines[-1]["message"]["stop_reason"] = stop_reason
        return self

    def call(self, name: str) -> _Talk:
        call = {"type": "tool_use", "id": f"toolu_{self.session}", "name": name, "input": {}}
        self.answer("", "tool_use")
        self.lines[-1]["message"]["content"] = [call]
        return self

    def result(self) -> _Talk:
        result = {"type": "tool_result", "tool_use_id": f"toolu_{self.session}", "content": "out"}
        self.ask()
        self.lines[-1]["message"]["content"] = [result]
        return self

    def _add(self, kind: str, text: str) -> _Talk:
        self.lines.append(claude_line(kind, len(self.lines), text, self.session))
        return self

    def write(self, home: Path) -> None:
        append(home / f".claude/projects/-work-app/{self.session}.jsonl", *self.lines)


def test_the_last_messages_say_how_it_ended(tmp_path: Path) -> None:
    talks = {
        _Talk("said-all").ask().answer("Done."): "finished",
        _Talk("asks").ask().answer("Shall I delete it?\n"): "waiting",
        _Talk("asks-by-tool").ask().call("AskUserQuestion"): "waiting",
        _Talk("shows-plan").ask().call("ExitPlanMode"): "waiting",
        _Talk("calls").ask().call("Bash"): "in_tool",
        _Talk("stopped").ask().ask("[Request interrupted by user]"): "interrupted",
        _Talk("unanswered").ask(): "cut_off",
        _Talk("has-result").ask().call("Bash").result(): "cut_off",
        _Talk("too-long").ask().answer("And then", "max_tokens"): "cut_off",
        _Talk("goes-on").ask().call("Bash").result().answer("Done."): "finished",
    }
    for talk in talks:
        talk.write(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    found = {row["id"]: row["ended_as"] for row in aj_json(tmp_path, "ls")["items"]}
    assert found == {talk.session: ending for talk, ending in talks.items()}


def test_people_see_what_waits_for_them(tmp_path: Path) -> None:
    _Talk("s1").ask().answer("Which one?").write(tmp_path)
    _Talk("s2").ask().write(tmp_path)
    aj(tmp_path, "sync")
    assert [row["id"] for row in aj_json(tmp_path, "ls", "is:waiting")["items"]] == ["s1"]
    assert len(aj_json(tmp_path, "ls", "is:unfinished")["items"]) == 2
    listed = aj(tmp_path, "ls").stdout
    assert "(waiting)" in listed
    assert "(cut off)" in listed
    assert "ended: waiting" in aj(tmp_path, "show", "s1").stdout


def test_the_ending_follows_a_growing_file(tmp_path: Path) -> None:
    talk = _Talk("s1").ask()
    talk.write(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    talk.lines = talk.answer("Done.").lines[1:]
    talk.write(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    (session,) = aj_json(tmp_path, "ls")["items"]
    assert session["ended_as"] == "finished"


def test_a_sub_agent_does_not_wait_for_a_person(tmp_path: Path) -> None:
    _Talk("s1").ask().answer("Done.").write(tmp_path)
    agent = tmp_path / ".claude/projects/-work-app/s1/subagents/agent-a1.jsonl"
    lines = _Talk("s1").ask("look").answer("Is that all?").lines
    for number, line in enumerate(lines):
        line |= {"isSidechain": True, "agentId": "a1", "uuid": f"a{number}", "requestId": "r-a1"}
    lines[1]["message"]["id"] = "msg_a1"
    append(agent, *lines)
    aj(tmp_path, "sync", "--no-index")
    found = {row["id"]: row["ended_as"] for row in aj_json(tmp_path, "ls", "--all")["items"]}
    assert found == {"s1": "finished", "s1/agent-a1": "finished"}
