"""The folders by which a sync tells that an agent was never here are those of its connector."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import Env
from agent_journal.connectors.homes import HOMES, LINUX_HOMES, is_absent

SYSTEMS = [(agent, system) for agent in HOMES for system in ("linux", "darwin", "win32")]
SYSTEMS += [(agent, "linux") for agent in LINUX_HOMES]


class Asked(dict[str, str]):
    """Variables of which none is set; it notes which were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def get(self, key: str, default: object = None) -> None:  # type: ignore[override]
        self.names.add(key)


@pytest.mark.parametrize(("agent", "system"), SYSTEMS)
def test_the_table_agrees_with_the_connector(agent: str, system: str, tmp_path: Path) -> None:
    folders, variables = {**HOMES, **LINUX_HOMES}[agent]
    asked = Asked()
    env = Env(str(tmp_path), asked, system)
    assert get_connector(agent).roots(env) == [str(tmp_path / folders[0])]
    assert asked.names == set(variables)
    assert is_absent(agent, env)
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
        assert str(tmp_path / folder) in get_connector(agent).roots(env)
        assert not is_absent(agent, env)
        (tmp_path / folder).rmdir()


def test_a_variable_that_is_set_may_name_another_folder(tmp_path: Path) -> None:
    for agent, (_, variables) in {**HOMES, **LINUX_HOMES}.items():
        for variable in variables:
            assert not is_absent(agent, Env(str(tmp_path), {variable: "elsewhere"}, "linux"))


def test_agents_with_other_places_are_always_looked_for(tmp_path: Path) -> None:
    assert not is_absent("crush", Env(str(tmp_path), {}, "linux"))
    assert not is_absent("zed", Env(str(tmp_path), {}, "darwin"))
