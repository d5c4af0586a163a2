"""The MuJoCo engine where MuJoCo is not installed."""

import importlib
import subprocess
import sys

import pytest

from coopsim import plugins
from coopsim.errors import PluginFailed
from coopsim.interpreter import extra_command
from coopsim.simulation.warm import installed_engines

FLY = """
import sys

sys.modules["mujoco"] = None
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import restore, snapshot

simulation = Simulation(load("sphere"), engine="flight")
simulation.tick()
again = Simulation(load("sphere"), engine="flight")
restore(again, snapshot(simulation))
print(len(again.engine.names), again.time_ns == simulation.time_ns > 0)
"""


@pytest.fixture
def without_mujoco(monkeypatch):
    ours = [name for name in sys.modules if name.startswith("coopsim.engines.spatial")]
    for name in ours:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mujoco", None)
    plugins.load.cache_clear()
    yield
    plugins.load.cache_clear()


def test_a_missing_package_is_said_in_one_sentence_with_its_cure(without_mujoco):
    with pytest.raises(PluginFailed) as caught:
        plugins.load("engines", "mujoco")

    assert str(caught.value) == f"the mujoco engine needs the package MuJoCo: {extra_command('mujoco')}"


def test_other_engines_and_the_kernels_do_not_need_it(without_mujoco):
    importlib.import_module("coopsim.engines.spatial.kernels")
    importlib.import_module("coopsim.engines.spatial.contacts")

    assert installed_engines() == ["flight", "kinematic", "pymunk"]
    assert plugins.load("engines", "pymunk").position_lag == 1
    assert "mujoco" in plugins.registered("engines")


def test_quadrotors_fly_and_come_out_of_snapshots_without_it():
    done = subprocess.run([sys.executable, "-c", FLY], capture_output=True, text=True, timeout=110, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "70 True\n", "")
