"""The short names of the package: `coopsim.open` and others."""

import subprocess
import sys
from pathlib import Path

import pytest

import coopsim
from coopsim import plugins
from coopsim.errors import BadFile, NoSuchFile, SimulationEnded


def test_a_scenario_is_opened_driven_and_ends_in_the_process_that_asks() -> None:
    with coopsim.open("single", seed=3, step=0.02, duration=0.1) as sim:
        robot = sim.robot("robot1")
        for _ in range(5):
            robot.motors.set_velocity(0.5, 0.0)
        status = sim.clock.status()
        assert (status.tick, status.step, sim.info()["seed"]) == (5, 0.02, 3)
        assert robot.odometry.pose().x > 0.0
        with pytest.raises(SimulationEnded):
            robot.motors.set_velocity(0.5, 0.0)


def test_two_scenes_are_open_at_once_and_do_not_meet() -> None:
    with coopsim.open("single") as first, coopsim.open("single") as second:
        first.robot("robot1").motors.set_velocity(0.5, 0.0)
        assert (first.clock.status().tick, second.clock.status().tick) == (1, 0)


def test_a_scene_with_mistakes_is_refused_with_their_places(tmp_path: Path) -> None:
    (tmp_path / "yard.scenario").write_text("[ROBOT_1]\ntype singel\nname r\n")
    with pytest.raises(BadFile, match=r"yard\.scenario:2:6: .*singel"):
        coopsim.open(tmp_path / "yard.scenario")
    with pytest.raises(NoSuchFile, match="singel"):
        coopsim.open("singel")


def test_a_plugin_is_loaded_before_the_scene(tmp_path: Path) -> None:
    (tmp_path / "cart.robot").write_text("[BODY]\ntype box\nsize 0.4 0.4 0.2\nmass 5\n")
    (tmp_path / "yard").mkdir()
    (tmp_path / "yard" / "yard.scenario").write_text("[ROBOT_1]\ntype cart\nname r\n")
    with pytest.raises(BadFile, match="cart"):
        coopsim.open(tmp_path / "yard" / "yard.scenario")
    try:
        with coopsim.open(tmp_path / "yard" / "yard.scenario", plugins=[tmp_path / "cart.robot"]) as sim:
            assert sim.info()["robots"] == 1
    finally:
        plugins.forget(tmp_path / "cart.robot")


def test_every_short_name_is_there_and_others_are_named() -> None:
    assert all(callable(getattr(coopsim, name)) for name in coopsim.__all__)
    with pytest.raises(AttributeError, match=r"no attribute 'opn'.*connect, open"):
        coopsim.opn  # noqa: B018 - the access is what is tested


def test_the_client_is_imported_without_a_simulator() -> None:
    program = (
        "import sys, coopsim.client; print([m for m in ('numba', 'pymunk', 'coopsim.simulation') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"
