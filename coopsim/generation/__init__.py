"""Source text of other programs, made from models: packages for ROS 1.

What was generated is written anew each time; what people wrote into a package is never touched.
"""

from coopsim.generation.files import GENERATED, GeneratedFile, PackageWriter
from coopsim.generation.ros1 import ros1_package

__all__ = ["GENERATED", "GeneratedFile", "PackageWriter", "ros1_package"]
