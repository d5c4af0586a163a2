"""Model checks: every mistake of a model, with its place."""

import math
from collections.abc import Iterable, Iterator

from coopsim import plugins
from coopsim.errors import BadArgument, BadFile
from coopsim.features.amsa.components.kinds import consumers_of, may_feed, reason
from coopsim.features.amsa.components.leaf_step import is_field
from coopsim.features.amsa.components.measures import FIGURES
from coopsim.features.amsa.components.model import (
    INITIAL,
    Composite,
    DataLink,
    Leaf,
    Port,
    SystemModel,
    Template,
    TypedParameter,
)
from coopsim.features.amsa.components.order import execution_order
from coopsim.scene import Problems
from coopsim.suggest import did_you_mean, listed


def check_model(model: SystemModel) -> None:
    """Raise every mistake of a model.

    Raises:
        BadFile: There is one.
    """
    problems = Problems()
    find_mistakes(model, problems)
    problems.raise_any()


def find_mistakes(model: SystemModel, problems: Problems) -> None:
    """Note every mistake of a model."""
    for template in dict.fromkeys(leaf.template for leaf in model.root.leaves()):
        check_template(template, problems)
    _check_names(model, problems)
    for leaf in model.root.leaves():
        check_leaf(leaf, problems)
    _check_data(model, problems)
    for composite in model.root.composites():
        _check_order(composite, problems)
    _check_interfaces(model, problems)
    _check_aliases(model, problems)
    _check_evaluation(model, problems)
    if not problems.total:
        try:
            execution_order(model)
        except BadFile as loop:
            for problem in loop.problems:
                problems.add(problem.span, problem.text)


def check_template(template: Template, problems: Problems) -> None:
    """Note every mistake of a template."""
    seen: set[str] = set()
    named: list[Port | TypedParameter] = [*template.inputs, *template.outputs, *template.parameters]
    for part in named:
        if not is_field(part.name):
            problems.add(part.span, f"{part.name!r} is a word of Python; give it another name")
        if part.name in seen:
            problems.add(part.span, f"template {template.name} has {part.name!r} twice")
        if part.type not in INITIAL:
            problems.add(
                part.span, f"unknown type {part.type!r}{did_you_mean(part.type, INITIAL)}; types: {listed(INITIAL)}"
            )
        seen.add(part.name)


def _check_names(model: SystemModel, problems: Problems) -> None:
    seen: set[str] = set()
    for composite in model.root.composites():
        named: list[Leaf | Composite] = [composite, *(part for part in composite.parts if isinstance(part, Leaf))]
        for part in named:
            if part.name in seen:
                problems.add(part.span, f"two components are called {part.name!r}; names are unique in a system")
            seen.add(part.name)


def check_leaf(leaf: Leaf, problems: Problems) -> None:
    """Note every mistake of a leaf in what its template says."""
    if leaf.rate <= 0:
        problems.add(leaf.span, f"{leaf.name}: a frequency must be above 0 Hz, got {float(leaf.rate):g}")
    _check_links(leaf, leaf.reads, leaf.template.inputs, "input", problems)
    _check_links(leaf, leaf.writes, leaf.template.outputs, "output", problems)
    linked = {link.port for link in leaf.reads}
    for port in leaf.template.inputs:
        if port.name not in linked:
            problems.add(leaf.span, f"{leaf.name}: input {port.name} reads no data; add `{port.name} <- DATA;`")
    _check_settings(leaf, problems)


def _check_links(leaf: Leaf, links: Iterable[DataLink], ports: tuple[Port, ...], side: str, problems: Problems) -> None:
    names, seen = [port.name for port in ports], set()
    for link in links:
        if link.port not in names:
            near = did_you_mean(link.port, names)
            problems.add(
                link.span,
                f"{leaf.name} ({leaf.template.name}) has no {side} {link.port!r}{near}; it has: {listed(names)}",
            )
        elif link.port in seen:
            problems.add(link.span, f"{leaf.name}: {side} {link.port} is linked twice")
        seen.add(link.port)


def _check_settings(leaf: Leaf, problems: Problems) -> None:
    seen: set[str] = set()
    for setting in leaf.settings:
        parameter = leaf.template.parameter(setting.name)
        if parameter is None:
            names = [parameter.name for parameter in leaf.template.parameters]
            near = did_you_mean(setting.name, names)
            problems.add(setting.span, f"{leaf.name} has no parameter {setting.name!r}{near}; it has: {listed(names)}")
            continue
        if setting.name in seen:
            problems.add(setting.span, f"{leaf.name}: {setting.name} is given twice")
        seen.add(setting.name)
        try:
            parameter.check(setting.value)
        except BadArgument as problem:
            problems.add(setting.span, f"{leaf.name}: {problem}")


