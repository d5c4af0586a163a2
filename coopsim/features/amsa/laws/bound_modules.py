"""Modules of robots that data of a system are bound to: readings that come in, commands that go out."""

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from coopsim.client import Client, Module, Stepper
from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.amsa.components.bindings import Binding, Bound
from coopsim.interfaces import Effect

_STEP = "/sim/step"


class BoundModules:
    """Reads what becomes data, and commands what data become; gives the robots back in the end.

    Args:
        sim: The run.
        stepper: Owns the robots that are driven; paths without a robot are those of the first.
        inputs: Readings that become data.
        drives: Data that become commands.

    Raises:
        BadArgument: A command goes to a robot that is not driven, or a module has no such reading.
    """

    def __init__(self, sim: Client, stepper: Stepper, inputs: Sequence[Binding], drives: Sequence[Binding]) -> None:
        robots = stepper.robots
        self._sim, self._robots, self._inputs = sim, robots, inputs
        self._reads: dict[tuple[str, str], Any] = {}
        self._keys = [self._key(port.to) for port in inputs]
        pacing = {robot: _pacing(stepper, robot) for robot in robots}
        calls = [(self._target(drive.to, robots), drive) for drive in drives]
        # the command that a tick waits for goes last: then it finds all others
        calls.sort(key=lambda call: call[0] in pacing.values())
        self._calls = [(sim.module(target), call) for target, call in calls]
        driven = {target for target, _ in calls}
        self._skipped = [robot for robot, target in pacing.items() if target not in driven]

    def read(self) -> dict[str, float]:
        """Return the newest data."""
        readings = {key: read() for key, read in self._reads.items()}
        given = {}
        for port, key in zip(self._inputs, self._keys, strict=True):
            value = getattr(readings[key], port.to.name)
            given[port.data[0]] = port.factor * float(value if isinstance(value, float | int) else value[port.to.index])
        return given

    def command(self, values: Mapping[str, Any]) -> None:
        """Command what data become."""
        for module, call in self._calls:
            module.call(call.to.name, *(float(values[name]) * call.factor for name in call.data))
        if self._skipped:
            self._sim.module(_STEP).skip(self._skipped)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for module in self._driven():
            try:
                module.call("stop", timeout=0.5)
            except CoopsimError:
                return  # the run is over or the server gone: asking for the others would only take time

    def _driven(self) -> Iterable[Module]:
        modules = {module.target: module for module, call in self._calls}
        return [
            module
            for module in modules.values()
            if any(command.name == "stop" for command in module.interface.commands)
        ]

    def _target(self, to: Bound, robots: Sequence[str]) -> str:
        robot = to.robot or robots[0]
        if robot not in robots:
            raise BadArgument(f"{to} commands {robot}, which is not among --robots {' '.join(robots)}")
        return f"/{robot}/{to.module}"

    def _key(self, to: Bound) -> tuple[str, str]:
        """Return which command gives a reading, and note it."""
        module = self._sim.module(f"/{to.robot or self._robots[0]}/{to.module}")
        for command in module.interface.commands:
            if command.effect is Effect.READ and any(field.name == to.name for field in command.gives):
                key = (module.target, command.name)
                self._reads[key] = getattr(module, command.name)
                return key
        names = [field.name for field in module.interface.readings]
        raise BadArgument(f"{module.target} has no reading {to.name!r}; it has: {', '.join(names)}")


def _pacing(stepper: Stepper, robot: str) -> str:
    """Return the module whose command a tick waits for, in lockstep."""
    modules = stepper.layout.types[stepper.layout.robots[robot]].takes.modules
    return f"/{robot}/{next(iter(modules), '')}"
