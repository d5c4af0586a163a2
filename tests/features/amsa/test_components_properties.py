"""Random systems: schedules follow the data, steps run to completion, and what leaves remember is kept whole."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from example_components import systems
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.features.amsa.components import Behavior, System, SystemModel
from coopsim.features.amsa.components.leaf_memory import LeafMemory, NewestMemories, keep_newest
from coopsim.features.amsa.components.leaf_random import LeafRandom


@given(systems(), st.fractions(0, 3, max_denominator=7))
@settings(max_examples=40, deadline=None)
def test_producers_step_first_and_inputs_are_what_they_put_out_last(
    drawn: tuple[SystemModel, dict[str, tuple[str, ...]]], end: Fraction
) -> None:
    model, reads = drawn
    steps: dict[str, int] = dict.fromkeys(reads, 0)

    class Watched(Behavior):
        def do_step(self, inputs: Any, _: Any) -> float:
            now = steps[self.name] / model.leaves[self.name].rate
            for seen, producer in zip(inputs, reads[self.name], strict=True):
                # what was due until now is over, and nothing that is due later has begun
                due = math.floor(now * model.leaves[producer].rate) + 1
                assert steps[producer] == due
                assert seen == due
            steps[self.name] += 1
            return float(steps[self.name])

    system = System(model, behaviors=dict.fromkeys(("Source", "Relay", "Sum"), Watched))
    system.initialize()
    system.run_until(end)
    assert system.faults == []
    assert steps == {name: math.ceil(end * model.leaves[name].rate) for name in reads}


class Remembering(Behavior):
    """Holds values of all kinds, and random numbers."""

    def initialize(self) -> None:
        self.whole, self.flag, self.several = 0, False, (0.0, 1.0)
        self.array = np.zeros(2)

    def do_step(self, inputs: Any, _: Any) -> float:
        self.whole += 1
        self.flag = not self.flag
        self.several = (self.several[1], self.random.gauss(0.0, 1.0))
        self.array[self.whole % 2] += 0.5
        return self.several[1]


class Wandering(Behavior):
    """Holds numbers that need no look, and draws now and then."""

    def initialize(self) -> None:
        self.sum, self.is_odd, self.bad = 0.0, False, 0.0

    def do_step(self, inputs: Any, _: Any) -> float:
        self.is_odd = not self.is_odd
        self.sum += self.random.gauss(0.0, 1.0) if self.is_odd else inputs.a
        return self.sum


@given(systems(), st.lists(st.integers(1, 9), max_size=4))
@settings(max_examples=20, deadline=None)
def test_what_stepped_leaves_remember_is_what_all_remember(
    drawn: tuple[SystemModel, dict[str, tuple[str, ...]]], ends: list[int]
) -> None:
    behaviors = {"Source": Remembering, "Relay": lambda inputs, _: inputs.in1, "Sum": Wandering}
    system = System(drawn[0], behaviors=behaviors)
    system.initialize()
    kept = np.array([system.remembered()])
    for end in sorted(ends):
        system.run_before(end)
        assert not keep_newest({0: system.newest_memories()}, kept)
        np.testing.assert_array_equal(kept[0], system.remembered())


def test_what_is_empty_at_the_start_is_empty_after_numbers_were_put_back() -> None:
    behavior = Behavior()
    behavior.random = LeafRandom("seed")
    behavior.seen, behavior.sum, behavior.path = (), 2.0, []  # type: ignore[attr-defined]
    memory = LeafMemory(behavior)
    numbers = memory.save()
    behavior.sum = 5.0  # type: ignore[attr-defined]
    memory.load(numbers)
    assert (behavior.seen, behavior.sum, behavior.path) == ((), 2.0, [])  # type: ignore[attr-defined]


@pytest.mark.parametrize("bad", [math.nan, "text", None])
def test_values_taken_at_once_are_looked_at(bad: object) -> None:
    behavior = Behavior()
    behavior.random = LeafRandom("seed")
    behavior.first, behavior.second = 1.0, True  # type: ignore[attr-defined]
    memory = LeafMemory(behavior)
    assert memory.save()[2:] == [1.0, 1.0]
    behavior.first = bad  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="first"):
        memory.save()


@pytest.mark.parametrize("bad", [math.nan, "text", None])
def test_memories_saved_together_are_looked_at(bad: object) -> None:
    behaviors = [Wandering(), Wandering()]
    for leaf in behaviors:
        leaf.random = LeafRandom("seed")
        leaf.initialize()
    memories = [LeafMemory(behavior) for behavior in behaviors]
    together, rows = NewestMemories([(memories[0], 0), (memories[1], memories[0].width)]), np.full((2, 10), math.nan)
    behaviors[1].sum = 2.5
    assert not keep_newest({1: together}, rows)
    expected = [0.0, math.nan, 0.0, 0.0, 0.0, 0.0, math.nan, 2.5, 0.0, 0.0]
    np.testing.assert_array_equal(rows, [[math.nan] * 10, expected])
    behaviors[0].random.gauss(0.0, 1.0)
    keep_newest({1: together}, rows)
    np.testing.assert_array_equal(rows[1, :2], behaviors[0].random.numbers())
    behaviors[1].bad = bad  # type: ignore[assignment]
    assert "bad" in keep_newest({1: together}, rows)[1]
