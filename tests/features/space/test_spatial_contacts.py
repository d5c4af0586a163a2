"""What touches on the MuJoCo engine."""

import numpy as np
import pytest
from spatial_standins import DT, G, engine_of, launch, robot, row, run, thing

from coopsim.features.space.contacts import arrange


def test_nothing_touches_what_stands_on_the_floor():
    engine = engine_of(thing("box"), thing("ball", 2.0, kind="sphere"), robot("robot", 4.0, z=0.01))

    run(engine, 1.0)

    assert engine.contacts().pairs.shape == (0, 2)


def test_a_fixed_body_is_the_second_and_the_normal_leads_to_it():
    engine = engine_of(robot("robot", 0.69), thing("wall", 1.0, mass=0.0, size=(0.1, 4.0, 0.5)))

    run(engine, 0.5, ("robot", 30.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    pairs, points = engine.contacts()

    assert pairs.tolist() == [[0, -1]]
    assert points[0, :4].tolist() == pytest.approx([0.95, 0.0, 1.0, 0.0], abs=0.01)
    assert points[0, 4] == pytest.approx(30.0 * DT, rel=0.02)


def test_pairs_come_in_the_order_of_their_rows_whoever_pushes():
    engine = engine_of(robot("c", 0.49), robot("b", 0.0), robot("a", -0.49))

    run(engine, 0.3, ("a", 20.0, 0.0, 0.0, 0.0, 0.0, 0.0), ("c", -20.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    pairs, points = engine.contacts()

    assert pairs.tolist() == [[0, 1], [1, 2]]
    assert points[:, 2].tolist() == pytest.approx([1.0, 1.0], abs=0.01)


def test_what_lies_on_another_touches_it_with_a_level_normal_of_nought():
    engine = engine_of(thing("below"), thing("upon", z=0.4, mass=2.0))

    run(engine, 2.0)
    pairs, points = engine.contacts()

    assert pairs.tolist() == [[row(engine, "below"), row(engine, "upon")]]
    assert points[0, 2:4].tolist() == pytest.approx([0.0, 0.0], abs=1e-6)
    assert points[0, 4] == pytest.approx(2.0 * G * DT, rel=0.01)


def test_two_walls_in_a_corner_are_two_contacts():
    engine = engine_of(
        robot("robot"),
        thing("east", 0.3, mass=0.0, size=(0.1, 4.0, 0.5)),
        thing("north", 0.0, 0.3, mass=0.0, size=(4.0, 0.1, 0.5)),
    )

    run(engine, 0.5, ("robot", 30.0, 30.0, 0.0, 0.0, 0.0, 0.0))
    pairs, points = engine.contacts()

    assert pairs.tolist() == [[0, -1], [0, -1]]
    assert sorted(np.round(points[:, 2:4], 2).tolist()) == [[0.0, 1.0], [1.0, 0.0]]


def test_contacts_outlast_a_body_that_comes():
    engine = engine_of(robot("robot", 0.69), thing("wall", 1.0, mass=0.0, size=(0.1, 4.0, 0.5)))
    run(engine, 0.5, ("robot", 30.0, 0.0, 0.0, 0.0, 0.0, 0.0))

    engine.add(thing("far", 9.0))

    assert engine.contacts().pairs.tolist() == [[0, -1]]


def test_a_body_that_was_put_elsewhere_touches_nothing_there():
    engine = engine_of(thing("a"), thing("b", z=0.4))
    run(engine, 0.5)
    assert len(engine.contacts().pairs) == 1

    launch(engine, "b")
    engine.set_state(np.array([1]), np.array([[5.0, 0.0, 0.0, 0.0, 0.0, 0.0]]))

    assert len(engine.contacts().pairs) == 0


def test_contacts_without_force_and_those_of_the_floor_are_left_out():
    geoms = np.array([[0, 2], [2, 3], [2, 3]], np.int32)
    starts, kinds = np.array([0, -1, 1], np.int32), np.array([3, 3, 1], np.int32)
    frames = np.tile([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], (3, 1))
    rows, bodies = np.array([-1, -1, 0, 1]), np.array([0, 0, 1, 2])
    pairs, points = np.empty((3, 2), np.int64), np.empty((3, 5))
    contacts = geoms, starts, kinds, np.ones((3, 3)), frames

    count = arrange(contacts, np.array([5.0, 7.0, 9.0]), rows, bodies, 0.1, pairs, points)

    assert pairs[:count].tolist() == [[0, 1]]
    assert points[0].tolist() == pytest.approx([1.0, 1.0, 1.0, 0.0, 0.7])
