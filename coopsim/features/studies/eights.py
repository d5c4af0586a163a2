"""The flights of the fidelity study: eights, horizontal and vertical, with a constant rate of turn.

Source: SwarmSimX, section 3.1 (a real and a simulated quadrotor, the same flight controller with the same parameters).
"""

import subprocess
import tempfile
from pathlib import Path

import numpy as np

from coopsim.errors import CoopsimError
from coopsim.features.space.autopilot_interface import AUTOPILOT
from coopsim.features.studies.fidelity import COLUMNS, Tracking, read_log, tracking
from coopsim.geometry import Floats
from coopsim.interpreter import module_command
from coopsim.robots import RunSpec, load_type
from coopsim.scene import RobotPlacement, Scenario, Settings, World
from coopsim.simulation import Simulation

LENGTH, WIDTH, PERIOD, TURN = 4.0, 2.0, 8.0, 0.5  # m, m, s, rad/s
HEIGHT, STEP = 2.5, 0.02  # m, s; the step of the paper
SETTLED, ROUNDS = 6.0, 5  # s; flights are judged after one round
_PLANES = ("horizontal", "vertical")


def eight(vertical: bool) -> tuple[float, ...]:
    """Return the values of the command `eight` of an autopilot."""
    return LENGTH, WIDTH, PERIOD, float(vertical), TURN


def all_flights(seed: int = 0) -> list[Tracking]:
    """Return the four flights of Fig. 4; the "real" ones are flown by another model in a process of its own."""
    real = [real_flight(plane == "vertical", seed) for plane in _PLANES]
    return [*real, *(simulated_flight(plane == "vertical", seed) for plane in _PLANES)]


def simulated_flight(vertical: bool, seed: int = 0, engine: str = "mujoco") -> Tracking:
    """Return the flight of a simulated quadrotor."""
    placed = (RobotPlacement("q", "quadrotor", (0.0, 0.0, 0.0)),)
    settings = Settings(step=STEP, engine=engine, seed=seed)
    types = {"quadrotor": load_type("quadrotor")}
    simulation = Simulation(RunSpec(Scenario(World(), (), placed, settings=settings), types))
    simulation.command("q", "autopilot", AUTOPILOT.command("take_off").number, (HEIGHT,))
    rows = []
    for _ in range(round(SETTLED / STEP)):
        simulation.tick()
    simulation.command("q", "autopilot", AUTOPILOT.command("eight").number, eight(vertical))
    for k in range(round((ROUNDS + 1) * PERIOD / STEP)):
        simulation.tick()
        if k * STEP >= PERIOD:
            place = simulation.engine.poses[0, :3]
            rows.append([simulation.time, *place.tolist(), *simulation.reading("q", "autopilot")[:3].tolist()])
    return tracking(f"simulated {_PLANES[vertical]}", _table(rows))


def real_flight(vertical: bool, seed: int = 0) -> Tracking:
    """Return the flight of another model of a quadrotor, which a process of its own flies and logs.

    Raises:
        CoopsimError: The process failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / f"real {_PLANES[vertical]}.csv"
        arguments = module_command("coopsim.features.studies.other_quadrotor", str(log), str(int(vertical)), str(seed))
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CoopsimError(
                f"the process of the reference quadrotor ended with code {done.returncode}: {done.stderr[-2000:]}"
            )
        return read_log(log)


def _table(rows: list[list[float]]) -> Floats:
    return np.array(rows, np.float64).reshape(-1, len(COLUMNS))
