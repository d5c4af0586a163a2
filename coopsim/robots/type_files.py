"""Files that describe a type of robot: ours, artifacts as XML, and models of others."""

import re
from pathlib import Path

from coopsim import plugins
from coopsim.errors import PluginFailed
from coopsim.scene import Problems, RobotFile, read_robot
from coopsim.scene.artifact_file import ARTIFACT, read_artifact

_XML = ".xml"
_ROBOT = ".robot"
_READERS = "robot_readers"
_MODELS = "robot_models"
"""Its function `(file, problems) -> RobotFile` adds what a `.robot` file says to the model that it names."""
_PRECEDENCE = (".xacro", ".urdf", ".mjcf", ".sdf", _XML, _ROBOT)
"""Of several files of one name in a folder the last one of these counts; suffixes of packages come before them."""
_ROOTS = {"mujoco": "mjcf", "mujocoinclude": "mjcf", "robot": "urdf", "sdf": "sdf"}
"""Readers of `.xml` files, by their first element; others are artifacts."""
_USD = (".usd", ".usda", ".usdc", ".usdz")
_HEAD = 65_536  # bytes
_COMMENT, _ELEMENT = re.compile(rb"<!--.*?-->", re.DOTALL), re.compile(rb"<([\w:.-]+)")


def suffixes() -> tuple[str, ...]:
    """Return the ends of names of files that describe a type of robot, in the order in which they count.

    Packages register a function `(path, problems) -> RobotFile` as `coopsim.robot_readers`, under the suffix without
    its dot.
    """
    registered = {f".{name}" for name in plugins.registered(_READERS)}
    rest = sorted(registered.difference(_PRECEDENCE))
    return (*rest, *(suffix for suffix in _PRECEDENCE if suffix in {*registered, _XML, _ROBOT}))


def usd_words(name: str) -> str:
    """Return the rest of a message about a file that cannot be read, where it is one of USD; else ""."""
    is_usd = Path(name).suffix.lower() in _USD
    return "; USD is not read, as no library here reads it: export the model as MJCF or URDF" if is_usd else ""


def read_type(path: Path, problems: Problems) -> RobotFile:
    """Return what a file with one of the suffixes says; `problems` takes its mistakes.

    Raises:
        PluginFailed: The reader of a package fails.
    """
    if path.suffix == _XML and _first_element(path) not in _ROOTS:
        return read_artifact(path, problems)
    if path.suffix == _ROBOT:
        file = read_robot(path, problems)[0]
        return file if file.model is None else plugins.load(_MODELS, "model")(file, problems)
    name = _ROOTS.get(_first_element(path), "") if path.suffix == _XML else path.suffix.removeprefix(".")
    with plugins.blamed(f"reader of {path.suffix} files"):
        described = plugins.load(_READERS, name)(path, problems)
    if not isinstance(described, RobotFile):
        place = plugins.registered(_READERS)[name].places[0]
        raise PluginFailed(f"{place}: expected a RobotFile of {path.name}, got {type(described).__name__}")
    return described


def type_files(folder: Path) -> list[Path]:
    """Return the files of robot types in a folder; of several of one name the last one counts."""
    paths = (path for suffix in suffixes() for path in sorted(folder.glob(f"*{suffix}")))
    return [path for path in paths if path.suffix != _XML or _may_be_artifact(path)]


def _may_be_artifact(path: Path) -> bool:
    """Return whether a file does not begin as another sort of XML."""
    return _first_element(path) in ("", ARTIFACT)


def _first_element(path: Path) -> str:
    """Return the name of the first element of an XML file, "" where there is none near its beginning."""
    try:
        with path.open("rb") as file:
            first = _ELEMENT.search(_COMMENT.sub(b"", file.read(_HEAD)))
    except OSError:
        return ""
    return first[1].decode() if first else ""
