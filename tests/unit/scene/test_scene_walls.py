"""Sections that stand for several walls: lines of points, and pictures of floor plans."""

import math
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from PIL import Image

from coopsim.scene import Object, Problems, World, read_additions, read_world, world_text
from coopsim.scene.bitmap import read_grey, rectangles

ROOM = "[WALL_1]\npoints 0 0  4 0  4 3\nthickness 0.2\nheight 1\ncolor red\n"
PLAN = "[MAP]\nimage plan.png\nresolution 0.1\n"


def world(folder: Path, text: str) -> tuple[World, Problems]:
    (folder / "a.world").write_text(text)
    return read_world(folder / "a.world")


def good(folder: Path, text: str) -> World:
    spec, problems = world(folder, text)
    assert str(problems) == ""
    return spec


def picture(folder: Path, cells: list[list[int]], name: str = "plan.png") -> NDArray[np.uint8]:
    grey = np.array(cells, np.uint8)
    Image.fromarray(grey).save(folder / name)
    return grey


def covered(objects: tuple[Object, ...], x: float, y: float) -> bool:
    return any(_holds(box, x, y) for box in objects)


def _holds(box: Object, x: float, y: float) -> bool:
    away, turn = (x - box.position[0], y - box.position[1]), box.orientation[2]
    along = away[0] * math.cos(turn) + away[1] * math.sin(turn)
    across = away[1] * math.cos(turn) - away[0] * math.sin(turn)
    return abs(along) <= box.size[0] / 2 + 1e-9 and abs(across) <= box.size[1] / 2 + 1e-9


def test_a_wall_goes_from_point_to_point_with_its_corners_filled(tmp_path: Path) -> None:
    objects = good(tmp_path, ROOM).objects
    assert [wall.name for wall in objects] == ["wall_1_1", "wall_1_2"]
    assert {(wall.shape, wall.size[1:], wall.color, wall.mass) for wall in objects} == {
        ("box", (0.2, 1.0), (1.0, 0.0, 0.0), 0.0)
    }
    assert objects[1].orientation[2] == math.pi / 2
    for x, y, is_wall in ((0, 0, 1), (-0.05, 0, 0), (4.09, -0.09, 1), (4, 3, 1), (4, 3.05, 0), (2, 0.09, 1), (2, 1, 0)):
        assert covered(objects, x, y) == bool(is_wall), (x, y)


def test_a_closed_wall_ends_where_it_begins(tmp_path: Path) -> None:
    objects = good(tmp_path, ROOM + "closed yes\nname yard\n").objects
    assert [wall.name for wall in objects] == ["yard_1", "yard_2", "yard_3"]
    assert all(covered(objects, 4 * share, 3 * share) for share in np.linspace(0, 1, 20))


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("points 1 2", "points takes x and y of at least 2 points, got 2"),
        ("points 1 2 3 4 5", "points takes x and y of at least 2 points, got 5"),
        ("points 1 2 3 x", "points expects a number, got 'x'"),
        ("points 1 2 1 2", "points point 2 is where the one before it is"),
        ("points 1 2 3 4\nclosed yes", "a closed wall needs at least 3 points"),
        ("points 1 2 3 4\nmass 3", "[WALL_1] knows no key 'mass'; it knows "),
    ],
)
def test_a_wrong_line_of_points_is_reported(tmp_path: Path, lines: str, text: str) -> None:
    _, problems = world(tmp_path, f"[WALL_1]\n{lines}\n")
    assert problems.total == 1
    assert next(iter(problems)).text.startswith(text)


def test_a_line_of_points_can_come_by_message() -> None:
    additions, problems = read_additions(ROOM)
    assert (len(additions.objects), problems.total) == (2, 0)
    _, problems = read_additions(PLAN)
    assert "unknown section [MAP]" in str(problems)


def test_dark_pixels_of_a_picture_are_walls(tmp_path: Path) -> None:
    picture(tmp_path, [[0, 0, 0, 0], [0, 255, 255, 0], [0, 255, 90, 0]])
    objects = good(tmp_path, PLAN + "height 2\nfriction 0.3\n").objects
    dark = [(x, y) for x in (-0.15, -0.05, 0.05, 0.15) for y in (0.1, 0.0, -0.1) if covered(objects, x, y)]
    assert len(dark) == 9  # one of the three grey ones is dark enough
    assert {(wall.size[2], wall.friction) for wall in objects} == {(2.0, 0.3)}
    lighter = good(tmp_path, PLAN + "threshold 50\norigin 1 1\n").objects
    assert not covered(lighter, 1.25, 1.05)
    assert covered(lighter, 1.35, 1.05)


@settings(deadline=None, max_examples=60)
@given(arrays(np.bool_, st.tuples(st.integers(1, 12), st.integers(1, 12))))
def test_rectangles_cover_exactly_the_cells_that_are_set(cells: NDArray[np.bool_]) -> None:
    covers = np.zeros(cells.shape, int)
    for left, right, top, bottom in rectangles(cells):
        covers[top:bottom, left:right] += 1
    assert covers.tolist() == cells.astype(int).tolist()


