"""From a `.robot` file to a blueprint: device types, settings and module names are known to be right."""

import inspect
import math
from collections.abc import Iterable, Mapping

from coopsim import plugins
from coopsim.errors import BadArgument, PluginError
from coopsim.interfaces import GRIPPER, HINGE, JOINTS, SLIDE, Interface, Value
from coopsim.robots.arms import fit_arms
from coopsim.robots.blueprint import DeviceBlueprint, RobotBlueprint
from coopsim.robots.links import check_bodies, check_place
from coopsim.robots.settings import read_setting
from coopsim.robots.visuals import read_visuals
from coopsim.robots.wiring import WiredDevice, wiring_flaws, wiring_gaps
from coopsim.scene import DeviceSection, Entry, Flaw, Problems, RobotFile, Span, choices, find_entry, hint, quoted


def is_driver(kind: str, interface: Interface) -> bool:
    """Return whether a device type is a driver, as its interface says, or its class, if it is not of ours."""
    # to look at classes of ours takes numba, and a quarter of a second
    if not plugins.is_foreign("devices", kind):
        return interface.is_driver
    from coopsim.devices.artifacts.authored import ArtifactDriver

    try:
        driver = plugins.load("devices", kind)
    except PluginError:
        return False
    return inspect.isclass(driver) and issubclass(driver, ArtifactDriver)


def assemble(file: RobotFile, devices: Mapping[str, Interface], problems: Problems) -> RobotBlueprint:
    """Return the blueprint of a robot type.

    Args:
        file: What its file says.
        devices: Interfaces of the known device types.
        problems: Takes every mistake; devices that cannot be used are left out.
    """
    _check_names(file.devices, problems)
    sections: list[tuple[DeviceSection, Interface, dict[str, Value]]] = []
    for section in file.devices:
        interface = _interface(section, devices, problems)
        if interface is not None:
            sections.append((section, interface, _settings(section, interface, problems)))
    _check_drivers([section for section, interface, _ in sections if is_driver(section.type, interface)], problems)
    _check_roles([(section, interface) for section, interface, _ in sections], problems)
    _check_wiring(sections, problems)
    pacing = _pacing([(section, interface) for section, interface, _ in sections], problems)
    check_bodies(file, problems)
    for section, interface, settings in sections:
        check_place(section, interface, settings, file, problems)
    fit_arms(sections, file, problems)
    return RobotBlueprint(
        name=file.name,
        summary=file.summary,
        shape=file.shape,
        size=file.size,
        mass=file.mass,
        friction=file.friction,
        devices=tuple(
            DeviceBlueprint(
                section.type, section.name, settings, paces=section is pacing, span=section.span, body=section.body
            )
            for section, _, settings in sections
        ),
        span=file.span,
        visuals=read_visuals(file, problems),
        has_wheels=_has_wheels(file, [interface for _, interface, _ in sections]),
        links=file.links,
        joints=file.joints,
        is_bolted=file.is_bolted,
        is_articulated=file.is_articulated,
        hull=file.hull,
    )


def _has_wheels(file: RobotFile, interfaces: Iterable[Interface]) -> bool:
    """Return whether a robot stands on wheels: as its file says, or where something drives it."""
    return file.has_wheels if file.has_wheels is not None else not file.is_bolted and _is_driven(interfaces)


def _is_driven(interfaces: Iterable[Interface]) -> bool:
    """Return whether something other than its own joints moves a robot, which therefore stands on wheels."""
    return any(
        interface.setting is not None and interface not in (HINGE, SLIDE, JOINTS, GRIPPER) for interface in interfaces
    )


def _check_names(devices: tuple[DeviceSection, ...], problems: Problems) -> None:
    seen: dict[str, DeviceSection] = {}
    for section in devices:
        first = seen.setdefault(section.name, section)
        if first is not section:
            text = f"the module name {quoted(section.name)} is already taken on line {first.name_span.line}"
            problems.add(section.name_span, text)


def _check_drivers(drivers: list[DeviceSection], problems: Problems) -> None:
    """Note a second driver (SwarmSimX, section 2.2: at most one for each artifact)."""
    for section in drivers[1:]:
        first = drivers[0]
        text = f"only one driver drives an artifact, and {quoted(first.name)} on line {first.span.line} does"
        problems.add(section.type_span, f"{text}; remove one, or write one driver that does both")


