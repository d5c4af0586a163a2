"""Detectors: the nearest artifacts with a device of a kind, in what direction they are seen, and what they read."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadArgument, CoopsimError
from coopsim.inprocess import LocalServer
from coopsim.robots import check, load
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.state.edits import Insert, Remove, SetParameter

YARD = """[FLOOR]
size 20 20 0.1
[ARTIFACT_1]
type conveyor
name belt1
position 0 -2 0
size 2 0.5 0.1
set belt.start 0.3
[ARTIFACT_2]
type lamp
name near
position 3 0 0
set lamp.start 0.5 lamp.blue 0
[ARTIFACT_3]
type lamp
name far
position 0 4 0
set lamp.start 0.25
[ARTIFACT_4]
type door
name gate
position -5 0 0
"""
LOOKER = """[BODY]
type cylinder
size 0.3 0.3 0.3
mass 5
[DEVICE_1]
type differential_drive
name motors
[DEVICE_2]
type detector
name detector
slots 2
{}
"""
SLOTS, SIGHTING, VALUES = 2, 4, 4


def yard(folder: Path, device: str = "", world: str = YARD, robots: str = "") -> Simulation:
    (folder / "yard.world").write_text(world)
    (folder / "looker.robot").write_text(LOOKER.format(device))
    own = f"[WORLD]\nfile yard\n[ROBOT_1]\ntype looker\nname r\nposition 0 0 0\norientation 0 0 90\n{robots}"
    (folder / "run.scenario").write_text(own)
    return Simulation(load(folder / "run.scenario"))


def seen(sim: Simulation, robot: str = "r") -> tuple[np.ndarray, list[str], np.ndarray]:
    """Return what a robot detects after two ticks: sightings, names, states."""
    sim.tick()
    sim.tick()
    reading = np.array(sim.reading(robot, "detector"))
    names = [robot.name for robot in sim.layout.robots]
    artifacts = reading[SLOTS * SIGHTING : SLOTS * (SIGHTING + 1)]
    return (
        reading[: SLOTS * SIGHTING].reshape(SLOTS, SIGHTING),
        [names[int(index)] if index >= 0 else "" for index in artifacts],
        reading[SLOTS * (SIGHTING + 1) :].reshape(SLOTS, VALUES),
    )


def choose_kind(sim: Simulation, kind: str) -> None:
    apply(sim, SetParameter("r", "detector", "kind", kind))


def test_s_37_the_nearest_lamps_are_told_with_bearing_distance_and_light(tmp_path: Path) -> None:
    sightings, names, states = seen(yard(tmp_path))
    assert names == ["near", "far"]
    np.testing.assert_allclose(sightings, [[3.0, -np.pi / 2, 0.0, 1.0], [4.0, 0.0, 0.0, 1.0]], atol=1e-9)
    np.testing.assert_allclose(states, [[0.5, 1.0, 0.9, 0.0], [0.25, 1.0, 0.9, 0.7]])


def test_another_kind_is_looked_for_while_it_runs_and_empty_slots_are_empty(tmp_path: Path) -> None:
    sim = yard(tmp_path)
    choose_kind(sim, "belt")
    for _ in range(40):
        sim.tick()
    sightings, names, states = seen(sim)
    assert names == ["belt1", ""]
    np.testing.assert_allclose(sightings, [[2.0, -np.pi, 0.0, 1.0], [20.0, 0.0, 0.0, 0.0]], atol=1e-9)
    np.testing.assert_allclose(states, [[0.3, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    choose_kind(sim, "automatic_door")
    assert seen(sim)[1] == ["gate", ""]
    choose_kind(sim, "differential_drive")
    assert seen(sim)[1] == ["", ""]  # it is the only one with motors, and does not see itself


def test_what_stands_behind_something_is_hidden_unless_the_sensor_looks_through_things(tmp_path: Path) -> None:
    wall = YARD + "[WALL_1]\ntype box\nsize 0.1 2 2\nposition 1.5 0 0\n"
    assert seen(yard(tmp_path, world=wall))[1] == ["far", ""]
    assert seen(yard(tmp_path, "occlusion 0", wall))[1] == ["near", "far"]


@pytest.mark.parametrize(("device", "names"), [("field 90", ["far", ""]), ("reach 3.5", ["near", ""])])
def test_field_of_view_and_reach_limit_what_is_seen(device: str, names: list[str], tmp_path: Path) -> None:
    assert seen(yard(tmp_path, device))[1] == names


def test_robots_of_one_type_look_for_kinds_of_their_own_at_once(tmp_path: Path) -> None:
    sim = yard(tmp_path, robots="[ROBOT_2]\ntype looker\nname s\nposition 1 3 0\n")
    choose_kind(sim, "belt")
    assert seen(sim)[1] == ["belt1", ""]
    sightings, names, _ = seen(sim, "s")
    assert names == ["far", "near"]
    np.testing.assert_allclose(sightings[:, 0], [np.sqrt(2.0), np.sqrt(13.0)])


def test_artifacts_that_come_and_go_are_seen_or_not(tmp_path: Path) -> None:
    sim = yard(tmp_path)
    seen(sim)
    apply(sim, Insert("[ARTIFACT_1]\ntype lamp\nname a_new_one\nposition 0 1 0\nset lamp.start 0.75\n"))
    _, names, states = seen(sim)
    assert (names, states[0, 0]) == (["a_new_one", "near"], 0.75)
    apply(sim, Remove("near"))
    assert seen(sim)[1] == ["a_new_one", ""]  # which hides the one behind it


def test_measurements_of_artifacts_that_were_there_before_never_come(tmp_path: Path) -> None:
    sim = yard(tmp_path, "delay 0.05")
    for _ in range(10):
        sim.tick()
    assert seen(sim)[1] == ["near", "far"]
    apply(sim, Remove("belt1"))
    # the numbers of all others have changed, and no measurement under way knows that
    for _ in range(6):
        assert seen(sim)[1] == ["near", "far"]


def test_noise_blurs_distances_and_angles_alone(tmp_path: Path) -> None:
    sim = yard(tmp_path, "noise_distance 0.1\nnoise_angle 2")
    rows = np.array([seen(sim)[0] for _ in range(200)])
    assert np.std(rows[:, :, 0], axis=0) == pytest.approx([0.1, 0.1], rel=0.25)
    assert np.std(rows[:, :, 1], axis=0) == pytest.approx(np.radians([2.0, 2.0]), rel=0.25)
    assert np.all(rows[:, :, 2:] == [0.0, 1.0])


def test_a_kind_that_no_device_has_is_a_mistake_with_its_place(tmp_path: Path) -> None:
    sim = yard(tmp_path)
    with pytest.raises(BadArgument, match="no device is of the type 'lmap'"):
        choose_kind(sim, "lmap")
    (tmp_path / "looker.robot").write_text(LOOKER.format("kind blet"))
    (problem,) = check(tmp_path / "run.scenario")
    assert "looker.robot:12:6: kind: no device is of the type 'blet' (blet → belt?)" in str(problem)


def test_clients_read_detections_names_and_states_and_choose_the_kind(tmp_path: Path) -> None:
    with LocalServer(yard(tmp_path)).connect() as client, client.stepper("r") as stepper:
        detector = client.robot("r").detector
        stepper.step([(0.0, 0.0)])
        assert detector.names().names == ("near", "far")
        assert detector.detections().detections[:SIGHTING] == pytest.approx((3.0, -np.pi / 2, 0.0, 1.0))
        detector.parameters["kind"] = "belt"
        stepper.step([(0.0, 0.0)])
        assert detector.names().names == ("belt1", "")
        with pytest.raises(CoopsimError, match="no device is of the type"):
            detector.parameters["kind"] = "lmap"
