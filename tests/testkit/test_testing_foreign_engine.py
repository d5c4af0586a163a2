"""An engine of a package outside the tree: registered by entry point, held to the contract, running a scenario."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOREIGN = Path(__file__).parents[1] / "foreign_engine"


@pytest.fixture
def installed(tmp_path):
    """Install the package as an installer would, without a network: its code and its metadata on the path."""
    text = (FOREIGN / "pyproject.toml").read_text(encoding="utf-8")
    points = text.split('[project.entry-points."coopsim.engines"]')[1].split("[")[0]
    folder = tmp_path / "plain_engine-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: plain-engine\nVersion: 1.0\n", encoding="utf-8")
    lines = points.replace('"', "").strip()
    (folder / "entry_points.txt").write_text(f"[coopsim.engines]\n{lines}\n", encoding="utf-8")
    (tmp_path / "plain_engine.py").write_text((FOREIGN / "plain_engine.py").read_text(encoding="utf-8"))
    return {**os.environ, "PYTHONPATH": str(tmp_path)}


def _run(installed, *words):
    done = subprocess.run(
        [sys.executable, *words], env=installed, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_a_foreign_engine_keeps_the_contract(installed):
    """S-12, S-4: engines are exchanged without touching the simulator."""
    out = _run(installed, "-c", "from coopsim.testkit import check_engine; print(check_engine('plain'))")

    assert ", 0 failed, " in out.splitlines()[0]


def test_a_foreign_engine_runs_a_scenario_in_process(installed):
    code = (
        "from coopsim.robots import load; from coopsim.simulation import Simulation;"
        "s = Simulation(load('formation'), engine='plain');"
        "[s.command(name, 'motors', 10, (0.2, 0.0)) for name in s.layout.robot];"
        "[s.tick() for _ in range(200)];"
        "print(type(s.engine).__name__, float(abs(s.engine.planar[:, 3:5]).max()))"
    )

    name, speed = _run(installed, "-c", code).split()

    assert name == "PlainEngine"
    assert float(speed) == pytest.approx(0.2, abs=0.05)


@pytest.mark.integration
def test_a_foreign_engine_runs_a_scenario_in_processes_of_its_own(installed, tmp_path):
    from coopsim.robots import load

    source = load("single").scenario.file
    text = Path(source).read_text(encoding="utf-8").replace("[SIMULATION]", "[SIMULATION]\nengine plain")
    file = tmp_path / "plain.scenario"
    file.write_text(text.replace("../worlds/arena.world", "arena.world"), encoding="utf-8")
    world = Path(source).parents[1] / "worlds" / "arena.world"
    (tmp_path / "arena.world").write_text(world.read_text(encoding="utf-8"), encoding="utf-8")
    out = _run(
        installed, "-m", "coopsim", "run", str(file), "--no-gui", "--port", "0", "--mode", "free", "--duration", "2",
        "--no-controllers", "--json",
    )  # fmt: skip

    assert json.loads(out.splitlines()[-1])["ticks"] == 200
