"""Texts of `.robot` files that name a model."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from coopsim.errors import BadFile, CannotSave
from coopsim.features.models.extended_models import ASSIGNS, OWN, XACRO
from coopsim.features.models.model_paths import find_model_file
from coopsim.features.models.xacro_models import read_xacro
from coopsim.robots.finding import find_file
from coopsim.robots.type_files import read_type, suffixes, usd_words
from coopsim.scene import DeviceSection, Problems, RobotFile, choices, read_robot

_WIDTH = 100  # letters of a line of comments


def read_source(path: Path, problems: Problems, arguments: Mapping[str, str] | None = None) -> RobotFile:
    """Return what a model describes.

    Args:
        path: A file of URDF, xacro, MJCF or SDF.
        problems: Takes what is left out.
        arguments: Of a file with macros, by name.

    Raises:
        BadFile: It has mistakes, or is no model.
        NoSuchFile: It is not there.
    """
    readable = [suffix for suffix in suffixes() if suffix != OWN]
    if find_file(path).suffix not in readable:
        raise BadFile(f"{path}: expected a model, a file with the suffix {choices(readable)}{usd_words(path.name)}")
    if arguments and path.suffix != XACRO:
        raise BadFile(f"{path}: only files with macros take arguments, those that end in {XACRO}")
    model = read_xacro(path, problems, arguments) if arguments else read_type(path, problems)
    problems.raise_any()
    return model


def robot_text(
    model: RobotFile, path: Path, target: Path, *, is_free: bool = False, arguments: Mapping[str, str] | None = None
) -> str:
    """Return the text of a file that names a model.

    Args:
        model: What it describes.
        path: Its file.
        target: The file that is written, from which the model is named.
        is_free: Whether the base moves.
        arguments: Of a file with macros, by name.
    """
    given = "".join(f" {name}{ASSIGNS}{value}" for name, value in (arguments or {}).items())
    lines = ["[ROBOT]", f"summary  {path.name}", f"model    {model_name(path, target)}{given}"]
    lines += ["free     yes"] if is_free else []
    lines += ["", "# Modules of the model. What stands here changes them; without these sections they are the same."]
    sections = list(_modules(model))
    for number, section in enumerate(sections, 1):
        lines += ["", f"[DEVICE_{number}]", *section]
    lines += ["", *_commented(f"Links for the key 'body' of devices: {' '.join(link.name for link in model.links)}")]
    lines += ["#", f"# [DEVICE_{len(sections) + 1}]", "# type  imu"]
    lines += [f"# body  {model.links[-1].name}"] if model.links else []
    return "\n".join(lines) + "\n"


def model_name(path: Path, target: Path) -> str:
    """Return the name of a model as a `.robot` file says it: below its folder, in an installed package, or a way to it.

    Args:
        path: Of the model.
        target: The `.robot` file.
    """
    file, folder = path.resolve(), target.resolve().parent
    if file.is_relative_to(folder):
        return file.relative_to(folder).as_posix()
    for entry in filter(None, sys.path):
        root = Path(entry).resolve()
        if root != folder and file.is_relative_to(root) and len(file.relative_to(root).parts) > 1:
            name = f"package://{file.relative_to(root).as_posix()}"
            located = find_model_file(name, target.resolve())
            if located is not None and located.resolve() == file:
                return name
    return Path(os.path.relpath(file, folder)).as_posix()


def check_robot_text(text: str, target: Path) -> None:
    """Check that a text says the model that it was made for, as a path with signs of ours in it does not.

    Raises:
        CannotSave: It does not.
    """
    with TemporaryDirectory() as folder:
        copy = Path(folder) / target.name
        copy.write_text(text, encoding="utf-8")
        file, problems = read_robot(copy)
    said = " ".join(file.model.values) if file.model else ""
    wanted = next(line for line in text.splitlines() if line.startswith("model ")).removeprefix("model").strip()
    if problems.total or said != wanted:
        raise CannotSave(f"{target}: a file cannot name the model {wanted!r}; call its folder and file without '#'")


def _modules(model: RobotFile) -> Iterator[list[str]]:
    for section in model.devices:
        if section.settings:
            yield list(_device_lines(section))


def _device_lines(section: DeviceSection) -> Iterator[str]:
    rows = [("type", section.type), ("name", section.name)]
    rows += [(entry.key, " ".join(entry.values)) for entry in section.settings]
    width = max(len(key) for key, _ in rows)
    for key, words in rows:
        yield f"{key:<{width}}  {words}"


def _commented(text: str) -> Iterator[str]:
    """Yield a text as lines of comments."""
    line = "#"
    for word in text.split():
        if len(line) + len(word) >= _WIDTH:
            yield line
            line = "#  "
        line = f"{line} {word}"
    yield line
