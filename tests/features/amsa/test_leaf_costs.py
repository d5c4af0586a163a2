"""What leaves on board cost and how late they step: some steps are measured, and nothing else changes."""

from pathlib import Path

import pytest
from system_scenes import ALONE, ROVER, run

from coopsim.features.amsa.components import System, load_system
from coopsim.features.amsa.devices import leaf_costs
from coopsim.features.amsa.devices.leaf_costs import LeafCosts
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.profiling import ProfiledSimulation

RATES = {"Leader": 10, "LeaderGPS": 4, "MyDistanceMonitor": 10, "MyFollowerController": 4, "Follower": 4}


def made(folder: Path, kind: type[Simulation] = Simulation) -> Simulation:
    path = folder / "scene.scenario"
    path.write_text(ROVER + ALONE + "scenario scenario2\n", encoding="utf-8")
    return kind(load(path), seed=1, step=0.03)


def test_each_leaf_is_told_with_its_steps_and_how_late_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaf_costs, "EVERY", 1)
    simulation = made(tmp_path, ProfiledSimulation)
    run(simulation, 67)  # up to 1.98 s
    assert isinstance(simulation, ProfiledSimulation)
    parts = {part["name"]: part for part in simulation.to_plain()["parts"]}
    assert {name: parts[name]["steps"] for name in RATES} == {name: 2 * rate for name, rate in RATES.items()}
    assert all(0.0 < part["mean"] <= part["slowest"] for part in parts.values())
    assert all(part["robots"] for part in parts.values())
    # 0.1 s are three ticks and a third, 0.25 s eight and a third: two thirds of a tick too late where that is most
    assert parts["Leader"]["late"] == pytest.approx(0.02)
    assert parts["Follower"]["late"] == pytest.approx(0.02)


def test_a_profile_measures_every_leaf_whatever_its_period(tmp_path: Path) -> None:
    simulation = made(tmp_path, ProfiledSimulation)
    run(simulation, 67)
    assert isinstance(simulation, ProfiledSimulation)
    steps = {part["name"]: part["steps"] for part in simulation.to_plain()["parts"]}
    assert {name: steps[name] for name in RATES} == {name: 2 * rate for name, rate in RATES.items()}


@pytest.mark.parametrize("period", [2, 3, 4, 8, 16, 32, 50])
def test_no_period_of_a_leaf_hides_it_from_the_samples(period: int) -> None:
    costs = LeafCosts(("a",), System(load_system("challenge")).unit)
    sampled = [number for number in range(32 * leaf_costs.EVERY) if costs.sampled((0,)) >= 0]
    assert len(sampled) == 32
    seen = {number % period for number in sampled}
    assert len(seen) >= min(period, 32) * 0.4
    assert {0, 1} <= seen or period > 32


def test_measuring_changes_no_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = made(tmp_path)
    run(plain, 70)
    monkeypatch.setattr(leaf_costs, "EVERY", 2)
    measured = made(tmp_path)
    run(measured, 70)
    assert measured.state_hash() == plain.state_hash()


def test_one_round_of_many_is_measured_and_the_robots_take_turns() -> None:
    costs = LeafCosts(("a",), System(load_system("challenge")).unit)
    sampled = [costs.sampled((3, 5, 8)) for _ in range(4 * leaf_costs.EVERY)]
    assert [row for row in sampled if row >= 0] == [5, 8, 3, 5]
    assert costs.sampled(()) == -1


def test_a_system_that_was_slow_is_measured_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaf_costs, "WATCHED", 2)
    system = System(load_system("challenge"))
    system.initialize()
    costs = LeafCosts(system.order, system.unit * 1_000_000_000)
    costs.watch(system)
    for end in (1, 40, 80):
        assert (system in costs.watched) == (end < 80)
        assert {leaf.leaf.name for leaf, _ in costs.step(system, end, 0)} == set(system.order)
        assert all(leaf.cost is None for leaf in system.leaves())
