"""Values of a study put into a run: of devices, control laws, settings and things."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from coopsim import plugins
from coopsim.errors import BadArgument, BadFile, NoSuchName
from coopsim.interfaces import Parameter, WordsParameter
from coopsim.robots import RunSpec, load_type, unfit
from coopsim.robots.event_checks import EventChecks
from coopsim.robots.names import RobotNames
from coopsim.robots.registry import TypeRegistry
from coopsim.scene import Controller, Entry, Event, Flaw, Problems, Scenario, Span, changed, choices, hint
from coopsim.scene.scenario_file import SIMULATION_KEYS

_SETTINGS = ("engine", "integrator", "substeps", "step", "duration")


def with_values(spec: RunSpec, values: Mapping[str, str]) -> RunSpec:
    """Return a run with some values changed.

    Args:
        spec: What is run.
        values: By name: `robot1.sonars.noise`, `formation.spacing`, `simulation.engine`, `box_3.mass`.

    Raises:
        NoSuchName: A name means nothing; the text says the nearest one.
        BadArgument: A value cannot be taken.
    """
    for name, value in values.items():
        spec = _with_value(spec, name, value)
    return spec


def _with(spec: RunSpec, **parts: Any) -> RunSpec:
    return replace(spec, scenario=replace(spec.scenario, **parts))


def _with_value(spec: RunSpec, name: str, value: str) -> RunSpec:
    parts = name.split(".")
    if len(parts) == 3:
        return _with_parameter(spec, name, value)
    if len(parts) == 2:
        owner, key = parts
        if owner == "simulation":
            return _with_setting(spec, key, value)
        if owner in law_names(spec):
            return _with_law_parameter(spec, owner, key, value)
        if key == "type" and owner in (robot.name for robot in spec.scenario.robots):
            return _with_type(spec, owner, value)
        if owner in _things(spec.scenario):
            return _with_thing(spec, owner, key, value)
    names = ["simulation", *law_names(spec), *_things(spec.scenario)]
    meant = hint(parts[0], names) if parts[0] not in names else ""
    raise NoSuchName(
        f"{name}: expected robot.module.parameter, or a key of {choices(names)}, such as simulation.step{meant}"
    ).advise("`coopsim describe NAME` says which parameters a robot or a control law has.")


# settings


def _with_setting(spec: RunSpec, key: str, value: str) -> RunSpec:
    if key not in _SETTINGS:
        raise NoSuchName(f"simulation has no {key!r} to change{hint(key, _SETTINGS)}; it has: {choices(_SETTINGS)}")
    read = SIMULATION_KEYS[key].read(value.split())
    if isinstance(read, Flaw):
        raise BadArgument(f"simulation.{key}: {read.text}")
    with_setting = _with(spec, settings=replace(spec.scenario.settings, **{key: read}))
    if key in ("engine", "integrator", "substeps"):
        wrong = unfit(with_setting, with_setting.scenario.settings.physics)
        if wrong:
            raise BadArgument("\n".join(wrong))
    return with_setting


# control laws


def law_names(spec: RunSpec) -> list[str]:
    """Return what the controllers are called: by their laws, of two alike the second `formation#2`."""
    runs = [plugins.law_name(controller.run) for controller in spec.scenario.controllers]
    counts = [runs[:place].count(run) for place, run in enumerate(runs)]
    return [run if not count else f"{run}#{count + 1}" for run, count in zip(runs, counts, strict=True)]


def _with_law_parameter(spec: RunSpec, owner: str, key: str, value: str) -> RunSpec:
    place = law_names(spec).index(owner)
    controller = spec.scenario.controllers[place]
    declared = TypeRegistry().law_parameters(controller.run)
    words = tuple(value.split())
    if declared is not None:
        parameters = {parameter.name: parameter for parameter in declared}
        _check_parameter(parameters, owner, key, value)
        is_text = parameters[key].kind is str and not isinstance(parameters[key], WordsParameter)
        words = (value,) if is_text else words  # a text with blanks is one value
    arguments = [(name, words) for name, words in controller.arguments if name != key]
    new = replace(controller, arguments=(*arguments, (key, words)))
    controllers: list[Controller] = list(spec.scenario.controllers)
    controllers[place] = new
    return _with(spec, controllers=tuple(controllers))


def _check_parameter(declared: Mapping[str, Parameter], owner: str, key: str, value: str) -> None:
    parameter = declared.get(key)
    if parameter is None:
        raise NoSuchName(f"{owner} has no parameter {key!r}{hint(key, declared)}; it has: {choices(declared)}")
    try:
        parameter.check(value if parameter.kind is str else float(value))
    except ValueError:
        raise BadArgument(f"{owner}.{key}: expected a number, got {value!r}") from None
    except BadArgument as problem:
        raise BadArgument(f"{owner}.{key}: {problem}") from None


# devices


def _with_parameter(spec: RunSpec, name: str, value: str) -> RunSpec:
    """Return the run with a parameter that is set by an event before the first tick."""
    words = (name, *value.split())
    spans = tuple(Span("", 0, place) for place, _ in enumerate(words))
    event = Event(0.0, entries=(Entry("set", words, Span(), spans),))
    problems, robots = Problems(), {robot.name: spec.types[robot.type] for robot in spec.scenario.robots}
    names = RobotNames(list(robots), {})
    (checked,) = EventChecks(robots, names, TypeRegistry().devices, problems).checked([event])
    if problems.total:
        first = next(iter(problems))
        kind = NoSuchName if first.span.column == 0 else BadArgument
        raise kind(f"{name}={value}: {first.text}")
    return _with(spec, events=(*spec.scenario.events, checked))


# things


def _things(scenario: Scenario) -> list[str]:
    return [
        *(robot.name for robot in scenario.robots),
        *(entity.name for entity in scenario.world.objects),
        *(target.name for target in scenario.targets),
    ]


def _with_type(spec: RunSpec, name: str, kind: str) -> RunSpec:
    """Return the run with a robot of another type in the place of one."""
    blueprint = load_type(kind, folder=Path(spec.scenario.file).parent if spec.scenario.file else None)
    robots = (replace(robot, type=kind) if robot.name == name else robot for robot in spec.scenario.robots)
    return _with(replace(spec, types={**spec.types, kind: blueprint}), robots=tuple(robots))


def _with_thing(spec: RunSpec, owner: str, key: str, value: str) -> RunSpec:
    scenario = spec.scenario

    def change(entity: Any) -> Any:
        if entity.name != owner:
            return entity
        try:
            return changed(entity, f"{key} {value}")
        except BadFile as problem:
            raise BadArgument(f"{owner}.{key}={value}: {str(problem).splitlines()[0].partition(' ')[2]}") from None

    change_all: Callable[[Any], Any] = lambda entities: tuple(map(change, entities))  # noqa: E731 - three uses
    world = replace(scenario.world, objects=change_all(scenario.world.objects))
    return _with(spec, world=world, robots=change_all(scenario.robots), targets=change_all(scenario.targets))
