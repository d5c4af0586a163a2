"""World, scenario and robot files as text and as specs: syntax and shapes; types and ranges are checked in `robots`."""

from coopsim.scene.specs import (
    Controller,
    DeviceSection,
    Entry,
    Event,
    Floor,
    Object,
    RobotFile,
    RobotPlacement,
    Scenario,
    Settings,
    Span,
    Target,
    World,
)

__all__ = [
    "Controller",
    "DeviceSection",
    "Entry",
    "Event",
    "Floor",
    "Object",
    "RobotFile",
    "RobotPlacement",
    "Scenario",
    "Settings",
    "Span",
    "Target",
    "World",
]
