"""Types of robots that other simulators have."""

from pathlib import Path
from typing import Final

GTERNAL: Final = str(Path(__file__).with_name("gternal.robot"))
