"""Rows of errors with their bounds, and the small worlds that they are measured in."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.geometry import Floats, Vector3, quaternion
from coopsim.robots import engine_type

GRAVITY = 9.81
"""As engines have it [m/s2]; written out here, so that a wrong one there shows."""
SPACE, PLANE = ("mujoco", "flight"), ("pymunk", "kinematic")
CHOSEN = ("mujoco+semi_implicit", "mujoco+implicitfast", "mujoco+rk4", "mujoco+4")
"""With other integrators, and with substeps."""


@dataclass(frozen=True)
class Row:
    """An error with its bound; it is measured when somebody asks for it.

    Attributes:
        engine: Its name.
        case: Summary of the motion.
        unit: Of error and bound.
        measure: Returns the error of the motion against a closed form or an independent integrator.
        bound: Largest error that is accepted.
    """

    engine: str
    case: str
    unit: str
    measure: Callable[[], float]
    bound: float

    @cached_property
    def error(self) -> float:
        """Of the motion, measured once."""
        return self.measure()

    @property
    def is_kept(self) -> bool:
        """Whether the error is a number within its bound."""
        return bool(abs(self.error) <= self.bound)

    def plain(self) -> dict[str, Any]:
        """Return it for tables and JSON."""
        error = float(f"{abs(self.error):.2g}")
        return {
            "engine": self.engine,
            "case": self.case,
            "unit": self.unit,
            "error": error,
            "bound": self.bound,
            "ok": self.is_kept,
        }


def body(
    name: str,
    place: Vector3 = (0.0, 0.0, 0.0),
    *,
    mass: float = 1.0,
    kind: str = "box",
    size: Vector3 = (0.4, 0.4, 0.4),
    tilt: float = 0.0,
    surface: tuple[float, float] = (0.6, 0.0),
) -> BodySpec:
    """Return a body of one shape, its base at a place, tilted about y; `surface` is friction and restitution."""
    pose = (*place, *quaternion(0.0, tilt, 0.0))
    return BodySpec(name, pose, mass, (ShapeSpec(kind, size, *surface),))


def engine_of(
    kind: str, bodies: Iterable[BodySpec], joints: Iterable[JointSpec] = (), *, friction: float = 1.0, tilt: float = 0.0
) -> Any:
    """Return an engine that holds a world on a floor of a friction, tilted about y."""
    world = WorldSpec(tuple(bodies), tuple(joints), floor_friction=friction, floor_orientation=(0.0, tilt, 0.0))
    return engine_type(kind)(world)


def run(engine: Any, seconds: float, step: float, push: Callable[[Any, float], None] | None = None) -> None:
    """Let an engine run; `push` is called with it and the time before each step."""
    for k in range(round(seconds / step)):
        if push is not None:
            push(engine, k * step)
        engine.step(step)
    engine.fill()


def launch(engine: Any, name: str, vx: float = 0.0, vy: float = 0.0, spin: float = 0.0) -> None:
    """Give a body a level velocity, and a turn about the vertical axis."""
    at = row_of(engine, name)
    engine.set_state(np.array([at]), np.array([[*engine.planar[at, :3], vx, vy, spin]]))


def throw(engine: Any, name: str, twist: tuple[float, ...]) -> None:
    """Give a body in space a velocity and an angular velocity, in the frame of the world."""
    at = np.array([row_of(engine, name)])
    engine.set_spatial_state(at, engine.poses[at].copy(), np.array([twist]))


def row_of(engine: Any, name: str) -> int:
    """Return the row of a body."""
    return list(engine.names).index(name)


def place_of(engine: Any, name: str) -> Floats:
    """Return where the base of a body is [m]."""
    place: Floats = engine.poses[row_of(engine, name), :3].copy()
    return place


def late(engine: Any, speed: float, step: float) -> float:
    """Return how far an engine whose positions lag behind its velocities is short of where it would be [m]."""
    return float(engine.position_lag) * speed * step
