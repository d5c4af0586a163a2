"""Systems of components on board of robots: their leaves and data become devices, their scenarios timed events."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from coopsim.errors import BadArgument, BadFile
from coopsim.features.amsa.components import ParameterScenario, SystemModel
from coopsim.features.amsa.components.bindings import Binding, as_text, binding
from coopsim.features.amsa.components.faces import DECLARED, SHOWN, data_module, declared
from coopsim.features.amsa.components.files import BUILT_IN, SCENARIO, SYSTEM, load_scenario, load_system
from coopsim.features.amsa.components.scenario import ScenarioStep, steps_of
from coopsim.features.amsa.components.whole_text import whole_text
from coopsim.features.amsa.sections.binding_checks import BindingChecks
from coopsim.features.amsa.sections.system_spec import SystemSection
from coopsim.interfaces import Interface, Value
from coopsim.robots.blueprint import DeviceBlueprint
from coopsim.robots.catalogue import Placed
from coopsim.robots.names import JOINED, RobotNames
from coopsim.scene import Entry, Event, Problems, Span, choices, find_entry, hint, why_unreadable

_MODULE = "system"


@dataclass(frozen=True)
class Fitted:
    """Robots with their systems, and what the scenarios of these do.

    Attributes:
        events: Robot by robot, with values in SI units.
    """

    placed: Placed
    events: tuple[Event, ...] = ()


@dataclass(frozen=True)
class SystemFitting:
    """Checks of the names in systems.

    Attributes:
        devices: Interfaces of the device types.
        folder: Where model files are looked for, besides the built-in ones.
        problems: Takes what a section cannot mean.
    """

    devices: Mapping[str, Interface]
    folder: Path
    problems: Problems

    def fitted(self, sections: Sequence[SystemSection], placed: Placed) -> Fitted:
        """Return the robots with the systems of all sections on them."""
        events: list[Event] = []
        for section in sections:
            placed, own = self._with(section, placed)
            events += own
        return Fitted(placed, tuple(events))

    def _with(self, section: SystemSection, placed: Placed) -> tuple[Placed, list[Event]]:
        path = self._file(section, "file", section.file, SYSTEM)
        robots = self._robots(section, placed)
        if path is None or not robots:
            return placed, []
        try:
            model = load_system(path)
            steps = self._steps(section, model)
        except BadFile as problem:
            for mistake in problem.problems:
                self.problems.add(mistake.span, mistake.text)
            return placed, []
        self._check_types(section, model)
        text, before = whole_text(path), self.problems.total
        links = self._bindings(section, model, robots, placed)
        if self.problems.total > before:
            return placed, []
        devices = _devices(model, text, *links)
        events = [event for robot in robots for step in steps for event in _events(step, robot, section.span)]
        return _carrying(placed, robots, model.name, devices), events

    def _file(self, section: SystemSection, key: str, name: str, suffix: str) -> Path | None:
        return model_file(name, suffix, self.folder, _span(section, key), self.problems)

    def _robots(self, section: SystemSection, placed: Placed) -> tuple[str, ...]:
        names = RobotNames([robot.name for robot in placed.robots], placed.groups)
        types = {robot.name: placed.types[robot.type] for robot in placed.robots}
        mistakes: list[str] = []
        for index, word in enumerate(section.robots):
            meant = names.meant(word)
            if not meant:
                self.problems.add(_span(section, "robots", index), names.missing(word))
            for robot in meant:
                if any(device.name == _MODULE for device in types[robot].devices):
                    self.problems.add(_span(section, "robots", index), f"{robot} has a module {_MODULE!r} already")
                mistakes.append(robot)
        return tuple(dict.fromkeys(mistakes))

    def _steps(self, section: SystemSection, model: SystemModel) -> tuple[ScenarioStep, ...]:
        path = self._file(section, "scenario", section.scenario, SCENARIO) if section.scenario else None
        scenario: ParameterScenario | None = load_scenario(path) if path else None
        return steps_of(scenario, model) if scenario else ()

    def _check_types(self, section: SystemSection, model: SystemModel) -> None:
        for name, (leaf, port) in model.producers().items():
            if port.type == "text":
                text = f"data {name} of {leaf.name} are text; systems on robots exchange numbers"
                self.problems.add(_span(section, "file"), text)

    def _bindings(
        self, section: SystemSection, model: SystemModel, robots: Sequence[str], placed: Placed
    ) -> tuple[list[Binding], list[Binding]]:
        links: tuple[list[Binding], list[Binding]] = [], []
        types = {robot.name: placed.types[robot.type] for robot in placed.robots}
        for entry in section.entries:
            place = {"input": 0, "output": 1}.get(entry.key.lower())
            if place is None:
                continue
            try:
                link = binding((entry.values[1], entry.values[0], *entry.values[2:]) if not place else entry.values)
            except (BadArgument, IndexError) as problem:
                form = "DATA PATH [FACTOR]" if not place else "PATH DATA... [FACTOR]"
                self.problems.add(
                    entry.span, f"{entry.key.lower()} takes {form}" + (f": {problem}" if str(problem) else "")
                )
                continue
            checks = BindingChecks(model, robots, types, self.devices)
            for text, index in checks.mistakes(link, is_input=not place):
                self.problems.add(entry.value_spans[min(index, len(entry.value_spans) - 1)], text)
            links[place].append(link)
        return links


def model_file(name: str, suffix: str, folder: Path, span: Span, problems: Problems) -> Path | None:
    """Return a model file beside a scenario, or a built-in one; where there is none, that is noted."""
    names = [name] if name.endswith(suffix) else [name, name + suffix]
    paths = [parent / name for parent in (folder, BUILT_IN) for name in names]
    reasons = [why_unreadable(path) for path in paths]
    if None in reasons:
        return paths[reasons.index(None)]
    built_in = sorted(path.stem for path in BUILT_IN.glob(f"*{suffix}"))
    problems.add(span, f"{paths[0]}: {reasons[0]}{hint(name, built_in)}; built in: {choices(built_in)}")
    return None


def _span(section: SystemSection, key: str, index: int = 0) -> Span:
    entry: Entry | None = find_entry(section.entries, key)
    return entry.value_spans[index] if entry and index < len(entry.value_spans) else section.span


def _devices(
    model: SystemModel, text: str, inputs: Sequence[Binding], drives: Sequence[Binding]
) -> tuple[DeviceBlueprint, ...]:
    """Return the devices of a system: itself, its leaves, its data."""
    settings = {"model": text, "inputs": as_text(inputs), "drives": as_text(drives)}
    devices = [DeviceBlueprint("system", _MODULE, settings)]
    for leaf in model.leaves.values():
        given: dict[str, Value] = {setting.name: _plain(setting.value) for setting in leaf.settings}
        usual: dict[str, Value] = {
            parameter.name: parameter.parameter.default for parameter in leaf.template.parameters
        }
        typed = {
            parameter.name: parameter.parameter.check(given.get(parameter.name, usual[parameter.name]))
            for parameter in leaf.template.parameters
        }
        devices.append(DeviceBlueprint("leaf", leaf.name, {SHOWN: leaf.name, DECLARED: declared(leaf), **typed}))
    return (*devices, *(DeviceBlueprint("data", data_module(name), {SHOWN: name}) for name in model.producers()))


def _plain(value: Value | bool) -> Value:
    return int(value) if isinstance(value, bool) else value


def _carrying(placed: Placed, robots: Sequence[str], system: str, devices: tuple[DeviceBlueprint, ...]) -> Placed:
    """Return the robots, some of which carry a system; they are of types of their own."""
    types, moved = dict(placed.types), {}
    for kind in dict.fromkeys(robot.type for robot in placed.robots if robot.name in robots):
        name, number = f"{kind}{JOINED}{system}", 2
        while name in types:
            name, number = f"{kind}{JOINED}{system}{number}", number + 1
        types[name] = replace(types[kind], name=name, devices=(*devices, *types[kind].devices))
        moved[kind] = name
    placements = tuple(
        replace(robot, type=moved[robot.type]) if robot.name in robots else robot for robot in placed.robots
    )
    used = {robot.type for robot in placements}
    return replace(placed, robots=placements, types={name: kind for name, kind in types.items() if name in used})


def _events(step: ScenarioStep, robot: str, span: Span) -> Iterator[Event]:
    """Return what a scenario does at one time, as an event of the run: its reset puts poses and memories back."""
    settings = tuple((f"{robot}.{leaf}.{name}", _said(value)) for leaf, name, value in step.settings)
    if settings or step.resets:
        yield Event(float(step.at), settings, "poses" if step.resets else "", span=span)


def _said(value: Value | bool) -> str:
    return value if isinstance(value, str) else repr(_plain(value))
