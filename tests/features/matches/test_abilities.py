"""Abilities, found out from what modules say of themselves."""

from typing import Any

import pytest

from coopsim.features.artifacts.interfaces import AUTOMATIC_DOOR, PRESENCE
from coopsim.features.games.interfaces.games import BORDER, INTELLIGENCE, SHOOTER
from coopsim.features.matches.abilities import ABILITIES, abilities
from coopsim.features.sensors.interfaces import COMPASS, NEIGHBOURS
from coopsim.features.space.autopilot_interface import AUTOPILOT
from coopsim.interfaces import (
    CAMERA,
    MOTORS,
    TARGET,
    Command,
    Interface,
)

PLAIN_MIND = Interface("intelligence", "Thinks.", (Command(10, "go_to"),))


@pytest.mark.parametrize(
    ("interface", "values", "ability"),
    [
        (MOTORS, {}, ("drive",)),
        (AUTOPILOT, {}, ("drive",)),
        (INTELLIGENCE, {"share": "all"}, ("go_to", "pick_up")),
        (INTELLIGENCE, {"share": "reflexes"}, ()),
        (PLAIN_MIND, {"share": "all"}, ("go_to",)),
        (SHOOTER, {"range": 2.0}, ("shoot",)),
        (SHOOTER, {"range": 0.0}, ()),
        (BORDER, {"swims": 1}, ("swim",)),
        (BORDER, {"swims": 0}, ()),
        (CAMERA, {}, ("see",)),
        (TARGET, {}, ("see",)),
        (NEIGHBOURS, {}, ("see",)),
        (PRESENCE, {}, ("see",)),
        (AUTOMATIC_DOOR, {}, ("open",)),
        (COMPASS, {}, ()),
    ],
)
def test_a_module_gives_its_abilities(interface: Interface, values: dict[str, Any], ability: tuple[str, ...]) -> None:
    assert abilities([(interface, values)]) == ability


def test_abilities_of_several_modules_come_once_and_in_one_order() -> None:
    modules = [(CAMERA, {}), (SHOOTER, {"range": 1.0}), (TARGET, {}), (MOTORS, {}), (INTELLIGENCE, {"share": "all"})]
    assert abilities(modules) == ("drive", "go_to", "pick_up", "shoot", "see")
    assert abilities(reversed(modules)) == abilities(iter(modules))


def test_nothing_can_do_nothing() -> None:
    assert abilities([]) == ()


def test_all_known_abilities_are_told() -> None:
    assert ABILITIES == ("drive", "go_to", "pick_up", "shoot", "swim", "see", "open")
