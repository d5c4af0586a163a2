"""The world of drivers and sensors: bodies, readings and commands of all artifacts, by name."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld

from coopsim.devices.artifacts.environment import Environment, Order
from coopsim.errors import BadArgument
from coopsim.state.layout import NUMBER, STAMP, VALUES


class Port:
    """The commands of one device."""

    is_of_program = False

    def __init__(self) -> None:
        self.slots, self.asked = np.full((1, VALUES + 3), 7.0), 0

    def number(self, command: str) -> tuple[int, int]:
        self.asked += 1
        return {"set_velocity": (10, 2)}.get(command, (-1, 0))

    def check(self, _command: str) -> None:
        return None


@pytest.fixture
def port() -> Port:
    return Port()


@pytest.fixture
def environment(port: Port) -> Environment:
    bodies = FlatBodies(2)
    bodies.poses = np.array([[1.0, 2.0, 0.5, 1, 0, 0, 0], [3.0, 4.0, 0.0, 1, 0, 0, 0]])  # type: ignore[attr-defined]
    readings = {("robot1", "front"): np.array([0.5, 0.7])}
    board: Any = SimpleNamespace(port=lambda robot, module: port if (robot, module) == ("robot1", "motors") else None)
    world: Any = SmallWorld(bodies)
    return Environment(world, board, lambda robot, sensor: readings.get((robot, sensor)), lambda: 2.5)


def test_bodies_are_found_by_name_and_others_are_guessed(environment: Environment) -> None:
    assert environment.artifacts == ("robot1", "robot2")
    assert (environment.body("robot2"), environment.position("robot1")) == (1, (1.0, 2.0, 0.5))
    with pytest.raises(BadArgument, match=r"no body 'robot3' moves here.*robot"):
        environment.body("robot3")


def test_readings_are_seen_and_never_written(environment: Environment) -> None:
    view = environment.reading("robot1", "front")
    assert view is not None
    assert view.tolist() == [0.5, 0.7]
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1.0
    assert environment.reading("robot1", "rear") is None


def test_a_command_goes_into_the_slot_of_its_device_and_is_looked_up_once(environment: Environment, port: Port) -> None:
    order = environment.order("robot1", "motors", "set_velocity")
    assert environment.order("robot1", "motors", "set_velocity") is order
    assert port.asked == 1
    order.give((0.3, -0.1), 5)
    assert port.slots[0].tolist() == [-6.0, 10.0, 0.3, -0.1, 0.0]
    assert isinstance(order, Order)
    assert (STAMP, NUMBER) == (0, 1)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("robot1", "wings", "flap"), "robot1 has no device 'wings' that takes commands"),
        (("robot2", "motors", "set_velocity"), "robot2 has no device 'motors'"),
        (("robot1", "motors", "fly"), "motors of robot1 knows no command 'fly' that sets"),
    ],
)
def test_what_cannot_be_commanded_is_refused(environment: Environment, words: tuple[str, str, str], says: str) -> None:
    with pytest.raises(BadArgument, match=says):
        environment.order(*words)
