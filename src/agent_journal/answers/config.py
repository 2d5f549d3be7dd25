"""`config`: settings, their values and where these come from."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from agent_journal.answers.answer import Answer, whole_answer
from agent_journal.config.loading import Config
from agent_journal.config.settings import SETTINGS, foreign_settings


class SettingItem(TypedDict):
    """One setting; `meaning` only in the list of all."""

    key: str
    value: Any
    origin: str
    meaning: NotRequired[str]


class ConfigExtra(TypedDict):
    """What is wrong with the settings file; only with the list of all settings."""

    warnings: NotRequired[list[str]]


def config_answer(config: Config) -> Answer:
    """Return every setting."""
    items = []
    for key, setting in (SETTINGS | foreign_settings()).items():
        item = _item(config, key)
        item["meaning"] = setting.meaning
        items.append(item)
    return whole_answer("config", items, warnings=config.warnings)


def setting_answer(config: Config, key: str) -> Answer:
    """Return one setting."""
    return whole_answer("config", [_item(config, key)])


def _item(config: Config, key: str) -> SettingItem:
    return SettingItem(key=key, value=config.get(key), origin=config.origin(key))
