"""Names of modules: `/robot/module`; the module may have a folder, as in `/rover/data/posXLeader`."""

from typing import Final

DATA_FOLDER: Final = "data/"
"""What the names of the modules of data begin with (see docs/components.md)."""


def robot_and_module(target: str) -> tuple[str, str]:
    """Return the robot and the module that a name such as `/team/leader/motors` means; robots have slashes, too."""
    bare = target.strip("/")
    robot, folder, data = bare.rpartition(f"/{DATA_FOLDER}")
    if folder and "/" not in data:
        return robot, DATA_FOLDER + data
    robot, _, module = bare.rpartition("/")
    return robot, module
