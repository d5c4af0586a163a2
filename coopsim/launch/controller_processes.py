"""The controllers of a run while they run: their output, their ends, their failures."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import IO, Any

from coopsim.errors import NoSuchName
from coopsim.launch.child import Child
from coopsim.launch.controllers import ControllerCommand
from coopsim.suggest import listed

# Output of a controller, split into lines.
_LONGEST = 4096


class Lines:
    """Reads whole lines from a pipe without blocking and remembers the last ones.

    Args:
        pipe: Reading end of the pipe; it becomes non-blocking.
        kept: How many lines are remembered.
    """

    def __init__(self, pipe: IO[bytes], kept: int = 10) -> None:
        os.set_blocking(pipe.fileno(), False)
        self._pipe = pipe
        self._rest = b""
        self.last: deque[str] = deque(maxlen=kept)
        self.closed = False

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._pipe.fileno()

    def read(self) -> list[str]:
        """Return the lines that are complete; at the end of the pipe also the incomplete one."""
        try:
            data = os.read(self.fileno(), 1 << 16)
        except BlockingIOError:
            return []
        self.closed = not data
        *whole, self._rest = (self._rest + data).split(b"\n")
        if self._rest and (self.closed or len(self._rest) > _LONGEST):
            whole, self._rest = [*whole, self._rest], b""
        lines = [line.decode(errors="replace").rstrip() for line in whole]
        self.last.extend(lines)
        return lines


ENDPOINT, TIMEOUT = "COOPSIM_ENDPOINT", "COOPSIM_TIMEOUT"
PATIENCE = 10.0
"""Default time-out of controllers for a reply: when the server dies, the launcher sees it [s]."""
_SHOWN = 8  # last lines of a program that failed: a traceback's end
_MOST_HEARD, _WIDEST = 100, 200  # controllers whose lines clients get, and characters of a line: it is one message


class ControllerProcess:
    """A controller process.

    Args:
        command: What to start.
        endpoint: Where the run answers; the controller reads it from `COOPSIM_ENDPOINT`, and from `COOPSIM_TIMEOUT`
            how long to wait for a reply.
        more: Other variables that it needs.

    Raises:
        OSError: The program cannot be started.
    """

    def __init__(self, command: ControllerCommand, endpoint: str, more: Mapping[str, str]) -> None:
        self.name, self.robots, self.is_beside = command.name, command.robots, command.is_beside
        self.law, self.arguments, self.is_unwanted = command.law, command.arguments, False
        self.began, self.ended_at = 0.0, 0.0
        patience = os.environ.get(TIMEOUT) or f"{PATIENCE:g}"
        environment = {ENDPOINT: endpoint, TIMEOUT: patience, "PYTHONUNBUFFERED": "1", **more}
        # one that asks nothing for a while would not notice that the run is over before its next time-out
        self.child = Child(
            f"controller {command.name}", command.command, environment=environment, captured=True, is_mortal=True
        )
        pipes = (self.child.process.stdout, self.child.process.stderr)
        self.output, self.errors = (Lines(pipe, kept=_SHOWN) for pipe in pipes if pipe is not None)
        self.judged = False
        self.said: deque[tuple[int, float, str]] = deque(maxlen=_SHOWN)  # number, simulated time, line

    @property
    def state(self) -> str:
        """State, in the word of clients: running, ended, failed or stopped."""
        if not self.child.ended:
            return "running"
        return "stopped" if self.is_unwanted else "failed" if self.child.code else "ended"

    @property
    def reason(self) -> str:
        """Reason of its end, for people; its last word where it ended well."""
        if not self.child.ended:
            return ""
        if self.is_unwanted:
            return "was stopped"
        last = [*self.output.last, *self.errors.last] if self.child.code == 0 else list(self.errors.last)
        words = "" if not last else f": {last[-1]}"
        return f"has ended{words}" if self.child.code == 0 else f"{self.child.ending.partition(chr(10))[0]}{words}"

    @property
    def complaint(self) -> str:
        """Message for people when it ended with an error."""
        driven = f" (drives {listed(self.robots, 5)})" if self.robots else ""
        last = "".join(f"\n    {line}" for line in self.errors.last)
        return f"{self.child.name}{driven} {self.child.ending}{'; its last words:' if last else ''}{last}"


class ControllerProcesses:
    """All controllers that the launcher started.

    Args:
        printed: Called with every line that a controller prints: its name, the line.
        failed: Called with the complaint about a controller that ended with an error.
        time: Returns the simulated time [s].

    Attributes:
        failures: Names of the controllers that ended with an error.
    """

    def __init__(
        self,
        printed: Callable[[str, str], None],
        failed: Callable[[str], None],
        time: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._printed, self._failed, self._time = printed, failed, time
        self._controllers: list[ControllerProcess] = []
        self.failures: list[str] = []

    def start(
        self, commands: Sequence[ControllerCommand], endpoint: str, more: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """Start controllers, with `more` variables; one that cannot be started counts as failed."""
        for command in commands:
            try:
                process = ControllerProcess(command, endpoint, more)
                process.began = self._time()
                self._controllers.append(process)
            except OSError as problem:
                self.failures.append(command.name)
                self._failed(f"controller {command.name} cannot be started: {command.command[0]}: {problem.strerror}")

    @property
    def pipes(self) -> Iterator[Lines]:
        """Pipes that may have something to read."""
        for driver in self._controllers:
            yield from (lines for lines in (driver.output, driver.errors) if not lines.closed)

    @property
    def all_ended(self) -> bool:
        """Whether none of them runs any more; programs that sections put beside the run do not count."""
        return all(driver.child.ended for driver in self._controllers if not driver.is_beside)

    @property
    def are_done(self) -> bool:
        """Whether all have ended, and not only because people stopped them: then another law may follow."""
        own = [driver for driver in self._controllers if not driver.is_beside]
        by_hand = any(driver.robots and not driver.child.ended for driver in self._controllers)
        return self.all_ended and not by_hand and not (own and all(driver.is_unwanted for driver in own))

    @property
    def owners(self) -> dict[str, str]:
        """The controller of each robot, by robot."""
        return {robot: driver.name for driver in self._controllers for robot in driver.robots}

    def poll(self) -> None:
        """Pass on what they printed; report each one that ended with an error, once."""
        for driver in self._controllers:
            ended = driver.child.ended  # asked before reading, so that no output is missed
            self._read(driver)
            if ended and not driver.judged:
                driver.judged, driver.ended_at = True, self._time()
                if driver.child.code != 0:
                    self.failures.append(driver.name)
                    self._failed(driver.complaint)

    def dismiss(self) -> None:
        """Ask all of them to end; how they end counts no more."""
        for driver in self._controllers:
            self._dismiss(driver)

    def dismiss_one(self, name: str) -> None:
        """Ask one of them to end; how it ends counts no more.

        Raises:
            NoSuchName: None of this name runs.
        """
        drivers = [driver for driver in self._controllers if driver.name == name and not driver.child.ended]
        if not drivers:
            running = [driver.name for driver in self._controllers if not driver.child.ended]
            raise NoSuchName(
                f"no control law {name[:80]!r} runs here; there are: {listed(running, 8) or 'none'}"
            ).bring(name)
        self._dismiss(drivers[0])

    def _dismiss(self, driver: ControllerProcess) -> None:
        if not driver.judged:
            driver.judged, driver.is_unwanted, driver.ended_at = True, True, self._time()
            driver.child.terminate()

    def forget(self) -> None:
        """End all that still run, and forget them: another scene comes, or the same one again."""
        self.reap()
        self._controllers = []

    def to_plain(self) -> list[dict[str, Any]]:
        """Return what clients are told of each."""
        return [
            {
                "name": driver.name,
                "law": driver.law,
                "arguments": dict(driver.arguments),
                "robots": list(driver.robots),
                "state": driver.state,
                "reason": driver.reason,
                "began": driver.began,
                "ended": driver.ended_at if driver.child.ended else None,
                "by_hand": driver.is_beside and bool(driver.robots) and not driver.is_unwanted,
                "said": [list(line) for line in driver.said if len(self._controllers) <= _MOST_HEARD],
            }
            for driver in self._controllers
        ]

    @property
    def names(self) -> set[str]:
        """Names of all that were started since the scene began."""
        return {driver.name for driver in self._controllers}

    @property
    def are_running(self) -> bool:
        """Whether one of them runs, those beside the run too."""
        return any(not driver.child.ended for driver in self._controllers)

    def reap(self) -> None:
        """End what still runs and leave nothing behind."""
        for driver in self._controllers:
            driver.child.reap()
        for driver in self._controllers:
            self._read(driver)
            driver.output.closed = driver.errors.closed = True
            driver.child.close()

    def _read(self, driver: ControllerProcess) -> None:
        for lines in (driver.output, driver.errors):
            while not lines.closed:
                complete = lines.read()
                for line in complete:
                    driver.said.append((driver.said[-1][0] + 1 if driver.said else 0, self._time(), line[:_WIDEST]))
                    self._printed(driver.name, line)
                if not complete:
                    break
