"""The nearest robots that are seen, against a look at every robot past every shape."""

import math

import numpy as np
import pytest
from ray_scenes import body, box, tilted

from coopsim.engines import WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.kernels.lanes import LANES
from coopsim.sensing.around_eye import OPEN, WIDE, entries_of, rooms_for
from coopsim.sensing.eye import BINS
from coopsim.sensing.line_of_sight import SightLines
from coopsim.sensing.robot_cells import empty_cells
from coopsim.sensing.screens import empty_screens
from coopsim.sensing.world import EngineSensingWorld

SLOTS = 8


def scene(generator, count, spread):
    """Return bodies and the names of robots: of all forms and sizes, links, a large cart, a wall, one far astray."""
    bodies, robots = [], []
    for k in range(count):
        x, y = generator.uniform(-spread, spread, 2)
        kind, yaw = ("box", "cylinder", "sphere")[int(generator.integers(3))], generator.uniform(-9, 9)
        side = generator.uniform(0.1, 0.7)
        size = (
            (side, generator.uniform(0.1, 0.7), 0.4)
            if kind == "box"
            else (side, side, side if kind == "sphere" else 0.4)
        )
        bodies.append(
            body(f"r{k:03}", x, y, yaw, kind=kind, size=size, z=float(generator.choice([0.0, 0.0, 0.1, 2.0])))
        )
        robots.append(f"r{k:03}")
        if k % 9 == 0:
            link = f"r{k:03}.arm"
            bodies.append(body(link, x + 0.4, y, yaw, kind="box", size=(0.5, 0.1, 0.4), part_of=f"r{k:03}"))
    bodies += [
        tilted("cart", (0.5, 1.0, 0.0), (0.0, 0.0, 0.4), size=(4.0, 0.3, 0.5)),
        body("ball", -1.0, 0.5, kind="sphere", size=(0.5, 0.5, 0.5)),
        box("wall", 1.0, -0.6, 3.0, 0.2, 0.3),
        body("stray", 7e5, -7e5),
    ]
    return bodies, [*robots, "stray"]


def expected(world, sight, rows, limits, count):
    """Look at all robots from each body."""
    planar, height = world.bodies.planar, world.bodies.height
    seen_rows = []
    for i, row in enumerate(rows):
        reach, field, occlusion = limits[:, i]
        away = planar[world.robot_bodies, :2] - planar[row, :2]
        squares = away[:, 0] * away[:, 0] + away[:, 1] * away[:, 1]
        order = np.lexsort((np.arange(count), squares))
        bearing = (np.arctan2(away[:, 1], away[:, 0]) - planar[row, 2] + math.pi) % (2 * math.pi) - math.pi
        is_ahead = (abs(bearing) <= 0.5 * field) | (field >= 2 * math.pi) | (squares == 0.0)
        seen = (is_ahead & (np.sqrt(squares) <= reach) & (world.robot_bodies != row))[None]
        if occlusion:
            places = planar[world.robot_bodies, :2][None].copy()
            sight.clear_blocked(planar, height, np.array([row]), places, world.robot_bodies[None].copy(), seen)
        seen_rows.append([k for k in order.tolist() if seen[0, k]][:SLOTS])
    return [row + [-1] * (SLOTS - len(row)) for row in seen_rows]


@pytest.mark.parametrize("seed", range(60))
def test_those_are_seen_that_a_look_at_every_robot_past_every_shape_sees(seed) -> None:
    generator = np.random.default_rng(seed)
    count = int(generator.choice([1, 3, 40, 160]))
    bodies, names = scene(generator, count, float(generator.choice([0.5, 3.0, 9.0])))
    engine = PymunkEngine(WorldSpec(tuple(bodies)))
    rows = np.array([list(engine.names).index(name) for name in names], np.int64)
    world = EngineSensingWorld(engine, bodies, (), np.zeros((0, 3)), tuple(names), rows, np.full(len(names), 0.2))
    limits = np.stack(
        [
            generator.choice([0.3, 2.0, 12.0, 1000.0], rows.size),
            generator.choice([0.0, 0.4, 2.1, 3.5, 6.0, 2 * math.pi], rows.size),
            generator.choice([0.0, 1.0], rows.size),
        ]
    )
    for tick in (1, 2):
        if tick == 2:  # everybody moves: nothing may be left of the tick before
            engine.planar[:-1, :2] += generator.uniform(-0.5, 0.5, (len(engine.names) - 1, 2))
        world.begin_tick(tick, 0.01)
        sight = SightLines(bodies, engine.names)
        right = expected(world, sight, rows, limits, rows.size)
        # whom bodies saw last is a guess how far they look, whatever it was: any robots, the same one, no robots
        for guess in (generator.integers(-3, rows.size + 9, (rows.size, SLOTS)), np.full((rows.size, SLOTS), tick - 1)):
            out = np.where(generator.random((rows.size, 1)) < 0.5, guess, guess % rows.size)
            world.nearest_seen(rows, limits, out)
            assert out.tolist() == right
            world.begin_tick(tick, 0.01)
            world.nearest_seen(rows, limits, out)
            assert out.tolist() == right


