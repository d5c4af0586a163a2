"""The modules of a robot: what they can be set to, and how often they are asked."""

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coopsim.errors import CoopsimError
from coopsim.features.desktop.session import ViewerSession
from coopsim.interfaces import Parameter, Value
from coopsim.message.targets import robot_and_module

if TYPE_CHECKING:
    from coopsim.client import Client

_EVERY = 1.0
"""Interval at which values are read [s]."""


@dataclass(frozen=True, slots=True)
class WatchedModule:
    """A module as it was seen last.

    Attributes:
        target: Its name, `/robot1/motors`.
        kind: What it is.
        parameters: What it can be set to.
        values: By name of the parameter.
        requests: How many it has answered.
        commands: Names of its commands.
        seen: When, by the monotonic clock [s].
    """

    target: str
    kind: str
    parameters: tuple[Parameter, ...]
    values: dict[str, Value]
    requests: int
    commands: frozenset[str]
    seen: float


class ModuleWatch:
    """Follows the modules of one robot.

    Args:
        session: Whose run is asked.

    Attributes:
        robot: Whose modules they are, "" = nobody's.
        modules: As they were seen last.
        rates: Requests per second, by module.
    """

    def __init__(self, session: ViewerSession) -> None:
        self._session = session
        self.robot = ""
        self.modules: tuple[WatchedModule, ...] = ()
        self.rates: dict[str, float] = {}
        self._due = 0.0
        self._is_asking = False

    def watch(self, robot: str) -> None:
        """Follow a robot; called with each picture."""
        if robot != self.robot:
            self.robot, self.modules, self.rates, self._due = robot, (), {}, 0.0
        now = time.monotonic()
        if robot and not self._is_asking and now >= self._due:
            self._is_asking, self._due = True, now + _EVERY
            self._session.link.ask(
                lambda simulation: (robot, _read_modules(simulation, robot)),
                then=self._receive_modules,
                failed=self._fail,
            )

    def _receive_modules(self, answer: tuple[str, tuple[WatchedModule, ...]]) -> None:
        self._is_asking = False
        robot, modules = answer
        if robot != self.robot:
            return
        before = {module.target: module for module in self.modules}
        for watched in modules:
            old = before.get(watched.target)
            if old is not None and watched.seen > old.seen:
                self.rates[watched.target] = max(0.0, watched.requests - old.requests) / (watched.seen - old.seen)
            self._session.values.update({(watched.target, name): value for name, value in watched.values.items()})
        self.modules = modules

    def _fail(self, _problem: CoopsimError) -> None:
        self._is_asking, self.modules = False, ()


def _read_modules(simulation: "Client", robot: str) -> tuple[WatchedModule, ...]:
    """Ask the modules of a robot."""
    targets = [name for name in simulation.names(f"/{robot}/") if robot_and_module(name)[0] == robot]
    return tuple(seen_now(simulation, target) for target in targets)


def seen_now(simulation: "Client", target: str) -> WatchedModule:
    """Ask a module."""
    module = simulation.module(target)
    interface = module.interface
    statistics = json.loads(str(module.call("statistics").statistics))
    values = {parameter.name: module.get_parameter(parameter.name) for parameter in interface.parameters}
    requests = int(statistics.get("requests", 0)) - len(values) - 1
    names = frozenset(command.name for command in interface.commands)
    return WatchedModule(target, interface.kind, interface.parameters, values, requests, names, time.monotonic())
