"""The frame of every control law's process: connect, drive, stop the motors, and say with which code it ended."""

import logging
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from coopsim.client import Client, Law, Readings, Stepper, connect
from coopsim.client.team import Commands
from coopsim.errors import BadArgument, CoopsimError, NoReply, NoSuchName, OwnedByAnother, SimulationEnded, StaleLayout
from coopsim.interpreter import install_command

TERMINATED = 143  # 128 and the signal, as shells say it
INTERRUPTED = 130  # 128 and the signal, as shells say it
_FAREWELL = 0.5  # s; a program that ends must not wait for a server that has ended
_TOLD_WITHIN = 0.3  # s; physics refuses a name that is gone before its next record tells the server why
_BETWEEN_QUESTIONS = (
    0.01  # s; a record or two in real time, so that the server is not asked for what it cannot know yet
)
_log = logging.getLogger(__name__)

Begin = Callable[[Client, Stepper], Law]
"""Looks at the robots and returns the law that drives them."""
Joins = Callable[[str], bool]
"""Returns whether a robot of this name is to be driven, too, when it comes."""


def drive(
    name: str,
    robots: Sequence[str],
    endpoint: str | None,
    begin: Begin,
    rate: float = math.inf,
    joins: Joins = lambda _: False,
) -> int:
    """Drive robots by a law until it is done, the run ends, or a signal comes; return the exit code.

    The same loop serves real time and lockstep: a step is answered after the next tick in every mode, so a live
    switch of the mode needs nothing.

    Args:
        name: Of the law, for texts.
        robots: Their names.
        endpoint: Where the simulation answers; None = COOPSIM_ENDPOINT or the default.
        begin: Called once, connected and with the robots claimed.
        rate: How often the law decides in simulated time [Hz]; at most once a tick.
        joins: Which robots of the same type it drives, too, as soon as they are there.
    """
    return driving(name, endpoint, lambda sim: _drive(sim, robots, begin, rate, joins))


def driving(name: str, endpoint: str | None, body: Callable[[Client], None]) -> int:
    """Run `body` with a connection until it returns, the run ends, or a signal comes; return the exit code."""
    try:
        with _sigterm_raises(), connect(endpoint) as sim:
            body(sim)
    except SimulationEnded:
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except _Terminated:
        return TERMINATED
    except ModuleNotFoundError as problem:
        package = (problem.name or "coopsim").partition(".")[0]
        if package == "coopsim":
            raise  # a mistake of ours
        sys.stderr.write(f"{name}: this needs the Python package {package}: {install_command(package)}\n")
        return 1
    except CoopsimError as problem:
        # a time-out's own text says what to do already
        cure = "" if isinstance(problem, NoReply) else f". {problem.cure}"
        sys.stderr.write(f"{name}: {problem}{cure}\n")
        return 1
    return 0


def _drive(sim: Client, robots: Sequence[str], begin: Begin, rate: float, joins: Joins) -> None:
    every = 1 if rate == math.inf else max(1, round(1.0 / (rate * sim.clock.status().step)))
    with sim.stepper(robots, timeout=math.inf, every=every) as stepper:
        try:
            _steer(sim, stepper, begin, joins)
        finally:
            with _undisturbed():
                _stop(sim, stepper.robots)


def _steer(sim: Client, stepper: Stepper, begin: Begin, joins: Joins) -> None:
    arrivals = _Arrivals(stepper, joins)
    while True:
        try:
            stepper.run(arrivals.watched(begin(sim, stepper)))
        except StaleLayout as problem:
            # a robot was removed: the law begins anew with those that are left
            _log.warning("%s", problem)
        except (BadArgument, NoSuchName):
            if not _is_one_removed(sim, stepper):
                raise
            _find_out(stepper)
        except _Arrived as found:
            arrivals.enlist(found.robots)
        else:
            return


def _is_one_removed(sim: Client, stepper: Stepper) -> bool:
    """Return whether a robot of the stepper is gone; a refusal may come before the server tells of the removal."""
    deadline = time.monotonic() + _TOLD_WITHIN
    while set(stepper.robots) <= set(sim.robots()):
        if time.monotonic() > deadline:
            return False
        time.sleep(_BETWEEN_QUESTIONS)
    return True


def _find_out(stepper: Stepper) -> None:
    """Let a stepper find out that a robot was removed before the law had told its name to another one."""
    try:
        stepper.step()
    except StaleLayout as problem:
        _log.warning("%s", problem)


class _Arrived(Exception):
    """Robots came that are to be driven, too."""

    def __init__(self, robots: Sequence[str]) -> None:
        super().__init__(*robots)
        self.robots = robots


class _Arrivals:
    """Looks for robots that come while a law drives; the law begins anew with them."""

    def __init__(self, stepper: Stepper, joins: Joins) -> None:
        self._stepper, self._joins = stepper, joins
        self._generation = -1

    def watched(self, law: Law) -> Law:
        """Return a law that decides as `law` does, and raises `_Arrived` when robots came."""

        def decide(seen: Readings) -> Commands | None:
            layout = self._stepper.layout
            if layout.generation != self._generation:
                self._generation = layout.generation
                if report := self._found():
                    raise _Arrived(report)
            return law(seen)

        return decide

    def enlist(self, robots: Sequence[str]) -> None:
        """Drive these robots, too, but for those that somebody else drives."""
        for robot in robots:
            try:
                self._stepper.enlist([robot])
            except OwnedByAnother as problem:
                _log.warning("%s does not join: %s", robot, problem)

    def _found(self) -> list[str]:
        stepper = self._stepper
        kinds = {stepper.layout.robots[robot] for robot in stepper.robots}
        own = set(stepper.robots)
        robots = [name for name, kind in stepper.layout.robots.items() if kind in kinds and name not in own]
        return [name for name in robots if self._joins(name)]


def _stop(sim: Client, robots: Sequence[str]) -> None:
    for robot in robots:
        try:
            sim.module(f"/{robot}/motors").call("stop", timeout=_FAREWELL)
        except CoopsimError as problem:
            # the run is over or the server gone: asking for the others would only take time
            _log.debug("%s not stopped: %s", robot, problem)
            return


class _Terminated(BaseException):
    """SIGTERM came."""


def _raise_terminated(_number: int, _frame: FrameType | None) -> None:
    raise _Terminated


@contextmanager
def _sigterm_raises() -> Iterator[None]:
    with _handlers({signal.SIGTERM: _raise_terminated}):
        yield


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ignore signals during the last commands to the motors; they are few and have time-outs."""
    with _handlers({signal.SIGTERM: signal.SIG_IGN, signal.SIGINT: signal.SIG_IGN}):
        yield


@contextmanager
def _handlers(
    wanted: dict[signal.Signals, "Callable[[int, FrameType | None], None] | signal.Handlers"],
) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number, handler in wanted.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
