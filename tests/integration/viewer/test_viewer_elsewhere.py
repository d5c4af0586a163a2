"""A viewer that has no access to the files of a run draws its meshes as one that has it does."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from viewer_elsewhere import FAST, SIZE

from coopsim.client import connect
from coopsim.errors import NoSuchName
from coopsim.features.desktop.camera import OrbitCamera
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.offscreen import Offscreen
from coopsim.robots import load
from coopsim.scene.stl import stl_of
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun
from coopsim.testkit.run import Run

pytestmark = pytest.mark.integration
PATIENCE = 60.0
TENT = np.array(
    [[(0, 0, 0), (1, 0, 0), (0, 0, 1)], [(0, 0, 0), (0, 0, 1), (0, 1, 0)], [(1, 0, 0), (0, 1, 0), (0, 0, 1)]], float
)
URDF = """<robot name="r"><link name="foot">
  <inertial><mass value="2"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><mesh filename="package://r/tent.stl"/></geometry><material name="m"><color rgba="0 0 1 1"/>
  </material></visual><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link></robot>"""
SCENARIO = "[ROBOT_1]\nmodel tent.urdf\nname tent\n[SIMULATION]\nengine mujoco\n"


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "tent.stl").write_bytes(stl_of(TENT))
    (folder / "tent.urdf").write_text(URDF)
    (folder / "run.scenario").write_text(SCENARIO)
    return folder / "run.scenario"


def drawn_here(endpoint: str) -> np.ndarray:
    with connect(endpoint, timeout=PATIENCE) as sim:
        model = SceneModel(sim.scene().entities)
    camera = OrbitCamera(size=SIZE)
    camera.turn_to("iso")
    camera.fit(model.corners())
    with Offscreen(SIZE, FAST) as canvas:
        return canvas.picture(model, camera)


def test_a_process_that_may_not_open_the_files_draws_the_same_picture(scenario: Path, tmp_path: Path) -> None:
    out, program = tmp_path / "picture.npy", Path(__file__).parent / "viewer_elsewhere.py"
    with Run(str(scenario), "--no-controllers") as run:
        done = subprocess.run(
            [sys.executable, str(program), run.endpoint, str(scenario.parent), str(out)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": ""},
        )
        assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
        picture = drawn_here(run.endpoint)
        (scenario.parent / "tent.stl").unlink()
        without = drawn_here(run.endpoint)  # its box
    np.testing.assert_array_equal(np.load(out), picture)
    assert not np.array_equal(picture, without)


def test_a_recording_hands_out_no_file_from_elsewhere(scenario: Path, tmp_path: Path) -> None:
    recording, working = tmp_path / "a.mcap", tmp_path / "working"
    with RecordedRun(Simulation(load(scenario)), recording) as recorded:
        recorded.tick(3)
    working.mkdir()
    for folder, is_given in ((working, False), (scenario.parent, True)):
        with (
            Run(str(recording), "--paused", command="replay", folder=folder) as replay,
            connect(replay.endpoint, timeout=PATIENCE) as sim,
        ):
            (mesh,) = sim.meshes()
            assert mesh.file == str(scenario.parent / "tent.stl")
            if is_given:
                np.testing.assert_array_equal(sim.mesh(mesh), TENT)
                continue
            with pytest.raises(NoSuchName, match="does not offer"):
                sim.mesh(mesh)
