"""Interfaces of modules: numbered commands and typed, ranged parameters. Numbers are never reused.

An interface is data. Servers, the client, sliders, the docs and other languages are checked against it.
"""

from coopsim.interfaces._interface import (
    Command,
    Effect,
    Field,
    FileParameter,
    Interface,
    Parameter,
    Preset,
    Value,
    WordsParameter,
    count,
    width,
)
from coopsim.interfaces.arms import GRIPPER, JOINTS, TOOL
from coopsim.interfaces.camera import CAMERA
from coopsim.interfaces.columns import columns, command_numbers, number_names, reading_columns
from coopsim.interfaces.common import COMMON, Common
from coopsim.interfaces.drives import MOTORS, ROTORS
from coopsim.interfaces.joint import HINGE, SLIDE
from coopsim.interfaces.limits import check_steps, check_values, is_limited
from coopsim.interfaces.playback import PLAYBACK
from coopsim.interfaces.ports import Input, Output
from coopsim.interfaces.positions import ODOMETRY, POSE, SUPPORT
from coopsim.interfaces.services import CONTROLLERS, EVENTS, NAMES, RECORDER, RENDERER
from coopsim.interfaces.settings import parameters_of, parameters_of_function, setting
from coopsim.interfaces.simulation import CLOCK, INFO, STEP
from coopsim.interfaces.sonars import BUMPERS, SONARS
from coopsim.interfaces.target import TARGET
from coopsim.interfaces.world import WORLD

__all__ = [
    "BUMPERS",
    "CAMERA",
    "CLOCK",
    "COMMON",
    "CONTROLLERS",
    "EVENTS",
    "GRIPPER",
    "HINGE",
    "INFO",
    "JOINTS",
    "MOTORS",
    "NAMES",
    "ODOMETRY",
    "PLAYBACK",
    "POSE",
    "RECORDER",
    "RENDERER",
    "ROTORS",
    "SLIDE",
    "SONARS",
    "STEP",
    "SUPPORT",
    "TARGET",
    "TOOL",
    "WORLD",
    "Command",
    "Common",
    "Effect",
    "Field",
    "FileParameter",
    "Input",
    "Interface",
    "Output",
    "Parameter",
    "Preset",
    "Value",
    "WordsParameter",
    "check_steps",
    "check_values",
    "columns",
    "command_numbers",
    "count",
    "is_limited",
    "number_names",
    "parameters_of",
    "parameters_of_function",
    "reading_columns",
    "setting",
    "width",
]
