"""What a key may do by its role, and what is told of it."""

from collections.abc import Callable

import pytest

from coopsim.client.roles import Role
from coopsim.errors import NotAllowed, NotInThisMode, OwnedByAnother
from coopsim.interfaces import CLOCK, ODOMETRY, STEP, WORLD
from coopsim.message import Message
from coopsim.server.access.limits import limits_of

STEP_NUMBER, CLAIM, JOIN, RELEASE = (STEP.command(name).number for name in ("step", "claim", "claim_with", "release"))
OWNERS = STEP.command("owners").number
RESET = ODOMETRY.command("reset").number
PAUSE, REMOVE, SAVE = CLOCK.command("pause").number, WORLD.command("remove").number, WORLD.command("save").number
PING, SET_PARAMETER = 0, 3


def ask(target: str, command: int, *params: float | str, data: tuple[float, ...] = ()) -> Message:
    return Message(target, command=command, params=params, data=data)


def enter(bench: object, client: str, role: Role) -> None:
    bench.session(client).limits = limits_of(client, role)  # type: ignore[attr-defined]


WATCHED = [
    ask("/robot1/motors", 10, data=(0.1, 0.0)),
    ask("/robot1/motors", SET_PARAMETER, "gain", 500.0),
    ask("/plain1/odometry", RESET),
    ask("/sim/step", STEP_NUMBER, 1, "robot1", data=(0.1, 0.0)),
    ask("/sim/step", CLAIM, "robot1"),
    ask("/sim/clock", PAUSE),
    ask("/sim/clock", SET_PARAMETER, "patience", 2.0),
    ask("/sim/clock", 18, "robot1", "hold"),
    ask("/sim/world", REMOVE, "robot1"),
    ask("/sim/world", SAVE, "evil.world"),
    ask("/sim/names", 12, "/arm/gripper", "tcp://127.0.0.1:9"),
]


@pytest.mark.parametrize("request_", WATCHED, ids=lambda each: f"{each.target} {each.command}")
def test_who_may_only_watch_changes_nothing(bench: Callable, request_: Message) -> None:
    run = bench("lockstep")
    enter(run, "eve", Role("watch"))
    reply = run.ask(request_, "eve")
    assert reply.error == NotAllowed.code
    assert "the key 'eve' has `watch`" in reply.text
    assert not run.source.edits


def test_who_may_only_watch_reads_everything(bench: Callable) -> None:
    run = bench("real-time")
    enter(run, "eve", Role("watch"))
    for target, command in (
        ("/robot1/sonars", 10),
        ("/robot1/motors", 1),
        ("/sim/clock", 10),
        ("/sim/world", 10),
        ("/sim/step", 10),
        ("/sim/names", 10),
        ("/sim/info", 10),
        ("/robot1", PING),
    ):
        assert run.ask(ask(target, command), "eve").error == 0, target


def test_a_driver_commands_its_own_robots_alone(bench: Callable) -> None:
    run = bench("real-time")
    enter(run, "anna", Role("drive", ("robot1",)))
    for good in (ask("/robot1/motors", 10, data=(0.1, 0.0)), ask("/robot1/motors", SET_PARAMETER, "gain", 500.0)):
        assert run.ask(good, "anna").error == 0
    refused = run.ask(ask("/robot2/motors", 10, data=(0.1, 0.0)), "anna")
    assert (refused.error, refused.params) == (NotAllowed.code, ("drive", "robot2"))
    assert "`coopsim keys role anna drive --robots robot2`" in refused.text
    paused = run.ask(ask("/sim/clock", PAUSE), "anna")
    assert (paused.error, paused.params) == (NotAllowed.code, ("all",))


