"""Robot types and checks: from files to a run that can be built."""

from coopsim.robots.blueprint import DeviceBlueprint, RobotBlueprint, RunSpec
from coopsim.robots.bodies import (
    floor_body,
    joint_spec,
    object_body,
    robot_bodies,
    robot_body,
    robot_joints,
    world_spec,
    world_with,
)
from coopsim.robots.catalogue import type_names
from coopsim.robots.edits import Sections, sections
from coopsim.robots.engines import engine_like, engine_type, unfit
from coopsim.robots.finding import built_in_names, find_file
from coopsim.robots.links import body_names, name_in
from coopsim.robots.loading import check, examine, load, load_type
from coopsim.robots.plugging import check_plugin, plug
from coopsim.robots.registry import InstalledDevices, TypeRegistry, command_width, device_type
from coopsim.robots.saving import Sources, compose, is_built_in
from coopsim.robots.section_family import SectionFamily, SectionProgram, programs_of
from coopsim.robots.settings import complete_settings
from coopsim.scene import changed as update_entity

__all__ = [
    "DeviceBlueprint",
    "InstalledDevices",
    "RobotBlueprint",
    "RunSpec",
    "SectionFamily",
    "SectionProgram",
    "Sections",
    "Sources",
    "TypeRegistry",
    "body_names",
    "built_in_names",
    "check",
    "check_plugin",
    "command_width",
    "complete_settings",
    "compose",
    "device_type",
    "engine_like",
    "engine_type",
    "examine",
    "find_file",
    "floor_body",
    "is_built_in",
    "joint_spec",
    "load",
    "load_type",
    "name_in",
    "object_body",
    "plug",
    "programs_of",
    "robot_bodies",
    "robot_body",
    "robot_joints",
    "sections",
    "type_names",
    "unfit",
    "update_entity",
    "world_spec",
    "world_with",
]
