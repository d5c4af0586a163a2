"""Robots that are a model and what a `.robot` file adds to it: devices on its links, further links, visuals."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path

from coopsim.features.models.model_paths import find_model_file, searched_in
from coopsim.features.models.models import read_model
from coopsim.features.models.xacro_models import read_xacro
from coopsim.robots.type_files import read_type, suffixes, usd_words
from coopsim.scene import BASE, DeviceSection, Entry, Problems, RobotFile, Span, choices, find_entry, quoted

OWN, XML, XACRO = ".robot", ".xml", ".xacro"
ASSIGNS = ":="
"""Between name and value of an argument of a file with macros, as ROS writes it."""
_JOINTS, _PER_JOINT = "joints", ("max_effort", "max_velocity")
"""Keys of a device: joints of its motors, and what each of these has of its own."""
_UNKNOWN = "1"  # stands for a limit of a joint that is refused
_LIGHT_BASE = 1e-3  # kg; of a base that moves, beside whose links it counts for nothing


def extended(file: RobotFile, problems: Problems) -> RobotFile:
    """Return the robot of a file that names a model: bodies, joints and devices of the model, then those of the file.

    A device of the name and type of one of the model changes its settings; one of another type takes its place.

    Args:
        file: Its `model` is a path from the file, or `package://PKG/PATH`.
        problems: Takes every mistake of both files.
    """
    before = problems.total
    model = _model_of(file, problems)
    if model is None or problems.total > before:
        # what hangs on links that are not there would be one mistake more for each
        return replace(file, model=None, devices=(), links=(), joints=(), visuals=())
    _check_names(file, model, problems)
    is_bolted = model.is_bolted if file.is_free is None else not file.is_free
    return replace(
        model,
        name=file.name,
        summary=file.summary or model.summary,
        mass=model.mass if is_bolted else min(model.mass, _LIGHT_BASE),
        is_bolted=is_bolted,
        links=(*model.links, *file.links),
        joints=(*model.joints, *file.joints),
        devices=tuple(_devices(model, file, problems)),
        visuals=(*model.visuals, *file.visuals),
        file=file.file,
        span=file.span,
    )


def _model_of(file: RobotFile, problems: Problems) -> RobotFile | None:
    """Return the model that a file names, None where there is none, which is noted."""
    assert file.model is not None  # noqa: S101 - the caller's promise
    name, span = model_words(file.model.values), file.model.value_spans[0]
    arguments = model_arguments(file.model.values)
    path = find_model_file(name, Path(file.file))
    readable = [suffix for suffix in suffixes() if suffix != OWN]
    if path is None:
        text = f"there is no file {quoted(name)}, seen from the folder of this file"
        problems.add(span, f"{text}; packages are looked for in {searched_in()}")
    elif path.suffix not in readable:
        text = f"expected a model, a file with the suffix {choices(readable)}; got {quoted(path.name)}"
        problems.add(span, f"{text}{usd_words(path.name)}")
    elif arguments and path.suffix != XACRO:
        text = f"{quoted(path.name)} takes no arguments: a file with macros does, one that ends in {XACRO}"
        problems.add(file.model.value_spans[-1], text)
    elif arguments:
        return read_xacro(path, problems, arguments)
    else:
        return read_model(path, problems) if path.suffix == XML else read_type(path, problems)
    return None


def model_words(words: Sequence[str]) -> str:
    """Return the name of a model among the words of a key, without arguments."""
    return " ".join(word for word in words if ASSIGNS not in word)


def model_arguments(words: Iterable[str]) -> dict[str, str]:
    """Return the arguments among words as `NAME:=VALUE`."""
    return {name: value for name, between, value in (word.partition(ASSIGNS) for word in words) if between and name}


def _check_names(file: RobotFile, model: RobotFile, problems: Problems) -> None:
    """Note links, joints and visuals of the file that are called as those of the model."""
    for kind, own, models in (
        ("link", file.links, model.links),
        ("joint", file.joints, model.joints),
        ("visual", file.visuals, model.visuals),
    ):
        _check_distinct(kind, [(part.name, part.span) for part in own], {part.name for part in models}, problems)


def _check_distinct(kind: str, own: Iterable[tuple[str, Span]], names: set[str], problems: Problems) -> None:
    for name, span in own:
        if name in names:
            problems.add(span, f"the model has a {kind} {quoted(name)} already; call this one otherwise")


def _devices(model: RobotFile, file: RobotFile, problems: Problems) -> list[DeviceSection]:
    """Return the devices of a model as a file changes them, then what it adds."""
    devices, limits = {section.name: section for section in model.devices}, _limits(model.devices)
    added = {joint.name for joint in file.joints}
    for section in file.devices:
        former = devices.get(section.name)
        is_change = former is not None and former.type == section.type
        whole = _changed(former, section, limits) if former is not None and is_change else section
        _check_limits(whole, limits, added, problems)
        devices[section.name] = whole
    return list(devices.values())


def _limits(models: Iterable[DeviceSection]) -> dict[str, dict[str, str]]:
    """Return by key and joint the largest effort and speed of all motors of a model."""
    limits: dict[str, dict[str, str]] = {key: {} for key in _PER_JOINT}
    for section in models:
        joints = find_entry(section.settings, _JOINTS)
        for key in _PER_JOINT:
            entry = find_entry(section.settings, key)
            if joints is not None and entry is not None and len(entry.values) == len(joints.values):
                limits[key] |= dict(zip(joints.values, entry.values, strict=True))
    return limits


def _changed(former: DeviceSection, section: DeviceSection, limits: Mapping[str, Mapping[str, str]]) -> DeviceSection:
    """Return a device of a model with what a section of the file says in place of its own."""
    said = {entry.key.lower() for entry in section.settings}
    kept = [entry for entry in former.settings if entry.key.lower() not in said]
    joints = find_entry(section.settings, _JOINTS)
    if joints is not None:
        kept = [_chosen(entry, joints, limits.get(entry.key.lower())) for entry in kept]
    body = former.body if section.body == BASE else section.body
    return replace(section, settings=(*kept, *section.settings), body=body)


def _chosen(entry: Entry, joints: Entry, limits: Mapping[str, str] | None) -> Entry:
    """Return limits of a model's motors as those of the joints that a file names, with the place of these."""
    if limits is None:
        return entry
    # joints that the model has no motor for are told of elsewhere
    values = tuple(limits.get(name, _UNKNOWN) for name in joints.values)
    return Entry(entry.key, values, joints.span, joints.value_spans)


def _check_limits(
    section: DeviceSection, limits: Mapping[str, Mapping[str, str]], added: Set[str], problems: Problems
) -> None:
    """Note joints of a file in a module of the model whose efforts and speeds nobody says."""
    joints = find_entry(section.settings, _JOINTS)
    for key in _PER_JOINT:
        entry = find_entry(section.settings, key)
        if joints is None or entry is None or entry.span != joints.span:
            continue
        for name, span in zip(joints.values, joints.value_spans, strict=True):
            if name in added and name not in limits[key]:
                text = f"the model says no {key} of {quoted(name)}"
                problems.add(span, f"{text}; name {key} in this section, a number for each joint")
