"""Devices that are drivers."""

import inspect

from coopsim import plugins
from coopsim.errors import PluginError

_AUTHORED = "coopsim.devices.artifacts."


def is_driver(kind: str) -> bool:
    """Return whether a device type is a driver; types of ours that cannot be one are not imported for it."""
    plugin = plugins.registered("devices").get(kind)
    if plugin is None or (plugin.entry and not plugin.is_foreign and not plugin.entry.module.startswith(_AUTHORED)):
        return False
    from coopsim.devices.artifacts.authored import ArtifactDriver

    try:
        driver = plugins.load("devices", kind)
    except PluginError:
        return False
    return inspect.isclass(driver) and issubclass(driver, ArtifactDriver)
