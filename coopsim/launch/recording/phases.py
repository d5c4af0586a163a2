"""How far a recording is, and what follows what: a table, without processes and clocks."""

from collections.abc import Mapping
from enum import Enum, auto


class Phase(Enum):
    """How far a recording is.

    Attributes:
        IDLE: There is no recorder process.
        OPENING: It opens the file.
        OPEN: The file is open, the source is not ready.
        PLACING: The source was asked where in the ring the recording begins.
        RECORDING: Records are written.
        FINISHING: The recorder was told to stop, and writes what there is.
        ENDING: It was told to stop, and nothing is being recorded.
        LEFT: Nothing is being recorded, and nobody has told it to stop.
    """

    IDLE = auto()
    OPENING = auto()
    OPEN = auto()
    PLACING = auto()
    RECORDING = auto()
    FINISHING = auto()
    ENDING = auto()
    LEFT = auto()

    @property
    def is_recording(self) -> bool:
        """Whether a recording has begun and is not closed yet."""
        return self in {Phase.RECORDING, Phase.FINISHING}

    @property
    def is_stopping(self) -> bool:
        """Whether the recorder was told to stop."""
        return self in {Phase.FINISHING, Phase.ENDING}


class Event(Enum):
    """What may happen to a recording.

    Attributes:
        STARTED: Its process was started.
        OPENED: The file is open.
        SOURCE_READY: The source can be asked.
        PLACED: The source has said where the recording begins.
        REFUSED: The source cannot be recorded.
        FAILED: The file cannot be opened, or written any more.
        STOPPED: Somebody wants it to end.
        CLOSED: The file is closed.
        ENDED: The process has ended.
    """

    STARTED = auto()
    OPENED = auto()
    SOURCE_READY = auto()
    PLACED = auto()
    REFUSED = auto()
    FAILED = auto()
    STOPPED = auto()
    CLOSED = auto()
    ENDED = auto()


_BEFORE = {Event.STOPPED: Phase.ENDING, Event.FAILED: Phase.LEFT, Event.CLOSED: Phase.LEFT, Event.ENDED: Phase.IDLE}
"""What may happen before a recording has begun, besides what leads to that."""
NEXT: Mapping[Phase, Mapping[Event, Phase]] = {
    Phase.IDLE: {Event.STARTED: Phase.OPENING},
    Phase.OPENING: {Event.OPENED: Phase.OPEN, **_BEFORE},
    Phase.OPEN: {Event.SOURCE_READY: Phase.PLACING, **_BEFORE},
    Phase.PLACING: {Event.PLACED: Phase.RECORDING, Event.REFUSED: Phase.LEFT, **_BEFORE},
    Phase.RECORDING: {
        Event.STOPPED: Phase.FINISHING,
        Event.FAILED: Phase.LEFT,
        Event.CLOSED: Phase.LEFT,
        Event.ENDED: Phase.IDLE,
    },
    Phase.FINISHING: {Event.FAILED: Phase.ENDING, Event.CLOSED: Phase.ENDING, Event.ENDED: Phase.IDLE},
    Phase.ENDING: {Event.FAILED: Phase.ENDING, Event.CLOSED: Phase.ENDING, Event.ENDED: Phase.IDLE},
    Phase.LEFT: {
        Event.STOPPED: Phase.ENDING,
        Event.FAILED: Phase.LEFT,
        Event.CLOSED: Phase.LEFT,
        Event.ENDED: Phase.IDLE,
    },
}
"""The phase after an event; an event that is not listed means nothing then, and is passed over."""
