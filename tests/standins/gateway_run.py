"""A run as codecs of gateways see it, whose modules answer from tables and note what they were asked."""

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from coopsim.errors import BadArgument, CoopsimError, NoSuchName
from coopsim.interfaces import MOTORS, SONARS, Interface, Parameter

CRATE = Interface("crate", "Carries.", parameters=(
    Parameter("label", str, "old"),
    Parameter("layers", int, 2, "1", 1, 5, "how many"),
    Parameter("side", str, "left", choices=("left", "right"), summary="of the door"),
))  # fmt: skip


class AskedModule:
    """A module of a run.

    Attributes:
        answers: What each command gives, or a problem that it raises.
        asked: Commands and arguments, in their order.
        values: Of its parameters.
    """

    def __init__(self, interface: Interface | None = None, answers: Mapping[str, Any] | None = None) -> None:
        self.interface, self.answers = interface, dict(answers or {})
        self.asked: list[tuple[Any, ...]] = []
        self.values = {parameter.name: parameter.default for parameter in interface.parameters} if interface else {}

    async def call(self, command: str, *arguments: Any, timeout: float | None = None) -> Any:
        """Note a call; return what the table says."""
        await asyncio.sleep(0)
        self.asked.append((command, *arguments, *([timeout] if timeout is not None else [])))
        answer = self.answers.get(command)
        if isinstance(answer, CoopsimError):
            raise answer
        return answer(*arguments) if callable(answer) else answer

    async def get_parameter(self, name: str) -> Any:
        """Return the value of a parameter."""
        await asyncio.sleep(0)
        if name not in self.values:
            raise BadArgument(f"no parameter {name!r}")
        return self.values[name]

    async def set_parameter(self, name: str, value: Any) -> Any:
        """Set a parameter as a server does: within its range."""
        await asyncio.sleep(0)
        self.asked.append(("set", name, value))
        if self.interface is None:
            raise BadArgument(f"no parameter {name!r}")
        self.values[name] = self.interface.parameter(name).check(value)
        return self.values[name]


class AskedRun:
    """A run with two robots and its own modules.

    Attributes:
        by_target: Modules by their names on the wire.
    """

    def __init__(self) -> None:
        self.clock = AskedModule(answers={"status": SimpleNamespace(paused=False, tick=7, time=0.07)})
        self.world = AskedModule()
        self.by_target = {
            "/robot1/motors": AskedModule(MOTORS, {"state": (0.1, 0.2)}),
            "/robot1/sonars": AskedModule(SONARS),
            "/robot2/crate": AskedModule(CRATE),
        }
        self.entities = [SimpleNamespace(name="robot1"), SimpleNamespace(name="box")]
        self.modules = {name: SimpleNamespace(interface=asked.interface) for name, asked in self.by_target.items()}
        self.types = {"/clock": "rosgraph_msgs/Clock", "/robot1/scan": "sensor_msgs/LaserScan"}
        self.command_topics = {"/robot1/cmd_vel": object()}
        self.types |= {"/robot1/cmd_vel": "geometry_msgs/Twist"}
        self.time = 1.25

    @property
    def sim(self) -> "AskedRun":
        """The client of the run."""
        return self

    async def scene(self) -> Any:
        """Return what stands in the world."""
        await asyncio.sleep(0)
        return SimpleNamespace(entities=self.entities)

    def module(self, target: str) -> AskedModule:
        """Return a module.

        Raises:
            NoSuchName: There is none.
        """
        if target not in self.by_target:
            raise NoSuchName(f"nothing is called {target}")
        return self.by_target[target]
