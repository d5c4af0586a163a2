"""Teams as one entity of messages: changed, removed and saved as a whole, and their members still by themselves."""

import math
from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadArgument, BadFile, NoSuchName
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.state.edits import Insert, Remove, Update

TEAM = "# mine\n[ROBOT_1]\ntype team2\nname team1\n"
MEMBERS = ("team1/leader", "team1/helper", "team1/bar")
RED = (1.0, 0.0, 0.0)


def simulated(folder: Path, engine: str = "pymunk") -> Simulation:
    (folder / "team.scenario").write_text(TEAM, encoding="utf-8")
    return Simulation(load(folder / "team.scenario"), engine=engine)


def planar(simulation: Simulation, name: str) -> np.ndarray:
    """Return x, y and heading of a body."""
    return simulation.engine.planar[list(simulation.engine.names).index(name), :3].copy()


@pytest.mark.parametrize("engine", ["pymunk", "mujoco"])
def test_a_team_is_moved_turned_coloured_and_lengthened_as_a_whole(tmp_path: Path, engine: str) -> None:
    simulation = simulated(tmp_path, engine)
    apply(simulation, Update("team1", "position 2 1 0\norientation 0 0 90\nlength 2.3\ncolor red", places=True))
    leader, helper, bar = (planar(simulation, name) for name in MEMBERS)
    assert leader == pytest.approx([1.0, 1.0, math.pi / 2], abs=1e-9)
    assert helper == pytest.approx([3.0, 1.0, math.pi / 2], abs=1e-9)
    assert bar == pytest.approx([2.0, 1.0, math.pi / 2], abs=1e-9)
    entities = simulation.layout.entity
    assert [entities[name].color == RED for name in MEMBERS] == [True, True, False]
    assert entities["team1/bar"].size[1] == 2.3
    for _ in range(50):
        simulation.tick()
    for name, pose in zip(MEMBERS, (leader, helper, bar), strict=True):
        assert planar(simulation, name) == pytest.approx(pose, abs=2e-3), "it stays calmly where it was put"


@pytest.mark.parametrize("engine", ["pymunk", "mujoco"])
def test_more_robots_carry_a_plate_and_two_a_bar_again(tmp_path: Path, engine: str) -> None:
    simulation = simulated(tmp_path, engine)
    apply(simulation, Update("team1", "carriers 4\nlength 1.8", places=True))
    roles = ("leader", "helper", "helper2", "helper3")
    assert set(simulation.layout.entity) == {"floor", "team1/plate", *(f"team1/{role}" for role in roles)}
    plate = simulation.layout.entity["team1/plate"]
    assert (plate.type, plate.size[:2]) == ("cylinder", (1.8, 1.8))
    circle = [(0.0, 0.75), (-0.75, 0.0), (0.0, -0.75), (0.75, 0.0)]
    for _ in range(50):
        simulation.tick()
    assert [planar(simulation, f"team1/{role}")[:2] for role in roles] == [pytest.approx(at, abs=2e-3) for at in circle]
    assert sorted(simulation.joints) == sorted(f"team1/{role}/support" for role in roles)
    apply(simulation, Update("team1", "carriers 2", places=True))
    assert set(simulation.layout.entity) == {"floor", *MEMBERS}
    assert sorted(simulation.joints) == ["team1/helper/support", "team1/leader/support"]
    with pytest.raises(BadFile, match=r"6 robots would touch under 1\.2 m; a load for them has 1\.5 m at least"):
        apply(simulation, Update("team1", "carriers 6\nlength 1.2", places=True))


def test_a_plate_is_saved_and_read_as_one_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with LocalServer(simulated(tmp_path)).connect() as client:
        world = client.module("/sim/world")
        world.update("team1", "position 1 2 0\norientation 0 0 30\ncarriers 5\nlength 2")
        world.save("plate.scenario")
    words = (tmp_path / "plate.scenario").read_text(encoding="utf-8").split()
    expected = "position 1 2 0 orientation 0 0 30 length 2 carriers 5"
    assert words == [*TEAM.split(), *expected.split()]
    again = load(tmp_path / "plate.scenario").scenario
    assert [robot.name for robot in again.robots] == [
        f"team1/{role}" for role in ("leader", "helper", "helper2", "helper3", "helper4")
    ]
    (tmp_path / "wrong.scenario").write_text(f"{TEAM}carriers 6\nlength 1.2\n", encoding="utf-8")
    with pytest.raises(BadFile, match=r"wrong\.scenario:6:8: 6 robots would touch"):
        load(tmp_path / "wrong.scenario")
    (tmp_path / "single.scenario").write_text("[ROBOT_1]\ntype single\ncarriers 3\n", encoding="utf-8")
    with pytest.raises(BadFile, match="carriers is that of a load, and only robots of type team2 carry one"):
        load(tmp_path / "single.scenario")


