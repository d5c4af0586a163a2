"""Options of the pace of a run."""

from dataclasses import dataclass
from typing import NamedTuple

from coopsim.errors import BadArgument
from coopsim.interfaces.simulation import MODES, SPEEDS
from coopsim.transport import Notifier

SMALLEST_STEP = 0.01  # s; below it a machine with other work hardly keeps real time


@dataclass(frozen=True, slots=True)
class PhysicsOptions:
    """Options of a run's pace; None = as the scenario says.

    Attributes:
        duration: Simulated seconds after which the run ends; None = never.
        small_steps: Allow steps below 10 ms.
        state: Snapshot to continue from; b"" = begin as the scenario says.
        realtime_priority: Whether ticks have real-time priority while they are paced.
        profile: Whether ticks are measured phase by phase.
        is_paced: Whether lockstep goes no faster than real time, until somebody chooses a mode.
        stays: Whether the run goes on to be there after its end: a scene that is loaded has an end of its own, or none.
    """

    mode: str = "real-time"
    speed: float = 1.0
    step: float = 0.01
    seed: int = 0
    duration: float | None = None
    engine: str = "pymunk"
    small_steps: bool = False
    state: bytes = b""
    realtime_priority: bool = False
    profile: bool = False
    is_paced: bool = False
    stays: bool = False

    def check_step(self, step: float) -> None:
        """Check a length of ticks [s].

        Raises:
            BadArgument: It is too small or too large.
        """
        low = 1e-4 if self.small_steps else SMALLEST_STEP
        if not low <= step <= 1.0:
            raise BadArgument(f"step must lie within {low:g} and 1 s, got {step:g}; see --allow-small-step")


class Wakeups(NamedTuple):
    """Wake-ups between physics and other processes.

    Attributes:
        woken: Rung after each record.
        permit: Permissions for lockstep ticks.
        recorder: Notified when the recorder must hurry.
    """

    woken: Notifier
    permit: Notifier
    recorder: Notifier | None = None


def nanoseconds(seconds: float | None) -> int | None:
    """Return a time in whole nanoseconds, None = never."""
    return None if seconds is None else round(seconds * 1e9)


def check_mode(mode: str) -> None:
    """Check a mode.

    Raises:
        BadArgument: There is no such mode.
    """
    if mode not in MODES:
        raise BadArgument(f"mode must be one of {', '.join(MODES)}, got {mode!r}")


def check_speed(speed: float) -> None:
    """Check a speed [simulated s / s].

    Raises:
        BadArgument: It is too low or too high.
    """
    low, high = SPEEDS
    if not low <= speed <= high:
        raise BadArgument(f"speed must lie within {low:g} and {high:g}, got {speed:g}")
