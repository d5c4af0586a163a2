"""What rays meet."""

import math

import numpy as np
import pytest
from device_standins import prepare_kernels
from ray_scenes import Scene, body, box, random_scene

from coopsim.engines import BodySpec, ShapeSpec
from coopsim.sensing import ray_head, ray_tables, rays

AHEAD, LEFT, BACK, RIGHT = 0.0, math.pi / 2, math.pi, -math.pi / 2


@pytest.mark.parametrize("seed", range(60))
def test_ranges_agree_with_the_engines_own_query_in_any_scene(seed):
    """C-45: distance sensors by ray tracing."""
    generator = np.random.default_rng(seed)
    scene = random_scene(generator)
    count = len(scene.engine.names)
    if seed % 3 == 0:  # away from where the grid was laid
        planar = scene.engine.planar.copy()
        planar[:, :2] += generator.uniform(-40, 40, 2)
        scene.engine.set_state(np.arange(count), planar)
        scene.caster.begin()
    rows = generator.permutation(count)[: int(generator.integers(1, count + 1))]
    bearings = generator.uniform(-4, 4, int(generator.integers(1, 14))) * generator.choice([0.2, 1.0])
    reach = generator.uniform(0.1, generator.choice([1.0, 5.0, 20.0]), rows.size)

    out = scene.cast(rows, bearings, reach)

    expected = [
        [scene.reference(int(row), bearing, far) for bearing in bearings] for row, far in zip(rows, reach, strict=True)
    ]
    assert np.abs(out - expected).max() <= 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_of_the_rays_of_a_sector_the_nearest_hit_counts(seed):
    """C-45: several rays for each sector."""
    generator = np.random.default_rng(seed)
    scene, sectors, rays = random_scene(generator), int(generator.integers(2, 30)), int(generator.integers(1, 20))
    rows = np.arange(len(scene.engine.names))
    half = generator.uniform(0.1, math.pi)
    bearings = np.linspace(-half, half, sectors * rays) + generator.choice([0.0, 0.3])
    reach = generator.uniform(0.1, 5.0, rows.size)

    out = scene.cast(rows, bearings, reach, columns=sectors)

    # so few at once are all compared with every shape
    single_rays = np.concatenate(
        [scene.cast(rows, bearings[k : k + 16], reach) for k in range(0, bearings.size, 16)], axis=1
    )
    assert np.abs(out - single_rays.reshape(rows.size, sectors, rays).min(axis=2)).max() <= 1e-9


def test_the_distance_counts_from_the_hull():
    scene = Scene(body("robot"), body("other", 2.0), box("wall", 0.0, 1.5, 4.0, 0.2))

    assert scene.ranges_of("robot", [RIGHT, AHEAD, LEFT], 3.0) == pytest.approx([3.0, 1.5, 1.15])


def test_bearings_turn_with_the_body():
    scene = Scene(body("robot", yaw=math.pi / 2), body("other", 0.0, 2.0))

    assert scene.ranges_of("robot", [AHEAD, RIGHT], 3.0) == pytest.approx([1.5, 3.0])


def test_the_hull_of_a_box_is_its_own_outline():
    scene = Scene(box("robot", 0.0, 0.0, 1.0, 0.4, mass=1.0), box("wall", 2.1, 0.0, 0.2, 9.0))

    ahead, slanting, left = scene.ranges_of("robot", [AHEAD, math.pi / 4, LEFT], 5.0)

    assert ahead == pytest.approx(1.5)
    assert slanting == pytest.approx(2.0 * math.sqrt(2.0) - 0.2 * math.sqrt(2.0))
    assert left == 5.0


def test_the_hull_of_a_composed_body_is_the_outline_of_all_its_shapes():
    shapes = (ShapeSpec("cylinder", (0.4, 0.4, 0.2)), ShapeSpec("box", (0.2, 0.2, 0.2), position=(0.5, 0.0, 0.0)))
    robot = BodySpec("robot", (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), 1.0, shapes)
    scene = Scene(robot, box("wall", 2.1, 0.0, 0.2, 9.0), box("behind", -2.1, 0.0, 0.2, 9.0))

    assert scene.ranges_of("robot", [AHEAD, BACK], 5.0) == pytest.approx([1.4, 1.8])


