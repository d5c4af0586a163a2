"""When the next key frame of a recording is due."""

from coopsim.simulation.stage import Stage

KEYFRAME_EVERY_NS = 1_000_000_000


class KeyFrameClock:
    """Counts simulated time since the last key frame, whatever the step does and wherever the clock is set."""

    def __init__(self) -> None:
        self._tick: int | None = None
        self._waited_ns = 0

    def is_due(self, stage: Stage) -> bool:
        """Return whether a key frame belongs to this record, and count from here if it does; asked for every record."""
        if self._tick is not None:
            self._waited_ns += (stage.tick_count - self._tick) * stage.step_ns
            if self._waited_ns < KEYFRAME_EVERY_NS:
                self._tick = stage.tick_count
                return False
        self._tick, self._waited_ns = stage.tick_count, 0
        return True
