"""Items of AMSA on the challenge with real robots; the names of the tests say which."""

import pytest

from coopsim.inprocess import connect
from coopsim.robots import load
from coopsim.simulation import Simulation


def distances(made: Simulation, ticks: int) -> list[float]:
    readings = []
    for _ in range(ticks):
        made.tick()
        readings.append(float(made.reading("rover", "data/distanceFollowerLeader")[0]))
    return readings


def test_a_43_a_63_a_68_a_73_a_74_both_gains_of_scenario_2_on_robots() -> None:
    simulation = Simulation(load("challenge_physics"))
    first = distances(simulation, 10_000)
    assert max(first[2000:]) <= 22.0
    second = distances(simulation, 4000)
    assert second[5] == pytest.approx(15.0, abs=0.5)  # reset: the rovers stand where they began
    assert simulation.time == pytest.approx(140.0)  # and time goes on
    assert sum(second[3000:]) / 1000 == pytest.approx(18.0, abs=0.3)


def test_a_36_a_37_a_38_data_and_parameters_have_names_and_types_on_the_network() -> None:
    with connect(Simulation(load("challenge_physics"))) as sim:
        names = sim.names("/rover/")
        assert (
            sum(name.startswith("/rover/data/") for name in names) == 17
        )  # 15 of the paper, two of the leader's wheels
        parameters = sim.module("/rover/MyNormalizePower").interface.parameters
        assert {parameter.name: parameter.kind for parameter in parameters} == {
            "powerMin": float,
            "powerMax": float,
            "motorCoef": int,
        }