def test_shapes_of_a_composed_body_are_seen_where_its_heading_puts_them():
    shapes = (ShapeSpec("cylinder", (0.4, 0.4, 0.2), position=(1.0, 0.0, 0.0)),)
    spec = BodySpec("other", (3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), 1.0, shapes)
    scene = Scene(body("robot"), spec)

    assert scene.ranges_of("robot", [AHEAD], 5.0) == pytest.approx([2.0 - 0.2 - 0.25])


def test_a_free_ray_gives_exactly_its_reach():
    scene = Scene(body("robot", size=(0.37, 0.37, 0.2)))

    for reach in (0.1, 1.0 / 3.0, 2.0, 19.9):
        assert scene.ranges_of("robot", np.linspace(-3, 3, 11), reach) == [reach] * 11


def test_each_body_has_its_own_reach():
    scene = Scene(body("a"), body("b", 1.5))

    assert scene.cast([0, 1], [AHEAD, BACK], [0.5, 2.0]) == pytest.approx(np.array([[0.5, 0.5], [2.0, 1.0]]))


def test_reach_may_grow_at_any_time():
    scene = Scene(body("robot"), box("wall", 18.0, 0.0, 0.2, 1.0), *(body(f"b{k}", 0.0, 30.0 + k) for k in range(50)))

    ranges = [scene.ranges_of("robot", [AHEAD], reach)[0] for reach in (1.0, 3.0, 20.0, 2.0, 18.0)]

    assert ranges == pytest.approx([1.0, 3.0, 17.65, 2.0, 17.65])


def test_what_overlaps_the_hull_is_no_distance_away():
    scene = Scene(body("robot"), body("other", 0.3), body("upon", 0.0, 5.0), body("under", 0.1, 5.0))

    assert scene.ranges_of("robot", [AHEAD, BACK], 3.0) == [0.0, 3.0]
    assert scene.ranges_of("upon", [AHEAD, LEFT, BACK], 3.0) == [0.0, 0.0, 0.0]


def test_a_robot_inside_a_box_sees_nothing_but_the_box():
    scene = Scene(body("robot"), box("block", 0.1, 0.0, 1.0, 1.0))

    assert scene.ranges_of("robot", [AHEAD, LEFT, BACK], 3.0) == [0.0, 0.0, 0.0]


def test_the_grid_is_filled_again_only_after_begin():
    scene = Scene(body("robot"), body("other", 2.0))
    assert scene.ranges_of("robot", [AHEAD], 5.0) == pytest.approx([1.5])

    scene.engine.set_state(np.array([scene.row("other")]), np.array([[3.0, 0.0, 0.0, 0.0, 0.0, 0.0]]))
    assert scene.ranges_of("robot", [AHEAD], 5.0) == pytest.approx([1.5])
    scene.caster.begin()

    assert scene.ranges_of("robot", [AHEAD], 5.0) == pytest.approx([2.5])


