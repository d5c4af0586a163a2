"""Device parameters at a record: the last key frame before it, and the edits since."""

from typing import Any

import numpy as np

from coopsim.errors import DamagedRecording, NoSuchName
from coopsim.interfaces import Parameter, Value
from coopsim.recording import KeyFrame, Recording
from coopsim.state import Layout, RobotPlace
from coopsim.state.edits import ClockReset, Edit, Load, Remove, Reset, Restore, SetParameter
from coopsim.state.plain import Count, Misfit, check, unpack

_NUMBERS = ("<f8", "<i8", "|b1")
_NOT_KNOWN = "the recording does not tell its value at this time"


class ParameterHistory:
    """Values of parameters at any record of a recording.

    The simulation is not built for that: only the columns of its saved state are read.

    Args:
        recording: Where key frames and edits are.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._saved: tuple[int, dict[str, Any]] | None = None

    def value(self, number: int, robot: str, module: str, name: str) -> Value:
        """Return what a parameter was at record `number`.

        Raises:
            NoSuchName: There is no such module at that record.
            NoSuchCommand: The module has no such parameter.
            DamagedRecording: The recording does not tell.
        """
        recording = self._recording
        place, parameter = self._find(number, robot, module, name)
        keyframe = recording.keyframe(number)
        state = self._state(keyframe) if keyframe is not None else {}
        value = self._began_with(state, place, module, parameter)
        for edits in recording.edits(keyframe.number + 1 if keyframe is not None else 0):
            if edits.number > number:
                break
            for applied in edits.edits:
                value = self._after(applied.edit, value, state, place, module, parameter)
        if value is None:
            raise DamagedRecording(f"/{robot}/{module} {parameter.name}: {_NOT_KNOWN}")
        return value

    def _find(self, number: int, robot: str, module: str, name: str) -> tuple[RobotPlace, Parameter]:
        recording = self._recording
        chunk, _ = recording.index.chunk_of(number)
        place = recording.layout(recording.index.places[chunk].generation).robot.get(robot)
        layout = place.type.module(module) if place is not None else None
        if place is None or layout is None:
            raise NoSuchName(f"there is no /{robot}/{module}").bring(f"/{robot}/{module}")
        return place, layout.interface.parameter(name)

    def _state(self, keyframe: KeyFrame) -> dict[str, Any]:
        """Return the saved state in a key frame; the last one is kept."""
        if self._saved is None or self._saved[0] != keyframe.number:
            try:
                state = unpack(keyframe.state)
            except (ValueError, TypeError) as problem:
                raise DamagedRecording(f"the key frame at tick {keyframe.tick} cannot be read: {problem!r}") from None
            self._saved = keyframe.number, state if isinstance(state, dict) else {}
        return self._saved[1]

    # values

    def _began_with(self, state: dict[str, Any], place: RobotPlace, module: str, parameter: Parameter) -> Value | None:
        """Return the value in the saved state; of a robot that was not there yet the one in its file."""
        if parameter.fixed:
            return _in_file(state, place, module, parameter)
        try:
            layout = self._recording.layout(state["generation"])
            row = _rows(layout, place.type.name).index(place.name)
            column = state["blocks"][place.type.name]["devices"][module]["parameters"][parameter.name]
            return _typed(parameter, _element(column, row))
        except (LookupError, ValueError, TypeError, DamagedRecording):
            return _in_file(state, place, module, parameter)

    def _after(
        self,
        edit: Edit,
        value: Value | None,
        state: dict[str, Any],
        place: RobotPlace,
        module: str,
        parameter: Parameter,
    ) -> Value | None:
        """Return the value after an edit."""
        if parameter.fixed:
            return value
        match edit:
            case Restore() | Load():
                return None
            case Reset(what="poses"):
                return value
            case Reset() | ClockReset():
                return _in_file(state, place, module, parameter)
            case Remove(name) if name == place.name:
                return _in_file(state, place, module, parameter)
            case SetParameter() if (edit.robot, edit.module, edit.name) == (place.name, module, parameter.name):
                return _typed(parameter, edit.value)
            case _:
                return value


def _rows(layout: Layout, kind: str) -> list[str]:
    """Return the robots of one type in the order of the rows of their devices."""
    return [place.name for place in layout.robots if place.type.name == kind]


def _element(column: list[Any], row: int) -> Any:
    """Return one element of a saved array: text as a list, numbers as kind, shape and bytes."""
    if column[0] == "text":
        check(column[1], list[str], "a parameter")
        return column[1][row]
    check(column, tuple[str, tuple[Count], bytes], "a parameter")
    kind, (rows,), raw = column
    if kind not in _NUMBERS or len(raw) != rows * np.dtype(kind).itemsize:
        raise Misfit(f"{rows} numbers", raw, "a parameter")
    return np.frombuffer(raw, kind)[row].item()


def _in_file(state: dict[str, Any], place: RobotPlace, module: str, parameter: Parameter) -> Value | None:
    """Return what the `.robot` file says, None where that is not known."""
    try:
        devices = state["types"][place.type.name]["devices"]
        settings = next(device["settings"] for device in devices if device["name"] == module)
        return _typed(parameter, settings[parameter.name])
    except (LookupError, TypeError, StopIteration):
        return None


def _typed(parameter: Parameter, value: Any) -> Value | None:
    """Return a value in the parameter's type; timed events write everything as text."""
    try:
        return parameter.kind(value)
    except (TypeError, ValueError):
        return None
