"""Scenarios: parameters that are set at given times."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final, TypeAlias

from coopsim.errors import BadArgument
from coopsim.features.amsa.components.model import NOWHERE, DataValue, Leaf, SystemModel
from coopsim.scene import Problems, Span
from coopsim.scene.source import read_file
from coopsim.suggest import did_you_mean, listed

SCENARIO_NODE: Final = "scenarioNode"
"""Name that the scenarios of the paper give to the whole system."""


@dataclass(frozen=True, slots=True)
class ResetAll:
    """`reset();`: every leaf and all data as at the start; parameters and time stay."""

    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Assignment:
    """`node.parameter = value;`."""

    node: str
    parameter: str
    value: DataValue
    span: Span = NOWHERE


Action: TypeAlias = ResetAll | Assignment


@dataclass(frozen=True, slots=True)
class ParamEvent:
    """Change of parameters at one time.

    Attributes:
        at: When [s].
        node: Whom it addresses: a leaf, a composite, or the whole system by its name or as `scenarioNode`.
        node_span: Where that stands.
    """

    at: Fraction
    node: str
    actions: tuple[Action, ...] = ()
    span: Span = NOWHERE
    node_span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class ParameterScenario:
    """A timed sequence of parameter settings.

    Source: AMSA, section 2.1 and Fig. 3.
    """

    name: str
    events: tuple[ParamEvent, ...] = ()
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """Changes of one system at one time of a scenario: a reset or not, and parameters of leaves."""

    at: Fraction
    resets: bool
    settings: tuple[tuple[str, str, DataValue], ...]


def steps_of(scenario: ParameterScenario, model: SystemModel) -> tuple[ScenarioStep, ...]:
    """Return a scenario with the leaves of a system in the place of names.

    Raises:
        BadFile: A name is no part of the system, a parameter belongs to no leaf or to several, its value is refused, or
            time goes backwards.
    """
    problems = Problems()
    steps = fitted_steps(scenario, model, problems)
    problems.raise_any()
    return steps


def fitted_steps(scenario: ParameterScenario, model: SystemModel, problems: Problems) -> tuple[ScenarioStep, ...]:
    """Return what `steps_of` does; mistakes are noted, with the lines of the file where it is there."""
    file = scenario.span.file
    if file and Path(file).is_file():
        problems.learn(file, read_file(Path(file), Problems()))
    _check_times(scenario, problems)
    return tuple(_step(event, model, problems) for event in scenario.events)


def _check_times(scenario: ParameterScenario, problems: Problems) -> None:
    last = Fraction(0)
    for event in scenario.events:
        if event.at < last:
            text = f"time goes backwards: {float(event.at):g} s comes behind {float(last):g} s"
            problems.add(event.span, text if last else f"an event cannot lie before 0 s, got {float(event.at):g}")
        last = max(last, event.at)


def _step(event: ParamEvent, model: SystemModel, problems: Problems) -> ScenarioStep:
    settings = []
    _check_node(event.node, event.node_span, model, problems)
    for action in event.actions:
        if isinstance(action, Assignment) and _check_node(action.node, action.span, model, problems):
            settings += list(_setting(action, model, problems))
    return ScenarioStep(event.at, any(isinstance(action, ResetAll) for action in event.actions), tuple(settings))


def _check_node(name: str, span: Span, model: SystemModel, problems: Problems) -> bool:
    """Note a name that is neither a part of the system nor the system itself; return whether it is one."""
    parts = [*model.leaves, *(composite.name for composite in model.root.composites())]
    part_names = list(dict.fromkeys([*parts, model.name, SCENARIO_NODE]))
    if name in part_names:
        return True
    problems.add(span, f"no component {name!r}{did_you_mean(name, part_names)}; there are: {listed(part_names)}")
    return False


def _setting(action: Assignment, model: SystemModel, problems: Problems) -> Iterator[tuple[str, str, DataValue]]:
    owners = list(_owners(action, model))
    if len(owners) != 1:
        problems.add(action.span, _why_not_one(action, model, [leaf.name for leaf, _ in owners]))
        return
    leaf, name = owners[0]
    parameter = leaf.template.parameter(name)
    assert parameter is not None  # noqa: S101 - an owner has it
    try:
        yield leaf.name, name, parameter.check(action.value)
    except BadArgument as problem:
        problems.add(action.span, f"{leaf.name}: {problem}")


def _owners(action: Assignment, model: SystemModel) -> Iterator[tuple[Leaf, str]]:
    """Go through the leaves whose parameter may be meant: of the part addressed, else by alias, else of any leaf."""
    name = action.parameter
    part = _part(action.node, model)
    if part is not None:
        for leaf in part:
            if leaf.template.parameter(name) is not None:
                yield leaf, name
        return
    for alias in model.aliases:
        if alias.name == name:
            yield model.leaves[alias.leaf], alias.parameter
            return
    for leaf in model.leaves.values():
        if leaf.template.parameter(name) is not None:
            yield leaf, name


def _part(name: str, model: SystemModel) -> list[Leaf] | None:
    """Return the leaves of a leaf or composite, None of the whole system."""
    if name in model.leaves:
        return [model.leaves[name]]
    composite = next((composite for composite in model.root.composites() if composite.name == name), None)
    return None if composite is None or composite is model.root else list(composite.leaves())


def _why_not_one(action: Assignment, model: SystemModel, owners: list[str]) -> str:
    name = action.parameter
    if owners:
        return (
            f"{name} belongs to {', '.join(owners)}; write {owners[0]}.{name}, or say in the system "
            f"`alias {name} {owners[0]}.{name};`"
        )
    part = _part(action.node, model)
    of = list(model.leaves.values()) if part is None else part
    parameter_names = dict.fromkeys(parameter.name for leaf in of for parameter in leaf.template.parameters)
    who = "no component has a" if part is None else f"{action.node} has no"
    return f"{who} parameter {name!r}{did_you_mean(name, parameter_names)}; known: {listed(parameter_names)}"
