"""Things of a world in a real run: commanded by a client, recorded, saved, and verified as identical."""

import subprocess
import sys
from pathlib import Path

import pytest

from coopsim.client import connect
from coopsim.testkit.run import Run

pytestmark = pytest.mark.integration

WORLD = """[FLOOR]
size 12 8 0.1

[OBJECT_1]
type      box
name      crate
size      0.3 0.3 0.3
position  0 0 0.1
mass      4

[ARTIFACT_1]
type      conveyor
name      belt1
position  0 0 0
size      6 0.6 0.1

[ARTIFACT_2]
type      lamp
name      lamp1
position  2 2 0
"""
SCENARIO = "[WORLD]\nfile works\n[ROBOT_1]\ntype single\nname robot1\nposition -3 -2 0\n"


def test_a_client_runs_a_belt_and_a_lamp_in_lockstep_and_the_run_is_verified_and_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "works.world").write_text(WORLD)
    (tmp_path / "run.scenario").write_text(SCENARIO)
    with Run("run.scenario", "--no-controllers", "--mode", "lockstep", "--record", "run.mcap") as run:
        with connect(run.endpoint, timeout=20.0) as sim:
            belt, lamp = sim.module("/belt1/belt"), sim.module("/lamp1/lamp")
            belt.set_speed(-0.5)
            lamp.shine(0.5, 0.0, 1.0, 0.0)
            # nobody commands belt or lamp again: lockstep waits for the robot alone
            with sim.stepper(["robot1"], timeout=20.0) as stepper:
                for _ in range(150):
                    stepper.step([(0.1, 0.0)])
            assert tuple(belt.state()) == pytest.approx((-0.5, 1.0))
            assert tuple(lamp.light()) == pytest.approx((0.5, 0.0, 1.0, 0.0))
            assert sim.world.get("crate").pose[0] == pytest.approx(-0.5 * 1.5 + 0.125, abs=0.03)
            sim.world.save("kept.scenario")
        assert run.stop() == 130
    words = [sys.executable, "-m", "coopsim", "verify", "run.mcap"]
    proof = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)
    assert proof.returncode == 0, proof.stdout + proof.stderr
    assert "identical" in proof.stdout
    assert "ARTIFACT" not in (tmp_path / "kept.scenario").read_text()
    assert "ROBOT_2" not in (tmp_path / "kept.scenario").read_text()
