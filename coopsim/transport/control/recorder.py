"""To and from the recorder, and what clients want of it."""

from dataclasses import dataclass, field

from coopsim.state.vocabulary import Declared
from coopsim.transport.control.common import ProcessFailed, Refusal

IMAGE_CHOICES = {"color": ("color",), "depth": ("depth",), "both": ("color", "depth")}
"""What people ask for, and the kinds of images that it means."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ImageChoice(Declared):
    """Choice of camera images that a recording carries.

    Attributes:
        kinds: "color", "depth".
        rate: Most images that are kept of each camera, per simulated second; 0 = all that it takes [Hz].
        limit: Bytes of images after which no more are kept; 0 = no limit.
    """

    kinds: tuple[str, ...]
    rate: float = 0.0
    limit: int = 0

    @classmethod
    def of(cls, word: str, rate: float = 0.0, limit: int = 0) -> "ImageChoice | None":
        """Return what one of `IMAGE_CHOICES` means; None for "", which is nothing."""
        return cls(IMAGE_CHOICES[word], rate, limit) if word else None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class OpenRecording(Declared):
    """Open a file.

    Attributes:
        overwrite: Whether it may replace an older one.
        foxglove: Whether a file for Foxglove is made from it in the end.
        metadata: What should be known about the run.
        attachments: Texts by name.
        images: Which images it carries; None = none.
        cameras: Command of the process that draws them; none = the usual one.
    """

    file: str
    overwrite: bool = False
    foxglove: bool = False
    metadata: dict[str, object] = field(default_factory=dict)
    attachments: dict[str, str] = field(default_factory=dict)
    images: ImageChoice | None = None
    cameras: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RecordingOpened(Declared):
    """The file is open."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RecorderStatus(Declared):
    """Progress of the recorder.

    Attributes:
        duration: Simulated time [s].
        gaps: Records that are missing.
        images: Images of cameras in the file.
    """

    duration: float
    ticks: int
    size_bytes: int
    gaps: int
    images: int = 0


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ImagesFailed(ProcessFailed):
    """Images are missing in the recording, which goes on."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RecordingClosed(Declared):
    """The file is closed.

    Attributes:
        status: None = the recording had not begun.
    """

    status: RecorderStatus | None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class FoxgloveProgress(Declared):
    """The file for Foxglove is still being written."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class FoxgloveClosed(Declared):
    """The file for Foxglove is whole."""

    messages: int
    size_bytes: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class FoxgloveFailed(Refusal):
    """The file for Foxglove cannot be written."""


# between host and launcher


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RecordingStatus(Declared):
    """State of a recording.

    Attributes:
        duration: Simulated time [s].
        gaps: Records that are missing.
        images: Images of cameras in the file.
        recording: 1 while it goes on, else 0.
        foxglove: The file for Foxglove that was made of it.
        problem: What went wrong.
    """

    duration: float = 0.0
    ticks: int = 0
    size_bytes: int = 0
    gaps: int = 0
    images: int = 0
    recording: int = 0
    file: str = ""
    foxglove: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RecordingNews(Declared):
    """State of the present recording, or of the last one.

    Attributes:
        status: None = there was none yet.
    """

    status: RecordingStatus | None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RecordingAnswer(Declared):
    """Outcome of a request to start or to stop a recording.

    Attributes:
        id: Of the request.
        error: Number of the error, 0 = it was granted.
    """

    id: int
    status: RecordingStatus | None = None
    error: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StartRecording(Declared):
    """A client wants a recording.

    Attributes:
        file: "" = a new one.
        foxglove: Whether a file for Foxglove is made from it in the end.
        images: Which images it carries; None = none.
    """

    id: int
    file: str
    foxglove: bool
    images: ImageChoice | None = None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StopRecording(Declared):
    """A client wants the recording to end."""

    id: int
