"""Offered modules as clients see them: one program writes, everybody reads; the record holds what was told."""

from collections.abc import Mapping

from coopsim.errors import BadArgument, NotInThisMode, OwnedByAnother
from coopsim.interfaces import Command, Interface, Parameter, Value
from coopsim.interfaces.offered import LONGEST_TEXT, READ, WRITE, packed
from coopsim.message import Message, Param
from coopsim.server.edits import EditForwarder
from coopsim.server.lockstep.coordinator import LockstepCoordinator
from coopsim.server.lockstep.sessions import Session
from coopsim.server.modules.requests import data_of, params_of
from coopsim.server.offers import Offer
from coopsim.state.edits import ReadModule, TuneModule, WriteModule


class OfferedModule:
    """Module that a program offers.

    Args:
        name: `/team1/leader/intent`.
        offer: What was told, and by whom.
        coordinator: Ownership and barrier.
        edits: Way to the source, which records what is told.
    """

    counts: Mapping[str, int] = {}

    def __init__(self, name: str, offer: Offer, coordinator: LockstepCoordinator, edits: EditForwarder) -> None:
        self.interface = offer.interface
        self._name, self._offer, self._coordinator, self._edits = name, offer, coordinator, edits

    def answer(self, command: Command, request: Message, session: Session, /) -> Message | None:
        """Give what was told, or take what is told now."""
        if command.number == WRITE:
            return self._write(command, request, session)
        params_of(command, request)
        if self._coordinator.must_hold_readings(session):
            self._coordinator.pending.hold(request, session)
            return None
        record = self._coordinator.link.record
        values: dict[str, Value] = self._offer.settings
        if command.number == READ:
            facts = self._offer.message_at(record)
            age = max(0.0, record.time - facts.time) if facts.count else 0.0
            values = {**facts.values, "count": facts.count, "age": age}
        return request.reply(*packed(command, values), tick=record.tick)

    def parameter(
        self, parameter: Parameter, value: Param | None, request: Message, session: Session, /
    ) -> Message | None:
        """Answer with the value of a parameter, after changing it if `value` is given."""
        name, settings = parameter.name, self._offer.settings
        if value is None:
            return request.reply((settings[name],), tick=self._coordinator.link.record.tick)
        checked = parameter.check(value)
        _check_text(name, checked)
        later = self._edits.later(request, session)

        def done(tick: int) -> None:
            settings[name] = checked
            later.reply(request.reply((checked,), tick=tick))

        self._edits.send(TuneModule(self._name, name, checked), later, lambda answer: done(answer.tick))
        return None

    def _write(self, command: Command, request: Message, session: Session) -> Message | None:
        if session is not self._offer.owner:
            raise OwnedByAnother(f"{self._name} is written by the program that offers it").bring(self._name, "another")
        values = _named(command, params_of(command, request), data_of(command, request))
        if self._coordinator.must_hold_readings(session):
            self._coordinator.pending.hold(request, session)
            return None
        offer, link, later = self._offer, self._coordinator.link, self._edits.later(request, session)
        offer.add(values, link.record)
        edit = WriteModule(self._name, values, offer.count)
        self._edits.send(edit, later, lambda answer: later.reply(request.reply(tick=answer.tick)))
        return None


class RecordedModule:
    """Module that a program offered in the run that is played back.

    Args:
        name: `/team1/leader/intent`.
        interface: What it understood.
        edits: Way to the playback.
    """

    counts: Mapping[str, int] = {}

    def __init__(self, name: str, interface: Interface, edits: EditForwarder) -> None:
        self.interface, self._name, self._edits = interface, name, edits

    def answer(self, command: Command, request: Message, session: Session, /) -> Message | None:
        """Ask for what was told when the record that is shown was made."""
        if command.number == WRITE:
            raise _recorded()
        params_of(command, request)
        self._edits.ask(ReadModule(self._name, command.number), request, session)
        return None

    def parameter(
        self, parameter: Parameter, value: Param | None, request: Message, session: Session, /
    ) -> Message | None:
        """Ask for what a parameter was then."""
        if value is not None:
            raise _recorded()
        self._edits.ask(ReadModule(self._name, 0, parameter.name), request, session)
        return None


def _recorded() -> NotInThisMode:
    return NotInThisMode("this is a recording; programs tell what they told then").bring("recording")


def _named(command: Command, texts: tuple[Param, ...], numbers: list[float]) -> dict[str, Value]:
    """Return what is told, by name.

    Raises:
        BadArgument: A text is too long, or none.
    """
    left, values = list(texts), list(numbers)
    named: dict[str, Value] = {
        field.name: (values if field.place == "data" else left).pop(0) for field in command.takes
    }
    for each in command.takes:
        if each.place == "params":
            _check_text(each.name, named[each.name], is_text=True)
    return named


def _check_text(name: str, value: Value, *, is_text: bool = False) -> None:
    if is_text and not isinstance(value, str):
        raise BadArgument(f"{name} must be text, got {value!r}").bring(name)
    if isinstance(value, str) and len(value.encode(errors="replace")) > LONGEST_TEXT:
        raise BadArgument(f"{name} is text of at most {LONGEST_TEXT} bytes").bring(name)
