"""What these tests need of the machine: a compiler for the robot in C, ROS 1 for the package that is generated."""

import shutil

_ROS = ("catkin_make", "roslaunch", "cmake", "c++")
collect_ignore = [
    *([] if shutil.which("cc") else ["test_papers_transparency.py"]),
    *([] if all(map(shutil.which, _ROS)) else ["test_papers_amsa_ros.py"]),
]
