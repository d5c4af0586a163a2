"""Commands, and plugins that fail when they are told to."""

import contextlib
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

DEADLINE = 90.0
COOPSIM = (sys.executable, "-m", "coopsim")
MOODY = '''"""A sensor that fails when its parameter says so."""

from coopsim.devices.per_robot import PerRobot
from coopsim.interfaces import Command, Field, Interface, Parameter


class Moody(PerRobot):
    """Counts ticks until it is told to fail."""

    interface = Interface(
        "moody",
        "Counts ticks until it is told to fail.",
        (Command(10, "count", gives=(Field("count", "1"),)),),
        (Parameter("fails_at", int, 1000000, "1", 0, 1000000, "tick"),),
    )

    def read(self, robot):
        if robot.tick >= robot.parameters["fails_at"]:
            raise ValueError("in a bad mood")
        return robot.tick


PLUGINS = {"devices": {"moody": Moody}}
'''
MOODY_LINE = 1 + MOODY.splitlines().index('            raise ValueError("in a bad mood")')
ROBOT = """[ROBOT]
[BODY]
type        cylinder
size        0.4 0.4 0.3
mass        10
[DEVICE_1]
type        differential_drive
name        motors
[DEVICE_2]
type        moody
name        moody
"""
SCENARIO = """[WORLD]
file        arena.world
[ROBOT_1]
type        carrier
name        robot1
position    0 0 0
[ROBOT_2]
type        carrier
name        robot2
position    2 0 0
"""
LAW = '''"""A law."""

from coopsim.features.laws import options
from coopsim.features.laws.process import drive


def main(arguments):
    chosen = options.parser("brief", "Some steps ahead.", ()).parse_args(arguments)
    return drive("brief", chosen.robots, chosen.endpoint, begin)


def begin(sim, stepper):
    left = [30]

    def decide(seen):
        left[0] -= 1
        LAST
        return dict.fromkeys(seen.robots, (0.2, 0.1)) if left[0] else None

    return decide


PLUGINS = {"controllers": {"brief": main}}
'''


def coopsim(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run([*COOPSIM, *arguments], capture_output=True, text=True, timeout=DEADLINE, check=False)


@contextlib.contextmanager
def shown(*arguments: str) -> Iterator[str]:
    """Run `coopsim replay` and give its endpoint."""
    command = [*COOPSIM, "replay", *arguments, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0) as process:
        try:
            yield _endpoint(process)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=DEADLINE)


def _endpoint(process: "subprocess.Popen[bytes]") -> str:
    assert process.stdout is not None
    said, end = b"", time.monotonic() + DEADLINE
    while (match := re.search(rb"answering on (tcp://\S+)", said)) is None:
        assert select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))[0], said.decode()
        output = process.stdout.read(4096)
        assert output, said.decode()
        said += output
    return match[1].decode()
