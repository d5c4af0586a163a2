"""Images of labels: what each pixel shows, by number and by name."""

import base64
import json
import math

import numpy as np
import pytest
from camera_scenes import BLUE, Ticking, box, scene

from coopsim.client.images import Image, decoded
from coopsim.client.reading import Reading
from coopsim.errors import MalformedMessage
from coopsim.features.desktop.cameras import LocalImages
from coopsim.features.desktop.cameras.painter import ImagePainter
from coopsim.features.desktop.cameras.states import TickState
from coopsim.features.desktop.label_rows import names_of
from coopsim.features.gateways.cameras import image_message
from coopsim.inprocess import LocalServer
from coopsim.interfaces import CAMERA as CAMERA_INTERFACE
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.state.edits import Insert, Remove

CAMERA = ("robot1", "camera")


def named(painter: ImagePainter, state: TickState) -> tuple[np.ndarray, dict[str, int]]:
    """Return labels of an image, and the label of each name."""
    labels = painter.labels(state, *CAMERA)
    names = json.loads(names_of(labels, state.layout))
    return labels, {name: int(label) for label, name in names.items()}


def test_each_pixel_has_the_label_of_what_it_shows(painter: ImagePainter) -> None:
    labels, of = named(painter, Ticking(scene(box(y=1.0), box("other", y=-1.0, color=BLUE))).go())
    assert (labels.shape, labels.dtype) == ((240, 320), np.uint16)
    assert labels[130, 60] == of["box"]
    assert labels[130, 260] == of["other"]
    assert labels[235, 160] == of["floor"]
    assert labels[5, 5] == 0
    assert set(np.unique(labels)) == {0, *of.values()}


def test_a_cube_takes_as_many_pixels_as_its_face_in_perspective(painter: ImagePainter) -> None:
    """A face of one metre at 2.32 m from the lens, which sees 60 degrees in 320 columns."""
    labels, of = named(painter, Ticking(scene(box(x=3.0))).go())
    focal = 160.0 / math.tan(math.radians(30.0))
    side = focal / (3.0 - 0.5 - 0.18)
    assert np.sum(labels == of["box"]) == pytest.approx(side * side, rel=0.02)


def test_labels_and_depths_have_the_same_edges_and_light_changes_none(painter: ImagePainter) -> None:
    state = Ticking(scene(box(x=3.0), box("far", x=9.0, y=2.0))).go()
    labels, of = named(painter, state)
    depth = painter.depth(state, *CAMERA) / 1000.0
    assert depth[labels == of["box"]].max() == pytest.approx(2.32, abs=0.02)
    assert depth[labels == of["far"]].min() > 8.0
    again = painter.labels(state, *CAMERA)
    assert (again == labels).all()
    # colours of the same state are those of before
    assert painter.colors(state, *CAMERA)[120, 160, 0] > 100


def test_labels_follow_what_comes_and_goes(painter: ImagePainter) -> None:
    ticking = Ticking(scene(box()))
    assert "box" in named(painter, ticking.go())[1]
    ticking.edit(Remove("box"))
    assert "box" not in named(painter, ticking.go(10))[1]
    ticking.edit(Insert("[OBJECT_1]\nname ball\ntype sphere\nsize 1 1 1\nposition 2 0 0\nmass 1\n"))
    labels, of = named(painter, ticking.go(10))
    assert labels[120, 160] == of["ball"]


def test_a_client_gets_labels_with_their_names() -> None:
    with LocalImages() as images:
        sim = LocalServer(Simulation(scene(box())), images=images).connect()
        sim.stepper().step()
        image = sim.robot("robot1").camera.labels()
        assert image.shape == (240, 320)
        assert image.labels[int(image[120, 160])] == "box"
        assert image[10:20].labels == image.labels
        assert image.tick == sim.robot("robot1").camera.image().tick


def test_programs_of_ros_get_words() -> None:
    message = image_message(Image.of(np.full((2, 3), 258, np.uint16), 1, 0.5), "robot1/camera")
    assert (message["encoding"], message["step"], message["data"]) == ("mono16", 6, b"\x02\x01" * 6)


@pytest.mark.parametrize("tail", [b"", b"no json", b"[1]", b'{"a": "box"}'])
def test_labels_that_are_cut_off_or_not_named_are_refused(tail: bytes) -> None:
    texts = (base64.b64encode(bytes(8) + tail).decode(),)
    with pytest.raises(MalformedMessage, match="expected an image of 2 x 2 pixels"):
        decoded(Reading((2, 2, 0.0, texts), 1), "label16")


@pytest.mark.parametrize(("preset", "size"), [("d435", (360, 640)), ("astra", (240, 320))])
def test_a_depth_camera_of_a_datasheet_sees_a_known_wall(painter: ImagePainter, tmp_path, preset, size) -> None:
    """A wall 2 m before the lens: depths of it, along the axis, scatter as the preset says."""
    (tmp_path / "looker.robot").write_text(
        f"[BODY]\ntype box\nsize 0.2 0.2 0.2\nmass 5\n[DEVICE_1]\ntype camera\nname camera\npreset {preset}\nx 0\n"
    )
    (tmp_path / "wall.world").write_text("[WALL_1]\ntype box\nsize 0.2 12 6\nposition 2.1 0 -1\nmass 0\n")
    scenario = tmp_path / "a.scenario"
    scenario.write_text("[WORLD]\nfile wall\n[ROBOT_1]\ntype looker\nname robot1\nposition 0 0 0\n")
    # the floor is in the lower half
    depth = painter.depth(Ticking(load(str(scenario))).go(), *CAMERA)[: size[0] // 2] / 1000.0
    settings = dict(CAMERA_INTERFACE.preset(preset))
    assert depth.shape == (size[0] // 2, size[1])
    assert depth.mean() == pytest.approx(2.0, abs=0.003)
    assert depth.std() == pytest.approx(settings["noise_depth"], rel=0.1)
