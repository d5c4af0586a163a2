"""Who meets whom in the kinematic engine, and stops."""

import math

import numpy as np
import pymunk
import pytest
from engine_standins import DT, body, crowd, launch, push_about, steps, wall, where
from hypothesis import given, settings
from hypothesis import strategies as st
from pymunk._chipmunk_cffi import lib

from coopsim.engines import BodySpec, ShapeSpec, WorldSpec
from coopsim.engines.planar.bodies import is_circle
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.features.kinematic import contact as kinematic_contact
from coopsim.features.kinematic.engine import KinematicEngine
from coopsim.features.kinematic.stepping import near_pairs

CLOSE = 2e-5  # m


def engine_of(*bodies):
    return KinematicEngine(WorldSpec(tuple(bodies)))


def driven(engine, name, seconds, *, vx=0.0, vy=0.0, w=0.0):
    """Keep giving a body its velocity, as a servo would."""
    for _ in range(round(seconds / DT)):
        launch(engine, name, vx=vx, vy=vy, w=w)
        engine.step(DT)


def test_a_body_stops_just_before_a_wall_and_does_not_rebound():
    engine = engine_of(body("robot"), wall("wall", 1.0, 0.0, 0.1, 3.0))
    launch(engine, "robot", vx=0.7)

    steps(engine, 300)

    x, _, _, vx, *_ = where(engine, "robot")
    assert 0.0 < 0.95 - 0.25 - x < CLOSE
    assert vx == 0.0


def test_the_impulse_of_a_contact_is_the_momentum_that_the_stop_took_away():
    engine = engine_of(body("robot", mass=20.0), wall("wall", 0.5, 0.0, 0.1, 3.0))
    launch(engine, "robot", vx=0.7)
    while where(engine, "robot")[3] > 0.0:
        engine.step(DT)

    pairs, points = engine.contacts()

    assert pairs.tolist() == [[0, -1]]
    assert points[0] == pytest.approx([0.45, 0.0, 1.0, 0.0, 14.0], abs=1e-4)
    engine.step(DT)
    assert engine.contacts().points[0, 4] == 0.0


def test_who_touches_may_leave_turn_and_pass_along_but_not_go_on():
    engine = engine_of(body("robot"), wall("wall", 1.0, 0.0, 0.1, 9.0))
    driven(engine, "robot", 2.0, vx=0.5)
    at = where(engine, "robot").copy()

    driven(engine, "robot", 1.0, vx=0.5, w=1.0)
    assert where(engine, "robot")[0] == pytest.approx(at[0], abs=CLOSE)
    assert where(engine, "robot")[2] == pytest.approx(at[2] + 1.0)
    driven(engine, "robot", 1.0, vy=0.5)
    assert where(engine, "robot")[1] == pytest.approx(at[1] + 0.5)
    driven(engine, "robot", 1.0, vx=-0.5)
    assert where(engine, "robot")[0] == pytest.approx(at[0] - 0.5)


def test_who_is_run_into_from_behind_goes_on():
    engine = engine_of(body("slow"), body("fast", -0.55))
    for _ in range(100):
        launch(engine, "slow", vx=0.2)
        launch(engine, "fast", vx=0.6)
        engine.step(DT)

    assert where(engine, "slow")[0] == pytest.approx(0.2)
    assert where(engine, "fast")[0] < 0.2 - 0.5


def test_two_that_approach_each_other_both_stop():
    engine = engine_of(body("left", -0.4), body("right", 0.4))
    launch(engine, "left", vx=0.4)
    launch(engine, "right", vx=-0.2)

    steps(engine, 200)

    gap = where(engine, "right")[0] - where(engine, "left")[0] - 0.5
    assert 0.0 < gap < CLOSE
    assert not engine.planar[:, 3:].any()


def test_a_box_does_not_turn_into_a_wall():
    engine = engine_of(body("box", kind="box", size=(1.0, 0.2, 0.3)), wall("wall", 0.0, 0.4, 4.0, 0.2))

    driven(engine, "box", 2.0, w=1.0)

    # it is stopped where its corner meets the wall
    angle = where(engine, "box")[2]
    assert 0.5 * math.sin(angle) + 0.1 * math.cos(angle) == pytest.approx(0.3, abs=0.01)
    assert 0.5 * math.sin(angle) + 0.1 * math.cos(angle) < 0.3
    assert where(engine, "box")[5] == 0.0


