"""The states that images are drawn of, by tick: in the shared memory of a run, or in the recording that is shown."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from coopsim.errors import NoImage
from coopsim.interfaces.camera import DEPTH, DEPTH_PNG, LABELS
from coopsim.recording import CameraStream, RecordedImage, Recording, Scrubber
from coopsim.state import Layout, Record
from coopsim.transport import Ring, unpacked_layout
from coopsim.transport.control import CameraOrder

_MOST_LAYOUTS = 4  # requests may be two generations late while a scene is edited


class TickState(NamedTuple):
    """A record, and the layout that explains it."""

    layout: Layout
    record: Record


class TickStates(Protocol):
    """Source of the states that cameras draw."""

    def at(self, tick: int) -> TickState:
        """Return the state of a tick; where that is gone, the newest one.

        Raises:
            NoImage: There is none.
        """
        ...


class RingStates:
    """States of a run: two seconds of simulated time at least, and a thousand ticks at most, are there."""

    def __init__(self, ring: Ring) -> None:
        self._ring = ring
        self._layouts = LayoutCache(lambda generation: unpacked_layout(ring.layout(generation)))

    def at(self, tick: int) -> TickState:
        """Return the state of a tick; where that is overwritten, the newest one."""
        raw = self._ring.of_tick(tick) or self._ring.latest()
        if not raw:
            raise NoImage("the run has made no record yet")
        record = Record(raw)
        return TickState(self._layouts.of(record.generation), record)


class RecordedStates:
    """States of a recording.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._recording = Recording.open(path)
        self._scrubber = Scrubber(self._recording)
        self._layouts = LayoutCache(self._recording.layout)

    def at(self, tick: int) -> TickState:
        """Return the state of a tick, or the last one before it."""
        record = self._scrubber.at_tick(tick)
        return TickState(self._layouts.of(record.generation), record)

    def image(self, order: CameraOrder) -> RecordedImage | None:
        """Return the image that the recording has, None if it has none; it has no labels."""
        if order.encoding == LABELS:
            return None
        kind = "depth" if order.encoding in (DEPTH, DEPTH_PNG) else "color"
        return self._recording.image(CameraStream(order.robot, order.module, kind), order.tick)

    def close(self) -> None:
        """Close the file."""
        self._recording.close()


class LayoutCache:
    """The layouts of a few generations: the same object for the same one.

    Args:
        read: Returns the layout of a generation.
    """

    def __init__(self, read: Callable[[int], Layout]) -> None:
        self._read = read
        self._known: dict[int, Layout] = {}

    def of(self, generation: int) -> Layout:
        """Return the layout of a generation."""
        if generation not in self._known:
            if len(self._known) == _MOST_LAYOUTS:
                self._known.pop(next(iter(self._known)))
            self._known[generation] = self._read(generation)
        return self._known[generation]
