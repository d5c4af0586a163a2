"""Robots that a script of the Robotarium drives: those of a run that begins with it, or of one that goes on."""

import contextlib
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from coopsim.errors import NoSuchName
from coopsim.features.others.own_runs import OwnRuns, ShownRun
from coopsim.features.others.robotarium.driving import TRACKER, LocalRobots, RobotDrive, SteppedRobots
from coopsim.features.others.robotarium.safety import SafetyCounters
from coopsim.geometry import Floats

if TYPE_CHECKING:
    from coopsim.client import Client

_THICKNESS = 0.01  # m; obstacles are lines there, and a line that is a body has some thickness
_MARGIN = 0.4  # m of floor around the arena, so that robots that leave it are still seen
_NUMBER = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class ScriptOptions:
    """Options of a script: positions of robots, and what is kept.

    Attributes:
        endpoint: Of a run or of real robots; None = a run of its own.
        own: Of a run of its own.
    """

    endpoint: str | None = None
    own: ShownRun = field(default_factory=ShownRun)


class ScriptRobots:
    """Robots by number, from 0; a context manager that ends the run it began.

    Attributes:
        judged: What was unsafe, of each run.
    """

    def __init__(self, options: ScriptOptions) -> None:
        self._options = options
        self.judged: list[SafetyCounters] = []
        self._runs = OwnRuns(options.own)
        self._steps, self._step = 0, 0.0
        self._stack = contextlib.ExitStack()
        self._count = 0
        self._driven: RobotDrive | None = None

    def begin(
        self, poses: Floats, obstacles: Floats, arena: Sequence[float], step: float, *, sees: bool = True
    ) -> Floats:
        """Put robots at poses, where they are simulated here; return where they are, shape (3, n).

        Args:
            poses: x, y [m] and heading [rad], shape (3, n).
            obstacles: Lines, shape (m, 2, 2) [m].
            arena: x from, to, y from, to [m].
            step: Length of a step [s].
            sees: Whether distance sensors are on.

        Raises:
            NoReply: The run did not start.
            NoSuchName: There are too few robots at the endpoint, or they have no tracker.
        """
        self.end()
        self._count, self._step = self._count + 1, step
        driven = self._begin(
            poses.shape[1], lambda folder: write_scene(folder, poses, obstacles, arena, step, sees=sees)
        )
        self._driven = driven
        return driven.poses

    def _begin(self, count: int, write: Callable[[Path], Path]) -> RobotDrive:
        """Return the robots: those at the endpoint, or those of a run that begins."""
        if self._options.endpoint is not None:
            from coopsim.client import connect

            sim = self._stack.enter_context(connect(self._options.endpoint))
        elif self._options.own.is_shown or not count:
            sim = self._runs.begin(write)
        else:
            names = [_name(number) for number in range(1, count + 1)]
            # its texts name a robot of a package, and say no more than the run itself
            return LocalRobots(self._runs.begin_alone(write, keeps_texts=False), names)
        return SteppedRobots(sim, _robots(sim, count), self._stack)

    def step(self, velocities: Floats) -> Floats:
        """Drive all robots for a step; return where they are then, shape (3, n).

        Args:
            velocities: Ahead [m/s] and around [rad/s], shape (2, n).

        Raises:
            SimulationEnded: The run is over: its window was closed.
        """
        assert self._driven is not None  # noqa: S101 - `begin` comes first
        self._steps += 1
        return self._driven.step(velocities)

    def summary(self) -> list[str]:
        """Return what happened, in lines."""
        if not self._count:
            return ["the script made no Robotarium: nothing was simulated"]
        verdict = (
            "the Robotarium would take it"
            if all(counters.is_safe for counters in self.judged)
            else "it would be rejected"
        )
        unsafe = "; ".join(str(counters) for counters in self.judged)
        lines = [f"{self._steps} steps, {self._steps * self._step:.2f} s; {unsafe}: {verdict}"]
        return lines + [f"recorded to {file}" for file in self._runs.recorded]

    @property
    def has_run(self) -> bool:
        """Whether the script drove any robot."""
        return self._count > 0

    def end(self) -> None:
        """End the run that was begun, or give back the robots."""
        self._stack.close()
        self._runs.end()
        self._driven = None

    def __enter__(self) -> "ScriptRobots":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def _robots(sim: "Client", count: int) -> list[str]:
    """Return the names of the first robots that drive and are tracked."""
    names = [name for name in sim.names() if name.endswith(f"/{TRACKER}")]
    robots = sorted((name.split("/")[1] for name in names), key=_natural)
    if len(robots) < count:
        raise NoSuchName(
            f"the script wants {count} robots; at the endpoint {len(robots)} have a module called {TRACKER},"
            " which says where they are"
        )
    return robots[:count]


def _natural(name: str) -> list[tuple[int, str]]:
    """Return what orders robot2 before robot10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _NUMBER.split(name)]


def _name(number: int) -> str:
    """Return the name of a robot of a run of the script's own, by its number from 1."""
    return f"robot{number}"


def write_scene(
    folder: Path, poses: Floats, obstacles: Floats, arena: Sequence[float], step: float, *, sees: bool = True
) -> Path:
    """Write a world and a scenario with a robot for each pose; return the scenario.

    Args:
        folder: Where they are written.
        poses: x, y [m] and heading [rad] of the axles, shape (3, n).
        obstacles: Lines from a point to another one, shape (m, 2, 2) [m].
        arena: x from, to, y from, to [m].
        step: Length of a tick [s].
        sees: Whether distance sensors are on.
    """
    width, depth = arena[1] - arena[0] + 2 * _MARGIN, arena[3] - arena[2] + 2 * _MARGIN
    walls = (
        f"[WALL_{k}]\npoints {_numbers(line)}\nthickness {_THICKNESS}\n"
        for k, line in enumerate(obstacles.reshape(-1, 4), start=1)
    )
    (folder / "robotarium.world").write_text(
        "\n".join([f"[FLOOR]\nsize {width:g} {depth:g} 0.1\ncolor white\n", *walls]), encoding="utf-8"
    )
    kind = "gternal" if sees else "gternal_blind"
    robots = (
        f"[ROBOT_{k}]\ntype {kind}\nname {_name(k)}\nposition {x!r} {y!r} 0\n"
        f"orientation 0 0 {math.degrees(heading)!r}\n"
        for k, (x, y, heading) in enumerate(poses.T.tolist(), start=1)
    )
    settings = f"[SIMULATION]\nmode lockstep\nengine kinematic\nstep {step!r}\n"
    scenario = folder / "robotarium.scenario"
    scenario.write_text("\n".join(["[WORLD]\nfile robotarium.world\n", settings, *robots]), encoding="utf-8")
    return scenario


def _numbers(values: Floats) -> str:
    return " ".join(repr(value) for value in values.tolist())
