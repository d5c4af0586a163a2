"""Small scenes with quadrotors, run in this process."""

from collections.abc import Sequence

import numpy as np

from coopsim.features.space.autopilot_interface import AUTOPILOT
from coopsim.geometry import Vector3
from coopsim.robots import RunSpec, load_type
from coopsim.scene import Object, RobotPlacement, Scenario, Settings, World
from coopsim.simulation import Simulation

Row = tuple[str, str, Vector3]
"""Name, type and place of a robot."""


def flight(
    *robots: Row, engine: str = "mujoco", step: float = 0.02, seed: int = 0, objects: Sequence[Object] = ()
) -> Simulation:
    """Return a simulation of robots; without any, of one quadrotor `q` on the floor."""
    rows = robots or (("q", "quadrotor", (0.0, 0.0, 0.0)),)
    placed = tuple(RobotPlacement(name, kind, place) for name, kind, place in rows)
    settings = Settings(step=step, engine=engine, seed=seed)
    types = {kind: load_type(kind) for _, kind, _ in rows}
    return Simulation(RunSpec(Scenario(World(objects=tuple(objects)), (), placed, settings=settings), types))


def order(simulation: Simulation, robot: str, command: str, *values: float) -> None:
    """Command the autopilot of a robot."""
    simulation.command(robot, "autopilot", AUTOPILOT.command(command).number, values)


def run(simulation: Simulation, seconds: float) -> None:
    """Let time go on."""
    for _ in range(round(seconds * 1e9) // simulation.step_ns):
        simulation.tick()


def position_of(simulation: Simulation, robot: str) -> np.ndarray:
    """Return where a robot is."""
    return simulation.reading(robot, "pose")[:3].copy()


def fault(simulation: Simulation, robot: str) -> float:
    """Return what keeps a robot from flying."""
    return float(simulation.reading(robot, "autopilot")[5])