def test_a_swarm_that_leaves_its_grid_gets_a_new_one_and_the_same_ranges():
    scene = Scene(*(body(f"b{k:03}", 0.6 * (k % 10), 0.6 * (k // 10)) for k in range(100)))
    planar = scene.engine.planar.copy()
    before = scene.cast(range(100), np.linspace(-2, 2, 7), 4.0)

    planar[:, :2] += 1000.0
    scene.engine.set_state(np.arange(100), planar)
    scene.caster.begin()
    first = scene.cast(range(100), np.linspace(-2, 2, 7), 4.0)
    second = scene.cast(range(100), np.linspace(-2, 2, 7), 4.0)

    assert first == pytest.approx(before, abs=1e-9)
    assert np.array_equal(first, second)


def test_the_grid_is_laid_again_when_a_swarm_leaves_it_but_not_for_a_few(monkeypatch):
    laid = []
    monkeypatch.setattr(rays, "moving_grid", lambda *args: laid.append(1) or ray_tables.moving_grid(*args))
    few = Scene(*(body(f"b{k}", 2.0 * k) for k in range(3)))
    swarm = Scene(*(body(f"b{k:03}", 0.6 * (k % 10), 0.6 * (k // 10)) for k in range(100)))
    for scene in (few, swarm):
        scene.cast([0], [AHEAD], 2.0)
        scene.cast([0], [AHEAD], 2.0)
    assert len(laid) == 4

    for scene in (few, swarm):
        planar = scene.engine.planar.copy()
        planar[:, 0] -= 500.0
        scene.engine.set_state(np.arange(len(planar)), planar)
        for _ in range(5):
            scene.caster.begin()
            scene.cast([0], [AHEAD], 2.0)

    assert len(laid) == 5


def test_one_body_far_astray_is_still_seen():
    scene = Scene(*(body(f"b{k:02}", float(k % 7), float(k // 7)) for k in range(49)))
    scene.move("b00", 9e5, 0.0)
    scene.move("b01", 9e5 + 2.0, 0.0)

    assert scene.ranges_of("b00", [AHEAD, BACK], 20.0) == pytest.approx([1.5, 20.0])


def test_large_moving_shapes_are_seen_beside_small_ones():
    small = [body(f"s{k:03}", 0.3 * (k % 20), 0.3 * (k // 20), size=(0.05, 0.05, 0.2)) for k in range(400)]
    scene = Scene(*small, box("slab", 3.0, -2.0, 8.0, 0.5, mass=5.0), body("disc", 3.0, 12.0, size=(9.0, 9.0, 0.3)))

    assert scene.ranges_of("s010", [RIGHT], 5.0) == pytest.approx([2.0 - 0.25 - 0.025])
    assert scene.ranges_of("s390", [LEFT], 5.0) == pytest.approx([12.0 - 5.7 - 4.5 - 0.025])
    assert scene.ranges_of("disc", [RIGHT], 5.0) == pytest.approx([12.0 - 5.7 - 4.5 - 0.025])


def test_a_body_sees_what_is_half_way_up_and_nothing_above_or_below():
    scene = Scene(
        body("robot", size=(0.5, 0.5, 0.3)),
        box("beam", 1.0, 0.0, 0.2, 4.0, z=0.35),
        body("flying", -1.0, z=0.5),
        box("step", 1.5, 0.0, 0.2, 4.0, height=0.1),
        box("wall", 2.0, 0.0, 0.2, 4.0, height=0.2),
    )

    assert scene.ranges_of("robot", [AHEAD, BACK], 3.0) == pytest.approx([1.65, 3.0])
    assert scene.ranges_of("flying", [AHEAD], 3.0) == pytest.approx([1.65])


def test_many_rays_and_one_ray_agree():
    scene = random_scene(np.random.default_rng(3))
    bearings = np.linspace(-3.0, 3.0, 360)

    together = scene.ranges_of("b00", bearings, 4.0)

    assert [scene.ranges_of("b00", [bearing], 4.0)[0] for bearing in bearings] == pytest.approx(together, abs=1e-12)


def test_arrays_with_gaps_serve_as_well():
    scene = random_scene(np.random.default_rng(4))
    count = len(scene.engine.names)
    rows, bearings, reach = np.arange(count), np.linspace(-2, 2, 5), np.linspace(1, 4, count)
    expected = scene.cast(rows, bearings, reach)

    out = np.zeros((count, 3, 5))[:, 1]
    gap = np.zeros((count, 2))
    gap[:, 0] = reach
    doubled, angles = np.repeat(rows, 2)[::2], np.repeat(bearings, 2)[::2]
    scene.caster.cast(scene.engine.planar, scene.engine.height, doubled, angles, gap[:, 0], out, gap[:, 1])

    assert np.array_equal(out, expected)


def test_nobody_looking_and_no_rays_are_no_trouble():
    scene = Scene(body("robot"), box("wall", 2.0, 0.0, 0.2, 1.0))

    assert scene.cast([], [AHEAD], 3.0).shape == (0, 1)
    assert scene.cast([0], [], 3.0).shape == (1, 0)


def test_a_lost_body_does_no_harm_to_others():
    scene = Scene(body("lost", 5.0), body("robot"), body("other", 2.0))
    planar = scene.engine.planar.copy()
    planar[scene.row("lost"), :3] = np.nan
    out = np.zeros((3, 1))

    scene.caster.cast(planar, np.zeros(3), np.arange(3), np.zeros(1), np.full(3, 3.0), out, np.zeros(3))

    assert out[scene.row("robot"), 0] == pytest.approx(1.5)


def test_a_lost_body_with_a_fan_of_rays_sees_nothing_not_even_large_shapes():
    scene = Scene(
        body("robot"), body("lost", 5.0), *(body(f"b{k}", k, 3.0) for k in range(9)), body("ship", 20.0, size=(9, 9, 1))
    )
    scene.caster.begin()
    planar = scene.engine.planar.copy()
    planar[scene.row("lost"), :2] = np.nan
    seen, rows = np.empty((2, 60)), np.array([scene.row("lost"), scene.row("robot")])

    bearings, reach = np.linspace(-2, 2, 60), np.full(2, 30.0)
    scene.caster.cast(planar, scene.engine.height, rows, bearings, reach, seen, np.zeros(2))

    assert (seen[0] == 30.0).all()
    assert (seen[1] < 30.0).any()


def test_two_thousand_walls_are_seen_from_among_them():
    generator = np.random.default_rng(8)
    walls = [
        box(f"w{k:04}", *generator.uniform(-50, 50, 2), generator.uniform(0.2, 8), 0.2, generator.uniform(-3, 3))
        for k in range(2000)
    ]
    scene = Scene(*walls, *(body(f"r{k}", *generator.uniform(-50, 50, 2)) for k in range(10)))
    bearings = np.linspace(-3, 3, 11)

    out = scene.cast(range(10), bearings, 20.0)

    expected = [[scene.reference(row, bearing, 20.0) for bearing in bearings] for row in range(10)]
    assert np.abs(out - expected).max() <= 1e-9


def test_warming_up_leaves_nothing_to_compile():
    prepare_kernels()

    assert rays.ray_kernels.cast.signatures


def test_a_ring_sees_what_lies_at_its_height():
    flat = box("flat", 1.0, 0.0, 0.2, 2.0, height=0.1)
    beam = box("beam", 2.0, 0.0, 0.2, 2.0, z=0.4, height=0.2)
    wall = box("wall", 3.0, 0.0, 0.2, 2.0, height=2.0)
    scene = Scene(body("robot"), flat, beam, wall)

    seen = [scene.ranges_of("robot", [AHEAD], 5.0, ring)[0] for ring in (0.05, 0.1, 0.3, 0.5, 0.7)]

    assert seen == pytest.approx([0.65, 0.65, 2.65, 1.65, 2.65])


def test_a_ring_sits_half_way_up_unless_told():
    low, high = box("low", 1.0, 0.0, 0.2, 2.0, height=0.149), box("high", 2.0, 0.0, 0.2, 2.0, height=0.151)
    scene = Scene(body("robot"), low, high)

    assert scene.ranges_of("robot", [AHEAD], 5.0) == pytest.approx([1.65])


def test_moving_shapes_are_seen_at_their_heights_too():
    scene = Scene(
        body("robot"), body("plate", 1.0, size=(0.5, 0.5, 0.1)), body("crate", 2.0, kind="box", size=(0.5, 0.5, 0.4))
    )

    assert [scene.ranges_of("robot", [AHEAD], 5.0, ring)[0] for ring in (0.05, 0.2, 0.4, 0.5)] == pytest.approx(
        [0.5, 1.5, 1.5, 5.0]
    )


@pytest.mark.parametrize("mass", [0.0, 1.0])
def test_a_sphere_is_narrower_above_and_below_its_middle(mass):
    scene = Scene(body("robot"), body("ball", 2.0, mass=mass, kind="sphere", size=(1.0, 1.0, 1.0)))

    for ring in (0.1, 0.5, 0.8):
        half = math.sqrt(0.25 - (ring - 0.5) ** 2)
        assert scene.ranges_of("robot", [AHEAD], 5.0, ring) == pytest.approx([2.0 - half - 0.25])


def test_bodies_without_a_height_are_not_seen():
    scene = Scene(body("robot"), body("ghost", 1.0), body("other", 2.0))
    height, out = scene.engine.height.copy(), np.zeros((1, 1))
    height[scene.row("ghost")] = math.nan

    rows = np.array([scene.row("robot")])
    scene.caster.cast(scene.engine.planar, height, rows, np.zeros(1), np.full(1, 3.0), out, np.zeros(1))

    assert out[0, 0] == pytest.approx(1.5)


@pytest.mark.parametrize("hidden", range(1, 9))
def test_a_body_without_height_is_not_seen_wherever_it_lies_among_others(hidden: int) -> None:
    names = [f"body{k}" for k in range(9)]
    shape = ShapeSpec("cylinder", (0.4, 0.4, 0.5))
    bodies = [BodySpec(name, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), 1.0, (shape,)) for name in names]
    bearings, planar, height = np.arange(8) * np.pi / 4.0, np.zeros((9, 6)), np.zeros(9)
    planar[1:, 0], planar[1:, 1] = 2.0 * np.cos(bearings), 2.0 * np.sin(bearings)
    height[hidden] = np.nan
    seen = np.empty((1, 8))
    caster = rays.RayCaster(bodies, names, planar)
    caster.cast(planar, height, np.zeros(1, np.int64), bearings, np.full(1, 5.0), seen, np.zeros(1))
    assert seen[0].tolist() == pytest.approx([5.0 if k + 1 == hidden else 1.6 for k in range(8)])


def test_rays_are_those_of_the_bearings_that_are_asked_for_now():
    scene = Scene(body("robot"), body("other", 2.0), box("wall", 0.0, 1.5, 4.0, 0.2), box("long", -4.0, 0.0, 1.0, 0.4))
    bearings, out = np.array([AHEAD, LEFT, RIGHT]), np.zeros((2, 3))
    rows, limits = np.array([scene.row("robot")]), (np.full(1, 3.0), np.zeros(1))
    strided = out.T.copy().T[:1]
    (cast,) = scene.caster.calls(scene.engine, rows, bearings, limits, strided).calls
    cast.kernel(*cast.arguments)
    scene.caster._answer(cast.kernel, cast.arguments[:-1])
    assert strided[0] == pytest.approx([1.5, 1.15, 3.0])

    bearings[:] = LEFT, RIGHT, AHEAD
    scene.caster._answer(cast.kernel, cast.arguments[:-1])

    assert strided[0] == pytest.approx([1.15, 3.0, 1.5])


@pytest.mark.parametrize("count", [3, 11, 40])
def test_rays_of_one_caster_fit_every_form_of_body(count):
    forms = [body("disc", 0.0, 0.0), box("crate", 5.0, 0.0, 1.0, 0.4, mass=1.0), body("pole", 10.0, size=(0.1, 0.1, 1))]
    scene, bearings = Scene(*forms, *(body(f"t{k}", 5.0 * k + 1.7, 0.3) for k in range(3))), np.linspace(-2, 2, count)
    rows = np.array([scene.row(form.name) for form in forms])

    alone = [Scene(*scene.bodies).cast([row], bearings, 2.0)[0] for row in rows]

    assert np.array_equal(scene.cast(rows, bearings, 2.0), alone)
    assert np.array_equal(scene.cast(rows[::-1], bearings, 2.0), alone[::-1])


def _in_one_look(scene: Scene, rows, bearings, reach, columns):
    """What is seen where nothing is looked at in parts: all that rays may reach is compared with all of them."""
    scene.cast(rows, bearings, reach, columns=columns)  # lists and grid are long enough from here on
    scene.caster._numbers[ray_head.FIRST_LOOK] = math.inf
    return scene.cast(rows, bearings, reach, columns=columns)


@pytest.mark.parametrize("seed", range(40))
def test_looks_to_where_sectors_are_free_see_what_one_look_sees(seed):
    generator = np.random.default_rng(seed)
    side, sectors, per_sector = (
        int(generator.integers(7, 16)),
        int(generator.integers(2, 14)),
        int(generator.integers(3, 15)),
    )
    size, kind = generator.uniform(0.1, 0.9), ("cylinder", "sphere", "box")[seed % 3]
    # on a grid, whose lines are those of cells; some touch, and some are away, so that rays pass between
    places = [(float(k % side), float(k // side)) for k in range(side * side) if generator.random() < 0.8]
    shift = generator.choice([0.0, 0.2]) * generator.normal(size=(len(places), 2))
    turns = generator.choice([0.0, 0.5 * math.pi, 0.7, 2.2], len(places))
    bodies = [
        body(f"b{k:03}", x + shift[k, 0], y + shift[k, 1], turns[k], kind=kind, size=(size, size, 0.3))
        for k, (x, y) in enumerate(places)
    ]
    scene, half = Scene(*bodies, body("round", 0.5, 0.5, 0.4, size=(0.3, 0.3, 0.3))), generator.uniform(0.3, 6.0)
    bearings = np.linspace(-half, half, sectors * per_sector) + generator.choice([0.0, 0.2])
    rows, reach = np.arange(len(scene.engine.names)), generator.uniform(2.0, 12.0)

    in_parts = [scene.cast(rows, bearings, reach, columns=sectors)]
    for last_ranges in (math.nan, -3.0, 0.7, generator.uniform(0.0, reach, (len(rows), 1))):
        scene.caster._found[:] = last_ranges
        in_parts.append(scene.cast(rows, bearings, reach, columns=sectors))

    ranges = _in_one_look(scene, rows, bearings, reach, sectors)
    assert all(np.array_equal(some, ranges) for some in in_parts)
