"""Bodies that are read and written in the memory of Chipmunk, against Chipmunk's own functions."""

import numpy as np
import pytest
from ray_scenes import body, box

from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.engines.planar import body_memory
from coopsim.engines.planar.engine import PymunkEngine

_AHEAD = (1.0, 0.0, 0.0, 0.0)


def _crowd() -> WorldSpec:
    """Bodies that push each other between walls, and some that are joined."""
    walls = [box(f"wall{k}", *place, *size) for k, (place, size) in enumerate([((2, 0), (0.2, 4)), ((0, 2), (4, 0.2))])]
    crowd = [
        body(f"b{k}", 0.45 * (k % 4), 0.45 * (k // 4), 0.7 * k, kind=("box", "cylinder")[k % 2]) for k in range(12)
    ]
    joints = [JointSpec("hinge", "hinge", "b0", "b1", (0.2, 0.0, 0.0)), JointSpec("weld", "weld", "wall0", "b7")]
    return WorldSpec((*walls, *crowd), joints=tuple(joints))


def _drive(engine: PymunkEngine, steps: int, seed: int) -> list[bytes]:
    """Push everybody about; return where all are after each step."""
    generator, states = np.random.default_rng(seed), []
    for _ in range(steps):
        engine.wrench[:, [0, 1, 5]] = generator.uniform(-30, 30, (len(engine.names), 3))
        engine.step(0.01)
        states.append(engine.planar.tobytes() + engine.joint_state().tobytes())
    return states


def _live_through(engine: PymunkEngine) -> list[bytes]:
    """Push a crowd, out of which bodies go and into which others come, so that rows and places differ."""
    states = _drive(engine, 30, 1)
    engine.remove("b3")
    engine.add(body("late", -1.0, -1.0))
    states += _drive(engine, 30, 2)
    engine.set_state(np.array([0]), np.array([[-2.0, 0.5, 1.0, 0.2, 0.0, 3.0]]))
    return states + _drive(engine, 30, 3)


def test_what_is_read_and_written_in_memory_has_the_bits_of_chipmunks_functions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_memory = PymunkEngine(_crowd())
    states = _live_through(in_memory)
    monkeypatch.setattr(body_memory, "is_known", lambda: False)
    by_functions = PymunkEngine(_crowd())

    assert in_memory._stepper.space[2].size > 0
    assert by_functions._stepper.space[2].size == 0
    assert states == _live_through(by_functions)


def test_bodies_whose_centre_is_not_their_middle_are_where_chipmunk_says() -> None:
    shapes = ShapeSpec("cylinder", (0.4, 0.4, 0.2)), ShapeSpec("box", (0.2, 0.2, 0.2), position=(0.5, 0.0, 0.0))
    engine = PymunkEngine(WorldSpec((BodySpec("robot", (1.0, 2.0, 0.0, *_AHEAD), 1.0, shapes),)))
    engine.wrench[0, 5] = 3.0

    for _ in range(20):
        engine.step(0.01)

    (place,) = engine._moving
    assert place.body.centre != (0.0, 0.0)
    assert engine.planar[0, :3].tolist() == [*place.body.pose]
    engine.remove("robot")
    assert len(engine.names) == 0


@pytest.mark.parametrize("yaw", [0.0, 3.0, -2.5, 1.5])
def test_a_place_at_minus_zero_has_the_sign_that_chipmunk_gives_it(yaw: float, monkeypatch: pytest.MonkeyPatch) -> None:
    def bits() -> bytes:
        engine = PymunkEngine(WorldSpec((body("robot", -0.0, -0.0, yaw),)))
        engine.step(0.01)
        return engine.planar.tobytes()

    in_memory = bits()
    monkeypatch.setattr(body_memory, "is_known", lambda: False)
    assert in_memory == bits()


@pytest.mark.parametrize("name", ["CENTRE", "TRANSFORM"])
def test_a_pymunk_that_keeps_bodies_otherwise_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert body_memory.is_known()
    body_memory.is_known.cache_clear()
    monkeypatch.setattr(body_memory, name, getattr(body_memory, name) - 1)
    try:
        assert not body_memory.is_known()
    finally:
        body_memory.is_known.cache_clear()
