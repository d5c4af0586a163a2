"""Registry of what is installed: device types with their interfaces, control laws and engines."""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from coopsim import plugins
from coopsim.devices.checking import check_type
from coopsim.errors import BadArgument, PluginFailed
from coopsim.interfaces import Interface, Parameter, parameters_of_function
from coopsim.robots.blueprint import DeviceBlueprint, RobotBlueprint
from coopsim.robots.law_checks import LawCheck, law_check
from coopsim.state.layout import VALUES

if TYPE_CHECKING:
    from coopsim.devices import Device

_FAMILIES: Final = ("leaf", "data", "system")
"""Kinds of devices whose interface depends on their settings."""


class InstalledDevices(Mapping[str, Interface]):
    """Interfaces of the registered device types; a type is imported when it is first asked for.

    The interfaces of coopsim's own are registered beside them, since the devices load compiled code: half of the time
    that it takes to read a scenario. Looking one up raises `PluginFailed` where it cannot be imported or breaks the
    contract of devices.
    """

    def __getitem__(self, kind: str) -> Interface:
        if kind not in plugins.registered("devices"):
            raise KeyError(kind)
        plugin = plugins.registered("devices")[kind]
        is_ours = not plugin.is_foreign and len(plugin.places) == 1
        if is_ours and kind in plugins.registered("interfaces"):
            own: Interface = plugins.load("interfaces", kind)
            return own
        device = plugins.load("devices", kind)
        if not is_ours:
            check_type(kind, device)
        interface: Interface = device.interface
        return interface

    def __iter__(self) -> Iterator[str]:
        return iter(plugins.registered("devices"))

    def __len__(self) -> int:
        return len(plugins.registered("devices"))

    def __contains__(self, kind: object) -> bool:
        return kind in plugins.registered("devices")


def device_type(device: DeviceBlueprint) -> "type[Device]":
    """Return the class of a device: one whose interface depends on settings has one for each (`for_settings`).

    Raises:
        NoSuchPlugin: It is not registered.
    """
    registered: Any = plugins.load("devices", device.kind)
    kind: type[Device] = registered.for_settings(device.settings) if hasattr(registered, "for_settings") else registered
    return kind


def interface_of(device: DeviceBlueprint, interfaces: Mapping[str, Interface]) -> Interface:
    """Return the interface of a device, where it depends on no settings out of the known ones."""
    interface = interfaces[device.kind]
    is_general = interface.kind not in _FAMILIES
    return interface if is_general else device_type(device).interface


def law_parameters(name: str) -> Sequence[Parameter] | None:
    """Return the parameters that a registered control law declares, None where it declares none.

    A law is a module, or a function whose module declares `PARAMETERS`.

    Raises:
        PluginError: It cannot be imported.
    """
    name = plugins.law_name(name)
    if name not in plugins.registered("controllers"):
        return None
    law = plugins.load("controllers", name)
    if isinstance(law, plugins.PlainLaw):
        try:
            return parameters_of_function(law.decide)
        except BadArgument as problem:
            raise PluginFailed(f"{name}: {problem}") from None
    declared = getattr(law, "PARAMETERS", None)
    if declared is None:
        declared = getattr(sys.modules.get(getattr(law, "__module__", "")), "PARAMETERS", None)
    is_list = isinstance(declared, tuple | list) and all(isinstance(parameter, Parameter) for parameter in declared)
    return declared if is_list else None


@dataclass(frozen=True)
class TypeRegistry:
    """Types that files may name.

    Attributes:
        devices: Interfaces by device type.
        controllers: Names of control laws.
        engines: Names of physics engines.
        law_parameters: Returns the parameters of a control law, None where they are not known.
        law_check: Returns the check of sections of a control law, None where there is none.
        metrics: Names of metrics.
        behaviours: Names of behaviours of squads.
    """

    devices: Mapping[str, Interface] = field(default_factory=InstalledDevices)
    controllers: Collection[str] = field(default_factory=lambda: plugins.registered("controllers"))
    engines: Collection[str] = field(default_factory=lambda: plugins.registered("engines"))
    law_parameters: Callable[[str], Sequence[Parameter] | None] = law_parameters
    law_check: Callable[[str], LawCheck | None] = law_check
    metrics: Collection[str] = field(default_factory=lambda: plugins.registered("metrics"))
    behaviours: Collection[str] = field(default_factory=lambda: plugins.registered("behaviours"))


def command_width(blueprint: RobotBlueprint) -> int:
    """Return how many floats the command row of a robot of this type has."""
    installed = InstalledDevices()
    interfaces = [interface_of(device, installed) for device in blueprint.devices]
    return sum(VALUES + interface.setting_width for interface in interfaces if interface.setting is not None)
