"""What is installed, and what of it is loaded to know about it."""

import inspect

import pytest

from coopsim import plugins
from coopsim.devices.artifacts.authored import ArtifactDriver
from coopsim.robots.assembly import is_driver
from coopsim.robots.registry import InstalledDevices


@pytest.mark.parametrize(
    "kind", [name for name, plugin in plugins.registered("devices").items() if not plugin.is_foreign]
)
def test_the_registered_interface_of_a_device_is_that_of_its_class(kind: str) -> None:
    assert InstalledDevices()[kind] is plugins.load("devices", kind).interface


def test_every_registered_interface_has_its_device() -> None:
    assert set(plugins.registered("interfaces")) <= set(plugins.registered("devices"))


def test_which_of_our_device_types_are_drivers_is_known_without_their_classes() -> None:
    for kind, plugin in plugins.registered("devices").items():
        if not plugin.is_foreign:
            cls = plugins.load("devices", kind)
            assert is_driver(kind, InstalledDevices()[kind]) == (
                inspect.isclass(cls) and issubclass(cls, ArtifactDriver)
            ), kind
