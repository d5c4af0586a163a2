"""Edits as data: everything that changes a simulation besides commands, and what it answers.

Each edit says what it holds, whether a record keeps it, how people read it, and what undoes it.
"""

from dataclasses import dataclass
from typing import Any, Self, TypeAlias, get_args

from coopsim.state.edits.base import EDITS, CommandName, Edit, EditResult, UnknownEdit, unnamed
from coopsim.state.edits.events import PublishEvents
from coopsim.state.edits.offers import (
    OfferModule,
    ReadModule,
    TuneModule,
    WithdrawModule,
    WriteModule,
)
from coopsim.state.edits.pace import (
    PLAYBACK_PREFIX,
    Continue,
    PaceEdit,
    Pause,
    PlaybackCommand,
    PlaybackEdit,
    PlaybackLoad,
    PlaybackLoop,
    PlaybackMarks,
    PlaybackPause,
    PlaybackPlay,
    PlaybackSeek,
    PlaybackSpeed,
    PlaybackStatus,
    PlaybackStep,
    PlaybackUnloop,
    SetMode,
    SetSpeed,
    Step,
)
from coopsim.state.edits.scene import (
    PATIENCE_OVER,
    RELEASED,
    Checkpoint,
    ClockReset,
    Describe,
    DeviceCommand,
    GetParameter,
    Insert,
    Join,
    Load,
    Note,
    PaceState,
    Part,
    Push,
    Remove,
    Reset,
    Restore,
    SceneEdit,
    SetEngine,
    SetParameter,
    SetStep,
    TakeSnapshot,
    Update,
)
from coopsim.state.vocabulary import Declared

AnyEdit: TypeAlias = SceneEdit | PaceEdit | PlaybackEdit | UnknownEdit
"""What a source of records may be asked for; receivers treat every case."""

for _kind in (
    Insert,
    Update,
    Remove,
    Join,
    Part,
    Push,
    Load,
    SetEngine,
    SetStep,
    Reset,
    ClockReset,
    SetParameter,
    GetParameter,
    DeviceCommand,
    Describe,
    Note,
    Checkpoint,
    TakeSnapshot,
    Restore,
    OfferModule,
    WithdrawModule,
    WriteModule,
    TuneModule,
    ReadModule,
    PublishEvents,
    *get_args(PaceEdit),
    *get_args(PlaybackEdit),
):
    EDITS.register(_kind)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class AppliedEdit(Declared):
    """An edit as a record holds it.

    Attributes:
        is_event: Whether it is a timed event of the scenario.
        problem: Why the event had no effect, "" = it had.
    """

    edit: AnyEdit
    is_event: bool = False
    problem: str = ""

    @classmethod
    def from_plain(cls, plain: Any) -> Self:
        """Return what a record holds; an edit with an unknown name or field is an `UnknownEdit`.

        Raises:
            Misfit: It is no edit, or it does not hold what its name promises.
        """
        content = dict(plain)
        is_event, problem = _event_fields(content)
        edit: Any = EDITS.from_plain(content) if EDITS.knows(content) else UnknownEdit.of(content)
        return cls(edit, is_event, problem)

    def to_plain(self) -> dict[str, Any]:
        """Return the serialised form."""
        event = {"event": 1} if self.is_event else {}
        return self.edit.to_plain() | event | ({"problem": self.problem} if self.problem else {})

    def as_text(self, command_name: CommandName = unnamed) -> str:
        """Return it in one line, for people.

        Args:
            command_name: Returns the names of commands.
        """
        edit = self.edit
        text = edit.as_text(command_name) if isinstance(edit, DeviceCommand) else edit.as_text()
        return "event: " * self.is_event + text


def _event_fields(content: dict[str, Any]) -> tuple[bool, str]:
    """Take out what `AppliedEdit.to_plain` adds for an event.

    Only what it writes counts, at the end: a later version may mean something else by these names, and what is read is
    written again as it was.
    """
    end, mark, problem = list(content)[-2:], content.get("event"), content.get("problem")
    has_problem = end == ["event", "problem"] and isinstance(problem, str) and problem != ""
    if not (has_problem or end[-1:] == ["event"]) or type(mark) is not int or mark != 1:
        return False, ""
    del content["event"]
    return True, str(content.pop("problem")) if has_problem else ""


def note(edits: list[AppliedEdit], edit: AnyEdit) -> None:
    """Append an edit to those that the next record holds; what it supersedes goes."""
    if edit.waits_for_tick:
        edits[:] = [applied for applied in edits if not edit.supersedes(applied.edit)]
    edits.append(AppliedEdit(edit))


__all__ = [
    "EDITS",
    "PATIENCE_OVER",
    "PLAYBACK_PREFIX",
    "RELEASED",
    "AnyEdit",
    "AppliedEdit",
    "Checkpoint",
    "ClockReset",
    "Continue",
    "Describe",
    "DeviceCommand",
    "Edit",
    "EditResult",
    "GetParameter",
    "Insert",
    "Join",
    "Load",
    "Note",
    "OfferModule",
    "PaceState",
    "Part",
    "Pause",
    "PlaybackCommand",
    "PlaybackEdit",
    "PlaybackLoad",
    "PlaybackLoop",
    "PlaybackMarks",
    "PlaybackPause",
    "PlaybackPlay",
    "PlaybackSeek",
    "PlaybackSpeed",
    "PlaybackStatus",
    "PlaybackStep",
    "PlaybackUnloop",
    "PublishEvents",
    "Push",
    "ReadModule",
    "Remove",
    "Reset",
    "Restore",
    "SceneEdit",
    "SetEngine",
    "SetMode",
    "SetParameter",
    "SetSpeed",
    "SetStep",
    "Step",
    "TakeSnapshot",
    "TuneModule",
    "UnknownEdit",
    "Update",
    "WithdrawModule",
    "WriteModule",
    "note",
]
