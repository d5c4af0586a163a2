"""Drivers, sensors and extensions as SwarmSimX has them: Python objects, one for each artifact.

Source: SwarmSimX, section 2.2 (extension mechanism). An artifact is a robot of ours, described by a `.robot` file; a
driver or sensor is a device of it. What is written on arrays instead (`devices.Device`) is many times faster.
"""

from coopsim.devices.artifacts.artifact import Artifact
from coopsim.devices.artifacts.authored import ArtifactDriver as Driver
from coopsim.devices.artifacts.authored import Sensor
from coopsim.devices.artifacts.environment import Callback, Environment
from coopsim.devices.artifacts.extensions import SimulationExtension, running_extensions

__all__ = ["Artifact", "Callback", "Driver", "Environment", "Sensor", "SimulationExtension", "running_extensions"]
