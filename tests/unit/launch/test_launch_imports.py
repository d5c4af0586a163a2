"""What the processes of a run load: each megabyte and each tenth of a second counts once per process."""

import subprocess
import sys

import pytest

SIMULATION = ("numba", "pymunk", "coopsim.simulation", "coopsim.sensing", "coopsim.features.amsa.components")
RECORDING = ("mcap", "coopsim.recording")


@pytest.mark.parametrize(
    ("module", "others"),
    [
        ("coopsim.launch.host_process", (*SIMULATION, *RECORDING, "coopsim.launch.launcher")),
        ("coopsim.launch.recorder_process", (*SIMULATION, "zmq", "coopsim.server", "coopsim.robots", "coopsim.scene")),
        (
            "coopsim.launch.physics_process",
            (*RECORDING, "zmq", "coopsim.server", "coopsim.launch.launcher", "coopsim.features.amsa.components"),
        ),
        ("coopsim.launch.launcher", (*SIMULATION, "zmq", "coopsim.server")),
    ],
)
def test_a_process_loads_nothing_of_the_others(module: str, others: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print(sorted({set(others)!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("scene", ["transport", "door"])
def test_a_scenario_is_read_without_the_simulator(scene: str) -> None:
    code = (
        f"import sys; from coopsim.robots.loading import load; load({scene!r}); "
        f"print(sorted({set(SIMULATION)!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
