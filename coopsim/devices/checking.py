"""Checks that a foreign device keeps the contract; violations are reported with file and line, before anything runs."""

import inspect
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from coopsim.devices.contract import Device, DeviceContext
from coopsim.devices.program import OnBoardProgram
from coopsim.errors import BadArgument, PluginFailed
from coopsim.interfaces import CAMERA, COMMON, Command, Effect, Field, Interface, Parameter
from coopsim.plugins import shown

_METHODS = ("__init__", "act", "sense", "edit", "changed")
_KINDS = (float, int, str)
_MEMORY = (np.float64, np.int64, np.uint64)
_FIRST = 10  # numbers below belong to what all modules have: ping, describe, parameters


def check_type(name: str, kind: Any) -> None:
    """Check that a class can be used as a device type.

    Raises:
        PluginFailed: It cannot; the text says where and why.
    """
    if not inspect.isclass(kind):
        raise PluginFailed(f"device {name}: expected a class with an `interface`, got {kind!r}")
    interface = getattr(kind, "interface", None)
    if type(interface) is not Interface:
        raise _wrong(f"device {name}", kind, f"{kind.__name__} needs `interface = Interface(...)`, got {interface!r}")
    for near, text in _flaws(interface):
        raise _wrong(f"device {name}", kind, text, near)
    check_own: Callable[[str], None] | None = getattr(kind, "check_contract", None)
    if check_own is not None:  # it keeps another contract
        check_own(name)
        return
    for method in _METHODS:
        check_method(f"device {name}", kind, Device, method)
    if issubclass(kind, OnBoardProgram):
        check_method(f"device {name}", kind, OnBoardProgram, "run")
    elif interface.outputs:
        text = f"{kind.__name__} commands others, so it must derive from coopsim.devices.program.OnBoardProgram"
        raise _wrong(f"device {name}", kind, text)


def check_made(name: str, device: Device, context: DeviceContext) -> None:
    """Check that what a device says about itself has the shapes that the contract asks for.

    Raises:
        PluginFailed: It has not.
    """
    n, interface = len(context.robots), device.interface
    for field in interface.readings:
        if isinstance(field.count, str) and field.count not in device.counts:
            text = f"`counts` must say how many {field.name} there are: {{{field.count!r}: ...}}, got {device.counts!r}"
            raise _wrong(f"device {name}", type(device), text, "__init__")
    if not isinstance(device.labels, tuple) or not all(isinstance(label, str) for label in device.labels):
        raise _wrong(
            f"device {name}", type(device), f"`labels` must be a tuple of names, got {device.labels!r}", "labels"
        )
    signals = getattr(device, "signals", {})
    for field in interface.signals:
        if field.name not in signals:
            text = f"`signals` must have {field.name!r}, as its interface says, got {sorted(signals)}"
            raise _wrong(f"device {name}", type(device), text, "__init__")
    wanted = {
        parameter.name: object if parameter.kind is str else np.float64
        for parameter in interface.parameters
        if not parameter.fixed
    }
    if set(device.parameters) != set(wanted):
        text = f"`parameters` must have a column for each of {sorted(wanted)}, got {sorted(device.parameters)}"
        raise _wrong(f"device {name}", type(device), text, "__init__")
    arrays: list[tuple[str, str, Any, tuple[type, ...]]]
    arrays = [("parameters", key, array, (wanted[key],)) for key, array in device.parameters.items()]
    arrays += [("memory", key, array, _MEMORY) for key, array in device.memory.items()]
    for group, key, array, kinds in arrays:
        shape = getattr(array, "shape", None)
        fits = shape and shape[0] == n and array.dtype in kinds and (group == "memory" or len(shape) == 1)
        if not fits:
            names = " or ".join(np.dtype(kind).name for kind in kinds)
            got = f"{array.dtype} {shape}" if shape is not None else repr(array)
            text = f"`{group}[{key!r}]` must be an array of {names}, one row for each of {n} robots, got {got}"
            raise _wrong(f"device {name}", type(device), text, key)


def check_method(what: str, kind: type, contract: type, method: str) -> None:
    """Check that a class has a method that can be called as the one of the contract.

    Args:
        what: Who is checked, "device lamp".
        kind: Its class.
        contract: The class that says how the method is called.
        method: Its name.

    Raises:
        PluginFailed: It has not.
    """
    function, wanted = getattr(kind, method, None), inspect.signature(getattr(contract, method)).parameters
    if not callable(function):
        raise _wrong(what, kind, f"{kind.__name__} has no method {method}({', '.join(wanted)})")
    try:
        inspect.signature(function).bind(*wanted)
    except TypeError:
        text = f"{method}({', '.join(wanted)}) is called, which {inspect.signature(function)} cannot be"
        raise _wrong(what, kind, text, f"def {method}(") from None


