"""What is on the images of a camera."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from camera_scenes import BLUE, Ticking, box, scene
from PIL import Image

from coopsim.app.main import run
from coopsim.errors import NoImage, NoSuchName
from coopsim.features.desktop.cameras.painter import ImagePainter
from coopsim.features.desktop.cameras.states import RecordedStates
from coopsim.features.desktop.pixels import without_alpha
from coopsim.interfaces.camera import RGB
from coopsim.recording import Recording
from coopsim.replay.run_json import RUN, spec_to_json
from coopsim.simulation import Simulation
from coopsim.state.edits import Insert, Remove, SetParameter, Update
from coopsim.testkit.recorded_run import RecordedRun

CAMERA = ("robot1", "camera")
INSERTED = "[OBJECT_1]\nname ball\ntype sphere\nsize 1 1 1\nposition 2 0 0\nmass 1\ncolor 255 0 0\n"


def test_an_image_shows_what_is_ahead_in_its_colour_the_upper_row_first(painter: ImagePainter) -> None:
    """C-87: what is in the field of view of a robot, as an image."""
    colors = painter.colors(Ticking(scene(box())).go(), *CAMERA)
    assert colors.shape == (240, 320, 3)
    assert colors.dtype == np.uint8
    red, green, blue = colors[120, 160].astype(int)
    assert red > 2 * max(green, blue)  # the box
    sky, floor = colors[5, 5].astype(int), colors[235, 5].astype(int)
    assert sky[2] > sky[0]
    assert abs(floor.max() - floor.min()) < 40


def test_left_is_left(painter: ImagePainter) -> None:
    colors = painter.colors(Ticking(scene(box(y=1.0), box("other", y=-1.0, color=BLUE))).go(), *CAMERA).astype(int)
    left, right = colors[130, 60], colors[130, 260]
    assert left[0] > left[2]
    assert right[2] > right[0]


@pytest.mark.parametrize("distance", [1.0, 3.0, 10.0])
def test_the_depth_is_that_along_the_axis_in_millimetres(painter: ImagePainter, distance: float) -> None:
    depth = painter.depth(Ticking(scene(box(x=0.18 + distance + 0.5))).go(), *CAMERA)
    assert depth.dtype == np.uint16
    assert depth[120, 160] == pytest.approx(1000 * distance, abs=3 + distance**2 / 10)
    assert depth[125, 150] == pytest.approx(depth[120, 160], abs=3 + distance)  # a plane, not a sphere


def test_beyond_the_range_there_is_no_depth(painter: ImagePainter) -> None:
    ticking = Ticking(scene(box(x=6.0)))
    ticking.edit(SetParameter("robot1", "camera", "range", 4.0))
    state = ticking.go(10)
    assert painter.depth(state, *CAMERA)[120, 160] == 0
    assert painter.colors(state, *CAMERA)[120, 160, 0] > 80  # but it is seen


def test_field_of_view_position_and_direction_follow_the_parameters(painter: ImagePainter) -> None:
    ticking = Ticking(scene(box()))
    wide = _width(painter, ticking)
    for name, value in (("fov", 0.5), ("x", 0.68), ("azimuth", 1.5)):
        ticking.edit(SetParameter("robot1", "camera", name, value))
        if name == "fov":
            assert _width(painter, ticking) == pytest.approx(wide * np.tan(np.pi / 6) / np.tan(0.25), rel=0.05)
        elif name == "x":
            assert painter.depth(ticking.go(10), *CAMERA)[120, 160] == pytest.approx(1820, abs=5)
    assert _width(painter, ticking) == 0  # it looks to the left


def test_noise_follows_from_the_seed_and_the_tick(painter: ImagePainter) -> None:
    ticking = Ticking(scene(box()))
    for name, value in (("noise", 0.05), ("noise_depth", 0.02)):
        ticking.edit(SetParameter("robot1", "camera", name, value))
    first, second = ticking.go(10), ticking.go(10)
    colors = painter.colors(first, *CAMERA)
    assert np.array_equal(colors, painter.colors(first, *CAMERA))
    assert not np.array_equal(colors, painter.colors(second, *CAMERA))
    assert colors[5, :, 2].std() == pytest.approx(0.05 * 255, rel=0.2)
    depth = painter.depth(first, *CAMERA)
    assert depth[110:130, 150:170].std() == pytest.approx(20.0, rel=0.2)


@pytest.mark.parametrize("engine", ["pymunk", "kinematic"])
def test_images_follow_bodies_that_move_come_and_go(painter: ImagePainter, engine: str) -> None:
    ticking = Ticking(scene(box(), engine=engine))
    before = painter.colors(ticking.go(), *CAMERA)
    assert _is_red(before)
    for text, is_seen in (("position 3 5 0", False), ("position 3 0 0", True)):
        ticking.edit(Update("box", text))
        assert _is_red(painter.colors(ticking.go(10), *CAMERA)) == is_seen
    ticking.edit(Remove("box"))
    assert not _is_red(painter.colors(ticking.go(10), *CAMERA))
    ticking.edit(Insert(INSERTED))
    assert _is_red(painter.colors(ticking.go(10), *CAMERA))


def test_a_camera_that_is_not_there_is_told() -> None:
    from coopsim.features.desktop.cameras.painter import _camera

    state = Ticking(scene()).go()
    for robot, module in (("robot2", "camera"), ("robot1", "cam")):
        with pytest.raises(NoSuchName, match=f"/{robot}/{module} was not there at this tick"):
            _camera(state.layout, robot, module)


def test_before_the_first_look_there_is_no_image(painter: ImagePainter) -> None:
    state = Ticking(scene()).go()
    record = state.record
    nothing = SimpleNamespace(readings=np.zeros_like(record.readings), poses=record.poses, tick=0, header=record.header)
    blank = state._replace(record=nothing)
    with pytest.raises(NoImage, match="no image yet"):
        painter.colors(blank, *CAMERA)


def _is_red(colors: np.ndarray) -> bool:
    return bool(colors[120, 160, 0] > 2 * int(colors[120, 160, 2]))


def _width(painter: ImagePainter, ticking: Ticking) -> int:
    """Columns of a row that are red."""
    row = painter.colors(ticking.go(10), *CAMERA)[120].astype(int)
    return int((row[:, 0] > 2 * row[:, 2]).sum())


def test_an_image_is_read_after_the_next_one_is_begun(painter: ImagePainter) -> None:
    ticking = Ticking(scene(box()))
    state, expected = ticking.go(), painter.colors(ticking.go(0), *CAMERA)
    begun = painter.begin(state, *CAMERA, RGB)
    ticking.edit(Update("box", "color 0 0 255"))
    second_image = painter.begin(ticking.go(10), *CAMERA, RGB)
    assert np.array_equal(without_alpha(begun()), expected)
    assert without_alpha(second_image())[120, 160].argmax() == 2


def test_images_of_a_recorded_run_are_written_as_a_client_got_them(painter: ImagePainter, tmp_path: Path) -> None:
    spec, path = scene(box()), tmp_path / "a.mcap"
    with RecordedRun(Simulation(spec), path, attachments={RUN: spec_to_json(spec)}) as recorded:
        recorded.simulation.command("robot1", "motors", 10, (0.5, 0.0))
        recorded.tick(12)
    assert run(["export", str(path), "--images", str(tmp_path / "seen")]) == 0
    files = sorted((tmp_path / "seen" / "robot1.camera").iterdir())
    assert len(files) == 2  # 10 a second
    with Recording.open(path) as recording:
        states = RecordedStates(path)
        last = int(files[-1].stem)
        expected = painter.colors(states.at(last), *CAMERA)
        states.close()
        assert len(recording) > 12
    with Image.open(files[-1]) as image:
        assert np.array_equal(np.asarray(image), expected)
