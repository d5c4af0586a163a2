"""Sensors that give variables of the simulator.

Source: SwarmSimX, section 2 (sensors of the simulation time and of the global state).
"""

from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np

from coopsim.devices.artifacts.authored import Sensor
from coopsim.devices.artifacts.running import Measure
from coopsim.features.artifacts.interfaces import GLOBAL_STATE, SIMULATION_TIME
from coopsim.geometry import Floats, Ints


class SimulationTime(Sensor):
    """The simulated time."""

    interface = SIMULATION_TIME

    def run(self) -> float:
        """Return it [s]."""
        return self.environment.time

    @classmethod
    def together(cls, sensors: Sequence[Self], _parameters: Mapping[str, Floats]) -> Measure:
        """Return what measures for all."""
        environment = sensors[0].environment

        def measure(_rows: Ints, out: Floats) -> None:
            out[:] = environment.time

        return measure


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
