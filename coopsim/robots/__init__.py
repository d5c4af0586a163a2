"""Robot types and checks: from files to a run that can be built."""

from coopsim.robots.blueprint import DeviceBlueprint, RobotBlueprint, RunSpec

__all__ = ["DeviceBlueprint", "RobotBlueprint", "RunSpec"]