def _check_roles(devices: list[tuple[DeviceSection, Interface]], problems: Problems) -> None:
    """Note devices that are not what their file calls them."""
    for section, interface in devices:
        kind, drives = f"the device type {quoted(section.type)}", is_driver(section.type, interface)
        if section.role == "driver" and not drives:
            problems.add(section.type_span, f"{kind} is no driver; write <device>, or <sensor>")
        elif section.role == "sensor" and (interface.setting is not None or drives):
            cure = "driver" if drives else "device"
            problems.add(section.type_span, f"{kind} is no sensor; write <{cure}>")


def _check_wiring(devices: list[tuple[DeviceSection, Interface, dict[str, Value]]], problems: Problems) -> None:
    """Note ports of devices that lead nowhere, and programs that wait for each other in a circle."""
    spans = {section.name: section.span for section, _, _ in devices}
    parts = [WiredDevice(section.name, interface, values) for section, interface, values in devices]
    for name, text in wiring_flaws(parts):
        problems.add(spans[name], text)
    for name, text in wiring_gaps(parts):
        problems.warn(spans[name], text)


def _interface(section: DeviceSection, devices: Mapping[str, Interface], problems: Problems) -> Interface | None:
    if section.type not in devices:
        advice = f"{hint(section.type, devices)}; known: {choices(devices)}"
        problems.add(section.type_span, f"no device type {quoted(section.type)}{advice}")
        return None
    try:
        return devices[section.type]
    except PluginError as problem:
        problems.add(section.type_span, f"device type {section.type} cannot be used: {problem}")
        return None


def _settings(section: DeviceSection, interface: Interface, problems: Problems) -> dict[str, Value]:
    parameters = {parameter.name.lower(): parameter for parameter in interface.parameters}
    settings = {parameter.name: parameter.default for parameter in interface.parameters}
    chosen = find_entry(section.settings, "preset")
    if chosen is not None:
        settings |= interface.preset(" ".join(chosen.values))
    for entry in section.settings:
        parameter = parameters.get(entry.key.lower())
        if parameter is None:
            names = [parameter.name for parameter in interface.parameters]
            advice = hint(entry.key, [*names, "type", "name", "paces", "body"]) or f"; it knows {choices(names)}"
            problems.add(entry.span, f"{section.type} knows no setting {quoted(entry.key)}{advice}")
            continue
        value = read_setting(parameter, entry.values)
        if isinstance(value, Flaw):
            problems.add(flaw_location(entry, value), value.text)
        else:
            settings[parameter.name] = value
    _check_lengths(section, interface, settings, problems)
    return settings


def _check_lengths(
    section: DeviceSection, interface: Interface, settings: Mapping[str, Value], problems: Problems
) -> None:
    """Note texts that hold more or fewer numbers than there are things that they speak of, and products too large."""
    for names, most in interface.largest:
        product = math.prod(int(settings[name]) for name in names)
        if product > most:
            given = [entry for entry in section.settings if entry.key.lower() in names]
            span = given[-1].span if given else section.span
            problems.add(span, f"{' times '.join(names)} must be {most} at most, got {product}")
    for parameter in interface.parameters:
        entry = find_entry(section.settings, parameter.name.lower()) if parameter.each else None
        if entry is not None:
            try:
                parameter.spread(settings)
            except BadArgument as problem:
                problems.add(entry.span, str(problem))


def flaw_location(entry: Entry, flaw: Flaw) -> Span:
    """Return where in a line the flaw is."""
    return entry.span if flaw.index < 0 else entry.value_spans[flaw.index]


def _pacing(devices: list[tuple[DeviceSection, Interface]], problems: Problems) -> DeviceSection | None:
    """Return the device that paces the robot: the one that says so, or the first actuator that does not refuse."""
    actuators = [section for section, interface in devices if interface.setting is not None]
    chosen = [section for section, _ in devices if section.paces]
    for section in chosen:
        if section not in actuators:
            problems.add(section.paces_span, f"{quoted(section.name)} takes no commands, so it cannot pace the robot")
        elif section is not chosen[0]:
            problems.add(section.paces_span, f"only one module paces a robot, and {quoted(chosen[0].name)} does")
    if chosen:
        return chosen[0]
    return next((section for section in actuators if section.paces is None), None)
