"""Checks that data of a system can be bound to devices of robots: readings that come in, commands that go out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from coopsim.features.amsa.components import SystemModel
from coopsim.features.amsa.components.bindings import Binding
from coopsim.interfaces import Effect, Interface, width
from coopsim.robots.blueprint import RobotBlueprint
from coopsim.robots.registry import interface_of
from coopsim.scene import choices, hint, quoted


@dataclass(frozen=True)
class BindingChecks:
    """Checks of the names in bindings.

    Attributes:
        model: Whose data.
        robots: Those that a path without a robot means.
        types: Of all robots, by their names.
        devices: Interfaces of the device types.
        driven: Robots that may be commanded; None = all.
    """

    model: SystemModel
    robots: Sequence[str]
    types: Mapping[str, RobotBlueprint]
    devices: Mapping[str, Interface]
    driven: Sequence[str] | None = None

    def mistakes(self, link: Binding, *, is_input: bool) -> Iterator[tuple[str, int]]:
        """Yield what a line cannot mean, each with the index of the word."""
        producers = self.model.producers()
        for name in link.data:
            if name not in producers:
                yield (
                    f"no data {quoted(name)}{hint(name, producers)}; data: {choices(list(producers))}",
                    0 if is_input else 1,
                )
        at = 1 if is_input else 0
        if is_input and len(link.data) != 1:
            yield "takes the name of data, one reading and perhaps a factor", -1
        bound = [link.to.robot] if link.to.robot else self.robots
        first_of_type = {self.types[robot].name if robot in self.types else robot: robot for robot in reversed(bound)}
        for robot in reversed(first_of_type.values()):
            for text in self._mistakes_of_robot(link, robot, is_input=is_input):
                yield text, at

    def _mistakes_of_robot(self, link: Binding, robot: str, *, is_input: bool) -> Iterator[str]:
        if robot not in self.types:
            yield f"no robot {quoted(robot)}{hint(robot, self.types)}; known: {choices(list(self.types))}"
            return
        if not is_input and self.driven is not None and robot not in self.driven:
            yield f"{link.to} commands {robot}, which is not among the robots that are driven: {choices(self.driven)}"
        for text in self._mistakes_of_device(link, self.types[robot], is_input=is_input):
            yield f"{robot} {text}"

    def _mistakes_of_device(self, link: Binding, robot: RobotBlueprint, *, is_input: bool) -> Iterator[str]:
        devices, to = {device.name: device for device in robot.devices}, link.to
        if to.module not in devices:
            yield f"has no module {quoted(to.module)}{hint(to.module, devices)}; it has {choices(list(devices))}"
            return
        interface = interface_of(devices[to.module], self.devices)
        if is_input:
            names = [reading.name for reading in interface.readings]
        else:
            names = [command.name for command in interface.commands if command.effect is Effect.SET]
        if to.name not in names:
            what = "reading" if is_input else "command that is set"
            yield f"{to.module} has no {what} {quoted(to.name)}{hint(to.name, names)}; it has {choices(names)}"
        elif not is_input and width(interface.command(to.name).takes, {}) != len(link.data):
            takes = [field.name for field in interface.command(to.name).takes]
            yield f"{to.module}.{to.name} takes {len(takes)} values ({', '.join(takes)}), got {len(link.data)}"
