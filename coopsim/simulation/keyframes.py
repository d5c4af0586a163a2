"""Key frames of a recording: when one is due, and what it holds."""

from coopsim.simulation.snapshot import snapshot
from coopsim.simulation.stage import SimulationState

KEYFRAME_EVERY_NS = 1_000_000_000  # a jump in a recording then does a second of ticks at most
ROOM = 1 << 30  # bytes; the bound of runs without a ring, which says its own


class KeyFrames:
    """Makes the key frames of one recording: one each simulated second, and one with each named snapshot.

    Simulated time is counted since the last one, whatever the step does and wherever the clock is set. The first one
    holds every snapshot that was taken before, each later one those that were taken since.
    """

    def __init__(self) -> None:
        self._tick: int | None = None
        self._waited_ns = 0
        self._kept: dict[str, bytes] = {}

    def next(self, stage: SimulationState, room: int = ROOM) -> bytes:
        """Return the key frame that belongs to this record, b"" = none; asked for every record.

        Args:
            stage: As the record shows it.
            room: How many bytes it may have at most; without room for the named snapshots it comes without them.
        """
        is_first, fresh = self._tick is None, self._fresh(stage)
        if not self.is_next(stage):
            return b""
        self._tick, self._waited_ns = stage.tick_count, 0
        self._kept.update(fresh)
        state = snapshot(stage, fresh if is_first or fresh else None)
        if len(state) > room and fresh:
            state = snapshot(stage)
        return state if len(state) <= room else b""

    def is_next(self, stage: SimulationState) -> bool:
        """Return whether `next` has a key frame to make for this record; asked for every record."""
        return self._is_due(stage) or bool(self._fresh(stage))

    def _fresh(self, stage: SimulationState) -> dict[str, bytes]:
        return {name: state for name, state in stage.snapshots.items() if self._kept.get(name) is not state}

    def _is_due(self, stage: SimulationState) -> bool:
        if self._tick is None:
            return True
        # by ticks, not by the clock: that may be reset, or jump to a snapshot
        self._waited_ns += (stage.tick_count - self._tick) * stage.step_ns
        self._tick = stage.tick_count
        return self._waited_ns >= KEYFRAME_EVERY_NS
