"""Areas of the floor while a run goes on: told, changed, saved, and felt by nobody."""

import json
from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadArgument
from coopsim.inprocess import connect
from coopsim.robots import load
from coopsim.simulation import Simulation

ROBOT = "[ROBOT_1]\ntype single\n"
POND = "[AREA_1]\ntype water\nname pond\npoints 0.4 -2 2 -2 2 2 0.4 2\n"


def simulation(folder: Path, text: str) -> Simulation:
    file = folder / "pond.scenario"
    file.write_text(text)
    return Simulation(load(file))


def test_an_area_is_told_changed_and_removed(tmp_path: Path) -> None:
    with connect(simulation(tmp_path, f"{ROBOT}\n{POND}")) as sim:
        world = sim.module("/sim/world")
        assert world.get("pond").kind == "area"
        document = json.loads(world.scene().scene)
        row = next(entity for entity in document["entities"] if entity["name"] == "pond")
        assert (row["kind"], row["type"], row["body"], row["pose"][:2]) == ("area", "water", -1, [1.2, 0.0])
        assert document["looks"][row["visuals"]][0]["points"] == pytest.approx([-0.8, -2, 0.8, -2, 0.8, 2, -0.8, 2])
        world.insert("[AREA_2]\ntype base\npoints -3 0 -2 0 -2 1\n")
        world.update("area_2", "color blue")
        assert list(world.get("area_2").color) == [0.0, 0.0, 1.0]
        with pytest.raises(BadArgument, match="the base 'area_2' overlaps the water 'pond'"):
            world.update("area_2", "points 0 0 1 0 1 1")
        assert (
            world.section("pond").text.split() == f"[AREA_1] type water name pond {' '.join(POND.split()[5:])}".split()
        )
        world.remove("pond")
        assert "pond" not in [row["name"] for row in json.loads(world.scene().scene)["entities"]]
        world.reset("all")
        assert world.get("pond").type == "water"


def test_nobody_feels_an_area(tmp_path: Path) -> None:
    seen = []
    for text in (ROBOT, f"{ROBOT}\n{POND}"):
        physics = simulation(tmp_path, text)
        with connect(physics) as sim, sim.stepper() as stepper:
            for _ in range(50):
                readings = stepper.step([(0.5, 0.0)])
            seen.append((np.array(readings.sonars.ranges), physics.state_hash()))
    assert np.array_equal(seen[0][0], seen[1][0])
    assert seen[0][1] == seen[1][1]


def test_a_snapshot_keeps_areas(tmp_path: Path) -> None:
    with connect(simulation(tmp_path, f"{ROBOT}\n{POND}")) as sim:
        world = sim.module("/sim/world")
        world.snapshot("before")
        world.update("pond", "type region")
        world.restore("before")
        assert world.get("pond").type == "water"


def test_the_facts_of_a_run_name_the_engine_that_it_has_now(tmp_path: Path) -> None:
    with connect(simulation(tmp_path, ROBOT)) as sim:
        assert sim.info()["engine"] == "pymunk"
        assert sim.module("/sim/world").set_engine("kinematic").engine == "kinematic"
        assert sim.info()["engine"] == "kinematic"
