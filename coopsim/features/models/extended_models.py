"""Robots that are a model and what a `.robot` file adds to it: devices on its links, further links, visuals."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from coopsim.features.models.model_paths import find_model_file, searched_in
from coopsim.features.models.models import read_model
from coopsim.features.models.xacro_models import read_xacro
from coopsim.robots.type_files import read_type, suffixes, usd_words
from coopsim.scene import BASE, DeviceSection, Problems, RobotFile, Span, choices, quoted

OWN, XML, XACRO = ".robot", ".xml", ".xacro"
ASSIGNS = ":="
"""Between name and value of an argument of a file with macros, as ROS writes it."""
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
        devices=tuple(_devices(model.devices, file.devices)),
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


def _devices(models: Iterable[DeviceSection], own: Iterable[DeviceSection]) -> list[DeviceSection]:
    """Return the devices of a model as a file changes them, then what it adds."""
    devices = {section.name: section for section in models}
    for section in own:
        former = devices.get(section.name)
        is_change = former is not None and former.type == section.type
        devices[section.name] = _changed(former, section) if former is not None and is_change else section
    return list(devices.values())


def _changed(former: DeviceSection, section: DeviceSection) -> DeviceSection:
    """Return a device of a model with what a section of the file says in place of its own."""
    said = {entry.key.lower() for entry in section.settings}
    kept = (entry for entry in former.settings if entry.key.lower() not in said)
    body = former.body if section.body == BASE else section.body
    return replace(section, settings=(*kept, *section.settings), body=body)
