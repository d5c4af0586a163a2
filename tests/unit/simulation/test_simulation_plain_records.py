"""Records written by compiled calls beside the same ones that are not: they must not differ in a single bit."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from simulation_scenes import make_spec

from coopsim.errors import EngineCannot, InternalError
from coopsim.robots import RunSpec
from coopsim.simulation import Simulation, record_kernels
from coopsim.simulation.edits import apply
from coopsim.simulation.pacing import Lateness
from coopsim.simulation.publisher import Publisher
from coopsim.state import HEADER_BYTES, RecordHeader
from coopsim.state.edits import AppliedEdit, Insert, Note, Remove, SceneEdit
from coopsim.transport import Channel, Notifier, Ring

_RING = 1 << 20
_BALL = "[OBJECT_1]\ntype sphere\nname aball\nsize 0.2 0.2 0.2\nmass 1\nposition -5 -5 0\n"


class Side:
    """A simulation whose records are read byte by byte."""

    def __init__(self, spec: RunSpec, **settings: Any) -> None:
        self.ring = Ring.create(ring_bytes=_RING, command_floats=4096)
        self.ends = [*Channel.pair(), *Channel.pair(), *Notifier.pair(), *Notifier.pair()]
        self.simulation, self.lateness = Simulation(spec, **settings), Lateness()
        _, host, _, launcher, _, wake, _, recorder = self.ends
        self.recorder: Any = recorder
        near: Any = host, launcher, wake
        self.publisher = Publisher(self.simulation, self.ring, *near, self.lateness)
        self.cursor = 0

    def tick(self, **pace: Any) -> list[bytes]:
        self.simulation.tick()
        self.publisher.publish(**{"mode": "lockstep", "speed": 1.0, "paused": False, **pace})
        records, self.cursor, lost = self.ring.following(self.cursor)
        assert not lost
        return [_timeless(record) for record in records]

    def close(self) -> None:
        self.ring.unlink()
        for end in self.ends:
            end.close()


def _timeless(raw: bytes) -> bytes:
    """Return a record as if it was published at no time."""
    header = RecordHeader.unpack(raw)
    return header._replace(wall_ns=0).pack() + raw[HEADER_BYTES:]


class Sides:
    """The same simulation twice, and how many records were written by compiled calls."""

    def __init__(self, patch: pytest.MonkeyPatch, spec: RunSpec, **settings: Any) -> None:
        self.compiled, self.plain = Side(spec, **settings), Side(spec, **settings)
        self.plain.publisher._plain = None
        self.finished, finish = 0, record_kernels.finish

        def counted(*arguments: Any) -> None:
            self.finished += 1
            finish(*arguments)

        patch.setattr(record_kernels, "finish", counted)

    @property
    def each(self) -> tuple[Side, Side]:
        return self.compiled, self.plain

    def tick(self, count: int = 1, **pace: Any) -> int:
        """Compare some ticks; return how many records of them were written by compiled calls."""
        before = self.finished
        for _ in range(count):
            assert self.compiled.tick(**pace) == self.plain.tick(**pace)
        return self.finished - before

    def apply(self, edit: SceneEdit) -> None:
        for side in self.each:
            apply(side.simulation, edit)
            side.publisher.edits.append(AppliedEdit(edit))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    pairs: list[Sides] = []

    def make(spec: RunSpec, **settings: Any) -> Sides:
        pairs.append(Sides(monkeypatch, spec, **settings))
        return pairs[-1]

    yield make
    for side in pairs:
        side.compiled.close()
        side.plain.close()


@pytest.mark.parametrize("engine", ["pymunk", "kinematic", "mujoco"])
def test_records_of_all_engines_have_the_same_bytes(made: Any, engine: str) -> None:
    sides = made(make_spec(3), engine=engine)
    for side in sides.each:
        side.simulation.command("robot2", "motors", 10, (0.4, 0.3))
    assert sides.tick(20) == 19, "the first one carries the layout"


def test_bodies_are_hashed_in_the_order_of_their_names(made: Any) -> None:
    sides = made(make_spec(3))
    sides.tick(2)
    sides.apply(Insert(_BALL))
    assert sides.tick() == 0
    assert sides.plain.simulation.hashing._order.tolist() == [4, 0, 1, 2, 3], "it comes last, its name first"
    assert sides.tick(5) == 5


@pytest.mark.parametrize("mode", ["lockstep", "free", "real-time"])
def test_time_goes_on_in_records_as_it_does(made: Any, mode: str) -> None:
    sides = made(make_spec(1))
    sides.tick(2, mode=mode)
    for side in sides.each:
        side.lateness.overruns, side.lateness.max_ns, side.lateness.slipped_ns = 3, 40_000, 2
    assert sides.tick(2, mode=mode, speed=2.5) == 2
    for side in sides.each:
        side.simulation.set_step(0.02)
    assert sides.tick(2, mode=mode) == 2


def test_the_layout_comes_again_in_time_and_the_ring_goes_round(made: Any) -> None:
    sides = made(make_spec(20))
    size = len(sides.compiled.tick()[0]), len(sides.plain.tick()[0])
    rounds = 3 * _RING // min(size)
    assert 0 < sides.tick(rounds) < rounds, "some carry the layout"
    words = [side.ring._turns.tolist() for side in sides.each]
    assert words[0] == words[1]


def test_what_is_more_than_arrays_is_written_as_before(made: Any) -> None:
    sides = made(make_spec(2))
    sides.tick(2)
    assert sides.tick(paused=True) == sides.tick(ended=True) == 0
    for side in sides.each:
        side.publisher.edits.append(AppliedEdit(Note("something")))
    assert sides.tick() == 0
    for side in sides.each:
        side.simulation.happened.append(AppliedEdit(Note("something"), is_event=True))
    assert sides.tick() == 0
    sides.apply(Remove("robot1"))
    assert sides.tick() == 0
    assert sides.tick(3) == 3


def test_a_run_goes_on_with_another_engine(made: Any) -> None:
    sides = made(make_spec(2))
    sides.tick(3)
    for side in sides.each:
        side.simulation.exchange("kinematic")
    sides.tick()
    assert sides.tick(4) == 4


def test_key_frames_come_as_often(made: Any) -> None:
    sides = made(make_spec(1))
    sides.tick(2)
    for side in sides.each:
        side.publisher.record_for(side.recorder)
    assert sides.tick() == 0
    assert sides.tick(250) == 248, "one key frame a second"


def test_devices_may_put_another_memory_in_place_of_theirs(made: Any) -> None:
    sides = made(make_spec(2))
    sides.tick(2)
    for side in sides.each:
        memory = side.simulation.tables.blocks[0].devices["motors"].memory
        memory["travel"] = memory["travel"] + 1.0
    assert sides.tick(2) == 2
    for side in sides.each:
        memory = side.simulation.tables.blocks[0].devices["motors"].memory
        memory["travel"] = np.asfortranarray(memory["travel"])
        memory["wheels"] = np.repeat(memory["wheels"], 2, axis=1)[:, ::2]
    assert sides.tick(3) == 3


def test_a_state_that_is_no_longer_finite_is_refused_and_shown_to_nobody(made: Any) -> None:
    sides = made(make_spec(1))
    sides.tick(3)
    for side in sides.each:
        side.simulation.engine.planar[0, 2] = np.inf
        before = side.ring._turns.tolist()
        with pytest.raises(EngineCannot, match="tick 3: the physics diverged"):
            side.publisher.publish(mode="lockstep", speed=1.0, paused=False)
        assert side.ring._turns.tolist() == before


def test_an_engine_that_gives_other_numbers_than_it_has_bodies_is_told(made: Any) -> None:
    sides = made(make_spec(1))
    sides.tick(3)
    side = sides.compiled
    engine: Any = side.simulation.engine
    engine._twists = engine._twists[:-1]
    with pytest.raises(InternalError, match="the engine gives 6 numbers of 2 bodies"):
        side.publisher.publish(mode="lockstep", speed=1.0, paused=False)


def test_without_the_library_of_the_hash_records_are_the_same(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coopsim.simulation.plain_records.hash_functions", lambda: None)
    sides = made(make_spec(1))
    assert sides.tick(5) == 0


def test_two_kinds_of_robots_of_which_one_leaves_are_recorded_alike(made: Any) -> None:
    spec, second_spec = make_spec(2), make_spec(2, kind="bench")
    robots = (*spec.scenario.robots, *(replace(robot, name=f"b{robot.name}") for robot in second_spec.scenario.robots))
    moved = tuple(replace(robot, position=(-2.0, 1.5 * k, 0.0)) for k, robot in enumerate(robots))
    both = RunSpec(replace(spec.scenario, robots=moved), {**spec.types, **second_spec.types})
    sides = made(both)
    assert sides.tick(5) == 4
    sides.apply(Remove("brobot1"))
    assert sides.tick(5) == 4
