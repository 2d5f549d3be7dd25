"""Titles from what was said, for sessions that nobody named.

The first prompt that says something is the title; without one, what the agent first answered; and
otherwise the first prompt, however little it says.
"""

from __future__ import annotations

import re

import msgspec

from agent_journal.connectors.values import one_line

_WORDS_OF_TASK = 2  # an answer with fewer is a courtesy, not a task
_LONGEST_CONTEXT = 20_000  # letters of a prompt that are looked at
# What harnesses put around a person's words, with its content. Other tags are the person's own.
_HARNESS_TAGS = """
additional_data agent_skills agents_md app-context apps_instructions attached_files attachments
bash-input bash-stderr bash-stdout collaboration_mode command-args command-message command-name
context current_datetime currentdatetime editorcontext environment_context environment_info
environment_details file_contents git-context git_status ide_opened_file ide_selection
instructions local-command-caveat local-command-stdout modeinstructions
open_and_recently_viewed_files personality_spec plugins_instructions project_layout reminder
reminderinstructions repocontext rules skill skills_instructions system-reminder
system_notification system_reminder tagged_files task-notification timestamp todo_list todo_status
user_info user_instructions userenvironment workspace_info workspace_information"""
_HARNESS_BLOCK = re.compile(
    rf"<({'|'.join(map(re.escape, _HARNESS_TAGS.split()))})\b[^<>]*>.*?(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_WRAPPER = re.compile(r"</?(?:user_query|userrequest|user_request|prompt|user-prompt)>", re.I)
# What editors put before the request, and the heading that ends it
_REQUEST_HEADING = re.compile(r"^#+ My request(?: for \w+)?:[ \t]*\n", re.MULTILINE)
_EDITOR_LINE = re.compile(
    r"^(?:Current|Active|Open|Selected)[ ](?:File|Document|Workspace|Selection|Line|Cursor)\b"
    r"[^:\n]{0,30}:.*\n*",
    re.MULTILINE | re.IGNORECASE,
)
# How prompts begin that a program wrote for the person
_BOILERPLATE = re.compile(
    r"\A\s*(?:Implement the following plan:\s*(?:#+\s*(?:Plan:\s*)?)?|\[\[ ## user_query ## \]\])"
)
_EMPTY_WORDS = """
a acknowledged again agree agreed ahead all allow approve approved awesome carry confirm confirmed
continue cool correct do done exactly fine further go going good great hello hey hi it just keep
let lets lgtm looks more next nice no nope now of ok okay on one perfect please proceed re resume
right start step sure test thank thanks that the then this to try understood us welcome well with y
yeah yep yes you"""
_SAYS_NOTHING = frozenset(_EMPTY_WORDS.split())
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s|\n")


class SpokenTitle(msgspec.Struct, omit_defaults=True):
    """The best title among the texts seen so far; part of what readers save."""

    text: str | None = None
    source: str | None = None  # prompt or answer
    is_telling: bool = False

    def note_prompt(self, text: str) -> None:
        """Look at another prompt of the session."""
        if self.is_telling:
            return
        title = prompt_title(text)
        if title is None:
            return
        if says_something(title):
            self.text = title
            self.source = "prompt"
            self.is_telling = True
        elif self.text is None:
            self.text = title
            self.source = "prompt"

    def note_answer(self, text: str) -> None:
        """Look at an answer: its first sentence is better than a prompt that says nothing."""
        if self.is_telling or self.source == "answer":
            return
        sentence = _SENTENCE_END.split(text[:_LONGEST_CONTEXT].strip(), maxsplit=1)[0]
        title = one_line(sentence.lstrip("#*- "))
        if self.text is not None and _telling_words(title) >= _WORDS_OF_TASK:
            self.text = title
            self.source = "answer"


def prompt_title(text: str) -> str | None:
    """The beginning of what a person typed, without what the harness put around it."""
    words = _REQUEST_HEADING.split(text[:_LONGEST_CONTEXT])[-1]
    if "<" in words:
        words = _HARNESS_BLOCK.sub(" ", words)
        words = _WRAPPER.sub(" ", words)
    words = _BOILERPLATE.sub("", words)
    without_context = _EDITOR_LINE.sub("", words)
    return one_line(without_context) or one_line(words) or None


def says_something(title: str) -> bool:
    """Whether a title is more than "continue", "go ahead" or a dot."""
    return _telling_words(title) > 0


def _telling_words(text: str) -> int:
    words = _WORD.findall(text.lower())
    return sum(not word.isdecimal() and word not in _SAYS_NOTHING for word in words)
