"""Pictures, judged by the colours of patches."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from viewer_scenes import BLUE, FAST, GREEN, SIZE, floor, looking, patch, patch_at, row

from coopsim.features.desktop.drawlist import FINEST
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.offscreen import Offscreen
from coopsim.features.desktop.quality import HARDWARE, SOFTWARE, Quality
from coopsim.features.desktop.ribbons import trail
from coopsim.features.desktop.shapes import SIDES
from coopsim.features.pictures.patterns import pattern
from coopsim.scene.textures import PATTERNS
from coopsim.state import Visual

RINGS = {(26, 28, 33), (255, 199, 26)}
"""Colours of an outline."""


def hue(color: np.ndarray, contrast: float = 1.3) -> int:
    """Which of red, green, blue stands out."""
    first, second = sorted(color)[::-1][:2]
    assert first > contrast * second, color
    return int(np.argmax(color))


@pytest.mark.parametrize("shape", ["box", "cylinder", "sphere", "capsule", "cone"])
def test_each_shape_is_drawn_in_its_colour_where_it_is(offscreen: Offscreen, shape: str) -> None:
    """C-36: objects have shapes and colours."""
    model = SceneModel([floor(), row(shape=shape, at=(1.0, 1.0, 0.0), size=(1.0, 1.0, 1.5))])
    camera = looking(model)
    picture = offscreen.picture(model, camera)
    assert hue(patch_at(picture, camera, (1.0, 1.0, 0.7))) == 0


@pytest.mark.parametrize("shape", ["box", "cylinder", "sphere"])
def test_what_is_selected_keeps_its_colour_and_is_outlined(offscreen: Offscreen, shape: str) -> None:
    model = SceneModel([floor(), row(shape=shape, color=GREEN), row("wall", size=(0.1, 2.0, 0.5), at=(-1.0, 0.0, 0.0))])
    camera = looking(model, "top")
    plain = offscreen.picture(model, camera).astype(int)
    offscreen._rows.mark(frozenset({"box1"}))
    selected = offscreen.picture(model, camera).astype(int)
    changed = np.abs(selected - plain).max(axis=2) > 0
    assert np.array_equal(plain[~changed], selected[~changed])
    assert {tuple(color) for color in selected[changed]} == RINGS, "nothing but the outline differs"
    inside = camera.project(np.array([[0.0, 0.0, 1.0]]))[0][0]
    assert np.array_equal(patch(plain, *inside), patch(selected, *inside))
    lines, columns = np.nonzero(changed)
    assert min(np.ptp(lines), np.ptp(columns)) > 20, "it goes around"
    offscreen._rows.mark(frozenset())
    assert np.array_equal(offscreen.picture(model, camera), plain), "the outline leaves nothing behind"


def test_an_outline_is_twice_as_wide_where_a_unit_of_the_window_has_two_pixels(offscreen: Offscreen) -> None:
    model = SceneModel([floor(), row(color=GREEN)])
    widths = []
    for scale in (1.0, 2.0):
        camera = looking(model, "top")
        camera.scale = scale
        plain = offscreen.picture(model, camera).astype(int)
        offscreen._rows.mark(frozenset({"box1"}))
        is_ring = np.abs(offscreen.picture(model, camera).astype(int) - plain).max(axis=2) > 0
        offscreen._rows.mark(frozenset())
        across = is_ring[round(offscreen._size[1] - camera.project(np.array([[0.0, 0.0, 1.0]]))[0][0][1])]
        widths.append(np.count_nonzero(across[: len(across) // 2]))
    assert widths[0] in {3, 4}
    assert widths[1] == pytest.approx(2 * widths[0], abs=1)


def test_what_is_round_has_no_corners_at_any_size_where_software_draws() -> None:
    for quality, most in ((SOFTWARE, 1.2), (HARDWARE, 0.7)):
        for level, radius in enumerate((400.0, *FINEST)):
            pixels = radius / (quality.detail if level else 1.0)
            corner = pixels * (1.0 - np.cos(np.pi / SIDES[level]))
            assert corner < most, (quality, level)


def test_an_arrow_and_the_body_below_it_have_their_own_colours(offscreen: Offscreen) -> None:
    arrow = Visual("arrow", (0.5, 0.2, 0.2), (0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0), BLUE)
    model = SceneModel([row("robot1", "robot", visuals=(Visual("cylinder"), arrow), size=(1.0, 1.0, 0.3))])
    camera = looking(model, "top")
    picture = offscreen.picture(model, camera)
    assert hue(patch_at(picture, camera, (0.2, 0.0, 0.35))) == 2
    assert hue(patch_at(picture, camera, (-0.25, 0.0, 0.3))) == 0


def test_what_moves_is_drawn_where_it_went(offscreen: Offscreen) -> None:
    model = SceneModel([floor(), row(body=0), row("post", at=(-3.0, 0.0, 0.0), color=BLUE)], ["box1"])
    camera = looking(SceneModel([floor()]), "top")
    before = offscreen.picture(model, camera)
    model.set_poses(np.array([[2.5, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]]))
    after = offscreen.picture(model, camera)
    assert hue(patch_at(before, camera, (0.0, 0.0, 1.0))) == hue(patch_at(after, camera, (2.5, 1.0, 1.0))) == 0
    assert np.ptp(patch_at(after, camera, (0.2, 0.3, 0.0))) < 60


@pytest.mark.parametrize("shadows", ["flat", "mapped"])
def test_shadows_fall_away_from_the_light(shadows: str) -> None:
    model = SceneModel([floor(), row(at=(0.0, 0.0, 0.5), color=(0.5, 0.5, 0.5))])
    camera = looking(SceneModel([floor()]), "top")
    shaded, sunny = (-0.75, 0.65, 0.0), (0.85, -0.75, 0.0)
    with Offscreen(SIZE, Quality(shadows, 1, map_size=512)) as canvas:  # type: ignore[arg-type]
        picture = canvas.picture(model, camera)
    assert patch_at(picture, camera, shaded).mean() < 0.85 * patch_at(picture, camera, sunny).mean()


def test_a_texture_is_drawn_instead_of_the_colour(offscreen: Offscreen, tmp_path: Path) -> None:
    Image.new("RGB", (8, 8), (0, 220, 0)).save(tmp_path / "green.png")
    model = SceneModel([row(visuals=(Visual("box", texture=str(tmp_path / "green.png")),))])
    camera = looking(model)
    assert hue(patch(offscreen.picture(model, camera), SIZE[0] / 2, SIZE[1] / 2)) == 1


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_needs_no_file_and_fits_to_itself_at_its_edges(offscreen: Offscreen, name: str) -> None:
    model = SceneModel([row(visuals=(Visual("box", texture=name),), size=(2.0, 2.0, 2.0), color=(1.0, 0.0, 1.0))])
    drawn = offscreen.picture(model, looking(model, "top"))[60:180, 100:220].reshape(-1, 3).astype(int)
    assert drawn.std(axis=0).max() > 4.0  # more than one colour
    assert not ((drawn[:, 0] > 2 * drawn[:, 1]) & (drawn[:, 2] > 2 * drawn[:, 1])).any()  # and not that of the box
    picture = pattern(name).astype(int)
    within, across = np.abs(np.diff(picture, axis=1)).mean(axis=(0, 2)), np.abs(picture[:, 0] - picture[:, -1]).mean()
    assert across <= within.max() + 1.0


def test_files_that_cannot_be_drawn_are_told_once_and_stand_in(tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_text("no picture")
    visuals = (Visual("box", texture=str(tmp_path / "bad.png")), Visual("mesh", mesh=str(tmp_path / "none.stl")))
    model = SceneModel([row(visuals=visuals)])
    messages: list[str] = []
    with Offscreen(SIZE, FAST, messages.append) as canvas:
        pictures = [canvas.picture(model, looking(model)) for _ in range(2)]
    assert hue(patch(pictures[1], SIZE[0] / 2, SIZE[1] / 2)) == 0
    assert len(messages) == 2
    assert any("bad.png:1:1: no picture" in line for line in messages)
    assert any("none.stl:1:1: there is no such file" in line for line in messages)


def test_the_floor_has_tiles_and_axes(offscreen: Offscreen) -> None:
    model = SceneModel([floor(6.0)])
    camera = looking(model, "top")
    picture = offscreen.picture(model, camera)
    assert hue(patch_at(picture, camera, (1.5, 0.0, 0.0)), 1.04) == 0
    assert hue(patch_at(picture, camera, (0.0, 1.5, 0.0)), 1.04) == 1
    tiles = [patch_at(picture, camera, (x, 1.25, 0.0)).mean() for x in (0.75, 1.75)]
    assert abs(tiles[0] - tiles[1]) > 3.0


def test_trails_are_drawn_over_the_floor(offscreen: Offscreen) -> None:
    model = SceneModel([floor(6.0)])
    camera = looking(model, "top")
    way = np.array([[-2.0, 1.5, 0.0], [0.0, 1.5, 0.0], [2.0, 1.5, 0.0]])
    picture = offscreen.picture(model, camera, trail(way, (255, 0, 255)))
    red, green, blue = patch_at(picture, camera, (1.7, 1.5, 0.0))
    assert min(red, blue) > green + 40


def test_smoothed_edges_have_colours_between() -> None:
    model = SceneModel([row(color=GREEN)])
    colours = {}
    for samples in (1, 4):
        with Offscreen(SIZE, Quality("off", samples)) as canvas:
            colours[samples] = len(np.unique(canvas.picture(model, looking(model)).reshape(-1, 3), axis=0))
    assert colours[4] > colours[1]


def test_models_that_come_and_go_leave_nothing_on_the_graphics_card(offscreen: Offscreen) -> None:
    from pyglet import gl

    def used() -> int:
        return sum(bool(gl.glIsBuffer(name)) for name in range(1, 2000))

    def draw() -> None:
        for shape in ("box", "cylinder", "sphere", "cone", "arrow"):
            model = SceneModel([floor(), row(shape=shape)])
            offscreen.picture(model, looking(model))

    draw()
    before = used()
    for _ in range(5):
        draw()
    assert used() == before
