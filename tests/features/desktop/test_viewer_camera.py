"""The camera and the mouse."""

import math

import numpy as np
import pytest
from viewer_scenes import looking, row

from coopsim.errors import BadArgument
from coopsim.features.desktop.aiming import aim
from coopsim.features.desktop.camera import VIEWS, OrbitCamera
from coopsim.features.desktop.model import SceneModel


def test_what_a_camera_looks_at_is_in_the_middle_of_the_picture() -> None:
    camera = OrbitCamera(np.array([1.0, 2.0, 0.5]), size=(400, 300))
    (pixel,), (away,) = camera.project(np.array([[1.0, 2.0, 0.5]]))
    assert pixel == pytest.approx((200.0, 150.0))
    assert away == pytest.approx(camera.distance)


def test_the_ray_through_a_pixel_meets_the_point_that_is_seen_there() -> None:
    camera = OrbitCamera(size=(400, 300))
    point = np.array([1.5, -2.0, 0.0])
    (pixel,), _ = camera.project(point[np.newaxis])
    assert camera.on_plane(*pixel) == pytest.approx(point, abs=1e-6)


def test_above_the_horizon_no_floor_is_met() -> None:
    camera = OrbitCamera(pitch=0.05, size=(400, 300))
    assert camera.on_plane(200.0, 299.0) is None


@pytest.mark.parametrize("view", VIEWS)
def test_everything_fits_into_each_view_and_fills_it(view: str) -> None:
    model = SceneModel([row(at=(-6.0, 1.0, 0.0)), row("box2", at=(5.0, -3.0, 0.0), size=(1.0, 1.0, 3.0))])
    camera = looking(model, view)
    pixels, away = camera.project(model.corners())
    assert (away > 0.0).all()
    assert (pixels >= 0.0).all()
    assert (pixels <= camera.size).all()
    filled = (pixels.max(axis=0) - pixels.min(axis=0)) / camera.size
    assert filled.max() > 0.85


def test_a_robot_alone_does_not_fill_the_picture() -> None:
    camera = OrbitCamera()
    small = np.array([[x, y, z] for x in (-0.25, 0.25) for y in (-0.25, 0.25) for z in (0.0, 0.3)])
    camera.show_all(small)
    places, _ = camera.project(small)
    width, height = np.ptp(places, axis=0) / camera.size
    assert 0.1 < height < 0.35
    assert width < 0.35
    camera.show_all(10.0 * small)
    assert np.ptp(camera.project(10.0 * small)[0], axis=0)[1] / camera.size[1] > 0.5, "a large scene fills it"


def test_in_the_view_from_the_top_x_points_right_and_y_up() -> None:
    camera = OrbitCamera(size=(400, 300))
    camera.turn_to("top")
    pixels, _ = camera.project(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    assert pixels[0] == pytest.approx((pixels[0][0], 150.0), abs=0.1)
    assert pixels[0][0] > 210.0
    assert pixels[1][1] > 160.0


def test_translating_keeps_the_point_under_the_mouse() -> None:
    camera = OrbitCamera(size=(400, 300))
    before = camera.on_plane(120.0, 100.0)
    camera.translate((120.0, 100.0), (180.0, 90.0))
    assert camera.on_plane(180.0, 90.0) == pytest.approx(before, abs=1e-6)


def test_zooming_keeps_the_point_under_the_cursor_and_goes_nearer() -> None:
    camera = OrbitCamera(size=(400, 300))
    distance, before = camera.distance, camera.on_plane(120.0, 100.0)
    camera.zoom(3.0, (120.0, 100.0))
    assert camera.distance < distance
    assert camera.on_plane(120.0, 100.0) == pytest.approx(before, abs=1e-6)


def test_rotating_stops_above_and_at_the_floor() -> None:
    camera = OrbitCamera()
    camera.rotate(0.0, -10_000.0)
    assert camera.pitch == pytest.approx(math.pi / 2, abs=1e-3)
    camera.rotate(0.0, 10_000.0)
    assert 0.0 < camera.pitch < 0.1


def test_a_robot_is_followed_from_behind() -> None:
    turned = (math.cos(math.pi / 4), 0.0, 0.0, math.sin(math.pi / 4))
    model = SceneModel([row("robot1", "robot", "cylinder", at=(3.0, 1.0, 0.0), turn=turned)])
    camera = OrbitCamera()
    aim(camera, model, "robot1")
    assert camera.eye[0] == pytest.approx(3.0, abs=1e-9)
    assert camera.eye[1] < -1.0


def test_six_numbers_are_the_eye_and_what_it_looks_at() -> None:
    camera = OrbitCamera()
    aim(camera, SceneModel([row()]), "4,-3,2,1,1,0")
    assert camera.eye == pytest.approx((4.0, -3.0, 2.0))
    assert camera.centre == pytest.approx((1.0, 1.0, 0.0))


@pytest.mark.parametrize("words", ["above", "1,2,3", "1,2,3,4,5,nan", "a,b,c,d,e,f", "1,1,1,1,1,1"])
def test_a_camera_that_cannot_be_is_refused_in_words(words: str) -> None:
    with pytest.raises(BadArgument, match=r"camera|eye"):
        aim(OrbitCamera(), SceneModel([row()]), words)


def test_however_far_it_is_turned_up_the_picture_is_never_upside_down() -> None:
    camera = OrbitCamera(size=(400, 300))
    camera.rotate(0.0, -1e4)
    away = -np.array([math.cos(camera.yaw), math.sin(camera.yaw), 0.0])
    pixels, _ = camera.project(np.array([camera.centre + away, camera.centre - away]))
    assert pixels[0][1] > pixels[1][1] + 10.0
