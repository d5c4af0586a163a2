"""What these tests need of the machine: a compiler, ROS 1 for the package that is generated, OpenGL for pictures."""

import shutil

from coopsim.errors import CannotDraw
from coopsim.features.desktop.cameras.service import open_painter

_ROS = ("catkin_make", "roslaunch", "cmake", "c++")


def _can_draw() -> bool:
    try:
        open_painter().close()
    except CannotDraw:
        return False
    return True


collect_ignore = [
    *([] if shutil.which("cc") else ["test_papers_transparency.py"]),
    *([] if all(map(shutil.which, _ROS)) else ["test_papers_amsa_ros.py", "test_papers_swarmsimx_ros.py"]),
    *([] if _can_draw() else ["test_papers_viewers.py"]),
]