def test_bodies_that_overlap_from_the_start_can_part_but_not_come_closer():
    engine = engine_of(body("a"), body("b", 0.3))

    driven(engine, "a", 0.5, vx=0.3)
    assert where(engine, "a")[0] == 0.0
    driven(engine, "a", 0.5, vx=-0.3)
    assert where(engine, "a")[0] == pytest.approx(-0.15)


def test_bodies_in_exactly_one_place_can_part():
    engine = engine_of(body("a"), body("b"))

    driven(engine, "a", 3.0, vx=0.3)

    assert where(engine, "a")[0] == pytest.approx(0.9)


@pytest.mark.parametrize("speed", [0.5, 5.0, 60.0])
def test_nobody_jumps_over_a_thin_wall(speed):
    engine = engine_of(body("robot"), wall("wall", 1.0, 0.0, 0.05, 9.0))

    driven(engine, "robot", 0.5 if speed > 1.0 else 3.0, vx=speed)

    assert 0.0 < 0.975 - 0.25 - where(engine, "robot")[0] < CLOSE


def test_bodies_pass_under_beams_and_over_low_boxes():
    engine = engine_of(
        body("low", size=(0.5, 0.5, 0.3)),
        body("high", 0.0, 1.0, z=0.6),
        wall("beam", 1.0, 0.0, 0.1, 0.5, z=0.5),
        wall("kerb", 1.0, 1.0, 0.1, 0.5),
    )
    for name in ("low", "high"):
        driven(engine, name, 4.0, vx=0.5)

    # nothing brakes the first one while the second is driven
    assert where(engine, "low")[0] == pytest.approx(4.0)
    assert where(engine, "high")[0] == pytest.approx(2.0)


def test_every_shape_of_a_composed_body_stops_it():
    shapes = (ShapeSpec("cylinder", (0.4, 0.4, 0.3)), ShapeSpec("box", (0.2, 0.1, 0.1), position=(0.5, 0.3, 0.0)))
    engine = engine_of(
        BodySpec("robot", (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), 5.0, shapes), wall("pole", 2.0, 0.3, 0.1, 0.1)
    )

    driven(engine, "robot", 8.0, vx=0.5)

    assert where(engine, "robot")[0] == pytest.approx(1.95 - 0.6, abs=1e-4)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_nothing_ever_penetrates_anything(seed):
    engine = engine_of(*crowd(20, seed))
    overlap = _deepest(engine)
    generator = np.random.default_rng(seed)
    for k in range(60):
        if k % 15 == 0:
            forces = generator.normal(size=(len(engine.names), 3)) * (60.0, 60.0, 5.0)
        engine.wrench[:, [0, 1, 5]] = forces
        engine.step(DT)

    assert _deepest(engine) <= max(overlap, 0.0) + 1e-9
    assert np.isfinite(engine.planar).all()


def _deepest(engine):
    """Return how deep anything is in anything else, as pymunk sees it."""
    planar_engine = PymunkEngine(WorldSpec(tuple(engine._bodies.values())))
    planar_engine.set_state(np.arange(len(engine.names)), engine.planar)
    space = pymunk.Space()
    groups = [[_copied(shape) for shape in place.shapes] for place in planar_engine.places]
    space.add(*(part for shapes in groups for body, shape in shapes for part in (body, shape)))
    points = [
        point.distance
        for shapes in groups
        for _, shape in shapes
        for hit in space.shape_query(shape)
        for point in hit.contact_point_set.points
        if hit.shape not in [own for _, own in shapes]
    ]
    return -min(points, default=0.0)


def _copied(shape):
    """Return a body of pymunk, and on it the shape of an engine."""
    at = lib.cpShapeGetBody(shape)
    body, place = pymunk.Body(body_type=pymunk.Body.KINEMATIC), lib.cpBodyGetPosition(at)
    body.angle, body.position = lib.cpBodyGetAngle(at), (place.x, place.y)
    if is_circle(shape):
        middle = lib.cpCircleShapeGetOffset(shape)
        copied = pymunk.Circle(body, lib.cpCircleShapeGetRadius(shape), (middle.x, middle.y))
    else:
        corners = [lib.cpPolyShapeGetVert(shape, k) for k in range(lib.cpPolyShapeGetCount(shape))]
        copied = pymunk.Poly(body, [(corner.x, corner.y) for corner in corners])
    heights = lib.cpShapeGetFilter(shape).categories
    copied.filter = pymunk.ShapeFilter(categories=heights, mask=heights)
    return body, copied  # a shape alone does not keep its body


