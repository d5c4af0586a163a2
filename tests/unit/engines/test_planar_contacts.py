"""What happens where bodies of the pymunk engine meet."""

import numpy as np
import pytest
from engine_standins import DT, body, crowd, engine_of, launch, push_about, steps, wall, where
from pymunk._chipmunk_cffi import lib

from coopsim.engines.planar.contacts import arrange, rows_by_name, sort


def test_two_elastic_discs_exchange_their_velocities_and_keep_momentum_and_energy():
    engine = engine_of(body("a", restitution=1.0, friction=0.0), body("b", 0.6, restitution=1.0, friction=0.0))
    launch(engine, "a", vx=1.0)

    steps(engine, 60)

    assert where(engine, "a")[3] == pytest.approx(0.0, abs=1e-9)
    assert where(engine, "b")[3] == pytest.approx(1.0, abs=1e-9)


def test_restitution_of_a_pair_is_the_product_of_both():
    engine = engine_of(body("a", restitution=0.8), body("b", 0.6, restitution=0.5))
    launch(engine, "a", vx=1.0)

    steps(engine, 60)

    assert where(engine, "b")[3] - where(engine, "a")[3] == pytest.approx(0.4, abs=1e-9)


def test_a_crowd_in_collision_keeps_its_momentum():
    engine = engine_of(*(body(f"b{k}", 0.55 * k, 0.1 * (k % 2), mass=1.0 + k) for k in range(8)))
    launch(engine, "b0", vx=2.0)
    before = engine.mass @ engine.planar[:, 3:5]

    steps(engine, 200)

    assert engine.mass @ engine.planar[:, 3:5] == pytest.approx(before, abs=1e-9)
    assert np.abs(engine.planar[1:, 3]).max() > 0.01


def test_a_robot_pushes_an_object_across_the_floor():
    """C-34: what is pushed slides with friction and stops when the pusher stops."""
    engine = engine_of(body("robot", -0.6, mass=20.0), body("box", mass=5.0, kind="box", rolling=0.4))
    for _ in range(100):
        engine.wrench[1, 0] = 60.0
        engine.step(DT)
    pushed = where(engine, "box")[0]
    launch(engine, "robot")

    steps(engine, 200)

    assert pushed > 0.1
    assert where(engine, "box")[3] == pytest.approx(0.0, abs=1e-9)
    assert where(engine, "robot")[0] <= where(engine, "box")[0] - 0.499


def test_fixed_walls_hold():
    engine = engine_of(body("robot", mass=20.0), wall("wall", 1.0, 0.0, 0.2, 4.0))
    for _ in range(500):
        engine.wrench[0, 0] = 80.0
        engine.step(DT)

    assert where(engine, "robot")[0] == pytest.approx(0.65, abs=0.005)
    assert engine.contacts().pairs.tolist() == [[0, -1]]


def test_a_walled_crowd_stays_inside():
    engine = engine_of(*crowd(36))

    push_about(engine, 600)

    assert engine.planar[:, :2].min() > -0.55
    assert engine.planar[:, :2].max() < 6 * 0.55


def test_contacts_give_rows_point_normal_and_impulse():
    engine = engine_of(body("b", 0.5), body("a"), body("far", 5.0))
    launch(engine, "a", vx=1.0)

    engine.step(DT)
    contacts = engine.contacts()

    assert contacts.pairs.tolist() == [[0, 1]]
    x, y, nx, ny, impulse = contacts.points[0]
    assert (x, y) == pytest.approx((0.25, 0.0), abs=0.02)
    assert (nx, ny) == pytest.approx((1.0, 0.0), abs=1e-9)
    assert impulse == pytest.approx(0.5, abs=1e-9)


def test_contacts_name_a_fixed_body_second_and_point_at_it():
    engine = engine_of(wall("a_wall", 0.0, -0.3, 4.0, 0.2), body("disc", 0.0, 0.05))
    launch(engine, "disc", vy=-0.5)

    steps(engine, 2)
    contacts = engine.contacts()

    assert contacts.pairs.tolist() == [[0, -1]]
    assert contacts.points[0, 2:4] == pytest.approx([0.0, -1.0], abs=1e-9)


def test_a_pair_that_parted_is_no_contact_any_more():
    engine = engine_of(body("a", restitution=1.0), body("b", 0.499, restitution=1.0))
    launch(engine, "a", vx=0.5)
    engine.step(DT)
    assert len(engine.contacts().pairs) == 1

    steps(engine, 2)

    assert len(engine.contacts().pairs) == 0


