"""Recordings of versions that said size and mass of a robot's body alone, where it has links."""

from collections.abc import Callable
from pathlib import Path

import pytest

from coopsim.features.proof.verify import verify
from coopsim.recording import Recording
from coopsim.robots import RobotBlueprint, load
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun


@pytest.mark.parametrize("kind", ["reacher", "single_hinged"])
def test_robots_with_links_may_be_as_large_and_heavy_as_earlier_versions_said(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version said size and mass of the body alone, and no other numbers are taken for it."""
    scene = tmp_path / "a.scenario"
    scene.write_text(f"[ROBOT_1]\ntype {kind}\nname a\nposition 0 0 0\n[SIMULATION]\nengine mujoco\n")
    spec = load(scene)

    def is_repeated(name: str, mass: Callable[[RobotBlueprint], float]) -> bool:
        with monkeypatch.context() as former:
            former.setattr(RobotBlueprint, "extent", property(lambda blueprint: blueprint.size))
            former.setattr(RobotBlueprint, "total_mass", property(mass))
            with RecordedRun(Simulation(spec), tmp_path / name) as run:
                run.tick(5)
        with Recording.open(tmp_path / name) as recording:
            return bool(verify(recording, load(scene)).identical)

    assert spec.types[kind].total_mass > spec.types[kind].mass
    assert is_repeated("former.mcap", lambda blueprint: blueprint.mass)
    assert not is_repeated("false.mcap", lambda blueprint: blueprint.mass + 0.125)
