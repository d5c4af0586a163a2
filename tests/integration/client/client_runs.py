"""A real simulation, and control laws as processes, watched with deadlines."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from coopsim.client import Client, connect

DEADLINE = 90.0
ARENA = """
[WORLD]
file wall.world
[TARGET]
red 3 0 0
blue -3 1 0
[ROBOT_1]
type single
name robot1
position 0 0 0
[ROBOT_2]
type single
name robot2
position 0 1.5 0
"""
WALL = """
[FLOOR]
size 12 12 0.1
[OBJECT_1]
type box
size 0.2 6 0.5
position 2.5 0 0
"""


class Process:
    """A process whose output is read while it runs."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        self.output = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output += line

    def until(self, pattern: str) -> re.Match[str]:
        """Wait until what it printed matches."""
        wait_until(
            lambda: bool(re.search(pattern, self.output)) or self.process.poll() is not None,
            lambda: f"{pattern!r} in {self.output!r}",
        )
        match = re.search(pattern, self.output)
        assert match is not None, self.output
        return match

    def end(self) -> int:
        """Wait for its end; return its exit code."""
        code = self.process.wait(DEADLINE)
        self._reader.join(DEADLINE)
        return code

    def kill(self) -> None:
        """Kill it and everything it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.end()
        if self.process.stdout is not None:
            self.process.stdout.close()


@contextmanager
def simulation(folder: Path, *options: str, scenario: str = ARENA) -> Iterator[tuple[Process, str, str]]:
    """Run a scenario without its controllers; gives the process, its ZeroMQ and its plain TCP endpoint."""
    file = folder / "arena.scenario"
    file.write_text(scenario)
    (folder / "wall.world").write_text(WALL)
    process = Process("coopsim", "run", str(file), "--no-controllers", "--no-gui", "--port", "0", *options)
    try:
        match = process.until(r"(tcp://\S+) \(ZeroMQ\) and (\S+) \(plain TCP\)")
        yield process, match[1], f"tcp+plain://{match[2]}"
    finally:
        process.kill()


class Arena:
    """A simulation that several tests have one after the other, without controllers.

    Args:
        folder: Where its files are, as `simulation` writes them.
        zmq: Where it answers ZeroMQ.
        plain: Where it answers plain TCP.
    """

    def __init__(self, folder: Path, zmq: str, plain: str) -> None:
        self._scene, self.zmq, self.plain = folder / "arena.scenario", zmq, plain

    def begin(self, mode: str = "lockstep") -> int:
        """Load the scene anew, its time at 0; return the tick that the next one follows."""
        with connect(self.zmq, timeout=DEADLINE) as sim:
            sim.clock.continue_()
            sim.clock.set_mode("real-time")
            sim.world.load(str(self._scene))
            sim.clock.set_mode(mode)
            return int(sim.clock.status().tick)


@contextmanager
def arena(folder: Path) -> Iterator[Arena]:
    """Run an arena for several tests."""
    with simulation(folder, "--mode", "lockstep") as (_, zmq, plain):
        yield Arena(folder, zmq, plain)


@contextmanager
def controller(name: str, endpoint: str, *options: str) -> Iterator[Process]:
    """Start a control law."""
    process = Process(f"coopsim.features.laws.{name}", "--endpoint", endpoint, *options)
    try:
        yield process
    finally:
        process.kill()


def wait_until(happened: Callable[[], bool], what: Callable[[], str] = lambda: "it") -> None:
    """Look again and again until something happened."""
    deadline = time.monotonic() + DEADLINE
    while not happened():
        assert time.monotonic() < deadline, f"{what()} never came"
        threading.Event().wait(0.01)


def moves(sim: Client, robot: str) -> bool:
    """Return whether the wheels of a robot turn."""
    state = sim.robot(robot).motors.state()
    return abs(state.v) + abs(state.w) > 0.02
