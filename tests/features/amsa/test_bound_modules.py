"""Data of a system of components that come from readings of robots, and become their commands."""

from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.amsa.components.bindings import Binding, Bound
from coopsim.features.amsa.laws.bound_modules import BoundModules
from coopsim.interfaces import GRIPPER, MOTORS, ODOMETRY


class Told:
    """A simulation of robots that all have the same modules; what they are told is noted."""

    interfaces: ClassVar = {"motors": MOTORS, "gripper": GRIPPER, "odometry": ODOMETRY}

    def __init__(self, *paces: str) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.is_gone = False
        kind = SimpleNamespace(takes=SimpleNamespace(modules=dict.fromkeys(paces)))
        layout = SimpleNamespace(types={"kind": kind}, robots={"robot1": "kind", "robot2": "kind"})
        self.stepper: Any = SimpleNamespace(robots=("robot1", "robot2"), layout=layout)

    def module(self, target: str) -> Any:
        def call(name: str, *values: float, timeout: float = 0.0) -> None:
            if self.is_gone:
                raise CoopsimError("the run is over")
            self.calls.append((target, name, *values))

        readings = SimpleNamespace(x=2.0, y=3.0, v=0.5)
        interface = self.interfaces.get(target.rpartition("/")[2])
        skip = lambda robots: self.calls.append((target, "skip", *robots))  # noqa: E731 - a method of its own
        return SimpleNamespace(target=target, interface=interface, call=call, pose=lambda: readings, skip=skip)


def drive(robot: str, module: str, name: str, *data: str, factor: float = 1.0) -> Binding:
    return Binding(Bound(robot, module, name), data, factor)


def bound(told: Told, *drives: Binding, inputs: tuple[Binding, ...] = ()) -> BoundModules:
    return BoundModules(told, told.stepper, inputs, drives)  # type: ignore[arg-type]


def test_the_command_that_a_tick_waits_for_goes_last() -> None:
    module = Told("motors")
    modules = bound(
        module,
        drive("", "motors", "set_velocity", "v", "w"),
        drive("", "gripper", "close", factor=1.0),
        drive("robot2", "motors", "set_velocity", "v", "w", factor=2.0),
    )
    modules.command({"v": 0.3, "w": -0.1})
    assert module.calls == [
        ("/robot1/gripper", "close"),
        ("/robot1/motors", "set_velocity", 0.3, -0.1),
        ("/robot2/motors", "set_velocity", 0.6, -0.2),
    ]


def test_robots_that_nothing_drives_are_passed_over_so_that_the_tick_does_not_wait_for_them() -> None:
    module = Told("motors")
    bound(module, drive("", "motors", "set_velocity", "v", "w")).command({"v": 0.0, "w": 0.0})
    assert module.calls[-1] == ("/sim/step", "skip", "robot2")


def test_a_robot_that_is_not_driven_is_commanded_by_nobody() -> None:
    with pytest.raises(BadArgument, match="commands robot3, which is not among --robots robot1 robot2"):
        bound(Told("motors"), drive("robot3", "motors", "stop"))


def test_a_reading_that_a_module_has_not_is_refused_with_those_that_it_has() -> None:
    with pytest.raises(BadArgument, match="/robot1/odometry has no reading 'altitude'; it has: "):
        bound(Told("motors"), inputs=(drive("", "odometry", "altitude", "height"),))


def test_in_the_end_what_was_driven_is_stopped() -> None:
    module = Told("motors")
    with bound(module, drive("", "motors", "set_velocity", "v", "w")):
        pass
    assert module.calls == [("/robot1/motors", "stop")]


def test_where_the_run_is_over_nobody_is_asked_to_stop() -> None:
    module = Told("motors")
    with bound(module, *(drive(robot, "motors", "set_velocity", "v", "w") for robot in ("robot1", "robot2"))):
        module.is_gone = True
    assert module.calls == []
