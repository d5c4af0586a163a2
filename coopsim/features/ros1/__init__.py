"""ROS 1 for drivers and sensors: a node of our own, which needs nothing of ROS here but a master somewhere."""

from coopsim.features.ros1.driver import RosDriver
from coopsim.features.ros1.extension import RosExtension
from coopsim.features.ros1.messages import MessageTypes

__all__ = ["MessageTypes", "RosDriver", "RosExtension"]
