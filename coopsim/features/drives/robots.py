"""Types of robots with these drives."""

from pathlib import Path
from typing import Final

OMNI_ROBOT: Final = str(Path(__file__).with_name("omni.robot"))
CAR_ROBOT: Final = str(Path(__file__).with_name("car.robot"))
SINGLE_HINGED: Final = str(Path(__file__).with_name("single_hinged.robot"))
TURTLEBOT3_BURGER: Final = str(Path(__file__).with_name("turtlebot3_burger.robot"))
