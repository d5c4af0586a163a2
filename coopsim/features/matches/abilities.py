"""Abilities of a robot, or of a device of the environment, found out from what its modules say of themselves.

Source: swarm gaming, section 6 (dynamic discovery of capabilities; tasks are assigned by available functions).
"""

from collections.abc import Callable, Iterable, Mapping

from coopsim.interfaces import Interface, Value

Module = tuple[Interface, Mapping[str, Value]]
"""What DESCRIBE answers, and the values of parameters."""


def _thinks(interface: Interface, values: Mapping[str, Value]) -> bool:
    return interface.kind == "intelligence" and values["share"] != "reflexes"


def _grips(interface: Interface, values: Mapping[str, Value]) -> bool:
    return _thinks(interface, values) and any(command.name == "pick_up" for command in interface.commands)


def _shoots(interface: Interface, values: Mapping[str, Value]) -> bool:
    return interface.kind == "shooter" and float(values["range"]) > 0.0


def _swims(interface: Interface, values: Mapping[str, Value]) -> bool:
    return interface.kind == "border" and bool(values["swims"])


def _is(*kinds: str) -> Callable[[Interface, Mapping[str, Value]], bool]:
    return lambda interface, _values: interface.kind in kinds


_SIGNS: Mapping[str, Callable[[Interface, Mapping[str, Value]], bool]] = {
    "drive": _is("differential_drive", "omni_drive", "car_drive", "autopilot"),
    "go_to": _thinks,
    "pick_up": _grips,
    "shoot": _shoots,
    "swim": _swims,
    "see": _is("camera", "target", "neighbours", "presence", "detector"),
    "open": _is("automatic_door"),
}
ABILITIES = tuple(_SIGNS)
"""All that are known."""


def abilities(modules: Iterable[Module]) -> tuple[str, ...]:
    """Return what something can do, out of all of its modules, in the order of `ABILITIES`."""
    module_list = list(modules)
    return tuple(name for name, sign in _SIGNS.items() if any(sign(*module) for module in module_list))
