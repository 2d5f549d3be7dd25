"""The rows of `ItemTable` that are read: old conversations, the list of a folder's, and prompts.

workbench.panel.aichat.view.aichat.chatdata
    {"tabs":[…]}: the chat pane of 2023 and 2024, each tab a conversation
composer.composerData
    {"allComposers":[…]}: until 2024 whole conversations, since then a list of them
aiService.prompts, aiService.generations
    what was typed in this folder
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
from agent_journal.connectors.sqlite import TOO_LARGE
from agent_journal.connectors.values import file_name, mapping, string

# Names of extracts, and how they begin
TAB = "chat-"
COMPOSER = "composer-"
COMPOSERS = "composers.jsonl"
PROMPTS = "prompts.jsonl"
DAMAGED = "damaged-"
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


def item_extracts(database: sqlite3.Connection) -> Iterator[Extract | str]:
    """Yield the extracts of these rows, and what is wrong with one; no other row is read."""
    values: dict[str, bytes] = {}
    for key in _KEYS:
        try:
            row = database.execute("SELECT value FROM ItemTable WHERE key = ?", (key,)).fetchone()
        except sqlite3.DataError:
            yield f"the value of {key} is {TOO_LARGE}"
            continue
        if row is not None and isinstance(row[0], bytes):
            values[key] = row[0]
    if _CHAT in values:
        yield from _tabs(values[_CHAT])
    listed: list[bytes] = []
    for key in _LISTS:
        if key in values:
            yield from _composers(key, values[key], listed)
    if listed:
        yield Extract(COMPOSERS, "document", None, 0, b"".join(listed))
    prompts = [_as_line(values[key]) for key in _PROMPTS if key in values]
    if prompts:
        yield Extract(PROMPTS, "document", None, 0, b"".join(prompts))


def _as_line(value: bytes) -> bytes:
    return value.replace(b"\n", b" ") + b"\n"


def _tabs(value: bytes) -> Iterator[Extract]:
    try:
        tabs = [bytes(tab) for tab in _chat(value).tabs]
    except (msgspec.DecodeError, RecursionError, ValueError):
        yield _damaged(_CHAT, value)
        return
    for tab in tabs:
        tab_id = string(_object(tab).get("tabId")) or _unnamed(tab)
        yield Extract(f"{TAB}{file_name(tab_id)}.json", "session", tab_id, RANK_INLINE, tab)


def _composers(key: str, value: bytes, listed: list[bytes]) -> Iterator[Extract]:
    """Yield the whole conversations; those that are only named are added to `listed`."""
    try:
        composers = [bytes(composer) for composer in _list(value).all_composers]
    except (msgspec.DecodeError, RecursionError, ValueError):
        yield _damaged(key, value)
        return
    for data in composers:
        composer = _object(data)
        composer_id = string(composer.get("composerId"))
        if composer.get("conversation"):
            composer_id = composer_id or _unnamed(data)
            name = f"{COMPOSER}{file_name(composer_id)}.json"
            yield Extract(name, "session", composer_id, RANK_INLINE, data)
        elif composer_id:
            listed.append(_as_line(data))


def _damaged(key: str, value: bytes) -> Extract:
    return Extract(f"{DAMAGED}{file_name(key)}.json", "document", None, 0, value)


def _unnamed(data: bytes) -> str:
    return "unnamed-" + hashlib.sha256(data).hexdigest()[:16]


def _object(data: bytes) -> dict[str, Any]:
    try:
        return mapping(decode_document(data))
    except ValueError:
        return {}
