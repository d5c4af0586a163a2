"""A system of components as a package for ROS 1: a node for each leaf, a topic for each data.

Source: AMSA, section 2.3 (code generation).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import quoteattr
from zlib import crc32

from coopsim.features.amsa.components import Leaf, ParameterScenario, SystemModel, Template, TypedParameter, check_model
from coopsim.features.amsa.components.model import INITIAL, DataLink, DataValue
from coopsim.features.amsa.components.order import dataflow, delayed
from coopsim.features.amsa.components.scenario import SCENARIO_NODE, ScenarioStep, steps_of
from coopsim.features.amsa.components.trial import usual_duration
from coopsim.features.amsa.generation import cpp
from coopsim.features.amsa.generation.files import GeneratedFile
from coopsim.features.amsa.generation.templates import environment, mark_of

if TYPE_CHECKING:
    from jinja2 import Environment


_MESSAGES: Final = {"double": "Float64", "int": "Int64", "bool": "Bool", "text": "String"}
_LAUNCH_TYPES: Final = {"double": "double", "int": "int", "bool": "bool", "text": "str"}


def ros1_package(
    model: SystemModel,
    scenarios: Sequence[ParameterScenario] = (),
    domain: Mapping[str, str] | None = None,
    seed: int = 0,
) -> list[GeneratedFile]:
    """Return the files of the package that a system becomes.

    Args:
        model: The system; the package is named after its root.
        scenarios: What its scenario node can play.
        domain: C++ text by template, what its components do; a frame to be filled in where there is none.
        seed: Of the random numbers of all components.

    Raises:
        BadFile: The model or a scenario has mistakes, or a name that ROS does not take.
        NoSuchPlugin: Jinja2 is not installed.
    """
    check_model(model)
    cpp.check_names(model)
    environment_of_ros = environment("ros1")
    package = package_name(model)
    templates = list({leaf.template.name: leaf.template for leaf in model.leaves.values()}.values())
    context = {
        "mark": mark_of(model.name, "ROS 1"),
        "package": package,
        "name": model.name,
        "scenario_node": SCENARIO_NODE,
        "templates": [_template(template) for template in templates],
        "leaves": [_leaf(leaf, model, seed) for leaf in model.leaves.values()],
        "scenarios": [_scenario(scenario, model) for scenario in scenarios],
        "evaluation": _evaluation(model),
    }
    return list(_files(environment_of_ros, context, package, domain or {}))


def package_name(model: SystemModel) -> str:
    """Return the name of a system's package, in the small letters that ROS asks for."""
    return model.name.lower()


def _files(
    environment_of_ros: "Environment", context: Mapping[str, Any], package: str, domain: Mapping[str, str]
) -> Iterator[GeneratedFile]:
    def made(path: str, source: str, *, once: bool = False, **more: Any) -> GeneratedFile:
        return GeneratedFile(
            Path(path), environment_of_ros.get_template(f"{source}.jinja").render(context, **more), once
        )

    yield made("package.xml", "package.xml")
    yield made("CMakeLists.txt", "CMakeLists.txt")
    yield made(f"launch/{package}.launch", "system.launch")
    yield made(f"include/{package}/leaf_node.h", "leaf_node.h")
    yield made("src/node/leaf_node.cpp", "leaf_node.cpp")
    for template in context["templates"]:
        name = template.name
        yield made(f"include/{package}/{name}.h", "component.h", template=template)
        place = f"src/domain/{name}.cpp"
        if name in domain:
            yield GeneratedFile(Path(place), domain[name], once=True)
        else:
            yield made(place, "domain.cpp", once=True, template=template)
    for leaf in context["leaves"]:
        yield made(f"src/{leaf.name}.cpp", "leaf.cpp", leaf=leaf)
    yield made(f"src/{SCENARIO_NODE}.cpp", "scenario_node.cpp")


@dataclass(frozen=True, slots=True)
class _Variable:
    """A port or parameter in C++."""

    name: str
    type: str
    summary: str = ""
    unit: str = "1"


@dataclass(frozen=True, slots=True)
class _ComponentClass:
    """A template in C++."""

    name: str
    inputs: tuple[_Variable, ...]
    outputs: tuple[_Variable, ...]
    parameters: tuple[_Variable, ...]


@dataclass(frozen=True, slots=True)
class _Rate:
    """Rate of a node: `steps` times in `seconds`."""

    name: str
    steps: int
    seconds: int


@dataclass(frozen=True, slots=True)
class _PortTopic:
    """A port of a leaf and the topic behind it.

    Attributes:
        producer: The leaf that writes it.
        runs_before: Whether that one runs before this leaf where both are due at the same instant.
    """

    port: str
    data: str
    type: str
    initial: str
    producer: _Rate
    runs_before: bool

    @property
    def variable(self) -> str:
        return f"{self.port}_output"


@dataclass(frozen=True, slots=True)
class _RosParameter:
    """A parameter of a leaf: name, type and limits in C++, and how a launch file gives it."""

    name: str
    ros_name: str
    type: str
    value: str
    low: str
    high: str
    launch_type: str
    quoted: str


