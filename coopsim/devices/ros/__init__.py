"""ROS 1 for drivers and sensors: a node of our own, which needs nothing of ROS here but a master somewhere."""

from coopsim.devices.ros.driver import RosDriver
from coopsim.devices.ros.extension import RosExtension
from coopsim.devices.ros.messages import MessageTypes

__all__ = ["MessageTypes", "RosDriver", "RosExtension"]
