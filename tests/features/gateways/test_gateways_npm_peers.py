"""Programs of roslibjs and of Foxglove's own client, as npm has them, see and drive robots unchanged."""

import fcntl
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bridged import LIMIT, GatewayProcess

from coopsim.client import connect
from coopsim.testkit import Run

PROGRAMS = Path(__file__).parent / "peers"
INSTALLED = Path(__file__).parents[3] / "build" / "peers"
PACKAGES = ("package.json", "package-lock.json")

pytestmark = pytest.mark.skipif(not (shutil.which("node") and shutil.which("npm")), reason="needs node and npm")


@pytest.fixture(scope="module")
def peers() -> Path:
    """Folder with the programs and their packages, which are installed once for all runs."""
    INSTALLED.mkdir(parents=True, exist_ok=True)
    with (INSTALLED / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        names = [*PACKAGES, *(path.name for path in PROGRAMS.glob("*.js"))]
        is_current = (INSTALLED / "node_modules").is_dir() and all(
            (INSTALLED / name).is_file() and (INSTALLED / name).read_bytes() == (PROGRAMS / name).read_bytes()
            for name in PACKAGES
        )
        for name in names:
            shutil.copy(PROGRAMS / name, INSTALLED / name)
        if not is_current:
            command = ["npm", "ci", "--silent", "--no-audit", "--no-fund", "--prefer-offline"]
            done = subprocess.run(command, cwd=INSTALLED, capture_output=True, text=True, timeout=240, check=False)
            if done.returncode:
                shutil.rmtree(INSTALLED / "node_modules", ignore_errors=True)
                pytest.skip(f"npm gives no packages here: {done.stderr[-200:] or done.returncode}")
    return INSTALLED


@pytest.fixture(scope="module")
def simulation() -> Iterator[Run]:
    with Run("single", "--no-controllers", "--duration", "3600") as live:
        yield live


def printed(program: Path, url: str) -> Iterator[dict[str, Any]]:
    """Yield what a program prints, until nobody asks for more."""
    with subprocess.Popen(
        ["node", program.name, url], cwd=program.parent, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                yield json.loads(line)
        finally:
            process.kill()


def test_a_program_of_roslibjs_drives_and_asks(peers: Path, simulation: Run) -> None:
    with GatewayProcess("--endpoint", simulation.endpoint) as gateway:
        gateway.wait_for("serving")
        (report,) = printed(peers / "roslib.js", gateway.url)
    assert report["success"] is True
    assert 0.1 < report["speed"] <= 0.3
    assert {"/clock", "/tf", "/robot1/scan", "/robot1/cmd_vel"} <= set(report["topics"])
    assert isinstance(report["x"], float)


def test_a_program_of_foxgloves_client_drives_reads_and_knows_the_time(peers: Path, simulation: Run) -> None:
    with (
        GatewayProcess("--endpoint", simulation.endpoint, kind="foxglove") as gateway,
        connect(simulation.endpoint, timeout=LIMIT) as sim,
    ):
        gateway.wait_for("serving")
        lines = printed(peers / "foxglove.js", gateway.url)
        # it may go on yet as fast as another program let it drive: who owns it drives it
        report = next(line for line in lines if "robot1" in sim.step.owners("robot1").owners)
        assert any(sim.robot("robot1").motors.state().v > 0.1 for _ in lines)
        lines.close()  # type: ignore[attr-defined]
        while "robot1" in sim.step.owners("robot1").owners:
            pass
    assert report["name"] == "coopsim"
    assert report["topics"]["/robot1/scan"] == "foxglove.LaserScan"
    assert report["topics"]["/scene"] == "foxglove.SceneUpdate"
    assert "robot1.sonars.noise" in report["parameters"]
    assert report["bytes"] > 80
    assert report["time"] > 0
