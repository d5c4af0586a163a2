"""Checks of timed events against the robots there are: what they set must be there, and in range."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from coopsim.interfaces import Interface, Parameter
from coopsim.robots.assembly import flaw_location
from coopsim.robots.blueprint import RobotBlueprint
from coopsim.robots.names import RobotNames
from coopsim.robots.registry import interface_of
from coopsim.robots.settings import read_setting
from coopsim.scene import Entry, Event, Flaw, Problems, choices, hint, quoted


@dataclass(frozen=True)
class EventChecks:
    """Checks of the names in events.

    Attributes:
        robots: Types of the robots, by name.
        names: What robots are called.
        devices: Interfaces of the device types.
        problems: Takes what an event cannot set.
    """

    robots: Mapping[str, RobotBlueprint]
    names: RobotNames
    devices: Mapping[str, Interface]
    problems: Problems

    def checked(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """Return the events, robot by robot, with values in SI units and radians."""
        return tuple(replace(event, set=tuple(self._settings(event))) for event in events)

    def _settings(self, event: Event) -> Iterator[tuple[str, str]]:
        for entry in event.entries:
            if self.problems.is_full:
                break
            if entry.key.lower() == "set" and len(entry.values) >= 2:
                yield from self._setting(entry)

    def _setting(self, entry: Entry) -> Iterator[tuple[str, str]]:
        """Yield path and value for each robot that a line means; of several those that have the parameter."""
        span, parts = entry.value_spans[0], entry.values[0].split(".")
        if len(parts) != 3:
            self.problems.add(span, f"expects robot.module.parameter, got {quoted(entry.values[0])}")
            return
        word, module, name = parts
        meant = [robot for robot in self.names.meant(word) if robot in self.robots]
        if not meant:
            self.problems.add(span, self.names.missing(word))
            return
        # what one robot of a type has, all of its type have
        parameters = {self.robots[robot].name: self._parameter(robot, module, name) for robot in reversed(meant)}
        if all(isinstance(parameter, Flaw) for parameter in parameters.values()):
            self.problems.add(
                span, next(parameter.text for parameter in parameters.values() if isinstance(parameter, Flaw))
            )
        values = {
            kind: self._value(entry, parameter)
            for kind, parameter in parameters.items()
            if isinstance(parameter, Parameter)
        }
        for robot in meant:
            value = values.get(self.robots[robot].name)
            if value is not None:
                yield f"{robot}.{module}.{value[0]}", value[1]

    def _parameter(self, robot: str, module: str, name: str) -> Parameter | Flaw:
        kinds = {device.name: device for device in self.robots[robot].devices}
        if module not in kinds:
            return Flaw(f"{robot} has no module {quoted(module)}{hint(module, kinds)}; it has {choices(kinds)}")
        parameters = {
            parameter.name.lower(): parameter for parameter in interface_of(kinds[module], self.devices).parameters
        }
        parameter = parameters.get(name.lower())
        if parameter is None:
            names = [parameter.name for parameter in parameters.values()]
            return Flaw(f"{module} has no parameter {quoted(name)}{hint(name, names)}; it has {choices(names)}")
        if parameter.fixed:
            return Flaw(f"{parameter.name} is fixed by the .robot file and cannot change while running")
        return parameter

    def _value(self, entry: Entry, parameter: Parameter) -> tuple[str, str] | None:
        """Return a parameter's name and its value as text, None where it cannot have it, which is noted."""
        value = read_setting(parameter, entry.values[1:])
        if isinstance(value, Flaw):
            # the values of the parameter stand behind its path
            self.problems.add(flaw_location(entry, Flaw("", value.index + 1)), value.text)
            return None
        return parameter.name, value if isinstance(value, str) else repr(value)