@dataclass(frozen=True, slots=True)
class _Node(_Rate):
    """A leaf as a node.

    Attributes:
        behind: The producers that run before it where they are due at the same instant.
    """

    template: _ComponentClass
    behind: tuple[_Rate, ...]
    seed: int
    reads: tuple[_PortTopic, ...]
    writes: tuple[_PortTopic, ...]
    parameters: tuple[_RosParameter, ...]


def _template(template: Template) -> _ComponentClass:
    def variables(ports: Iterable[Any]) -> tuple[_Variable, ...]:
        return tuple(_Variable(cpp.name(port.name), cpp.TYPES[port.type]) for port in ports)

    parameters = tuple(
        _Variable(
            cpp.name(parameter.name), cpp.TYPES[parameter.type], parameter.parameter.summary, parameter.parameter.unit
        )
        for parameter in template.parameters
    )
    return _ComponentClass(template.name, variables(template.inputs), variables(template.outputs), parameters)


def _leaf(leaf: Leaf, model: SystemModel, seed: int) -> _Node:
    before = _producers_before(leaf, model)
    given = {setting.name: setting.value for setting in leaf.settings}
    return _Node(
        *_rate(leaf),
        _template(leaf.template),
        before,
        crc32(f"{seed}/{leaf.name}".encode()),
        tuple(_topic(link, leaf.template.inputs, model, before) for link in leaf.reads),
        tuple(_topic(link, leaf.template.outputs, model, before) for link in leaf.writes),
        tuple(
            _parameter(parameter, given.get(parameter.name, parameter.parameter.default))
            for parameter in leaf.template.parameters
        ),
    )


def _rate(leaf: Leaf) -> tuple[str, int, int]:
    return leaf.name, leaf.rate.numerator, leaf.rate.denominator


def _producers_before(leaf: Leaf, model: SystemModel) -> tuple[_Rate, ...]:
    edges = dataflow(model) - delayed(model)
    return tuple(_Rate(*_rate(model.leaves[before])) for before, after in sorted(edges) if after == leaf.name)


def _topic(link: DataLink, ports: Iterable[Any], model: SystemModel, before: Collection[_Rate]) -> _PortTopic:
    port = next(port for port in ports if port.name == link.port)
    leaf, output = model.producers()[link.data]
    initial = {initial.name: initial.value for initial in model.initial}
    value = cpp.literal(initial.get(link.data, INITIAL[output.type]), port.type)
    producer = _Rate(*_rate(leaf))
    return _PortTopic(cpp.name(port.name), link.data, cpp.TYPES[port.type], value, producer, producer in before)


def _parameter(declared: TypedParameter, value: DataValue) -> _RosParameter:
    parameter, type_name = declared.parameter, declared.type
    return _RosParameter(
        cpp.name(parameter.name),
        parameter.name,
        cpp.TYPES[type_name],
        cpp.literal(value, type_name),
        cpp.number(parameter.low),
        cpp.number(parameter.high),
        _LAUNCH_TYPES[type_name],
        quoteattr(str(value) if type_name != "bool" else str(bool(value)).lower()),
    )


@dataclass(frozen=True, slots=True)
class _Event:
    """Changes of a scenario at one time, in C++."""

    at: str
    resets: str
    settings: str


@dataclass(frozen=True, slots=True)
class _Scenario:
    """A scenario in C++."""

    name: str
    duration: str
    events: tuple[_Event, ...]


def _scenario(scenario: ParameterScenario, model: SystemModel) -> _Scenario:
    steps = steps_of(scenario, model)
    return _Scenario(
        scenario.name, cpp.number(float(usual_duration(steps))), tuple(_event(step, model) for step in steps)
    )


def _event(step: ScenarioStep, model: SystemModel) -> _Event:
    settings = ", ".join(
        f'{{"{leaf}", "{name}", {_xml_rpc(value, _declared(model, leaf, name).type)}}}'
        for leaf, name, value in step.settings
    )
    return _Event(cpp.number(float(step.at)), "true" if step.resets else "false", settings)


def _declared(model: SystemModel, leaf: str, name: str) -> TypedParameter:
    parameter = model.leaves[leaf].template.parameter(name)
    assert parameter is not None  # noqa: S101 - the scenario has been checked
    return parameter


def _xml_rpc(value: DataValue, type_name: str) -> str:
    """Return a value as the constructor of a parameter's value wants it."""
    if type_name == "bool":
        return f"XmlRpc::XmlRpcValue({cpp.literal(value, type_name)})"
    return cpp.literal(value, type_name)


def _evaluation(model: SystemModel) -> dict[str, Any] | None:
    evaluation = model.evaluation
    if evaluation is None:
        return None
    leaf, port = model.producers()[evaluation.data]
    return {
        "data": evaluation.data,
        "reference": cpp.number(evaluation.reference),
        "ros_type": _MESSAGES[port.type],
        "producer": _Rate(*_rate(leaf)),
    }
