"""Control laws of a run as its scene changes: ended, started and started again while time goes on."""

import selectors
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from coopsim import plugins
from coopsim.errors import CoopsimError
from coopsim.launch.controller_processes import ControllerProcesses
from coopsim.launch.controllers import ControllerCommand, commands_beside, controller_commands, started_by_hand
from coopsim.launch.options import RunOptions, started_controllers
from coopsim.launch.programs import RunView
from coopsim.robots import RunSpec, load
from coopsim.transport.control import (
    BeginControllers,
    ControllersAnswer,
    ControllersOrder,
    DismissControllers,
    ExpectControllers,
    LauncherToHost,
    StartController,
    StopController,
)

Send: TypeAlias = Callable[[LauncherToHost], object]


class RunControllers:
    """The control laws of the scene that is there, and those that people start beside them.

    Args:
        spec: What is run first.
        options: What the command line decided.
        view: What people see.
        time_of_run: Returns the simulated time [s].
        grace: Seconds that a law has to end when it is asked to.

    Attributes:
        spec: Of the scene that is there.
        commands: Of its control laws; empty = it has none, or nobody wants them.
        processes: All that were started for it.
        has_changed: Whether another scene, or the same one again, has begun since this was last asked.
        begins: How often a scene has begun.

    Raises:
        NoSuchPlugin: A `[CONTROLLER_n]` section names no known control law.
    """

    def __init__(
        self, spec: RunSpec, options: RunOptions, view: RunView, time_of_run: Callable[[], float], grace: float
    ) -> None:
        self.spec, self._options, self._view, self._grace = spec, options, view, grace
        self.processes = ControllerProcesses(view.printed, view.complain, time_of_run)
        self.commands = self._commands_of(spec)
        self._endpoint, self._environment = "", dict[str, str]()
        self._send: Send = lambda _: None
        self._dismissals: list[int] = []  # numbers of the orders: several clients may want the same end
        self._dismissed_until = 0.0
        self._is_between, self.has_changed, self.begins = False, False, 1

    def _commands_of(self, spec: RunSpec) -> list[ControllerCommand]:
        sections = started_controllers(spec, self._options)
        return controller_commands(sections, allow_commands=self._options.allow_commands)

    @property
    def robots(self) -> tuple[str, ...]:
        """Robots that the laws of the scene drive, sorted."""
        return tuple(sorted({robot for command in self.commands for robot in command.robots}))

    @property
    def are_over(self) -> bool:
        """Whether the scene has control laws and all of them have ended by themselves."""
        return bool(self.commands) and not self._is_between and self.processes.are_done

    @property
    def is_between(self) -> bool:
        """Whether the laws of one scene are ended, and those of the next one have not begun."""
        return self._is_between

    def start(self, endpoint: str, environment: Mapping[str, str], send: Send) -> None:
        """Start the laws of the scene.

        Args:
            endpoint: Where the run answers.
            environment: Variables that they need.
            send: Takes messages for the host.
        """
        self._endpoint, self._environment, self._send = endpoint, dict(environment), send
        self._start_all()

    def _start_all(self) -> None:
        self._send(ExpectControllers(self.robots))
        self.processes.start([*self.commands, *commands_beside(self.spec)], self._endpoint, self._environment)

    def watch(self, selector: selectors.BaseSelector) -> None:
        """Wait for what they print, and no more for what is closed."""
        for key in list(selector.get_map().values()):
            if getattr(key.fileobj, "closed", False):
                selector.unregister(key.fileobj)
        watched = {key.fileobj for key in selector.get_map().values()}
        for lines in self.processes.pipes:
            if lines not in watched:
                selector.register(lines, selectors.EVENT_READ)

    def poll(self) -> None:
        """Pass on what they print, and answer who waits for their end."""
        self.processes.poll()
        if self._dismissals and (not self.processes.are_running or time.monotonic() >= self._dismissed_until):
            self.processes.forget()
            numbers, self._dismissals = self._dismissals, []
            for number in numbers:
                self._send(ControllersAnswer(0, "", number))

    def handle(self, order: ControllersOrder) -> ControllersAnswer | None:
        """Carry out what a client asked the host for; return the answer, None = it comes later."""
        try:
            text = self._carry_out(order)
        except CoopsimError as problem:
            return ControllersAnswer(problem.code, str(problem), order.id)
        return None if isinstance(order, DismissControllers) else ControllersAnswer(0, text, order.id)

    def _carry_out(self, order: ControllersOrder) -> str:
        match order:
            case DismissControllers(number):
                self._is_between = True
                self.processes.dismiss()
                self._dismissals.append(number)
                self._dismissed_until = time.monotonic() + self._grace
            case BeginControllers(_, file):
                self._begin(file)
            case StartController(_, law, robots, arguments):
                return self._start_one(law, robots, arguments)
            case StopController(_, name):
                self.processes.dismiss_one(name)
        return ""

    def _begin(self, file: str) -> None:
        """Start the laws of a scene that was just loaded, or of the same one again."""
        self._is_between, self.has_changed, self.begins = False, True, self.begins + 1
        if file:
            self.commands = []
            self.spec = load(file)
            self.commands = self._commands_of(self.spec)
        self._send(ExpectControllers(self.robots, is_anew=True))
        self._start_all()

    def _start_one(self, law: str, robots: tuple[str, ...], arguments: dict[str, str]) -> str:
        command = started_by_hand(self.spec, law, robots, arguments)
        names = self.processes.names
        number = next(number for number in range(1, len(names) + 2) if _numbered(law, number) not in names)
        command = replace(command, name=_numbered(law, number))
        self._send(ExpectControllers(robots))
        self.processes.start([command], self._endpoint, self._environment)
        return command.name

    def stop(self, serve: Callable[[Callable[[], bool], float], None]) -> None:
        """End all of them.

        Args:
            serve: Serves the run until something holds, or for so many seconds.
        """
        self._is_between, self._dismissals = True, []
        self.processes.dismiss()
        serve(lambda: self.processes.all_ended, self._grace)
        self.processes.reap()

    def to_plain(self) -> dict[str, Any]:
        """Return what clients are told of them."""
        laws = sorted(plugins.registered("controllers"))
        return {"begins": self.begins, "controllers": self.processes.to_plain(), "laws": laws}


def _numbered(law: str, number: int) -> str:
    return law if number == 1 else f"{law}#{number}"
