"""S-45: an extension for ROS, under a real roscore, with a node of the real ROS."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from ros_master import roscore

from coopsim.client import connect
from coopsim.testkit.run import Run

pytestmark = pytest.mark.integration
PATIENCE = 120.0
HERE = Path(__file__).parent
LIBRARIES = ["roscpp", "roscpp_serialization", "rosconsole", "rostime", "cpp_common", "boost_system", "pthread"]
PLUGIN = '''"""What has robots driven by ROS."""

from coopsim.features.ros1 import RosDriver, RosExtension

PLUGINS = {"devices": {"ros": RosDriver}, "extensions": {"ros": RosExtension}}
'''
ROBOT = """[ROBOT]
summary     is driven by ROS
[BODY]
type        cylinder
size        0.5 0.5 0.3
mass        20
[DEVICE_1]
type        differential_drive
name        motors
half_track  0.18
max_force   40
max_speed   0.5
[DEVICE_2]
type        sonars
name        sonars
count       11
sector      220
reach       3
[DEVICE_3]
type        ros
name        ros
rate        50
sensors     sonars
"""
SCENE = "[WORLD]\nfile empty.world\n[ROBOT_1]\ntype rover\nname ann\nposition 0 0 0\n"


@pytest.fixture
def ros(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The variables of a roscore that answers."""
    with roscore(tmp_path) as variables:
        yield variables


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A node of roscpp."""
    program = tmp_path_factory.mktemp("peer") / "peer"
    words = ["c++", "-O0", str(HERE / "ros_peer.cpp"), "-o", str(program), *(f"-l{library}" for library in LIBRARIES)]
    done = subprocess.run(words, check=False, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})
    assert done.returncode == 0, done.stderr[-3000:]
    return program


@pytest.fixture
def yard(tmp_path: Path) -> Path:
    for name, text in (("rover.robot", ROBOT), ("yard.scenario", SCENE), ("ros.py", PLUGIN)):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_s_45_a_node_of_ros_drives_a_robot_and_reads_its_sensors(
    yard: Path, ros: dict[str, str], peer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ROS_MASTER_URI", "ROS_IP"):
        monkeypatch.setenv(name, ros[name])
    with Run(str(yard / "yard.scenario"), "--plugin", str(yard / "ros.py"), "--mode", "real-time") as run:
        done = subprocess.run([str(peer)], env=ros, capture_output=True, text=True, timeout=PATIENCE, check=False)
        with connect(run.endpoint, timeout=PATIENCE) as sim:
            state = sim.robot("ann").ros.state()
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert "sonars 11 3.000" in said
    (line_,) = [line for line in said if line.startswith("world 77 at ")]  # seq, stamp, frame, seven numbers
    assert float(line_.split()[-1]) >= 0.2
    assert said[-1] == "done"
    assert state.received > 0
    assert state.published > 0


def test_s_45_a_run_without_a_master_does_not_begin_and_says_what_to_do(
    yard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens there
        monkeypatch.setenv("ROS_MASTER_URI", f"http://127.0.0.1:{taken.getsockname()[1]}")
        words = ["coopsim", "run", str(yard / "yard.scenario"), "--plugin", str(yard / "ros.py"), "--no-gui"]
        done = subprocess.run(
            [sys.executable, "-m", *words, "--port", "0"],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
    assert done.returncode != 0
    assert "no ROS master answers at http://127.0.0.1:" in done.stderr
    assert "Traceback" not in done.stderr
