"""Parameters of devices as parameters of a node of ROS 2, with their ranges: `robot1.sonars.noise`.

Source: rcl_interfaces.
"""

import math
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.gateways.codec import FollowedRun
from coopsim.features.gateways.messages import Words
from coopsim.interfaces import Parameter

_NOT_SET, _BOOL, _INTEGER, _DOUBLE, _STRING = range(5)
_FIELDS: Final = {_BOOL: "bool_value", _INTEGER: "integer_value", _DOUBLE: "double_value", _STRING: "string_value"}
_TYPES: Final = {bool: _BOOL, int: _INTEGER, float: _DOUBLE, str: _STRING}
_SIMULATED: Final = "use_sim_time"
_MOST_NAMES: Final = 1000
"""Names that one request may have."""


class NodeParameters:
    """Parameters of all devices of the robots that are offered.

    Args:
        run: Whose they are.
        node: Name of the node that has them.
    """

    def __init__(self, run: FollowedRun, node: str) -> None:
        self._run, self._node = run, node

    @property
    def services(self) -> tuple[tuple[str, str, Callable[[Words], Awaitable[Words]]], ...]:
        """Name, type and answer of each service that every node of ROS 2 has."""
        package = "rcl_interfaces/srv"
        return (
            (f"/{self._node}/get_parameters", f"{package}/GetParameters", self._values),
            (f"/{self._node}/get_parameter_types", f"{package}/GetParameterTypes", self._types),
            (f"/{self._node}/set_parameters", f"{package}/SetParameters", self._set),
            (f"/{self._node}/set_parameters_atomically", f"{package}/SetParametersAtomically", self._set_together),
            (f"/{self._node}/describe_parameters", f"{package}/DescribeParameters", self._described),
            (f"/{self._node}/list_parameters", f"{package}/ListParameters", self._listed),
        )

    def names(self) -> Iterator[str]:
        """Yield the names of all parameters of devices."""
        return (name for name in self._every() if name != _SIMULATED)

    async def native(self, name: str) -> str | int | float | None:
        """Return the value of a parameter, None = there is none."""
        words = await self._value(name)
        value: str | int | float | None = words.get(_FIELDS.get(words["type"], ""))
        return value

    async def set_native(self, name: str, value: Any) -> None:
        """Set a parameter.

        Raises:
            CoopsimError: There is none, or the value does not fit.
        """
        target, declared = self._found(name)
        if declared.kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, declared.kind) or isinstance(value, bool):
            raise BadArgument(f"expected a {declared.kind.__name__}, got {value!r:.60}")
        await self._run.sim.module(target).set_parameter(declared.name, value)

    async def _values(self, words: Words) -> Words:
        return {"values": [await self._value(name) for name in _names(words)]}

    async def _types(self, words: Words) -> Words:
        return {"types": [(await self._value(name))["type"] for name in _names(words)]}

    async def _described(self, words: Words) -> Words:
        return {"descriptors": [self._descriptor(name) for name in _names(words)]}

    async def _listed(self, words: Words) -> Words:
        prefixes, depth = words["prefixes"], int(words["depth"])
        names = [name for name in self._every() if _is_below(name, prefixes, depth)]
        return {"result": {"names": names, "prefixes": sorted({name.rpartition(".")[0] for name in names} - {""})}}

    async def _set(self, words: Words) -> Words:
        return {"results": [await self._set_one(parameter) for parameter in words["parameters"][:_MOST_NAMES]]}

    async def _set_together(self, words: Words) -> Words:
        """Set parameters one after the other; the ones before the first that is refused are put back."""
        before: list[tuple[str, Words]] = []
        for parameter in words["parameters"][:_MOST_NAMES]:
            before.append((parameter["name"], await self._value(parameter["name"])))
            outcome = await self._set_one(parameter)
            if not outcome["successful"]:
                for name, value in reversed(before[:-1]):
                    await self._set_one({"name": name, "value": value})
                return {"result": outcome}
        return {"result": {"successful": True}}

    async def _set_one(self, parameter: Words) -> Words:
        name, value = parameter["name"], parameter["value"]
        try:
            target, declared = self._found(name)
            field = _FIELDS.get(value["type"])
            if field is None:
                raise BadArgument(f"{name}: expected a {declared.kind.__name__}")
            await self._run.sim.module(target).set_parameter(declared.name, value[field])
        except CoopsimError as problem:
            return {"successful": False, "reason": str(problem)}
        return {"successful": True}

    async def _value(self, name: str) -> Words:
        """Return the value of a parameter; one that is not there is not set, as ROS has it."""
        if name == _SIMULATED:
            return {"type": _BOOL, "bool_value": True}
        try:
            target, declared = self._found(name)
            value: Any = await self._run.sim.module(target).get_parameter(declared.name)
        except CoopsimError:
            return {"type": _NOT_SET}
        kind = _TYPES[declared.kind]
        return {"type": kind, _FIELDS[kind]: declared.kind(value)}

    def _descriptor(self, name: str) -> Words:
        try:
            _, declared = self._found(name)
        except CoopsimError:
            return {"name": name, "type": _NOT_SET}
        kind = _TYPES[declared.kind]
        words: Words = {"name": name, "type": kind, "description": f"{declared.summary} [{declared.unit}]"}
        words["read_only"] = declared.fixed
        if declared.choices:
            words["additional_constraints"] = "one of " + ", ".join(map(str, declared.choices))
        if math.isfinite(declared.low) and math.isfinite(declared.high) and kind != _STRING:
            ends = {"from_value": declared.kind(declared.low), "to_value": declared.kind(declared.high)}
            words["integer_range" if kind == _INTEGER else "floating_point_range"] = [ends]
        return words

    def _every(self) -> Iterator[str]:
        yield _SIMULATED
        for target, facts in self._run.modules.items():
            for parameter in facts.interface.parameters:
                yield f"{target[1:].replace('/', '.')}.{parameter.name}"

    def _found(self, name: str) -> tuple[str, Parameter]:
        """Return the module and the parameter that a name means.

        Raises:
            BadArgument: There is none.
        """
        path, _, local = name.rpartition(".")
        target = "/" + path.replace(".", "/")
        facts = self._run.modules.get(target)
        for parameter in facts.interface.parameters if facts is not None else ():
            if parameter.name == local:
                return target, parameter
        raise BadArgument(f"there is no parameter {name!r:.80}")


def _names(words: Words) -> list[str]:
    names: list[str] = words["names"][:_MOST_NAMES]
    return names


def _is_below(name: str, prefixes: list[str], depth: int) -> bool:
    """Return whether a name is listed: below a prefix, and with no more parts after it than the depth."""
    roots = [prefix for prefix in prefixes if name == prefix or name.startswith(f"{prefix}.")] if prefixes else [""]
    return any(not depth or name.removeprefix(root).strip(".").count(".") < depth for root in roots)
