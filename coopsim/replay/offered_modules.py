"""Messages between programs in a recording, at any of its records."""

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from coopsim.errors import BadArgument, NoSuchName
from coopsim.interfaces import Interface, Value
from coopsim.interfaces.offered import READ, offered, packed, values_of
from coopsim.recording import Recording
from coopsim.state.edits import Edit, EditResult, OfferModule, TuneModule, WriteModule


@dataclass(slots=True)
class _OfferedModule:
    """An offered module: what was told from which record on, and what was set."""

    content: dict[str, Any]
    interface: Interface
    writes: list[tuple[int, float, WriteModule]] = field(default_factory=list)
    tuned: list[tuple[int, TuneModule]] = field(default_factory=list)


class OfferedModuleHistory:
    """Offered modules of a recording; the file is read once, its parts without edits not at all.

    What was offered before the recording began is known once it is written: its values have no units then.

    Args:
        recording: Where the edits are.
    """

    def __init__(self, recording: Recording) -> None:
        self._modules: dict[str, _OfferedModule] = {}
        for group in recording.edits():
            for applied in group.edits:
                self._apply(group.number, group.position_ns / 1e9, applied.edit)

    @property
    def offered(self) -> dict[str, Any]:
        """Descriptions that programs gave of the modules they offered, by name."""
        return {name: module.content for name, module in self._modules.items()}

    def read(self, number: int, time: float, name: str, command: int, parameter: str) -> EditResult:
        """Return what a module answered at record `number`.

        Args:
            number: Of the record.
            time: Where it lies [s].
            name: Of the module.
            command: One of its reading commands, 0 = the parameter.
            parameter: Its name.

        Raises:
            NoSuchName: The module was never offered.
            NoSuchCommand: It has no such command or parameter.
        """
        module = self._modules.get(name)
        if module is None:
            raise NoSuchName(f"{name} was never offered in this recording").bring(name)
        settings = _settings(module, number)
        if not command:
            return EditResult((settings[module.interface.parameter(parameter).name],))
        spec = module.interface.command(command)
        return EditResult(*packed(spec, _message(module, number, time) if command == READ else settings))

    def _apply(self, number: int, time: float, edit: Edit) -> None:
        match edit:
            case OfferModule():
                self._offer(edit.module, edit.content)
            case WriteModule():
                if edit.module not in self._modules:
                    named = [
                        {"name": value_name, "unit": "" if isinstance(datum, str) else "1"}
                        for value_name, datum in edit.values.items()
                    ]
                    self._offer(edit.module, {"values": named})
                if edit.module in self._modules:
                    self._modules[edit.module].writes.append((number, time, edit))
            case TuneModule():
                if edit.module in self._modules:
                    self._modules[edit.module].tuned.append((number, edit))
            case _:
                pass

    def _offer(self, name: str, content: dict[str, Any]) -> None:
        try:
            interface = offered(content)
        except BadArgument:  # of another version, or not whole
            return
        module = self._modules.get(name)
        if module is None:
            self._modules[name] = _OfferedModule(content, interface)
        else:
            module.content, module.interface = content, interface


def _settings(module: _OfferedModule, number: int) -> dict[str, Value]:
    settings: dict[str, Value] = {parameter.name: parameter.default for parameter in module.interface.parameters}
    settings |= {edit.name: edit.value for at, edit in module.tuned if at <= number and edit.name in settings}
    return settings


def _message(module: _OfferedModule, number: int, time: float) -> dict[str, Value]:
    values: dict[str, Value] = {field.name: 0.0 if field.unit else "" for field in values_of(module.interface)}
    last = bisect_right(module.writes, number, key=lambda report: report[0]) - 1
    if last < 0:
        return {**values, "count": 0, "age": 0.0}
    _, since, edit = module.writes[last]
    values |= {name: datum for name, datum in edit.values.items() if isinstance(values.get(name), type(datum))}
    return {**values, "count": edit.count, "age": max(0.0, time - since)}
