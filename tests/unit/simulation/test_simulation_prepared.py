"""Ticks whose beginning was done beforehand: not a bit differs from those that begin from nothing."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from simulation_scenes import make_spec

from coopsim.robots import RunSpec
from coopsim.scene import Event
from coopsim.simulation import Simulation
from coopsim.simulation.compiled_tick import CompiledTick
from coopsim.simulation.edits import apply
from coopsim.simulation.latch import CommandLatch, slots
from coopsim.state.edits import Push, Remove, Reset, SceneEdit, SetStep
from coopsim.transport import Ring


class Pair:
    """Two simulations that take the same commands out of shared memory; the first one prepares its ticks."""

    def __init__(self, patch: pytest.MonkeyPatch, spec: RunSpec) -> None:
        self.rings = [Ring.create(ring_bytes=1 << 20, command_floats=100) for _ in range(2)]
        self.each = [Simulation(spec) for _ in range(2)]
        for simulation, ring in zip(self.each, self.rings, strict=True):
            simulation.latch = CommandLatch(simulation, ring)
        self.begun = 0
        move = CompiledTick.move

        def counted(tick: CompiledTick, take: Callable[[], object] | None = None) -> object:
            self.begun += take is not None
            return move(tick, take)

        patch.setattr(CompiledTick, "move", counted)

    def write(self, speed: float) -> None:
        """Command all robots."""
        for simulation, ring in zip(self.each, self.rings, strict=True):
            layout = simulation.layout
            with ring.writing(layout.generation) as rows:
                for begin, _ in slots(layout).values():
                    rows[begin : begin + 4] = rows[begin] + 1, 10, speed, 0.2

    def do(self, what: Callable[[Simulation], object]) -> None:
        for simulation in self.each:
            simulation.forget_prepared()
            what(simulation)

    def tick(self, count: int = 1) -> int:
        """Compare some ticks; return how many of them were prepared."""
        before = self.begun
        for _ in range(count):
            self.each[0].prepare()
            for simulation in self.each:
                simulation.tick()
            prepared, plain = self.each
            assert prepared.state_hash() == plain.state_hash()
            assert prepared.readings.tolist() == plain.readings.tolist()
            assert prepared.commands.tolist() == plain.commands.tolist()
        return self.begun - before


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Pair]]:
    pairs: list[Pair] = []

    def pair(spec: RunSpec | None = None) -> Pair:
        pairs.append(Pair(monkeypatch, spec or make_spec(2)))
        return pairs[-1]

    yield pair
    for begun in pairs:
        for ring in begun.rings:
            ring.unlink()


def test_prepared_ticks_take_the_newest_commands(make: Callable[..., Pair]) -> None:
    pair = make()
    pair.write(0.1)
    assert pair.tick(2) == 0, "they are compiled from the second tick without a change on"
    for speed in (0.4, 0.2, 0.0):
        pair.write(speed)
        assert pair.tick(5) == 5
    assert pair.each[0].commands[2] == 0.0


def test_before_the_host_has_begun_the_last_commands_hold(make: Callable[..., Pair]) -> None:
    pair = make()
    assert pair.tick(5) == 3
    pair.write(0.3)
    assert pair.tick(3) == 3
    assert pair.each[0].commands[2] == 0.3


def test_a_host_that_is_writing_is_waited_for(make: Callable[..., Pair], monkeypatch: pytest.MonkeyPatch) -> None:
    pair = make()
    pair.write(0.3)
    pair.tick(4)
    waited: list[int] = []
    for number, ring in enumerate(pair.rings):
        latch = ring.latch

        def given_up(*given: Any, number: int = number, latch: Callable[..., bool] = latch) -> bool:
            waited.append(number)
            return latch(*given, patience=0.0)

        monkeypatch.setattr(ring, "latch", given_up)
    generation = pair.each[0].layout.generation
    with pair.rings[0].writing(generation) as first, pair.rings[1].writing(generation) as second:
        first[:] = second[:] = 9.0
        assert pair.tick() == 1
    assert waited == [0, 1]
    assert 9.0 not in pair.each[0].commands
    pair.write(0.1)
    assert pair.tick(2) == 2
    assert waited == [0, 1]


@pytest.mark.parametrize(
    ("edit", "soon"),
    [
        (Remove("robot1"), False),
        (Reset("all"), False),
        (Reset("poses"), False),
        (SetStep(0.02), False),
        (Push("crate", (50.0, 0.0, 0.0), 0.03), False),
    ],
)
def test_after_an_edit_a_tick_begins_from_nothing(make: Callable[..., Pair], edit: SceneEdit, soon: bool) -> None:
    pair = make()
    pair.write(0.3)
    assert pair.tick(5) == 3
    pair.do(lambda simulation: apply(simulation, edit))
    assert pair.tick() == soon
    pair.write(0.2)
    pair.tick(4)
    assert pair.tick(3) == 3


def test_events_come_in_their_tick(make: Callable[..., Pair]) -> None:
    spec = make_spec(2, events=(Event(0.05, reset="poses"),))
    pair = make(spec)
    pair.write(0.3)
    assert pair.tick(5) == 3
    assert pair.each[0].resets == 0
    assert pair.tick() == 0
    assert pair.each[0].resets == 1
    pair.write(0.3)
    assert pair.tick(6) == 5


def test_programs_run_between_commands_and_forces(make: Callable[..., Pair]) -> None:
    pair = make()
    pair.write(0.3)
    assert pair.tick(4) == 2

    def stop(simulation: Simulation) -> None:
        simulation.commands[2] = 0.0

    pair.do(lambda simulation: simulation.programs.append(stop))
    assert pair.tick(4) == 0
    assert pair.each[0].commands[2] == 0.0


def test_a_tick_whose_devices_are_measured_is_not_compiled(make: Callable[..., Pair]) -> None:
    pair = make()
    pair.write(0.3)
    assert pair.tick(4) == 2
    prepared, plain = pair.each
    prepared.prepare()
    calls, prepared.calls = prepared.calls, prepared.calls._replace(programs=[])
    prepared.tick()
    plain.tick()
    assert pair.begun == 2
    assert prepared.state_hash() == plain.state_hash()
    prepared.calls = calls
    assert pair.tick(2) == 2