def test_the_order_of_rows_does_not_matter():
    bodies = crowd(25)
    engine, reordered = engine_of(*bodies), engine_of(*bodies[5:])
    for added in bodies[:5]:
        reordered.add(added)

    assert push_about(engine, 150) == push_about(reordered, 150) > 0

    order = [list(reordered.names).index(name) for name in engine.names]
    assert np.array_equal(engine.planar, reordered.planar[order])


def test_a_run_goes_on_from_a_snapshot_bit_by_bit_as_if_nothing_had_been():
    engine, restored = engine_of(*crowd(25)), engine_of()
    push_about(engine, 150)
    restored.restore(engine.snapshot())

    assert push_about(engine, 150, seed=3) == push_about(restored, 150, seed=3)

    assert np.array_equal(engine.planar, restored.planar)


def test_bodies_far_outside_the_world_of_the_beginning_still_meet():
    engine = engine_of(body("a", 0.0), body("b", 3.0), wall("wall", 0.0, 3.0, 1.0, 1.0))
    far = np.array([[900.0, 0.0, 0.0, 1.0, 0.0, 0.0], [901.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    engine.set_state(np.arange(2), far)

    steps(engine, 200)

    assert where(engine, "a")[0] == pytest.approx(900.5, abs=CLOSE)
    assert engine.contacts().pairs.tolist() == [[0, 1]]


@pytest.mark.parametrize("speed", [20.0, 50.0, 100.0, 300.0])
@pytest.mark.parametrize("distance", [0.6, 1.0, 1.5, 2.0, 40.0])
@pytest.mark.parametrize(
    "thing", [body("b"), body("b", mass=0.0), wall("b", 0.0, 0.0, 0.1, 5.0)], ids=["robot", "pillar", "wall"]
)
def test_what_is_thrown_jumps_over_nothing(thing, distance, speed):
    thing = BodySpec(thing.name, (distance, *thing.pose[1:]), thing.mass, thing.shapes)
    engine = engine_of(body("a"), thing, body("far", 60.0, 60.0))
    launch(engine, "a", vx=speed)

    steps(engine, 250)

    reach = 0.25 + 0.5 * thing.shapes[0].size[0]
    assert 0.0 < distance - reach - where(engine, "a")[0] < 1e-3


def test_a_speed_without_end_ends_no_step():
    engine = engine_of(body("a"), wall("wall", 5.0, 0.0, 0.1, 5.0))
    engine.planar[0, 3] = 1e200

    steps(engine, 2)

    assert engine.planar[0, 0] > 1e190


def test_pairs_are_listed_alike_however_their_shapes_are_paired():
    """A fixed body is the second one, else the one of the higher row, and the normal points to it."""
    bodies = body("a", 0.0, 0.0), body("b", 0.5, 0.0), wall("wall", -0.3, 0.0, 0.1, 3.0)
    engine = engine_of(*bodies)
    engine.step(DT)
    pairs = near_pairs(engine.planar, engine._scene, (engine._listing, engine._pairs), 0.2, 0.0)
    count = len(pairs)
    arrays = engine.planar, engine._middles_now(), engine._motion, engine._tables.shapes
    listed = []
    for order in (pairs, np.ascontiguousarray(pairs[:, ::-1])):
        rows, points = np.empty((count, 2), np.int64), np.empty((count, 5))
        touched = kinematic_contact.touching(*arrays, order, rows, points)
        listed.append(
            sorted([*map(int, row), *np.round(point, 9)] for row, point in zip(rows[:touched], points, strict=False))
        )
    assert listed[0] == listed[1]
    assert [row[:2] for row in listed[0]] == [[0, -1], [0, 1]]
    assert [row[4] for row in listed[0]] == [-1.0, 1.0]


def test_pairs_that_find_no_room_meet_all_the_same_and_room_is_made_for_them():
    """The step is one call, which cannot make room; after it there is some, and the calls are made anew."""
    crowd = [body(f"b{k}", 0.1 * (k % 20), 0.1 * (k // 20), size=(0.1, 0.1, 0.3)) for k in range(200)]
    engine, roomy = engine_of(*crowd), engine_of(*crowd)
    room, planar = len(engine._pairs), engine.planar
    roomy._pairs = np.empty((100 * room, 2), np.int64)
    for crowded in (engine, roomy):
        crowded.wrench[:, 0] = np.linspace(-20.0, 20.0, 200)
        crowded.step(DT)
    assert len(engine._pairs) > room
    assert engine.planar is not planar
    steps(engine, 5)
    steps(roomy, 5)
    assert np.array_equal(engine.planar, roomy.planar)
    assert len(engine.contacts().pairs) == len(roomy.contacts().pairs) > 0