def code_location(thing: Any, near: str = "") -> str:
    """Return "file:line" of a class or function; of the line that mentions `near`, in it or else in its file."""
    try:
        lines, first = inspect.getsourcelines(thing)
        file = inspect.getsourcefile(thing) or ""
    except (OSError, TypeError):
        return ""
    inside = [at for at, line in enumerate(lines, max(first, 1)) if _names(line, near)]
    anywhere = [at for at, line in enumerate(linecache.getlines(file), 1) if _names(line, near)]
    return f"{shown(file)}:{(*inside, *anywhere, max(first, 1))[0]}"


def _names(line: str, near: str) -> bool:
    """Return whether a line says something about `near`, rather than uses it."""
    return bool(near) and near in line and f"[{near}]" not in line


def _wrong(what: str, kind: type, text: str, near: str = "") -> PluginFailed:
    place = code_location(kind, near)
    return PluginFailed(f"{place}: {what}: {text}" if place else f"{what}: {text}")


def _flaws(interface: Interface) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with an interface, each with a word to look for in the source."""
    taken: dict[str, str] = {
        command.name: f"a command of every module, number {int(command.number)}" for command in COMMON
    }
    numbers: set[int] = set()
    commands: tuple[Any, ...] = interface.commands
    parameters: tuple[Any, ...] = interface.parameters
    for command in commands:
        if not isinstance(command, Command):
            yield "commands", f"`commands` holds {command!r}, which is no Command"
            continue
        yield from _flaws_of_name(command.name, f"command {command.number}", taken)
        if not isinstance(command.number, int) or command.number < _FIRST or command.number in numbers:
            text = f"the number of command {command.name} must be {_FIRST} or more and its own, got {command.number!r}"
            yield f'"{command.name}"', text
        numbers.add(command.number)
        yield from _flaws_of_fields(command)
    for parameter in parameters:
        if not isinstance(parameter, Parameter):
            yield "parameters", f"`parameters` holds {parameter!r}, which is no Parameter"
            continue
        yield from _flaws_of_name(parameter.name, f"parameter {parameter.name}", taken)
        yield from _flaws_of_parameter(parameter)


def _flaws_of_name(name: Any, what: str, taken: dict[str, str]) -> Iterator[tuple[str, str]]:
    near = f'"{name}"'
    if not isinstance(name, str) or not name.isidentifier() or name != name.lower():
        yield near, f"{name!r} cannot be the name of a command or parameter: small letters, digits and _"
    elif name in taken:
        yield near, f"{what}: the name {name!r} is taken by {taken[name]}"
    taken[name] = what


def _flaws_of_fields(command: Command) -> Iterator[tuple[str, str]]:
    # images are served by the host, for no other device
    if command.effect not in {Effect.READ, Effect.SET, Effect.EDIT} and command not in CAMERA.commands:
        yield f'"{command.name}"', f"command {command.name} of a device reads, sets or edits, got {command.effect}"
    elif command.effect is Effect.READ and command.takes:
        text = (
            f"command {command.name} takes values but reads, so nothing would ever get them; write "
            f"Command({command.number}, ..., effect=Effect.SET) for what `drive` or `act` needs, or effect=Effect.EDIT"
        )
        yield f'"{command.name}"', text
    fields: tuple[Any, ...] = (*command.takes, *command.gives)
    for field in fields:
        if not isinstance(field, Field):
            yield f'"{command.name}"', f"command {command.name} holds {field!r}, which is no Field"
            return
    for field in (*command.takes, *(command.gives if command.effect is Effect.READ else ())):
        is_given = field not in command.takes
        if not field.unit and not (is_given and field.count == 0):  # any number of names: those are the labels
            text = f'{field.name} of command {command.name} has no unit; a plain number has the unit "1"'
            yield f'"{field.name}"', text
        elif field.unit and (field.count == 0 or (isinstance(field.count, str) and not is_given)):
            yield f'"{field.name}"', f"{field.name} of command {command.name} needs a fixed count, got {field.count!r}"


def _flaws_of_parameter(parameter: Parameter) -> Iterator[tuple[str, str]]:
    near = f'"{parameter.name}"'
    if parameter.kind not in _KINDS:
        shown_kind = getattr(parameter.kind, "__name__", repr(parameter.kind))
        yield near, f"parameter {parameter.name}: unknown type {shown_kind}; use float, int or str"
        return
    try:
        parameter.check(parameter.default)
    except (BadArgument, TypeError) as problem:
        yield near, f"parameter {parameter.name}: the default is out of place: {problem}"
