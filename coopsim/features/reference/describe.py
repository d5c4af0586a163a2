"""`coopsim describe`."""

import inspect
import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import completing, talk
from coopsim.app.installed_names import GROUPS, describable, robot_types
from coopsim.app.options import endpoint_option, plugin_option
from coopsim.app.table import entry, flowing, listing, table

if TYPE_CHECKING:
    from coopsim.client import Module
    from coopsim.interfaces import Command, Field, Interface, Parameter
    from coopsim.robots import RobotBlueprint

_FOR_DEVELOPERS = ("Args:", "Attributes:", "Raises:")


@click.command(short_help="Describe a module, robot type, device or engine.")
@plugin_option
@click.argument("name", required=False, shell_complete=completing.described)
@endpoint_option
@click.option("--json", "as_json", is_flag=True, help="Print the description as JSON.")
def describe(name: str | None, endpoint: str | None, *, as_json: bool) -> int:
    """Describe NAME: a running robot (/robot1) or module (/robot1/motors), a robot type, device, engine, controller.

    Without NAME, list what is installed.
    """
    plain: Any
    if name is not None and name.startswith("/"):
        from coopsim.client import connect

        with connect(endpoint) as simulation:
            targets = [target for target in simulation.names(f"{name}/") if name.count("/") == 1]
            if targets and not name.startswith("/sim"):
                modules = [simulation.module(target) for target in targets]
                text, plain = _running_text(name, modules), running_plain(name, modules)
            else:
                interface = simulation.module(name).interface
                text, plain = interface_text(name, interface), {"name": name, **interface_plain(interface)}
    elif as_json:
        text, plain = "", _everything_plain() if name is None else _installed_plain(name)
    else:
        text, plain = "\n\n".join(_everything() if name is None else _installed(name)), {}
    talk.data(json.dumps(plain, indent=2) if as_json else text)
    return 0


def interface_plain(interface: "Interface") -> dict[str, Any]:
    """Return an interface as `/sim/names` describes it: kind, summary, commands with what they take, parameters."""
    described: dict[str, Any] = json.loads(interface.to_json())
    return described


def running_plain(name: str, modules: Sequence["Module"]) -> dict[str, Any]:
    """Return what a running robot can do, and its modules by name."""
    from coopsim.features.matches.abilities import abilities

    can = abilities((module.interface, module.parameters) for module in modules)
    described = {module.target: interface_plain(module.interface) for module in modules}
    return {"name": name, "can": [*can], "modules": described}


def interface_text(name: str, interface: "Interface") -> str:
    """Return an interface as a manual page: commands with what they take and give, then parameters."""
    parts = [flowing(f"{name} ({interface.kind}): {interface.summary}")]
    if interface.commands:
        parts.append("\n".join(["commands", *map(_command, interface.commands)]))
    if interface.parameters:
        parts.append("\n".join(["parameters", *map(_parameter, interface.parameters)]))
    return "\n\n".join(parts)


def _command(command: "Command") -> str:
    sides = {"takes": command.takes, "gives": command.gives}
    parts = [f"{side} {', '.join(map(_field, fields))}" for side, fields in sides.items() if fields]
    return entry(f"{command.number:<3} {command.name}", *([command.summary] if command.summary else []), *parts)


def _field(field: "Field") -> str:
    unit = f" [{field.wire_unit}]" if field.wire_unit not in {"", "1"} else ""
    many = "" if field.count == 1 else f" x {field.count}" if field.count else " ..."
    default = "" if field.default is None else f" = {field.default!r}"
    choices = f" ({' | '.join(map(str, field.choices))})" if field.choices else ""
    return f"{field.name}{many}{unit}{default}{choices}"


def _parameter(parameter: "Parameter") -> str:
    about = ", ".join(part for part in (parameter.kind.__name__, _range(parameter)) if part)
    return entry(f"{parameter.name} = {parameter.default!r}  ({about})", parameter.summary)


def _range(parameter: "Parameter") -> str:
    unit = "" if parameter.unit == "1" else f" {parameter.unit}"
    low = "" if math.isinf(parameter.low) else f"{parameter.low:g}"
    high = "" if math.isinf(parameter.high) else f"{parameter.high:g}"
    limits = f"{low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}" if high else ""
    limits = limits or " | ".join(map(str, parameter.choices))
    parts = [f"{limits}{unit}" if limits else unit.strip(), "fixed" if parameter.fixed else ""]
    return ", ".join(part for part in parts if part)


def _everything() -> Iterator[str]:
    from coopsim import plugins

    yield f"robot types\n{listing((name, _robot_summary(name)) for name in robot_types())}"
    for group in GROUPS:
        yield f"{group}\n{listing((name, _summary(group, name)) for name in plugins.registered(group))}"


