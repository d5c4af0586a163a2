"""Nodes of ROS 2 by two libraries of others, in Rust: they list our graph, read scans, step the simulation and drive.

`make peers` compiles them, which takes minutes, and runs this file; without it there is nothing to run.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from bridged import LIMIT, GatewayProcess
from ros2_programs import free_domain

from coopsim.client import connect
from coopsim.testkit import Run
from coopsim.testkit.conformance.restart import lasting_port

NODES = Path(os.environ.get("COOPSIM_PEERS", "nowhere"))
PATIENCE = 90.0
STEPS = 50

pytestmark = pytest.mark.skipif(not NODES.is_dir(), reason="needs the nodes that `make peers` compiles")


@pytest.fixture
def simulation() -> Iterator[Run]:
    with Run("single", "--no-controllers", "--duration", "3600") as live:
        yield live


def report(node: str, place: str, domain: int) -> list[str]:
    """Return what a node printed, which has found all that it looked for."""
    command = [str(NODES / node), place, str(domain)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "all is there"
    return lines


@pytest.mark.parametrize("middleware", ["zenoh", "dds"])
def test_node_sees_steps_and_drives(simulation: Run, middleware: str) -> None:
    port, domain = lasting_port(), free_domain()
    place = ["--port", str(port)] if middleware == "zenoh" else []
    arguments = ["--endpoint", simulation.endpoint, "--rmw", middleware, "--domain", str(domain), *place]
    with connect(simulation.endpoint) as sim, GatewayProcess(*arguments, kind="ros2") as gateway:
        gateway.wait_for("serving")
        begin = sim.robot("robot1").odometry.pose()
        lines = report(f"{middleware}_node", f"tcp/127.0.0.1:{port}", domain)
        status = sim.clock.status()
        assert status.paused
        (scan,) = (line for line in lines if line.startswith("scan of "))
        assert re.match(r"scan of 11 at \d+ s", scan)
        topics = {line.split()[1].removeprefix("rt"): line.split()[2] for line in lines if line.startswith("topic ")}
        assert topics["/robot1/scan"].replace("::", "/").replace("dds_/", "").rstrip("_") == "sensor_msgs/msg/LaserScan"
        moved = sim.robot("robot1").odometry.pose()
        assert moved.x > begin.x + 0.01
        tick = int(status.tick)
        sim.clock.step(STEPS, timeout=LIMIT)
        assert int(sim.clock.status().tick) == tick + STEPS