def test_a_large_plan_is_read_fast_and_needs_few_boxes(tmp_path: Path) -> None:
    cells = np.full((500, 500), 255, np.uint8)
    cells[::50], cells[:, ::50] = 0, 0
    cells[25::50, 100:120] = 255
    picture(tmp_path, cells.tolist())
    began = time.process_time()
    objects = good(tmp_path, PLAN).objects
    assert time.process_time() - began < 3.0
    assert len(objects) < 200


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "I;16"])
def test_pictures_of_every_kind_are_read(tmp_path: Path, mode: str) -> None:
    grey = Image.fromarray(np.array([[0, 255], [255, 0]], np.uint8))
    if mode == "I;16":
        Image.fromarray(np.array([[0, 65535], [65535, 0]], np.uint16)).save(tmp_path / "plan.png")
    else:
        grey.convert(mode).save(tmp_path / "plan.png")
    pixels = read_grey(tmp_path / "plan.png")
    assert isinstance(pixels, np.ndarray)
    assert pixels.tolist() == [[0, 255], [255, 0]]


def test_a_pgm_is_read_and_what_is_transparent_is_free(tmp_path: Path) -> None:
    (tmp_path / "plan.pgm").write_bytes(b"P5\n# map_saver\n2 1\n255\n\x00\xfe")
    assert len(good(tmp_path, PLAN.replace("png", "pgm")).objects) == 1
    Image.fromarray(np.array([[[0, 0, 0, 0], [0, 0, 0, 255]]], np.uint8)).save(tmp_path / "plan.png")
    assert len(good(tmp_path, PLAN).objects) == 1


@pytest.mark.parametrize("cut", [0, 8, 20, 45])
def test_a_damaged_picture_is_reported_where_it_is_named(tmp_path: Path, cut: int) -> None:
    picture(tmp_path, np.zeros((30, 30)).tolist())
    (tmp_path / "plan.png").write_bytes((tmp_path / "plan.png").read_bytes()[:cut])
    _, problems = world(tmp_path, PLAN)
    assert problems.total == 1
    assert f"a.world:2:7: image {tmp_path / 'plan.png'}: cannot be read as a PNG or PGM picture" in str(problems)


def test_what_is_too_large_or_not_there_is_refused(tmp_path: Path) -> None:
    _, problems = world(tmp_path, PLAN)
    assert "there is no such file" in str(problems)
    Image.new("L", (5000, 1)).save(tmp_path / "plan.png")
    _, problems = world(tmp_path, PLAN)
    assert "has 5000x1 pixels, at most 4096x4096 are read" in str(problems)
    noise = np.indices((300, 300)).sum(axis=0) % 2 * 255
    picture(tmp_path, noise.tolist())
    _, problems = world(tmp_path, PLAN)
    assert "needs more than 20000 boxes; it is speckled, or its threshold wrong" in str(problems)


TEXT = f"# plan\n{PLAN}# room\n{ROOM}\n[WALL_2]\ntype box\nsize 1 1 1\nposition 9 9 0\n"


def test_sections_of_several_walls_are_saved_as_they_were(tmp_path: Path) -> None:
    picture(tmp_path, [[0, 255], [255, 0]])
    spec = good(tmp_path, TEXT)
    assert len(spec.objects) == 5
    assert world_text(TEXT, spec.floor, spec.objects, tmp_path) == TEXT
    moved = replace(spec.objects[-1], position=(8.0, 9.0, 0.0))
    expected = TEXT.replace("position 9 9 0", "position 8 9 0")
    assert world_text(TEXT, spec.floor, (*spec.objects[:-1], moved), tmp_path) == expected


def test_a_world_saved_elsewhere_names_the_picture_from_there(tmp_path: Path) -> None:
    picture(tmp_path, [[0, 255], [255, 0]])
    spec = good(tmp_path, TEXT)
    (tmp_path / "copies").mkdir()
    text = world_text(TEXT, spec.floor, spec.objects, tmp_path / "copies", tmp_path)
    assert text == TEXT.replace("image plan.png", "image ../plan.png")
    assert good(tmp_path / "copies", text).objects == spec.objects


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_a_section_of_which_something_changed_becomes_boxes(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("walls")
    picture(folder, [[0, 255, 0], [255, 0, 0]])
    spec = good(folder, TEXT.replace("4 0  4 3", "4 1.7  -2 3.3"))
    text = (folder / "a.world").read_text()
    removed = data.draw(st.sets(st.sampled_from(range(len(spec.objects)))))
    lifted = data.draw(st.sets(st.sampled_from(range(len(spec.objects)))))
    wanted = tuple(
        replace(box, position=(1.0, 2.0, 3.0)) if place in lifted else box
        for place, box in enumerate(spec.objects)
        if place not in removed
    )
    again = good(folder, world_text(text, spec.floor, wanted, folder))
    assert again.objects == wanted


def test_a_picture_that_is_gone_when_a_world_is_saved_becomes_boxes(tmp_path: Path) -> None:
    picture(tmp_path, [[0, 255], [255, 0]])
    spec = good(tmp_path, TEXT)
    (tmp_path / "plan.png").unlink()
    text = world_text(TEXT, spec.floor, spec.objects, tmp_path)
    assert "[MAP]" not in text
    assert good(tmp_path, text).objects == spec.objects
