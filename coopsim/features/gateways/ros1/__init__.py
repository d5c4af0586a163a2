"""The gateway to ROS 1."""
