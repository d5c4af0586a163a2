"""Phases of a recording and their transitions: a table, without processes and clocks."""

from collections.abc import Mapping
from enum import Enum, auto


class Phase(Enum):
    """Phase of a recording.

    Attributes:
        IDLE: There is no recorder process.
        OPENING: It opens the file.
        OPEN: The file is open, the source is not ready.
        PLACING: The source was asked where in the ring the recording begins.
        RECORDING: Records are written.
        FINISHING: The recorder got `Stop`, and writes what there is.
        ENDING: It got `Stop`, and nothing is being recorded.
        LEFT: Nothing is being recorded, without a `Stop`.
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
        """Whether the recorder got `Stop`."""
        return self in {Phase.FINISHING, Phase.ENDING}


class RecordingEvent(Enum):
    """Event in the life of a recording.

    Attributes:
        STARTED: Its process was started.
        OPENED: The file is open.
        SOURCE_READY: The source can be asked.
        PLACED: The source has reported where the recording begins.
        REFUSED: The source cannot be recorded.
        FAILED: The file cannot be opened, or written any more.
        STOPPED: A request to end it came.
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


_BEFORE = {
    RecordingEvent.STOPPED: Phase.ENDING,
    RecordingEvent.FAILED: Phase.LEFT,
    RecordingEvent.CLOSED: Phase.LEFT,
    RecordingEvent.ENDED: Phase.IDLE,
}
"""What may happen before a recording has begun, besides what leads to that."""
NEXT: Mapping[Phase, Mapping[RecordingEvent, Phase]] = {
    Phase.IDLE: {RecordingEvent.STARTED: Phase.OPENING},
    Phase.OPENING: {RecordingEvent.OPENED: Phase.OPEN, **_BEFORE},
    Phase.OPEN: {RecordingEvent.SOURCE_READY: Phase.PLACING, **_BEFORE},
    Phase.PLACING: {RecordingEvent.PLACED: Phase.RECORDING, RecordingEvent.REFUSED: Phase.LEFT, **_BEFORE},
    Phase.RECORDING: {
        RecordingEvent.STOPPED: Phase.FINISHING,
        RecordingEvent.FAILED: Phase.LEFT,
        RecordingEvent.CLOSED: Phase.LEFT,
        RecordingEvent.ENDED: Phase.IDLE,
    },
    Phase.FINISHING: {
        RecordingEvent.FAILED: Phase.ENDING,
        RecordingEvent.CLOSED: Phase.ENDING,
        RecordingEvent.ENDED: Phase.IDLE,
    },
    Phase.ENDING: {
        RecordingEvent.FAILED: Phase.ENDING,
        RecordingEvent.CLOSED: Phase.ENDING,
        RecordingEvent.ENDED: Phase.IDLE,
    },
    Phase.LEFT: {
        RecordingEvent.STOPPED: Phase.ENDING,
        RecordingEvent.FAILED: Phase.LEFT,
        RecordingEvent.CLOSED: Phase.LEFT,
        RecordingEvent.ENDED: Phase.IDLE,
    },
}
"""The phase after an event; an event that is not listed means nothing then, and is passed over."""
