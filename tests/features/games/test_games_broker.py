"""Commands of a squad go to all of its robots at once, and what is wrong with one holds up no other."""

from collections.abc import Iterator

import pytest

from coopsim.client import Client
from coopsim.errors import Evicted
from coopsim.features.games.logic.match import Match
from coopsim.features.games.logic.orders import RobotCommand
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

ROBOTS = "a1", "a2", "a3"


@pytest.fixture
def match() -> Iterator[Match]:
    server = LocalServer(Simulation(load("capture_the_flag")), is_hashed=False)
    with server.connect() as sim, sim.stepper(every=10) as stepper:
        yield Match(sim, stepper)


def goings(*values: tuple[float, ...]) -> list[RobotCommand]:
    return [RobotCommand(name, "intelligence", "go_to", value) for name, value in zip(ROBOTS, values, strict=True)]


def test_a_command_with_wrong_values_is_logged_and_the_others_are_done(match: Match) -> None:
    match.broker.send("south_team", goings((1.0, 1.0), (float("nan"), 1.0), (1.0, -1.0)))
    assert match.broker.sent == 2
    (entry,) = [logged for logged in match.model.log if logged.rule == "illegal"]
    assert entry.source == "south_team"
    assert entry.text.startswith("a2: ")


def test_a_robot_that_cannot_be_told_is_an_error_after_all_others_were(match: Match) -> None:
    asked: list[list[str]] = []

    class Losing(Client):
        def call_all(self, calls):
            asked.append([target for target, *_ in calls])
            return [None, Evicted("another owns it"), None]

    match.broker._sim.__class__ = Losing
    with pytest.raises(Evicted):
        match.broker.send("south_team", goings((1.0, 1.0), (1.0, 0.0), (1.0, -1.0)))
    assert asked == [[f"/{name}/intelligence" for name in ROBOTS]]
    assert match.broker.sent == 2


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (RobotCommand("a1", "catapult", "stop"), "a1 has no catapult"),
        (RobotCommand("a1", "intelligence", "dance"), "/a1/intelligence knows no dance"),
    ],
)
def test_what_a_robot_cannot_do_is_logged_and_never_sent(match: Match, command: RobotCommand, problem: str) -> None:
    match.broker.send("south_team", [command, RobotCommand("a2", "intelligence", "stop")])
    assert [entry.text for entry in match.model.log if entry.rule == "illegal"] == [problem]
    assert match.broker.sent == 1
