"""The presence that an automatic door feels: of the nearest body that is not its own."""

import math

import numpy as np

from coopsim.devices.calls import says_itself
from coopsim.features.artifacts.devices.door import _FEW, Presence, _nearest
from coopsim.robots import RunSpec, load_type
from coopsim.scene import RobotPlacement, Scenario, Settings, World
from coopsim.simulation import Simulation


def test_the_nearest_of_several_bodies_counts_in_any_order_and_the_own_ones_never() -> None:
    planar = np.zeros((4, 6))
    planar[:, :2] = (1.0, 1.0), (1.0, 1.1), (1.0, 3.0), (5.0, 1.0)
    assert _nearest(planar, 0, 2) == 4.0
    assert _nearest(planar[[0, 1, 3, 2]], 0, 2) == 4.0
    assert _nearest(planar[[2, 0, 1, 3]], 1, 3) == 4.0
    assert _nearest(planar, 0, 4) == np.inf


def _doors(count: int, spread: float) -> Simulation:
    """Return doors at drawn places, one of them astray, with different reaches."""
    places = np.random.default_rng(5).uniform(-spread, spread, (count, 2))
    places[-1] = 1e5, -1e5
    placed = tuple(
        RobotPlacement(f"door{k}", "door", (x, y, 0.0), (0.0, 0.0, 0.3 * k)) for k, (x, y) in enumerate(places.tolist())
    )
    scenario = Scenario(World(), (), placed, settings=Settings(engine="pymunk"))
    simulation = Simulation(RunSpec(scenario, {"door": load_type("door")}))
    for row in range(count):
        sensors = simulation.tables.block_of("door0").devices["presence"]
        sensors.parameters["reach"][row] = 0.5 + 0.2 * row
    return simulation


def test_s_19_many_sensors_of_doors_measure_together_to_the_bit_what_each_measures_by_itself() -> None:
    for count in (_FEW // 2, 4 * _FEW):
        simulation = _doors(count, spread=math.sqrt(count))
        for _ in range(3):
            simulation.tick()
        sensors = simulation.tables.block_of("door0").devices["presence"]
        together = [simulation.reading(f"door{row}", "presence")[0] for row in range(count)]

        assert together == [sensor.run() for sensor in sensors.objects]
        assert together[-1] == 0.5 + 0.2 * (count - 1)  # nothing is near the one astray
        assert sum(distance < 0.5 + 0.2 * row for row, distance in enumerate(together)) > count // 4
        assert all(math.isfinite(distance) for distance in together)


class _Half(Presence):
    def run(self) -> float:
        return 0.5


def test_a_sensor_derived_from_one_that_measures_together_runs_by_itself() -> None:
    assert says_itself(Presence(), "run", "together")
    assert not says_itself(_Half(), "run", "together")
