"""The arena of the Robotarium as a scenario."""

import math
from collections.abc import Sequence
from pathlib import Path

from coopsim.geometry import Floats

_THICKNESS = 0.01  # m; obstacles are lines there, and a line that is a body has some thickness
_MARGIN = 0.4  # m of floor around the arena, so that robots that leave it are still seen


def write_scene(folder: Path, poses: Floats, obstacles: Floats, arena: Sequence[float], step: float) -> Path:
    """Write a world and a scenario with a robot for each pose; return the scenario.

    Args:
        folder: Where they are written.
        poses: x, y [m] and heading [rad] of the axles, shape (3, n).
        obstacles: Lines from a point to another one, shape (m, 2, 2) [m].
        arena: x from, to, y from, to [m].
        step: Length of a tick [s].
    """
    width, depth = arena[1] - arena[0] + 2 * _MARGIN, arena[3] - arena[2] + 2 * _MARGIN
    walls = (
        f"[WALL_{k}]\npoints {_numbers(line)}\nthickness {_THICKNESS}\n"
        for k, line in enumerate(obstacles.reshape(-1, 4), start=1)
    )
    (folder / "robotarium.world").write_text(
        "\n".join([f"[FLOOR]\nsize {width:g} {depth:g} 0.1\ncolor white\n", *walls]), encoding="utf-8"
    )
    robots = (
        f"[ROBOT_{k}]\ntype gternal\nname robot{k}\nposition {x!r} {y!r} 0\norientation 0 0 {math.degrees(heading)!r}\n"
        for k, (x, y, heading) in enumerate(poses.T.tolist(), start=1)
    )
    settings = f"[SIMULATION]\nmode lockstep\nengine kinematic\nstep {step!r}\n"
    scenario = folder / "robotarium.scenario"
    scenario.write_text("\n".join(["[WORLD]\nfile robotarium.world\n", settings, *robots]), encoding="utf-8")
    return scenario


def _numbers(values: Floats) -> str:
    return " ".join(repr(value) for value in values.tolist())
