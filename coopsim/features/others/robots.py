"""Types of robots that other simulators have."""

from pathlib import Path
from typing import Final

GTERNAL: Final = str(Path(__file__).with_name("gternal.robot"))
GTERNAL_BLIND: Final = str(Path(__file__).with_name("gternal_blind.robot"))
# the same one without its distance sensors, which a script has to switch on there, too
