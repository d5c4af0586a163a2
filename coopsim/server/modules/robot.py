"""A robot's hardware modules as clients see them: readings out of the record, settings into the command rows.

Source: CoopDynSim, section III-A (each hardware module of a robot is a server).
"""

from collections.abc import Mapping

import numpy as np

from coopsim.errors import BadArgument, NoSuchName
from coopsim.interfaces import Command, Effect, Interface, Parameter, check_steps, count, width
from coopsim.message import Message, MessageTemplate, Param
from coopsim.message.targets import robot_and_module
from coopsim.server.edits import EditForwarder
from coopsim.server.lockstep.coordinator import LockstepCoordinator
from coopsim.server.lockstep.exchange_form import NOWHERE, ExchangeForm, ExchangeKind, limits_of
from coopsim.server.lockstep.groups import GroupPlaces
from coopsim.server.lockstep.sessions import Session
from coopsim.server.lockstep.waiting import returned_text
from coopsim.server.modules.requests import data_of, params_of
from coopsim.state import ModuleLayout, RobotPlace
from coopsim.state.edits import DeviceCommand, GetParameter, SetParameter
from coopsim.state.layout import NUMBER, STAMP, VALUES
from coopsim.transport import Source


class RobotModule:
    """A module of one robot, for one generation.

    Args:
        place: The robot.
        module: The module.
        coordinator: Ownership and barrier.
        edits: Way to the source.
    """

    def __init__(
        self, place: RobotPlace, module: ModuleLayout, coordinator: LockstepCoordinator, edits: EditForwarder
    ) -> None:
        self.interface, self.counts = module.interface, module.counts
        self._place, self._module, self._coordinator, self._edits = place, module, coordinator, edits
        self._spans = _reading_spans(place, module)

    def answer(self, command: Command, request: Message, session: Session) -> Message | None:
        """Read, set or edit, as the command's effect says."""
        match command.effect:
            case Effect.READ:
                return self._read(command, request, session)
            case Effect.SET:
                return self._set(command, request, session)
            case _:
                return self._edit(command, request, session)

    def form(self, request: Message, generation: int) -> ExchangeForm | None:
        """Return what requests of this form have in common that read or set; None if each has to be looked at.

        Args:
            request: One that was not refused, without params.
            generation: Of the layout.
        """
        command = next((command for command in self.interface.commands if command.number == request.command), None)
        if command is None or command.effect not in (Effect.READ, Effect.SET):
            return None
        make = self._form_of_reads if command.effect is Effect.READ else self._form_of_sets
        return make(command, request, generation)

    def _form_of_reads(self, command: Command, request: Message, generation: int) -> ExchangeForm | None:
        start, stop, robots = self._spans[command.number]
        if len(request.data) or robots:
            return None
        has_params = any(field.place == "params" for field in command.gives)
        reply = request.reply(self._module.labels if has_params else (), np.zeros(stop - start))
        return ExchangeForm(
            ExchangeKind.READ,
            generation,
            MessageTemplate(request),
            MessageTemplate(reply),
            (0, stop - start),
            NOWHERE._replace(readings=np.arange(start, stop)),
        )

    def _form_of_sets(self, command: Command, request: Message, generation: int) -> ExchangeForm | None:
        widths = [count(field, self.counts) for field in command.takes]
        if any(field.place == "params" or field.choices or field.steps for field in command.takes) or 0 in widths:
            return None
        takes, width = sum(widths), self.interface.setting_width
        if len(request.data) != takes:
            return None
        start = self._place.command_offset + self._module.command_offset
        first = start + VALUES
        places = GroupPlaces(
            slots=np.array([start + NUMBER, *range(first, first + width)]),
            sources=np.array([-1, *range(takes), *[-1] * (width - takes)]),
            image=np.array([float(command.number), *[0.0] * width]),
            stamps=np.array([start + STAMP]),
            readings=NOWHERE.readings,
        )
        return ExchangeForm(
            ExchangeKind.SET,
            generation,
            MessageTemplate(request),
            MessageTemplate(request.reply()),
            (takes, 0),
            places,
            limits_of(command.takes, widths),
            self._place.name,
            self._module.paces,
        )

    def parameter(
        self, parameter: Parameter, value: Param | None, request: Message, session: Session, /
    ) -> Message | None:
        """Request the value from the source, after changing it if `value` is given."""
        named = self._place.name, self._module.name, parameter.name
        if value is None:
            self._edits.ask(GetParameter(*named), request, session)
            return None
        if parameter.fixed:
            raise BadArgument(f"{parameter.name} is fixed by the .robot file and cannot change while running")
        checked = parameter.check(value)
        if self._coordinator.must_hold_readings(session):
            self._coordinator.pending.hold(request, session)
        else:
            self._edits.ask(SetParameter(*named, checked), request, session)
        return None

    def _read(self, command: Command, request: Message, session: Session) -> Message | None:
        if request.params or len(request.data):
            params_of(command, request)
            data_of(command, request, self.counts)
        if self._coordinator.must_hold_readings(session):
            self._coordinator.pending.hold(request, session)
            return None
        layout, record = self._coordinator.link.now
        start, stop, robots = self._spans[command.number]
        data = record.readings[start:stop]
        if not any(field.place == "params" for field in command.gives):
            return request.reply((), data, tick=record.tick)
        names = [
            layout.robots[int(index)].name if index >= 0 else "" for first, last in robots for index in data[first:last]
        ]
        return request.reply((*self._module.labels, *names), data, tick=record.tick)

    def _set(self, command: Command, request: Message, session: Session) -> Message | None:
        coordinator, name = self._coordinator, self._place.name
        params_of(command, request)
        values = data_of(command, request, self.counts)
        for field in command.takes:
            if field.steps:
                check_steps(self.interface, field, values)  # which are all that such a command takes
        if coordinator.must_hold_command(session):
            coordinator.pending.hold(request, session)
            return None
        coordinator.control(session, (name,), request.tick)
        with coordinator.link.writing() as (layout, rows):
            place = layout.robot.get(name)
            module = place.type.module(self._module.name) if place is not None else None
            if place is None or module is None:
                raise NoSuchName(f"/{name}/{self._module.name} was removed").bring(request.target)
            start = place.command_offset + module.command_offset
            end = start + VALUES + module.interface.setting_width
            rows[start + VALUES : end] = values + [0.0] * (end - start - VALUES - len(values))
            rows[start + NUMBER] = command.number
            rows[start + STAMP] += 1.0
        back = coordinator.commanded(name) if self._module.paces else ()
        return request.reply(tuple(back), tick=coordinator.link.record.tick, text=returned_text(back))

    def _edit(self, command: Command, request: Message, session: Session) -> Message | None:
        coordinator, name = self._coordinator, self._place.name
        params_of(command, request)
        data = data_of(command, request, self.counts)
        coordinator.ownership.refuse_foreign(
            coordinator.claimant(session), (name,), firm_only=not coordinator.is_lockstep
        )
        if coordinator.must_hold_readings(session):
            coordinator.pending.hold(request, session)
        else:
            edit = DeviceCommand(name, self._module.name, command.number, tuple(data))
            self._edits.ask(edit, request, session)
        return None


