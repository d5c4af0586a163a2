"""World, scenario and robot files as text and as specs: syntax and shapes; types and ranges are checked in `robots`."""

from coopsim.scene.area_spec import AREA_KINDS, Area
from coopsim.scene.areas import clash_text, clashes
from coopsim.scene.edit import Additions, Entity, changed, read_additions
from coopsim.scene.joint_spec import Joint, JointDynamics
from coopsim.scene.lines import Section, find_entry
from coopsim.scene.object_part import ObjectPart
from coopsim.scene.page import Page, section_text
from coopsim.scene.patterns import is_pattern, matching
from coopsim.scene.placement_spec import RobotPlacement
from coopsim.scene.polygons import MOST_CORNERS
from coopsim.scene.problems import Problem, Problems
from coopsim.scene.robot_file import read_robot
from coopsim.scene.run_sections import with_engine, with_laws
from coopsim.scene.saving import placements_of, scenario_text, seed_of, world_of, world_text
from coopsim.scene.scenario_file import read_scenario
from coopsim.scene.section_families import RemovedNames, SceneSections, facts_of
from coopsim.scene.section_families import families as section_families
from coopsim.scene.soft_node import SoftNode
from coopsim.scene.source import shown_files_assumed, why_unreadable
from coopsim.scene.spans import Entry, Span
from coopsim.scene.specs import (
    BASE,
    TEAM,
    Controller,
    DeviceSection,
    Event,
    Floor,
    Goal,
    LinkSpec,
    Object,
    RobotFile,
    Scenario,
    Settings,
    TargetSpec,
    VisualSection,
    World,
)
from coopsim.scene.values import Flaw, by_name, rows_in_order, to_number
from coopsim.scene.world_file import read_world
from coopsim.suggest import choices, hint, quoted

__all__ = [
    "AREA_KINDS",
    "BASE",
    "MOST_CORNERS",
    "TEAM",
    "Additions",
    "Area",
    "Controller",
    "DeviceSection",
    "Entity",
    "Entry",
    "Event",
    "Flaw",
    "Floor",
    "Goal",
    "Joint",
    "JointDynamics",
    "LinkSpec",
    "Object",
    "ObjectPart",
    "Page",
    "Problem",
    "Problems",
    "RemovedNames",
    "RobotFile",
    "RobotPlacement",
    "Scenario",
    "SceneSections",
    "Section",
    "Settings",
    "SoftNode",
    "Span",
    "TargetSpec",
    "VisualSection",
    "World",
    "by_name",
    "changed",
    "choices",
    "clash_text",
    "clashes",
    "facts_of",
    "find_entry",
    "hint",
    "is_pattern",
    "matching",
    "placements_of",
    "quoted",
    "read_additions",
    "read_robot",
    "read_scenario",
    "read_world",
    "rows_in_order",
    "scenario_text",
    "section_families",
    "section_text",
    "seed_of",
    "shown_files_assumed",
    "to_number",
    "why_unreadable",
    "with_engine",
    "with_laws",
    "world_of",
    "world_text",
]
