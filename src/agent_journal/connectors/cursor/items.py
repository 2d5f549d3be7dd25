"""What `ItemTable` of a database holds of ours: the oldest conversations, the list of a folder's,
and prompts.

workbench.panel.aichat.view.aichat.chatdata   {"tabs":[…]}: the chat pane of 2023 and 2024, each tab
a conversation composer.composerData                         {"allComposers":[…]}: until 2024 whole
conversations, then their list aiService.prompts, aiService.generations      what was typed in this
folder
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from typing import Any

import msgspec

from agent_journal.connectors.base import Extract
from agent_journal.connectors.cursor import RANK_INLINE
from agent_journal.connectors.jsonl import decode_document
from agent_journal.connectors.values import file_name, mapping, string

TAB, COMPOSER, COMPOSERS, PROMPTS, DAMAGED = (
    "chat-",
    "composer-",
    "composers.jsonl",
    "prompts.jsonl",
    "damaged-",
)
_CHAT = "workbench.panel.aichat.view.aichat.chatdata"
_LISTS = ("composer.composerData", "composer.composerHeaders")
_PROMPTS = ("aiService.generations", "aiService.prompts")
_KEYS = (_CHAT, *_LISTS, *_PROMPTS)


class _Chat(msgspec.Struct):
    tabs: list[msgspec.Raw] = []


class _List(msgspec.Struct, rename="camel"):
    all_composers: list[msgspec.Raw] = []


_chat = msgspec.json.Decoder(_Chat).decode
_list = msgspec.json.Decoder(_List).decode


def item_extracts(database: sqlite3.Connection) -> Iterator[Extract]:
    """The extracts of our values; what else the table holds is not looked at."""
    query = f"SELECT key, value FROM ItemTable WHERE key IN ({', '.join('?' * len(_KEYS))})"
    values = {
        bytes(key).decode("utf-8", "replace"): value
        for key, value in database.execute(query, _KEYS).fetchall()
    }
    found = {key: bytes(value) for key, value in values.items() if isinstance(value, bytes)}
    if _CHAT in found:
        yield from _tabs(found[_CHAT])
    listed: list[bytes] = []
    for key in _LISTS:
        if key in found:
            yield from _composers(key, found[key], listed)
    if listed:
        yield Extract(COMPOSERS, "document", None, 0, b"".join(line + b"\n" for line in listed))
    lines = [found[key].replace(b"\n", b" ") + b"\n" for key in _PROMPTS if key in found]
    if lines:
        yield Extract(PROMPTS, "document", None, 0, b"".join(lines))


def _tabs(value: bytes) -> Iterator[Extract]:
    try:
        tabs = [bytes(tab) for tab in _chat(value).tabs]
    except (msgspec.DecodeError, RecursionError):
        yield _damaged(_CHAT, value)
        return
    for tab in tabs:
        tab_id = string(_object(tab).get("tabId")) or _unnamed(tab)
        yield Extract(f"{TAB}{file_name(tab_id)}.json", "session", tab_id, RANK_INLINE, tab)


def _composers(key: str, value: bytes, listed: list[bytes]) -> Iterator[Extract]:
    """Conversations that are whole here; the others are `listed`."""
    try:
        composers = [bytes(composer) for composer in _list(value).all_composers]
    except (msgspec.DecodeError, RecursionError):
        yield _damaged(key, value)
        return
    for data in composers:
        composer = _object(data)
        composer_id = string(composer.get("composerId"))
        if composer.get("conversation"):
            composer_id = composer_id or _unnamed(data)
            yield Extract(
                f"{COMPOSER}{file_name(composer_id)}.json",
                "session",
                composer_id,
                RANK_INLINE,
                data,
            )
        elif composer_id:
            listed.append(data.replace(b"\n", b" "))


def _damaged(key: str, value: bytes) -> Extract:
    return Extract(f"{DAMAGED}{file_name(key)}.json", "document", None, 0, value)


def _unnamed(data: bytes) -> str:
    return "unnamed-" + hashlib.sha256(data).hexdigest()[:16]


def _object(data: bytes) -> dict[str, Any]:
    try:
        return mapping(decode_document(data))
    except ValueError:
        return {}