class RobotWithoutModule:
    """The name of a robot without a module: it answers the common commands only."""

    counts: Mapping[str, int] = {}

    def __init__(self, place: RobotPlace) -> None:
        modules = ", ".join(f"/{place.name}/{module.name}" for module in place.type.modules)
        self.interface = Interface(place.type.name, f"A robot; its modules are {modules or 'none'}.")

    def answer(self, command: Command, request: Message, session: Session) -> Message | None:
        """Never called: there are no commands of its own."""
        raise NotImplementedError(f"{request.target} command {command.number} of {session.label}")


def commands_of(target: str, link: Source) -> dict[str, int]:
    """Return how often a module of a robot was commanded, by `/sim/step` too; nothing where it takes no commands."""
    robot, name = robot_and_module(target)
    with link.writing() as (layout, rows):
        place = layout.robot.get(robot)
        module = place.type.module(name) if place is not None else None
        if place is None or module is None or module.command_offset < 0:
            return {}
        return {"commands": int(rows[place.command_offset + module.command_offset + STAMP])}


def _reading_spans(place: RobotPlace, module: ModuleLayout) -> dict[int, tuple[int, int, list[tuple[int, int]]]]:
    """Return of each READ command: first and last column of its readings, and the parts of them that name robots."""
    spans = {}
    at = place.reading_offset + module.reading_offset
    for command in module.interface.commands:
        if command.effect is Effect.READ:
            inside, robots = 0, []
            for field in command.gives:
                if field.place == "data":
                    length = count(field, module.counts)
                    if field.refers_to:
                        robots.append((inside, inside + length))
                    inside += length
            spans[command.number] = (at, at + width(command.gives, module.counts), robots)
            at += inside
    return spans
