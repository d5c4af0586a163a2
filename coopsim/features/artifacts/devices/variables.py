"""Sensors that give variables of the simulator.

Source: SwarmSimX, section 2 (sensors of the simulation time and of the global state).
"""

import numpy as np

from coopsim.devices.artifacts.authored import Sensor
from coopsim.features.artifacts.interfaces import GLOBAL_STATE, SIMULATION_TIME


class SimulationTime(Sensor):
    """The simulated time."""

    interface = SIMULATION_TIME

    def run(self) -> float:
        """Return it [s]."""
        return self.environment.time


class GlobalState(Sensor):
    """All bodies in a few numbers."""

    interface = GLOBAL_STATE

    def run(self) -> tuple[float, ...]:
        """Return number, mass, mean place, largest speed and energy."""
        bodies = self.environment.bodies
        planar, mass = bodies.planar, bodies.mass
        squares, total = planar[:, 3] ** 2 + planar[:, 4] ** 2, float(mass.sum())
        x, y = (mass @ planar[:, :2] / total).tolist()
        energy = 0.5 * float(mass @ squares + bodies.inertia @ planar[:, 5] ** 2)
        return float(mass.size), total, x, y, float(np.sqrt(squares.max())), energy
