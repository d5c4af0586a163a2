"""A system of components as processes in Python: one for each leaf, which speak to each other by events.

Source: AMSA, section 2.3 (code generation), for a target of our own.
"""

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from keyword import iskeyword
from pathlib import Path
from typing import Any

from coopsim import plugins
from coopsim.errors import PluginClash, PluginFailed
from coopsim.features.amsa.components import Leaf, ParameterScenario, SystemModel, Template, check_model
from coopsim.features.amsa.components.behavior import GROUP
from coopsim.features.amsa.components.model import INITIAL, DataLink, DataValue, TypedParameter
from coopsim.features.amsa.components.order import dataflow, delayed
from coopsim.features.amsa.components.scenario import SCENARIO_NODE, ScenarioStep, steps_of
from coopsim.features.amsa.components.timing import common_unit
from coopsim.features.amsa.components.trial import usual_duration
from coopsim.features.amsa.generation.files import GeneratedFile
from coopsim.features.amsa.generation.templates import environment, mark_of
from coopsim.scene import Problems

BROUGHT = Path("plugins")
"""Folder of a package for copies of loose plugins."""
_NOTHING: Mapping[str, str] = {"double": "0.0", "int": "0", "bool": "False", "text": '""'}


def python_processes(
    model: SystemModel, scenarios: Sequence[ParameterScenario] = (), seed: int = 0
) -> list[GeneratedFile]:
    """Return the files of the processes that a system becomes.

    Args:
        model: The system.
        scenarios: What the process of the scenario can play.
        seed: Of the random numbers of all components.

    Raises:
        BadFile: The model or a scenario has mistakes, or names that Python does not take.
        NoSuchPlugin: Jinja2 is not installed.
        PluginFailed: What a component does cannot be imported by another program.
    """
    check_model(model)
    _check_names(model)
    templates = list({leaf.template.name: leaf.template for leaf in model.leaves.values()}.values())
    unit = common_unit([leaf.rate for leaf in model.leaves.values()])
    evaluation = model.evaluation
    context = {
        "mark": mark_of(model.name, "Python"),
        "package": model.name,
        "seed": seed,
        "scenario_node": SCENARIO_NODE,
        "unit": unit,
        "periods": {leaf.name: _period(leaf, unit) for leaf in model.leaves.values()},
        "leaf_names": list(model.leaves),
        "evaluated": repr(evaluation.data if evaluation else ""),
        "reference": repr(evaluation.reference if evaluation else None),
        "scenarios": [_scenario(scenario, model) for scenario in scenarios],
    }
    return list(_files(context, templates, model, unit))


def _files(
    context: Mapping[str, Any], templates: Sequence[Template], model: SystemModel, unit: Fraction
) -> Iterator[GeneratedFile]:
    environment_of_python = environment("python")

    def made(path: str, source: str, *, once: bool = False, **more: Any) -> GeneratedFile:
        return GeneratedFile(
            Path(path), environment_of_python.get_template(f"{source}.jinja").render(context, **more), once
        )

    for name in ("node.py", "scenario_node.py", "run.py", "hub.scenario"):
        yield made(name, name)
    brought = _brought(templates)
    for file in brought:
        yield GeneratedFile(BROUGHT / file.name, file.read_text(encoding="utf-8"), is_copy=True)
    if brought:
        yield made("brought.py", "brought.py")
    for template in templates:
        yield made(f"domain/{template.name}.py", "domain.py", once=True, template=_template(template))
    for leaf in model.leaves.values():
        yield made(f"leaves/{leaf.name}.py", "leaf.py", leaf=_leaf(leaf, model, unit))


def frames_of(model: SystemModel) -> list[str]:
    """Return the names of templates of which nothing says what they do: a frame is written for these."""
    names = dict.fromkeys(leaf.template.name for leaf in model.leaves.values())
    return [name for name in names if name not in plugins.registered(GROUP)]


def _template(template: Template) -> dict[str, Any]:
    values = [_NOTHING[port.type] for port in template.outputs]
    plugin = plugins.registered(GROUP).get(template.name)
    return {
        "name": template.name,
        "source": None if plugin is None or plugin.file is not None else _source(template.name, plugin),
        "file": plugin.file.name if plugin is not None and plugin.file is not None else "",
        "nothing": ", ".join(values) or "None",
    }


