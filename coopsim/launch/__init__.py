"""Start, watch and stop the processes of one run.

A launcher starts a physics process, a host process and the scenario's controllers, connects them by shared memory and
channels, and makes sure that nothing of them is left in the end, in whatever order they die.
"""

from coopsim.launch.access import Access
from coopsim.launch.launcher import Launcher
from coopsim.launch.options import DEFAULT_PORT, SMALLEST_STEP, Origin, RunOptions
from coopsim.launch.programs import Programs, RunView
from coopsim.launch.report import Report, RobotEnd, Summary
from coopsim.launch.tracks import Track

__all__ = [
    "DEFAULT_PORT",
    "SMALLEST_STEP",
    "Access",
    "Launcher",
    "Origin",
    "Programs",
    "Report",
    "RobotEnd",
    "RunOptions",
    "RunView",
    "Summary",
    "Track",
]
