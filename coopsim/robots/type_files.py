"""Files that describe a type of robot: ours, artifacts as XML, and models of others."""

import re
from pathlib import Path

from coopsim.robots import models
from coopsim.scene import Problems, RobotFile, read_robot
from coopsim.scene.artifact_file import ARTIFACT, read_artifact

_XML = ".xml"
SUFFIXES = (*models.SUFFIXES, _XML, ".robot")
"""What their names end with; of several files of one name in a folder the last one of these counts."""
_HEAD = 65_536  # bytes
_COMMENT, _ELEMENT = re.compile(rb"<!--.*?-->", re.DOTALL), re.compile(rb"<([\w:.-]+)")


def read_type(path: Path, problems: Problems) -> RobotFile:
    """Return what a file with one of the suffixes says; `problems` takes its mistakes."""
    if path.suffix in models.SUFFIXES:
        return models.read_model(path, problems)
    return read_artifact(path, problems) if path.suffix == _XML else read_robot(path, problems)[0]


def type_files(folder: Path) -> list[Path]:
    """Return the files of robot types in a folder; of several of one name the last one counts."""
    found = (path for suffix in SUFFIXES for path in sorted(folder.glob(f"*{suffix}")))
    return [path for path in found if path.suffix != _XML or _may_be_artifact(path)]


def _may_be_artifact(path: Path) -> bool:
    """Return whether a file does not begin as another sort of XML."""
    try:
        with path.open("rb") as file:
            first = _ELEMENT.search(_COMMENT.sub(b"", file.read(_HEAD)))
    except OSError:
        return False
    return first is None or first[1] == ARTIFACT.encode()