@pytest.mark.parametrize("spacing", [0.5, 1.0, 2.5])
@pytest.mark.parametrize("field", [0.3, 2.1, 2 * math.pi])
def test_gaps_of_a_crowd_in_rows_are_looked_through_to_its_end(spacing, field) -> None:
    side = 18
    bodies = [
        body(
            f"r{k:03}",
            spacing * (k % side),
            spacing * (k // side),
            0.25 * math.pi * (k % 8),
            kind="box",
            size=(0.4, 0.3, 0.3),
        )
        for k in range(side * side)
    ]
    names, rows = tuple(body.name for body in bodies), np.arange(side * side)
    engine = PymunkEngine(WorldSpec(tuple(bodies)))
    world = EngineSensingWorld(engine, bodies, (), np.zeros((0, 3)), names, rows, np.full(rows.size, 0.2))
    world.begin_tick(1, 0.01)
    limits = np.array([[30.0], [field], [1.0]]) * np.ones(rows.size)
    out = np.empty((rows.size, SLOTS), np.int64)
    world.nearest_seen(rows, limits, out)
    assert out.tolist() == expected(world, SightLines(bodies, engine.names), rows, limits, rows.size)
    assert spacing < 1.0 or field < 1.0 or (out[:, -1] >= 0).any()


def test_a_tight_pile_is_looked_through_by_every_one_of_it() -> None:
    bodies = [body(f"r{k:02}", 1e-3 * k, 0.0, size=(0.01, 0.01, 0.3)) for k in range(40)]
    names = tuple(body.name for body in bodies)
    world = EngineSensingWorld(
        PymunkEngine(WorldSpec(tuple(bodies))), bodies, (), np.zeros((0, 3)), names, np.arange(40), np.full(40, 0.01)
    )
    world.begin_tick(1, 0.01)
    out, limits = np.empty((40, SLOTS), np.int64), np.array([[5.0], [2 * math.pi], [1.0]]) * np.ones(40)
    world.nearest_seen(np.arange(40), limits, out)
    # up to five radii, a neighbour stands in what is looked at, or in the eye; what is farther is hidden
    sight = SightLines(bodies, names)
    assert out.tolist() == expected(world, sight, np.arange(40), limits, 40)


@pytest.mark.parametrize("reach", [3.0, 30.0])
def test_two_robots_far_apart_look_into_all_directions_again_and_into_no_list_beside(reach) -> None:
    bodies = [body("left", 0.0, 0.0, size=(0.2, 0.2, 0.3)), body("right", 20.0, 1.0, size=(0.2, 0.2, 0.3))]
    names = tuple(body.name for body in bodies)
    cells = empty_cells(np.arange(2))
    room = rooms_for(1, cells, empty_screens(SightLines(bodies, names).moving, cells))
    # each list has room for every direction, and for the eight that are written at once
    assert room[1][0, WIDE] >= BINS + LANES
    assert room[1].shape[1] >= entries_of(OPEN, room[1][0]) + BINS + LANES
    world = EngineSensingWorld(
        PymunkEngine(WorldSpec(tuple(bodies))), bodies, (), np.zeros((0, 3)), names, np.arange(2), np.full(2, 0.1)
    )
    world.begin_tick(1, 0.01)
    out, limits = np.empty((2, SLOTS), np.int64), np.array([[reach], [2 * math.pi], [1.0]]) * np.ones(2)
    world.nearest_seen(np.arange(2), limits, out)
    assert out[:, 0].tolist() == ([1, 0] if reach > 20.0 else [-1, -1])
    assert (out[:, 1:] == -1).all()


def places_of_crowd(form, generator, count):
    """Return where robots stand: in a line or a corner along the axes, around a circle, in threes, on a grid."""
    along = 0.5 * np.arange(count)
    if form == "line":
        return np.stack([along, np.zeros(count)], axis=1)
    if form == "corner":
        return np.stack(
            [np.where(np.arange(count) % 2, along, 0.0), np.where(np.arange(count) % 2, 0.0, along)], axis=1
        )
    if form == "ring":
        angles = 2 * math.pi * np.arange(count) / count
        return 6.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if form == "threes":  # in one place each, so that many look from one cell
        return np.repeat(generator.uniform(-5.0, 5.0, (-(-count // 3), 2)), 3, axis=0)[:count]
    return np.stack([0.4 * (np.arange(count) % 8), 0.4 * (np.arange(count) // 8)], axis=1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("form", ["line", "corner", "ring", "threes", "touching"])
def test_to_the_end_of_a_crowd_and_along_its_edges_all_are_seen(form, seed) -> None:
    generator, count = np.random.default_rng(seed), 60
    # on the grid of 0.4 m circles of that width touch, and many robots are equally far away
    side = 0.4 if form == "touching" else 0.1
    names, bodies = tuple(f"r{k:02}" for k in range(count)), []
    for name, place in zip(names, places_of_crowd(form, generator, count), strict=True):
        kind = "cylinder" if form == "touching" else str(generator.choice(["box", "cylinder", "sphere"]))
        yaw, height = 0.5 * math.pi * int(generator.integers(4)), float(generator.choice([0.0, 0.0, 0.2]))
        bodies.append(body(name, *place, yaw, kind=kind, size=(side, side, side), z=height))
    # what hides is a robot, a wall, or what may be pushed, beside the crowd and among it
    bodies += [
        box("wall", 4.0, 0.6, 0.2, 0.8, 0.3),
        body("ball", 9.0, 0.1, kind="sphere", size=(0.3, 0.3, 0.3)),
        tilted("cart", (2.0, -1.0, 0.0), (0.0, 0.0, 0.4), size=(1.0, 0.3, 0.5)),
        # and one that is no robot looks at them from outside
        body("observer", -20.0, 0.2, kind="cylinder", size=(0.1, 0.1, 0.3)),
    ]
    engine = PymunkEngine(WorldSpec(tuple(bodies)))
    rows = np.array([list(engine.names).index(name) for name in (*names, "observer")], np.int64)
    world = EngineSensingWorld(engine, bodies, (), np.zeros((0, 3)), names, rows[:-1], np.full(count, 0.1))
    limits = np.array([[60.0], [0.0], [0.0]]) + np.zeros((3, rows.size))
    limits[1] = generator.choice([0.4, 2.1, 2 * math.pi], rows.size)
    limits[2] = generator.choice([0.0, 1.0], rows.size)
    world.begin_tick(1, 0.01)
    out = np.empty((rows.size, SLOTS), np.int64)
    world.nearest_seen(rows, limits, out)
    assert out[-1, 0] >= 0
    assert out.tolist() == expected(world, SightLines(bodies, engine.names), rows, limits, count)


def test_a_robot_whose_place_is_no_number_hides_none_of_the_others() -> None:
    bodies = [body(f"r{k:02}", 0.5 * k, 0.0, size=(0.1, 0.1, 0.3)) for k in range(30)]
    names = tuple(body.name for body in bodies)
    engine = PymunkEngine(WorldSpec(tuple(bodies)))
    world = EngineSensingWorld(engine, bodies, (), np.zeros((0, 3)), names, np.arange(30), np.full(30, 0.1))
    limits = np.array([[40.0], [2 * math.pi], [0.0]]) * np.ones(30)
    for lost in (0, 29):  # the first and the last that bounds are made of
        engine.planar[lost, :2] = math.nan
        world.begin_tick(lost, 0.01)
        out = np.empty((30, SLOTS), np.int64)
        world.nearest_seen(np.arange(30), limits, out)
        assert out[lost].tolist() == [-1] * SLOTS
        assert out[14].tolist() == [13, 15, 12, 16, 11, 17, 10, 18]
        assert out[1].tolist() == [2, 3, 4, 5, 6, 7, 8, 9]
