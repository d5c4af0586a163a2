"""What each kind of module understands: numbered commands and typed, ranged parameters. Numbers are never reused.

An interface is data. Servers, the client, sliders, the docs and other languages are checked against it.
"""

from coopsim.interfaces._interface import Command, Effect, Field, Interface, Parameter, Value
from coopsim.interfaces.bumpers import BUMPERS
from coopsim.interfaces.common import COMMON, Common
from coopsim.interfaces.compass import COMPASS
from coopsim.interfaces.gps import GPS
from coopsim.interfaces.motors import MOTORS
from coopsim.interfaces.odometry import ODOMETRY
from coopsim.interfaces.playback import PLAYBACK
from coopsim.interfaces.simulation import CLOCK, INFO, NAMES, RECORDER, STEP, WORLD
from coopsim.interfaces.sonars import SONARS
from coopsim.interfaces.target import TARGET

__all__ = [
    "BUMPERS",
    "CLOCK",
    "COMMON",
    "COMPASS",
    "GPS",
    "INFO",
    "MOTORS",
    "NAMES",
    "ODOMETRY",
    "PLAYBACK",
    "RECORDER",
    "SONARS",
    "STEP",
    "TARGET",
    "WORLD",
    "Command",
    "Common",
    "Effect",
    "Field",
    "Interface",
    "Parameter",
    "Value",
]
