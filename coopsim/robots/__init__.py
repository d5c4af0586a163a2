"""Robot types and checks: from files to a run that can be built."""

from coopsim.robots.blueprint import DeviceBlueprint, RobotBlueprint, RunSpec
from coopsim.robots.bodies import object_body, robot_body, world_spec
from coopsim.robots.edits import Sections, sections
from coopsim.robots.finding import built_in_names, find_file
from coopsim.robots.loading import check, load, load_type
from coopsim.robots.registry import InstalledDevices, Registry
from coopsim.scene import changed as update_entity

__all__ = [
    "DeviceBlueprint",
    "InstalledDevices",
    "Registry",
    "RobotBlueprint",
    "RunSpec",
    "Sections",
    "built_in_names",
    "check",
    "find_file",
    "load",
    "load_type",
    "object_body",
    "robot_body",
    "sections",
    "update_entity",
    "world_spec",
]
