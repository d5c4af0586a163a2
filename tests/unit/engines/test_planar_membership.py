"""Bodies that come and go in the pymunk engine."""

import numpy as np
import pytest
from engine_standins import body, crowd, engine_of, launch, push_about, steps, wall, where
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.engines import WorldSpec
from coopsim.engines.planar.engine import PymunkEngine
from coopsim.errors import BadArgument, EngineCannot, NoSuchName


def test_a_body_that_is_added_gets_the_last_row():
    engine = engine_of(body("m", 1.0), body("z", 2.0))

    engine.add(body("a", 3.0))

    assert list(engine.names) == ["m", "z", "a"]
    assert engine.planar[:, 0].tolist() == [1.0, 2.0, 3.0]
    assert engine.wrench.shape == (3, 6)


def test_rows_behind_a_removed_body_move_up_by_one():
    engine = engine_of(*(body(name, float(k)) for k, name in enumerate("abcde")))

    engine.remove("b")

    assert list(engine.names) == ["a", "c", "d", "e"]
    assert engine.planar[:, 0].tolist() == [0.0, 2.0, 3.0, 4.0]


def test_after_a_removal_each_force_still_moves_its_own_body():
    engine = engine_of(*(body(name, 2.0 * k) for k, name in enumerate("abcde")))
    engine.remove("a")

    engine.wrench[:, 0] = [1.0, 2.0, 3.0, 4.0]
    engine.step(0.01)

    assert engine.planar[:, 3] == pytest.approx([0.01, 0.02, 0.03, 0.04])
    assert engine.planar[:, 0].tolist() == [2.0, 4.0, 6.0, 8.0]


def test_after_a_removal_contacts_name_the_new_rows():
    engine = engine_of(body("a", -5.0), body("b", 5.0), body("c", 0.0), body("d", 0.49))
    engine.remove("a")

    engine.step(0.01)

    assert engine.contacts().pairs.tolist() == [[1, 2]]


def test_others_go_on_undisturbed_when_bodies_come_and_go():
    engine = engine_of(body("a"), body("b", 3.0), body("c", 6.0))
    launch(engine, "c", vx=0.5)
    before = where(engine, "c").copy()

    engine.remove("a")
    engine.add(body("d", -9.0))
    engine.add(wall("wall", 0.0, 20.0, 1.0, 1.0))

    assert np.array_equal(where(engine, "c"), before)
    steps(engine, 100)
    assert where(engine, "c")[0] == pytest.approx(6.5)


def test_a_fixed_body_holds_from_when_it_is_added_until_it_is_removed():
    engine = engine_of(body("robot"))
    engine.add(wall("wall", 0.5, 0.0, 0.1, 3.0))
    launch(engine, "robot", vx=0.5)
    steps(engine, 200)
    assert where(engine, "robot")[0] < 0.21

    engine.remove("wall")
    launch(engine, "robot", vx=0.5)
    steps(engine, 200)

    assert where(engine, "robot")[0] > 1.0
    assert list(engine.names) == ["robot"]


def test_what_brakes_a_body_goes_with_it():
    engine = engine_of(body("block", rolling=0.5), body("other", 3.0))
    engine.remove("block")
    engine.add(body("block"))
    launch(engine, "block", vx=0.5)

    steps(engine, 50)

    assert where(engine, "block")[3] == 0.5


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9), st.booleans()), max_size=25))
def test_any_order_of_additions_and_removals_keeps_rows_and_bodies_together(edits):
    engine = engine_of(*(body(f"n{k}", 2.0 * k) for k in (3, 1, 7)))
    model = {"n1": True, "n3": True, "n7": True}
    for is_addition, number, moves in edits:
        name = f"n{number}"
        if is_addition and name not in model:
            engine.add(body(name, 2.0 * number, mass=float(moves)))
            model[name] = moves
        elif not is_addition and name in model:
            engine.remove(name)
            del model[name]
        engine.step(0.01)
    engine.wrench[:, 1] = np.arange(len(engine.names)) + 1.0
    engine.step(0.01)

    moving = [name for name, moves in model.items() if moves]
    assert list(engine.names) == moving
    assert engine.planar[:, 0].tolist() == [2.0 * int(name[1:]) for name in moving]
    assert engine.planar[:, 4].tolist() == pytest.approx([0.01 * (k + 1) for k in range(len(moving))])


