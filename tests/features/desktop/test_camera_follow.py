"""The example that follows a red robot by its camera: leader and follower are clients of one simulation."""

import importlib.util
from pathlib import Path

import numpy as np

from coopsim.features.desktop.cameras import LocalImages
from coopsim.features.laws import cruise
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

_FILE = Path(__file__).parents[3] / "clients" / "python" / "follow_camera.py"


def example():
    spec = importlib.util.spec_from_file_location("follow_camera", _FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_follower_stays_behind_the_red_robot(images: LocalImages, capsys) -> None:
    simulation = Simulation(load("follow_camera"))
    server = LocalServer(simulation, images=images, wait_for=("robot1", "robot2"))
    lead = ["--robots", "robot1", "--v", "0.3", "--w", "0.15", "--seconds", "6"]
    server.run(lambda: cruise.main(lead), lambda: example().main("robot2", "5"))
    poses = dict(zip(simulation.layout.bodies, np.asarray(simulation.engine.poses), strict=True))
    apart = np.linalg.norm(poses["robot1"][:2] - poses["robot2"][:2])
    assert 0.9 < apart < 1.9  # a metre and half a robot, and what it lags behind at that speed
    assert np.linalg.norm(poses["robot2"][:2]) > 1.0
    assert "m behind what is red" in capsys.readouterr().out


def test_what_is_red_is_found_by_its_pixels() -> None:
    follow = example()
    image, depth = np.zeros((240, 320, 3), np.uint8), np.full((240, 320), 2.0, np.float32)
    assert follow.find(image, depth, 1.0) is None
    image[100:140, 40:60, 0] = 200
    distance, bearing = follow.find(image, depth, 1.0)
    assert distance == 2.0
    assert bearing > 0.3  # to the left
    assert follow.decide((distance, bearing))[0] > 0.0
    assert follow.decide(None)[0] == 0.0