def _source(template: str, plugin: plugins.Plugin) -> dict[str, str]:
    """Return where an installed package says what components of a template do.

    Raises:
        PluginFailed: It is no name of a module, so no other program can import it.
    """
    plugins.load(GROUP, template)
    entry = plugin.entry
    if entry is None or not entry.attr:
        raise PluginFailed(
            f"{plugin.places[0]}: component {template} is a whole module; its entry point must name a class or function"
        )
    return {"module": entry.module, "name": entry.attr}


def _brought(templates: Sequence[Template]) -> list[Path]:
    """Return the loose plugins that say what templates do, and the files beside them that they import.

    Raises:
        PluginClash: Two of them have one name.
    """
    registered = plugins.registered(GROUP)
    files = (registered[template.name].file for template in templates if template.name in registered)
    folders: dict[Path, None] = {}
    waiting = [file for file in files if file is not None]
    while waiting:
        file = waiting.pop(0)
        if file not in folders:
            folders[file] = None
            waiting += _neighbours(file)
    names: dict[str, Path] = {}
    for file in folders:
        if names.setdefault(file.name, file) != file:
            raise PluginClash(f"{file} and {names[file.name]} have one name; rename one, both go into one folder")
    return list(folders)


def _neighbours(file: Path) -> Iterator[Path]:
    """Go through the files beside a program that it imports."""
    for node in ast.walk(ast.parse(file.read_bytes(), str(file))):
        names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
        for name in names:
            beside = file.parent / f"{name.partition('.')[0]}.py"
            if beside.is_file():
                yield beside.resolve()


def _leaf(leaf: Leaf, model: SystemModel, unit: Fraction) -> dict[str, Any]:
    given = {setting.name: setting.value for setting in leaf.settings}
    edges = dataflow(model) - delayed(model)
    return {
        "name": leaf.name,
        "kind": leaf.kind.name,
        "rate": leaf.rate,
        "template": {
            "name": leaf.template.name,
            "inputs": leaf.template.inputs,
            "outputs": leaf.template.outputs,
            "parameters": [_parameter(parameter, given) for parameter in leaf.template.parameters],
        },
        "reads": leaf.reads,
        "writes": leaf.writes,
        "period": _period(leaf, unit),
        "before": {name: _period(model.leaves[name], unit) for name, after in sorted(edges) if after == leaf.name},
        "initial": _initial(leaf.reads, model),
    }


def _parameter(declared: TypedParameter, given: Mapping[str, DataValue]) -> dict[str, str]:
    parameter = declared.parameter
    value = parameter.check(_plain(given.get(parameter.name, parameter.default)))
    return {
        "name": parameter.name,
        "type": declared.type,
        "kind": parameter.kind.__name__,
        "value": repr(value),
        "unit": repr(parameter.unit),
        "low": _number(parameter.low),
        "high": _number(parameter.high),
        "summary": repr(parameter.summary),
    }


def _plain(value: DataValue) -> float | int | str:
    return int(value) if isinstance(value, bool) else value


def _number(value: float) -> str:
    return repr(value) if math.isfinite(value) else f'float("{value}")'


def _initial(links: Iterable[DataLink], model: SystemModel) -> dict[str, DataValue]:
    initial_values = {initial.name: initial.value for initial in model.initial}
    producers = model.producers()
    return {link.data: initial_values.get(link.data, INITIAL[producers[link.data][1].type]) for link in links}


def _period(leaf: Leaf, unit: Fraction) -> int:
    return int(1 / leaf.rate / unit)


def _scenario(scenario: ParameterScenario, model: SystemModel) -> dict[str, Any]:
    steps = steps_of(scenario, model)
    return {
        "name": scenario.name,
        "duration": _fraction(usual_duration(steps)),
        "events": [{"at": _fraction(step.at), "resets": step.resets, "settings": _settings(step)} for step in steps],
    }


def _settings(step: ScenarioStep) -> dict[str, dict[str, DataValue]]:
    settings: dict[str, dict[str, DataValue]] = {}
    for leaf, name, value in step.settings:
        settings.setdefault(leaf, {})[name] = _plain(value)
    return settings


def _fraction(value: Fraction) -> str:
    return f"Fraction({value.numerator}, {value.denominator})"


def _check_names(model: SystemModel) -> None:
    problems = Problems()
    if not model.leaves:
        problems.add(model.root.span, f"{model.name} has no leaves, of which processes could be made")
    for leaf in model.leaves.values():
        if leaf.name == SCENARIO_NODE:
            problems.add(leaf.span, f"{SCENARIO_NODE} is what plays scenarios; give the component another name")
        if iskeyword(leaf.template.name):
            problems.add(leaf.span, f"{leaf.template.name!r} is a word of Python; give the template another name")
    problems.raise_any()
