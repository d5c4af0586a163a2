"""Interfaces to generate a client from: built-in ones, those of plugins, what a running simulation describes."""

from collections.abc import Iterator

import coopsim.interfaces
from coopsim import plugins
from coopsim.errors import NoSuchName
from coopsim.interfaces import Interface

_DEPENDING = frozenset({"system", "leaf", "data"})
"""Kinds whose interface depends on the system of components that the device runs: a running one describes it."""


def built_in() -> dict[str, Interface]:
    """Return the interfaces of coopsim itself by kind."""
    return {interface.kind: interface for interface in _built_in() if interface.kind not in _DEPENDING}


def _built_in() -> Iterator[Interface]:
    for interface in vars(coopsim.interfaces).values():
        if isinstance(interface, Interface):
            yield interface
    for name in plugins.registered("interfaces"):
        if not plugins.is_foreign("interfaces", name):
            yield plugins.load("interfaces", name)


def of_plugins() -> dict[str, Interface]:
    """Return the interfaces of devices and packages of others, by kind."""
    interfaces = {}
    for group in ("interfaces", "devices"):
        for name in plugins.registered(group):
            if plugins.is_foreign(group, name):
                plugin = plugins.load(group, name)
                interface = plugin if isinstance(plugin, Interface) else getattr(plugin, "interface", None)
                if isinstance(interface, Interface):
                    interfaces[interface.kind] = interface
    return interfaces


def of_run(endpoint: str | None, modules: tuple[str, ...] = ()) -> dict[str, Interface]:
    """Return what the modules of a running simulation describe, by kind.

    Args:
        endpoint: Of the simulation, None = the usual one.
        modules: Names, () = all modules of robots and all that programs offer.

    Raises:
        NoSuchName: None is there.
    """
    from coopsim.client import connect

    with connect(endpoint) as simulation:
        names = modules or tuple(name for name in simulation.names("/") if name.count("/") > 1)
        described = [simulation.module(name).interface for name in names]
    if not described:
        raise NoSuchName("no module is there")
    return {interface.kind: interface for interface in described}
