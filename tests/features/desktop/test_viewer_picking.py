"""What the mouse points at."""

from pathlib import Path

import numpy as np
import pytest
from viewer_scenes import floor, looking, row

from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.picking import pick
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.state import Visual

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


@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_polygon_is_picked_where_it_is_and_not_where_its_box_is(is_reversed: bool) -> None:
    corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.3, 1.0), (0.3, -0.4), (-0.3, -0.4), (-0.3, 1.0), (-1.0, 1.0)]
    corners = corners[::-1] if is_reversed else corners
    look = Visual("polygon", points=tuple(coordinate for corner in corners for coordinate in corner))
    model = SceneModel([row("horseshoe", size=(2.0, 2.0, 0.5), visuals=(look,), at=(5.0, 1.0, 0.0)), floor(20.0)])

    def name_at(x: float, y: float, z: float = 5.0, along: tuple[float, float, float] = (0.0, 0.0, -1.0)) -> str | None:
        hit = pick(model, np.array([x, y, z]), np.array(along))
        return hit.name if hit is not None else None

    assert [name_at(5.0 + x, 1.0 + y) for x, y in ((0.8, 0.8), (-0.8, 0.8), (0.0, -0.7))] == ["horseshoe"] * 3
    assert [name_at(5.0 + x, 1.0 + y) for x, y in ((0.0, 0.5), (0.0, -0.3), (1.1, 0.0))] == ["floor"] * 3
    # from the side: along the notch to its bottom, past its left arm, and over it
    assert name_at(5.0, 9.0, 0.2, (0.0, -1.0, 0.0)) == "horseshoe"
    hit = pick(model, np.array([5.0, 9.0, 0.2]), np.array([0.0, -1.0, 0.0]))
    assert hit is not None
    assert hit.distance == pytest.approx(9.0 - 0.6)
    assert name_at(9.0, 1.0, 0.7, (-1.0, 0.0, 0.0)) is None


def test_a_robot_whose_body_is_a_polygon_is_picked_within_its_corners_as_it_stands(tmp_path: Path) -> None:
    text = "[ROBOT]\nsummary wedge\n[BODY]\ntype polygon\npoints 0.4 0 -0.2 0.3 -0.05 0 -0.2 -0.3\nheight 0.2\nmass 6\n"
    device = "[DEVICE_1]\ntype differential_drive\nname motors\nhalf_track 0.14\nmax_force 40\n"
    (tmp_path / "wedge.robot").write_text(text + device, encoding="utf-8")
    scene = tmp_path / "one.scenario"
    scene.write_text("[ROBOT_1]\ntype wedge\nname robot1\nposition 1 1 0\norientation 0 0 90\n", encoding="utf-8")
    simulation = Simulation(load(scene))
    model = SceneModel(simulation.layout.entities)
    model.set_poses(simulation.engine.poses)

    def name_at(ahead: float, left: float) -> str | None:
        hit = pick(model, np.array([1.0 - left, 1.0 + ahead, 5.0]), DOWN)
        return hit.name if hit is not None else None

    assert [name_at(*at) for at in ((0.38, 0.0), (-0.15, 0.25), (0.0, 0.0))] == ["robot1"] * 3
    # beside the nose, in the notch, and where the box around the origin reaches behind it
    assert "robot1" not in [name_at(*at) for at in ((0.3, 0.2), (-0.15, 0.0), (-0.3, 0.0))]
