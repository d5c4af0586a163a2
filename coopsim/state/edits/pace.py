"""Edits of when ticks are done, and of what is shown of a recording."""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from coopsim.interfaces import Value
from coopsim.state.edits.base import Edit
from coopsim.state.vocabulary import name_of


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Pause(Edit):
    """Pause the time."""

    says: ClassVar[str] = "paused"
    changes_state: ClassVar[bool] = False
    ends_steps: ClassVar[bool] = True

    def inverse(self, _before: Value | None = None, /) -> Edit | None:
        """Return the edit that undoes this one."""
        return Continue()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Continue(Edit):
    """Resume the time."""

    says: ClassVar[str] = "continued"
    changes_state: ClassVar[bool] = False
    ends_steps: ClassVar[bool] = True

    def inverse(self, _before: Value | None = None, /) -> Edit | None:
        """Return the edit that undoes this one."""
        return Pause()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Step(Edit):
    """Do some ticks of a paused run."""

    changes_state: ClassVar[bool] = False
    is_long: ClassVar[bool] = True

    count: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SetMode(Edit):
    """Change the mode."""

    changes_state: ClassVar[bool] = False
    ends_steps: ClassVar[bool] = True
    replaces: ClassVar[str] = "mode"

    mode: str


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SetSpeed(Edit):
    """Change the simulated seconds per real second."""

    changes_state: ClassVar[bool] = False
    replaces: ClassVar[str] = "speed"

    speed: float


PaceEdit: TypeAlias = Pause | Continue | Step | SetMode | SetSpeed


PLAYBACK_PREFIX = "playback_"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PlaybackCommand(Edit):
    """A command of `/sim/playback`; its name is that of the command behind `PLAYBACK_PREFIX`."""

    is_recorded: ClassVar[bool] = False
    changes_state: ClassVar[bool] = False

    @classmethod
    def command(cls) -> str:
        """Return the name of the command."""
        return name_of(cls).removeprefix(PLAYBACK_PREFIX)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PlaybackStatus(PlaybackCommand):
    """Answer with what is shown, and how."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PlaybackLoad(PlaybackCommand):
    """Show another recording."""

    file: str


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PlaybackPlay(PlaybackCommand):
    """Go on."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PlaybackPause(PlaybackCommand):
    """Stand still."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PlaybackSeek(PlaybackCommand):
    """Go to the last record at or before a time [s]."""

    time: float


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PlaybackSpeed(PlaybackCommand):
    """Change the speed."""

    speed: float


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PlaybackLoop(PlaybackCommand):
    """Repeat a part; 0 = as far as the recording goes [s]."""

    begin: float
    end: float


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PlaybackUnloop(PlaybackCommand):
    """Repeat nothing."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PlaybackStep(PlaybackCommand):
    """Go some records on, or back."""

    count: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PlaybackMarks(PlaybackCommand):
    """Answer with what happened from a record on."""

    first: int


PlaybackEdit: TypeAlias = (
    PlaybackStatus
    | PlaybackLoad
    | PlaybackPlay
    | PlaybackPause
    | PlaybackSeek
    | PlaybackSpeed
    | PlaybackLoop
    | PlaybackUnloop
    | PlaybackStep
    | PlaybackMarks
)