def test_the_order_in_which_a_world_lists_its_bodies_does_not_matter():
    bodies = crowd(25)
    engine, reordered = engine_of(*bodies), engine_of(*reversed(bodies))

    assert push_about(engine, 150) == push_about(reordered, 150) > 0

    assert np.array_equal(engine.planar, reordered.planar)


def test_rebuild_starts_again_bit_by_bit():
    world = WorldSpec(tuple(crowd(16)))
    engine = PymunkEngine(world)
    push_about(engine, 100)
    first = engine.planar.copy()
    engine.remove("body_3")
    engine.add(body("body_99", -4.0))

    engine.rebuild(world)
    push_about(engine, 100)

    assert np.array_equal(engine.planar, first)


def test_names_must_be_known_and_used_once():
    engine = engine_of(body("robot"), wall("wall", 5.0, 0.0, 1.0, 1.0))

    with pytest.raises(NoSuchName, match="'ghost'"):
        engine.remove("ghost")
    for name in ("robot", "wall"):
        with pytest.raises(BadArgument, match=rf"{name}\.world:3:1: .*'{name}'"):
            engine.add(body(name, 9.0))
    with pytest.raises(BadArgument, match="twin"):
        engine_of(body("twin"), body("twin", 2.0))
    assert list(engine.names) == ["robot"]


def test_a_refused_addition_changes_nothing():
    engine = engine_of(body("robot"))

    with pytest.raises(EngineCannot):
        engine.add(body("bad", size=(0.0, 0.0, 1.0)))
    steps(engine, 2)

    assert list(engine.names) == ["robot"]
    engine.add(body("bad", 3.0))
    assert list(engine.names) == ["robot", "bad"]


def test_a_refused_world_leaves_the_old_one():
    engine = engine_of(body("robot", 4.0))

    with pytest.raises(EngineCannot):
        engine.rebuild(WorldSpec((body("bad", mass=-1.0),)))

    steps(engine, 1)
    assert engine.planar[0, 0] == 4.0


@pytest.mark.parametrize(
    ("rows", "values"),
    [([3], [[0.0] * 6]), ([-1], [[0.0] * 6]), ([0], [[float("nan")] + [0.0] * 5]), ([0], [[0.0] * 5])],
)
def test_set_state_refuses_rows_and_values_that_cannot_be(rows, values):
    engine = engine_of(body("robot", 1.0))

    with pytest.raises(BadArgument):
        engine.set_state(np.array(rows), np.array(values))

    assert engine.planar[0, 0] == 1.0


def test_many_bodies_come_as_one_by_one_but_the_arrays_are_made_once(monkeypatch: pytest.MonkeyPatch):
    bodies = [body(f"b_{k}", 2.0 * k) for k in range(1, 40)] + [wall("wall", 0.0, 20.0, 1.0, 1.0)]
    one_by_one, at_once = engine_of(body("a_0")), engine_of(body("a_0"))
    for added in bodies:
        one_by_one.add(added)
    renewed: list[int] = []
    renew = PymunkEngine._renew
    monkeypatch.setattr(PymunkEngine, "_renew", lambda *given: (renewed.append(1), renew(*given))[1])
    at_once.add_all(bodies)
    assert len(renewed) == 1
    for engine in (one_by_one, at_once):
        push_about(engine, 10)
    assert at_once.snapshot() == one_by_one.snapshot()


@pytest.mark.parametrize("wrong", [body("a"), body("b"), body("far", 1e9)])
def test_of_many_bodies_all_come_or_none(wrong):
    engine = engine_of(body("a"))
    before, planar = engine.snapshot(), engine.planar
    with pytest.raises((BadArgument, EngineCannot)):
        engine.add_all([body("b", 3.0), wrong])
    assert (engine.snapshot(), engine.planar is planar) == (before, True)
