"""Kernels are compiled, or loaded, before the first tick: none of a run's ticks waits for a compiler."""

import json
import subprocess
import sys

import pytest

_RUN = """
import json, sys
from coopsim.robots import load
from coopsim.simulation import Simulation

def kernels():
    ours = [vars(module) for name, module in list(sys.modules.items()) if name.startswith("coopsim.")]
    found = {id(it): it for names in ours for it in list(names.values()) if hasattr(it, "py_func")}.values()
    return {f"{it.py_func.__module__}.{it.py_func.__name__}": len(it.signatures) for it in found if it.stats.cache_path}

simulation = Simulation(load(sys.argv[1]), engine=sys.argv[2])
before = kernels()
for name in simulation.layout.robot:
    simulation.command(name, "motors", 10, (0.5, 0.1))
for _ in range(600):
    simulation.tick()
after = kernels()
print(json.dumps({"known": sum(before.values()), "late": [it for it in after if after[it] != before.get(it, 0)]}))
"""


@pytest.mark.parametrize("engine", ["pymunk", "kinematic", "mujoco"])
@pytest.mark.parametrize("scenario", ["single", "vee", "lab"])
def test_no_kernel_is_compiled_or_loaded_in_a_tick(scenario: str, engine: str) -> None:
    told = subprocess.check_output([sys.executable, "-c", _RUN, scenario, engine], timeout=300)
    found = json.loads(told)
    assert found["known"] > 20
    assert found["late"] == []
