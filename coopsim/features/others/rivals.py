"""`coopsim bench rivals`: steps of the simulators whose programs run here, and ours of the same scenes, by turns."""

import contextlib
import importlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np

from coopsim.errors import NoReply, NoSuchPlugin
from coopsim.features.files.figures import show
from coopsim.features.others.irsim.environment import IrsimEnvironment
from coopsim.features.others.own_runs import ShownRun
from coopsim.features.others.robotarium.arena import ScriptOptions, ScriptRobots

Row = dict[str, Any]
ROBOTARIUM_BOUND = 0.35
"""Of the time of a step of `rps`: 0.15 ms where that takes 0.43 ms."""
IRSIM_BOUND = 50.0
"""How many times as long a step of IR-SIM takes."""
_STEPS, _FEW_STEPS = 600, 4  # of ours and of rps in a round; of IR-SIM, of which one takes as long as hundreds of them
_SETTLING = 100  # steps until ticks are compiled and caches are warm
_ROBOTS, _CROWD = 15, 90
_WORLD = """\
world: {width: 40, height: 40, step_time: 0.1}
robot:
  - number: 90
    kinematics: {name: 'diff'}
    shape: {name: 'circle', radius: 0.2}
    distribution: {name: 'circle', radius: 15.0, center: [20, 20]}
    vel_max: [1, 2]
    sensors:
      - {type: 'lidar2d', number: 11, range_max: 4, angle_range: 3.14}
obstacle:
  - {shape: {name: 'rectangle', length: 4, width: 1}, state: [20, 20, 0]}
"""
_AHEAD, _AROUND = 0.2, 0.5  # m/s, rad/s; of all robots of that world
_LOOP = """\
import sys, time
{begin}
once()
print({place}, flush=True)
for line in sys.stdin:
    began = time.perf_counter()
    for _ in range(int(line)):
        once()
    print(time.perf_counter() - began, flush=True)
"""
_RPS_BEGIN = f"""
import numpy as np
import rps
from rps.robotarium import Robotarium
ids = np.arange({_ROBOTS})
first = np.array([[x, y, 0.3] for x in (-1.2, -0.6, 0.0, 0.6, 1.2) for y in (-0.6, 0.0, 0.6)]).T
velocities = np.stack([0.05 * np.cos(ids), np.ones(ids.size)])
robotarium = Robotarium(
    number_of_robots={_ROBOTS}, show_figure=False, sim_in_real_time=False, initial_conditions=first,
    skip_initialization=True,
)
def once():
    robotarium.get_poses()
    robotarium.set_velocities(ids, velocities)
    robotarium.step()
"""
_IRSIM_BEGIN = f"""
import numpy as np, irsim
environment = irsim.make(sys.argv[1], display=False)
actions = [np.array([[{_AHEAD}], [{_AROUND}]])] * {_CROWD}
def once():
    environment.step(actions, action_id=list(range({_CROWD})))
"""


@click.command(short_help="A step beside the simulators whose programs run here.")
@click.option(
    "--python",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=Path(sys.executable),
    help="Python of an environment with rps 2.1 and ir-sim.  [this one]",
)
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1), help="Each has all that is compared.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def rivals(python: Path, rounds: int, as_json: bool) -> int:
    """Compare steps with those of the simulators whose programs run here, by turns in one run.

    Robotarium: poses, velocities and step of 15 robots of a script, ours with a recording, against rps; value and raw:
    median milliseconds of a step of ours and theirs; ratio: value / raw, at most its bound. IR-SIM: env.step of a loop
    with 90 robots with 11 rays each, ours with a recording, against IR-SIM; ratio: raw / value, at least its bound.
    The exit code is 1 where a bound is not kept; where a package is missing the row says so, and there is nothing to
    keep.
    """
    rows = [_row(robotarium_row, python, rounds), _row(irsim_row, python, rounds)]
    columns = ("case", "unit", "value", "raw", "ratio", "bound", "ok")
    show(rows, columns, as_json=as_json)
    return int(not all(row.get("ok", True) for row in rows))


def _row(measure: Callable[[Path, int], Row], python: Path, rounds: int) -> Row:
    """Return a row, or one that says what is missing."""
    try:
        return measure(python, rounds)
    except NoSuchPlugin as problem:
        return {"case": f"{problem}", "unit": "ms"}


