"""Sources of plugins."""

from collections.abc import Callable
from pathlib import Path

Put = Callable[[str, str], Path]
"""Writes a file."""

GAS = '''"""A sensor of gas."""

from coopsim.devices.per_robot import PerRobot
from coopsim.interfaces import Command, Field, Interface, Parameter


class Gas(PerRobot):
    """How bright it is."""

    interface = Interface(
        kind="gas",
        summary="How bright it is.",
        commands=(Command(10, "brightness", "Now.", gives=(Field("level", "1"),)),),
        parameters=(Parameter("gain", float, 2.0, "1", 0.0, 10.0),),
    )

    def read(self, robot):
        return robot.parameters["gain"] * robot.x


PLUGINS = {"devices": {"gas": Gas}}
'''

ROBOT = """[ROBOT]
summary     carries a sensor of gas

[BODY]
type        cylinder
size        0.4 0.4 0.3
mass        10

[DEVICE_1]
type        differential_drive
name        motors

[DEVICE_2]
type        gas
name        gas
"""

SCENARIO = """[WORLD]
file        arena.world

[ROBOT_1]
type        carrier
name        robot1
position    1 0 0

[ROBOT_2]
type        carrier
name        robot2
position    2 1 0
"""
