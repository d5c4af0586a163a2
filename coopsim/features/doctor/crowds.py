"""Crowds of a type that this machine has time for in real time, on the engine that holds such robots."""

from collections.abc import Iterable
from dataclasses import dataclass

from coopsim.app.capacity import largest
from coopsim.errors import CoopsimError
from coopsim.robots import RobotBlueprint, RunSpec, load_type
from coopsim.robots.catalogue import type_names
from coopsim.robots.engines import unfit
from coopsim.scene import TEAM, RobotPlacement, Scenario, Settings, World

_PERIOD = 0.01  # s; the usual step in real time


@dataclass(frozen=True, slots=True)
class CrowdSize:
    """Number of robots of a type that this machine has time for.

    Attributes:
        robots: Their number; None = such a crowd cannot be built.
        problem: Why not.
    """

    type: str
    engine: str
    robots: int | None
    problem: str = ""


def engine_of(kind: RobotBlueprint) -> str:
    """Return the engine for such robots: `pymunk`, where it can hold one that does not fly, or `mujoco`."""
    return "mujoco" if kind.flies or unfit(_alone(kind, "pymunk"), "pymunk") else "pymunk"


def crowd_sizes(names: Iterable[str]) -> list[CrowdSize]:
    """Return how many of each of these types, or of all built-in ones, a tick has time for.

    Raises:
        NoSuchFile: There is no such type.
    """
    wanted = list(names)
    kinds = [name for name in type_names() if name != TEAM] if "all" in wanted else wanted
    return [_crowd_size(load_type(name)) for name in kinds]


def _crowd_size(kind: RobotBlueprint) -> CrowdSize:
    engine = engine_of(kind)
    try:
        return CrowdSize(kind.name, engine, largest(_alone(kind, engine), _PERIOD))
    except CoopsimError as problem:
        return CrowdSize(kind.name, engine, None, str(problem))


def _alone(kind: RobotBlueprint, engine: str) -> RunSpec:
    robots = (RobotPlacement("robot1", kind.name, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),)
    return RunSpec(Scenario(World(), robots=robots, settings=Settings(engine=engine)), {kind.name: kind})