def _installed(name: str) -> Iterator[str]:
    """Return the pages about everything of this name.

    Raises:
        NoSuchPlugin: Nothing installed is called so.
    """
    from coopsim import plugins
    from coopsim.errors import NoSuchPlugin
    from coopsim.robots import load_type
    from coopsim.scene import hint

    is_installed = False
    if name in robot_types():
        is_installed = True
        yield _robot_text(load_type(name))
    for group in GROUPS:
        if name in plugins.registered(group):
            is_installed = True
            yield _plugin_text(group, name, plugins.load(group, name))
    if not is_installed:
        raise NoSuchPlugin(
            f"nothing installed is called {name!r}{hint(name, describable())}; `coopsim describe` lists everything,"
            " and names of running modules begin with a slash"
        )


def _everything_plain() -> dict[str, dict[str, str]]:
    """Return the summary of everything that is installed, by group and name."""
    from coopsim import plugins

    by_group = {group: {name: _summary(group, name) for name in plugins.registered(group)} for group in GROUPS}
    return {"robot types": {name: _robot_summary(name) for name in robot_types()}, **by_group}


def _installed_plain(name: str) -> list[dict[str, Any]]:
    """Return everything of this name that is installed: its group, its manual, and what a device understands."""
    from coopsim import plugins
    from coopsim.robots import load_type
    from coopsim.robots.plain import to_plain

    manuals, entries = list(_installed(name)), list[dict[str, Any]]()  # which refuses what is not installed
    if name in robot_types():
        entries.append({"group": "robot types", "type": to_plain(load_type(name))})
    for group in GROUPS:
        if name in plugins.registered(group):
            plugin = plugins.load(group, name)
            entry_of_group: dict[str, Any] = {"group": group}
            if group == "devices":
                entry_of_group["interface"] = interface_plain(plugin.interface)
            entries.append(entry_of_group)
    return [{"name": name, **about, "manual": manual} for about, manual in zip(entries, manuals, strict=True)]


def _robot_text(blueprint: "RobotBlueprint") -> str:
    length, width, height = blueprint.size
    head = f"{blueprint.name} (robot type): {blueprint.summary}"
    body = f"{blueprint.shape} of {length:g} x {width:g} x {height:g} m, {blueprint.mass:g} kg"
    rows = [
        (device.name, device.kind, ", ".join(f"{key} {_brief(value)}" for key, value in device.settings.items()))
        for device in blueprint.devices
    ]
    from coopsim.features.matches.abilities import abilities
    from coopsim.robots.registry import InstalledDevices, interface_of

    installed = InstalledDevices()
    can = abilities((interface_of(device, installed), device.settings) for device in blueprint.devices)
    body += f"\ncan: {', '.join(can)}" if can else ""
    return f"{flowing(head)}\n{body}\n\n{table(('module', 'device', 'settings'), rows)}"


def _running_text(name: str, modules: Sequence["Module"]) -> str:
    from coopsim.features.matches.abilities import abilities

    can = abilities((module.interface, module.parameters) for module in modules)
    rows = listing((module.target, module.interface.summary) for module in modules)
    return f"{name} can: {', '.join(can) or 'nothing that squads know'}\n\n{rows}"


def _brief(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _plugin_text(group: str, name: str, plugin: Any) -> str:
    from coopsim.robots import check_plugin

    manual = _manual(name, plugin)
    check_plugin(group, name, plugin)
    if group == "devices":
        return f"{interface_text(name, plugin.interface)}\n\n{manual}"
    head = "\n\n".join([f"{name} ({group.removesuffix('s')})", manual])
    parameters = getattr(plugin, "PARAMETERS", ())
    if group != "controllers" or not parameters:
        return head
    return "\n".join([head, "", "keys of [CONTROLLER_n]", *map(_parameter, parameters)])


def _manual(name: str, plugin: Any) -> str:
    """Return what the documentation says to those who use it, in lines that fit."""
    manual = (inspect.getdoc(plugin) or "").removeprefix(f"`{name}`: ")
    parts = [part for part in manual.split("\n\n") if not part.startswith(_FOR_DEVELOPERS)]
    return "\n\n".join(flowing(" ".join(part.split())) for part in parts)


def _summary(group: str, name: str) -> str:
    from coopsim import plugins
    from coopsim.errors import PluginError

    try:
        manual = inspect.getdoc(plugins.load(group, name)) or ""
        summary = manual.partition("\n")[0].removeprefix(f"`{name}`: ")
    except PluginError as problem:
        return f"cannot be loaded: {problem}"
    plugin = plugins.registered(group)[name]
    return f"{summary} [{plugin.places[0]}]" if plugin.is_foreign else summary


def _robot_summary(name: str) -> str:
    from coopsim.errors import CoopsimError
    from coopsim.robots import load_type

    try:
        return load_type(name).summary
    except CoopsimError as problem:
        return f"cannot be loaded: {problem}"
