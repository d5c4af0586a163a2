"""The order of execution: out of the data, by the user where they run in a circle."""

from fractions import Fraction
from typing import Any

import pytest
from example_components import system
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.errors import BadFile
from coopsim.features.amsa.components import (
    Composite,
    DataLink,
    Leaf,
    LeafKind,
    Port,
    System,
    SystemModel,
    Template,
    execution_order,
)
from coopsim.features.amsa.components.order import dataflow, delayed

LOOP = """
environment a : Relay {PRIORITY in1 <- z; out -> x; }
environment b : Relay { in1 <- x; out -> y; }
environment c : Relay { in1 <- y; out -> z; }
"""


def names(text: str) -> list[str]:
    return [leaf.name for leaf in execution_order(system(text))]


def loop(more: str = "", priority: str = "") -> str:
    return LOOP.replace("PRIORITY", priority) + more


def test_a_loop_without_order_is_named_with_its_cycle_and_place() -> None:
    """A-16: the user settles a loop."""
    with pytest.raises(BadFile) as caught:
        names(loop())
    text = str(caught.value)
    assert text.startswith("file:")
    assert any(
        f"loop of data: {' -> '.join(cycle)}" in text
        for cycle in (("a", "b", "c", "a"), ("b", "c", "a", "b"), ("c", "a", "b", "c"))
    )
    assert "order" in text


@pytest.mark.parametrize(
    ("more", "priority", "expected"),
    [
        ("order b c a;", "", ["b", "c", "a"]),
        ("order a c;", "", ["a", "b", "c"]),
        ("", "priority 1;", ["a", "b", "c"]),
        ("auto_scheduling no;", "", ["a", "b", "c"]),
        ("auto_scheduling no;", "priority -1;", ["b", "c", "a"]),
    ],
)
def test_order_priority_and_no_auto_scheduling_settle_a_loop(more: str, priority: str, expected: list[str]) -> None:
    assert names(loop(more, priority)) == expected


def test_an_order_counts_for_the_composite_that_says_it() -> None:
    leaves = "environment b : Relay { in1 <- x; out -> y; } environment a : Relay { in1 <- y; out -> x; }"
    inside = f"composite inner {{ auto_scheduling no; {leaves} }}"
    assert names(f"{inside} observer o : Relay {{ in1 <- x; }}") == ["b", "a", "o"]
    assert names(f"order o inner; {inside} observer o : Relay {{ in1 <- x; }}") == ["o", "b", "a"]


def test_a_leaf_may_read_its_own_data_of_the_step_before() -> None:
    assert names("environment a : Relay { in1 <- x; out -> x; }") == ["a"]


@st.composite
def systems(draw: st.DrawFn, are_ordered: bool = True) -> SystemModel:
    """Random dataflow; with loops where `are_ordered`, settled by a random order of all leaves."""
    count = draw(st.integers(1, 7))
    rates = draw(st.lists(st.sampled_from([4, 10, Fraction(10, 3)]), min_size=count, max_size=count))
    leaves = []
    for number in range(count):
        last = count - 1 if are_ordered else number - 1
        sources = draw(st.lists(st.integers(0, last), max_size=3)) if last >= 0 else []
        inputs = tuple(Port(f"i{index}") for index in range(len(sources)))
        template = Template(f"T{number}", inputs, (Port("out"),))
        reads = tuple(DataLink(f"i{index}", f"d{source}") for index, source in enumerate(sources))
        leaf = Leaf(
            f"l{number}",
            template,
            LeafKind.ENVIRONMENT,
            Fraction(rates[number]),
            reads,
            (DataLink("out", f"d{number}"),),
        )
        leaves.append(leaf)
    order = tuple(draw(st.permutations([leaf.name for leaf in leaves]))) if are_ordered else ()
    written = draw(st.permutations(leaves))
    return SystemModel(Composite("root", tuple(written), order))


@settings(max_examples=25, deadline=None)
@given(systems(are_ordered=False))
def test_every_producer_runs_before_its_consumers_where_there_is_no_loop(model: SystemModel) -> None:
    place = {leaf.name: number for number, leaf in enumerate(execution_order(model))}
    assert len(place) == len(model.leaves)
    assert all(place[before] < place[after] for before, after in dataflow(model))
    assert not delayed(model)


@settings(max_examples=25, deadline=None)
@given(systems())
def test_a_step_sees_its_inputs_of_its_beginning_and_others_see_its_outputs_after_its_end(model: SystemModel) -> None:
    """Each step is recorded with all data before and after: only its own output changes, to what it returned."""
    running: list[System] = []
    seen: list[tuple[str, dict[str, Any], float]] = []

    def behavior(leaf: Leaf) -> Any:
        def do_step(inputs: Any, _: Any) -> float:
            values = running[0].values()
            assert tuple(inputs) == tuple(values[link.data] for link in leaf.reads)
            result = float(len(seen) + 1)
            seen.append((leaf.writes[0].data, values, result))
            return result

        return do_step

    system = System(model, behaviors={leaf.template.name: behavior(leaf) for leaf in model.leaves.values()})
    running.append(system)
    system.initialize()
    system.run_until(2)
    after = [values for _, values, _ in seen[1:]] + [system.values()]
    assert all({**before, data: result} == then for (data, before, result), then in zip(seen, after, strict=True))
    assert not system.faults
    steps = {leaf.name: sum(data == leaf.writes[0].data for data, *_ in seen) for leaf in model.leaves.values()}
    assert steps == {leaf.name: -(-2 * leaf.rate.numerator // leaf.rate.denominator) for leaf in model.leaves.values()}