def _check_data(model: SystemModel, problems: Problems) -> None:
    producers = model.producers()
    for leaf in model.root.leaves():
        for link in leaf.writes:
            first = producers.get(link.data)
            if first is not None and (first[0] is not leaf or first[1].name != link.port):
                text = f"data {link.data} have two producers, {leaf.name} and {first[0].name}; one output each"
                problems.add(link.span, text)
    for leaf, port, link in _reading(model):
        if link.data not in producers:
            near = did_you_mean(link.data, producers)
            problems.add(link.span, f"no output produces data {link.data!r}{near}; data: {listed(producers)}")
        else:
            for text in flow_mistakes(link.data, producers[link.data], leaf, port):
                problems.add(link.span, text)
    for value in model.initial:
        if value.name not in producers:
            near = did_you_mean(value.name, producers)
            problems.add(value.span, f"no output produces data {value.name!r}{near}; data: {listed(producers)}")
        elif not _fits(value.value, producers[value.name][1].type):
            problems.add(value.span, f"data {value.name} are {producers[value.name][1].type}, got {value.value!r}")


def _reading(model: SystemModel) -> Iterator[tuple[Leaf, Port, DataLink]]:
    for leaf in model.root.leaves():
        ports = {port.name: port for port in leaf.template.inputs}
        for link in leaf.reads:
            if link.port in ports:
                yield leaf, ports[link.port], link


def flow_mistakes(data: str, source: tuple[Leaf, Port], leaf: Leaf, port: Port) -> Iterator[str]:
    """Go through the reasons why data of an output may not be read by an input."""
    producer, output = source
    if output.type != port.type and (output.type, port.type) != ("int", "double"):
        yield f"{leaf.name}.{port.name} takes {port.type}, but {data} is {output.type} ({producer.name}.{output.name})"
    if not may_feed(producer.kind, leaf.kind):
        allowed = listed(kind.value for kind in consumers_of(producer.kind))
        yield (
            f"{producer.name} ({producer.kind.value}) may not feed {leaf.name} ({leaf.kind.value}): "
            f"{reason(producer.kind)}; allowed: {allowed}"
        )


def _fits(value: object, wanted: str) -> bool:
    if wanted == "text" or isinstance(value, str):
        return wanted == "text" and isinstance(value, str)
    if wanted == "bool" or isinstance(value, bool):
        return wanted == "bool" and value in (0, 1)
    return isinstance(value, int | float) and math.isfinite(value) and (wanted == "double" or value == int(value))


def _check_order(composite: Composite, problems: Problems) -> None:
    part_names = list(dict.fromkeys(part.name for part in (*composite.parts, *composite.leaves())))
    for index, name in enumerate(composite.order):
        if name not in part_names:
            near = did_you_mean(name, part_names)
            problems.add(
                composite.span, f"order of {composite.name}: no component {name!r}{near}; parts: {listed(part_names)}"
            )
        elif name in composite.order[:index]:
            problems.add(composite.span, f"order of {composite.name}: {name} stands there twice")


def _check_interfaces(model: SystemModel, problems: Problems) -> None:
    """Note what is required of a component that is not there, or does not provide it."""
    parts: list[Leaf | Composite] = [*model.root.leaves(), *model.root.composites()]
    parts_by_name = {part.name: part for part in parts}
    for part in parts_by_name.values():
        for port in part.requires:
            if not port.provider:
                continue
            if port.provider not in parts_by_name:
                near = did_you_mean(port.provider, parts_by_name)
                problems.add(port.span, f"{part.name} requires {port.name} from {port.provider!r}, no component{near}")
                continue
            names = [interface.name for interface in parts_by_name[port.provider].provides]
            if port.name not in names:
                near, has = did_you_mean(port.name, names), listed(names) if names else "no interface"
                text = f"{part.name} requires {port.name}, but {port.provider} provides {has}{near}"
                problems.add(port.span, text)


def _check_aliases(model: SystemModel, problems: Problems) -> None:
    for alias in model.aliases:
        leaf = model.leaves.get(alias.leaf)
        if leaf is None:
            near = did_you_mean(alias.leaf, model.leaves)
            problems.add(alias.span, f"alias {alias.name}: no component {alias.leaf!r}{near}")
        elif leaf.template.parameter(alias.parameter) is None:
            names = [parameter.name for parameter in leaf.template.parameters]
            near = did_you_mean(alias.parameter, names)
            problems.add(alias.span, f"alias {alias.name}: {alias.leaf} has no parameter {alias.parameter!r}{near}")


def _check_evaluation(model: SystemModel, problems: Problems) -> None:
    wanted, producers = model.evaluation, model.producers()
    if wanted is None:
        return
    if wanted.data not in producers:
        near = did_you_mean(wanted.data, producers)
        problems.add(wanted.span, f"no output produces data {wanted.data!r}{near}; data: {listed(producers)}")
    elif producers[wanted.data][1].type not in ("double", "int"):
        problems.add(wanted.span, f"data {wanted.data} are no numbers, and cannot be compared with a reference")
    metric_names = (*FIGURES, *(name for name in plugins.registered("metrics") if plugins.is_foreign("metrics", name)))
    for name in wanted.measures:
        if name not in metric_names:
            problems.add(
                wanted.span, f"no figure {name!r}{did_you_mean(name, metric_names)}; figures: {listed(metric_names)}"
            )