def test_a_driver_claims_and_steps_its_own_robots_alone(bench: Callable) -> None:
    run = bench("lockstep")
    enter(run, "anna", Role("drive", ("robot1",)))
    both = run.ask(ask("/sim/step", CLAIM, "robot1", "robot2"), "anna")
    assert (both.error, both.params) == (NotAllowed.code, ("drive", "robot2"))
    assert run.ask(ask("/sim/step", STEP_NUMBER, 1, "robot2", data=(0.1, 0.0)), "anna").error == NotAllowed.code
    assert run.ask(ask("/sim/step", CLAIM, "robot1"), "anna").error == 0
    assert run.ask(ask("/sim/step", STEP_NUMBER, 1, "robot1", data=(0.1, 0.0)), "anna").error == 0


def test_a_token_does_not_open_robots_that_the_role_does_not(bench: Callable) -> None:
    run = bench("real-time")
    token = run.ask(ask("/sim/step", CLAIM, "robot1", "robot2"), "admin").params[0]
    enter(run, "anna", Role("drive", ("robot1",)))
    refused = run.ask(ask("/sim/step", JOIN, token), "anna")
    assert (refused.error, refused.params) == (NotAllowed.code, ("drive", "robot2"))
    assert run.ask(ask("/sim/step", RELEASE, "robot2"), "admin").error == 0
    assert run.ask(ask("/sim/step", JOIN, token), "anna").error == 0
    assert run.ask(ask("/sim/step", CLAIM, "robot2"), "admin").error == 0
    everything = ask("/sim/step", STEP_NUMBER, 1, data=(0.1, 0.0, 0.1, 0.0))
    assert run.ask(everything, "anna").error == NotAllowed.code


def test_a_claim_guards_parameters_against_other_drivers_but_not_against_who_may_do_everything(
    bench: Callable,
) -> None:
    run = bench("real-time")
    for name in ("anna", "ben"):
        enter(run, name, Role("drive", ("r*",)))
    slow = ask("/robot1/motors", SET_PARAMETER, "max_speed", 0.0)
    assert run.ask(slow, "ben").error == 0
    assert run.ask(ask("/sim/step", CLAIM, "robot1"), "anna").error == 0
    assert run.ask(slow, "ben").error == OwnedByAnother.code
    assert run.ask(slow, "anna").error == 0
    assert run.ask(slow, "admin").error == 0


def test_a_wrong_name_or_number_is_told_as_ever(bench: Callable) -> None:
    run = bench("real-time")
    enter(run, "eve", Role("watch"))
    assert run.ask(ask("/robot1/motors", 99), "eve").error == 202
    assert run.ask(ask("/robotX/motors", 10), "eve").error == 201


def test_a_role_is_asked_once_for_a_connection_and_module(bench: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    run, asked = bench("real-time"), []
    may_drive = Role.may_drive
    monkeypatch.setattr(Role, "may_drive", lambda role, robot: asked.append(robot) or may_drive(role, robot))
    enter(run, "anna", Role("drive", ("robot1",)))
    for _ in range(5):
        assert run.ask(ask("/robot1/motors", 10, data=(0.1, 0.0)), "anna").error == 0
        run.send(ask("/sim/step", STEP_NUMBER, 1, "robot1", data=(0.1, 0.0)), "anna")
    assert asked == ["robot1", "robot1"]  # for the module, and for the group of the STEPs


def test_who_owns_robots_is_said_to_everybody_by_the_names_of_events_and_to_nobody_of_a_recording(
    bench: Callable,
) -> None:
    run = bench("lockstep")
    enter(run, "eve", Role("watch"))
    assert run.ask(ask("/sim/step", CLAIM, "robot1", "plain1"), "anna").error == 0
    assert run.ask(ask("/sim/step", OWNERS), "eve").params == ("plain1", "anna", "robot1", "anna")
    assert run.ask(ask("/sim/step", OWNERS, "robot2", "/robot1", "nobody"), "eve").params == ("robot1", "anna")
    replay = bench("real-time", is_recording=True)
    assert replay.ask(ask("/sim/step", OWNERS)).error == NotInThisMode.code
