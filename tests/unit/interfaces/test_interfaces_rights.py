"""Every command of every module is classed: what it takes, and whether it is told."""

from dataclasses import replace

import pytest

from coopsim import interfaces
from coopsim.interfaces import CLOCK, COMMON, MOTORS, PLAYBACK, STEP, WORLD, Command, Effect, Interface
from coopsim.interfaces.rights import _SERVED, Right, changing_commands, right_of

EVERY = [interface for name in interfaces.__all__ if isinstance(interface := getattr(interfaces, name), Interface)]
SIMULATION = {"clock", "controllers", "events", "info", "names", "playback", "recorder", "renderer", "step", "world"}
CHANGES_THOUGH_SERVED = {
    ("clock", "robot_policy"),
    ("world", "save"),
    ("names", "register"),
    ("names", "unregister"),
    ("renderer", "set"),
}


@pytest.mark.parametrize("interface", EVERY, ids=lambda each: each.kind)
def test_a_command_that_changes_something_is_never_open_to_those_who_only_watch(interface: Interface) -> None:
    of_robot = interface.kind not in SIMULATION
    for command in (*COMMON, *interface.commands):
        right = right_of(interface, command, of_robot=of_robot)
        if command.effect in (Effect.SET, Effect.EDIT):
            assert right is (Right.DRIVE if of_robot else Right.ALL), command.name
        elif command.effect is Effect.READ:
            assert right is Right.WATCH, command.name


@pytest.mark.parametrize(
    "interface", [interface for interface in EVERY if interface.kind in SIMULATION], ids=lambda each: each.kind
)
def test_what_the_server_itself_answers_is_listed_or_known_to_change_something(interface: Interface) -> None:
    served = {(interface.kind, command.name) for command in interface.commands if command.effect is Effect.SERVE}
    assert served <= set(_SERVED) | CHANGES_THOUGH_SERVED, "class the new command in interfaces/rights.py"


def test_every_module_of_the_simulation_is_known_by_its_kind() -> None:
    assert {kind for kind, _ in _SERVED} <= SIMULATION <= {interface.kind for interface in EVERY}


def test_a_command_of_the_simulation_that_nobody_classed_takes_the_right_to_everything() -> None:
    fresh = Command(99, "explode", effect=Effect.SERVE)
    assert right_of(replace(CLOCK, commands=(fresh,)), fresh, of_robot=False) is Right.ALL


def test_what_happens_in_every_tick_is_not_told_and_everything_else_is() -> None:
    audited = {
        changing_command.name
        for changing_command in changing_commands(STEP, of_robot=False).values()
        if changing_command.is_audited
    }
    assert audited == {"set_parameter", "claim", "claim_with", "release", "set_period"}
    assert not changing_commands(MOTORS, of_robot=True)[10].is_audited
    assert changing_commands(MOTORS, of_robot=True)[3].is_audited
    for interface in (CLOCK, WORLD, PLAYBACK):
        assert all(
            changing_command.is_audited for changing_command in changing_commands(interface, of_robot=False).values()
        )
