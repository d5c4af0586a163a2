"""Systems while they run: times, order, latching, parameters, and leaves that fail."""

import inspect
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from example_components import BEHAVIORS, system

from coopsim.errors import BadArgument, BadFile, NoSuchCommand, NoSuchName, NoSuchPlugin, PluginFailed
from coopsim.features.amsa.components import Behavior, System


class Counting(Behavior):
    """Adds its step each time."""

    def initialize(self) -> None:
        self.total = 0.0

    def do_step(self, _: Any, parameters: Any) -> float:
        self.total += parameters.step
        return self.total


CHAIN = "environment source : Source @ 4 Hz { out -> a; } sensor relay : Relay @ 10 Hz { in1 <- a; out -> b; }"


def started(text: str, **behaviors: Any) -> System:
    chain = System(system(text), behaviors={"Source": Counting, **BEHAVIORS, **behaviors})
    chain.initialize()
    return chain


def test_each_leaf_steps_at_its_own_frequency_without_drift() -> None:
    thirds = started("environment a : Source @ 10/3 Hz { out -> x; } environment b : Source @ 7 Hz { out -> y; }")
    thirds.run_until(3000)
    assert thirds.values() == {"x": 10_000.0, "y": 21_000.0}
    assert thirds.time == 3000


def test_a_step_goes_to_the_next_instant_at_which_a_leaf_is_due() -> None:
    chain = started(CHAIN)
    times = []
    for _ in range(6):
        times.append(chain.time)
        chain.step()
    assert times == [Fraction(number, 20) for number in (0, 2, 4, 5, 6, 8)]


def test_where_both_are_due_the_consumer_gets_what_the_producer_wrote_at_that_instant() -> None:
    chain = started(CHAIN)
    chain.step()
    assert chain.values() == {"a": 1.0, "b": 1.0}
    chain.run_until(Fraction(3, 10))
    assert chain.values() == {"a": 2.0, "b": 1.0}  # a was written at 0.25, the relay read at 0.2


def test_a_loop_carries_data_to_the_next_step_of_the_leaf_that_runs_first() -> None:
    loop = "order second first; environment first : Relay { in1 <- b; out -> a; }"
    loop_system = started(f"{loop} environment second : Relay {{ in1 <- a; out -> b; }} data b = 3; data a = 5;")
    loop_system.step()
    assert loop_system.order == ("second", "first")
    assert loop_system.values() == {"a": 5.0, "b": 5.0}


def test_inputs_do_not_change_during_a_step_and_outputs_are_written_all_or_none() -> None:
    def failing(inputs: Any, _: Any) -> tuple[Any, ...]:
        with pytest.raises(AttributeError):
            inputs.in1 = 1.0
        return (float("nan"),)

    chain = started(CHAIN, Relay=failing)
    chain.step()
    assert chain.value("b") == 0.0


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (float("nan"), "relay: output out must be a finite number, got nan"),
        ("three", "relay: output out must be a finite number, got 'three'"),
        ((1.0, 2.0), "relay: do_step must return out, got (1.0, 2.0)"),
        ({"other": 1.0}, "relay: do_step must return out, got {'other': 1.0}"),
        (None, "relay: output out must be a finite number, got None"),
    ],
)
def test_a_leaf_whose_outputs_are_no_values_is_switched_off_and_named_once(returned: Any, said: str) -> None:
    chain = started(CHAIN, Relay=lambda *_: returned)
    line = inspect.currentframe().f_lineno - 1  # type: ignore[union-attr]
    chain.run_until(5)
    (fault,) = map(str, chain.faults)
    assert f"test_components_system.py:{line}: component {said}; relay is switched off" in fault
    assert chain.value("a") == 20.0


def _raises(*_: Any) -> float:
    raise RuntimeError("no \n luck")


def test_a_leaf_that_raises_is_switched_off_with_its_line_until_it_is_initialised() -> None:
    chain = started(CHAIN, Relay=_raises)
    chain.run_until(1)
    assert "RuntimeError: no luck" in chain.faults[0].text
    assert "test_components_system.py:" in chain.faults[0].text
    chain.initialize()
    chain.step()
    assert len(chain.faults) == 2


def test_initialise_puts_data_and_leaves_back_and_keeps_parameters_and_time() -> None:
    chain = started(CHAIN)
    chain.set_parameter("source", "step", 2)
    chain.run_until(10)
    chain.initialize()
    assert (chain.value("a"), chain.time, chain.parameter("source", "step")) == (0.0, 10, 2.0)
    chain.step()
    assert chain.value("a") == 2.0


@pytest.mark.parametrize(
    ("error", "change"),
    [
        (BadArgument, lambda it: it.set_parameter("source", "step", 11)),
        (BadArgument, lambda it: it.set_parameter("source", "count", 0.5)),
        (BadArgument, lambda it: it.set_parameter("source", "step", float("nan"))),
        (NoSuchName, lambda it: it.set_parameter("sorce", "step", 1)),
        (NoSuchCommand, lambda it: it.set_parameter("source", "stpe", 1)),
        (NoSuchName, lambda it: it.value("c")),
    ],
)
def test_what_cannot_be_set_or_read_is_refused(error: type[Exception], change: Callable[[System], object]) -> None:
    chain = started(CHAIN)
    with pytest.raises(error):
        change(chain)
    assert chain.parameter("source", "step") == 1.0


def test_random_numbers_follow_from_seed_and_leaf_and_begin_anew() -> None:
    class Noise(Behavior):
        def do_step(self, *_: Any) -> float:
            return self.random.random()

    model = system("environment a : Source { out -> x; } environment b : Source { out -> y; }")

    def values(seed: int, again: bool = False) -> dict[str, Any]:
        noisy = System(model, behaviors={"Source": Noise}, seed=seed)
        for _ in range(1 + again):
            noisy.initialize()
            noisy.step()
        return noisy.values()

    assert values(1) == values(1) == values(1, again=True)
    assert values(1)["x"] != values(1)["y"]
    assert values(1) != values(2)


def test_cost_and_lateness_are_measured_by_the_clock_that_is_given() -> None:
    ticking = iter(range(0, 10**6, 1000))
    chain = System(system(CHAIN), behaviors={"Source": Counting, **BEHAVIORS}, clock=lambda: next(ticking))
    chain.initialize()
    chain.was_due(-500)
    chain.step()
    costs = [leaf.cost for leaf in chain.leaves()]
    assert [(cost.steps, cost.total_ns, cost.late_ns) for cost in costs if cost] == [(1, 1000, 500), (1, 1000, 2500)]


def test_a_mapping_and_a_list_are_outputs_too() -> None:
    for returned in ({"out": 4}, [4], (4,), 4):
        chain = started(CHAIN, Relay=lambda *_, given=returned: given)
        chain.step()
        assert (chain.value("b"), chain.faults) == (4.0, [])


def test_what_no_plugin_knows_is_named() -> None:
    with pytest.raises(NoSuchPlugin, match="nothing says what template 'Source' does"):
        System(system(CHAIN))
    with pytest.raises(PluginFailed, match="needs a method do_step"):
        System(system(CHAIN), behaviors={"Source": object, **BEHAVIORS})


def test_a_model_with_mistakes_does_not_run() -> None:
    with pytest.raises(BadFile, match="input in1 reads no data"):
        System(system("sensor relay : Relay;"), behaviors=BEHAVIORS)
