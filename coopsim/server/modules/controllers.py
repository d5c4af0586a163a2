"""`/sim/controllers`: control laws that the run started, its goals, and its end."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from coopsim.errors import BadArgument, CoopsimError, SimulationEnded, error_for
from coopsim.interfaces import CONTROLLERS, Command
from coopsim.message import Message
from coopsim.scene import Controller
from coopsim.server.edits import DeferredReply, EditForwarder
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.base import Handler, SimModule
from coopsim.server.modules.requests import params_of, text, texts
from coopsim.state.edits import ClockReset, Continue
from coopsim.transport import Channel, Source
from coopsim.transport.control import (
    BeginControllers,
    ControllersAnswer,
    ControllersNews,
    ControllersOrder,
    DismissControllers,
    HostToLauncher,
    LauncherToHost,
    StartController,
    StopController,
)

_NOTHING = '{"begins": 1, "controllers": [], "goals": [], "end": null, "laws": []}'
_MOST_ARGUMENTS = 64


class ControllersModule(SimModule):
    """Passes orders to the launcher, which starts and ends processes, and its answers back to those who wait.

    All of it runs under the lock of `Modules`.

    Args:
        link: The source.
        launcher: Channel to the launcher.
    """

    interface = CONTROLLERS

    def __init__(self, link: Source, launcher: Channel[HostToLauncher, LauncherToHost]) -> None:
        super().__init__()
        self._link, self._launcher = link, launcher
        self._status = _NOTHING
        self._edits: EditForwarder | None = None
        self._open: dict[int, Callable[[CoopsimError | None, str], None]] = {}
        self._next = 0

    def handlers(self) -> dict[str, Handler]:
        """Return the method for each command."""
        return {"status": self._status_reply, "restart": self._restart, "start": self._start, "stop": self._stop}

    def attach(self, edits: EditForwarder) -> None:
        """Learn the way to the source, which is made after this module."""
        self._edits = edits

    def receive(self, message: ControllersNews | ControllersAnswer) -> None:
        """Store how control laws stand, or call who waits for an answer."""
        if isinstance(message, ControllersNews):
            self._status = message.status
            return
        answered = self._open.pop(message.id, None)
        if answered is not None:
            answered(error_for(message.error)(message.text) if message.error else None, message.text)

    def dismiss(self, then: Callable[[CoopsimError | None, str], None]) -> None:
        """End all control laws; the scene is about to change."""
        self._order(DismissControllers(self._number()), then)

    def begin(self, file: str, then: Callable[[CoopsimError | None, str], None]) -> None:
        """Start the control laws of a scene that was loaded; "" = those of the scene that was there."""
        self._order(BeginControllers(self._number(), file), then)

    def started_by_hand(self) -> list[Controller]:
        """Return the control laws that people started, and that run or have ended by themselves, the newest last."""
        rows = json.loads(self._status)["controllers"]
        return [_section(row) for row in rows if row["by_hand"] and row["state"] != "failed"]

    def refuse_all(self) -> None:
        """Call all who wait: the simulation has ended."""
        waiting, self._open = self._open, {}
        for answered in waiting.values():
            answered(SimulationEnded("the simulation has ended"), "")

    def _number(self) -> int:
        self._next += 1
        return self._next

    def _order(self, order: ControllersOrder, then: Callable[[CoopsimError | None, str], None]) -> None:
        self._open[order.id] = then
        self._launcher.send(order)

    def _status_reply(self, command: Command, request: Message, _session: Session) -> Message:
        params_of(command, request)
        return request.reply((self._status,), tick=self._link.record.tick)

    def _restart(self, command: Command, request: Message, session: Session) -> None:
        params_of(command, request)
        later = self._later(request, session)

        def begin(problem: CoopsimError | None) -> None:
            self.begin("", lambda trouble, _: _answer(later, problem or trouble))

        def put_back(problem: CoopsimError | None, _: str) -> None:
            if problem is not None:
                later.refuse(problem)
                return
            edits = self._forwarder
            edits.send(
                ClockReset(),
                later,
                lambda _: edits.send(Continue(), later, lambda _: begin(None)),
                lambda answer: begin(answer.problem()),
            )

        self.dismiss(put_back)

    def _start(self, command: Command, request: Message, session: Session) -> None:
        given = params_of(command, request)
        law = text(given[0], "law") if given else ""
        arguments = _arguments(text(given[1], "arguments") if len(given) > 1 else "{}")
        robots = texts(given[2:], "robots")
        layout = self._link.now[0]
        for robot in robots:
            if robot not in layout.robot:
                raise BadArgument(f"there is no robot {robot[:80]!r} to drive").bring(robot)
        later = self._later(request, session)
        self._order(StartController(self._number(), law, robots, arguments), lambda *answer: _answer(later, *answer))

    def _stop(self, command: Command, request: Message, session: Session) -> None:
        name = text(params_of(command, request)[0], "name")
        later = self._later(request, session)
        self._order(StopController(self._number(), name), lambda problem, _: _answer(later, problem))

    def _later(self, request: Message, session: Session) -> DeferredReply:
        return self._forwarder.later(request, session)

    @property
    def _forwarder(self) -> EditForwarder:
        assert self._edits is not None  # noqa: S101 - attached before the first request
        return self._edits


def _answer(later: DeferredReply, problem: CoopsimError | None, word: str = "") -> None:
    """Answer a request: with a word, or with nothing, or with what went wrong."""
    if problem is not None:
        later.refuse(problem)
    else:
        later.succeed(*([word] if word else []))


def _section(row: Mapping[str, Any]) -> Controller:
    """Return a control law, as the status describes it, as the section that starts it."""
    arguments = tuple((key, tuple(text.split())) for key, text in row["arguments"].items())
    return Controller(row["law"], tuple(row["robots"]), arguments)


def _arguments(given: str) -> dict[str, str]:
    """Return arguments of a control law out of JSON.

    Raises:
        BadArgument: They are none.
    """
    try:
        arguments = json.loads(given or "{}")
    except ValueError as problem:
        raise BadArgument(f'arguments must be JSON such as {{"speed": 0.3}}: {problem}') from None
    if not isinstance(arguments, dict) or len(arguments) > _MOST_ARGUMENTS:
        raise BadArgument(f"arguments must be a JSON object of at most {_MOST_ARGUMENTS} entries")
    for name, value in arguments.items():
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise BadArgument(f"argument {name[:80]!r} must be text or a number").bring(name)
    return {name: value if isinstance(value, str) else f"{value!r}" for name, value in arguments.items()}
