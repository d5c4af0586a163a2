"""The laser scanner in files, in windows, and as programs of ROS know it."""

import math
from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadFile
from coopsim.features.gateways.table import TOPICS, Measured
from coopsim.features.pictures.drawn_sensors import drawn_sensors
from coopsim.features.sensors.laser_interface import LASER
from coopsim.interfaces import Value
from coopsim.robots import load, load_type
from coopsim.simulation import Simulation

BODY = "[BODY]\ntype cylinder\nsize 0.4 0.4 0.3\nmass 10\n[DEVICE_1]\ntype differential_drive\nname motors\n"


def settings_of(folder: Path, text: str) -> dict[str, Value]:
    (folder / "rover7.robot").write_text(f"{BODY}[DEVICE_2]\ntype laser\nname laser\n{text}")
    return dict(load_type("rover7", folder=folder).devices[1].settings)


def values(**given: Value) -> dict[str, Value]:
    return {parameter.name: parameter.default for parameter in LASER.parameters} | given


def test_a_file_says_what_differs_from_its_preset(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "noise 0.01\npreset ust_10lx\n")
    assert (settings["count"], settings["rate"], settings["noise"]) == (1081, 40.0, 0.01)
    assert settings_of(tmp_path, "")["count"] == 181


def test_a_preset_that_is_not_known_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(
        BadFile, match=r"rover7.robot:11:8: preset must be one of ust_10lx, rplidar_a1, vlp_16, got 'ust_20lx'"
    ):
        settings_of(tmp_path, "preset ust_20lx\n")


def test_more_rays_than_there_is_room_for_are_refused_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"rover7.robot:12:1: count times layers must be 2048 at most, got 3243"):
        settings_of(tmp_path, "preset ust_10lx\nlayers 3\n")


def test_a_run_is_the_same_each_time_and_its_scans_are_hashed(tmp_path: Path) -> None:
    settings_of(tmp_path, "count 64\nnoise 0.02\ndropout 0.1\nechoes 1\n")
    scenario = tmp_path / "a.scenario"
    robots = "".join(f"[ROBOT_{k}]\ntype rover7\nname robot{k}\nposition 0 {k} 0\n" for k in (1, 2))
    scenario.write_text(f"[WORLD]\nfile lab\n{robots}")
    hashes = []
    for _ in range(2):
        simulation = Simulation(load(str(scenario)))
        for _ in range(5):
            simulation.tick()
        hashes.append(simulation.state_hash())
    assert hashes[0] == hashes[1]


def test_rays_are_drawn_from_the_scanner_layer_by_layer() -> None:
    settings = values(count=3, layers=2, sector=90.0, elevation="-10 10", x=0.1, y=0.2, yaw=90.0)
    (ring,) = drawn_sensors({"laser": LASER}, lambda _, name: settings[name]).rings
    assert ring.mount == (0.1, 0.2)
    assert np.degrees(ring.bearings) == pytest.approx([45.0, 90.0, 135.0] * 2)
    assert np.degrees(ring.elevations) == pytest.approx([-10.0] * 3 + [10.0] * 3)


def test_ros_gets_the_layer_that_is_nearest_to_level() -> None:
    row = next(row for row in TOPICS if row.kind == "laser")
    readings = {"ranges": np.array([1.0, 1.0, 1.0, 2.0, 0.0, 10.0]), "intensities": np.arange(6.0)}
    parameters = values(count=3, layers=2, sector=90.0, elevation="-10 1", yaw=90.0, nearest=0.06, rate=40.0)
    pose = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    scan = row.build(Measured(0.0, "robot1", "laser", pose, {"laser": readings}, parameters, {"laser": "laser"}))
    assert scan["ranges"] == [2.0, 0.0, math.inf]
    assert scan["intensities"] == [3.0, 4.0, 5.0]
    assert (scan["range_min"], scan["range_max"], scan["scan_time"]) == (0.06, 10.0, 0.025)
    assert (scan["angle_min"], scan["angle_max"]) == pytest.approx((math.pi / 4, 3 * math.pi / 4))
