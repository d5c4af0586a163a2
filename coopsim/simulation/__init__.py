"""Simulation in time: the tick, pacers, edits and timed events.

`Simulation(spec).tick()` runs without any process or socket; `process.run_physics` paces it and serves its records.
"""

from coopsim.simulation.simulation import Program, Simulation

__all__ = ["Program", "Simulation"]
