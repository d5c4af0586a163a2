"""Whether something stands between a body and a place."""

import math

import numpy as np
import pytest
from device_standins import prepare_kernels
from ray_scenes import Scene, body, box, random_scene

from coopsim.sensing import line_of_sight as sight
from coopsim.sensing.line_of_sight import SightLines


class Lines:
    """Sight lines over a scene of bodies."""

    def __init__(self, *bodies, scene=None):
        self.scene = scene or Scene(*bodies)
        self.lines = SightLines(self.scene.bodies, self.scene.engine.names)

    def sees(self, name, x, y, other=None):
        row, looked_at = self.scene.row(name), -1 if other is None else self.scene.row(other)
        return self.clear_blocked([row], [[(x, y)]], [[looked_at]])[0][0]

    def sees_robot(self, name, other):
        x, y = self.scene.engine.planar[self.scene.row(other), :2]
        return self.sees(name, x, y, other)

    def clear_blocked(self, rows, places, others):
        seen = np.ones(np.shape(others), np.bool_)
        self.lines.begin()
        places = np.asarray(places, np.float64)
        engine = self.scene.engine
        self.lines.clear_blocked(
            engine.planar, engine.height, np.asarray(rows, np.int64), places, np.asarray(others), seen
        )
        return seen.tolist()


def test_a_wall_hides_what_is_behind_it_and_nothing_beside_or_before_it() -> None:
    lines = Lines(body("a"), box("wall", 2.0, 0.0, 0.2, 2.0))
    assert not lines.sees("a", 4.0, 0.0)
    assert not lines.sees("a", 4.0, 1.9)
    assert lines.sees("a", 4.0, 2.5)
    assert lines.sees("a", 1.8, 0.0)
    assert lines.sees("a", -4.0, 0.0)


@pytest.mark.parametrize("turned", [0.0, 0.3, math.pi / 2, -2.0])
def test_a_turned_box_hides_by_its_own_corners(turned) -> None:
    c, s = math.cos(turned), math.sin(turned)
    lines = Lines(body("a"), box("plank", 3.0 * c, 3.0 * s, 0.1, 2.0, turned))
    for aside, is_free in ((0.95, False), (1.1, True), (-0.95, False), (-1.1, True)):
        far = 2.0 * aside
        assert lines.sees("a", 6.0 * c - far * s, 6.0 * s + far * c) == is_free


def test_robots_hide_targets_and_one_another_but_never_themselves() -> None:
    lines = Lines(body("a"), body("b", 2.0), body("c", 4.0), body("d", 0.0, 3.0))
    assert lines.sees_robot("a", "b")
    assert not lines.sees_robot("a", "c")
    assert lines.sees_robot("a", "d")
    assert lines.sees_robot("d", "c")
    assert not lines.sees("a", 5.0, 0.0)


def test_a_body_that_moves_away_hides_no_longer() -> None:
    lines = Lines(body("a"), body("b", 2.0))
    assert not lines.sees("a", 5.0, 0.0)
    lines.scene.move("b", 2.0, 0.3)
    assert lines.sees("a", 5.0, 0.0)


def test_what_a_place_lies_in_does_not_hide_it() -> None:
    lines = Lines(body("a"), box("desk", 3.0, 0.0, 1.0, 1.0), body("pillar", 0.0, 3.0, mass=0.0))
    assert lines.sees("a", 3.0, 0.0)
    assert lines.sees("a", 0.0, 3.0)
    assert not lines.sees("a", 0.0, 4.0)


def test_what_lies_at_other_heights_hides_nothing() -> None:
    lines = Lines(body("a"), box("lintel", 2.0, 0.0, 0.2, 2.0, z=2.0), box("wall", -2.0, 0.0, 0.2, 2.0))
    assert lines.sees("a", 4.0, 0.0)
    assert not lines.sees("a", -4.0, 0.0)


def test_a_line_that_touches_a_circle_is_free() -> None:
    lines = Lines(body("a"), body("pillar", 2.0, 0.5, mass=0.0, size=(1.0, 1.0, 0.3)))
    assert lines.sees("a", 5.0, 0.0)
    assert not lines.sees("a", 5.0, 0.01)


def test_what_was_not_seen_before_is_not_looked_at() -> None:
    lines = Lines(body("a"))
    seen = np.zeros((1, 1), np.bool_)
    engine, nobody = lines.scene.engine, np.full((1, 1), -1)
    lines.lines.clear_blocked(engine.planar, engine.height, np.zeros(1, np.int64), np.ones((1, 1, 2)), nobody, seen)
    assert not seen.any()


