"""Cloths, soft bodies and springs in top views (SwarmSimX, S-75)."""

import re
from pathlib import Path

import numpy as np
import pytest

from coopsim.features.pictures.drawing_model import WIDEST_COIL
from coopsim.features.pictures.scene import scene_of_recording, scene_of_run
from coopsim.features.pictures.soft_shapes import zigzag
from coopsim.features.pictures.top_view import top_view
from coopsim.launch.tracks import Track
from coopsim.recording import Recording
from coopsim.replay.run_json import RUN, spec_to_json
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun

WORLD = """\
[CLOTH_1]
name sheet
position 0 0 1
size 0.8 0.4
nodes 3 2
color red

[OBJECT_1]
name post
type box
size 0.2 0.2 0.3
position -1 1 0
orientation 0 0 90

[OBJECT_2]
name sled
type box
size 0.2 0.2 0.2
position 1 1 0
mass 2

[JOINT_1]
name coil
type spring
bodies post sled
anchor 0 -0.1 0.1
far_anchor -0.1 0 0.1
stiffness 20
"""
SCENE = "[WORLD]\nfile a.world\n[SIMULATION]\nengine mujoco\n"
RED = r'<polygon points="([^"]*)"[^>]*fill="#ff0000"'


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    (tmp_path / "a.world").write_text(WORLD)
    (tmp_path / "a.scenario").write_text(SCENE)
    return tmp_path / "a.scenario"


def corners(svg: str, pattern: str) -> list[np.ndarray]:
    return [np.array([pair.split(",") for pair in points.split()], float) for points in re.findall(pattern, svg)]


def test_a_cloth_is_its_triangles_and_not_its_balls(scene: Path) -> None:
    svg = top_view(scene_of_run(load(scene)), {})
    assert len(corners(svg, RED)) == 4
    moved = Track("sheet_1_1", np.array([[0.0, -0.4, -0.2, 0.0], [1.0, -0.9, -0.2, 0.0]]))
    again = top_view(scene_of_run(load(scene)), {"sheet_1_1": moved})
    assert len(corners(again, RED)) == 4
    # and how it stood first
    assert len(corners(again, r'<polygon points="([^"]*)"[^>]*fill="none"[^>]*stroke-opacity="0.25"')) == 4
    wide = [np.ptp(np.concatenate(corners(picture, RED))[:, 0]) for picture in (svg, again)]
    assert wide[1] / wide[0] == pytest.approx(1.3 / 0.8, rel=0.01)


def test_a_spring_is_a_zigzag_between_its_ends(scene: Path, tmp_path: Path) -> None:
    line = np.array(zigzag((0.0, 0.0), (2.0, 0.0)))
    np.testing.assert_allclose(line[[0, -1]], [(0.0, 0.0), (2.0, 0.0)])
    assert (line[:, 1].min(), line[:, 1].max()) == (pytest.approx(-WIDEST_COIL), pytest.approx(WIDEST_COIL))
    assert np.isfinite(zigzag((1.0, 1.0), (1.0, 1.0))).all()

    spec = load(scene)
    (spring,) = scene_of_run(spec).springs
    assert (spring.name, spring.far_anchor) == ("coil", pytest.approx((-0.1, 0.0, 0.1)))
    assert spring.anchor == pytest.approx((0.0, -0.1, 0.1))
    svg = top_view(scene_of_run(spec), {})
    (drawn,) = corners(svg, r'<polyline points="([^"]*)"[^>]*stroke="#464e5c"')
    nodes = np.concatenate(corners(svg, RED))
    pixels = np.ptp(nodes[:, 0]) / 0.8
    # from the side of the post, which is turned by 90 degrees, to that of the sled
    assert (drawn[-1] - drawn[0]) / pixels == pytest.approx((1.8, 0.0), abs=0.01)

    with RecordedRun(Simulation(spec), tmp_path / "a.mcap", attachments={RUN: spec_to_json(spec)}) as run:
        run.tick(3)
    with Recording.open(tmp_path / "a.mcap") as recording:
        recorded = scene_of_recording(recording)
    assert [(spring.name, spring.anchor, spring.far_anchor) for spring in recorded.springs] == [
        ("coil", (0.0, -0.1, 0.1), (-0.1, 0.0, 0.1))
    ]
    assert '#464e5c"' in top_view(recorded, {})
