"""Commands of a component's leaf to another robot: they travel by its radio, and nobody's claim keeps them out."""

import math
from pathlib import Path

import pytest

from coopsim.inprocess import connect
from coopsim.robots import find_file, load
from coopsim.simulation import Simulation


def driven(folder: Path, more: str, own_command: tuple[float, float] | None) -> float:
    """Return how far the leader comes that a leaf of the rover drives [m], while a client owns it."""
    scenario = folder / "challenge.scenario"
    scenario.write_text(find_file("challenge_physics", [".scenario"]).read_text() + more)
    with connect(Simulation(load(str(scenario)))) as sim, sim.stepper(["leader"]) as stepper:
        places = []
        for _ in range(2):
            places.append(next(entity.pose[:2] for entity in sim.scene().entities if entity.name == "leader"))
            for _ in range(100):
                stepper.step(None if own_command is None else [own_command])
        return math.dist(*places)


def test_the_leaf_comes_before_the_client_that_owns_the_robot(tmp_path: Path) -> None:
    alone = driven(tmp_path, "", None)
    assert alone > 0.1
    assert driven(tmp_path, "", (0.0, 0.0)) == pytest.approx(alone)


def test_what_the_radio_of_the_other_robot_loses_does_not_arrive(tmp_path: Path) -> None:
    assert driven(tmp_path, "\n[RADIO]\nloss 1\n", None) == 0.0
