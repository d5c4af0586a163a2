"""The order in which leaves run: data first from their producer, then to its consumers."""

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import pairwise
from typing import TypeAlias

from coopsim.errors import BadFile
from coopsim.features.amsa.components.model import Composite, Leaf, SystemModel
from coopsim.scene import Problem

Edge: TypeAlias = tuple[str, str]


def dataflow(model: SystemModel) -> set[Edge]:
    """Return (producer, consumer) of all data."""
    producers = model.producers()
    return {
        (producers[link.data][0].name, leaf.name)
        for leaf in model.leaves.values()
        for link in leaf.reads
        if link.data in producers
    }


def execution_order(model: SystemModel) -> tuple[Leaf, ...]:
    """Return the leaves in the order in which they run where several are due at once.

    Source: AMSA, section 2.1 (a logical order out of the dataflow; in a loop the choice is the user's).

    Raises:
        BadFile: A loop of data has no order; it names the leaves of the loop.
    """
    edges = {edge for edge in dataflow(model) if edge[0] != edge[1]}  # a leaf reads its own data of the step before
    for composite in model.root.composites():
        edges = _ordered(edges, composite)
    return _sorted(model, edges)


def delayed(model: SystemModel) -> set[Edge]:
    """Return the (producer, consumer) whose data arrive a step later, since the consumer runs first."""
    place = {leaf.name: number for number, leaf in enumerate(execution_order(model))}
    return {(before, after) for before, after in dataflow(model) if place[before] >= place[after]}


def _ordered(edges: set[Edge], composite: Composite) -> set[Edge]:
    """Return `edges` as the order of a composite wants them: data that go the other way do not count."""
    groups = [list(_leaves(part)) for part in _chosen(composite)]
    place = {name: number for number, group in enumerate(groups) for name in group}
    kept = {(a, b) for a, b in edges if not (a in place and b in place and place[a] > place[b])}
    for before, after in pairwise(groups):
        kept |= {(a, b) for a in before for b in after}
    return kept


def _chosen(composite: Composite) -> "list[Leaf | Composite]":
    """Return the parts whose order the user chose."""
    if composite.order:
        named = {part.name: part for part in (*composite.parts, *composite.leaves())}
        return [named[name] for name in dict.fromkeys(composite.order) if name in named]
    return [] if composite.auto_scheduling else sorted(composite.parts, key=lambda part: -part.priority)


def _leaves(part: "Leaf | Composite") -> Iterator[str]:
    yield from (part.name,) if isinstance(part, Leaf) else (leaf.name for leaf in part.leaves())


def _sorted(model: SystemModel, edges: set[Edge]) -> tuple[Leaf, ...]:
    while True:
        sorter = _sorter(model, edges)
        try:
            sorter.prepare()
        except CycleError as problem:
            cycle: list[str] = problem.args[1]
            weak = {edge for edge in pairwise(cycle) if _is_against_priority(model, edge)}
            if not weak:
                raise _loop(model, cycle) from None
            edges = edges - weak
            continue
        return _drained(model, sorter)


def _loop(model: SystemModel, cycle: list[str]) -> BadFile:
    span = model.leaves[cycle[0]].span
    text = (
        f"loop of data: {' -> '.join(cycle)}; say which runs first: `order {' '.join(cycle[:-1])};` as it "
        "is meant, `priority` in the leaves, or `auto_scheduling no;`"
    )
    return BadFile(f"{span.head}{text}", (Problem(span, text),))


def _sorter(model: SystemModel, edges: set[Edge]) -> TopologicalSorter[str]:
    sorter: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(model.leaves, ()))
    for before, after in sorted(edges):
        sorter.add(after, before)
    return sorter


def _is_against_priority(model: SystemModel, edge: Edge) -> bool:
    before, after = (model.leaves[name].priority for name in edge)
    return after > before


def _drained(model: SystemModel, sorter: TopologicalSorter[str]) -> tuple[Leaf, ...]:
    """Return the leaves; of those that may run next, by priority, then as written."""
    written = list(model.leaves.values())
    number = {leaf.name: index for index, leaf in enumerate(written)}
    ready: list[tuple[int, int]] = []
    order: list[Leaf] = []
    while sorter.is_active():
        for name in sorter.get_ready():
            heappush(ready, (-model.leaves[name].priority, number[name]))
        leaf = written[heappop(ready)[1]]
        order.append(leaf)
        sorter.done(leaf.name)
    return tuple(order)
