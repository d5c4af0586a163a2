"""`pursuit`: robots follow a path, one behind the other, by pure pursuit.

python -m coopsim.features.laws.pursuit --robots robot1 --path "0 0, 2 0, 2 2" --lookahead 0.4

Source: Coulter, "Implementation of the pure pursuit path tracking algorithm", CMU-RI-TR-92-01, 1992.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.features.laws import options, speeds
from coopsim.features.laws.going import points
from coopsim.features.laws.needs import NEEDS
from coopsim.features.laws.process import drive
from coopsim.features.laws.senses import body_of, map_poses, need_modules, one_type, wheel_commands
from coopsim.features.laws.tuned import Tuned
from coopsim.geometry import Floats
from coopsim.interfaces import parameters_of, setting

_SUMMARY = "Robots follow a path, one behind the other, by pure pursuit."
_BRAKING = 0.6  # s; at every speed there is that much time to stop
_SLOWING = 1.0
"""Speed per distance from the end of the path [1/s]."""


@dataclass(frozen=True, slots=True)
class PursuitParameters:
    """Parameters of the law `pursuit`."""

    path: str = setting("0 0, 2 0", "1", summary="`x y, x y, ...`, the corners of the path")
    laps: int = setting(1, "1", 1, 1000, "how often; more than one closes the path")
    speed: float = setting(0.3, "m/s", 0.01, 10.0, "largest speed")
    lookahead: float = setting(0.4, "m", 0.05, 20.0, "distance of the point that is steered to")
    spacing: float = setting(1.0, "m", 0.0, 100.0, "length of path between a robot and the one before it")
    tolerance: float = setting(0.1, "m", 0.01, 10.0, "the end is reached when it is so near")
    margin: float = setting(0.1, "m", 0.0, 2.0, "distance kept from whatever is ahead")


PARAMETERS = parameters_of(PursuitParameters)


@dataclass(frozen=True)
class Path:
    """A chain of straight parts.

    Args:
        corners: Shape (k, 2) [m].

    Attributes:
        lengths: Of the path up to each corner, shape (k,) [m].
    """

    corners: Floats

    @property
    def lengths(self) -> Floats:
        """Length of the path up to each corner, shape (k,) [m]."""
        return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(self.corners, axis=0), axis=1))])

    def at(self, along: Floats) -> Floats:
        """Return the points of the path after some lengths, shape (n, 2) [m]; beyond its ends these."""
        lengths = self.lengths
        return np.column_stack([np.interp(along, lengths, self.corners[:, axis]) for axis in (0, 1)])

    def nearest(self, positions: Floats, since: Floats, reach: float) -> Floats:
        """Return after which length the path comes nearest to positions, shape (n,) [m].

        Args:
            positions: Shape (n, 2) [m].
            since: Not before these lengths, shape (n,) [m].
            reach: Nor so far behind them: a path may cross itself [m].
        """
        begins, parts = self.corners[:-1], np.diff(self.corners, axis=0)
        square = np.maximum((parts**2).sum(axis=1), 1e-12)
        share = ((positions[:, np.newaxis] - begins) * parts).sum(axis=-1) / square
        lengths, long = self.lengths[:-1], np.sqrt(square)
        along = np.clip(lengths + np.clip(share, 0.0, 1.0) * long, since[:, np.newaxis], since[:, np.newaxis] + reach)
        along = np.clip(along, lengths, lengths + long)
        points = begins + ((along - lengths) / long)[..., np.newaxis] * parts
        away = np.linalg.norm(positions[:, np.newaxis] - points, axis=-1)
        is_out = (along < since[:, np.newaxis] - 1e-9) | (along > since[:, np.newaxis] + reach + 1e-9)
        segments = np.where(is_out, np.inf, away).argmin(axis=1)
        nearest: Floats = np.maximum(along[np.arange(len(segments)), segments], since)
        return nearest


def closed(corners: Floats, laps: int) -> Floats:
    """Return the corners of a path that is gone along `laps` times; more than one close it."""
    if laps == 1:
        return corners
    lap = corners if np.allclose(corners[0], corners[-1]) else np.vstack([corners, corners[:1]])
    return np.vstack([lap, *[lap[1:]] * (laps - 1)])


def ends(path: Path, along: Floats, spacing: float) -> Floats:
    """Return up to where each robot may go: the first to the end, the others behind the one before, shape (n,)."""
    return np.concatenate([path.lengths[-1:], np.maximum(along[:-1] - spacing, 0.0)])


def pursue(poses: Floats, path: Path, along: Floats, law: PursuitParameters) -> Floats:
    """Return speed [m/s] and rate of turn [rad/s] of n robots, shape (n, 2).

    Args:
        poses: x, y [m] and heading [rad], shape (n, 3).
        path: Where to go.
        along: How far each has come on it, shape (n,) [m].
        law: The parameters.
    """
    aims = path.at(along + law.lookahead) - poses[:, :2]
    cos, sin = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    ahead, left = aims[:, 0] * cos + aims[:, 1] * sin, aims[:, 1] * cos - aims[:, 0] * sin
    # the arc that begins along the heading and leads to the point
    curvature = 2.0 * left / np.maximum(ahead**2 + left**2, 1e-6)
    to_go = ends(path, along, law.spacing) - along
    v = np.minimum(law.speed, _SLOWING * np.maximum(to_go, 0.0))
    is_behind = ahead < 0.0
    turning = law.speed / law.lookahead * np.where(left < 0.0, -1.0, 1.0)
    return np.column_stack([np.where(is_behind, 0.0, v), np.where(is_behind, turning, curvature * v)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots along a path; return the exit code: 0 = they are at its end, or the run has ended."""
    parser = options.parser("pursuit", _SUMMARY, PARAMETERS)
    chosen = parser.parse_args(arguments)
    tuned = Tuned("pursuit", options.chosen(chosen, PursuitParameters, PARAMETERS), PARAMETERS)
    return drive("pursuit", chosen.robots, chosen.endpoint, lambda sim, stepper: _make_law(sim, stepper, tuned))


def _make_law(sim: Client, stepper: Stepper, tuned: Tuned[PursuitParameters]) -> Law:
    need_modules(stepper, *NEEDS["pursuit"].modules)
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
        way = speeds.free_way(
            body.gaps(seen.sonars.ranges), body.bearings, radius=body.radius, margin=law.margin, hulls=body.hulls
        )
        v = speeds.brake(v, way, time=_BRAKING)
        within = speeds.within_wheels(v, w, half_track=body.half_track, fastest=body.fastest)
        return wheel_commands(stepper, kind, speeds.drivable(within, body.gaps(seen.sonars.ranges), body))

    return decide


if __name__ == "__main__":
    sys.exit(main())