def test_a_world_without_anything_hides_nothing() -> None:
    assert Lines(body("a")).sees("a", 1e5, -1e5)


def test_one_that_is_far_astray_neither_hides_nor_slows_the_others() -> None:
    bodies = [body(f"r{k:02}", 0.7 * k) for k in range(20)]
    lines = Lines(*bodies, body("stray", 9e5, -9e5))
    assert lines.sees_robot("r00", "r01")
    assert not lines.sees_robot("r00", "r02")
    assert lines.sees_robot("r00", "stray")
    assert len(lines.lines._placed[2]) > 10  # cells: the others do not share a single one


def _blocked(shape, begin, end) -> bool:
    """Look at many points of a line: whether one of them is in a shape, and how deep."""
    x, y, half, half_width, c, s = shape[:6]
    points = begin + np.linspace(0.0, 1.0, 4001)[:, None] * (end - begin)
    u, v = (points[:, 0] - x) * c + (points[:, 1] - y) * s, (points[:, 1] - y) * c - (points[:, 0] - x) * s
    depth = half - np.hypot(u, v) if half_width == 0.0 else np.minimum(half - abs(u), half_width - abs(v))
    return 0.0 if depth[-1] >= 0.0 else depth.max()


@pytest.mark.parametrize("seed", range(25))
def test_sight_agrees_with_a_walk_along_the_line_past_every_shape(seed) -> None:
    generator = np.random.default_rng(seed)
    lines = Lines(scene=random_scene(generator))
    planar = lines.scene.engine.planar
    count = len(planar)
    rows, occupants = np.arange(count), generator.integers(-1, count, (count, 4))
    places = np.where(occupants[..., None] < 0, generator.uniform(-20, 20, (count, 4, 2)), planar[occupants, :2])

    seen = lines.clear_blocked(rows, places, occupants)

    shapes = np.concatenate([lines.lines.fixed[0], lines.lines._placed[0]])
    for i, k in np.ndindex(count, 4):
        in_the_way = [shape for shape in shapes if shape[6] < 0 or shape[6] not in (i, occupants[i, k])]
        depth = max((_blocked(shape_, planar[i, :2], places[i, k]) for shape_ in in_the_way), default=-1.0)
        if abs(depth) > 2e-2:  # what only just touches may go either way
            assert seen[i][k] == (depth <= 0.0)


def test_nothing_is_compiled_after_warm() -> None:
    prepare_kernels()
    kernels = [var for var in vars(sight).values() if hasattr(var, "signatures")]
    before = [len(kernel.signatures) for kernel in kernels]
    lines = Lines(body("a"), body("b", 1.0), box("wall", 2.0, 0.0, 0.2, 2.0))
    lines.sees_robot("a", "b")
    assert len(kernels) > 7
    assert [len(kernel.signatures) for kernel in kernels] == before


def test_only_what_is_as_high_as_the_middle_of_who_looks_hides() -> None:
    sill, shelf = box("sill", 2.0, 0.0, 0.2, 2.0, height=0.14), box("shelf", -2.0, 0.0, 0.2, 2.0, z=0.16)
    lines = Lines(body("a"), sill, shelf, box("wall", 0.0, 2.0, 2.0, 0.2, height=0.16))
    assert lines.sees("a", 4.0, 0.0)
    assert lines.sees("a", -4.0, 0.0)
    assert not lines.sees("a", 0.0, 4.0)


def test_a_ball_hides_as_much_as_it_is_wide_at_that_height() -> None:
    lines = Lines(body("a"), body("ball", 2.0, mass=0.0, kind="sphere", size=(1.0, 1.0, 1.0)))
    wide = math.sqrt(0.5**2 - 0.35**2)
    assert not lines.sees("a", 40.0, 0.0)
    for aside, is_free in ((wide - 0.01, False), (wide + 0.01, True)):
        angle = math.asin(aside / 2.0)
        assert lines.sees("a", 9.0 * math.cos(angle), 9.0 * math.sin(angle)) == is_free


def test_what_has_fallen_or_was_lifted_hides_where_it_is_now() -> None:
    lines = Lines(body("a"), body("b", 2.0, z=1.0), body("c", -2.0))
    engine = lines.scene.engine
    assert lines.sees("a", 4.0, 0.0)
    assert not lines.sees("a", -4.0, 0.0)
    engine.height[[lines.scene.row("b"), lines.scene.row("c")]] = 0.0, 1.0
    assert not lines.sees("a", 4.0, 0.0)
    assert lines.sees("a", -4.0, 0.0)
