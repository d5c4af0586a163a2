"""Kernels are compiled, or loaded, before the first tick: none of a run's ticks waits for a compiler."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.bench.measuring.workload import crowd

_RUN = """
import json, sys
from coopsim.robots import load
from coopsim.simulation import Simulation

def kernels():
    ours = [vars(module) for name, module in list(sys.modules.items()) if name.startswith("coopsim.")]
    found = {id(it): it for names in ours for it in list(names.values()) if hasattr(it, "py_func")}.values()
    return [it for it in found if it.stats.cache_path]

def counts():
    return {f"{it.py_func.__module__}.{it.py_func.__name__}": len(it.signatures) for it in kernels()}

simulation = Simulation(load(sys.argv[1]), engine=sys.argv[2])
before = counts()
for name in simulation.layout.robot:
    simulation.command(name, "motors", 10, (0.5, 0.1))
for _ in range(600):
    simulation.tick()
after = counts()
late = [it for it in after if after[it] != before.get(it, 0)]
compiled = any(it.stats.cache_misses for it in kernels())  # by this very run, which takes all that numba can
needless = "scipy.linalg" in sys.modules and not compiled
print(json.dumps({"known": sum(before.values()), "late": late, "needless": needless}))
"""


@pytest.mark.parametrize("engine", ["pymunk", "kinematic", "mujoco"])
@pytest.mark.parametrize("scenario", ["single", "vee", "lab"])
def test_no_kernel_is_compiled_or_loaded_in_a_tick(scenario: str, engine: str) -> None:
    output = subprocess.check_output([sys.executable, "-c", _RUN, scenario, engine], timeout=300)
    report = json.loads(output)
    assert report["known"] > 20
    assert report["late"] == []
    assert not report["needless"]


_LOOKS_DOWN = """
[BODY]
size 0.4 0.4 0.2
mass 8
[DEVICE_1]
type differential_drive
name motors
[DEVICE_2]
type sonars
name edges
count 3
sector 90
elevation -40 -60 20
"""


@pytest.mark.parametrize("engine", ["pymunk", "kinematic", "mujoco"])
@pytest.mark.parametrize("count", [1, 3])
def test_rays_that_point_up_or_down_need_no_compiler_in_a_tick(tmp_path: Path, count: int, engine: str) -> None:
    (tmp_path / "edgy.robot").write_text(_LOOKS_DOWN)
    robots = "".join(f"[ROBOT_{k}]\ntype edgy\nposition {2 * k} 0 0\n" for k in range(1, count + 1))
    (tmp_path / "a.scenario").write_text(robots)
    simulation = Simulation(load(str(tmp_path / "a.scenario")), engine=engine)
    before = _signatures()

    (block,) = simulation.tables.blocks
    for _ in range(4):
        simulation.tick()

    # the ring is 0.1 m above the floor; upward all is free
    assert block.readings[0].tolist()[-3:] == pytest.approx([0.1 / 0.6428, 0.1 / 0.866, 3.0], abs=5e-3)
    late = [kernel.py_func.__qualname__ for kernel, number in _signatures().items() if number != before.get(kernel, 0)]
    assert late == []
    assert any(kernel.py_func.__module__ == "coopsim.sensing.ray_raised" for kernel in before)


def _signatures() -> dict[Any, int]:
    ours = [vars(module) for name, module in list(sys.modules.items()) if name.startswith("coopsim.")]
    kernels = {name for names in ours for name in list(names.values()) if hasattr(name, "py_func")}
    return {kernel: len(kernel.signatures) for kernel in kernels}


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    "changes",
    [
        {"target.field": 1.0},
        {"target.occlusion": 1},
        {"sonars.noise": 0.1, "odometry.noise": 0.1},
        {"sonars.interval": 3},
    ],
    ids=" ".join,
)
def test_what_a_parameter_switches_on_needs_no_compiler(count: int, changes: dict[str, float]) -> None:
    simulation = Simulation(crowd(count, "single"))
    before = _signatures()

    (block,) = simulation.tables.blocks
    for knob, value in changes.items():
        module, _, name = knob.partition(".")
        block.devices[module].parameters[name][:] = value
        block.devices[module].changed(0, name)
    for _ in range(4):
        simulation.tick()

    late = [kernel.py_func.__qualname__ for kernel, number in _signatures().items() if number != before.get(kernel, 0)]
    assert late == []
