"""The prompts that the arrow keys bring back: `memento/interactive-session` in `state.vscdb`.

{"history":{"copilot":[{"text":"fix it","state":{…}},{"inputText":"go on","attachments":[]}]}}

VS Code keeps the last 40 of each place (the panel is "copilot", then "editor", "terminal"), also of
chats that are deleted. The oldest versions wrote plain strings.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agent_journal.connectors.base import Content
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.values import array, items, mapping, string
from agent_journal.connectors.vscode_chat.attachments import attachment_of, variable_kind
from agent_journal.connectors.vscode_chat.document import workspace_place
from agent_journal.model import HistoryEntry, Piece


class PromptHistoryReader(DocumentReader):
    """Reads the prompts that were typed in a workspace, each text once."""

    kind = "prompt history"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The prompts, oldest first."""
        history = mapping(decode_document(data)).get("history")
        typed: dict[str, str | None] = {}  # what was pasted, by text
        for entries in mapping(history).values():
            for entry in array(entries):
                text = _text(entry)
                if text is None:
                    self.ledger.add("skipped", "prompt", 0, "without a text")
                    continue
                self.ledger.add("mapped", "prompt", 0)
                typed[text] = _pasted(entry) or typed.get(text)
        project = None
        place = workspace_place(content.sibling("workspace.json"))
        if place is not None:
            project = place.path
        for position, (text, pasted) in enumerate(typed.items()):
            yield HistoryEntry(text=text, position=position, project_path=project, pasted=pasted)


def _text(entry: Any) -> str | None:
    text = string(entry) or string(mapping(entry).get("inputText"))
    text = text or string(mapping(entry).get("text"))
    if text is None or not text.strip():
        return None
    return text


def _pasted(entry: Any) -> str | None:
    """The text that was pasted beside the prompt."""
    state = mapping(mapping(entry).get("state"))
    variables = items(mapping(entry).get("attachments"))
    variables += items(state.get("chatContextAttachments"))
    found = [
        attachment_of(variable) for variable in variables if variable_kind(variable) == "paste"
    ]
    texts = [attachment.text for attachment in found if attachment is not None]
    return "\n".join(filter(None, texts)) or None