def test_a_colour_moves_no_team_that_has_driven_away(tmp_path: Path) -> None:
    simulation = simulated(tmp_path)
    apply(simulation, Update("team1", "position 0.1 0.7 0\norientation 0 0 33"))
    for _ in range(60):
        for name in MEMBERS[:2]:
            simulation.command(name, "motors", 10, (0.4, 0.0))
        simulation.tick()
    driven = [planar(simulation, name) for name in MEMBERS]
    apply(simulation, Update("team1", "color red"))
    assert simulation.layout.entity["team1/helper"].color == RED
    assert np.array_equal(driven, [planar(simulation, name) for name in MEMBERS])


def test_a_team_is_removed_as_a_whole_and_inserted_again(tmp_path: Path) -> None:
    simulation = simulated(tmp_path)
    apply(simulation, Insert("[ROBOT_1]\ntype single\nname team10\nposition 4 4 0\n"))
    apply(simulation, Remove("team1"))
    assert list(simulation.layout.entity) == ["floor", "team10"]
    assert not simulation.joints
    apply(simulation, Insert("[ROBOT_1]\ntype team2\nname team1\nposition 1 0 0\n"))
    assert planar(simulation, "team1/bar")[0] == 1.0
    for edit in (Remove("team"), Update("team", "color red"), Remove("team1/")):
        with pytest.raises(NoSuchName):
            apply(simulation, edit)


def test_a_member_with_a_colour_of_its_own_makes_it_no_team_until_that_is_taken_back(tmp_path: Path) -> None:
    simulation = simulated(tmp_path)
    before = simulation.scene
    apply(simulation, Update("team1/leader", "color red"))
    changed = simulation.scene
    with pytest.raises(BadArgument, match="team1 no longer stands, and looks, as one team"):
        apply(simulation, Update("team1", "color red"))
    assert simulation.scene is changed
    apply(simulation, Update("team1/helper", "color red"))
    apply(simulation, Update("team1", "position 1 1 0"))
    with pytest.raises(BadFile, match="remove the robot and insert another"):
        apply(simulation, Update("team1", "type single"))
    assert before.robots.keys() == simulation.scene.robots.keys()


def test_a_changed_team_is_saved_as_one_section_and_a_changed_member_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with LocalServer(simulated(tmp_path)).connect() as client:
        world = client.module("/sim/world")
        world.update("team1", "position 1 2 0\ncolor red")
        world.save("whole.scenario")
        whole = (tmp_path / "whole.scenario").read_text(encoding="utf-8")
        assert whole.split() == [*TEAM.split(), "position", "1", "2", "0", "color", "red"]
        world.update("team1/helper", "color blue")
        world.save("apart.scenario")
        again = load(tmp_path / "apart.scenario").scenario
        assert {robot.name: robot.color[2] for robot in again.robots} == {"team1/leader": 0.0, "team1/helper": 1.0}
        world.remove("team1")
        world.save("none.scenario")
        assert not load(tmp_path / "none.scenario").scenario.robots


@pytest.mark.parametrize("engine", ["pymunk", "mujoco"])
def test_entries_that_say_the_place_of_the_file_bring_back_what_has_driven_away(tmp_path: Path, engine: str) -> None:
    simulation = simulated(tmp_path, engine)
    begun = [planar(simulation, name) for name in MEMBERS]
    for _ in range(60):
        for name in MEMBERS[:2]:
            simulation.command(name, "motors", 10, (0.4, 0.0))
        simulation.tick()
    driven = [planar(simulation, name) for name in MEMBERS]
    assert all(abs(now[0] - then[0]) > 0.05 for now, then in zip(driven, begun, strict=True))
    apply(simulation, Update("team1", "position 0 0 0"))  # as earlier programs recorded it
    assert np.array_equal(driven, [planar(simulation, name) for name in MEMBERS])
    with LocalServer(simulation).connect() as client:
        client.module("/sim/world").update("team1", "color blue")
        assert np.array_equal(driven, [planar(simulation, name) for name in MEMBERS])
        client.module("/sim/world").update("team1", "color red\n position 0 0 0")
    assert [planar(simulation, name) for name in MEMBERS] == [pytest.approx(pose, abs=1e-12) for pose in begun]
    assert len(simulation.joints) == 2
    for _ in range(20):
        simulation.tick()
    assert planar(simulation, "team1/bar") == pytest.approx(begun[2], abs=2e-3), "it lies calmly where it was put"
