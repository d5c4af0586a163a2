"""The MuJoCo engine where MuJoCo is not installed."""

import subprocess
import sys

from coopsim.interpreter import extra_command

WITHOUT = """
import sys

sys.modules["mujoco"] = None
"""

FLY = """
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import restore, snapshot

simulation = Simulation(load("sphere"), engine="flight")
simulation.tick()
again = Simulation(load("sphere"), engine="flight")
restore(again, snapshot(simulation))
print(len(again.engine.names), again.time_ns == simulation.time_ns > 0)
"""


LOAD = """
from coopsim import plugins
from coopsim.errors import PluginFailed

try:
    plugins.load("engines", "mujoco")
except PluginFailed as problem:
    print(problem)
"""

OTHERS = """
import coopsim.features.space.contacts
import coopsim.features.space.kernels
from coopsim import plugins
from coopsim.features.doctor.warm import installed_engines

print(installed_engines(), plugins.load("engines", "pymunk").position_lag, "mujoco" in plugins.registered("engines"))
"""


def output_without_mujoco(program: str) -> str:
    """The output of a program in a process of its own: a module imported twice is bound to two packages."""
    command = [sys.executable, "-c", WITHOUT + program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_missing_package_is_said_in_one_sentence_with_its_cure():
    assert output_without_mujoco(LOAD) == f"the mujoco engine needs the package MuJoCo: {extra_command('mujoco')}\n"


def test_other_engines_and_the_kernels_do_not_need_it():
    assert output_without_mujoco(OTHERS) == "['flight', 'kinematic', 'pymunk'] 1 True\n"


def test_quadrotors_fly_and_come_out_of_snapshots_without_it():
    assert output_without_mujoco(FLY) == "70 True\n"
