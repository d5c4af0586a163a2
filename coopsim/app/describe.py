"""`coopsim describe`."""

import inspect
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import talk
from coopsim.app.options import endpoint_option, plugin_option
from coopsim.app.table import table

if TYPE_CHECKING:
    from coopsim.interfaces import Command, Interface, Parameter
    from coopsim.robots import RobotBlueprint

_GROUPS = ("engines", "devices", "controllers")


@click.command(short_help="Describe a module, robot type, device or engine.")
@plugin_option
@click.argument("name", required=False)
@endpoint_option
def describe(name: str | None, endpoint: str | None) -> int:
    """Describe NAME: a running module (/robot1/motors), or a robot type, device, engine or controller.

    Without NAME, list what is installed.
    """
    if name is None:
        talk.data("\n\n".join(_everything()))
    elif name.startswith("/"):
        from coopsim.client import connect

        with connect(endpoint) as simulation:
            talk.data(interface_text(name, simulation.module(name).interface))
    else:
        talk.data("\n\n".join(_installed(name)))
    return 0


def interface_text(name: str, interface: "Interface") -> str:
    """Return an interface as a manual page: commands with what they take and give, then parameters."""
    parts = [f"{name} ({interface.kind}): {interface.summary}"]
    if interface.commands:
        rows = [
            (str(it.number), it.name, _fields(it, "takes"), _fields(it, "gives"), it.summary)
            for it in interface.commands
        ]
        parts.append(table(("no", "command", "takes", "gives", ""), rows))
    if interface.parameters:
        rows = [(it.name, it.kind.__name__, str(it.default), _range(it), it.summary) for it in interface.parameters]
        parts.append(table(("parameter", "type", "default", "range", ""), rows))
    return "\n\n".join(parts)


def _fields(command: "Command", side: str) -> str:
    shown = []
    for field in getattr(command, side):
        unit = f" [{field.unit}]" if field.unit not in {"", "1"} else ""
        many = "" if field.count == 1 else f" x {field.count}" if field.count else " ..."
        shown.append(f"{field.name}{many}{unit}")
    return ", ".join(shown)


def _range(parameter: "Parameter") -> str:
    unit = "" if parameter.unit == "1" else f" {parameter.unit}"
    fixed = ", fixed" if parameter.fixed else ""
    if parameter.kind is str:
        return f"text{fixed}"
    low = "" if math.isinf(parameter.low) else f"{parameter.low:g}"
    high = "" if math.isinf(parameter.high) else f"{parameter.high:g}"
    return f"{low}..{high}{unit}{fixed}"


def _everything() -> Iterator[str]:
    from coopsim import plugins

    robots = [f"  {name:22}{_robot_summary(name)}" for name in _robot_types()]
    yield "\n".join(["robot types", *robots])
    for group in _GROUPS:
        lines = [f"  {name:22}{_summary(group, name)}" for name in plugins.registered(group)]
        yield "\n".join([group, *lines])


def _installed(name: str) -> Iterator[str]:
    """Return the pages about everything of this name.

    Raises:
        NoSuchPlugin: Nothing installed is called so.
    """
    from coopsim import plugins
    from coopsim.errors import NoSuchPlugin
    from coopsim.robots import load_type
    from coopsim.scene import hint

    found = False
    if name in _robot_types():
        found = True
        yield _robot_text(load_type(name))
    for group in _GROUPS:
        if name in plugins.registered(group):
            found = True
            yield _plugin_text(group, name, plugins.load(group, name))
    if not found:
        raise NoSuchPlugin(
            f"nothing installed is called {name!r}{hint(name, _names())}; `coopsim describe` lists everything,"
            " and names of running modules begin with a slash"
        )


def _robot_types() -> list[str]:
    from coopsim import plugins
    from coopsim.robots import built_in_names

    return sorted({*built_in_names(".robot"), *plugins.registered("robots")})


def _names() -> list[str]:
    from coopsim import plugins

    return [*_robot_types(), *(name for group in _GROUPS for name in plugins.registered(group))]


def _robot_text(blueprint: "RobotBlueprint") -> str:
    length, width, height = blueprint.size
    head = f"{blueprint.name} (robot type): {blueprint.summary}"
    body = f"{blueprint.shape} of {length:g} x {width:g} x {height:g} m, {blueprint.mass:g} kg"
    rows = [
        (device.name, device.kind, ", ".join(f"{key} {value}" for key, value in device.settings.items()))
        for device in blueprint.devices
    ]
    return f"{head}\n{body}\n\n{table(('module', 'device', 'settings'), rows)}"


def _plugin_text(group: str, name: str, plugin: Any) -> str:
    from coopsim.robots import check_plugin

    manual = inspect.getdoc(plugin) or ""
    check_plugin(group, name, plugin)
    if group == "devices":
        return f"{interface_text(name, plugin.interface)}\n\n{manual}"
    return f"{name} ({group.removesuffix('s')}): {manual}"


def _summary(group: str, name: str) -> str:
    from coopsim import plugins
    from coopsim.errors import PluginError

    try:
        said = (inspect.getdoc(plugins.load(group, name)) or "").partition("\n")[0]
    except PluginError as problem:
        return f"cannot be loaded: {problem}"
    plugin = plugins.registered(group)[name]
    return f"{said} [{plugin.places[0]}]" if plugin.is_foreign else said


def _robot_summary(name: str) -> str:
    from coopsim.errors import CoopsimError
    from coopsim.robots import load_type

    try:
        return load_type(name).summary
    except CoopsimError as problem:
        return f"cannot be loaded: {problem}"
