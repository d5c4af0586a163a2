"""Source text of other programs, made from models: packages for ROS 1, processes in Python.

What was generated is written anew each time; what people wrote into a package is never touched.
"""

from coopsim.features.amsa.generation.files import GENERATED, GeneratedFile, PackageWriter
from coopsim.features.amsa.generation.python_processes import frames_of, python_processes
from coopsim.features.amsa.generation.ros1 import ros1_package

__all__ = ["GENERATED", "GeneratedFile", "PackageWriter", "frames_of", "python_processes", "ros1_package"]
