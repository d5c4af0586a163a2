"""Items of SwarmSimX on quadrotors; the names of the tests say which. More stand in the rooms' own tests."""

import numpy as np
import pytest

from coopsim.interfaces import AUTOPILOT, POTENTIALS
from coopsim.simulation import Simulation
from coopsim.studies import eights, fidelity, realtime


def test_s_48_seventy_quadrotors_take_their_places_on_a_sphere_and_keep_off_each_other() -> None:
    simulation = Simulation(realtime.scene(70, "flight"))
    places, names = realtime.sphere(70, 1.2), [f"q{k + 1}" for k in range(70)]
    for name, place in zip(names, places, strict=True):
        simulation.command(name, "potentials", POTENTIALS.command("keep").number, place)
    nearest = np.inf
    for tick in range(1000):
        simulation.tick()
        if tick % 25 == 0:
            seen = [simulation.reading(name, "neighbours")[3] for name in names]
            nearest = min(nearest, *seen)
    found = np.array([simulation.reading(name, "pose")[:3] for name in names])
    assert np.linalg.norm(found - places, axis=1).max() < 0.3
    assert nearest > 0.3
    assert not simulation.failures.remarks
    assert not list(simulation.failures)


def test_s_50_to_s_63_vertical_eights_are_tracked_better_by_the_simulator_and_by_the_other_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same controller flies both; the other model is another integrator, mass, air and noise."""
    monkeypatch.setattr(eights, "ROUNDS", 1)
    simulated = [eights.simulated_flight(vertical, engine="flight") for vertical in (False, True)]
    assert simulated[1].mean < simulated[0].mean
    real = eights.real_flight(True)
    assert (real.case, simulated[1].case) == ("real vertical", "simulated vertical")
    assert 0.01 < real.mean < simulated[0].mean + 0.05
    assert fidelity.PAPER[real.case] == (0.0654, 0.0179)


def test_s_53_to_s_55_the_autopilot_reads_inertial_unit_and_pose_and_commands_the_rotors() -> None:
    modules = {(it.module, it.source) for it in AUTOPILOT.inputs}
    assert {("imu", "acceleration"), ("imu", "rate"), ("pose", "position"), ("pose", "orientation")} <= modules
    assert [it.module for it in AUTOPILOT.outputs] == ["rotors"]


def test_s_64_to_s_74_the_study_has_the_papers_cases_and_step() -> None:
    assert len(realtime.PAPER_CASES) == 11
    assert {10, 90, 100} <= set(realtime.PAPER_CASES)
    assert realtime.STEP == 0.02
    spec = realtime.scene(10, "mujoco")
    assert {each.kind for each in spec.types["quadrotor"].devices} >= {"range", "neighbours", "autopilot", "potentials"}
