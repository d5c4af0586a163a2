"""What the mouse points at."""

import numpy as np
import pytest
from viewer_scenes import floor, looking, row

from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.picking import pick

DOWN = np.array([0.0, 0.0, -1.0])


def test_the_nearest_of_two_is_picked_with_its_distance() -> None:
    model = SceneModel([floor(), row("low"), row("high", at=(0.0, 0.0, 2.0))])
    hit = pick(model, np.array([0.1, 0.1, 10.0]), DOWN)
    assert hit is not None
    assert (hit.name, hit.distance) == ("high", pytest.approx(7.0))


@pytest.mark.parametrize(("shape", "is_hit"), [("box", True), ("cylinder", False), ("sphere", False)])
def test_round_shapes_are_missed_at_the_corners_of_their_boxes(shape: str, is_hit: bool) -> None:
    hit = pick(SceneModel([row(shape=shape)]), np.array([0.45, 0.45, 5.0]), DOWN)
    assert (hit is not None) == is_hit


def test_turned_and_stretched_shapes_are_met_where_they_are() -> None:
    half = np.sqrt(0.5)
    model = SceneModel([row(size=(4.0, 0.2, 1.0), turn=(half, 0.0, 0.0, half), at=(1.0, 0.0, 0.0))])
    assert pick(model, np.array([1.0, 1.9, 5.0]), DOWN) is not None
    assert pick(model, np.array([2.9, 0.0, 5.0]), DOWN) is None


def test_nothing_behind_the_eye_is_picked() -> None:
    assert pick(SceneModel([row()]), np.array([0.0, 0.0, 5.0]), -DOWN) is None
    assert pick(SceneModel([]), np.zeros(3), DOWN) is None


def test_the_pixel_of_an_entity_picks_it() -> None:
    model = SceneModel([floor(), *(row(f"box{n}", shape="cylinder", at=(2.0 * n, 0.5 * n, 0.0)) for n in range(5))])
    camera = looking(model)
    tops = np.array([[2.0 * n, 0.5 * n, 1.0] for n in range(5)])
    for n, pixel in enumerate(camera.project(tops)[0]):
        hit = pick(model, *camera.ray(*pixel))
        assert hit is not None
        assert hit.name == f"box{n}"
