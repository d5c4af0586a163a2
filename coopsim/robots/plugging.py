"""Loose plugins, loaded and looked over before anything runs with them."""

import inspect
from pathlib import Path
from typing import Any

from coopsim import plugins
from coopsim.devices.checking import check_method, check_type, code_location
from coopsim.engines import PhysicsEngine
from coopsim.errors import BadArgument, CoopsimError, NoSuchFile, PluginClash, PluginFailed
from coopsim.interfaces import parameters_of_function
from coopsim.plugins import LooseFile, shown
from coopsim.robots.finding import TYPES
from coopsim.scene import why_unreadable

_ENGINE = (
    *("step", "check_step", "contacts", "joint_state", "set_state", "check", "add", "add_all", "remove"),
    *("add_joint", "remove_joint"),
    *("rebuild", "snapshot", "restore"),
)

_ROBOT = (".robot", ".xml")


def plug(path: str | Path) -> LooseFile:
    """Load a loose plugin into this process; what it registers is known like everything that is installed.

    Raises:
        NoSuchFile: There is no such file.
        PluginFailed: It has a mistake; the text names file and line.
        PluginClash: It registers a name that is taken.
    """
    before = plugins.loose_files()
    loose = plugins.add(path)
    if loose not in before:
        try:
            for group, things in loose.offers.items():
                for name, thing in things.items():
                    check_plugin(group, name, thing)
        except CoopsimError:
            plugins.forget(path)
            raise
    return loose


def check_plugin(group: str, name: str, thing: Any) -> None:
    """Check that `thing` can be what `group` holds.

    Raises:
        PluginFailed: It cannot.
        PluginClash: It is a robot that is built in.
    """
    match group:
        case "devices":
            check_type(name, thing)
        case "engines":
            _check_engine(name, thing)
        case "controllers":
            _check_controller(name, thing)
        case "robots":
            _check_robot(name)
        case _ if group in plugins.registered("plugin_checks"):
            plugins.load("plugin_checks", group)(name, thing)


def robot_file(name: str) -> Path:
    """Return the file of a robot type that a plugin brings.

    Raises:
        NoSuchFile: It is not there.
        PluginFailed: The plugin does not name such a file.
    """
    plugin, path = plugins.registered("robots")[name], plugins.load("robots", name)
    if not isinstance(path, str | Path) or Path(path).suffix not in _ROBOT or Path(path).stem != name:
        raise PluginFailed(
            f"{plugin.places[0]}: the robot {name} must be the path of a file {name}.robot or {name}.xml, got {path!r}"
        )
    file = plugin.folder / path
    reason = why_unreadable(file)
    if reason is not None:
        raise NoSuchFile(f"{shown(file)}: {reason}; {plugin.places[0]} registers it as the robot {name}")
    return file


def _check_robot(name: str) -> None:
    brought, built_in = robot_file(name), TYPES / f"{name}.robot"
    if built_in.exists() and not built_in.samefile(brought):
        place = plugins.registered("robots")[name].places[0]
        raise PluginClash(f"{place} registers the robot {name!r}, which {shown(built_in)} is already")


def _check_engine(name: str, thing: Any) -> None:
    if not inspect.isclass(thing):
        raise PluginFailed(f"engine {name}: expected a class, got {thing!r}")
    for method in _ENGINE:
        check_method(f"engine {name}", thing, PhysicsEngine, method)


def _check_controller(name: str, thing: Any) -> None:
    if isinstance(thing, plugins.PlainLaw):
        try:
            parameters_of_function(thing.decide)
        except BadArgument as problem:
            raise PluginFailed(f"{code_location(thing.decide)}: {problem}") from None
        return
    if not callable(getattr(thing, "main", thing)):
        raise PluginFailed(
            f"controller {name}: expected main(arguments) -> exit code, or a module with it; got {thing!r}"
        )