def test_contacts_are_sorted_and_two_points_count_as_one_contact():
    boxes = [body(f"b{k}", 0.499 * k, kind="box", mass=1.0) for k in range(4)]
    engine = engine_of(*reversed(boxes))

    engine.step(DT)
    contacts = engine.contacts()

    assert contacts.pairs.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert contacts.points[:, 1] == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)


def test_bodies_pass_below_what_is_above_them():
    engine = engine_of(body("robot", size=(0.5, 0.5, 0.3)), wall("beam", 1.0, 0.0, 0.2, 4.0, z=0.35))
    launch(engine, "robot", vx=1.0)

    steps(engine, 200)

    assert where(engine, "robot")[0] == pytest.approx(2.0)


def test_bodies_run_into_what_meets_their_height():
    engine = engine_of(body("robot", size=(0.5, 0.5, 0.3)), wall("beam", 1.0, 0.0, 0.2, 4.0, z=0.15))
    launch(engine, "robot", vx=1.0)

    steps(engine, 200)

    assert where(engine, "robot")[0] < 0.66


@pytest.fixture(scope="module")
def throng():
    """Hundred discs, each of which touches all beside it."""
    engine = engine_of(*(body(f"disc_{k:02}", 0.49 * (k % 10), 0.49 * (k // 10)) for k in range(100)))
    engine.step(DT)
    return engine


def test_a_kernel_reads_the_contacts_that_the_engine_tells(throng):
    (call,), number, room = throng.contact_calls()
    pairs, points = throng.contacts()

    assert call.kernel(*call.arguments) == call.expects == 0
    assert number[0] == len(pairs) == 180
    assert np.array_equal(room.pairs[: number[0]], pairs)
    assert np.array_equal(room.points[: number[0]], points)


def test_a_kernel_without_room_for_all_contacts_says_so_and_has_none(throng):
    (call,), number, room = throng.contact_calls()
    small = *call.arguments[:-2], room.pairs[:3], room.points[:3]

    assert call.kernel(*small) > 3
    assert number[0] == 0


@pytest.mark.parametrize("count", [0, 1, 2, 9, 40, 300])
def test_contacts_are_in_the_order_of_rows_then_of_places(count):
    generator = np.random.default_rng(count)
    pairs = np.sort(generator.integers(0, 12, (count, 2)), axis=1)
    pairs[generator.random(count) < 0.2, 1] = -1
    points = generator.integers(-2, 3, (count, 5)).astype(np.float64)
    order = np.lexsort((points[:, 1], points[:, 0], pairs[:, 1], pairs[:, 0]))
    expected = pairs[order], points[order]

    sort(pairs, points)

    assert np.array_equal(pairs, expected[0])
    assert np.array_equal(points, expected[1])


def test_rows_are_found_by_names_however_these_lie():
    generator = np.random.default_rng(4)
    for choice in (
        np.arange(1, 6),
        np.arange(140553962272256, 140553962272256 + 384 * 500, 384),
        generator.choice(2**40, 700, replace=False) * 1024 + 16,
    ):
        names = generator.permutation(choice).astype(np.uintp)
        stranger, rows = np.uintp(8), np.arange(0, len(names) - 1)
        listed = np.column_stack([names[rows], names[rows + 1], np.ones(len(rows), np.uintp)])
        listed[0, 0] = stranger
        pairs, points = np.empty((len(rows), 2), np.int64), np.empty((len(rows), 5))

        assert arrange(listed, np.zeros((len(rows), 12)), rows_by_name(names), pairs, points) == len(rows)

        assert pairs[0].tolist() == [1, -1]
        assert np.array_equal(pairs[1:], np.column_stack([rows, rows + 1])[1:])


def test_walls_hold_no_joints_since_chipmunk_looks_at_all_of_them_whenever_something_meets_a_wall():
    crates = [body(f"crate{k}", 1.0 * k, kind="box", rolling=0.3) for k in range(5)]
    engine = engine_of(wall("wall", 0.0, 2.0, 9.0, 0.2), *crates)
    walls, joints = engine._space.walls, [joint for place in engine.places for joint in place.joints]

    assert [len(place.shapes) for place in engine.places if place.body is walls] == [1]
    assert len(joints) == 2 * len(crates)  # the floor brakes sliding and turning of each
    assert {lib.cpConstraintGetBodyA(joint) for joint in joints} == {engine._space.floor.pointer}
    assert walls.pointer not in {lib.cpConstraintGetBodyB(joint) for joint in joints}
