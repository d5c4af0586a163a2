"""Values of parameters as files write them: text, angles in degrees; checked against the parameter's type and range."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from coopsim.errors import BadArgument
from coopsim.interfaces import Interface, Parameter, Value
from coopsim.robots.blueprint import DeviceBlueprint, RobotBlueprint
from coopsim.robots.names import JOINED
from coopsim.robots.registry import device_type
from coopsim.scene import Flaw, Problems, RobotPlacement, Span, hint, quoted, to_number

_DEGREES = {unit: unit.replace("rad", "deg") for unit in ("rad", "rad/s", "rad/s/Hz^0.5", "rad/s Hz^0.5")}


def read_setting(parameter: Parameter, words: Sequence[str]) -> Value | Flaw:
    """Return the value that `words` mean for `parameter`, in its unit, or what is wrong with them."""
    if parameter.kind is str:
        return _numbers(parameter, words) if parameter.each else _checked(parameter, " ".join(words))
    if len(words) != 1:
        return Flaw(f"{parameter.name} takes 1 value, got {len(words)}")
    if parameter.kind is int and words[0].lstrip("+-").isdecimal():
        return _checked(parameter, int(words[0]))
    number = to_number(words[0])
    if isinstance(number, Flaw):
        return Flaw(f"{parameter.name} {number.text}", 0)
    if parameter.unit not in _DEGREES:
        return _checked(parameter, number)
    value = _checked(in_degrees(parameter), number)
    return value if isinstance(value, Flaw | str) else math.radians(value)


def _numbers(parameter: Parameter, words: Sequence[str]) -> Value | Flaw:
    """Return a text that holds numbers; a flaw is that of the first word which is none, or out of range."""
    single = replace(parameter, kind=float, each="")
    for at, word in enumerate(words):
        setting = read_setting(single, [word])
        if isinstance(setting, Flaw):
            return Flaw(setting.text, at)
    return " ".join(words)


def in_degrees(parameter: Parameter) -> Parameter:
    """Return the parameter as files see it: angles in degrees."""
    if parameter.unit not in _DEGREES:
        return parameter
    low, high = math.degrees(parameter.low), math.degrees(parameter.high)
    return replace(parameter, unit=_DEGREES[parameter.unit], low=low, high=high)


def _checked(parameter: Parameter, value: Value) -> Value | Flaw:
    try:
        return parameter.check(value)
    except BadArgument as problem:
        return Flaw(str(problem), 0)


def complete_settings(device: DeviceBlueprint) -> dict[str, Value]:
    """Return all settings of a device; a recording knows nothing of parameters that came later, which are as ever."""
    interface = device_type(device).interface
    return {parameter.name: parameter.default for parameter in interface.parameters} | dict(device.settings)


def fitted(
    placement: RobotPlacement, kind: RobotBlueprint, interfaces: Mapping[str, Interface], problems: Problems
) -> RobotBlueprint:
    """Return the type of an artifact with the size and the settings that its section gives, as a type of its own.

    Args:
        placement: Says both.
        kind: Its type as a file has it.
        interfaces: Of the known device types.
        problems: Takes the settings that are none.
    """
    if placement.size is None and placement.set is None:
        return kind
    if placement.size is not None and (kind.visuals or kind.links):
        problems.add(placement.span, f"size: a {kind.name} has more than one shape; write a type of your own for it")
    devices = {device.name: device for device in kind.devices}
    spans = placement.settings_line.value_spans if placement.settings_line else ()
    for at, (place, word) in enumerate(placement.set or ()):
        module, _, name = place.partition(".")
        where = spans[2 * at : 2 * at + 2] or (Span(), Span())
        if module not in devices:
            problems.add(where[0], f"{kind.name} has no module {quoted(module)}{hint(module, devices)}")
            continue
        parameters = {parameter.name: parameter for parameter in interfaces[devices[module].kind].parameters}
        if name not in parameters:
            problems.add(where[0], f"{module} knows no setting {quoted(name)}{hint(name, parameters)}")
            continue
        value = read_setting(parameters[name], [word])
        if isinstance(value, Flaw):
            problems.add(where[1], value.text)
        else:
            devices[module] = replace(devices[module], settings={**devices[module].settings, name: value})
    name = f"{kind.name}{JOINED}{placement.name}"
    return replace(kind, name=name, size=placement.size or kind.size, devices=tuple(devices.values()))