def robotarium_row(python: Path, rounds: int) -> Row:
    """Return the row of a step of the Robotarium.

    Raises:
        NoSuchPlugin: There is no `rps` of 2.x.
    """
    with contextlib.ExitStack() as stack:
        theirs = stack.enter_context(TimedLoop(python, _RPS_BEGIN, "rps.__file__", "rps 2.1"))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coopsim-bench-")))
        record = folder / "steps.mcap"
        arena = stack.enter_context(ScriptRobots(ScriptOptions(own=ShownRun(record=record))))
        ours = _served_loop(arena, Path(theirs.place).parent, folder)
        pairs = [(ours(_STEPS), theirs.measure(_STEPS)) for _ in range(rounds + 1)][1:]
    value, raw = (1e3 * statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(mine / other for mine, other in pairs)
    return {
        "case": f"Robotarium: {_ROBOTS} robots, recorded, against rps",
        "unit": "ms",
        "value": round(value, 4),
        "raw": round(raw, 4),
        "ratio": round(ratio, 3),
        "bound": ROBOTARIUM_BOUND,
        "ok": ratio <= ROBOTARIUM_BOUND,
    }


def _served_loop(arena: ScriptRobots, package: Path, folder: Path) -> Callable[[int], float]:
    """Return what times steps of a script whose `rps` is served here [s].

    Args:
        arena: Its robots.
        package: Folder of `rps`, of that environment; the packages it needs are those of this one.
        folder: For a link to it.
    """
    from coopsim.features.others.robotarium.served import served

    os.environ.setdefault("MPLBACKEND", "Agg")
    (folder / "rps").symlink_to(package)
    sys.path.insert(0, str(folder))
    try:
        robotarium: Any = importlib.import_module("rps.robotarium")
    except ImportError as problem:
        raise NoSuchPlugin(f"rps cannot be imported here: {problem}") from None
    finally:
        sys.path.remove(str(folder))
    kind = served(robotarium.Robotarium, arena, is_drawn=False, is_paced=False)
    before, robotarium.Robotarium = robotarium.Robotarium, kind
    names: dict[str, Any] = {}
    try:
        exec(compile(_RPS_BEGIN, "<steps>", "exec"), names)  # noqa: S102 - the text above, the same for both
    finally:
        robotarium.Robotarium = before
    return _timed(names["once"], _SETTLING)


def irsim_row(python: Path, rounds: int) -> Row:
    """Return the row of a step of IR-SIM's world.

    Raises:
        NoSuchPlugin: There is no IR-SIM.
    """
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coopsim-bench-")))
        file = folder / "crowd.yaml"
        file.write_text(_WORLD, encoding="utf-8")
        theirs = stack.enter_context(TimedLoop(python, _IRSIM_BEGIN, "irsim.__file__", "ir-sim", str(file)))
        own = ShownRun(record=folder / "steps.mcap")
        environment = stack.enter_context(IrsimEnvironment(file, own, is_paced=False))
        actions, numbers = [np.array([[_AHEAD], [_AROUND]])] * _CROWD, list(range(_CROWD))
        ours = _timed(lambda: environment.step(actions, numbers), _SETTLING)
        pairs = [(ours(_STEPS // 4), theirs.measure(_FEW_STEPS)) for _ in range(rounds + 1)][1:]
    value, raw = (1e3 * statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(other / mine for mine, other in pairs)
    return {
        "case": "90 robots with 11 rays: env.step of a loop, recorded, against env.step of IR-SIM",
        "unit": "ms",
        "value": round(value, 4),
        "raw": round(raw, 4),
        "ratio": round(ratio, 1),
        "bound": IRSIM_BOUND,
        "ok": ratio >= IRSIM_BOUND,
    }


def _timed(once: Callable[[], object], settling: int) -> Callable[[int], float]:
    """Return what makes a call so many times and returns the mean time of one [s], after some that settle it."""
    for _ in range(settling):
        once()

    def measure(count: int) -> float:
        began = time.perf_counter()
        for _ in range(count):
            once()
        return (time.perf_counter() - began) / count

    return measure


class TimedLoop:
    """A loop over the steps of another simulator, in a Python of its own; a context manager that ends it.

    Args:
        python: Of the environment that has it.
        begin: Text that defines `once()`.
        place: Expression for the file of the package, which is printed first.
        package: Name of it, for people.
        arguments: Of the loop.

    Attributes:
        place: File of the package.

    Raises:
        NoSuchPlugin: It cannot be imported, or is another version.
    """

    def __init__(self, python: Path, begin: str, place: str, package: str, *arguments: str) -> None:
        text = _LOOP.format(begin=begin, place=place)
        self._process = subprocess.Popen(
            [str(python), "-c", text, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,  # read with the rest: a full pipe would stop the loop
            text=True,
            env={**os.environ, "MPLBACKEND": "Agg"},
        )
        lines = [f"{python} ended", *self._lines()]
        self.place = lines[-1]
        if not self.place.endswith(".py"):
            self.__exit__()
            raise NoSuchPlugin(f"{package} is not measured: {self.place}")

    def _lines(self) -> Iterator[str]:
        """Yield lines up to the first one that ends as a Python file does: packages greet people before."""
        assert self._process.stdout is not None  # noqa: S101 - a pipe
        for line in self._process.stdout:
            yield line.strip()
            if line.strip().endswith(".py"):
                return

    def measure(self, count: int) -> float:
        """Return the mean time of so many steps [s].

        Raises:
            NoReply: The loop ended.
        """
        assert self._process.stdin is not None  # noqa: S101 - a pipe
        assert self._process.stdout is not None  # noqa: S101 - a pipe
        self._process.stdin.write(f"{count}\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            with contextlib.suppress(ValueError):  # what the simulator prints of its steps
                return float(line) / count
        raise NoReply("the loop of the other simulator ended")

    def __enter__(self) -> "TimedLoop":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()
