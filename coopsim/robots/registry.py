"""What is installed: device types with their interfaces, control laws and engines."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from coopsim import plugins
from coopsim.devices.checking import check_type
from coopsim.interfaces import Interface


class InstalledDevices(Mapping[str, Interface]):
    """Interfaces of the registered device types; a type is imported when it is first asked for.

    Looking one up raises `PluginFailed` where it cannot be imported or breaks the contract of devices.
    """

    def __getitem__(self, kind: str) -> Interface:
        if kind not in plugins.registered("devices"):
            raise KeyError(kind)
        device = plugins.load("devices", kind)
        if plugins.is_foreign("devices", kind):
            check_type(kind, device)
        interface: Interface = device.interface
        return interface

    def __iter__(self) -> Iterator[str]:
        return iter(plugins.registered("devices"))

    def __len__(self) -> int:
        return len(plugins.registered("devices"))

    def __contains__(self, kind: object) -> bool:
        return kind in plugins.registered("devices")


@dataclass(frozen=True)
class Registry:
    """What files may name.

    Attributes:
        devices: Interfaces by device type.
        controllers: Names of control laws.
        engines: Names of physics engines.
    """

    devices: Mapping[str, Interface] = field(default_factory=InstalledDevices)
    controllers: Collection[str] = field(default_factory=lambda: plugins.registered("controllers"))
    engines: Collection[str] = field(default_factory=lambda: plugins.registered("engines"))
