"""`pursuit`: robots follow a path, one behind the other, by pure pursuit.

python -m coopsim.controllers.pursuit --robots robot1 --path "0 0, 2 0, 2 2" --lookahead 0.4
"""

import sys
from collections.abc import Sequence

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.controllers import options, speeds
from coopsim.controllers.going import points
from coopsim.controllers.process import drive
from coopsim.controllers.pursuing import PARAMETERS, Path, Pursuing, closed, ends, pursue
from coopsim.controllers.senses import body_of, map_poses, need_modules, one_type, wheel_commands
from coopsim.controllers.tuned import Tuned
from coopsim.geometry import Floats

__all__ = ["PARAMETERS", "main"]

_SUMMARY = "Robots follow a path, one behind the other, by pure pursuit."
_BRAKING = 0.6


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots along a path; return the exit code: 0 = they are at its end, or the run has ended."""
    parser = options.parser("pursuit", _SUMMARY, PARAMETERS)
    chosen = parser.parse_args(arguments)
    tuned = Tuned("pursuit", options.chosen(chosen, Pursuing, PARAMETERS), PARAMETERS)
    return drive("pursuit", chosen.robots, chosen.endpoint, lambda sim, stepper: _begin(sim, stepper, tuned))


def _begin(sim: Client, stepper: Stepper, tuned: Tuned[Pursuing]) -> Law:
    need_modules(stepper, "motors", "sonars", "odometry")
    kind = one_type(stepper, "robots that follow one path must be of one type")
    body, along = body_of(sim, stepper.robots[0]), np.zeros(len(stepper.robots))
    map_poses(sim, stepper.robots)
    tuned.offer(sim, stepper.robots)
    law = tuned.at(0)
    path = Path(closed(points(law.path), law.laps))

    def decide(seen: Readings) -> Floats | None:
        nonlocal along
        law = tuned.at(seen.tick)
        poses = np.column_stack([seen.odometry.x, seen.odometry.y, seen.odometry.heading])
        along = path.nearest(poses[:, :2], along, law.lookahead)
        if (ends(path, along, law.spacing) - along <= law.tolerance).all():
            sys.stdout.write(f"pursuit: {len(along)} at the end of {path.lengths[-1]:.1f} m, tick {seen.tick}\n")
            return None
        v, w = pursue(poses, path, along, law).T
        way = speeds.free_way(body.gaps(seen.sonars.ranges), body.bearings, radius=body.radius, margin=law.margin)
        v = speeds.brake(v, way, time=_BRAKING)
        return wheel_commands(
            stepper, kind, speeds.within_wheels(v, w, half_track=body.half_track, fastest=body.fastest)
        )

    return decide


if __name__ == "__main__":
    sys.exit(main())
